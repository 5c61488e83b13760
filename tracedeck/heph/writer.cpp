#include "tracedeck/heph/writer.hpp"
namespace tracedeck::heph {
Result<std::unique_ptr<Writer>> create_writer(io::Output&, const WriteOptions&) {
  return fail(ErrorCode::kUnsupported, "not yet");
}
}

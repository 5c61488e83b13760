#include "tests/incidents/recorders.hpp"

#include "tracedeck/io/output.hpp"

namespace tracedeck::tests {

Result<void> write_trace(const std::string& path, ByteSpan bytes) {
  auto output = io::create_file(path);
  if (!output) return std::unexpected(output.error());
  if (auto written = (*output)->write(bytes); !written) return written;
  return (*output)->finish();
}

}  // namespace tracedeck::tests

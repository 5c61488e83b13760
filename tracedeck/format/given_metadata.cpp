#include "tracedeck/format/given_metadata.hpp"

#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/io/read_file.hpp"

namespace tracedeck {

Result<std::shared_ptr<const GivenMetadata>> read_given_metadata(const std::string& path,
                                                                 std::uint64_t most,
                                                                 std::stop_token stop) {
  const auto bytes = io::read_file(path, most, std::move(stop));
  if (!bytes) return std::unexpected(bytes.error());
  return std::make_shared<const GivenMetadata>(path, std::string(as_text(*bytes)));
}

}  // namespace tracedeck

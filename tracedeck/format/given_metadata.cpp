#include "tracedeck/format/given_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/io/read_file.hpp"

namespace tracedeck {

Result<std::shared_ptr<const GivenMetadata>> read_given_metadata(const std::string& path,
                                                                 std::uint64_t most,
                                                                 std::stop_token stop) {
  const auto bytes = io::read_file(path, most, std::move(stop));
  if (!bytes) return std::unexpected(bytes.error());
  return std::make_shared<const GivenMetadata>(path, std::string(as_text(*bytes)));
}

std::string check_given_metadata(const Format& format, std::span<const std::string> traces) {
  if (format.info().name != "ctf")
    return fmt::format("option '--metadata' goes with '--format ctf' only, not with {}",
                       format.info().name);
  const auto is_directory = [](const std::string& trace) {
    std::error_code ignored;
    return trace != "-" && std::filesystem::is_directory(trace, ignored);
  };
  const auto directory = std::ranges::find_if(traces, is_directory);
  if (directory == traces.end()) return {};
  return fmt::format(
      "'{}' is a directory, which has its own metadata; '--metadata' is for data streams that "
      "come without",
      *directory);
}

}  // namespace tracedeck

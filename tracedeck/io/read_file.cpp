#include "tracedeck/io/read_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

Result<std::vector<std::uint8_t>> read_file(const std::string& path, std::uint64_t most,
                                            std::stop_token stop) {
  auto input = open_input(path, std::move(stop));
  if (!input) return std::unexpected(std::move(input.error()));
  std::vector<std::uint8_t> bytes;
  constexpr std::size_t kPortion = std::size_t{64} << 10;
  for (;;) {
    const std::size_t had = bytes.size();
    if (had > most) return exceeds_state(path, most);
    bytes.resize(had + kPortion);
    const auto got = (*input)->read(bytes.data() + had, kPortion);
    bytes.resize(had + got.value_or(0));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return bytes;
  }
}

std::unexpected<Error> exceeds_state(const std::string& path, std::uint64_t most) {
  return fail(ErrorCode::kLimitExceeded,
              fmt::format("this file does not fit into --max-state, {} bytes", most), path);
}

}  // namespace tracedeck::io

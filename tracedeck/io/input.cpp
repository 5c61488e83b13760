#include "tracedeck/io/input.hpp"

#include <algorithm>
#include <vector>

namespace tracedeck::io {

Result<std::uint64_t> Input::skip(std::uint64_t bytes) {
  constexpr std::uint64_t kPortion = std::uint64_t{64} << 10;
  std::vector<std::uint8_t> dropped(static_cast<std::size_t>(std::min(bytes, kPortion)));
  std::uint64_t skipped = 0;
  while (skipped < bytes) {
    const std::uint64_t portion = std::min<std::uint64_t>(bytes - skipped, dropped.size());
    const Result<std::size_t> got = read(dropped.data(), static_cast<std::size_t>(portion));
    if (!got && skipped == 0) return std::unexpected(got.error());
    if (!got || *got == 0) break;
    skipped += *got;
  }
  return skipped;
}

}  // namespace tracedeck::io

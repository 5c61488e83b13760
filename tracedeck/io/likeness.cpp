#include "tracedeck/io/likeness.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tracedeck::io {

Result<void> fill(Input& input, std::span<std::uint8_t> into, std::size_t& size) {
  for (size = 0; size < into.size();) {
    const auto got = input.read(into.data() + size, into.size() - size);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    size += *got;
  }
  return {};
}

Likeness likeness(const std::string& first, const std::string& second,
                  const std::stop_token& stop) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  const auto one = open_input(first, stop);
  const auto other = open_input(second, stop);
  if (!one || !other) return Likeness::kDifferent;
  std::vector<std::uint8_t> left(kPiece);
  std::vector<std::uint8_t> right(kPiece);
  for (;;) {
    std::size_t have = 0;
    std::size_t has = 0;
    // Where one cannot be read any further, it ends.
    [[maybe_unused]] const Result<void> one_read = fill(**one, left, have);
    [[maybe_unused]] const Result<void> other_read = fill(**other, right, has);
    const auto shorter = static_cast<std::ptrdiff_t>(std::min(have, has));
    if (!std::equal(left.begin(), left.begin() + shorter, right.begin()))
      return Likeness::kDifferent;
    if (have < has) return Likeness::kFirstIsBeginning;
    if (has < have) return Likeness::kSecondIsBeginning;
    if (have < kPiece) return Likeness::kEqual;
  }
}

}  // namespace tracedeck::io

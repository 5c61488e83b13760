#include "tracedeck/base/cobs.hpp"

#include <algorithm>
#include <cstring>

namespace tracedeck {

std::uint8_t* cobs_encode(ByteSpan payload, std::uint8_t* to) {
  const std::uint8_t* from = payload.data();
  const std::uint8_t* const end = from + payload.size();
  for (;;) {
    const std::size_t block = std::min(static_cast<std::size_t>(end - from), kCobsBlock);
    const auto* const zero =
        block == 0 ? nullptr : static_cast<const std::uint8_t*>(std::memchr(from, 0, block));
    const std::size_t literals = zero == nullptr ? block : static_cast<std::size_t>(zero - from);
    *to = static_cast<std::uint8_t>(literals + 1);
    if (literals != 0) std::memcpy(to + 1, from, literals);
    to += 1 + literals;
    from += literals;
    if (zero != nullptr) {
      ++from;  // what the code stands for, so a block follows even at the end
    } else if (from == end) {
      return to;
    }
  }
}

std::optional<std::size_t> cobs_decode(ByteSpan encoded, std::uint8_t* to) {
  const std::uint8_t* from = encoded.data();
  const std::uint8_t* const end = from + encoded.size();
  std::uint8_t* const begin = to;
  if (from == end) return std::nullopt;
  for (;;) {
    const std::size_t code = *from++;
    if (code == 0 || code - 1 > static_cast<std::size_t>(end - from)) return std::nullopt;
    if (std::find(from, from + (code - 1), 0) != from + (code - 1)) return std::nullopt;
    std::memmove(to, from, code - 1);
    to += code - 1;
    from += code - 1;
    if (from == end) return static_cast<std::size_t>(to - begin);
    if (code != kCobsBlock + 1) *to++ = 0;
  }
}

}  // namespace tracedeck

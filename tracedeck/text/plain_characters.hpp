// Texts of which every character stands for itself, recognised and copied 16 bytes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "tracedeck/base/bytes.hpp"

namespace tracedeck {

// Which characters a spelling of texts does not leave as they are: ASCII's control characters, and
// these.
struct Escaped {
  std::array<char, 4> marks = {'"', '"', '\\', '\\'};  // some may be there twice
  bool beyond_ascii = true;                            // bytes from 0x80 on
};
inline constexpr Escaped kQuotesEscaped = {};

// Whether none of 16 bytes is escaped.
template <Escaped kEscaped>
[[nodiscard]] inline bool all_plain(std::uint64_t first, std::uint64_t second) {
#if defined(__SSE2__)
  const __m128i bytes =
      _mm_set_epi64x(static_cast<long long>(second), static_cast<long long>(first));
  const auto are = [&](char character) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(character)); };
  // As numbers with a sign, bytes from 0x80 on lie below those of the control characters.
  __m128i found = kEscaped.beyond_ascii
                      ? _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20))
                      : _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
  found = _mm_or_si128(found, are(0x7F));
  found = _mm_or_si128(found, _mm_or_si128(are(kEscaped.marks[0]), are(kEscaped.marks[2])));
  if constexpr (kEscaped.marks[0] != kEscaped.marks[1])
    found = _mm_or_si128(found, _mm_or_si128(are(kEscaped.marks[1]), are(kEscaped.marks[3])));
  return _mm_movemask_epi8(found) == 0;
#else
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x80 * kOnes;
  const auto any = [&](std::uint64_t eight) {
    const auto has = [&](char character) {
      const std::uint64_t x = eight ^ (static_cast<std::uint8_t>(character) * kOnes);
      return (x - kOnes) & ~x;
    };
    std::uint64_t found = ((eight - 0x20 * kOnes) & ~eight) | has(0x7F);
    for (const char mark : kEscaped.marks) found |= has(mark);
    return ((kEscaped.beyond_ascii ? found | eight : found) & kHighs) != 0;
  };
  return !any(first) && !any(second);
#endif
}

// Copies the first and the last word of `size` bytes, which may overlap and are all of them.
template <Escaped kEscaped, class Word>
[[nodiscard]] inline bool copy_plain_ends(char* to, const char* from, std::size_t size) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(from);
  auto* const room = reinterpret_cast<std::uint8_t*>(to);
  const auto first = load_le<Word>(bytes);
  const auto last = load_le<Word>(bytes + size - sizeof(Word));
  store_le(room, first);
  store_le(room + size - sizeof(Word), last);
  if constexpr (sizeof(Word) == 8) {
    return all_plain<kEscaped>(first, last);
  } else {
    const std::uint64_t both = first | std::uint64_t{last} << 32;
    return all_plain<kEscaped>(both, both);
  }
}

// Copies `size` bytes to room for at least as many, and says whether none of them is escaped; else
// what was copied is of no use.
template <Escaped kEscaped>
[[nodiscard]] inline bool copy_plain(char* to, const char* from, std::size_t size) {
  if (size < 4) {
    std::uint64_t few = 0x6161616161616161;
    for (std::size_t i = 0; i < size; ++i) {
      to[i] = from[i];
      few = few << 8 | static_cast<std::uint8_t>(from[i]);
    }
    return all_plain<kEscaped>(few, few);
  }
  if (size < 8) return copy_plain_ends<kEscaped, std::uint32_t>(to, from, size);
  for (; size > 32; size -= 16, to += 16, from += 16) {
    if (!copy_plain_ends<kEscaped, std::uint64_t>(to, from, 16)) return false;
  }
  if (size <= 16) return copy_plain_ends<kEscaped, std::uint64_t>(to, from, size);
  return copy_plain_ends<kEscaped, std::uint64_t>(to, from, 16) &&
         copy_plain_ends<kEscaped, std::uint64_t>(to + size - 16, from + size - 16, 16);
}

// The same of a text in quotation marks, to room for two more. Returns the end, or null.
template <Escaped kEscaped>
[[nodiscard]] inline char* write_plain_quoted(char* to, std::string_view text) {
  *to++ = '"';
  if (!copy_plain<kEscaped>(to, text.data(), text.size())) return nullptr;
  to[text.size()] = '"';
  return to + text.size() + 1;
}

}  // namespace tracedeck

#include "tracedeck/base/utf8.hpp"

namespace tracedeck {
namespace {

constexpr bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

// What a lead byte asks of the rest (The Unicode Standard, table 3-7). A narrowed range of the
// second byte keeps out overlong forms, surrogates and values above U+10FFFF.
struct Lead {
  std::uint32_t length = 0;  // of the whole sequence, 0: no lead byte
  std::uint8_t second_lower = 0x80;
  std::uint8_t second_upper = 0xBF;
};

constexpr Lead lead_of(std::uint8_t byte) {
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {.length = 2};
  if (byte == 0xE0) return {.length = 3, .second_lower = 0xA0};
  if (byte == 0xED) return {.length = 3, .second_upper = 0x9F};
  if (byte < 0xF0) return {.length = 3};
  if (byte == 0xF0) return {.length = 4, .second_lower = 0x90};
  if (byte < 0xF4) return {.length = 4};
  if (byte == 0xF4) return {.length = 4, .second_upper = 0x8F};
  return {};
}

}  // namespace

Utf8Step utf8_step(const std::uint8_t* at, const std::uint8_t* end) {
  if (*at < 0x80) return {.length = 1, .code_point = *at, .valid = true};
  const Lead lead = lead_of(*at);
  if (lead.length == 0 || end - at < 2 || at[1] < lead.second_lower || at[1] > lead.second_upper) {
    return {};
  }
  char32_t code_point = *at & (0xFFU >> (lead.length + 1));
  code_point = code_point << 6 | (at[1] & 0x3FU);
  for (std::uint32_t i = 2; i < lead.length; ++i) {
    if (at + i == end || !is_continuation(at[i])) return {.length = i};
    code_point = code_point << 6 | (at[i] & 0x3FU);
  }
  return {.length = lead.length, .code_point = code_point, .valid = true};
}

std::size_t utf8_valid_prefix(ByteSpan text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const std::uint8_t* at = text.data();
  const std::uint8_t* const end = at + text.size();
  while (at != end) {
    while (end - at >= 8 && (load_le<std::uint64_t>(at) & kHighBits) == 0) at += 8;
    if (at == end) break;
    const Utf8Step step = utf8_step(at, end);
    if (!step.valid) break;
    at += step.length;
  }
  return static_cast<std::size_t>(at - text.data());
}

std::string repaired_utf8(std::string_view text) {
  const std::uint8_t* at = as_bytes(text).data();
  const std::uint8_t* const end = at + text.size();
  std::string repaired;
  while (at < end) {
    const Utf8Step step = utf8_step(at, end);
    repaired += step.valid ? as_text({at, step.length}) : kReplacementCharacter;
    at += step.length;
  }
  return repaired;
}

}  // namespace tracedeck

#include "tracedeck/text/json_scalars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/text/number.hpp"
#include "tracedeck/text/plain_characters.hpp"

namespace tracedeck {
namespace {

// What an ASCII character takes in a JSON string: itself, a backslash and a letter, or \u00XX.
constexpr char kItself = 0;
constexpr char kUnicode = 1;
constexpr std::array<char, 128> kJsonEscapes = [] {
  std::array<char, 128> escapes{};
  for (std::size_t i = 0; i < 0x20; ++i) escapes[i] = kUnicode;
  escapes[0x7F] = kUnicode;
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();
constexpr std::size_t kEscapeSize = 6;  // \u0000

char* write_unicode_escape(char* to, std::uint32_t code) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  to = std::ranges::copy(std::string_view("\\u00"), to).out;
  to[0] = kDigits[code >> 4];
  to[1] = kDigits[code & 0xF];
  return to + 2;
}

char* write_ascii(char* to, std::uint8_t character) {
  const char escape = kJsonEscapes[character];
  if (escape == kItself) {
    *to = static_cast<char>(character);
    return to + 1;
  }
  if (escape == kUnicode) return write_unicode_escape(to, character);
  to[0] = '\\';
  to[1] = escape;
  return to + 2;
}

// Writes one character that is not ASCII, or what stands for an invalid sequence.
char* write_beyond_ascii(char* to, const std::uint8_t* at, const Utf8Step& step) {
  if (!step.valid) {
    std::memcpy(to, kReplacementCharacter.data(), kReplacementCharacter.size());
    return to + kReplacementCharacter.size();
  }
  if (step.code_point < 0xA0) return write_unicode_escape(to, step.code_point);
  std::memcpy(to, at, step.length);
  return to + step.length;
}

struct JsonChunk {
  char* end;
  const std::uint8_t* at;
  bool valid;
};

// Writes characters from `at` up to `stop`; one that begins before `stop` may reach beyond it, up
// to `end`.
JsonChunk write_chunk(char* to, const std::uint8_t* at, const std::uint8_t* stop,
                      const std::uint8_t* end) {
  bool valid = true;
  while (at < stop) {
    while (stop - at >= 16 &&
           copy_plain<kQuotesEscaped>(to, reinterpret_cast<const char*>(at), 16)) {
      to += 16;
      at += 16;
    }
    // Up to 16 characters one by one, then fast again.
    const std::uint8_t* const slow = stop - at > 16 ? at + 16 : stop;
    while (at < slow) {
      if (*at < 0x80) {
        to = write_ascii(to, *at++);
        continue;
      }
      const Utf8Step step = utf8_step(at, end);
      to = write_beyond_ascii(to, at, step);
      at += step.length;
      valid = valid && step.valid;
    }
  }
  return {to, at, valid};
}

}  // namespace

bool append_json_string(TextBuffer& out, std::string_view text) {
  constexpr std::ptrdiff_t kChunk = 4096;
  if (text.size() <= kChunk) {
    char* const written = write_plain_quoted<kQuotesEscaped>(out.reserve(text.size() + 2), text);
    if (written != nullptr) {
      out.commit(written);
      return true;
    }
  }
  const ByteSpan bytes = as_bytes(text);
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  bool valid = true;
  out.append('"');
  while (at < end) {
    const std::ptrdiff_t length = std::min(end - at, kChunk);
    char* const to = out.reserve(static_cast<std::size_t>(length) * kEscapeSize);
    const JsonChunk chunk = write_chunk(to, at, at + length, end);
    out.commit(chunk.end);
    at = chunk.at;
    valid = valid && chunk.valid;
  }
  out.append('"');
  return valid;
}

void append_json_real(TextBuffer& out, double value) {
  if (std::isnan(value)) return out.append("\"NaN\"");
  if (std::isinf(value)) return out.append(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  append_finite_real(out, value);
}

void append_json_base64(TextBuffer& out, ByteSpan bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto character = [&](std::uint32_t group, int place) {
    return kAlphabet[group >> (6 * place) & 0x3F];
  };
  out.append('"');
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group =
        std::uint32_t{bytes[i]} << 16 | std::uint32_t{bytes[i + 1]} << 8 | bytes[i + 2];
    char* const to = out.reserve(4);
    for (int place = 3; place >= 0; --place) to[3 - place] = character(group, place);
    out.commit(to + 4);
  }
  const std::size_t rest = bytes.size() - i;
  if (rest != 0) {
    const std::uint32_t group =
        std::uint32_t{bytes[i]} << 16 | (rest == 2 ? std::uint32_t{bytes[i + 1]} << 8 : 0);
    char* const to = out.reserve(4);
    to[0] = character(group, 3);
    to[1] = character(group, 2);
    to[2] = rest == 2 ? character(group, 1) : '=';
    to[3] = '=';
    out.commit(to + 4);
  }
  out.append('"');
}

char* write_json_integer(char* to, Nanoseconds value) {
  const bool large = value.magnitude() > kLargestExactInteger;
  if (large) *to++ = '"';
  to = write_decimal(to, value);
  if (large) *to++ = '"';
  return to;
}

}  // namespace tracedeck

#include "tracedeck/ctf/text_encoding.hpp"

#include <algorithm>
#include <cstring>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

bool is_big(TextEncoding encoding) {
  return encoding == TextEncoding::kUtf16Be || encoding == TextEncoding::kUtf32Be;
}

std::uint32_t code_unit(const std::uint8_t* bytes, std::size_t unit, bool big) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < unit; ++i) value = value << 8 | bytes[big ? i : unit - 1 - i];
  return value;
}

std::uint8_t* put(std::uint8_t* to, std::uint32_t c) {
  const auto byte = [&](std::uint32_t value) { *to++ = static_cast<std::uint8_t>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | c >> 6);
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
  return to;
}

void append_utf16(std::string& out, char32_t code_point, bool big) {
  const auto unit = [&](std::uint32_t value) {
    const char high = static_cast<char>(value >> 8);
    const char low = static_cast<char>(value & 0xff);
    out.push_back(big ? high : low);
    out.push_back(big ? low : high);
  };
  if (code_point < 0x10000) return unit(code_point);
  unit(0xd800 + ((code_point - 0x10000) >> 10));
  unit(0xdc00 + ((code_point - 0x10000) & 0x3ff));
}

void append_utf32(std::string& out, char32_t code_point, bool big) {
  for (int i = 0; i < 4; ++i)
    out.push_back(static_cast<char>(code_point >> (big ? 24 - 8 * i : 8 * i) & 0xff));
}

bool is_surrogate(std::uint32_t c) { return c >= 0xD800 && c < 0xE000; }

}  // namespace

std::size_t find_terminator(ByteSpan bytes, std::size_t unit) {
  if (bytes.empty()) return 0;
  if (unit == 1) {
    const void* const found = std::memchr(bytes.data(), 0, bytes.size());
    return found == nullptr
               ? bytes.size()
               : static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - bytes.data());
  }
  for (std::size_t i = 0; i + unit <= bytes.size(); i += unit) {
    if (code_unit(bytes.data() + i, unit, true) == 0) return i;
  }
  return bytes.size();
}

std::size_t most_utf8_size(std::size_t size, TextEncoding encoding) {
  // A code unit of 2 bytes comes to at most 3, one of 4 bytes to at most 4; what is left over to 3.
  const std::size_t unit = code_unit_size(encoding);
  return unit == 2 ? size / 2 * 3 + 3 : size + 3;
}

std::size_t to_utf8(ByteSpan bytes, TextEncoding encoding, std::uint8_t* to) {
  std::uint8_t* const begin = to;
  const std::size_t unit = code_unit_size(encoding);
  const bool big = is_big(encoding);
  std::size_t i = 0;
  for (; i + unit <= bytes.size(); i += unit) {
    std::uint32_t c = code_unit(bytes.data() + i, unit, big);
    if (unit == 2 && c >= 0xD800 && c < 0xDC00 && i + 2 * unit <= bytes.size()) {
      const std::uint32_t low = code_unit(bytes.data() + i + unit, unit, big);
      if (low >= 0xDC00 && low < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        i += unit;
      }
    }
    to = put(to, is_surrogate(c) || c > 0x10FFFF ? kReplacement : c);
  }
  if (i < bytes.size()) to = put(to, kReplacement);
  return static_cast<std::size_t>(to - begin);
}

std::string from_utf8(std::string_view text, TextEncoding encoding) {
  std::string out;
  const ByteSpan bytes = as_bytes(text);
  const std::size_t unit = code_unit_size(encoding);
  for (const std::uint8_t* at = bytes.data(); at < bytes.data() + bytes.size();) {
    const Utf8Step step = utf8_step(at, bytes.data() + bytes.size());
    at += step.length;
    if (unit == 2) {
      append_utf16(out, step.code_point, is_big(encoding));
    } else {
      append_utf32(out, step.code_point, is_big(encoding));
    }
  }
  return out;
}

}  // namespace tracedeck::ctf

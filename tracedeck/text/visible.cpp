#include "tracedeck/text/visible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/text/plain_characters.hpp"

namespace tracedeck {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t code_point) {
  const auto at = std::ranges::lower_bound(ranges, code_point, {}, &Range::last);
  return at != ranges.end() && at->first <= code_point;
}

// Ascending. Controls, and what reorders text, breaks its lines or shows nothing: the format
// characters and default ignorable ones of Unicode, but for the two variation selectors that choose
// between text and emoji, which only change how the character before them looks.
constexpr std::array<Range, 20> kHidden = {
    {{0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
     {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
     {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
     {0xFE00, 0xFE0D},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
     {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}}};
static_assert(std::ranges::is_sorted(kHidden, {}, &Range::first));
// Terminals give these two columns (the bulk of East Asian Width W and F, and emoji) ...
constexpr std::array<Range, 9> kDouble = {{{0x1100, 0x115F},
                                           {0x2E80, 0xA4CF},
                                           {0xAC00, 0xD7A3},
                                           {0xF900, 0xFAFF},
                                           {0xFE30, 0xFE6F},
                                           {0xFF00, 0xFF60},
                                           {0xFFE0, 0xFFE6},
                                           {0x1F300, 0x1FAFF},
                                           {0x20000, 0x3FFFD}}};
// ... and these none.
constexpr std::array<Range, 4> kCombining = {
    {{0x300, 0x36F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};

std::size_t columns_of(char32_t code_point) {
  if (code_point < 0x300) return 1;
  if (is_in(kCombining, code_point)) return 0;
  return is_in(kDouble, code_point) ? 2 : 1;
}

std::size_t append_escape(TextBuffer& out, std::string_view escape) {
  out.append(escape);
  return escape.size();
}

// Appends what stands for a character that must not be shown.
std::size_t append_hidden(TextBuffer& out, const std::uint8_t* at, const Utf8Step& step) {
  switch (*at) {
    case '\n':
      return append_escape(out, "\\n");
    case '\r':
      return append_escape(out, "\\r");
    case '\t':
      return append_escape(out, "\\t");
    default:
      break;
  }
  if (step.valid && *at >= 0x80) {
    return append_escape(out,
                         fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(step.code_point)));
  }
  std::size_t columns = 0;
  for (std::uint32_t i = 0; i < step.length; ++i) {
    columns += append_escape(out, fmt::format("\\x{:02x}", at[i]));
  }
  return columns;
}

std::size_t append_text(TextBuffer& out, std::string_view text, bool in_quotes) {
  constexpr std::size_t kMostAtOnce = 4096;
  if (text.size() <= kMostAtOnce) {
    char* const to = out.reserve(text.size());
    if (copy_plain<kQuotesEscaped>(to, text.data(), text.size())) {
      out.commit(to + text.size());
      return text.size();
    }
  }
  const ByteSpan bytes = as_bytes(text);
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  std::size_t columns = 0;
  while (at != end) {
    const std::uint8_t* const plain = at;
    while (at != end && *at >= 0x20 && *at < 0x7F && !(in_quotes && (*at == '"' || *at == '\\')))
      ++at;
    out.append(as_text({plain, at}));
    columns += static_cast<std::size_t>(at - plain);
    if (at == end) break;
    const Utf8Step step = utf8_step(at, end);
    if (!step.valid || is_in(kHidden, step.code_point)) {
      columns += append_hidden(out, at, step);
    } else if (*at < 0x80) {
      out.append('\\');
      out.append(static_cast<char>(*at));
      columns += 2;
    } else {
      out.append(as_text({at, step.length}));
      columns += columns_of(step.code_point);
    }
    at += step.length;
  }
  return columns;
}

// Which characters names have.
constexpr std::array<bool, 256> kOfNames = [] {
  std::array<bool, 256> are{};
  for (unsigned char c = '0'; c <= '9'; ++c) are[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) are[c] = true;
  for (unsigned char c = 'a'; c <= 'z'; ++c) are[c] = true;
  for (const char mark : {'_', '.', ':', '@', '$', '#', '/', '-'})
    are[static_cast<unsigned char>(mark)] = true;
  return are;
}();

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char character) {
    return kOfNames[static_cast<unsigned char>(character)];
  });
}

}  // namespace

std::size_t append_visible(TextBuffer& out, std::string_view text) {
  return append_text(out, text, false);
}

std::size_t append_visible_quoted(TextBuffer& out, std::string_view text) {
  out.append('"');
  const std::size_t columns = append_text(out, text, true);
  out.append('"');
  return columns + 2;
}

std::size_t append_visible_name(TextBuffer& out, std::string_view text) {
  if (!is_name(text)) return append_visible_quoted(out, text);
  out.append(text);
  return text.size();
}

std::string visible(std::string_view text) {
  TextBuffer out(nullptr, text.size() + 512);
  append_visible(out, text);
  return std::string(out.view());
}

std::size_t columns_of(std::string_view text) {
  const ByteSpan bytes = as_bytes(text);
  std::size_t columns = 0;
  for (const std::uint8_t* at = bytes.data(); at != bytes.data() + bytes.size();) {
    if (*at < 0x80) {
      ++columns;
      ++at;
      continue;
    }
    const Utf8Step step = utf8_step(at, bytes.data() + bytes.size());
    columns += columns_of(step.code_point);
    at += step.length;
  }
  return columns;
}

}  // namespace tracedeck

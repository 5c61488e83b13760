#include "tracedeck/base/json_out.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck {
namespace {

void append_character(std::string& out, char character) {
  switch (character) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\t':
      out.append("\\t");
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(character) < 0x20) {
    out.append(fmt::format("\\u{:04x}", static_cast<unsigned>(character)));
  } else {
    out.push_back(character);
  }
}

// ASCII that stands for itself.
bool is_plain(char character) {
  return character >= 0x20 && character <= 0x7e && character != '"' && character != '\\';
}

void append_string(std::string& out, std::string_view text) {
  out.push_back('"');
  if (std::ranges::all_of(text, is_plain)) {
    out.append(text);
  } else {
    for (const char character : repaired_utf8(text)) append_character(out, character);
  }
  out.push_back('"');
}

}  // namespace

JsonOut& JsonOut::key(std::string_view name) {
  separate();
  append_string(out_, name);
  out_.push_back(':');
  return *this;
}

void JsonOut::string(std::string_view text) {
  separate();
  append_string(out_, text);
  needs_comma_ = true;
}

void JsonOut::integer(const Integer& value) { raw(value.to_string()); }

void JsonOut::raw(std::string_view json) {
  separate();
  out_.append(json);
  needs_comma_ = true;
}

std::string json_string(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

}  // namespace tracedeck

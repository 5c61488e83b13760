#include "tracedeck/text/json_out.hpp"

#include "tracedeck/text/json_scalars.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck {

JsonOut& JsonOut::key(std::string_view name) {
  separate();
  out_.append(json_string(name));
  out_.push_back(':');
  return *this;
}

void JsonOut::string(std::string_view text) {
  separate();
  out_.append(json_string(text));
  needs_comma_ = true;
}

void JsonOut::integer(const Integer& value) { raw(value.to_string()); }

void JsonOut::raw(std::string_view json) {
  separate();
  out_.append(json);
  needs_comma_ = true;
}

std::string json_string(std::string_view text) {
  TextBuffer out;
  append_json_string(out, text);
  return std::string(out.view());
}

}  // namespace tracedeck

// Writing JSON objects and arrays part by part, for everything that is not on the way of an event.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/text/json_scalars.hpp"
#include "tracedeck/text/number.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck {

// An object that is open from construction to `end`. Objects and arrays may nest; the innermost
// is ended first.
class JsonObject {
 public:
  explicit JsonObject(TextBuffer& out) : out_(out) { out_.append('{'); }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  // Writes a key; its value is to be appended to the buffer next.
  TextBuffer& key(std::string_view name) {
    if (!empty_) out_.append(',');
    empty_ = false;
    append_json_string(out_, name);
    out_.append(':');
    return out_;
  }
  // A member that is written out already, or "" for none.
  void member(std::string_view text) {
    if (text.empty()) return;
    if (!empty_) out_.append(',');
    empty_ = false;
    out_.append(text);
  }
  void end() { out_.append('}'); }

  void string(std::string_view name, std::string_view text) { append_json_string(key(name), text); }
  void boolean(std::string_view name, bool value) { key(name).append(value ? "true" : "false"); }
  void real(std::string_view name, double value) { append_json_real(key(name), value); }
  template <class Number>
  void integer(std::string_view name, Number value) {
    append_decimal(key(name), value);
  }

  // Nothing when there is no value.
  template <class Number>
  void integer_if(std::string_view name, const std::optional<Number>& value) {
    if (value) integer(name, *value);
  }
  void string_if(std::string_view name, const std::optional<std::string>& text) {
    if (text) string(name, *text);
  }

 private:
  TextBuffer& out_;
  bool empty_ = true;
};

// An array that is open from construction to `end`.
class JsonArray {
 public:
  explicit JsonArray(TextBuffer& out) : out_(out) { out_.append('['); }
  JsonArray(const JsonArray&) = delete;
  JsonArray& operator=(const JsonArray&) = delete;

  // Comes before each element, which is to be appended to the buffer next.
  TextBuffer& next() {
    if (!empty_) out_.append(',');
    empty_ = false;
    return out_;
  }
  void end() { out_.append(']'); }

 private:
  TextBuffer& out_;
  bool empty_ = true;
};

}  // namespace tracedeck

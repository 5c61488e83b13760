// Appends JSON to a string, token by token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tracedeck/base/integer.hpp"

namespace tracedeck {

// Commas come by themselves; keys and ends are the caller's to balance. Bytes that are no UTF-8
// become U+FFFD.
class JsonOut {
 public:
  explicit JsonOut(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  // The value is to follow.
  JsonOut& key(std::string_view name);

  void string(std::string_view text);
  void integer(const Integer& value);
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }
  // A value that is JSON already.
  void raw(std::string_view json);

 private:
  void separate() {
    if (needs_comma_) out_.push_back(',');
    needs_comma_ = false;
  }
  void open(char bracket) {
    separate();
    out_.push_back(bracket);
  }
  void close(char bracket) {
    out_.push_back(bracket);
    needs_comma_ = true;
  }

  std::string& out_;
  bool needs_comma_ = false;
};

// A JSON string, quotes included.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace tracedeck

// Arguments of marks as other programs' formats can hold them.
#pragma once

#include <cstdint>
#include <string_view>

#include "tracedeck/query/value.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::exporting {

// Points into the value, or into what made it.
struct Argument {
  enum class Kind : std::uint8_t { kNone, kBoolean, kSigned, kUnsigned, kAddress, kReal, kText };
  Kind kind = Kind::kNone;
  union {
    bool boolean = false;
    std::int64_t integer;
    std::uint64_t natural;  // of kAddress too: what is shown in hexadecimal
    double real;
  };
  std::string_view text = {};
};

class ArgumentReader {
 public:
  // An enumeration is its first label, what the trace has a name for that name. Blobs are base64;
  // compound values JSON; integers beyond 64 bits their digits. Valid until the next call.
  [[nodiscard]] Argument read(const query::Value& value);

 private:
  [[nodiscard]] Argument integer(const query::Value& value);

  TextBuffer scratch_{nullptr, 256};
  render::JsonValues json_;
};

}  // namespace tracedeck::exporting

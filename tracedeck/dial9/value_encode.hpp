// Encoding of native values, as `Encoder::write_event` takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tracedeck/dial9/schema.hpp"
#include "tracedeck/dial9/value.hpp"

namespace tracedeck::dial9 {

struct ValueMeasure {
  std::size_t size = 0;         // bytes on the wire, at most, presence byte included
  const char* fault = nullptr;  // why the value cannot stand in the field
};

// Checks a value against its field. Lists and maps are walked; like those of the decoder, they must
// have their count in the 4 bytes before `pointer` and 16 readable bytes behind.
[[nodiscard]] ValueMeasure measure_value(const FieldDefinition& field, const Value& value);

// Writes a value that `measure_value` found no fault with and returns its end; what lies up to its
// measured size may be overwritten.
[[nodiscard]] std::uint8_t* put_value(std::uint8_t* to, const FieldDefinition& field,
                                      const Value& value);

}  // namespace tracedeck::dial9

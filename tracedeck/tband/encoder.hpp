// The encoder by table: any event of a table, checked, with its optional fields.
//
// What knows its events when it is compiled uses the functions of `device.hpp` instead.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/tband/event_table.hpp"

namespace tracedeck::tband {

// A field to be written, as its type in the table says: a number (an s64 as two's complement) or a
// text, of any length, which must live until it is written.
struct FieldValue {
  std::uint64_t number = 0;
  std::string_view text = {};
};

// Appends the frame of an event to `out`. `timestamp` in ticks, unused for metadata. Trailing
// optional fields may be missing in `fields`.
//
// Errors: kInvalidArgument for too few or too many fields and a number that its type does not hold;
// then nothing is appended.
[[nodiscard]] Result<void> encode_event(const EventFacts& event, std::uint64_t timestamp,
                                        std::span<const FieldValue> fields,
                                        std::vector<std::uint8_t>& out);

}  // namespace tracedeck::tband

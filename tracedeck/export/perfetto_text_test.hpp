// A Perfetto trace as lines of text, read without what writes it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tracedeck::exporting {

struct ProtobufField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;      // of a varint, a fixed64
  std::string_view bytes = {};  // of what has a length
};
// The fields of a message, in their order; none when it is broken.
[[nodiscard]] std::vector<ProtobufField> protobuf_fields(std::string_view message);

// One line a packet: "+100 begin 3 poll", with the time that its clock gives. What it means stands
// in `perfetto_text_test.cpp`.
[[nodiscard]] std::vector<std::string> perfetto_lines(std::string_view trace);

}  // namespace tracedeck::exporting

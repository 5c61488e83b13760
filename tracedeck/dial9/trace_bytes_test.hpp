// Building dial9 traces byte by byte, for tests: independent of the encoder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::dial9 {

class TraceBytes {
 public:
  TraceBytes& u8(std::uint64_t value) { return little(value, 1); }
  TraceBytes& u16(std::uint64_t value) { return little(value, 2); }
  TraceBytes& u24(std::uint64_t value) { return little(value, 3); }
  TraceBytes& u32(std::uint64_t value) { return little(value, 4); }
  TraceBytes& u64(std::uint64_t value) { return little(value, 8); }
  TraceBytes& raw(std::string_view bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  TraceBytes& raw(std::initializer_list<int> bytes) {
    for (const int byte : bytes) bytes_.push_back(static_cast<std::uint8_t>(byte));
    return *this;
  }
  TraceBytes& varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) u8(0x80 | (value & 0x7F));
    return u8(value);
  }
  TraceBytes& text32(std::string_view text) { return u32(text.size()).raw(text); }

  TraceBytes& header(int version = 1) {
    return raw(std::string_view("TRC\0", 4)).u8(static_cast<std::uint64_t>(version));
  }
  struct Field {
    std::string_view name;
    int tag;
  };
  TraceBytes& schema(std::uint64_t id, std::string_view name, std::initializer_list<Field> fields,
                     int has_timestamp = 1) {
    u8(1)
        .u16(id)
        .u16(name.size())
        .raw(name)
        .u8(static_cast<std::uint64_t>(has_timestamp))
        .u16(fields.size());
    for (const Field& field : fields)
      u16(field.name.size()).raw(field.name).u8(static_cast<std::uint64_t>(field.tag));
    return *this;
  }
  // The frame's header; the values follow.
  TraceBytes& event(std::uint64_t id, std::uint64_t delta) { return u8(2).u16(id).u24(delta); }
  TraceBytes& event_without_time(std::uint64_t id) { return u8(2).u16(id); }
  TraceBytes& string_pool(std::uint64_t id, std::string_view text) {
    return u8(3).u32(1).u32(id).text32(text);
  }
  TraceBytes& stack_pool(std::uint64_t id, std::initializer_list<std::uint64_t> frames) {
    u8(4).u32(1).u32(id).u32(frames.size());
    for (const std::uint64_t frame : frames) u64(frame);
    return *this;
  }
  TraceBytes& reset(std::uint64_t timestamp) { return u8(5).u64(timestamp); }

  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  TraceBytes& little(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    return *this;
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace tracedeck::dial9

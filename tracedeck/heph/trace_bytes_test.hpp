// Building Heph traces byte by byte, for tests: independent of the encoder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::heph {

class TraceBytes {
 public:
  TraceBytes& u8(std::uint64_t value) { return big(value, 1); }
  TraceBytes& u16(std::uint64_t value) { return big(value, 2); }
  TraceBytes& u32(std::uint64_t value) { return big(value, 4); }
  TraceBytes& u64(std::uint64_t value) { return big(value, 8); }
  TraceBytes& raw(std::string_view bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  TraceBytes& text(std::string_view text) { return u16(text.size()).raw(text); }
  TraceBytes& add(const TraceBytes& other) { return raw(as_text(other.bytes_)); }

  // A packet around what `body` holds.
  TraceBytes& packet(std::uint32_t magic, const TraceBytes& body) {
    return u32(magic).u32(8 + body.bytes_.size()).add(body);
  }
  TraceBytes& option(std::string_view name, std::string_view value) {
    return packet(0x75D1'1D4D, TraceBytes().text(name).raw(value));
  }
  TraceBytes& epoch(std::uint64_t nanoseconds) {
    return packet(0x75D1'1D4D, TraceBytes().text("epoch").u64(nanoseconds));
  }
  struct Head {
    std::uint64_t stream = 0;
    std::uint64_t counter = 0;
    std::uint64_t substream = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
  };
  TraceBytes& event(const Head& head, std::string_view description,
                    const TraceBytes& attributes = {}) {
    return packet(0xC1FC'1FB7, TraceBytes()
                                   .u32(head.stream)
                                   .u32(head.counter)
                                   .u64(head.substream)
                                   .u64(head.start)
                                   .u64(head.end)
                                   .text(description)
                                   .add(attributes));
  }
  // An attribute up to its value.
  TraceBytes& attribute(std::string_view name, int type) {
    return text(name).u8(static_cast<std::uint64_t>(type));
  }

  [[nodiscard]] ByteSpan bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::vector<std::uint8_t>& buffer() { return bytes_; }

 private:
  TraceBytes& big(std::uint64_t value, int size) {
    for (int i = size - 1; i >= 0; --i)
      bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    return *this;
  }

  std::vector<std::uint8_t> bytes_;
};

}  // namespace tracedeck::heph

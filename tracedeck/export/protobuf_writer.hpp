// The wire format of protobuf: fields of messages, one behind the other
// (https://protobuf.dev/programming-guides/encoding/).
//
// A nested message is written where it stays. One byte is kept free for its length; only what turns
// out longer than 127 bytes is moved, once, when it is closed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/base/growing_buffer.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/io/output.hpp"

namespace tracedeck::exporting {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2 };

// What a field begins with. `number`: 1 to 2^29 - 1.
[[nodiscard]] constexpr std::uint64_t protobuf_tag(std::uint32_t number, WireType type) {
  return std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type);
}

// Writes a field of type bool, enum, uint32 or uint64 to room of at least 2 * kMaxLeb128Size and
// returns its end.
[[nodiscard]] [[gnu::always_inline]] inline std::uint8_t* put_integer(std::uint8_t* at,
                                                                      std::uint32_t number,
                                                                      std::uint64_t value) {
  return encode_leb128(encode_leb128(at, protobuf_tag(number, WireType::kVarint)), value);
}

// Fields on their way to an output. Not thread-safe.
class ProtobufWriter {
 public:
  static constexpr std::size_t kChunk = std::size_t{128} << 10;  // bytes, before they are handed on

  // `output` must outlive the writer.
  explicit ProtobufWriter(io::Output& output) : output_(output) {}

  // Types bool, enum, uint32 and uint64.
  void integer(std::uint32_t number, std::uint64_t value) {
    commit(put_integer(reserve(2 * kMaxLeb128Size), number, value));
  }
  // Types int32 and int64: ten bytes where the value is negative.
  void signed_integer(std::uint32_t number, std::int64_t value) {
    integer(number, static_cast<std::uint64_t>(value));
  }
  // Type fixed64.
  void fixed(std::uint32_t number, std::uint64_t value) {
    std::uint8_t* const at = put_tag(reserve(kMaxLeb128Size + 8), number, WireType::kFixed64);
    store_le(at, value);
    commit(at + 8);
  }
  // Type double.
  void real(std::uint32_t number, double value) {
    fixed(number, std::bit_cast<std::uint64_t>(value));
  }
  // Types string and bytes; a string is to be UTF-8.
  void text(std::uint32_t number, std::string_view text) {
    std::uint8_t* at = reserve(2 * kMaxLeb128Size + text.size());
    at = encode_leb128(put_tag(at, number, WireType::kBytes), text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    commit(at + text.size());
  }

  // Begins a message, whose fields come next. Returns its place, for `close`; the innermost is
  // closed first.
  [[nodiscard]] std::size_t open(std::uint32_t number) {
    std::uint8_t* const at = put_tag(reserve(kMaxLeb128Size + 1), number, WireType::kBytes);
    commit(at + 1);
    return size();
  }
  void close(std::size_t message) {
    const std::size_t length = size() - message;
    if (length < 0x80) [[likely]] {
      begin_[message - 1] = static_cast<std::uint8_t>(length);
    } else {
      close_long(message, length);
    }
  }
  // A message without fields.
  void empty_message(std::uint32_t number) { text(number, {}); }

  // For what is written in one go: room for `count` bytes, to be filled from the front and
  // committed before the next call.
  [[nodiscard]] std::uint8_t* reserve(std::size_t count) {
    if (static_cast<std::size_t>(limit_ - end_) < count) [[unlikely]]
      make_room(count);
    return end_;
  }
  void commit(std::uint8_t* end) { end_ = end; }

  // Bytes written and not handed on.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }

  // Both are for when no message is open. Errors: those of the output; nothing is written after
  // one.
  [[nodiscard]] Result<void> drain();
  // Hands everything on where there is enough of it, and keeps an error for `drain`.
  void drain_if_full() {
    if (size() >= kChunk) [[unlikely]]
      hand_over();
  }
  [[nodiscard]] const Result<void>& status() const { return status_; }

 private:
  [[nodiscard]] static std::uint8_t* put_tag(std::uint8_t* at, std::uint32_t number,
                                             WireType type) {
    return encode_leb128(at, protobuf_tag(number, type));
  }
  void make_room(std::size_t count);
  void close_long(std::size_t message, std::size_t length);
  void hand_over();

  io::Output& output_;
  GrowingBuffer buffer_;
  std::uint8_t* begin_ = nullptr;
  std::uint8_t* end_ = nullptr;
  std::uint8_t* limit_ = nullptr;
  Result<void> status_ = {};
};

}  // namespace tracedeck::exporting

// The encoder: writes the packets of a Heph trace.
//
//   Encoder encoder;  // into memory
//   Result<void> written = encoder.set_epoch(epoch);
//   written = encoder.write({.stream = 1, .counter = 0, .start = 100, .end = 200}, "My event",
//                           {{"Test", 123U}, {"Test2", std::span<const double>(values)}});
//   Result<GrowingBuffer> bytes = encoder.finish();
//
// An encoder given a `Sink` hands its bytes over chunk by chunk instead of keeping them. This is
// the raw encoder: it takes streams, counters and times as they are given; see recorder.hpp for
// what keeps them.
//
// What is too long (a name, description, string or array of more than 65,535, a packet of more than
// 2^32-1 bytes) is an error, kInvalidArgument, and nothing is written. After an error of the sink,
// every further call returns that error. Text should be UTF-8; it is not checked.
//
// An event costs no allocation. Not for use by several threads at once; encoders share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/base/growing_buffer.hpp"
#include "tracedeck/heph/attribute.hpp"
#include "tracedeck/heph/packet.hpp"

namespace tracedeck::heph {

// Takes encoded bytes, which it may read only during the call. Chunks end at packet boundaries.
using Sink = std::function<Result<void>(ByteSpan)>;

class Encoder {
 public:
  // With a sink, about how many bytes are handed over at once. Larger packets go over whole.
  static constexpr std::size_t kChunkSize = std::size_t{128} << 10;

  Encoder() = default;
  explicit Encoder(Sink sink, std::size_t chunk_size = kChunkSize)
      : sink_(std::move(sink)), chunk_size_(chunk_size) {}

  // Metadata packets (section Options): any option, and the epoch, in nanoseconds since the Unix
  // epoch.
  Result<void> set_option(std::string_view name, ByteSpan value);
  Result<void> set_epoch(std::uint64_t nanoseconds);

  // An event packet (section Event Packet).
  Result<void> write(const EventHead& head, std::string_view description,
                     std::span<const Attribute> attributes);
  Result<void> write(const EventHead& head, std::string_view description,
                     std::initializer_list<Attribute> attributes = {}) {
    return write(head, description, std::span(attributes.begin(), attributes.size()));
  }

  // Packets that are made elsewhere: room for one of `size` bytes at most, null after an error of
  // the sink; and what was written there, up to `end`.
  [[nodiscard]] std::uint8_t* reserve(std::size_t size) { return room(size); }
  void commit(const std::uint8_t* end) { used_ = static_cast<std::size_t>(end - buffer_.data()); }

  // What is encoded and not handed over yet. Valid until the next call.
  [[nodiscard]] ByteSpan bytes() { return {buffer_.data(), used_}; }
  // Bytes encoded so far, handed over or not.
  [[nodiscard]] std::uint64_t size() const { return handed_over_ + used_; }

  // Hands over to the sink what there is.
  Result<void> flush();
  // Ends the trace: hands over the rest to the sink, or returns the bytes if there is none. The
  // encoder then begins a new trace.
  Result<GrowingBuffer> finish();

 private:
  // Room for a packet of `size` bytes, null after an error of the sink.
  [[nodiscard]] std::uint8_t* room(std::size_t size) {
    if (size <= ready_ - used_) [[likely]]
      return buffer_.data() + used_;
    return make_room(size);
  }
  std::uint8_t* make_room(std::size_t size);
  [[nodiscard]] std::unexpected<Error> sink_error() const { return std::unexpected(*error_); }

  Sink sink_;
  std::size_t chunk_size_ = kChunkSize;
  GrowingBuffer buffer_;
  std::size_t used_ = 0;
  std::size_t ready_ = 0;  // bytes of the buffer that may be filled before it is handed over
  std::uint64_t handed_over_ = 0;
  std::optional<Error> error_;
};

}  // namespace tracedeck::heph

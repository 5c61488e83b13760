#include "tracedeck/heph/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tracedeck::heph {
namespace {

std::uint8_t* put_prefix(std::uint8_t* to, std::uint32_t magic, std::size_t size) {
  store_be(to, magic);
  store_be(to + kSizeOffset, static_cast<std::uint32_t>(size));
  return to + kPrefixSize;
}

std::unexpected<Error> too_long(std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::unexpected<Error> packet_too_long() {
  return too_long("a packet would take more than 4,294,967,295 bytes");
}

// Finds out which part of an event is too long.
std::unexpected<Error> event_fault(std::string_view description,
                                   std::span<const Attribute> attributes) {
  if (description.size() > kMaxLength) {
    return too_long(
        fmt::format("a description of {} bytes is too long: at most 65,535 go into a "
                    "packet",
                    description.size()));
  }
  for (const Attribute& attribute : attributes) {
    if (attribute.name.size() > kMaxLength) {
      return too_long(
          fmt::format("the name of an attribute of `{}` takes {} bytes: at most 65,535 "
                      "go into a packet",
                      description, attribute.name.size()));
    }
    const std::string_view fault = attribute.value.fault();
    if (!fault.empty()) {
      return too_long(fmt::format("attribute `{}` of `{}` {}", attribute.name, description, fault));
    }
  }
  return packet_too_long();
}

}  // namespace

std::uint8_t* Encoder::make_room(std::size_t size) {
  if (error_) return nullptr;
  if (sink_ && used_ != 0 && used_ + size > chunk_size_ && !flush()) return nullptr;
  std::uint8_t* const bytes = buffer_.reserve(
      used_, sink_ ? std::max(size, chunk_size_ - std::min(used_, chunk_size_)) : size);
  // With a sink, what goes beyond a chunk leaves through here again.
  ready_ = sink_ ? std::max(used_ + size, std::min(chunk_size_, buffer_.capacity()))
                 : buffer_.capacity();
  return bytes + used_;
}

Result<void> Encoder::set_option(std::string_view name, ByteSpan value) {
  if (name.size() > kMaxLength) {
    return too_long(
        fmt::format("the name of an option takes {} bytes: at most 65,535 go into a "
                    "packet",
                    name.size()));
  }
  const std::size_t size = kLeastMetadataSize + name.size() + value.size();
  if (size > kMaxPacketSize) return packet_too_long();
  std::uint8_t* to = room(size);
  if (to == nullptr) return sink_error();
  to = detail::put_text(put_prefix(to, kMetadataMagic, size), name);
  if (!value.empty()) std::memcpy(to, value.data(), value.size());
  used_ += size;
  return {};
}

Result<void> Encoder::set_epoch(std::uint64_t nanoseconds) {
  std::uint8_t value[kEpochValueSize];
  store_be(value, nanoseconds);
  return set_option(kEpochName, value);
}

Result<void> Encoder::write(const EventHead& head, std::string_view description,
                            std::span<const Attribute> attributes) {
  bool fits = description.size() <= kMaxLength;
  std::size_t size = kLeastEventSize + description.size();
  for (const Attribute& attribute : attributes) {
    if (attribute.name.size() > kMaxLength) fits = false;
    if (attribute.value.may_be_faulty() && !attribute.value.fault().empty()) fits = false;
    size += kLengthSize + attribute.name.size() + 1 + attribute.value.wire_size();
  }
  if (!fits || size > kMaxPacketSize) [[unlikely]]
    return event_fault(description, attributes);
  std::uint8_t* to = room(size);
  if (to == nullptr) [[unlikely]]
    return sink_error();
  static_cast<void>(put_prefix(to, kEventMagic, size));
  store_be(to + kStreamOffset, head.stream);
  store_be(to + kCounterOffset, head.counter);
  store_be(to + kSubstreamOffset, head.substream);
  store_be(to + kStartOffset, head.start);
  store_be(to + kEndOffset, head.end);
  to = detail::put_text(to + kDescriptionOffset, description);
  for (const Attribute& attribute : attributes) {
    to = detail::put_text(to, attribute.name);
    *to++ = attribute.value.type();
    to = attribute.value.put(to);
  }
  used_ += size;
  return {};
}

Result<void> Encoder::flush() {
  if (error_) return sink_error();
  if (!sink_ || used_ == 0) return {};
  if (Result<void> taken = sink_(bytes()); !taken) {
    error_ = std::move(taken.error());
    // Whoever wants room next learns of it.
    ready_ = used_;
    return sink_error();
  }
  handed_over_ += used_;
  used_ = 0;
  return {};
}

Result<GrowingBuffer> Encoder::finish() {
  if (Result<void> flushed = flush(); !flushed) return std::unexpected(std::move(flushed.error()));
  GrowingBuffer bytes;
  if (!sink_) {
    buffer_.set_size(used_);
    bytes = std::exchange(buffer_, GrowingBuffer());
    ready_ = 0;
  }
  used_ = 0;
  handed_over_ = 0;
  return bytes;
}

}  // namespace tracedeck::heph

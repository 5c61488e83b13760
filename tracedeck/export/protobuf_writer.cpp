#include "tracedeck/export/protobuf_writer.hpp"

#include <array>

namespace tracedeck::exporting {

void ProtobufWriter::make_room(std::size_t count) {
  const std::size_t used = size();
  begin_ = buffer_.reserve(used, count < kChunk ? 2 * kChunk : count);
  end_ = begin_ + used;
  limit_ = begin_ + buffer_.capacity();
}

void ProtobufWriter::close_long(std::size_t message, std::size_t length) {
  const std::size_t more = leb128_size(length) - 1;
  commit(reserve(kMaxLeb128Size) + more);
  std::uint8_t* const at = begin_ + message - 1;
  std::memmove(at + 1 + more, at + 1, length);
  // Encoding in place could overwrite what comes behind.
  std::array<std::uint8_t, kMaxLeb128Size> bytes;
  std::memcpy(at, bytes.data(),
              static_cast<std::size_t>(encode_leb128(bytes.data(), length) - bytes.data()));
}

void ProtobufWriter::hand_over() {
  if (status_) status_ = output_.write(ByteSpan(begin_, size()));
  end_ = begin_;
}

Result<void> ProtobufWriter::drain() {
  if (size() != 0) hand_over();
  return status_;
}

}  // namespace tracedeck::exporting

#include "tracedeck/ctf/write/packet_writer.hpp"

#include <algorithm>

namespace tracedeck::ctf {

void PacketWriter::begin(std::uint64_t time) {
  bits_.rewind(0);
  bits_.put_zeros(layout_.size());
  facts_.begin = facts_.end = time;
  last_time_ = time;
  events_ = 0;
  open_ = true;
}

void PacketWriter::reach(std::uint64_t begin, std::uint64_t end) {
  // The reader's clock starts at the begin, so it may go back only while no event relies on it.
  if (events_ == 0) {
    facts_.begin = std::min(facts_.begin, begin);
    last_time_ = facts_.begin;
  }
  facts_.end = std::max(facts_.end, end);
}

void PacketWriter::begin_event(std::uint64_t id, std::uint64_t time) {
  position_before_ = bits_.position();
  bits_.align(8);
  event_begin_ = bits_.position();
  time_before_ = last_time_;
  bits_.reserve(kEventHeaderRoom + 4 + 3);
  std::uint8_t* const to = bits_.data() + event_begin_ / 8;
  const std::uint8_t* const end = put_event_header(layout_, to, id, last_time_, time);
  last_time_ = time;
  bits_.rewind(event_begin_ + 8 * static_cast<std::uint64_t>(end - to));
  lengths_begin_ = bits_.byte_size();
  if (layout_.header_lengths != 0) bits_.put_zeros(8 * layout_.header_lengths);
}

void PacketWriter::put_header_lengths(std::span<const std::uint64_t> lengths) {
  std::uint8_t* to = bits_.data() + lengths_begin_;
  for (const std::uint64_t length : lengths) {
    store_le(to, length);
    to += sizeof length;
  }
}

void PacketWriter::end_event() {
  ++events_;
  facts_.end = std::max(facts_.end, last_time_);
}

Result<void> PacketWriter::end(std::uint64_t sequence, std::uint64_t discarded) {
  facts_.content_bits = bits_.position();
  bits_.align(8);
  facts_.total_bits = bits_.position();
  facts_.sequence = sequence;
  facts_.discarded = discarded;
  layout_.write(bits_.data(), facts_);
  open_ = false;
  auto written = output_->write(bits_.bytes());
  constexpr std::size_t kMostKept = std::size_t{1} << 20;
  if (bits_.capacity() > kMostKept) bits_.release();
  bits_.rewind(0);
  return written;
}

}  // namespace tracedeck::ctf

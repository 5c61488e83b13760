#include "tracedeck/ctf/write/packet_writer.hpp"

#include <algorithm>

#include "tracedeck/ctf/write/target_classes.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::size_t kPortion = kMostAlignment / 8;

}  // namespace

bool PacketHeadBits::has(Role role) const {
  return std::ranges::any_of(roles, [&](const PlacedRole& place) { return place.has(role); });
}

void PacketWriter::begin(std::uint64_t time, std::uint64_t clock, const PacketHeadBits& head) {
  head_ = &head;
  has_size_ = head.has_size();
  bits_.rewind(0);
  bits_.put_bytes(head.bytes);
  bits_.rewind(head.size);
  facts_.begin = facts_.end = time;
  last_time_ = clock;
  for (const PlacedRole& place : head.roles) {
    if (place.has(Role::kPacketBegin)) last_time_ = low_bits_for(place, time);
  }
  events_ = 0;
  open_ = true;
}

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
  time_before_ = last_time_;
  bits_.reserve(kEventHeaderRoom + 4 + 3);
  const std::uint64_t begin = bits_.position() / 8;
  std::uint8_t* const to = bits_.data() + begin;
  const bool is_short = layout_.has_clock && has_short_header(id, last_time_, time);
  const std::uint8_t* const end = is_short ? put_event_header(to, id, last_time_, time)
                                           : put_event_header(layout_, to, id, last_time_, time);
  last_time_ = time;
  bits_.rewind(8 * (begin + static_cast<std::uint64_t>(end - to)));
}

void PacketWriter::begin_event() {
  position_before_ = bits_.position();
  time_before_ = last_time_;
}

bool PacketWriter::end_event_header(std::span<const PlacedRole> roles, std::uint64_t time) {
  last_time_ = clock_after(roles, last_time_);
  return last_time_ == time;
}

Result<void> PacketWriter::write_portion() {
  // In portions that all alignments divide.
  const std::size_t portion = bits_.position() / 8 / kPortion * kPortion;
  auto written = output_->write(bits_.bytes().first(portion));
  bits_.drop_front(portion);
  head_ = nullptr;
  return written;
}

bool PacketWriter::put_roles() {
  bool fits = true;
  for (const PlacedRole& place : head_->roles) {
    if (place.has(Role::kContentSize)) fits = fits && put_again(bits_, place, facts_.content_bits);
    if (place.has(Role::kTotalSize)) fits = fits && put_again(bits_, place, facts_.total_bits);
    if (place.has(Role::kPacketBegin)) put_low_bits_again(bits_, place, facts_.begin);
    if (place.has(Role::kPacketEnd)) put_low_bits_again(bits_, place, facts_.end);
    if (place.has(Role::kSequence)) put_low_bits_again(bits_, place, facts_.sequence);
    if (place.has(Role::kDiscarded)) put_low_bits_again(bits_, place, facts_.discarded);
  }
  return fits;
}

Result<void> PacketWriter::end(std::uint64_t sequence, std::uint64_t discarded,
                               std::uint64_t padding) {
  facts_.content_bits = bits_.position();
  bits_.align(8);
  bits_.put_zeros(padding);
  facts_.total_bits = bits_.position();
  facts_.sequence = sequence;
  facts_.discarded = discarded;
  open_ = false;
  if (head_ == nullptr) {
    if (has_size_) layout_.write(bits_.data(), facts_);
  } else if (!put_roles()) {
    return fail(ErrorCode::kInvalidArgument,
                "the size of a packet does not fit the field that the source has for it; a smaller "
                "--packet-size helps",
                output_->name());
  }
  auto written = output_->write(bits_.bytes());
  constexpr std::size_t kMostKept = std::size_t{1} << 20;
  if (bits_.capacity() > kMostKept) bits_.release();
  bits_.rewind(0);
  return written;
}

}  // namespace tracedeck::ctf

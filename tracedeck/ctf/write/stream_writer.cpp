#include "tracedeck/ctf/write/stream_writer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tracedeck::ctf {
namespace {

// More bytes behind the content of a packet are not written: a packet that was cut off may promise
// any number of them.
constexpr std::uint64_t kMostPadding = std::uint64_t{4} << 20;

// Bytes behind the content of a source's packet.
std::uint64_t padding_of(const Packet& packet) {
  if (!packet.total_size || !packet.content_size) return 0;
  const std::uint64_t content = *packet.content_size / 8 + (*packet.content_size % 8 != 0);
  const std::uint64_t padding = *packet.total_size - std::min(content, *packet.total_size);
  return padding <= kMostPadding ? padding : 0;
}

// Whether a loss that was given is the one that packets tell.
bool is_told(const Loss& given, const Loss& told) {
  return !given.taken_back && given.events == told.events && given.packets == told.packets &&
         given.begin_value == told.begin_value && given.end_value == told.end_value;
}

constexpr std::uint64_t kLastValue = std::numeric_limits<std::uint64_t>::max();

// The last value of a clock that babeltrace2 reads: 2^63-2 ns after the clock's origin.
std::uint64_t last_readable(const ClockClass& clock) {
  const auto is_readable = [&](std::uint64_t value) {
    return clock.to_nanoseconds(value) < Nanoseconds(std::numeric_limits<std::int64_t>::max());
  };
  std::uint64_t readable = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    if (is_readable(readable | bit)) readable |= bit;
  }
  return readable;
}

}  // namespace

std::unexpected<Error> unencodable(const TraceInProgress& trace, EncodeStatus status,
                                   const std::string& where) {
  auto failed = fail(ErrorCode::kInvalidArgument, std::string(encode_fault(status)), trace.name);
  failed.error().path = where;
  return failed;
}

bool TakesMore::operator()(const StreamWriter* a, const StreamWriter* b) const {
  return std::pair(b->buffered(), a->number()) < std::pair(a->buffered(), b->number());
}

StreamWriter::StreamWriter(TraceInProgress& trace, TargetStreamClass& stream_class,
                           std::unique_ptr<io::Output> output, std::uint64_t stream_id)
    : trace_(trace),
      stream_class_(stream_class),
      packets_(std::move(output), stream_class.layout, *stream_class.target.id, stream_id),
      number_(trace.opened++) {
  if (stream_class.packet_mapper != nullptr)
    packet_values_.resize(stream_class.packet_mapper->program().nodes.size());
  const ClockClass* const clock = stream_class.target.default_clock;
  const bool is_limited = trace.dialect == Dialect::kCtf1 &&
                          !trace.classes.is_of_dialect(Dialect::kCtf1) && clock != nullptr;
  last_readable_ = is_limited ? last_readable(*clock) : kLastValue;
}

std::uint64_t StreamWriter::time_of(const Event& event) {
  if (!stream_class_.layout.has_clock) return 0;
  if (!event.has_time()) {
    trace_.adaptations.add(Adaptation::kUntimed);
    return last_time_;
  }
  if (event.time < last_time_) trace_.adaptations.add(Adaptation::kBackwards);
  if (event.time > last_readable_) trace_.adaptations.add(Adaptation::kLateEvent);
  return event.time;
}

Result<void> StreamWriter::begin_packet(const Packet& packet) {
  if (packets_.is_open()) {
    if (auto closed = close_packet(true); !closed) return closed;
  }
  source_ = &packet;
  if (packet.sequence || packet.discarded) lost_.reset();
  auto encoded = keeps_heads() ? encode_head(packet) : encode_context(packet);
  const bool leads = encoded && needs_lead(packet);
  if (leads) {
    if (auto led = put_lead(packet); !led) return led;
  }
  source_begin_ = timed(packet.begin);
  source_end_ = timed(packet.end);
  take_counters(packet, leads);
  source_padding_ = padding_of(packet);
  return encoded;
}

// Readers see losses between packets: in a part of a trace, the one before may be left out.
bool StreamWriter::needs_lead(const Packet& packet) const {
  if (!trace_.part_of_source || has_packet_ || !before_) return false;
  if (keeps_heads() && !head_.has_size()) return false;
  const bool has_packets =
      before_->packets != 0 && packet.sequence && before_->next == packet.begin;
  const bool has_events = before_->events != 0 && packet.discarded && before_->end == packet.end &&
                          before_->begin != packet.begin;
  return has_packets || has_events;
}

Result<void> StreamWriter::put_lead(const Packet& packet) {
  source_begin_ = source_end_ = timed(before_->begin ? before_->begin : packet.begin);
  if (packet.sequence) source_sequence_ = 0;
  if (packet.discarded) source_discarded_ = 0;
  source_padding_ = 0;
  if (auto opened = open_packet(source_begin_.value_or(0)); !opened) return opened;
  return close_packet(true);
}

// The counters of a packet, less what the packets that were left out before the first one counted.
void StreamWriter::take_counters(const Packet& packet, bool leads) {
  source_sequence_ = packet.sequence;
  source_discarded_ = packet.discarded;
  const LostBefore before = std::exchange(before_, std::nullopt).value_or(LostBefore{});
  if (!trace_.part_of_source) return;
  // Readers take losses of the first packet for unknown where it is not the first by its number.
  if (packet.sequence) {
    if (!sequence_base_)
      sequence_base_ = *packet.sequence - (leads ? before.packets + 1 : before.is_unknown ? 1 : 0);
    source_sequence_ = *packet.sequence - *sequence_base_;
  }
  if (packet.discarded) {
    const std::uint64_t lost = before.is_unknown ? 1 : before.events;
    const std::uint64_t counted = before.end == packet.end ? lost : 0;
    if (!discarded_base_)
      discarded_base_ = *packet.discarded - std::min(counted, *packet.discarded);
    source_discarded_ = *packet.discarded - *discarded_base_;
  }
}

Result<void> StreamWriter::encode_context(const Packet& packet) {
  const TargetStreamClass& target = stream_class_;
  if (!target.packet_node) return {};
  trace_.scratch.clear();
  const Slot* slot = packet.context.data();
  const Slot* const end = slot + packet.context.size();
  for (std::size_t i = 0; i < target.packet_members.size() && slot < end; ++i) {
    const Slot* const next = slot->next();
    if (target.packet_members[i]) trace_.scratch.insert(trace_.scratch.end(), slot, next);
    slot = next;
  }
  BitWriter bits;
  bits.put_zeros(target.layout.size());
  const EncodeStatus status =
      trace_.encoder.encode(target.packet_mapper->program(), *target.packet_node, trace_.scratch,
                            bits, packet_values_, {});
  if (status != EncodeStatus::kOk) return unencodable(trace_, status, "the packet context");
  const ByteSpan bytes = bits.bytes().subspan(target.layout.size());
  head_.bytes.assign(bytes.begin(), bytes.end());
  head_.size = bits.position();
  return {};
}

Result<void> StreamWriter::encode_head(const Packet& packet) {
  const TargetStreamClass& target = stream_class_;
  Encoder& encoder = trace_.encoder;
  head_.roles.clear();
  BitWriter bits;
  EncodeStatus status = EncodeStatus::kOk;
  encoder.note_roles(&head_.roles);
  // In another dialect packets may come out longer.
  const bool same = trace_.classes.is_of_dialect(trace_.dialect);
  encoder.pad_leb128(same ? 0 : role_bit(Role::kTotalSize) | role_bit(Role::kContentSize));
  std::vector<Slot>& header = trace_.scratch;
  header.assign(packet.header.begin(), packet.header.end());
  trace_.classes.put_uuid(header);
  for (const auto& [node, slots] :
       {std::pair<std::optional<std::uint32_t>, const std::vector<Slot>*>{target.header_node,
                                                                          &header},
        {target.packet_node, &packet.context}}) {
    if (node && status == EncodeStatus::kOk)
      status =
          encoder.encode(target.packet_mapper->program(), *node, *slots, bits, packet_values_, {});
  }
  encoder.note_roles(nullptr);
  encoder.pad_leb128(0);
  if (status != EncodeStatus::kOk)
    return unencodable(trace_, status, "the packet header and context");
  // Of several fields that say the class, the last one counts.
  const auto said = std::find_if(head_.roles.rbegin(), head_.roles.rend(),
                                 [](const auto& place) { return place.has(Role::kStreamClassId); });
  if (said != head_.roles.rend() && said->value != *target.target.id &&
      !put_again(bits, *said, *target.target.id))
    return unencodable(trace_, EncodeStatus::kTooLarge, "the packet header");
  head_.bytes.assign(bits.bytes().begin(), bits.bytes().end());
  head_.size = bits.position();
  return {};
}

bool StreamWriter::can_split_at(std::uint64_t position) const {
  if (!packets_.is_open()) return false;
  return !keeps_heads() || (head_.has_size() && (head_.tells_padding() || position % 8 == 0));
}

// Whether readers compare times with where the packet begins.
bool StreamWriter::begin_counts() const {
  return trace_.dialect != Dialect::kCtf1 && stream_class_.layout.has_clock &&
         (!keeps_heads() || head_.has(Role::kPacketBegin));
}

std::uint64_t StreamWriter::next_begin() const {
  if (lost_ && lost_->next) return *lost_->next;
  if (lost_ && lost_->end) return *lost_->end;
  return has_packet_ ? std::max(last_time_, packets_.end_time()) : last_time_;
}

Result<void> StreamWriter::open_packet(std::uint64_t time) {
  if (keeps_heads()) {
    if (ended_) {
      return fail(ErrorCode::kUnsupported,
                  "another packet in a data stream whose packets do not say how long they are",
                  trace_.name);
    }
    const std::uint64_t begin = source_begin_.value_or(time);
    source_begin_.reset();
    // CTF 1.8: the clock goes on from packet to packet.
    packets_.begin(begin, trace_.dialect == Dialect::kCtf1 ? clock_ : 0, head_);
    return {};
  }
  std::uint64_t begin = std::min(source_begin_.value_or(time), time);
  source_begin_.reset();
  if (lost_ && lost_->next) begin = std::min(begin, *lost_->next);
  if (lost_ && lost_->begin && !has_packet_) begin = std::min(begin, *lost_->begin);
  packets_.begin(begin);
  if (!head_.bytes.empty()) {
    BitWriter& bits = packets_.bits();
    bits.put_bytes(head_.bytes);
    bits.rewind(head_.size);
  } else if (stream_class_.packet_node && source_ == nullptr) {
    return fail(ErrorCode::kInvalidArgument,
                "an event without a packet, in a data stream whose packets have a context");
  }
  return {};
}

Result<void> StreamWriter::begin_another(std::uint64_t time) {
  if (packets_.has_events()) {
    if (auto closed = close_packet(false); !closed) return closed;
  }
  return open_packet(time);
}

Result<void> StreamWriter::close_packet(bool whole) {
  std::uint64_t sequence = sequence_;
  if (source_sequence_) sequence = *source_sequence_ + parts_;
  sequence_ = sequence + 1;
  if (!whole) ++parts_;
  if (whole && source_discarded_) discarded_ = *source_discarded_;
  ended_ = keeps_heads() && !head_.has_size();
  if (keeps_heads() && !head_.tells_padding() && packets_.bits().position() % 8 != 0) {
    return fail(ErrorCode::kUnsupported,
                "a packet that does not say where in its last byte it ends would end inside of it",
                trace_.name);
  }
  if (whole && source_end_ > last_readable_) {
    if (source_end_ != packets_.end_time()) trace_.adaptations.add(Adaptation::kLateEnd);
  } else if (whole && source_end_) {
    if (keeps_heads()) {
      // CTF 2: nor later.
      const bool later = trace_.dialect != Dialect::kCtf1 && packets_.end_time() > *source_end_;
      if (!later) packets_.end_at(*source_end_);
    } else {
      packets_.reach(*source_end_, *source_end_);
    }
  }
  if (whole && lost_) {
    if (lost_->end && stream_class_.layout.has_clock) packets_.reach(*lost_->end, *lost_->end);
    lost_.reset();
  }
  if (checks_losses()) check_losses(sequence);
  has_packet_ = true;
  written_discarded_ = discarded_;
  clock_ = head_.has(Role::kPacketEnd) ? packets_.end_time() : packets_.clock();
  auto ended = packets_.end(sequence, discarded_, whole && keeps_heads() ? source_padding_ : 0);
  count_memory();
  return ended;
}

Result<void> StreamWriter::end_packet(const Packet& packet) {
  if (source_ != &packet) return {};
  if (!packets_.is_open()) {
    if (auto opened = open_packet(source_begin_.value_or(next_begin())); !opened) return opened;
  }
  auto closed = close_packet(true);
  source_ = nullptr;
  source_end_.reset();
  source_sequence_.reset();
  source_discarded_.reset();
  return closed;
}

Result<void> StreamWriter::lose(const Loss& loss) {
  if (checks_losses()) {
    given_.push_back(loss);
    compare_losses();
  }
  // Packets with counters of their own report it themselves.
  const bool is_ours = !keeps_heads() && !source_sequence_ && !source_discarded_;
  if (is_ours && !loss.taken_back) {
    const auto begin = timed(loss.begin_value);
    const auto end = timed(loss.end_value);
    const LostInterval lost =
        loss.packets ? LostInterval{.packets = true, .begin = begin, .next = end, .end = end}
                     : LostInterval{.begin = begin, .end = end};
    if (auto begun = begin_lost(lost); !begun) return begun;
    // The count of a first packet is unknown to readers when packets came before it.
    if (!loss.events && !loss.packets && !has_packet_) {
      sequence_ = std::max<std::uint64_t>(sequence_, 1);
      ++discarded_;
    }
  }
  if (!before_) before_ = {.begin = loss.begin_value};
  if (loss.packets) {
    sequence_ += *loss.packets;
    before_->packets = *loss.packets;
    before_->next = loss.end_value;
  } else {
    before_->events = loss.events.value_or(0);
    before_->is_unknown = !loss.events;
    before_->end = loss.end_value;
  }
  if (loss.events) {
    if (auto counted = count_lost(*loss.events, loss.taken_back); !counted) return counted;
  }
  if (source_ == nullptr && packets_.is_open()) return close_packet(true);
  return {};
}

// Readers take lost packets to be between the packets around, and lost events from the end of the
// packet before to the end of the next one.
Result<void> StreamWriter::begin_lost(const LostInterval& lost) {
  if (lost_) {
    // One packet tells both.
    if (lost_->packets && !lost.packets && lost_->begin == lost.begin && lost_->next && lost.end &&
        *lost_->next <= *lost.end) {
      lost_->packets = false;
      lost_->end = lost.end;
      return {};
    }
    if (auto ended = end_lost(); !ended) return ended;
  }
  const bool is_later = lost.begin && *lost.begin > packets_.end_time();
  if (!packets_.is_open() && has_packet_ && is_later && has_head()) {
    if (auto opened = open_packet(packets_.end_time()); !opened) return opened;
  }
  if (packets_.is_open()) {
    if (is_later) packets_.reach(*lost.begin, *lost.begin);
    if (auto closed = close_packet(true); !closed) return closed;
  }
  lost_ = lost;
  return {};
}

// What is lowered tells its losses by events, too; and the packets of a source tell its own.
bool StreamWriter::checks_losses() const { return !keeps_heads() && stream_class_.from_ctf; }

void StreamWriter::check_losses(std::uint64_t sequence) {
  Packet packet{.sequence = sequence, .discarded = discarded_};
  if (stream_class_.layout.has_clock) {
    packet.begin = packets_.begin_time();
    packet.end = packets_.end_time();
  }
  const PacketLosses told = tracker_.take(packet, nullptr);
  for (const std::optional<Loss>* const each : {&told.packets, &told.events}) {
    if (!*each) continue;
    told_.push_back(**each);
  }
  compare_losses();
}

// A reader may tell a loss before or behind the packet that it is of, and one that has no partner
// leaves the others theirs.
void StreamWriter::compare_losses() {
  constexpr std::size_t kMostApart = 16;
  for (auto given = given_.begin(); given != given_.end();) {
    const auto told =
        std::ranges::find_if(told_, [&](const Loss& each) { return is_told(*given, each); });
    if (told == told_.end()) {
      ++given;
      continue;
    }
    told_.erase(told);
    given = given_.erase(given);
  }
  while (given_.size() + told_.size() > kMostApart) {
    ++trace_.other_losses;
    if (!given_.empty()) given_.erase(given_.begin());
    if (!told_.empty()) told_.erase(told_.begin());
  }
}

Result<void> StreamWriter::end_lost() {
  if (!packets_.is_open()) {
    if (!has_head()) {
      lost_.reset();
      return {};
    }
    if (auto opened = open_packet(next_begin()); !opened) return opened;
  }
  return close_packet(true);
}

Result<void> StreamWriter::count_lost(std::uint64_t events, bool taken_back) {
  if (taken_back) {
    const bool waits = discarded_ - written_discarded_ >= events;
    if (waits) discarded_ -= events;
    if (!waits) trace_.adaptations.add(Adaptation::kTakenBack);
    return {};
  }
  // What the first packet counts was lost before it, for all that readers know.
  if (source_ == nullptr && !has_packet_ && packets_.has_events()) {
    if (auto closed = close_packet(true); !closed) return closed;
  }
  discarded_ += events;
  return {};
}

bool StreamWriter::has_trailer() const {
  const bool is_told = before_ && (before_->packets != 0 || before_->events != 0);
  return is_told && trace_.part_of_source && keeps_heads() && has_packet_ && source_ == nullptr &&
         head_.has_size();
}

Result<void> StreamWriter::finish() {
  // A data stream without a packet would be none.
  const bool is_empty = !has_packet_ && !keeps_heads() && !packets_.is_open();
  if (is_empty && !has_head()) ++trace_.without_packet[*stream_class_.target.id];
  const bool trails = has_trailer();
  if (trails) {
    source_begin_ = timed(before_->next ? before_->next : before_->begin);
    source_end_ = timed(before_->end ? before_->end : before_->next);
  }
  const bool has_more =
      ((is_empty || lost_) && has_head()) || discarded_ != written_discarded_ || trails;
  if (!packets_.is_open() && has_more) {
    if (auto opened = open_packet(next_begin()); !opened) return opened;
  }
  if (packets_.is_open()) {
    if (auto closed = close_packet(true); !closed) return closed;
  }
  trace_.other_losses += std::max(given_.size(), told_.size());
  given_.clear();
  told_.clear();
  return packets_.finish();
}

void StreamWriter::count_memory() {
  const std::size_t capacity = packets_.bits().capacity();
  trace_.by_memory.erase(this);
  trace_.buffered += capacity - buffered_;
  buffered_ = capacity;
  if (capacity != 0) trace_.by_memory.insert(this);
}

void StreamWriter::forget_memory() {
  trace_.by_memory.erase(this);
  trace_.buffered -= buffered_;
  buffered_ = 0;
}

}  // namespace tracedeck::ctf

#include "tracedeck/ctf/stream_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/format/input_rule.hpp"

namespace tracedeck::ctf {
namespace {

std::string missing_class(const TraceSchema& schema, const PacketHead& head) {
  if (schema.dialect == Dialect::kCtf1 && !head.roles.stream_class_id &&
      schema.streams.size() > 1) {
    return fmt::format(
        "the packet header has no `stream_id`, so which of {} data stream classes "
        "this is cannot be determined",
        schema.streams.size());
  }
  return fmt::format("there is no data stream class with the id {}", head.class_id());
}

DecodeFault wrong_magic() {
  return {StreamRule::kMagic, 0, "the packet does not begin with the magic number C1FC1FC1"};
}

}  // namespace

StreamFile::StreamFile(Trace& trace, std::string path, const StreamFileOptions& options)
    : trace_(trace),
      path_(std::move(path)),
      options_(options),
      schema_(trace),
      decoder_(options.read.values, options.read.headers,
               looks_for_oddities(options.read, *trace.metadata().schema())),
      heads_(decoder_.state()) {
  decoder_.state().check_text = options.read.values && options.read.findings;
  if (options_.batches == nullptr)
    options_.batches = std::make_shared<BatchPool>(Batch::kSlots, Batch::kRecords);
}

StreamFile::StreamFile(Trace& trace, std::unique_ptr<io::Input> input,
                       const StreamFileOptions& options)
    : StreamFile(trace, input->name(), options) {
  cursor_.open(std::move(input), options_.window_size, options_.read.max_state);
  search_.emplace(*trace.description());
}

StreamFile::~StreamFile() = default;

bool StreamFile::looks_for_oddities(const ReadOptions& read, const TraceSchema& schema) {
  // In CTF 2 some of them are problems, which are reported to everybody.
  return read.findings || schema.dialect != Dialect::kCtf1;
}

DecodeFault StreamFile::unknown_class(std::uint64_t id, std::uint64_t stream_class,
                                      std::uint64_t position) const {
  return lacks_class(
      StreamRule::kEventClass, position,
      fmt::format("there is no event record class with the id {} in data stream class {}", id,
                  stream_class));
}

DecodeFault StreamFile::lacks_class(StreamRule rule, std::uint64_t position,
                                    std::string text) const {
  if (const auto cut_at = trace_.metadata_cut_at()) {
    return {StreamRule::kClassCut, position,
            fmt::format("{}: the metadata are cut at byte {}", text, *cut_at)};
  }
  return {rule, position, std::move(text) + "; the metadata may be of another build"};
}

Result<BatchPtr> StreamFile::next() {
  if (phase_ == Phase::kUnopened) open();
  for (;;) {
    if (!ready_.empty()) {
      auto batch = std::move(ready_.front());
      ready_.pop_front();
      return hand_on(std::move(batch));
    }
    while (phase_ != Phase::kEnded && !waiting_ && ahead_.size() < options_.packets_ahead &&
           (batch_ == nullptr || batch_->empty()))
      fill();
    if (!ahead_.empty()) {
      Ahead front = std::move(ahead_.front());
      ahead_.pop_front();
      settle(std::move(front));
      if (ahead_.empty()) waiting_ = false;
      continue;
    }
    if (phase_ != Phase::kEnded && (batch_ == nullptr || batch_->empty())) fill();
    if (batch_ != nullptr && !batch_->empty()) return hand_on(std::exchange(batch_, nullptr));
    if (phase_ == Phase::kEnded && ahead_.empty() && ready_.empty()) return nullptr;
  }
}

void StreamFile::fill() {
  if (batch_ == nullptr) batch_ = options_.batches->take();
  pinned_ = nullptr;
  hand_on_ = false;
  while (phase_ != Phase::kEnded && !hand_on_ && !waiting_ && !batch_->full()) {
    switch (phase_) {
      case Phase::kHead:
        decode_head();
        break;
      case Phase::kEventsAhead:
        go_ahead();
        return;
      case Phase::kLeaving:
        leave_packet();
        break;
      case Phase::kDamage:
        leave_damage();
        break;
      default:
        decode_events();
    }
  }
}

bool StreamFile::shows_first() {
  hand_on_ = cursor_.live() && !batch_->empty();
  return hand_on_;
}

Result<BatchPtr> StreamFile::hand_on(std::shared_ptr<Batch> batch) {
  batch->pin(std::shared_ptr<const TraceDescription>(trace_.description()));
  return BatchPtr(std::move(batch));
}

void StreamFile::open() {
  schema_.update();
  phase_ = Phase::kHead;
  const ReadOptions& read = options_.read;
  if (read.begin || read.end || read.packets_only || options_.heads_only) cursor_.expect_skips();
  if (search_) return;
  const auto opened =
      cursor_.open(path_, options_.window_size, options_.read.max_state, trace_.stop());
  if (opened) return;
  batch_ = std::make_shared<Batch>(std::size_t{0});
  batch_->add_notice(RecordKind::kProblem, input_notice(path_, 0, opened.error()));
  phase_ = Phase::kEnded;
}

// Decodes as much of the packet's head as can be. Returns whether something new is known.
bool StreamFile::try_head() {
  const auto limit = options_.read.max_state;
  DecodeState& state = decoder_.state();
  state.bad_text = false;
  const auto fetch_more = [&](RunStatus status) {
    return status == RunStatus::kNeedBytes && !cursor_.at_end() && !shows_first() &&
           cursor_.fetch_head((state.needed + 7) / 8);
  };
  RunStatus status = RunStatus::kDone;
  do {
    status = heads_.header(*schema_, cursor_.bytes(), limit, head_);
  } while (fetch_more(status));
  if (status != RunStatus::kDone) return false;
  if (head_.stream == nullptr) {
    if (schema_.reload(*batch_)) return try_head();
    state.fault = lacks_class(StreamRule::kStreamClass, head_.bits, missing_class(*schema_, head_));
    return false;
  }
  const DataStreamClass& stream_class = *head_.stream->stream_class;
  const StreamId id = {head_.roles.stream_id, head_.roles.stream_id_digits};
  if (!trace_.has_room(stream_class, id, path_)) {
    state.fault = {
        StreamRule::kLimitState, head_.bits,
        fmt::format("packets of more than {} data streams are not read", Trace::kMostGivenStreams)};
    return false;
  }
  StreamState* const before = std::exchange(state_, &trace_.stream(stream_class, id, path_));
  has_several_streams_ = has_several_streams_ || (before != nullptr && before != state_);
  const bool carries = schema_->dialect == Dialect::kCtf1;
  const PacketHead header = head_;
  do {
    head_ = header;
    head_.packet = std::make_shared<OwnedPacket>();
    head_.packet->header = header.packet->header;
    status = heads_.context(cursor_.bytes(), limit, carries ? state_->progress.clock : 0, head_);
  } while (fetch_more(status) &&
           (status = heads_.header(*schema_, cursor_.bytes(), limit, head_)) == RunStatus::kDone);
  return status == RunStatus::kDone;
}

// babeltrace2 reads packets of CTF 1.8 whatever their UUID.
bool StreamFile::reads_other_uuids() const { return schema_->dialect == Dialect::kCtf1; }

// Returns whether a packet may begin here; else sees to what is to be done instead.
bool StreamFile::may_begin() {
  const std::uint64_t telling = search_ ? search_->telling_size() : 1;
  if (cursor_.end() - cursor_.offset() < telling) {
    if (shows_first()) return false;
    if (!cursor_.fetch_head(telling) && cursor_.end() == cursor_.offset()) {
      end();
      return false;
    }
  }
  if (!search_ || !search_->is_no_packet(cursor_.bytes())) return true;
  head_ = {};
  decoder_.state().empty_elements = 0;
  abandon(wrong_magic(), 0);
  return false;
}

void StreamFile::decode_head() {
  if (!may_begin()) return;
  decoder_.state().empty_allowed = empty_left_;
  if (!try_head()) {
    if (hand_on_) return;
    if (decoder_.state().fault.rule == StreamRule::kLimitElements && !ahead_.empty()) {
      waiting_ = true;
      return;
    }
    abandon(decoder_.state().fault, 0);
    return;
  }
  // Without a begin time of its own, the packet goes on from where the clock stands when all before
  // it is decoded; and so does the count of elements that take no bits.
  const bool has_empty = decoder_.state().empty_excess != 0;
  const bool needs_clock = schema_->dialect == Dialect::kCtf1 && !head_.roles.begin &&
                           head_.stream->stream_class->default_clock != nullptr;
  if ((needs_clock || has_empty) && !ahead_.empty()) {
    waiting_ = true;
    return;
  }
  heads_.own(cursor_.bytes(), head_);
  if (const auto fault = check_sizes(head_)) {
    abandon(*fault, 0);
    return;
  }
  if (head_.roles.wrong_magic) return abandon(wrong_magic(), 0);
  if (head_.roles.wrong_uuid && !reads_other_uuids())
    return abandon({StreamRule::kUuid, 0, "the packet's UUID is not that of the metadata"}, 0);
  begin_packet();
}

// Whether the packet can hold something of the interval that was asked for.
bool StreamFile::wanted() const {
  if (options_.heads_only) return false;
  const ClockClass* const clock = head_.stream->stream_class->default_clock;
  if (clock == nullptr) return true;
  const Packet& packet = *head_.packet;
  const ReadOptions& read = options_.read;
  if (read.begin && packet.end && packet.begin && *packet.end >= *packet.begin &&
      clock->to_nanoseconds(*packet.end) < *read.begin)
    return false;
  return !(read.end && packet.begin && clock->to_nanoseconds(*packet.begin) > *read.end);
}

void StreamFile::begin_packet() {
  if (damage_) report_damage(cursor_.offset(), true);
  OwnedPacket& packet = *head_.packet;
  packet.stream = state_->stream.get();
  packet.stream_owner = state_->stream;
  packet.description = trace_.description();
  packet.offset = cursor_.offset();
  if (options_.pass_over && options_.pass_over(path_, packet)) {
    spend_empty(decoder_.state().empty_elements, head_.bits);
    return leave_packet();
  }
  correct_times(packet);
  if (!state_->begun && !options_.heads_only) {
    state_->begun = true;
    batch_->add_stream(RecordKind::kStreamBegin, state_->stream);
  }
  report_losses();
  state_->progress.clock = head_.clock;
  packet_ = head_.packet;
  const bool is_wanted = wanted();
  if (is_wanted || (options_.read.passed_packets && !options_.heads_only))
    batch_->add_packet(RecordKind::kPacketBegin, packet_);
  if (!is_wanted || options_.read.packets_only) {
    packet_ = nullptr;
    spend_empty(decoder_.state().empty_elements, head_.bits);
    return leave_packet();
  }
  if (packet.begin && packet.end && *packet.begin > *packet.end) {
    const std::uint64_t context = head_.header_bits / 8;
    report_odd(StreamRule::kPacketTimes, cursor_.offset() + context, (head_.bits + 7) / 8 - context,
               fmt::format("the packet begins at clock value {} and ends at {}", *packet.begin,
                           *packet.end));
  }
  if (head_.roles.wrong_uuid) {
    report_odd(StreamRule::kUuid, cursor_.offset(), (head_.header_bits + 7) / 8,
               "the packet's UUID is not that of the metadata");
  }
  if (std::exchange(decoder_.state().bad_text, false)) {
    report_odd(StreamRule::kUtf8, cursor_.offset(), (head_.bits + 7) / 8,
               "a string of the packet's header or context is not valid UTF-8");
  }
  if (can_go_ahead()) {
    phase_ = Phase::kEventsAhead;
    return;
  }
  phase_ = Phase::kEvents;
  begun_ = false;
  waiting_ = !ahead_.empty();
}

void StreamFile::correct_times(OwnedPacket& packet) {
  const ClockClass* const clock = head_.stream->stream_class->default_clock;
  head_.clock_correction = clock == nullptr ? 0 : trace_.clock_correction(path_, clock->id);
  if (packet.begin) *packet.begin += head_.clock_correction;
  if (packet.end) *packet.end += head_.clock_correction;
}

void StreamFile::report_losses() {
  const ClockClass* const clock = head_.stream->stream_class->default_clock;
  const PacketLosses found = state_->progress.losses.take(*head_.packet, clock);
  if (found.packets) batch_->add_loss(*found.packets);
  if (found.events) batch_->add_loss(*found.events);
  if (!options_.read.findings) return;
  const std::uint64_t length = (head_.bits + 7) / 8;
  if (found.begins_at) {
    report(RecordKind::kFinding, StreamRule::kFirstPacket, cursor_.offset(), length,
           fmt::format("the data stream begins at packet {}", *found.begins_at));
  }
  if (!found.counter_back.empty())
    report(RecordKind::kFinding, StreamRule::kDiscardedBack, cursor_.offset(), length,
           found.counter_back);
}

void StreamFile::decode_events() {
  if (!begun_) {
    begun_ = true;
    decoder_.begin(*head_.stream, head_, *packet_, cursor_.offset(), state_->progress.event_time);
  }
  if (pinned_ != cursor_.window().get()) {
    batch_->pin(std::shared_ptr<const io::Window>(cursor_.window()));
    pinned_ = cursor_.window().get();
  }
  const std::uint64_t first = decoder_.position() / 8;
  const EventDecoder::Stop stop =
      decoder_.run(*batch_, cursor_.bytes(first), first, cursor_.at_end());
  switch (stop) {
    case EventDecoder::Stop::kPacketEnd:
      spend_empty(decoder_.state().empty_elements, decoder_.position());
      report_oddities(decoder_.take_oddities(), cursor_.offset());
      end_packet();
      leave_packet();
      return;
    case EventDecoder::Stop::kBatchFull:
      return;
    case EventDecoder::Stop::kNeedBytes: {
      if (shows_first()) return;
      const std::uint64_t begin = decoder_.position() / 8;
      const std::uint64_t need = (decoder_.needed() + 7) / 8 - begin;
      if (!cursor_.fetch(begin, need) && !cursor_.at_end()) {
        abandon({StreamRule::kLimitState, decoder_.position(),
                 fmt::format("an event record of {} bytes or more does not fit into --max-state",
                             need)},
                decoder_.position());
      }
      return;
    }
    case EventDecoder::Stop::kNeedSlots:
      grow_tape(decoder_.needed());
      return;
    case EventDecoder::Stop::kUnknownClass:
      if (schema_.reload(*batch_)) {
        auto stream = decode_again(*schema_, *head_.packet, options_.read.max_state,
                                   decoder_.state().registers);
        if (stream != nullptr) {
          head_.stream = std::move(stream);
          decoder_.take_over(*head_.stream);
          return;
        }
      }
      abandon(unknown_class(decoder_.unknown_class(), head_.class_id(), decoder_.position()),
              decoder_.position());
      return;
    case EventDecoder::Stop::kFault:
      abandon(decoder_.fault(), decoder_.position());
      return;
  }
}

// What the elements of a packet that take no bits come to beyond 64 for each of its bytes, other
// packets have not.
void StreamFile::spend_empty(std::uint64_t elements, std::uint64_t bits) {
  empty_left_ -= std::min(empty_left_, beyond_bytes(elements, bits));
}

void StreamFile::grow_tape(std::uint64_t slots) {
  if (!batch_->tape_unused()) {
    hand_on_ = true;
    return;
  }
  const std::uint64_t wanted = std::max<std::uint64_t>(slots, 2 * batch_->tape_capacity());
  if (slots > options_.read.max_state / sizeof(Slot)) {
    abandon({StreamRule::kLimitState, decoder_.position(),
             fmt::format("an event record of {} values does not fit into --max-state", slots)},
            decoder_.position());
    return;
  }
  batch_->grow_tape(wanted);
}

void StreamFile::report_oddities(std::vector<Oddity> oddities, std::uint64_t offset) {
  for (Oddity& oddity : oddities)
    report_odd(oddity.rule, offset + oddity.position / 8, 0, std::move(oddity.text));
}

void StreamFile::report_odd(StreamRule rule, std::uint64_t offset, std::uint64_t length,
                            std::string text) {
  const bool is_error = stream_rule(rule, schema_->dialect).severity == Severity::kError;
  if (is_error && rule != StreamRule::kEventTime) {
    report(RecordKind::kProblem, rule, offset, length, text + "; it is read all the same");
  } else if (options_.read.findings) {
    report(RecordKind::kFinding, rule, offset, length, std::move(text));
  }
}

void StreamFile::report(RecordKind kind, StreamRule rule, std::uint64_t offset,
                        std::uint64_t length, std::string text) {
  const bool is_of_one = state_ != nullptr && state_->begun && !has_several_streams_;
  if (is_of_one) batch_->pin(state_->stream);
  batch_->add_notice(kind, {.input = path_,
                            .finding = {.rule = &stream_rule(rule, schema_->dialect),
                                        .offset = offset,
                                        .length = length,
                                        .text = std::move(text)},
                            .stream = is_of_one ? state_->stream.get() : nullptr});
}

std::uint64_t StreamFile::packet_end() const { return cursor_.offset() + head_.total_bits() / 8; }

void StreamFile::end_packet() {
  if (packet_ == nullptr) return;
  state_->progress.event_time = decoder_.previous();
  // CTF 1.8: the clock goes on from where the packet ended.
  state_->progress.clock = clock_behind(head_, *packet_, decoder_.clock());
  batch_->add_packet(RecordKind::kPacketEnd, std::exchange(packet_, nullptr));
}

void StreamFile::leave_packet() {
  phase_ = Phase::kLeaving;
  const bool is_endless = head_.total_bits() == DecodeState::kEndless;
  if (!is_endless && cursor_.end() < packet_end() && shows_first()) return;
  phase_ = Phase::kHead;
  if (is_endless) {
    // The packet reaches to the end of the data stream.
    cursor_.move_to_end();
    return end();
  }
  const std::uint64_t begin = cursor_.offset();
  const std::uint64_t target = packet_end();
  if (cursor_.move_to(target)) return;
  const std::uint64_t reached = cursor_.offset();
  if (cursor_.cut_off()) return end();
  const bool is_part = cursor_.next_part();
  report(RecordKind::kProblem, StreamRule::kPacketCut, begin, reached - begin,
         fmt::format("the {} ends within the packet, {} bytes before its end; what it holds "
                     "until there was read",
                     is_part ? "datagram" : "data stream", target - reached));
  if (!is_part) end();
}

void StreamFile::abandon(const DecodeFault& fault, std::uint64_t from) {
  if (phase_ == Phase::kEvents) report_oddities(decoder_.take_oddities(), cursor_.offset());
  spend_empty(decoder_.state().empty_elements, std::max(from, head_.bits));
  abandoned_at_ = cursor_.offset() + from / 8;
  // What ran out of bytes has looked at all of them.
  ran_out_ = fault.rule == StreamRule::kPacketCut;
  const std::uint64_t walked_to = ran_out_ ? cursor_.end() : cursor_.offset() + fault.position / 8;
  walked_ = walked_to - std::min(walked_to, abandoned_at_);
  if (!damage_) damage_ = {fault, abandoned_at_};
  phase_ = Phase::kDamage;
}

void StreamFile::leave_damage() {
  if (shows_first()) return;
  phase_ = Phase::kHead;
  if (ran_out_ && cursor_.cut_off()) {
    // What a stop request cut off is no damage, but what is before it may be.
    if (damage_->begin == abandoned_at_) damage_.reset();
    if (damage_) report_damage(abandoned_at_, true);
    cursor_.move_to_end();
    end_packet();
    return end();
  }
  const Next next = find_packet();
  // What begins like a packet and is none belongs to the damage before it.
  if (next == Next::kLikely && packet_ == nullptr) return;
  const std::uint64_t end_of_damage = cursor_.offset();
  const bool goes_on = next != Next::kNone || cursor_.next_part();
  report_damage(end_of_damage, goes_on);
  end_packet();
  if (!goes_on) end();
}

// Moves on to the packet behind what is damaged, or to the end.
StreamFile::Next StreamFile::find_packet() {
  const bool sized = head_.stream != nullptr && head_.has_plausible_size();
  if (!search_ || !search_->possible()) {
    if (!sized) announce("nothing behind it can be read in this data stream");
    cursor_.move_to(sized ? packet_end() : ~std::uint64_t{0});
    return sized ? Next::kBySize : Next::kNone;
  }
  if (sized && !head_.roles.wrong_magic &&
      search_->confirms(cursor_, abandoned_at_ - cursor_.offset(), head_.total_bits() / 8)) {
    cursor_.move_to(packet_end());
    return Next::kBySize;
  }
  const bool found = search_->find(cursor_, abandoned_at_, walked_,
                                   [&] { announce("the next packet is looked for"); });
  return found ? Next::kLikely : Next::kNone;
}

// Damage is reported where it ends, which of a live input may be late, or never.
void StreamFile::announce(std::string_view what_now) {
  if (!options_.read.notice || announced_ || !cursor_.pauses()) return;
  announced_ = true;
  options_.read.notice(
      fmt::format("{}: byte {}: {}; {}", path_, damage_->begin, damage_->fault.text, what_now));
}

void StreamFile::report_damage(std::uint64_t end, bool goes_on) {
  const Damage damage = *std::exchange(damage_, std::nullopt);
  report_fault(damage.fault, damage.begin, end, goes_on);
}

void StreamFile::report_fault(const DecodeFault& fault, std::uint64_t begin, std::uint64_t end,
                              bool goes_on) {
  report(RecordKind::kProblem, fault.rule, begin, end - begin,
         fault.text + (goes_on ? "; reading goes on at the next packet"
                               : "; nothing behind it can be read in this data stream"));
}

void StreamFile::end() {
  if (cursor_.next_part()) return;
  phase_ = Phase::kEnded;
  if (cursor_.failure()) {
    batch_->add_notice(RecordKind::kProblem,
                       input_notice(path_, cursor_.offset(), *cursor_.failure()));
  }
  if (options_.heads_only) return;
  if (state_ == nullptr || state_->open_files == 0) return;
  --state_->open_files;
  if (state_->open_files == 0 && state_->begun)
    batch_->add_stream(RecordKind::kStreamEnd, state_->stream);
}

}  // namespace tracedeck::ctf

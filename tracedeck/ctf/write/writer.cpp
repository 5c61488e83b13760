#include "tracedeck/ctf/write/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tracedeck/ctf/write/packet_writer.hpp"
#include "tracedeck/ctf/write/target_trace.hpp"

namespace tracedeck::ctf {
namespace {

struct ConcessionFacts {
  std::string_view what;
  std::string_view done;
  bool lossy;
};
constexpr std::array<ConcessionFacts, static_cast<std::size_t>(Concession::kCount)> kConcessions = {
    {
        {"field classes that the target lacks", "written as the nearest it has", false},
        {"lengths and selectors that are no fields of their own", "written as added members",
         false},
        {"fields whose byte order changes inside a byte", "aligned to a byte", false},
        {"members whose name another member has or that is not UTF-8", "given another name", true},
        {"attributes of classes, which CTF 1.8 lacks", "kept in the environment", false},
        {"attributes of traces and clocks, which CTF 1.8 lacks", "left out", true},
        {"classes whose id another class has", "given another id", false},
        {"ids of data streams, which the first data stream lacks", "left out", true},
        {"members of packet contexts that stand in a structure with roles", "left out", true},
        {"clocks whose tick is no part of a second", "written in nanoseconds", false},
        {"environments of further traces", "left out", true},
        {"events without a time in a data stream with a clock",
         "written with the time of the event before", true},
        {"events with a duration", "written with a field `duration`", false},
        {"events earlier than the one before in their data stream", "written as they are", false},
        {"times that the target's clock cannot say", "written as the nearest that it can", true},
        {"strings with a NUL character", "end there for readers", true},
        {"references to undefined pool entries", "written as empty", true},
        {"lost events that came after all", "counted as lost", true},
    }};

// All packets that are open take at most so much memory, or one packet each.
constexpr std::size_t kMostBuffered = std::size_t{24} << 20;

// More bytes behind the content of a packet are not written: a packet that was cut off may promise
// any number of them.
constexpr std::uint64_t kMostPadding = std::uint64_t{4} << 20;

struct OpenStream;

// The one that takes the most memory first.
struct TakesMore {
  bool operator()(const OpenStream* a, const OpenStream* b) const;
};

struct OpenStream {
  TargetStreamClass* stream_class = nullptr;
  std::unique_ptr<PacketWriter> packets = nullptr;
  // The source's packet that is being written; each packet of ours is one or a part of one.
  const Packet* source = nullptr;
  std::optional<std::uint64_t> source_begin = {};  // until its first part begins
  std::optional<std::uint64_t> source_end = {};
  std::optional<std::uint64_t> source_sequence = {};
  std::optional<std::uint64_t> source_discarded = {};
  std::uint64_t source_padding = 0;  // bytes behind its content
  // What the packet's head has of the source: all of it, or its own members of the context.
  PacketHeadBits head = {};
  std::vector<WrittenValue> packet_values = {};
  std::uint64_t discarded = 0;
  std::uint64_t written_discarded = 0;
  std::uint64_t sequence = 0;  // of the next packet, where the source has none
  std::uint64_t parts = 0;     // packets that the source does not have
  std::uint64_t last_time = 0;
  std::uint64_t clock = 0;   // as a reader knows it at the end of the packet before
  bool has_packet = false;   // that ended
  bool ended = false;        // with a packet that does not say how long it is
  std::size_t buffered = 0;  // bytes of memory that are counted
  std::uint64_t number = 0;  // streams opened before
};

bool TakesMore::operator()(const OpenStream* a, const OpenStream* b) const {
  return std::pair(b->buffered, a->number) < std::pair(a->buffered, b->number);
}

class TraceWriter final : public Writer {
 public:
  TraceWriter(io::OutputDirectory& output, Dialect dialect, const WriteOptions& options)
      : output_(output),
        dialect_(dialect),
        packet_bits_(8 * options.packet_size),
        trace_(dialect, options.single_source, concessions_) {}

  Result<void> write(const Record& record) override {
    switch (record.kind) {
      case RecordKind::kEvent:
        return write_event(record.event);
      case RecordKind::kStreamBegin: {
        auto opened = open(*record.stream);
        if (!opened) return std::unexpected(opened.error());
        return {};
      }
      case RecordKind::kStreamEnd:
        return end_stream(*record.stream);
      case RecordKind::kPacketBegin:
        return begin_packet(*record.packet);
      case RecordKind::kPacketEnd:
        return end_packet(*record.packet);
      case RecordKind::kLoss:
        return lose(*record.loss);
      case RecordKind::kDescription:
      case RecordKind::kProblem:
      case RecordKind::kFinding:
        break;
    }
    return {};
  }

  Result<void> flush() override {
    for (auto& [source, stream] : streams_) {
      if (!stream->packets->has_events() || !can_split(*stream)) continue;
      if (auto closed = close_packet(*stream, false); !closed) return closed;
    }
    // First what the packets need to be read.
    if (auto written = write_metadata(); !written) return written;
    if (auto flushed = metadata_->flush(); !flushed) return flushed;
    for (auto& [source, stream] : streams_)
      if (auto flushed = stream->packets->flush(); !flushed) return flushed;
    return {};
  }

  Result<void> finish() override {
    while (!streams_.empty()) {
      if (auto ended = end_stream(*streams_.begin()->first); !ended) return ended;
    }
    if (auto begun = trace_.begin_empty(); !begun) return begun;
    if (auto written = write_metadata(); !written) return written;
    if (auto finished = metadata_->finish(); !finished) return finished;
    return write_environment();
  }

  [[nodiscard]] Receipt receipt() const override {
    Concessions counts = concessions_;
    counts[static_cast<std::size_t>(Concession::kCutString)] += encoder_.counts().cut_strings;
    counts[static_cast<std::size_t>(Concession::kUnresolved)] += encoder_.counts().unresolved;
    Receipt receipt;
    for (std::size_t i = 0; i < kConcessions.size(); ++i) {
      if (counts[i] == 0) continue;
      receipt.push_back({.what = std::string(kConcessions[i].what),
                         .done = std::string(kConcessions[i].done),
                         .count = counts[i],
                         .lossy = kConcessions[i].lossy});
    }
    return receipt;
  }

 private:
  void concede(Concession what) { ++concessions_[static_cast<std::size_t>(what)]; }

  // -- Data streams ---------------------------------------------------------------------------

  Result<OpenStream*> open(const DataStream& source) {
    const auto found = streams_.find(&source);
    if (found != streams_.end()) return found->second.get();
    auto stream_class = trace_.stream_class(source);
    if (!stream_class) return std::unexpected(stream_class.error());
    auto file = output_.create_file(file_name(source));
    if (!file) return std::unexpected(file.error());
    auto made = std::make_unique<OpenStream>();
    made->stream_class = *stream_class;
    TargetStreamClass& target = **stream_class;
    made->packets = std::make_unique<PacketWriter>(
        std::move(*file), target.layout, *target.target.id, stream_id(source, *target.target.id));
    if (target.packet_mapper != nullptr)
      made->packet_values.resize(target.packet_mapper->program().nodes.size());
    OpenStream* const stream = made.get();
    made->number = opened_++;
    streams_.emplace(&source, std::move(made));
    last_source_ = nullptr;
    return stream;
  }

  // The source's own name for the file, so that data streams keep their order.
  std::string file_name(const DataStream& source) {
    std::string name = source.file.substr(source.file.find_last_of('/') + 1);
    constexpr std::string_view kSuffix = ".json-seq";
    const bool serves = !name.empty() && name.front() != '.' && name != "metadata" &&
                        name != "index" && !name.ends_with(kSuffix) && !name.ends_with(".gz") &&
                        !name.ends_with(".zst") && name.size() < 200;
    if (serves && file_names_.insert(name).second) return name;
    if (serves) {
      // Further data streams of a file, or of files of that name, come right behind.
      unsigned& next = next_of_name_[name];
      std::string further;
      do {
        further = fmt::format("{}-{}", name, ++next);
      } while (!file_names_.insert(further).second);
      return further;
    }
    do {
      name = fmt::format("stream-{:04}", next_file_++);
    } while (!file_names_.insert(name).second);
    return name;
  }

  // An id that no other data stream of the class has.
  std::uint64_t stream_id(const DataStream& source, std::uint64_t class_id) {
    std::optional<std::uint64_t> id;
    for (const StreamKey& key : source.keys) {
      if (key.name != "class") id = key.value;
    }
    if (trace_.keeps_heads()) return 0;
    if (!trace_.has_stream_ids()) {
      if (id) concede(Concession::kStreamId);
      return 0;
    }
    std::uint64_t chosen = id.value_or(stream_ids_.size());
    while (!stream_ids_.emplace(class_id, chosen).second) chosen = stream_ids_.size() + chosen + 1;
    return chosen;
  }

  Result<void> end_stream(const DataStream& source) {
    const auto found = streams_.find(&source);
    if (found == streams_.end()) return {};
    OpenStream& stream = *found->second;
    Result<void> done;
    const bool has_more = stream.discarded != stream.written_discarded;
    if (!stream.packets->is_open() && has_more) done = open_packet(stream, stream.last_time);
    if (done && stream.packets->is_open()) done = close_packet(stream, true);
    if (done) done = stream.packets->finish();
    buffered_ -= stream.buffered;
    by_memory_.erase(&stream);
    last_source_ = nullptr;
    streams_.erase(found);
    return done;
  }

  // -- Packets --------------------------------------------------------------------------------

  Result<void> begin_packet(const Packet& packet) {
    auto opened = open(*packet.stream);
    if (!opened) return std::unexpected(opened.error());
    return begin_packet(**opened, packet);
  }

  Result<void> begin_packet(OpenStream& stream, const Packet& packet) {
    if (stream.packets->is_open()) {
      if (auto closed = close_packet(stream, true); !closed) return closed;
    }
    stream.source = &packet;
    stream.source_begin = converted(stream, packet.begin);
    stream.source_end = converted(stream, packet.end);
    stream.source_sequence = packet.sequence;
    stream.source_discarded = packet.discarded;
    stream.source_padding = 0;
    if (packet.total_size && packet.content_size) {
      const std::uint64_t content = *packet.content_size / 8 + (*packet.content_size % 8 != 0);
      const std::uint64_t padding = *packet.total_size - std::min(content, *packet.total_size);
      stream.source_padding = padding <= kMostPadding ? padding : 0;
    }
    return trace_.keeps_heads() ? encode_head(stream, packet) : encode_context(stream, packet);
  }

  std::optional<std::uint64_t> converted(const OpenStream& stream,
                                         std::optional<std::uint64_t> time) {
    const ClockClass* const clock = stream.stream_class->source->default_clock;
    if (!time || clock == nullptr) return {};
    return target_time(*stream.stream_class, *clock, *time);
  }

  Result<void> encode_context(OpenStream& stream, const Packet& packet) {
    const TargetStreamClass& target = *stream.stream_class;
    if (!target.packet_node) return {};
    scratch_.clear();
    const Slot* slot = packet.context.data();
    const Slot* const end = slot + packet.context.size();
    for (std::size_t i = 0; i < target.packet_members.size() && slot < end; ++i) {
      const Slot* const next = slot->next();
      if (target.packet_members[i]) scratch_.insert(scratch_.end(), slot, next);
      slot = next;
    }
    BitWriter bits;
    bits.put_zeros(target.layout.size());
    const EncodeStatus status =
        encoder_.encode(target.packet_mapper->program(), *target.packet_node, scratch_, bits,
                        stream.packet_values, {});
    if (status != EncodeStatus::kOk) return unencodable(status, "the packet context");
    const ByteSpan bytes = bits.bytes().subspan(target.layout.size());
    stream.head.bytes.assign(bytes.begin(), bytes.end());
    stream.head.size = bits.position();
    return {};
  }

  Result<void> encode_head(OpenStream& stream, const Packet& packet) {
    TargetStreamClass& target = *stream.stream_class;
    stream.head.roles.clear();
    BitWriter bits;
    EncodeStatus status = EncodeStatus::kOk;
    encoder_.note_roles(&stream.head.roles);
    // In another dialect packets may come out longer.
    const bool same = target.restored != nullptr || trace_.is_of_dialect(dialect_);
    encoder_.pad_leb128(same ? 0 : role_bit(Role::kTotalSize) | role_bit(Role::kContentSize));
    for (const auto& [node, slots] :
         {std::pair{target.header_node, &packet.header}, {target.packet_node, &packet.context}}) {
      if (node && status == EncodeStatus::kOk)
        status = encoder_.encode(target.packet_mapper->program(), *node, *slots, bits,
                                 stream.packet_values, {});
    }
    encoder_.note_roles(nullptr);
    encoder_.pad_leb128(0);
    if (status != EncodeStatus::kOk) return unencodable(status, "the packet header and context");
    const std::uint64_t class_id = target.source->id.value_or(0);
    for (const PlacedRole& place : stream.head.roles) {
      const bool other = place.has(Role::kStreamClassId) && class_id != *target.target.id;
      if (other && !put_again(bits, place, *target.target.id))
        return unencodable(EncodeStatus::kTooLarge, "the packet header");
    }
    stream.head.bytes.assign(bits.bytes().begin(), bits.bytes().end());
    stream.head.size = bits.position();
    return {};
  }

  // Whether the packet may end at `position`, where the source's does not.
  [[nodiscard]] bool can_split_at(const OpenStream& stream, std::uint64_t position) const {
    if (!stream.packets->is_open()) return false;
    return !trace_.keeps_heads() ||
           (stream.head.has_size() && (stream.head.tells_padding() || position % 8 == 0));
  }
  [[nodiscard]] bool can_split(const OpenStream& stream) const {
    return can_split_at(stream, stream.packets->bits().position());
  }

  Result<void> open_packet(OpenStream& stream, std::uint64_t time) {
    if (trace_.keeps_heads()) {
      if (stream.ended) {
        return fail(ErrorCode::kUnsupported,
                    "another packet in a data stream whose packets do not say how long they are",
                    output_.name());
      }
      const std::uint64_t begin = stream.source_begin.value_or(time);
      stream.source_begin.reset();
      // CTF 1.8: the clock goes on from packet to packet.
      const std::uint64_t clock = dialect_ == Dialect::kCtf1 ? stream.clock : 0;
      stream.packets->begin(begin, clock, stream.head);
      return {};
    }
    const std::uint64_t begin = std::min(stream.source_begin.value_or(time), time);
    stream.source_begin.reset();
    stream.packets->begin(begin);
    if (!stream.head.bytes.empty()) {
      BitWriter& bits = stream.packets->bits();
      bits.put_bytes(stream.head.bytes);
      bits.rewind(stream.head.size);
    } else if (stream.stream_class->packet_node && stream.source == nullptr) {
      return fail(ErrorCode::kInvalidArgument,
                  "an event without a packet, in a data stream whose packets have a context");
    }
    return {};
  }

  // `whole`: it is the source's packet, or the last part of it.
  Result<void> close_packet(OpenStream& stream, bool whole) {
    std::uint64_t sequence = stream.sequence;
    if (stream.source_sequence) sequence = *stream.source_sequence + stream.parts;
    stream.sequence = sequence + 1;
    if (!whole) ++stream.parts;
    if (whole && stream.source_discarded) stream.discarded = *stream.source_discarded;
    const bool keeps_heads = trace_.keeps_heads();
    stream.ended = keeps_heads && !stream.head.has_size();
    if (keeps_heads && !stream.head.tells_padding() && stream.packets->bits().position() % 8 != 0) {
      return fail(
          ErrorCode::kUnsupported,
          "a packet that does not say where in its last byte it ends would end inside of it",
          output_.name());
    }
    if (whole && stream.source_end) {
      if (keeps_heads) {
        // CTF 2: nor later.
        const bool later = dialect_ != Dialect::kCtf1 && stream.packets->has_events() &&
                           stream.packets->end_time() > *stream.source_end;
        if (!later) stream.packets->end_at(*stream.source_end);
      } else {
        stream.packets->reach(*stream.source_end, *stream.source_end);
      }
    }
    stream.has_packet = true;
    stream.written_discarded = stream.discarded;
    stream.clock =
        stream.head.has(Role::kPacketEnd) ? stream.packets->end_time() : stream.packets->clock();
    auto ended = stream.packets->end(sequence, stream.discarded,
                                     whole && keeps_heads ? stream.source_padding : 0);
    count_memory(stream);
    return ended;
  }

  Result<void> end_packet(const Packet& packet) {
    const auto found = streams_.find(packet.stream);
    if (found == streams_.end() || found->second->source != &packet) return {};
    OpenStream& stream = *found->second;
    if (!stream.packets->is_open()) {
      const std::uint64_t begin = stream.source_begin.value_or(stream.last_time);
      if (auto opened = open_packet(stream, begin); !opened) return opened;
    }
    auto closed = close_packet(stream, true);
    stream.source = nullptr;
    stream.source_end.reset();
    stream.source_sequence.reset();
    stream.source_discarded.reset();
    return closed;
  }

  Result<void> lose(const Loss& loss) {
    if (loss.stream == nullptr) return {};
    auto opened = open(*loss.stream);
    if (!opened) return std::unexpected(opened.error());
    OpenStream& stream = **opened;
    // Packets with counters of their own tell it themselves.
    if (loss.packets) stream.sequence += *loss.packets;
    if (loss.events) {
      if (auto counted = count_lost(stream, *loss.events, loss.taken_back); !counted)
        return counted;
    }
    if (stream.source == nullptr && stream.packets->is_open()) return close_packet(stream, true);
    return {};
  }

  Result<void> count_lost(OpenStream& stream, std::uint64_t events, bool taken_back) {
    if (taken_back) {
      const bool waits = stream.discarded - stream.written_discarded >= events;
      if (waits) stream.discarded -= events;
      if (!waits) concede(Concession::kTakenBack);
      return {};
    }
    // What the first packet counts was lost before it, for all that readers know.
    if (stream.source == nullptr && !stream.has_packet && stream.packets->has_events()) {
      if (auto closed = close_packet(stream, true); !closed) return closed;
    }
    stream.discarded += events;
    return {};
  }

  // Keeps what all open packets take within bounds: the largest one ends early.
  void count_memory(OpenStream& stream) {
    const std::size_t capacity = stream.packets->bits().capacity();
    by_memory_.erase(&stream);
    buffered_ += capacity - stream.buffered;
    stream.buffered = capacity;
    if (capacity != 0) by_memory_.insert(&stream);
  }
  Result<void> keep_bounds(OpenStream& current) {
    if (current.packets->bits().capacity() == current.buffered) [[likely]]
      return {};
    count_memory(current);
    while (buffered_ > kMostBuffered) {
      const auto largest = std::ranges::find_if(by_memory_, [&](const OpenStream* stream) {
        return stream != &current && (!stream->packets->is_open() || can_split(*stream));
      });
      if (largest == by_memory_.end()) break;
      OpenStream& stream = **largest;
      if (stream.packets->is_open()) {
        if (auto closed = close_packet(stream, false); !closed) return closed;
      }
      stream.packets->bits().release();
      count_memory(stream);
    }
    return {};
  }

  // -- Events ---------------------------------------------------------------------------------

  Result<void> write_event(const Event& event) {
    if (event.stream != last_source_ || event.event_class != last_class_) {
      if (auto found = find_class(event); !found) return found;
    }
    OpenStream& stream = *last_stream_;
    if (event.packet != nullptr && event.packet != stream.source) [[unlikely]] {
      if (auto begun = begin_packet(stream, *event.packet); !begun) return begun;
    }
    const std::uint64_t time = time_of(stream, event);
    if (!stream.packets->is_open()) {
      if (auto opened = open_packet(stream, time); !opened) return opened;
    }
    if (is_early(stream, time)) {
      if (auto begun = begin_another(stream, time); !begun) return begun;
    }
    Result<bool> understood = put_event(stream, event, time);
    if (!understood) return std::unexpected(understood.error());
    const bool is_full =
        stream.packets->bits().position() > packet_bits_ && stream.packets->has_events();
    if ((is_full || !*understood) && can_split_at(stream, stream.packets->event_begin())) {
      // Readers of a packet that begins at the event's time know it whatever the header says.
      stream.packets->abandon_event();
      if (auto begun = begin_another(stream, time); !begun) return begun;
      understood = put_event(stream, event, time);
      if (!understood) return std::unexpected(understood.error());
    }
    if (!*understood) {
      stream.packets->abandon_event();
      return fail(ErrorCode::kInvalidArgument,
                  "its event record header cannot say its time where it stands", output_.name());
    }
    if (auto ended = stream.packets->end_event(); !ended) return ended;
    stream.last_time = time;
    return keep_bounds(stream);
  }

  // CTF 2: no event record is earlier than its packet (pkt-ctx-roles).
  [[nodiscard]] bool is_early(const OpenStream& stream, std::uint64_t time) const {
    const bool has_begin = stream.stream_class->layout.has_clock &&
                           (!trace_.keeps_heads() || stream.head.has(Role::kPacketBegin));
    return dialect_ != Dialect::kCtf1 && has_begin && time < stream.packets->begin_time() &&
           can_split(stream);
  }
  // In place of the packet at hand, while that is empty.
  Result<void> begin_another(OpenStream& stream, std::uint64_t time) {
    if (stream.packets->has_events()) {
      if (auto closed = close_packet(stream, false); !closed) return closed;
    }
    return open_packet(stream, time);
  }

  Result<void> find_class(const Event& event) {
    auto stream = open(*event.stream);
    if (!stream) return std::unexpected(stream.error());
    auto target = trace_.event_class(*event.event_class, *(*stream)->stream_class);
    if (!target) return std::unexpected(target.error());
    last_source_ = event.stream;
    last_class_ = event.event_class;
    last_stream_ = *stream;
    last_target_ = *target;
    return write_metadata();
  }

  // Returns whether readers understand its time.
  Result<bool> put_event(OpenStream& stream, const Event& event, std::uint64_t time) {
    if (trace_.keeps_heads()) return put_event_as_it_was(stream, event, time);
    TargetEventClass& target = *last_target_;
    stream.packets->begin_event(target.id, time);
    std::span<const Slot> payload = event.payload();
    if (target.has_duration) payload = timed_payload(event);
    const std::size_t header_lengths = target.stream_class->layout.header_lengths;
    if (header_lengths != 0) encoder_.begin_header_lengths(header_lengths);
    EncodeStatus status = encode_roots(stream, event, payload);
    if (header_lengths != 0 && status == EncodeStatus::kOk && encoder_.must_repeat()) {
      stream.packets->abandon_event();
      stream.packets->begin_event(target.id, time);
      encoder_.repeat();
      status = encode_roots(stream, event, payload);
    }
    if (header_lengths != 0) stream.packets->put_header_lengths(encoder_.header_lengths());
    if (status == EncodeStatus::kOk) return true;
    stream.packets->abandon_event();
    return unencodable(status, event.event_class->name.value_or("an event"));
  }

  // With the source's event record header.
  Result<bool> put_event_as_it_was(OpenStream& stream, const Event& event, std::uint64_t time) {
    TargetEventClass& target = *last_target_;
    stream.packets->begin_event();
    EncodeStatus status = encode_event_header(stream, event);
    bool understood = stream.packets->end_event_header(event_roles_, time);
    if (!understood && status == EncodeStatus::kOk && is_leb128_clock()) {
      // A number of fewer bytes than the source spent on it, or without what was left out before.
      stream.packets->abandon_event();
      encoder_.pad_leb128(role_bit(Role::kClock));
      status = encode_event_header(stream, event);
      encoder_.pad_leb128(0);
      event_roles_[*last_clock()].value = time;
      put_low_bits_again(stream.packets->bits(), event_roles_[*last_clock()], time);
      understood = stream.packets->end_event_header(event_roles_, time);
    }
    if (target.id != target.source->id.value_or(0) && status == EncodeStatus::kOk)
      status = put_class_id(stream.packets->bits(), target.id);
    if (status == EncodeStatus::kOk) status = encode_roots(stream, event, event.payload());
    if (status == EncodeStatus::kOk) return understood || !stream.stream_class->layout.has_clock;
    stream.packets->abandon_event();
    return unencodable(status, event.event_class->name.value_or("an event"));
  }

  EncodeStatus encode_event_header(OpenStream& stream, const Event& event) {
    TargetEventClass& target = *last_target_;
    event_roles_.clear();
    if (!target.header) return EncodeStatus::kOk;
    encoder_.note_roles(&event_roles_);
    const EncodeStatus status =
        encoder_.encode(target.mapper->program(), *target.header, event.header(),
                        stream.packets->bits(), target.values, stream.packet_values);
    encoder_.note_roles(nullptr);
    return status;
  }

  // The last field that updates the clock.
  [[nodiscard]] std::optional<std::size_t> last_clock() const {
    for (std::size_t i = event_roles_.size(); i-- > 0;) {
      if (event_roles_[i].has(Role::kClock)) return i;
    }
    return {};
  }
  [[nodiscard]] bool is_leb128_clock() const {
    const auto last = last_clock();
    return last && event_roles_[*last].is_leb128;
  }

  // The last of several ids counts.
  EncodeStatus put_class_id(BitWriter& bits, std::uint64_t id) const {
    for (auto place = event_roles_.rbegin(); place != event_roles_.rend(); ++place) {
      if (!place->has(Role::kEventClassId)) continue;
      return put_again(bits, *place, id) ? EncodeStatus::kOk : EncodeStatus::kTooLarge;
    }
    return EncodeStatus::kTooLarge;
  }

  EncodeStatus encode_roots(OpenStream& stream, const Event& event, std::span<const Slot> payload) {
    TargetEventClass& target = *last_target_;
    EncodeStatus status = EncodeStatus::kOk;
    const auto encode = [&](const std::optional<std::uint32_t>& root, std::span<const Slot> slots) {
      if (root && status == EncodeStatus::kOk)
        status = encoder_.encode(target.mapper->program(), *root, slots, stream.packets->bits(),
                                 target.values, stream.packet_values);
    };
    encode(target.common, event.common_context());
    encode(target.specific, event.specific_context());
    encode(target.body, payload);
    return status;
  }

  // The length of the event comes first.
  std::span<const Slot> timed_payload(const Event& event) {
    scratch_.clear();
    scratch_.push_back(unsigned_slot(event.end_time - event.time));
    scratch_.insert(scratch_.end(), event.payload().begin(), event.payload().end());
    return scratch_;
  }

  std::unexpected<Error> unencodable(EncodeStatus status, const std::string& where) const {
    auto failed =
        fail(ErrorCode::kInvalidArgument, std::string(encode_fault(status)), output_.name());
    failed.error().path = where;
    return failed;
  }

  std::uint64_t time_of(const OpenStream& stream, const Event& event) {
    const TargetStreamClass& target = *stream.stream_class;
    if (!target.layout.has_clock) return 0;
    if (!event.has_time()) {
      concede(Concession::kUntimed);
      return stream.last_time;
    }
    if (event.event_class->has_duration) concede(Concession::kDuration);
    const std::uint64_t time = target_time(target, *event.event_class->clock, event.time);
    if (time < stream.last_time) concede(Concession::kBackwards);
    return time;
  }

  std::uint64_t target_time(const TargetStreamClass& target, const ClockClass& clock,
                            std::uint64_t time) {
    if (target.clock.same_ticks) return time;
    __extension__ using Wide = unsigned __int128;
    const Wide value = static_cast<Wide>(time) * clock.tick.numerator / clock.tick.denominator;
    constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
    if (value <= kLast) return static_cast<std::uint64_t>(value);
    concede(Concession::kTimeRange);
    return kLast;
  }

  // -- Metadata -------------------------------------------------------------------------------

  Result<void> write_metadata() {
    const std::string text = trace_.take_metadata();
    if (metadata_ == nullptr) {
      auto file = output_.create_file("metadata");
      if (!file) return std::unexpected(file.error());
      metadata_ = std::move(*file);
    }
    if (text.empty()) return {};
    return metadata_->write(text);
  }

  // CTF2-SPECRC-3.0 has an auxiliary stream for it.
  Result<void> write_environment() {
    if (dialect_ != Dialect::kRc3) return {};
    const std::string text = environment_text(trace_.environment());
    if (text.empty()) return {};
    auto file = output_.create_file(std::string(kEnvironmentFile));
    if (!file) return std::unexpected(file.error());
    if (auto written = (*file)->write(text); !written) return written;
    return (*file)->finish();
  }

  io::OutputDirectory& output_;
  Dialect dialect_;
  std::uint64_t packet_bits_;
  Concessions concessions_{};
  TargetTrace trace_;
  Encoder encoder_;
  std::unique_ptr<io::Output> metadata_;
  std::unordered_map<const DataStream*, std::unique_ptr<OpenStream>> streams_;
  std::unordered_set<std::string> file_names_ = {std::string("metadata"),
                                                 std::string(kEnvironmentFile)};
  std::set<std::pair<std::uint64_t, std::uint64_t>> stream_ids_;  // with those of their classes
  unsigned next_file_ = 0;
  std::unordered_map<std::string, unsigned> next_of_name_;
  std::uint64_t opened_ = 0;
  std::set<OpenStream*, TakesMore> by_memory_;  // those that take some
  std::size_t buffered_ = 0;
  const DataStream* last_source_ = nullptr;
  const EventClass* last_class_ = nullptr;
  OpenStream* last_stream_ = nullptr;
  TargetEventClass* last_target_ = nullptr;
  std::vector<Slot> scratch_;
  std::vector<PlacedRole> event_roles_;
};

struct Target {
  std::string_view name;
  Dialect dialect;
};
constexpr std::array<Target, 3> kTargets = {{
    {"ctf2rc", Dialect::kRc3},
    {"ctf2", Dialect::kFinal},
    {"ctf1", Dialect::kCtf1},
}};

}  // namespace

Result<std::unique_ptr<Writer>> create_writer(io::OutputDirectory& output,
                                              const WriteOptions& options) {
  const auto* const target = std::ranges::find(kTargets, options.target, &Target::name);
  if (target == kTargets.end())
    return fail(ErrorCode::kUnsupported, "no CTF target is called `" + options.target + "`");
  if (!options.version.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "CTF targets have no versions: use ctf2rc, ctf2 or ctf1");
  }
  constexpr std::uint64_t kLeast = 4096;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
  if (options.packet_size < kLeast || options.packet_size > kMost) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("packets of {} bytes: use 4096 to 1073741824", options.packet_size));
  }
  return std::make_unique<TraceWriter>(output, target->dialect, options);
}

}  // namespace tracedeck::ctf

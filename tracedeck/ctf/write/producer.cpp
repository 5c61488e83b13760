#include "tracedeck/ctf/write/producer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "tracedeck/ctf/metadata/dialect_classes.hpp"
#include "tracedeck/ctf/write/packet_layout.hpp"
#include "tracedeck/ctf/write/target_classes.hpp"
#include "tracedeck/ctf/write/trace_files.hpp"

namespace tracedeck::ctf {

class ProducerStreamClass {
 public:
  DataStreamClass target = {};
  PacketLayout layout = {};
  std::uint64_t next_event_id = 0;
};

struct ProducerEventClass::State {
  std::uint64_t id = 0;
  const ProducerStreamClass* stream_class = nullptr;
  EncodeProgram program = {};
  std::uint32_t root = 0;
  std::vector<WrittenValue> values = {};
};

ProducerEventClass::ProducerEventClass(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProducerEventClass::~ProducerEventClass() = default;
ProducerEventClass::ProducerEventClass(ProducerEventClass&&) noexcept = default;
ProducerEventClass& ProducerEventClass::operator=(ProducerEventClass&&) noexcept = default;
std::uint64_t ProducerEventClass::id() const { return state_->id; }

struct EventStream::State {
  const ProducerStreamClass* stream_class = nullptr;
  std::unique_ptr<io::Output> output = {};
  std::size_t packet_size = 0;
  PacketFacts facts = {};
  std::unique_ptr<std::uint8_t[]> packet = {};
  std::size_t capacity = 0;
  std::uint64_t written_discarded = 0;
  std::uint64_t sequence = 0;
  Encoder encoder = {};
  BitWriter bits = {};
  std::optional<Error> error = {};
};

EventStream::EventStream(const ProducerStreamClass& stream_class, std::uint64_t id,
                         std::unique_ptr<io::Output> output, std::size_t packet_size)
    : has_clock_(stream_class.layout.has_clock), state_(std::make_unique<State>()) {
  state_->stream_class = &stream_class;
  state_->output = std::move(output);
  state_->packet_size = packet_size;
  state_->facts.stream_class_id = *stream_class.target.id;
  state_->facts.stream_id = id;
}

EventStream::~EventStream() = default;

void EventStream::begin_packet(std::uint64_t time, std::size_t room) {
  const std::size_t head = state_->stream_class->layout.size();
  const std::size_t capacity = std::max(state_->packet_size, head + room);
  if (capacity > state_->capacity ||
      state_->capacity > 2 * std::max(state_->packet_size, capacity)) {
    // Stores may go beyond the packet by 16 bytes.
    state_->packet = std::make_unique_for_overwrite<std::uint8_t[]>(capacity + 16);
    state_->capacity = capacity;
  }
  cursor_ = state_->packet.get() + head;
  limit_ = state_->packet.get() + capacity;
  state_->facts.begin = last_time_ = time;
}

Result<void> EventStream::make_room(std::size_t room, std::uint64_t time) {
  if (auto ended = end_packet(); !ended) return ended;
  begin_packet(time, room);
  return {};
}

Result<void> EventStream::end_packet() {
  if (state_->error) return std::unexpected(*state_->error);
  if (cursor_ == nullptr) return {};
  const auto size = static_cast<std::size_t>(cursor_ - state_->packet.get());
  state_->facts.total_bits = state_->facts.content_bits = std::uint64_t{8} * size;
  state_->facts.end = std::max(state_->facts.begin, last_time_);
  state_->facts.sequence = state_->sequence++;
  state_->facts.discarded = state_->written_discarded = discarded_;
  state_->stream_class->layout.write(state_->packet.get(), state_->facts);
  cursor_ = limit_ = nullptr;
  auto written = state_->output->write(ByteSpan(state_->packet.get(), size));
  if (!written) state_->error = written.error();
  return written;
}

Result<void> EventStream::write(ProducerEventClass& event_class, std::uint64_t time,
                                std::span<const Slot> payload) {
  if (event_class.state_->stream_class != state_->stream_class)
    return fail(ErrorCode::kInvalidArgument, "the event class belongs to another stream class");
  // Alignment counts from the packet's begin, so the place must be known first.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (cursor_ == nullptr) begin_packet(time, kEventHeaderRoom + 3);
    const auto used = static_cast<std::size_t>(cursor_ - state_->packet.get());
    const std::size_t header = static_cast<std::size_t>(limit_ - cursor_) < kEventHeaderRoom + 3
                                   ? kEventHeaderRoom
                                   : header_size(event_class.state_->id, time);
    // Alignments repeat, so the same place within the largest of them does.
    const std::size_t place = (used + header) % (kMostAlignment / 8);
    state_->bits.rewind(0);
    state_->bits.reserve(kMostAlignment / 8);
    state_->bits.rewind(std::uint64_t{8} * place);
    const EncodeStatus status =
        state_->encoder.encode(event_class.state_->program, event_class.state_->root, payload,
                               state_->bits, event_class.state_->values, {});
    if (status != EncodeStatus::kOk)
      return fail(ErrorCode::kInvalidArgument, std::string(encode_fault(status)));
    const std::size_t size = header + state_->bits.byte_size() - place;
    if (static_cast<std::ptrdiff_t>(size) > limit_ - cursor_ ||
        kEventHeaderRoom + 3 > static_cast<std::size_t>(limit_ - cursor_)) {
      if (auto made = make_room(size + kEventHeaderRoom + 3 + kMostAlignment / 8, time); !made)
        return made;
      continue;
    }
    std::uint8_t* const to = put_header(cursor_, event_class.state_->id, time);
    std::copy_n(state_->bits.data() + place, size - header, to);
    cursor_ += size;
    return {};
  }
  return fail(ErrorCode::kLimitExceeded, "the event does not fit into a packet");
}

Result<void> EventStream::finish() {
  if (!state_->error && cursor_ == nullptr && state_->written_discarded != discarded_)
    begin_packet(last_time_, 0);
  if (auto ended = end_packet(); !ended) return ended;
  return state_->output->finish();
}

std::size_t EventStream::header_size(std::uint64_t id, std::uint64_t time) const {
  return !has_clock_ || has_short_header(id, last_time_, time) ? 4 : kEventHeaderRoom;
}

struct Producer::State {
  State(io::OutputDirectory& to, const ProducerOptions& with)
      : output(to),
        options(with),
        layout{.uuid = with.uuid, .has_stream_ids = true},
        files(to, with.dialect) {}

  io::OutputDirectory& output;
  ProducerOptions options;
  PacketLayout layout;
  TraceFiles files;
  std::deque<ClockClass> clocks = {};
  std::deque<ProducerStreamClass> stream_classes = {};
  std::deque<ProducerEventClass> event_classes = {};
  std::vector<std::unique_ptr<EventStream>> streams = {};
};

Producer::Producer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Producer::~Producer() = default;

Result<std::unique_ptr<Producer>> Producer::create(io::OutputDirectory& output,
                                                   const ProducerOptions& options) {
  auto state = std::make_unique<State>(output, options);
  const TraceClass trace_class{.uuid = options.uuid,
                               .packet_header = state->layout.header_class(options.dialect)};
  if (auto begun = state->files.metadata().begin(trace_class, options.environment); !begun)
    return std::unexpected(begun.error());
  if (auto flushed = state->files.flush_metadata(); !flushed)
    return std::unexpected(flushed.error());
  return std::unique_ptr<Producer>(new Producer(std::move(state)));
}

Result<const ClockClass*> Producer::add_clock(ClockClass clock) {
  if (std::ranges::find(state_->clocks, clock.id, &ClockClass::id) != state_->clocks.end())
    return fail(ErrorCode::kInvalidArgument, "there is a clock `" + clock.id + "` already");
  if (auto added = state_->files.metadata().add_clock(clock); !added)
    return std::unexpected(added.error());
  return &state_->clocks.emplace_back(std::move(clock));
}

Result<ProducerStreamClass*> Producer::add_stream_class(const StreamClassSpec& spec) {
  ProducerStreamClass made;
  made.layout = state_->layout;
  made.layout.has_clock = spec.clock != nullptr;
  made.target.id = state_->stream_classes.size();
  if (!spec.name.empty()) made.target.name = spec.name;
  made.target.default_clock = spec.clock;
  made.target.packet_context = made.layout.context_class(state_->options.dialect, {});
  made.target.event_header = made.layout.event_header_class(state_->options.dialect);
  if (auto added = state_->files.metadata().add_stream_class(made.target); !added)
    return std::unexpected(added.error());
  return &state_->stream_classes.emplace_back(std::move(made));
}

Result<ProducerEventClass*> Producer::add_event_class(ProducerStreamClass& stream_class,
                                                      std::string name,
                                                      const FieldClassPtr& payload) {
  auto made = std::make_unique<ProducerEventClass::State>();
  made->id = stream_class.next_event_id;
  made->stream_class = &stream_class;
  ClassMapper mapper({.dialect = state_->options.dialect});
  auto mapped = mapper.add_root(FieldLocation::Root::kPayload, payload);
  if (!mapped) return std::unexpected(mapped.error());
  if (!is_expressible(mapped->target, state_->options.dialect))
    return fail(ErrorCode::kUnsupported,
                "the class `" + name + "` has fields that the dialect lacks");
  made->root = mapped->node;
  made->program = std::move(mapper).take_program();
  made->values.resize(made->program.nodes.size());
  const EventClass target{.id = made->id,
                          .name = std::move(name),
                          .stream_class = &stream_class.target,
                          .clock = stream_class.target.default_clock,
                          .payload = mapped->target};
  if (auto added = state_->files.metadata().add_event_class(target); !added)
    return std::unexpected(added.error());
  ++stream_class.next_event_id;
  return &state_->event_classes.emplace_back(ProducerEventClass(std::move(made)));
}

Result<EventStream*> Producer::open_stream(const ProducerStreamClass& stream_class) {
  const std::size_t number = state_->streams.size();
  auto file = state_->files.create_stream(fmt::format("stream-{:04}", number));
  if (!file) return std::unexpected(file.error());
  state_->streams.push_back(std::unique_ptr<EventStream>(
      new EventStream(stream_class, number, std::move(*file), state_->options.packet_size)));
  return state_->streams.back().get();
}

Result<void> Producer::finish() {
  for (const auto& stream : state_->streams) {
    if (auto finished = stream->finish(); !finished) return finished;
  }
  if (auto finished = state_->files.finish_metadata(); !finished) return finished;
  const std::string environment = state_->options.dialect == Dialect::kRc3
                                      ? environment_text(state_->options.environment)
                                      : std::string();
  if (environment.empty()) return {};
  auto file = state_->output.create_file(std::string(kEnvironmentFile));
  if (!file) return std::unexpected(file.error());
  if (auto written = (*file)->write(environment); !written) return written;
  return (*file)->finish();
}

}  // namespace tracedeck::ctf

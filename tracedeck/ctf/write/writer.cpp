#include "tracedeck/ctf/write/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tracedeck/ctf/write/adaptations.hpp"
#include "tracedeck/ctf/write/event_writer.hpp"
#include "tracedeck/ctf/write/stream_names.hpp"
#include "tracedeck/ctf/write/stream_writer.hpp"
#include "tracedeck/ctf/write/target_trace.hpp"
#include "tracedeck/ctf/write/trace_files.hpp"
#include "tracedeck/format/open_traces.hpp"
#include "tracedeck/model/class_table.hpp"

namespace tracedeck::ctf {
namespace {

// All packets that are open take at most so much memory, or one packet each.
constexpr std::size_t kMostBuffered = std::size_t{24} << 20;

// An event class as events of it were last written.
struct KnownClass {
  explicit KnownClass(const EventClass&) {}
  const TargetStreamClass* stream_class = nullptr;  // of its data stream
  TargetEventClass* target = nullptr;
};

class TraceWriter final : public Writer {
 public:
  TraceWriter(io::OutputDirectory& output, Dialect dialect, const WriteOptions& options)
      : output_(output),
        packet_bits_(8 * options.packet_size),
        files_(output, dialect),
        trace_(output.name(), dialect, options.single_source, options.part_of_source,
               files_.metadata()) {}

  Result<void> write(const Record& record) override {
    switch (record.kind) {
      case RecordKind::kEvent:
        return write_event(record.event);
      case RecordKind::kStreamBegin: {
        auto opened = open(*record.stream);
        if (!opened) return std::unexpected(opened.error());
        return {};
      }
      case RecordKind::kStreamEnd: {
        // While its classes are there to be looked at.
        auto described = add_other_classes(record.stream->entity);
        auto ended = end_stream(record.stream->entity);
        return described ? ended : described;
      }
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

  Result<void> describe(const TraceDescription& trace) override {
    // The environment stands beside a data stream class.
    if (trace.stream_classes().empty())
      return describe_class(made_up_.emplace_back(
          DataStreamClass{.entity = {trace.number(), ~std::uint64_t{0}}, .trace = &trace}));
    for (const DataStreamClass& stream_class : trace.stream_classes()) {
      if (auto described = describe_class(stream_class); !described) return described;
    }
    return {};
  }

  Result<void> flush() override {
    auto closed = for_each_stream([](StreamWriter& stream) -> Result<void> {
      if (!stream.packets().has_events() || !stream.can_split()) return {};
      return stream.close_packet(false);
    });
    if (!closed) return closed;
    if (auto flushed = files_.flush_metadata(); !flushed) return flushed;
    return for_each_stream([](StreamWriter& stream) { return stream.packets().flush(); });
  }

  Result<void> finish() override {
    while (!streams_.empty()) {
      if (auto ended = end_stream(streams_.begin()->first); !ended) return ended;
    }
    auto ended = for_each_stream([](StreamWriter& stream) { return stream.finish(); });
    if (!ended) return ended;
    if (auto begun = trace_.classes.begin_empty(); !begun) return begun;
    if (auto finished = files_.finish_metadata(); !finished) return finished;
    return write_environment();
  }

  [[nodiscard]] Receipt receipt() const override {
    Adaptations adaptations = trace_.adaptations;
    adaptations.add(Adaptation::kCutString, trace_.encoder.cut_strings());
    Receipt receipt = receipt_of(adaptations);
    const auto add = [&](std::string_view what, std::string_view done,
                         const std::map<std::uint64_t, std::uint64_t>& counts) {
      for (const auto& [stream_class, count] : counts) {
        receipt.push_back({.what = std::string(what),
                           .done = std::string(done),
                           .count = count,
                           .lossy = true,
                           .path = fmt::format("stream.{}", stream_class)});
      }
    };
    add("data streams without events, whose packets hold what nobody knows", "left out",
        trace_.without_packet);
    add("ids of data streams, which the first data stream lacks", "left out", trace_.ids_left_out);
    add("data streams without an id, where the first one has one", "given one", trace_.ids_added);
    for (const auto& [path, count] : trace_.classes.heads_left_out()) {
      receipt.push_back({.what = "fields of packet headers and contexts that the target's own lack",
                         .done = "left out",
                         .count = count,
                         .lossy = true,
                         .path = path});
    }
    if (trace_.other_losses != 0) {
      receipt.push_back({.what = "bounds and sizes of losses",
                         .done = "written as packets tell them: a loss lies between the packets "
                                 "around it",
                         .count = trace_.other_losses,
                         .lossy = true,
                         .path = "loss"});
    }
    return receipt;
  }

 private:
  // -- Data streams ---------------------------------------------------------------------------

  template <class Do>
  Result<void> for_each_stream(Do act) {
    for (auto& [source, stream] : streams_) {
      if (auto done = act(*stream); !done) return done;
    }
    return {};
  }

  Result<StreamWriter*> open(const DataStream& source) {
    const auto found = streams_.find(source.entity);
    if (found != streams_.end()) return found->second.get();
    auto made = create(source, StreamNames::own_id(source));
    if (!made) return std::unexpected(made.error());
    StreamWriter* const stream = made->get();
    streams_.emplace(source.entity, std::move(*made));
    last_source_ = EntityId::none();
    return stream;
  }

  // `id`: that the source has for it.
  Result<std::unique_ptr<StreamWriter>> create(const DataStream& source,
                                               std::optional<std::uint64_t> id) {
    if (traces_.begin(source.entity.trace)) {
      trace_.classes.forget([this](std::uint64_t trace) { return !traces_.has(trace); });
      classes_.clear();
    }
    auto stream_class = trace_.classes.stream_class(source);
    if (!stream_class) return std::unexpected(stream_class.error());
    auto file = files_.create_stream(names_.file_name(source));
    if (!file) return std::unexpected(file.error());
    return std::make_unique<StreamWriter>(trace_, **stream_class, std::move(*file),
                                          stream_id(*(*stream_class)->target.id, id));
  }

  std::uint64_t stream_id(std::uint64_t class_id, std::optional<std::uint64_t> own) {
    if (trace_.classes.keeps_heads()) return 0;
    if (trace_.classes.has_stream_ids()) {
      const std::uint64_t id = names_.free_id(class_id, own);
      if (id != own) ++trace_.ids_added[class_id];
      return id;
    }
    if (own) ++trace_.ids_left_out[class_id];
    return 0;
  }

  Result<void> add_other_classes(EntityId source) {
    const auto found = streams_.find(source);
    if (found == streams_.end()) return {};
    return trace_.classes.add_other_classes(found->second->stream_class(),
                                            [this] { return write_metadata(); });
  }

  // A class whose data streams have not begun, or have no events.
  Result<void> describe_class(const DataStream& any_of_it) {
    auto made = trace_.classes.stream_class(any_of_it);
    if (!made) return std::unexpected(made.error());
    if (auto written = write_metadata(); !written) return written;
    return trace_.classes.add_other_classes(**made, [this] { return write_metadata(); });
  }
  Result<void> describe_class(const DataStreamClass& source) {
    return describe_class(
        DataStream{.entity = source.entity, .stream_class = &source, .keys = {{"id", 0}}});
  }

  Result<void> end_stream(EntityId source) {
    const auto found = streams_.find(source);
    if (found == streams_.end()) return {};
    StreamWriter& stream = *found->second;
    auto done = stream.finish();
    stream.forget_memory();
    last_source_ = EntityId::none();
    traces_.end(source.trace);
    streams_.erase(found);
    return done;
  }

  Result<void> begin_packet(const Packet& packet) {
    auto opened = open(*packet.stream);
    if (!opened) return std::unexpected(opened.error());
    return (*opened)->begin_packet(packet);
  }

  Result<void> end_packet(const Packet& packet) {
    const auto found = streams_.find(packet.stream->entity);
    if (found == streams_.end()) return {};
    return found->second->end_packet(packet);
  }

  Result<void> lose(const Loss& loss) {
    if (loss.stream == nullptr) return {};
    auto opened = open(*loss.stream);
    if (!opened) return std::unexpected(opened.error());
    return (*opened)->lose(loss);
  }

  // Keeps what all open packets take within bounds: the largest one ends early.
  Result<void> keep_bounds(StreamWriter& current) {
    if (current.is_counted()) [[likely]]
      return {};
    current.count_memory();
    while (trace_.buffered > kMostBuffered) {
      const auto largest = std::ranges::find_if(trace_.by_memory, [&](StreamWriter* stream) {
        return stream != &current && (!stream->packets().is_open() || stream->can_split());
      });
      if (largest == trace_.by_memory.end()) break;
      StreamWriter& stream = **largest;
      if (stream.packets().is_open()) {
        if (auto closed = stream.close_packet(false); !closed) return closed;
      }
      stream.packets().bits().release();
      stream.count_memory();
    }
    return {};
  }

  // -- Events ---------------------------------------------------------------------------------

  Result<void> write_event(const Event& event) {
    if (event.stream->entity != last_source_) [[unlikely]] {
      auto opened = open(*event.stream);
      if (!opened) return std::unexpected(opened.error());
      last_source_ = event.stream->entity;
      last_stream_ = *opened;
    }
    StreamWriter& stream = *last_stream_;
    const KnownClass* known = &classes_[*event.event_class];
    if (known->stream_class != &stream.stream_class()) [[unlikely]] {
      auto found = find_class(*event.event_class);
      if (!found) return std::unexpected(found.error());
      known = *found;
    }
    TargetEventClass& target = *known->target;
    PacketWriter& packets = stream.packets();
    if (event.packet != nullptr && event.packet != stream.source()) [[unlikely]] {
      if (auto begun = stream.begin_packet(*event.packet); !begun) return begun;
    }
    const std::uint64_t time = stream.time_of(event);
    if (stream.ends_before(time)) [[unlikely]] {
      if (auto ended = stream.end_lost(); !ended) return ended;
    }
    if (!packets.is_open()) {
      if (auto opened = stream.open_packet(time); !opened) return opened;
    }
    if (stream.is_early(time)) {
      if (auto begun = stream.begin_another(time); !begun) return begun;
    }
    Result<bool> understood = events_.put(stream, target, event, time);
    if (!understood) return std::unexpected(understood.error());
    const bool is_full = packets.bits().position() > packet_bits_ && packets.has_events();
    if ((is_full || !*understood) && stream.can_split_at(packets.event_begin())) {
      // Readers of a packet that begins at the event's time know it whatever the header says.
      packets.abandon_event();
      if (auto begun = stream.begin_another(time); !begun) return begun;
      understood = events_.put(stream, target, event, time);
      if (!understood) return std::unexpected(understood.error());
    }
    if (!*understood) {
      packets.abandon_event();
      return fail(ErrorCode::kInvalidArgument,
                  "its event record header cannot say its time where it stands", output_.name());
    }
    if (auto ended = stream.end_event(time); !ended) return ended;
    return keep_bounds(stream);
  }

  // As one of the data stream at hand.
  Result<const KnownClass*> find_class(const EventClass& event_class) {
    if (trace_.classes.forget_many()) classes_.clear();
    auto target = trace_.classes.event_class(event_class, last_stream_->stream_class());
    if (!target) return std::unexpected(target.error());
    KnownClass& known = classes_[event_class];
    known.stream_class = &last_stream_->stream_class();
    known.target = *target;
    if (auto written = write_metadata(); !written) return std::unexpected(written.error());
    return &known;
  }

  // -- Metadata -------------------------------------------------------------------------------

  Result<void> write_metadata() { return files_.metadata().hand_on(); }

  // CTF2-SPECRC-3.0 has an auxiliary stream for it.
  Result<void> write_environment() {
    if (trace_.dialect != Dialect::kRc3) return {};
    const std::string text = environment_text(trace_.classes.environment());
    if (text.empty()) return {};
    auto file = output_.create_file(std::string(kEnvironmentFile));
    if (!file) return std::unexpected(file.error());
    if (auto written = (*file)->write(text); !written) return written;
    return (*file)->finish();
  }

  io::OutputDirectory& output_;
  std::uint64_t packet_bits_;
  TraceFiles files_;
  TraceInProgress trace_;
  EventWriter events_{trace_};
  OpenTraces traces_;  // of the data streams below
  std::unordered_map<EntityId, std::unique_ptr<StreamWriter>, EntityIdHash> streams_;
  std::deque<DataStreamClass> made_up_;  // of traces that have none
  StreamNames names_;
  EntityId last_source_ = EntityId::none();
  StreamWriter* last_stream_ = nullptr;  // of `last_source_`
  ClassCache<KnownClass> classes_;
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

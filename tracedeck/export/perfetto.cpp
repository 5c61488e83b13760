#include "tracedeck/export/perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/export/mark_exporter.hpp"
#include "tracedeck/export/perfetto_annotations.hpp"
#include "tracedeck/export/perfetto_names.hpp"
#include "tracedeck/export/perfetto_packets.hpp"
#include "tracedeck/export/perfetto_tasks.hpp"
#include "tracedeck/export/perfetto_tracks.hpp"
#include "tracedeck/export/track_depth.hpp"

namespace tracedeck::exporting {
namespace {

using perfetto::Content;
using perfetto::EventType;
using timeline::Mark;
using timeline::MarkKind;
using timeline::Timeline;
using timeline::TrackId;
using timeline::TrackKind;

// What may belong to a slice that began at the same time.
bool adds_to_slices(MarkKind kind) {
  return kind == MarkKind::kFlowIn || kind == MarkKind::kFlowOut || kind == MarkKind::kWait ||
         kind == MarkKind::kCounter;
}

// What a version of Perfetto can show.
struct Level {
  int version;
  bool state_tracks;
  bool tasks;       // events of a generic kernel
  bool callstacks;  // of events
};
constexpr std::array kLevels = {
    Level{.version = 50, .state_tracks = false, .tasks = false, .callstacks = false},
    Level{.version = 57, .state_tracks = true, .tasks = true, .callstacks = true},
};

const Level& level_of(int version) {
  const Level* chosen = kLevels.data();
  for (const Level& each : kLevels) {
    if (each.version <= version) chosen = &each;
  }
  return *chosen;
}

// The clock that times of a format are of, where they do not count from the Unix epoch.
struct FormatClock {
  std::string_view format;
  perfetto::ClockId clock;
};
constexpr std::array kFormatClocks = {FormatClock{"dial9", perfetto::ClockId::kMonotonic}};

perfetto::ClockId base_clock(const Timeline& timeline, std::string_view format) {
  if (timeline.clock() != nullptr && timeline.clock()->origin == ClockOrigin::kUnixEpoch)
    return perfetto::ClockId::kRealtime;
  const auto* const found = std::ranges::find(kFormatClocks, format, &FormatClock::format);
  return found == kFormatClocks.end() ? perfetto::ClockId::kTraceFile : found->clock;
}

constexpr std::size_t kMostGapLanes = 64;

class Perfetto final : public MarkExporter<Perfetto> {
 public:
  Perfetto(io::Output& output, PerfettoOptions options)
      : options_(std::move(options)), level_(level_of(options_.level)), packets_(output) {}

  Result<void> finish(const Timeline& timeline) override;
  [[nodiscard]] Receipt receipt() const override;

 private:
  friend class MarkExporter<Perfetto>;

  struct TrackState {
    TrackDepth depth = {};
    timeline::NameId state = timeline::kNoName;  // that is a slice, and open
  };

  [[nodiscard]] const Result<void>& status() const { return packets_.status(); }
  void begin_trace(const Timeline& timeline, std::int64_t first);
  void before(const Timeline& timeline, const Mark& mark) {
    if (!flows_.empty() && !adds_to_slices(mark.kind)) [[unlikely]]
      put_flows(timeline);
  }
  void begin_slice(const Timeline& timeline, const Mark& mark);
  void end_slice(const Timeline& timeline, const Mark& mark);
  void put_instant(const Timeline& timeline, const Mark& mark);
  // False, and counted, where it would be too deep.
  [[nodiscard]] bool begin_instant(const Timeline& timeline, const Mark& mark);
  void put_state(const Timeline& timeline, const Mark& mark);
  void put_state_slice(const Timeline& timeline, const Mark& mark);
  void put_counter(const Timeline& timeline, const Mark& mark);
  void put_flow(const Timeline& timeline, const Mark& mark);
  void put_wait(const Timeline& timeline, const Mark& mark);
  void put_gap(const Timeline& timeline, const Mark& mark);
  void put_attributes();
  // Those that wait, when what is open is complete.
  void put_flows(const Timeline& timeline);

  // Opens an event on the track of a mark.
  void begin_event(const Timeline& timeline, const Mark& mark, EventType type, Content content) {
    begin_event(mark.time, type, tracks_.uuid(timeline, mark.track, content));
    names_.put_event(timeline, mark.name);
  }
  void begin_event(std::int64_t time, EventType type, std::uint32_t uuid) {
    packets_.begin_event(type, time, uuid);
    open_ = {.time = time, .track = timeline::kNoTrack};
  }
  // That a slice or an instant is open, to which what comes of it is added.
  void keep_open(const Mark& mark, bool is_slice) {
    open_ = {.time = mark.time, .track = mark.track, .is_slice = is_slice};
  }
  [[nodiscard]] bool is_open(const Mark& mark) const {
    return packets_.event_is_open() && open_.track == mark.track && open_.time == mark.time;
  }
  [[gnu::always_inline]] TrackState& state_of(const Timeline& timeline, TrackId track) {
    if (track > states_.size()) [[unlikely]]
      states_.resize(timeline.track_count());
    return states_[track - 1];
  }
  // What the argument of a wait is called.
  [[nodiscard]] const std::string& wait_key(const Timeline& timeline, timeline::NameId name);
  [[nodiscard]] std::uint32_t gap_lane(const Timeline& timeline, const Mark& mark);

  PerfettoOptions options_;
  const Level& level_;
  perfetto::Packets packets_;
  perfetto::Names names_{packets_};
  perfetto::Callstacks callstacks_{packets_};
  perfetto::Annotations annotations_{packets_, names_, level_.callstacks ? &callstacks_ : nullptr};
  perfetto::Tracks tracks_{packets_, level_.state_tracks};
  perfetto::Tasks tasks_{packets_, tracks_};
  std::vector<TrackState> states_;      // by TrackId
  std::vector<std::string> wait_keys_;  // by NameId; empty: not made yet
  struct OpenEvent {
    std::int64_t time = 0;
    TrackId track = timeline::kNoTrack;  // kNoTrack: nothing is added to it
    bool is_slice = false;
  };
  OpenEvent open_;
  std::vector<Mark> flows_;  // that began before the event that is open
  struct GapLane {
    std::uint32_t uuid = 0;
    std::int64_t end = 0;
  };
  std::vector<GapLane> gap_lanes_;
  Uint128 base_ = 0;  // `Timeline::base`
  struct Counts {
    std::uint64_t too_deep = 0;
    std::uint64_t states_as_slices = 0;
    std::uint64_t without_begin = 0;
    std::uint64_t gaps_left_out = 0;
  };
  Counts counts_;
};

void Perfetto::begin_trace(const Timeline& timeline, std::int64_t first) {
  packets_.start(base_clock(timeline, options_.format), first, std::min(first, timeline.begin()));
  base_ = timeline.base();
  tracks_.start();
}

void Perfetto::begin_slice(const Timeline& timeline, const Mark& mark) {
  if (!state_of(timeline, mark.track).depth.begin()) {
    ++counts_.too_deep;
    return;
  }
  begin_event(timeline, mark, EventType::kSliceBegin, Content::kEvents);
  annotations_.put(mark);
  keep_open(mark, true);
}

void Perfetto::end_slice(const Timeline& timeline, const Mark& mark) {
  TrackState& track = state_of(timeline, mark.track);
  if (!track.depth.any()) {
    ++counts_.without_begin;
    begin_event(mark.begin, EventType::kSliceBegin,
                tracks_.uuid(timeline, mark.track, Content::kEvents));
    names_.put_event(timeline, mark.name);
  } else if (!track.depth.end()) {
    return;
  }
  // Perfetto shows that it did not end.
  if (mark.has(timeline::kOpenAtEnd) && !mark.has(timeline::kInferredEnd)) return;
  begin_event(mark.time, EventType::kSliceEnd,
              tracks_.uuid(timeline, mark.track, Content::kEvents));
  annotations_.put(mark);
}

void Perfetto::put_instant(const Timeline& timeline, const Mark& mark) {
  if (begin_instant(timeline, mark)) annotations_.put(mark);
}

bool Perfetto::begin_instant(const Timeline& timeline, const Mark& mark) {
  if (!state_of(timeline, mark.track).depth.instant(mark.time)) {
    ++counts_.too_deep;
    return false;
  }
  begin_event(timeline, mark, EventType::kInstant, Content::kEvents);
  keep_open(mark, false);
  return true;
}

void Perfetto::put_state(const Timeline& timeline, const Mark& mark) {
  if (level_.tasks && timeline.track(mark.track).kind == TrackKind::kTask)
    return tasks_.put(timeline, mark);
  if (!level_.state_tracks) return put_state_slice(timeline, mark);
  begin_event(timeline, mark, EventType::kStateV57, Content::kStates);
  annotations_.put(mark);
  if (mark.value != 0) annotations_.put_integer("spent before", mark.value);
}

void Perfetto::put_state_slice(const Timeline& timeline, const Mark& mark) {
  ++counts_.states_as_slices;
  timeline::NameId& open = state_of(timeline, mark.track).state;
  const std::uint32_t uuid = tracks_.uuid(timeline, mark.track, Content::kStates);
  if (open != timeline::kNoName) {
    begin_event(mark.time, EventType::kSliceEnd, uuid);
    if (mark.value != 0) annotations_.put_integer("spent", mark.value);
  }
  open = mark.name;
  if (open == timeline::kNoName) return;
  begin_event(timeline, mark, EventType::kSliceBegin, Content::kStates);
  annotations_.put(mark);
}

// A whole number that comes with the begin of a slice takes no packet of its own.
void Perfetto::put_counter(const Timeline& timeline, const Mark& mark) {
  const bool is_real = mark.has(timeline::kReal);
  const std::uint32_t uuid = tracks_.uuid(timeline, mark.track, Content::kCounter);
  ProtobufWriter& writer = packets_.writer();
  if (packets_.event_is_open() && open_.is_slice && open_.time == mark.time && !is_real) {
    writer.integer(perfetto::event_field::kExtraCounterTracks, uuid);
    writer.signed_integer(perfetto::event_field::kExtraCounterValues, mark.value);
    return;
  }
  begin_event(mark.time, EventType::kCounter, uuid);
  if (is_real) {
    writer.real(perfetto::event_field::kDoubleCounterValue, mark.real);
  } else {
    writer.signed_integer(perfetto::event_field::kCounterValue, mark.value);
  }
}

// Flows begin and end at slices and instants: at the one that is open, or at an instant made for
// it.
// Where they began is told when they arrive: that is written when what is open is complete.
void Perfetto::put_flow(const Timeline& timeline, const Mark& mark) {
  const bool began_before = mark.kind == MarkKind::kFlowOut && mark.time < open_.time;
  if (packets_.event_is_open() && began_before && open_.track != timeline::kNoTrack)
    return flows_.push_back(mark);
  if (!is_open(mark)) {
    if (!begin_instant(timeline, mark)) return;
    if (mark.name == timeline::kNoName) packets_.text(perfetto::event_field::kName, "flow");
  }
  packets_.writer().fixed(mark.kind == MarkKind::kFlowOut
                              ? perfetto::event_field::kFlowIds
                              : perfetto::event_field::kTerminatingFlowIds,
                          mark.flow);
}

void Perfetto::put_flows(const Timeline& timeline) {
  const std::vector<Mark> flows = std::exchange(flows_, {});
  open_ = {};
  for (const Mark& flow : flows) put_flow(timeline, flow);
}

// An argument of the slice that it ended with: what was waited for, and the nanoseconds.
void Perfetto::put_wait(const Timeline& timeline, const Mark& mark) {
  if (!is_open(mark) && !begin_instant(timeline, mark)) return;
  const std::string& key = wait_key(timeline, mark.name);
  if (const std::string why = unknown_duration(mark); !why.empty())
    return annotations_.put_text(key, why);
  annotations_.put_integer(key, mark.duration());
}

const std::string& Perfetto::wait_key(const Timeline& timeline, timeline::NameId name) {
  if (name >= wait_keys_.size()) wait_keys_.resize(timeline.name_count() + 1);
  std::string& key = wait_keys_[name];
  if (key.empty()) {
    key = name == timeline::kNoName ? "waited" : timeline.name(name).text;
    key += " (ns)";
  }
  return key;
}

void Perfetto::put_gap(const Timeline& timeline, const Mark& mark) {
  const std::uint32_t uuid = gap_lane(timeline, mark);
  if (uuid == 0) {
    ++counts_.gaps_left_out;
    return;
  }
  begin_event(std::min(mark.begin, mark.time), EventType::kSliceBegin, uuid);
  names_.put_event(timeline, mark.name);
  annotations_.put(mark);
  begin_event(mark.time, EventType::kSliceEnd, uuid);
}

// Of several streams gaps overlap.
std::uint32_t Perfetto::gap_lane(const Timeline& timeline, const Mark& mark) {
  const auto free = std::ranges::find_if(
      gap_lanes_, [&mark](const GapLane& lane) { return lane.end <= mark.begin; });
  if (free != gap_lanes_.end()) {
    free->end = mark.time;
    return free->uuid;
  }
  if (gap_lanes_.size() == kMostGapLanes) return 0;
  gap_lanes_.push_back(
      {.uuid = tracks_.add_lane(timeline.track(mark.track).name), .end = mark.time});
  return gap_lanes_.back().uuid;
}

void Perfetto::put_attributes() {
  if (!options_.attributes) return;
  const std::vector<TraceAttribute> attributes = options_.attributes();
  if (attributes.empty()) return;
  namespace field = perfetto::attributes_field;
  packets_.begin();
  ProtobufWriter& writer = packets_.writer();
  const std::size_t all = writer.open(perfetto::packet_field::kTraceAttributes);
  for (const TraceAttribute& each : attributes) {
    const std::size_t attribute = writer.open(field::kAttribute);
    packets_.text(field::kKey, each.key);
    if (const auto* const number = std::get_if<std::int64_t>(&each.value)) {
      writer.signed_integer(field::kLong, *number);
    } else {
      packets_.text(field::kString, std::get<std::string>(each.value));
    }
    writer.close(attribute);
  }
  writer.close(all);
  packets_.end();
}

Result<void> Perfetto::finish(const Timeline& timeline) {
  start(timeline, timeline.begin());
  put_flows(timeline);
  put_attributes();
  return packets_.finish();
}

Receipt Perfetto::receipt() const {
  const perfetto::TaskCounts& tasks = tasks_.counts();
  // Perfetto has 63 bits of a time.
  const std::uint64_t shift = packets_.times().shift;
  Receipt receipt = {
      {"time before 0", fmt::format("all times are {} ns later", shift),
       shift == 0 || base_ != 0 ? 0U : 1U, false},
      {"time near 2^63 ns or beyond",
       fmt::format(
           "all times are {} ns earlier",
           (Nanoseconds::from_unsigned(base_) - static_cast<std::int64_t>(shift)).to_string()),
       base_ == 0 ? 0U : 1U, false},
      {"time before the trace's begin, or beyond 2^63 ns", "moved there", packets_.times().clamped},
      {"slice or instant more than 500 deep", "left out", counts_.too_deep},
      {"end of a slice that did not begin", "begun where it says", counts_.without_begin, false},
      {"state", "written as a slice", counts_.states_as_slices, false},
      {"unknown state of a task", "written as gone", tasks.unknown},
      {"state of a task that it is in, or creation of a known one", "left out", tasks.repeated,
       false},
      {"state of a task behind later ones", "left out", tasks.late},
      {"task that runs on a processor that is not known", "put on one that is free", tasks.placed},
      {"loss beside 64 others", "left out", counts_.gaps_left_out},
      {"name beyond 65,536", "written out each time", names_.written_out(), false},
      {"stack beyond 65,536 others or frames", "written as a list of addresses",
       annotations_.stacks_as_lists(), false},
      {"text that is no UTF-8", "written with U+FFFD", packets_.repaired()},
  };
  std::erase_if(receipt, [](const ReceiptEntry& entry) { return entry.count == 0; });
  return receipt;
}

}  // namespace

std::unique_ptr<Exporter> make_perfetto(io::Output& output, PerfettoOptions options) {
  return std::make_unique<Perfetto>(output, std::move(options));
}

}  // namespace tracedeck::exporting

#include "tests/page/made_up_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::tests {

using timeline::NameId;
using timeline::Timeline;
using timeline::TrackId;
using timeline::TrackKind;

const std::vector<std::string> kHostileNames = {
    "</script><img src=x onerror=\"document.title='owned'\">",
    "<svg onload=document.title='owned'>",
    "\"'`&lt;${document.title='owned'}",
    "abc\xE2\x80\xAE gnp.exe \xE2\x81\xA6 isolated",
    "]]><!-- --> <script>document.title='owned'</script>",
    "line\nbreak\ttab\x01\x02 null",
    "\xFF\xFE not UTF-8 \xC0",
    "__proto__",
    "constructor",
    std::string(10'240, 'W'),
};

struct MadeUpMarks::Worker {
  TrackId track;
  TrackId states;
  TrackId queue;
  std::int64_t now;
};

MadeUpMarks::MadeUpMarks(timeline::MarkSink& sink, std::FILE* listing)
    : sink_(sink),
      listing_(listing),
      description_(std::make_shared<TraceDescription>("made up", "none", "1")),
      batch_(std::make_unique<Batch>()) {
  EventClass event_class;
  event_class.clock = &description_->add_clock({.id = "ns", .origin = ClockOrigin::kUnixEpoch});
  event_class.payload = make_field_class(StructureClass{
      .members = {{.name = "task_id", .field_class = make_field_class(IntegerClass{})},
                  {.name = "where", .field_class = make_field_class(StringClass{})}}});
  event_class_ = &description_->add_event_class(std::move(event_class));
  for (const char* const name : {"task_id", "where"}) {
    arguments_.add(name, {.steps = {{.name = name}}}, *event_class_);
  }
  timeline_.note_clock(*event_class_->clock);
  timeline_.note_table("made up");
}

std::uint64_t MadeUpMarks::random(std::uint64_t below) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_ % below;
}

TrackId MadeUpMarks::track(TrackKind kind, std::string name, TrackId parent, std::uint32_t rank) {
  return timeline_.add_track(
      {.kind = kind, .parent = parent, .name = std::move(name), .rank = rank});
}

MadeUpMarks::Mark& MadeUpMarks::put(MarkKind kind, TrackId track, NameId name, std::int64_t time) {
  constexpr std::size_t kTogether = 1'024;
  if (marks_.size() >= kTogether) hand_on();
  timeline_.note_time(time);
  ++timeline_.mutable_counts().events;
  Mark mark;
  mark.kind = kind;
  mark.track = track;
  mark.name = name;
  mark.time = time;
  if (kind == MarkKind::kSliceEnd) ++slices_;
  return marks_.emplace_back(mark);
}

void MadeUpMarks::slice_end(TrackId track, NameId name, std::int64_t begin, std::int64_t end,
                            unsigned flags) {
  Mark& mark = put(MarkKind::kSliceEnd, track, name, end);
  mark.begin = begin;
  mark.flags = static_cast<std::uint16_t>(flags);
}

void MadeUpMarks::with_arguments(Mark& mark, std::uint64_t number, std::string_view text) {
  const std::string& kept = texts_.emplace_back(text);
  Slot* const slots = batch_->tape_position();
  slots[0] = unsigned_slot(number);
  slots[1] =
      bytes_slot(SlotKind::kString, as_bytes(kept).data(), static_cast<std::uint32_t>(kept.size()));
  batch_->commit_tape(slots + 2);
  Event& event = events_.emplace_back();
  event.event_class = event_class_;
  event.slots = slots;
  event.slot_count = 2;
  mark.event = &event;
  mark.arguments = &arguments_;
}

void MadeUpMarks::list(const Mark& mark) {
  std::fprintf(listing_,
               "{\"kind\":%d,\"flags\":%u,\"track\":%u,\"name\":%u,\"cpu\":%d,\"time\":%lld,",
               static_cast<int>(mark.kind), unsigned{mark.flags}, mark.track, mark.name, mark.cpu,
               static_cast<long long>(mark.time));
  if (mark.has(timeline::kReal)) {
    std::fprintf(listing_, "\"real\":%.17g", mark.real);
  } else {
    std::fprintf(listing_, "\"value\":%lld", static_cast<long long>(mark.value));
  }
  if (mark.event != nullptr) {
    std::fprintf(listing_, ",\"task_id\":%llu",
                 static_cast<unsigned long long>(mark.event->slots[0].bits));
  }
  std::fprintf(listing_, "}\n");
}

void MadeUpMarks::hand_on() {
  if (listing_ != nullptr) {
    for (const Mark& mark : marks_) list(mark);
  }
  if (status_) status_ = sink_.take(timeline_, marks_);
  marks_.clear();
  events_.clear();
  texts_.clear();
  if (!batch_->tape_unused()) batch_ = std::make_unique<Batch>();
}

Result<void> MadeUpMarks::make(std::string_view shape, std::uint64_t count) {
  if (shape == "flat") make_flat(count);
  if (shape == "runtime") make_runtime(count);
  if (shape == "odd") make_odd();
  if (shape == "hostile") make_hostile();
  if (shape == "wild") make_wild(count);
  hand_on();
  if (!status_) return status_;
  return sink_.finish(timeline_);
}

// Durations and pauses of every order from 100 ns to 100 us, 40 names.
void MadeUpMarks::make_flat(std::uint64_t count) {
  const char* const wanted = std::getenv("PAGE_TRACKS");
  const std::size_t track_count = wanted == nullptr ? 16 : std::strtoull(wanted, nullptr, 10);
  constexpr std::uint64_t kNames = 40;
  std::vector<NameId> names;
  for (std::uint64_t i = 0; i < kNames; ++i)
    names.push_back(timeline_.add_name("poll", "main.rs:" + std::to_string(100 + 7 * i)));
  std::vector<TrackId> tracks(track_count);
  std::vector<std::int64_t> now(track_count);
  for (std::size_t i = 0; i < track_count; ++i)
    tracks[i] = track(TrackKind::kThread, "worker " + std::to_string(i));
  const auto some = [this] {
    return static_cast<std::int64_t>(random(std::uint64_t{100} << random(10)));
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t on = i % track_count;
    const std::int64_t begin = now[on] + some();
    const std::int64_t end = begin + 1 + some();
    const NameId name = names[random(kNames)];
    put(MarkKind::kSliceBegin, tracks[on], name, begin);
    slice_end(tracks[on], name, begin, end);
    now[on] = end;
  }
}

void MadeUpMarks::poll(Worker& worker) {
  static constexpr std::array kPlaces = {"axum_traced.rs:173", "hyper-util rt/tokio.rs:115",
                                         "main.rs:220", "reqwest connect.rs:88"};
  static constexpr std::array kSpans = {"query_metric", "ddb::query_metric", "encode", "compress"};
  const std::uint64_t place = random(100) < 70 ? 0 : random(kPlaces.size());
  const NameId name = timeline_.add_name("poll", kPlaces[place]);
  const std::int64_t begin = worker.now;
  const std::uint64_t task = random(120);
  const bool is_long = random(4'000) == 0;
  const auto length = static_cast<std::int64_t>(
      is_long ? 5'000'000 + random(45'000'000) : 2'000 + random(std::uint64_t{1'000} << random(8)));
  with_arguments(put(MarkKind::kSliceBegin, worker.track, name, begin), task, kPlaces[place]);
  Mark& wait = put(MarkKind::kWait, worker.track, timeline_.add_name("", "wake -> poll"), begin);
  wait.begin = begin - static_cast<std::int64_t>(random(std::uint64_t{500} << random(11)));
  Mark& queue = put(MarkKind::kCounter, worker.queue, timeline::kNoName, begin);
  queue.value = static_cast<std::int64_t>(random(1 + random(40)));
  if (random(3) == 0) {
    const NameId outer = timeline_.add_name("span", kSpans[random(2)]);
    const std::int64_t inside = begin + length / 8;
    put(MarkKind::kSliceBegin, worker.track, outer, inside);
    std::int64_t until = begin + length / 2;
    if (random(2) == 0) {
      const NameId inner = timeline_.add_name("span", kSpans[2 + random(2)]);
      put(MarkKind::kSliceBegin, worker.track, inner, inside + 400);
      slice_end(worker.track, inner, inside + 400, until);
      until += 200;
    }
    slice_end(worker.track, outer, inside, until);
  }
  slice_end(worker.track, name, begin, begin + length);
  worker.now = begin + length + static_cast<std::int64_t>(random(3'000));
}

void MadeUpMarks::park(Worker& worker) {
  put(MarkKind::kState, worker.states, timeline_.add_name("", "parked"), worker.now);
  worker.now += static_cast<std::int64_t>(random(std::uint64_t{20'000} << random(7)));
  Mark& active = put(MarkKind::kState, worker.states, timeline_.add_name("", "active"), worker.now);
  active.value = 1'500;
  active.cpu = static_cast<std::int32_t>(random(8));
}

void MadeUpMarks::make_runtime(std::uint64_t count) {
  constexpr std::int64_t kBegin = 1'767'225'600'000'000'000;
  const TrackId process = track(TrackKind::kProcess, "metrics-service");
  const TrackId notes = track(TrackKind::kPlain, "samples", process, 3);
  std::vector<Worker> workers;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "worker " + std::to_string(i);
    workers.push_back({track(TrackKind::kThread, name, process, 0),
                       track(TrackKind::kState, name + " state", process, 1),
                       track(TrackKind::kCounter, name + " local queue", process, 2), kBegin});
    put(MarkKind::kState, workers.back().states, timeline_.add_name("", "active"), kBegin);
  }
  const NameId sample = timeline_.add_name("", "on cpu");
  std::uint64_t flow = 0;
  for (std::uint64_t i = 0; slices_ < count; ++i) {
    Worker& worker = *std::ranges::min_element(workers, {}, &Worker::now);
    if (count > 1 && random(6) == 0) park(worker);
    const Worker& other = workers[random(workers.size())];
    const bool wakes = random(40) == 0;
    if (wakes) {
      Mark& out = put(MarkKind::kFlowOut, other.track, timeline::kNoName, other.now);
      out.flow = ++flow;
      worker.now = std::max(worker.now, other.now + 500);
      put(MarkKind::kFlowIn, worker.track, timeline::kNoName, worker.now).flow = flow;
    }
    if (random(12) == 0)
      with_arguments(put(MarkKind::kInstant, notes, sample, worker.now), i, "stack 17");
    if (count >= 500 && i % (count / 5) == count / 10) {
      const bool damaged = i > count / 4;
      Mark& gap =
          put(MarkKind::kGap, timeline::kNoTrack,
              timeline_.add_name(damaged ? "damage" : "loss",
                                 damaged ? "612 bytes could not be read" : "lost 7002 events"),
              worker.now + 60'000);
      gap.begin = worker.now;
      for (Worker& each : workers) each.now = std::max(each.now, worker.now + 60'000);
      timeline_.mutable_counts().lost_events += damaged ? 0 : 7'002;
      ++timeline_.mutable_counts().gaps;
    }
    poll(worker);
  }
}

// Each case of disorder once, a few nanoseconds apart.
void MadeUpMarks::make_odd() {
  const TrackId process = track(TrackKind::kProcess, "odd");
  const TrackId thread = track(TrackKind::kThread, "thread", process);
  const TrackId lanes = track(TrackKind::kLanes, "spans", process);
  const TrackId second = timeline_.add_track({.kind = TrackKind::kLanes,
                                              .parent = process,
                                              .name = "spans",
                                              .lane = 1,
                                              .first_lane = lanes});
  const TrackId task = track(TrackKind::kTask, "task", process);
  const TrackId values = track(TrackKind::kCounter, "values", process);
  const auto name = [this](const char* text) { return timeline_.add_name("", text); };
  const NameId a = name("a");
  const NameId b = name("b");
  const NameId c = name("c");
  put(MarkKind::kSliceBegin, thread, a, 1'000);
  put(MarkKind::kSliceBegin, thread, b, 1'100);
  slice_end(thread, b, 1'100, 1'200);
  put(MarkKind::kSliceBegin, thread, b, 1'200);
  slice_end(thread, b, 1'200, 1'200);
  slice_end(thread, a, 1'000, 1'500);
  // Began before: comes late, and encloses what ended already.
  put(MarkKind::kSliceBegin, thread, c, 1'000).flags = timeline::kBeganBefore | timeline::kLate;
  slice_end(thread, c, 1'000, 1'600, timeline::kBeganBefore);
  // Ends where another begins, across a loss, before it began.
  put(MarkKind::kSliceBegin, thread, a, 1'700);
  slice_end(thread, a, 1'700, 1'800, timeline::kInferredEnd);
  put(MarkKind::kSliceBegin, thread, a, 1'800);
  Mark& gap = put(MarkKind::kGap, thread, name("lost 3 events"), 1'900);
  gap.begin = 1'850;
  slice_end(thread, a, 1'800, 2'000, timeline::kAcrossLoss);
  put(MarkKind::kSliceBegin, thread, a, 2'100);
  slice_end(thread, a, 2'100, 2'100, timeline::kNegative);
  put(MarkKind::kInstant, thread, name("unmatched end"), 2'150).flags = timeline::kUnmatchedEnd;
  // Moves to another lane.
  put(MarkKind::kSliceBegin, lanes, a, 2'200);
  slice_end(lanes, a, 2'200, 2'300, timeline::kMoved);
  put(MarkKind::kSliceBegin, second, a, 2'300).flags = timeline::kMoved;
  slice_end(second, a, 2'200, 2'400, timeline::kOverlap);
  // States, with an unknown one; the processor that was used; what was spent.
  put(MarkKind::kState, task, name("running"), 1'000).cpu = 2;
  Mark& blocked = put(MarkKind::kState, task, name("blocked"), 1'300);
  blocked.value = 250;
  put(MarkKind::kState, task, timeline::kNoName, 1'850);
  put(MarkKind::kState, task, name("running"), 1'900).cpu = 0;
  for (int i = 0; i < 10; ++i)
    put(MarkKind::kCounter, values, timeline::kNoName, 1'000 + 100 * i).value = i * i - 20;
  for (int i = 0; i < 5; ++i) {
    Mark& real = put(MarkKind::kCounter, values, timeline::kNoName, 2'000 + 100 * i);
    real.flags = timeline::kReal;
    real.real = std::sqrt(i);
  }
  Mark& wait = put(MarkKind::kWait, thread, name("wake -> run"), 2'450);
  wait.begin = 2'050;
  put(MarkKind::kFlowOut, task, timeline::kNoName, 2'050).flow = 7;
  put(MarkKind::kFlowIn, thread, timeline::kNoName, 2'450).flow = 7;
  put(MarkKind::kFlowIn, thread, timeline::kNoName, 2'460).flow = 8;
  Mark& marked = put(MarkKind::kSliceBegin, thread, a, 2'450);
  marked.flags = timeline::kMarked;
  with_arguments(marked, 42, "here");
  slice_end(thread, a, 2'450, 2'600);
  put(MarkKind::kSliceBegin, thread, b, 2'700);
  slice_end(thread, b, 2'700, 3'000, timeline::kOpenAtEnd);
}

// What no interpreter makes: times from one end of 64 bits to the other, in no order.
void MadeUpMarks::make_wild(std::uint64_t count) {
  for (int i = 0; i < 6; ++i) track(TrackKind::kPlain, "track");
  for (int i = 0; i < 6; ++i) timeline_.add_name("", std::to_string(i));
  const auto time = [this] {
    const std::uint64_t bits = random(~std::uint64_t{0});
    return static_cast<std::int64_t>(bits) >> random(64);
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    Mark& mark = put(static_cast<MarkKind>(random(9)), static_cast<TrackId>(random(7)),
                     static_cast<NameId>(random(7)), time());
    mark.flags = static_cast<std::uint16_t>(random(1 << 12));
    mark.begin = time();
  }
}

void MadeUpMarks::make_hostile() {
  std::int64_t now = 1'000;
  for (const std::string& name : kHostileNames) {
    const TrackId on = track(TrackKind::kThread, name);
    const NameId id = timeline_.add_name(name, name);
    with_arguments(put(MarkKind::kSliceBegin, on, id, now), 1, name);
    slice_end(on, id, now, now + 900);
    with_arguments(put(MarkKind::kInstant, on, id, now + 950), 2, name);
    Mark& gap = put(MarkKind::kGap, timeline::kNoTrack, id, now + 980);
    gap.begin = now + 960;
    now += 1'000;
  }
}

}  // namespace tracedeck::tests

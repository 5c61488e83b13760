#include "tracedeck/timeline/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tracedeck/flow/damaged_parts.hpp"
#include "tracedeck/flow/late_events.hpp"
#include "tracedeck/flow/stream_times.hpp"
#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/timeline/class_plans.hpp"
#include "tracedeck/timeline/marking.hpp"
#include "tracedeck/timeline/rule_parts.hpp"
#include "tracedeck/timeline/rules.hpp"
#include "tracedeck/timeline/simultaneous_events.hpp"

namespace tracedeck::timeline {

class Interpreter::Work {
 public:
  explicit Work(InterpreterOptions options) : options_(std::move(options)) {}

  Result<void> compile() {
    if (options_.name_of_trace)
      context_.origins.name_traces_with(std::move(options_.name_of_trace));
    return plans_.compile(options_.tables);
  }

  Result<void> add(const BatchPtr& batch, MarkSink& sink) {
    batches_.push_back(batch);
    others_.clear();
    losses_known_ = false;
    count_with(sink.counter());
    forget_at_hand();
    context_.origins.look_in(batch.get());
    std::span<const Record> records = batch->records();
    if (counts_from_) records = take_before(records);
    const std::size_t traces = context_.origins.trace_count();
    take(records);
    if (context_.origins.trace_count() > 1) note_ends(batch->records(), traces);
    note_last(batch->records());
    if (!context_.scope.texts.empty()) context_.scope.texts.clear();
    context_.origins.look_in(nullptr);
    const auto handed = hand_on(sink);
    let_go_of_batches();
    return handed;
  }

  Result<void> finish(MarkSink& sink) {
    count_with(sink.counter());
    flush_whole();
    note_plain_time();
    if (counts_from_) begin_counting();
    if (last_time_) timeline_.note_time(*last_time_);
    end_damage(timeline_.end());
    parts_.finish([&](PartedInput& input) {
      if (input.open_parts > 0) input.end = timeline_.end();
      end_damage_of(input, now_.number);
    });
    lose_rest_of_ended();
    count_late_begins();
    note_section_ends();
    plans_.for_each_rules([&](RuleSet& rules) { rules.finish({.time = timeline_.end()}); });
    marking_.finish(timeline_.end());
    timeline_.settle_names();
    if (const auto handed = hand_on(sink); !handed) return handed;
    return sink.finish(timeline_);
  }

  [[nodiscard]] const Timeline& timeline() const { return timeline_; }
  [[nodiscard]] const std::vector<BatchPtr>& batches() const { return batches_; }
  [[nodiscard]] const std::vector<const Record*>& others() const { return others_; }
  [[nodiscard]] Timeline& timeline() { return timeline_; }

  [[nodiscard]] std::vector<std::string> explained() const { return plans_.explained(); }
  [[nodiscard]] std::vector<std::string> notices() const {
    std::vector<std::string> notices = plans_.notices(events_ != 0);
    if (const std::uint64_t others = marking_.other_states().count(); others != 0)
      notices.push_back(render::say<"notice/many-tracks">(render::Plain(Marking::kMostTracks),
                                                          render::Plain(others)));
    if (const std::uint64_t events = marking_.states_without_room(); events != 0)
      notices.push_back(render::say<"notice/more-tracks">(render::Plain(events),
                                                          render::Plain(OtherStates::kMost)));
    return notices;
  }

  void count_from(std::int64_t time) {
    if (!is_counting_) counts_from_ = time;
  }

 private:
  using StreamStates = std::unordered_map<EntityId, StreamState, EntityIdHash>;
  // An input whose data streams are parts of it, one behind the other.
  struct PartedInput : flow::DamagedInput {
    std::int64_t end = 0;  // of parts that ended
    std::int64_t damage_begin = 0;
    Losses losses = {};  // that may be of any part
  };
  using Parts = flow::DamagedParts<PartedInput>;

  void take(std::span<const Record> records) {
    Moment& now = now_;
    const std::size_t others = others_.size();
    for (const Record& record : records) {
      if (record.kind != RecordKind::kEvent) [[unlikely]] {
        others_.push_back(&record);
        take(record);
        continue;
      }
      const EventClass* const event_class = record.event.event_class;
      const std::size_t place = at_hand(event_class);
      if (at_hand_.planned[place] == event_class) [[likely]] {
        if (is_plain(record.event)) [[likely]]
          run_plain(place, record.event, now);
        else
          take_otherwise(record.event);
      } else if (at_hand_.skipped[place] != event_class) [[unlikely]] {
        take_any(record.event);
      }
    }
    events_ += records.size() - (others_.size() - others);
  }

  // Takes the records before the first event from which on is counted. Returns the others.
  [[nodiscard]] std::span<const Record> take_before(std::span<const Record> records) {
    const auto first = std::ranges::find_if(records, [&](const Record& record) {
      return record.kind == RecordKind::kEvent && record.event.event_class->has_real_time() &&
             timeline_.time_of(record.event.began_at()) >= *counts_from_;
    });
    const auto before = static_cast<std::size_t>(first - records.begin());
    take(records.first(before));
    if (first == records.end()) return {};
    begin_counting();
    return records.subspan(before);
  }
  void begin_counting() {
    flush_whole();
    TimelineCounts& counts = timeline_.mutable_counts();
    const std::uint64_t ended_early = counts.ended_early;
    counts.forget_places();
    counts.ended_early = ended_early;
    // What is being lost reaches into what is counted.
    for (const auto& [key, stream] : streams_) {
      const bool is_begin = stream.gap_begin != kNoTime && !stream.is_damaged;
      if (stream.is_losing && !stream.has_ended && !is_begin && stream.losing_until > *counts_from_)
        ++counts.gaps;
    }
    if (damage_pending_) ++counts.gaps;
    std::erase_if(lack_begin_,
                  [&](const StreamState* each) { return each->begin <= *counts_from_; });
    counts_from_.reset();
    is_counting_ = true;
    uncounted_ = events_ - now_.number;
  }

  // What goes on where a clock stepped back ends with what came behind that.
  void note_section_ends() {
    std::map<std::pair<const StreamsOfTrace*, std::uint32_t>, std::int64_t> ends;
    for (const auto& [key, stream] : streams_) {
      if (stream.steps == 0) continue;
      const auto [end, is_new] = ends.try_emplace({stream.all, stream.steps}, stream.latest);
      end->second = std::max(end->second, stream.latest);
    }
    for (auto& [key, stream] : streams_) {
      if (stream.steps != 0) stream.section_end = ends[{stream.all, stream.steps}];
    }
  }

  // Of several traces each has its end. `before`: how many there were before this batch; all that
  // came until then was of the only one.
  void note_ends(std::span<const Record> records, std::size_t before) {
    if (before == 1 && last_time_) timeline_.note_end(kFirstTrace, *last_time_);
    const Event* last = nullptr;
    const auto note = [&] {
      if (last == nullptr) return;
      const std::int64_t time = timeline_.time_of(last->recorded_at());
      if (has_reach(time)) timeline_.note_end(context_.origins.of(*last->event_class).trace, time);
    };
    for (const Record& record : records) {
      if (record.kind != RecordKind::kEvent || !record.event.event_class->has_real_time()) continue;
      if (last != nullptr && last->stream != record.event.stream) note();
      last = &record.event;
    }
    note();
  }

  // Of events of which nothing becomes the time is not looked at. What comes in the order of time
  // ends with the last one.
  void note_last(std::span<const Record> records) {
    for (const Record& record : std::views::reverse(records)) {
      if (record.kind != RecordKind::kEvent) continue;
      const ClassPlan& plan = planned(record.event);
      if (plan.clock == nullptr) continue;
      if (const std::int64_t time = plan.time_of(record.event.time); has_reach(time)) {
        last_time_ = time;
        return;
      }
    }
  }

  void count_with(SpanCounter* counter) {
    const bool counted = marking_.counts();
    marking_.count_with(counter);
    // What is planned is for one of both.
    if (marking_.counts() == counted) return;
    flush_whole();
    plans_.clear();
  }

  static constexpr std::size_t kAtHand = 64;
  // Classes of the batch at hand, found in a few instructions: arrays of words are reached in fewer
  // than what would hold these together. Others are in `plans_` alone.
  struct ClassesAtHand {
    template <class T>
    using OfEach = std::array<T, kAtHand>;

    OfEach<const EventClass*> skipped = {};  // nothing becomes of its events
    OfEach<const EventClass*> planned = {};  // another one, which is plain
    // What it takes (`PlannedRun`).
    OfEach<Action::Run> run = {};
    OfEach<Action*> action = {};
  };

  // The places of the classes of one trace differ, as long as they are few,
  [[nodiscard]] static std::size_t at_hand(const EventClass* event_class) {
    return event_class->entity.ordinal % kAtHand;
  }
  // and where several traces take turns, those of the later ones are mostly here.
  [[nodiscard]] static std::size_t also_at_hand(const EventClass* event_class) {
    const EntityId& entity = event_class->entity;
    return (entity.ordinal + (entity.trace * 0x9E3779B97F4A7C15U >> 32U)) % kAtHand;
  }

  // An event of a plain class that is not plain itself.
  [[gnu::noinline]] void take_otherwise(const Event& event) {
    run_any(plans_[*event.event_class], event);
  }

  // An event whose class is not at its first place.
  [[gnu::noinline]] void take_any(const Event& event) {
    const EventClass* const event_class = event.event_class;
    const std::size_t also = also_at_hand(event_class);
    if (at_hand_.skipped[also] == event_class) return;
    if (at_hand_.planned[also] == event_class && is_plain(event))
      return run_plain(also, event, now_);
    ClassPlan& plan = planned(event);
    if (plan.way == ClassPlan::Way::kSkipped) return note_skipped(event_class);
    if (plan.way == ClassPlan::Way::kPlain) note_planned(event_class, plan.usual);
    run_any(plan, event);
  }
  void note_skipped(const EventClass* event_class) {
    const std::size_t first = at_hand(event_class);
    const std::size_t place =
        at_hand_.skipped[first] == nullptr ? first : also_at_hand(event_class);
    at_hand_.skipped[place] = event_class;
    used_at_hand_ |= std::uint64_t{1} << place;
  }
  void note_planned(const EventClass* event_class, const PlannedRun& usual) {
    const std::size_t first = at_hand(event_class);
    const std::size_t place =
        at_hand_.planned[first] == nullptr ? first : also_at_hand(event_class);
    at_hand_.planned[place] = event_class;
    at_hand_.run[place] = usual.run;
    at_hand_.action[place] = usual.action;
    used_at_hand_ |= std::uint64_t{1} << place;
  }
  void forget_at_hand() {
    for (; used_at_hand_ != 0; used_at_hand_ &= used_at_hand_ - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(used_at_hand_));
      at_hand_.skipped[place] = nullptr;
      at_hand_.planned[place] = nullptr;
    }
  }

  [[nodiscard]] ClassPlan& planned(const Event& event) {
    ClassPlan& plan = plans_[*event.event_class];
    return plan.way == ClassPlan::Way::kUnplanned ? plan_first(event) : plan;
  }

  // An event of a class that has no plan yet.
  [[nodiscard, gnu::noinline, gnu::cold]] ClassPlan& plan_first(const Event& event) {
    // Classes that have a plan may get another.
    forget_at_hand();
    if (plans_.is_full()) {
      flush_whole();
      plans_.clear();
    }
    while (!plans_.plan(event)) {
      flush_whole();
      plans_.clear();
    }
    if (plans_.streams_overlap())
      parts_.overlap([&](PartedInput& input) { begin_damage(input, true); });
    return plans_[*event.event_class];
  }

  // What nearly all events are, if their class is plain: of the last one's stream, later, and
  // nothing is pending. None is before 0, as times beyond 63 bits are then.
  [[nodiscard, gnu::always_inline]] bool is_plain(const Event& event) const {
    return event.stream == plain_stream_ && static_cast<std::int64_t>(event.time) >= now_.time;
  }

  // `place`: of its class at hand.
  [[gnu::always_inline]] void run_plain(std::size_t place, const Event& event, Moment& now) const {
    ++now.number;
    now.event = &event;
    now.time = static_cast<std::int64_t>(event.time);
    at_hand_.run[place](*at_hand_.action[place], now);
  }

  [[gnu::noinline]] void run_any(ClassPlan& plan, const Event& event) {
    if (plan.actions.empty()) {
      if (plan.without_time) ++timeline_.mutable_counts().without_time;
      return;
    }
    if (is_too_far(plan, event)) [[unlikely]] {
      ++timeline_.mutable_counts().too_far;
      return;
    }
    ++now_.number;
    note_plain_time();
    const bool is_other_stream = note_stream(event);
    now_.event = &event;
    if (plan.clock != nullptr) {
      now_.time = plan.time_of(event.time);
      timeline_.note_time(now_.time);
    }
    if (is_other_stream && now_.stream != nullptr) {
      if (!plan.may_be_late) now_.stream->first = std::min(now_.stream->first, now_.time);
      if (context_.origins.trace_count() > 1)
        now_.stream->all->begin = std::min(now_.stream->all->begin, now_.time);
    }
    if (marking_.is_losing() || !ended_.empty()) [[unlikely]]
      pass_losses();
    if (!over_.empty()) [[unlikely]]
      end_traces();
    if (damage_pending_) [[unlikely]]
      end_damage(now_.time);
    if (plan.has_duration) return take_whole(plan, event);
    if (!whole_.empty()) [[unlikely]]
      flush_whole();
    if (now_.time < *latest_) [[unlikely]]
      step_back(now_);
    else
      *latest_ = now_.time;
    marking_.pass(now_.time);
    for (const auto& action : plan.actions) action->run(now_);
    const bool may_be_plain = plan.clock != nullptr && now_.time >= 0 && now_.time == *latest_;
    note_pending(!may_be_plain || damage_pending_ || marking_.any_ending() ||
                 marking_.is_losing() || !ended_.empty());
  }

  // Whether no time of a mark can say when the event was, or ended.
  [[nodiscard]] static bool is_too_far(const ClassPlan& plan, const Event& event) {
    const auto is_held = [&](std::uint64_t value) { return has_reach(plan.time_of(value)); };
    return plan.clock != nullptr &&
           (!is_held(event.time) || (plan.has_duration && !is_held(event.end_time)));
  }
  [[nodiscard]] static bool has_reach(std::int64_t time) {
    return time != kNoTime && time != std::numeric_limits<std::int64_t>::min();
  }

  // What was lost of a stream lies before its next event, unless it has an end that is later.
  // Streams end when tracing does: of one that ends long before there was more.
  [[gnu::noinline, gnu::cold]] void pass_losses() {
    if (now_.stream != nullptr &&
        (now_.stream->losing_until == kNoTime || now_.stream->losing_until <= now_.time))
      end_loss(*now_.stream, now_.number - 1);
    parts_.pass([&](const Nanoseconds& time) { return timeline_.time_of(time) <= now_.time; },
                [&](PartedInput& input) { end_damage_of(input, now_.number - 1); });
    if (now_.time > losing_until_) {
      losing_until_ = kNoTime;
      for (auto& [key, stream] : streams_) {
        if (!stream.is_losing) continue;
        if (stream.losing_until < now_.time)
          end_loss(stream, now_.number - 1);
        else
          losing_until_ = std::min(losing_until_, stream.losing_until);
      }
    }
    std::erase_if(ended_, [&](const EndedStream& each) {
      const std::int64_t since = now_.time - each.time;
      const std::int64_t so_far = now_.time - timeline_.begin();
      if (!each.is_damaged) {
        // Of several traces each ends by itself, and perhaps this one did.
        if (now_.stream == nullptr || now_.stream->of_trace != each.stream->of_trace) {
          if (since <= so_far / kVeryLongBefore) return false;
          ended_traces_[each.stream->of_trace].push_back(each);
          return true;
        }
        // Where a clock stepped back times are others.
        if (now_.stream->steps != each.stream->steps) return false;
        if (since <= so_far / kLongBefore) return false;
      }
      lose_rest(each, now_.time);
      return true;
    });
    now_.stretch = marking_.is_losing() ? marking_.new_stretch() : marking_.stretch_of(now_.stream);
  }

  void end_loss(StreamState& stream, std::uint64_t number) {
    if (stream.gap_begin != kNoTime) draw_gap(stream, now_.time);
    marking_.end_loss(stream, number);
  }
  void draw_gap(StreamState& stream, std::int64_t end) {
    const bool is_damaged = std::exchange(stream.is_damaged, false);
    if (!is_damaged) end = std::min(end, stream.begin);
    stream.gap_begin = std::max(stream.gap_begin, timeline_.begin());
    marking_.draw_gap(stream,
                      is_damaged ? marking_.add_name("damage", "damaged")
                                 : marking_.add_name("loss", "before the first packet"),
                      std::max(end, stream.gap_begin));
  }

  // Of streams that ended long before their traces did, behind the last event that a rule is about.
  void lose_rest_of_ended() {
    for (auto& [trace, streams] : ended_traces_)
      ended_.insert(ended_.end(), streams.begin(), streams.end());
    std::ranges::sort(ended_, {}, [](const EndedStream& each) {
      return std::pair(each.number, each.stream->id.ordinal);
    });
    // What was recorded until when, with events or without: of the streams of a trace whose clock
    // stepped back as often, for times are others behind a step.
    struct Recorded {
      std::int64_t event = std::numeric_limits<std::int64_t>::min();
      std::int64_t end = std::numeric_limits<std::int64_t>::min();
    };
    std::map<std::pair<const Losses*, std::uint32_t>, Recorded> recorded;
    std::set<const Losses*> stepped;  // traces
    for (const auto& [key, stream] : streams_) {
      if (stream.steps != 0) stepped.insert(stream.of_trace);
      Recorded& of = recorded[{stream.of_trace, stream.steps}];
      of.event = std::max(of.event, stream.latest);
      of.end = std::max(of.end, of.event);
      if (stream.packet_end != kNoTime) of.end = std::max(of.end, stream.packet_end);
    }
    for (const EndedStream& each : ended_) {
      const Recorded& of = recorded[{each.stream->of_trace, each.stream->steps}];
      const bool by_steps = !each.is_damaged && stepped.contains(each.stream->of_trace);
      const std::int64_t last = by_steps ? of.event : timeline_.end_of_origin(each.stream->origin);
      if (each.time >= last) continue;
      if (!each.is_damaged) {
        const std::int64_t end = std::max(last, of.end);
        if (end - each.time <= (end - timeline_.begin()) / kLongBefore) continue;
      }
      lose_rest(each, last);
    }
  }
  struct EndedStream;
  void lose_rest(const EndedStream& ended, std::int64_t until) {
    if (!ended.is_damaged) ++timeline_.mutable_counts().ended_early;
    ended.stream->has_ended = !ended.is_damaged;
    marking_.lose_rest(*ended.stream, marking_.add_name("loss", "end of a data stream"), ended.time,
                       until, ended.number);
  }

  // Whether the next event is not plain in any case: damage has no end yet, slices are in `whole_`
  // or have an end that is known, or the last event had no time, or not its stream's latest.
  void note_pending(bool any) { plain_stream_ = any ? &no_stream_ : last_stream_; }
  // Of events that were plain neither the time line nor their stream knows the time before this.
  void note_plain_time() {
    if (plain_stream_ == &no_stream_) return;
    timeline_.note_time(now_.time);
    *latest_ = now_.time;
  }

  // A step back of the clock, where events may be in disorder one so far that it began anew, as
  // after a reset. Beyond so many of them the clock is none, and times are clamped.
  void step_back(const Moment& now) {
    if (now.stream == nullptr) {
      *latest_ = now.time;
      return;
    }
    StreamState& stream = *now.stream;
    const auto step =
        static_cast<std::uint64_t>(stream.latest) - static_cast<std::uint64_t>(now.time);
    if ((!options_.in_order && step <= kFarBack) || sections_ == kMostSections) return;
    ++sections_;
    std::vector<StreamState*> of_clock = {&stream};
    std::int64_t latest = stream.latest;
    if (flow::may_restart(*now.event->stream)) {
      for (auto& [key, other] : streams_) {
        if (&other == &stream || other.of_trace != stream.of_trace) continue;
        of_clock.push_back(&other);
        latest = std::max(latest, other.latest);
      }
    }
    std::ranges::sort(of_clock);
    const SectionEnd ended =
        marking_.end_section(of_clock, latest, now.number - 1, SectionEnd::Why::kClockStep);
    for (auto& [name, space] : context_.tracks) space->forget(ended);
    context_.ended.keep_if([&](std::uint32_t track) { return !ended.has_track(track); });
    Moment end = now;
    end.time = latest;
    plans_.for_each_rules([&](RuleSet& rules) { rules.forget(ended, end); });
    for (StreamState* const each : of_clock) {
      ++each->steps;
      if (each->latest > now.time) each->latest = now.time;
    }
    now_.stretch = marking_.stretch_of(now_.stream);
  }

  // Of traces that ended nothing goes on where another one does.
  [[gnu::noinline, gnu::cold]] void end_traces() {
    for (const StreamsOfTrace* const all : std::exchange(over_, {})) {
      if (all->going_on != 0 || (now_.stream != nullptr && now_.stream->all == all)) continue;
      std::vector<StreamState*> streams;
      Moment end = now_;
      end.time = all->end;
      for (auto& [key, stream] : streams_) {
        if (stream.all != all) continue;
        streams.push_back(&stream);
        end.time = std::max(end.time, stream.latest);
      }
      if (end.time == std::numeric_limits<std::int64_t>::min()) continue;
      lose_rest_of(*all, end.time);
      std::ranges::sort(streams);
      const SectionEnd ended =
          marking_.end_section(streams, end.time, now_.number - 1, SectionEnd::Why::kTraceEnd);
      plans_.for_each_rules([&](RuleSet& rules) { rules.forget(ended, end); });
    }
    now_.stretch = marking_.stretch_of(now_.stream);
  }

  // Of those of its data streams that ended long before that.
  void lose_rest_of(const StreamsOfTrace& all, std::int64_t end) {
    for (auto& [trace, streams] : ended_traces_) {
      ended_.insert(ended_.end(), streams.begin(), streams.end());
      streams.clear();
    }
    ended_traces_.clear();
    std::erase_if(ended_, [&](const EndedStream& each) {
      if (each.stream->all != &all) return false;
      const bool is_long = end - each.time > (end - timeline_.begin()) / kLongBefore;
      if (each.time < end && (each.is_damaged || is_long)) lose_rest(each, end);
      return true;
    });
  }

  // Slices that begin at the same time are begun in the order in which they enclose one another.
  void take_whole(ClassPlan& plan, const Event& event) {
    Moment now = now_;
    // The last of all times says that there is none.
    now.end_time = std::min(plan.time_of(event.end_time), kNoTime - 1);
    timeline_.note_time(std::max(now.time, now.end_time));
    note_pending(true);
    if (!whole_.empty() && whole_.time() != now.time) flush_whole();
    whole_.add(plan, now);
    if (whole_.full()) flush_whole();
  }

  void flush_whole() {
    if (whole_.empty()) return;
    marking_.pass(whole_.time());
    whole_.take_all([&](ClassPlan& plan, Moment& now) {
      now.stretch = marking_.stretch_of(now.stream);
      for (const auto& action : plan.actions) action->run(now);
      if (now.stream != nullptr) now.stream->latest = std::max(now.stream->latest, now.time);
    });
  }

  // Marks that were handed on need their batches no longer, and what still waits is copied: a batch
  // with the windows of its input never waits for the next time.
  void let_go_of_batches() {
    const BatchPtr batch = batches_.back();
    if (whole_.any_copied())
      batches_.pop_back();
    else
      batches_.clear();
    if (BatchPtr copies = whole_.copy_from(*batch)) batches_.push_back(std::move(copies));
  }

  // Returns whether the last event was of another.
  bool note_stream(const Event& event) {
    if (event.stream == last_stream_) [[likely]]
      return false;
    last_stream_ = event.stream;
    plain_stream_ = &no_stream_;
    now_.stream = event.stream == nullptr ? nullptr : &stream_of(event);
    if (now_.stream != nullptr) note_alternation(*now_.stream);
    now_.stretch = marking_.stretch_of(now_.stream);
    latest_ = now_.stream != nullptr ? &now_.stream->latest : &latest_of_none_;
    if (!ended_traces_.empty()) [[unlikely]]
      note_trace_goes_on();
    return true;
  }
  static void note_alternation(const StreamState& stream) {
    StreamsOfTrace& all = *stream.all;
    if (all.last == &stream) return;
    const bool had_events = stream.latest != std::numeric_limits<std::int64_t>::min();
    all.alternate = all.alternate || had_events;
    all.last = &stream;
  }
  // A trace that seemed to have ended has another event.
  [[gnu::noinline, gnu::cold]] void note_trace_goes_on() {
    if (now_.stream == nullptr) return;
    const auto goes_on = ended_traces_.extract(now_.stream->of_trace);
    if (goes_on.empty()) return;
    ended_.insert(ended_.end(), goes_on.mapped().begin(), goes_on.mapped().end());
  }

  // The same for all readings of one trace.
  [[nodiscard]] static EntityId key_of(const DataStream& stream) {
    const DataStreamClass* const stream_class = stream.stream_class;
    if (stream_class == nullptr || stream_class->trace == nullptr) return stream.entity;
    return {stream_class->trace->same_trace(), stream.entity.ordinal};
  }
  [[nodiscard]] StreamState& stream_of(const Event& event) {
    StreamState& state = state_of(*event.stream).first->second;
    if (state.has_event) return state;
    state.has_event = true;
    const DataStreamClass* const stream_class = event.stream->stream_class;
    state.origin = context_.origins.of(*event.event_class).trace;
    if (event.packet != nullptr && event.packet->begin && stream_class != nullptr &&
        stream_class->default_clock != nullptr)
      state.begin =
          timeline_.time_of(stream_class->default_clock->to_nanoseconds(*event.packet->begin));
    return state;
  }
  std::pair<StreamStates::iterator, bool> state_of(const DataStream& stream) {
    const auto known = streams_.try_emplace(key_of(stream));
    if (!known.second) return known;
    StreamState& state = known.first->second;
    state.id = known.first->first;
    state.of_trace = &trace_losses_[state.id.trace];
    state.all = &trace_streams_[state.id.trace];
    state.wide = &wide_losses_of(stream);
    return known;
  }

  // Of what may be of any data stream of its trace, or input.
  [[nodiscard]] Losses& wide_losses_of(const DataStream& stream) {
    return Parts::is_part(stream) ? parts_.input_of(stream).losses
                                  : wide_losses_[key_of(stream).trace];
  }

  [[gnu::noinline, gnu::cold]] void take(const Record& record) {
    note_plain_time();
    switch (record.kind) {
      case RecordKind::kLoss:
        return take(*record.loss);
      case RecordKind::kProblem:
        if (!record.notice->may_cost_events()) return;
        ++timeline_.mutable_counts().damaged;
        return take_damage(record);
      case RecordKind::kPacketBegin:
        return note_packet_begin(*record.packet);
      case RecordKind::kPacketEnd:
        return note_packet_end(*record.packet);
      case RecordKind::kStreamBegin:
        return note_stream_begin(*record.stream);
      case RecordKind::kStreamEnd:
        note_stream_end(record);
        // Another data stream may get its address.
        last_stream_ = &no_stream_;
        plain_stream_ = &no_stream_;
        return;
      default:
        return;
    }
  }

  // Of the last event in the batch at hand of a data stream that ends.
  [[nodiscard]] std::int64_t last_time_of(const Record& end) {
    const Record* const first = batches_.back()->records().data();
    for (const Record* each = &end; each != first;) {
      --each;
      if (each->kind != RecordKind::kEvent || each->event.stream != end.stream) continue;
      const ClassPlan& plan = planned(each->event);
      if (plan.clock != nullptr) return plan.time_of(each->event.time);
    }
    return std::numeric_limits<std::int64_t>::min();
  }
  // Of the last event before a record of the batch at hand, whether a rule is about it or not.
  [[nodiscard]] std::int64_t time_before(const Record& record) {
    const Record* const first = batches_.back()->records().data();
    for (const Record* each = &record; each != first;) {
      --each;
      if (each->kind != RecordKind::kEvent) continue;
      const ClassPlan& plan = planned(each->event);
      if (plan.clock != nullptr) return std::max(now_.time, plan.time_of(each->event.time));
    }
    return std::max(now_.time, last_time_.value_or(now_.time));
  }

  // What a data stream had before the first packet that is there of it is not known.
  void note_packet_begin(const Packet& packet) {
    if (packet.stream == nullptr || !has_packets_.insert(key_of(*packet.stream)).second) return;
    const DataStreamClass* const stream_class = packet.stream->stream_class;
    if (packet.sequence.value_or(0) == 0 || !packet.begin || stream_class == nullptr ||
        stream_class->default_clock == nullptr)
      return;
    StreamState& state = state_of(*packet.stream).first->second;
    state.begin = timeline_.time_of(stream_class->default_clock->to_nanoseconds(*packet.begin));
    lack_begin_.push_back(&state);
    marking_.begin_gap(state, now_.time, now_.number);
    state.losing_until = state.begin;
    losing_until_ = std::min(losing_until_, state.begin);
    last_stream_ = &no_stream_;
    note_pending(true);
  }
  void count_late_begins() {
    const std::int64_t length = timeline_.end() - timeline_.begin();
    for (StreamState* const each : lack_begin_) {
      if (!each->is_damaged && each->gap_begin != kNoTime) draw_gap(*each, timeline_.end());
      if (each->begin - timeline_.begin() > length / kLongBefore)
        ++timeline_.mutable_counts().ended_early;
    }
  }
  void note_packet_end(const Packet& packet) {
    if (!plans_.streams_end_together() || !packet.end || packet.stream == nullptr) return;
    const DataStreamClass* const stream_class = packet.stream->stream_class;
    const auto found = streams_.find(key_of(*packet.stream));
    if (found == streams_.end() || stream_class == nullptr ||
        stream_class->default_clock == nullptr)
      return;
    found->second.packet_end =
        timeline_.time_of(stream_class->default_clock->to_nanoseconds(*packet.end));
  }
  void note_stream_end(const Record& record) {
    const DataStream& stream = *record.stream;
    if (PartedInput* const input = parts_.end_stream(stream)) {
      input->end = std::max(input->end, now_.time);
    } else if (StreamsOfTrace& all = trace_streams_[key_of(stream).trace]; all.going_on != 0) {
      all.end = std::max(all.end, last_time_of(record));
      if (--all.going_on == 0) over_.push_back(&all);
    }
    const auto found = streams_.find(key_of(stream));
    if (found == streams_.end()) return;
    // Where damage is the last of it, what comes behind is not known, unless another part does.
    if (found->second.is_damaged)
      ended_.push_back({&found->second, found->second.gap_begin, now_.number, true});
    else if (damage_pending_ && !Parts::is_part(stream))
      ended_.push_back({&found->second, damage_begin_, now_.number, true});
    else if (found->second.packet_end != kNoTime)
      ended_.push_back({&found->second, found->second.packet_end, now_.number, false});
  }
  // It goes on, in another file.
  void note_stream_begin(const DataStream& stream) {
    if (PartedInput* const input = parts_.begin_stream(stream)) begin_damage(*input, true);
    if (!Parts::is_part(stream)) ++trace_streams_[key_of(stream).trace].going_on;
    const auto found = streams_.find(key_of(stream));
    if (found == streams_.end()) return;
    const auto is_of_it = [&](const EndedStream& each) { return each.stream == &found->second; };
    std::erase_if(ended_, is_of_it);
    const auto of_trace = ended_traces_.find(found->second.of_trace);
    if (of_trace != ended_traces_.end()) std::erase_if(of_trace->second, is_of_it);
    end_loss(found->second, now_.number);
  }

  // Nothing that slices, waits and states come of was lost.
  void take_of_samples(const Loss& loss) {
    timeline_.mutable_counts().lost_events += loss.events.value_or(0);
    flush_whole();
    const std::string name =
        loss.events ? fmt::format("lost {} samples", *loss.events) : std::string("lost samples");
    marking_.gap_of_samples(marking_.add_name("loss", name), now_.time);
  }

  void take(const Loss& loss) {
    if (loss.of_samples) return take_of_samples(loss);
    std::optional<std::uint64_t> events = loss.events;
    if (loss.stream != nullptr && events) {
      if (!std::exchange(losses_known_, true)) late_.look_in(*batches_.back(), key_of);
      if (loss.taken_back) return take_back(late_.come(key_of(*loss.stream), *events));
      events = late_.lose(key_of(*loss.stream), *events);
      if (*events == 0 && *loss.events != 0) return;
    }
    if (loss.taken_back) return take_back({.events = events.value_or(0)});
    timeline_.mutable_counts().lost_events += events.value_or(0);
    StreamState* state = nullptr;
    const TraceDescription* trace = nullptr;
    if (loss.stream != nullptr) {
      if (loss.stream->stream_class != nullptr) trace = loss.stream->stream_class->trace;
      state = &state_of(*loss.stream).first->second;
    }
    const std::int64_t before =
        state != nullptr && state->latest != std::numeric_limits<std::int64_t>::min()
            ? state->latest
            : now_.time;
    const bool is_wide = plans_.losses_are_wide(trace);
    std::int64_t begin = loss.begin ? timeline_.time_of(*loss.begin) : before;
    const std::int64_t end = loss.end ? timeline_.time_of(*loss.end) : std::max(begin, now_.time);
    if (is_wide && now_.time < end) begin = std::max(begin, now_.time);
    const std::string name = events         ? fmt::format("lost {} events", *events)
                             : loss.packets ? fmt::format("lost {} packets", *loss.packets)
                                            : std::string("lost events");
    flush_whole();
    const NameId gap = marking_.add_name("loss", name);
    if (state != nullptr && !is_wide)
      marking_.gap(*state, gap, begin, end, now_.number);
    else
      marking_.wide_gap(loss.stream == nullptr ? nullptr : &wide_losses_of(*loss.stream), gap,
                        begin, end, now_.number);
    now_.stretch = marking_.stretch_of(now_.stream);
    if (!marking_.is_losing()) return;
    if (state != nullptr && !loss.end) state->losing_until = kNoTime;
    // The next event may be of it.
    last_stream_ = &no_stream_;
    note_pending(true);
    if (state != nullptr && state->is_losing)
      losing_until_ = std::min(losing_until_, state->losing_until);
  }

  // Only that data stream lacks what could not be read.
  void take_damage_of(const DataStream& stream, const Record& record) {
    StreamState& state = state_of(stream).first->second;
    ++timeline_.mutable_counts().gaps;
    if (state.is_damaged) return;
    flush_whole();
    state.is_damaged = true;
    const bool had_events = state.latest != std::numeric_limits<std::int64_t>::min();
    marking_.begin_gap(state, had_events ? state.latest : time_before(record), now_.number);
    last_stream_ = &no_stream_;
    note_pending(true);
  }
  void take_damage(const Record& record) {
    const DataStream* const stream = record.notice->stream;
    if (stream != nullptr && !Parts::is_part(*stream)) return take_damage_of(*stream, record);
    end_damage(now_.time);
    const auto [input, extent] = parts_.damage(record.notice->trace_input());
    switch (extent) {
      case Parts::Extent::kBegins:
        return begin_damage(*input, false);
      case Parts::Extent::kGoesOn:
        ++timeline_.mutable_counts().gaps;
        return;
      case Parts::Extent::kPlace:
        damage_pending_ = true;
        note_pending(true);
        damage_begin_ = time_before(record);
        damage_number_ = now_.number;
    }
  }
  // `is_counted`: when it came.
  void begin_damage(PartedInput& input, bool is_counted) {
    input.damage_begin = now_.time;
    flush_whole();
    marking_.begin_wide_loss(input.losses, {now_.number, now_.time});
    if (is_counted) --timeline_.mutable_counts().gaps;
    last_stream_ = &no_stream_;
    note_pending(true);
  }
  // Behind event `number` it is known where damage ended.
  void end_damage_of(PartedInput& input, std::uint64_t number) {
    const std::int64_t end = input.until ? timeline_.time_of(*input.until) : input.end;
    marking_.end_wide_loss(input.losses, marking_.add_name("damage", "damaged"),
                           std::max(input.damage_begin, timeline_.begin()),
                           std::max(input.damage_begin, end), number);
  }

  void take_back(const flow::LateEvents::Came& came) {
    TimelineCounts& counts = timeline_.mutable_counts();
    counts.lost_events -= std::min(counts.lost_events, came.events);
    counts.gaps -= std::min(counts.gaps, came.places);
  }

  void end_damage(std::int64_t time) {
    if (!damage_pending_) return;
    damage_pending_ = false;
    marking_.wide_gap(nullptr, marking_.add_name("damage", "damaged"), damage_begin_, time,
                      damage_number_);
    now_.stretch = marking_.stretch_of(now_.stream);
  }

  Result<void> hand_on(MarkSink& sink) {
    note_plain_time();
    TimelineCounts& counts = timeline_.mutable_counts();
    counts.events = events_;
    counts.without_rule = events_ - now_.number - uncounted_ - counts.without_time - counts.too_far;
    MarkBuffer& marks = marking_.marks();
    if (marks.empty()) return {};
    const auto taken = sink.take(timeline_, marks);
    marks.clear();
    return taken;
  }

  // A stream that nothing more comes of, though its trace went on.
  struct EndedStream {
    StreamState* stream;
    std::int64_t time;
    std::uint64_t number;  // of the last event before
    bool is_damaged;       // it ends in what could not be read
  };

  static constexpr OriginId kFirstTrace = 2;        // behind its machine
  static constexpr std::int64_t kLongBefore = 100;  // a hundredth of the time so far
  static constexpr std::int64_t kVeryLongBefore = 8;
  static constexpr std::uint64_t kFarBack = 1'000'000'000;  // ns
  static constexpr std::uint64_t kMostSections = 256;

  InterpreterOptions options_;
  Timeline timeline_;
  Marking marking_{timeline_};
  RuleContext context_{marking_, options_.all_flows};
  ClassPlans plans_{timeline_, context_, options_.relates};
  ClassesAtHand at_hand_;
  std::uint64_t used_at_hand_ = 0;  // places that are not as they were made, a bit each
  StreamStates streams_;
  std::unordered_map<std::uint64_t, Losses> trace_losses_;           // by trace
  std::unordered_map<std::uint64_t, Losses> wide_losses_;            // by trace
  std::unordered_map<std::uint64_t, StreamsOfTrace> trace_streams_;  // likewise
  flow::LateEvents late_;
  bool losses_known_ = false;                // to `late_`, of the batch at hand
  std::vector<EndedStream> ended_;           // of which it is not known yet
  std::vector<const StreamsOfTrace*> over_;  // traces that ended since the last event
  std::unordered_set<EntityId, EntityIdHash> has_packets_;  // data streams
  std::vector<StreamState*> lack_begin_;  // those that may have had packets before
  // The same of traces that seem to have ended with them, by trace.
  std::unordered_map<const Losses*, std::vector<EndedStream>> ended_traces_;
  std::int64_t losing_until_ = kNoTime;  // the first of all
  const DataStream no_stream_ = {};
  const DataStream* last_stream_ = nullptr;
  // The same if nothing is pending (`note_pending`).
  const DataStream* plain_stream_ = &no_stream_;
  std::int64_t latest_of_none_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t* latest_ = &latest_of_none_;  // of the last event's stream
  std::uint64_t events_ = 0;                 // of batches that are complete
  std::uint64_t sections_ = 0;               // clocks that stepped back far
  std::optional<std::int64_t> counts_from_;  // a time that did not come yet
  bool is_counting_ = false;                 // it came
  std::uint64_t uncounted_ = 0;              // events before it that no rule is about
  std::optional<std::int64_t> last_time_;    // of the last event, if it has one
  // The last event that a rule is about, but without its end.
  Moment now_;
  bool damage_pending_ = false;  // its end is not known yet
  std::int64_t damage_begin_ = 0;
  std::uint64_t damage_number_ = 0;
  Parts parts_{false};
  SimultaneousEvents whole_;
  std::vector<BatchPtr> batches_;  // which these and marks refer to
  std::vector<const Record*> others_;
};

std::string join_tables(const std::vector<std::string>& tables) {
  std::string out;
  std::set<std::string_view> known;
  for (const std::string& table : tables) {
    if (!known.insert(table).second) continue;
    if (!out.empty()) out += '\n';
    out += table;
  }
  return out;
}

Interpreter::Interpreter(std::unique_ptr<Work> work) : work_(std::move(work)) {}
Interpreter::~Interpreter() = default;

Result<std::unique_ptr<Interpreter>> Interpreter::make(InterpreterOptions options) {
  auto work = std::make_unique<Work>(std::move(options));
  if (const auto compiled = work->compile(); !compiled) return std::unexpected(compiled.error());
  return std::unique_ptr<Interpreter>(new Interpreter(std::move(work)));
}

Result<void> Interpreter::add(const BatchPtr& batch, MarkSink& sink) {
  return work_->add(batch, sink);
}
void Interpreter::count_from(std::int64_t time) { work_->count_from(time); }
Result<void> Interpreter::finish(MarkSink& sink) { return work_->finish(sink); }
const Timeline& Interpreter::timeline() const { return work_->timeline(); }
const std::vector<BatchPtr>& Interpreter::batches() const { return work_->batches(); }
const std::vector<const Record*>& Interpreter::others() const { return work_->others(); }
Timeline& Interpreter::timeline() { return work_->timeline(); }
std::vector<std::string> Interpreter::explained() const { return work_->explained(); }
std::vector<std::string> Interpreter::notices() const { return work_->notices(); }

}  // namespace tracedeck::timeline

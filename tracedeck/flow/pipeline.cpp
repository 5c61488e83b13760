#include "tracedeck/flow/pipeline.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "tracedeck/flow/concatenate.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/select.hpp"
#include "tracedeck/flow/sort.hpp"
#include "tracedeck/flow/symbols.hpp"
#include "tracedeck/flow/tail_begin.hpp"

namespace tracedeck::flow {
namespace {

// All of a trace, which is opened when its turn comes.
class InTurn final : public RecordSource {
 public:
  explicit InTurn(std::shared_ptr<TraceSource> trace) : trace_(std::move(trace)) {}

  Result<BatchPtr> next() override {
    if (source_ == nullptr) {
      if (!trace_->open()) return nullptr;
      source_ = std::move(trace_->take_sources(false).front());
    }
    return source_->next();
  }

 private:
  std::shared_ptr<TraceSource> trace_;
  RecordSourcePtr source_;
};

// Ends a source when a stop is requested after its first batch. Inputs end by themselves then, but
// what a sort has collected until then may be long, and is wanted if the request came while it
// collected.
class Stoppable final : public RecordSource {
 public:
  Stoppable(RecordSourcePtr source, std::stop_token stop)
      : source_(std::move(source)), stop_(std::move(stop)) {}

  Result<BatchPtr> next() override {
    if (began_ && !stopped_before_ && stop_.stop_requested()) return nullptr;
    auto batch = source_->next();
    if (!std::exchange(began_, true)) stopped_before_ = stop_.stop_requested();
    return batch;
  }

 private:
  RecordSourcePtr source_;
  std::stop_token stop_;
  bool began_ = false;
  bool stopped_before_ = false;  // requested before the first batch came out
};

// Passes on the events of a nominal time alone, or everything else.
class ByTime final : public RecordFilter {
 public:
  // `seen` becomes true where an event of a nominal time is met with.
  ByTime(bool nominal, std::shared_ptr<bool> seen) : nominal_(nominal), seen_(std::move(seen)) {}

  std::size_t select(std::span<const Record> records, std::span<const Record*> passing) override {
    std::size_t count = 0;
    for (const Record& record : records) {
      const bool is_nominal =
          record.kind == RecordKind::kEvent && record.event.event_class->nominal_time;
      if (is_nominal) *seen_ = true;
      if (is_nominal == nominal_) passing[count++] = &record;
    }
    return count;
  }

 private:
  bool nominal_;
  std::shared_ptr<bool> seen_;
};

RecordSourcePtr by_time(RecordSourcePtr source, bool nominal, const std::shared_ptr<bool>& seen) {
  return select(std::move(source), std::make_unique<ByTime>(nominal, seen), false);
}

// The events of a nominal time of a trace that is read again for them, if there are any.
class NominalInTurn final : public RecordSource {
 public:
  NominalInTurn(std::function<std::shared_ptr<TraceSource>()> open, std::shared_ptr<bool> seen)
      : open_(std::move(open)), seen_(std::move(seen)) {}

  Result<BatchPtr> next() override {
    if (!*seen_) return nullptr;
    if (source_ == nullptr) {
      trace_ = open_();
      if (!trace_->open()) return nullptr;
      source_ = by_time(std::move(trace_->take_sources(false).front()), true, seen_);
    }
    return source_->next();
  }

 private:
  std::function<std::shared_ptr<TraceSource>()> open_;
  std::shared_ptr<bool> seen_;
  std::shared_ptr<TraceSource> trace_;
  RecordSourcePtr source_;
};

// Calls somebody when a source ends of which not a single event was selected.
class WatchNothing final : public RecordSource {
 public:
  // Events that describe others count where they pass because they meet the condition, or lie in
  // the range.
  WatchNothing(RecordSourcePtr source, const Selection& selection, std::function<void()> nothing)
      : source_(std::move(source)),
        nothing_(std::move(nothing)),
        stands_alone_(selection.stands_alone),
        has_condition_(selection.where != nullptr) {}

  Result<BatchPtr> next() override {
    auto batch = source_->next();
    if (!batch || nothing_ == nullptr) return batch;
    const auto is_event = [this](const Record& record) {
      return record.kind == RecordKind::kEvent && is_selected(*record.event.event_class);
    };
    if (*batch == nullptr) {
      std::exchange(nothing_, nullptr)();
    } else if (std::ranges::any_of((*batch)->records(), is_event)) {
      nothing_ = nullptr;
    }
    return batch;
  }

 private:
  [[nodiscard]] bool is_selected(const EventClass& event_class) const {
    if (!event_class.describes_others) return true;
    return !stands_alone_ && (has_condition_ || event_class.has_real_time());
  }

  RecordSourcePtr source_;
  std::function<void()> nothing_;
  bool stands_alone_;
  bool has_condition_;
};

// Whether an empty result is worth a word, which needs somebody who waits for it.
bool watches(const PipelineContext& context) { return selects_events(context.options.selection); }

NothingSelected nothing_by(const Selection& selection) {
  return {.by_condition = selection.where != nullptr, .by_time = selection.limits_times()};
}

std::filesystem::path whole_path(const std::string& path) {
  std::error_code failure;
  const auto whole = std::filesystem::absolute(path, failure).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

// Whether the traces are of several hosts, and all relate their clocks to UTC.
bool wall_clocks_relate(const std::vector<TracePlace>& places) {
  std::set<std::string_view> hosts;
  for (const TracePlace& place : places) {
    if (place.failure) continue;
    if (!place.origin.anchor || place.origin.host.empty()) return false;
    hosts.insert(place.origin.host);
  }
  return hosts.size() > 1;
}

// What the parts of one logical trace have in common, or "".
std::string identity_of(const TracePlace& place) {
  return place.is_directory() ? place.format->directory_identity(place.directories.front()) : "";
}

}  // namespace

std::unique_ptr<Pipeline> Pipeline::open(PipelineOptions options, PipelineObserver& observer,
                                         std::stop_token stop) {
  std::vector<TracePlace> places = list_traces(
      {.names = options.operands, .format = options.format, .follow = options.follow}, stop);
  return open(std::move(options), observer, std::move(stop), std::move(places));
}

std::unique_ptr<Pipeline> Pipeline::open(PipelineOptions options, PipelineObserver& observer,
                                         std::stop_token stop, std::vector<TracePlace> places,
                                         std::optional<FoundTrace> first) {
  if (are_live(places)) {
    return arriving(
        std::make_unique<Live>(std::move(options), observer, std::move(stop), std::move(places)));
  }
  if (options.wall_between_hosts && options.selection.clock == Clock::kTrace &&
      wall_clocks_relate(places)) {
    options.selection.clock = Clock::kWall;
    observer.note(
        "times are in UTC, as the traces are of several hosts, which their wall clocks alone "
        "relate; --clock trace shows times as recorded");
  }
  std::unique_ptr<Pipeline> pipeline(new Pipeline(std::move(options), observer, std::move(stop)));
  pipeline->context_.streamless = &pipeline->streamless_;
  const auto context = std::make_shared<const PipelineContext>(pipeline->context_);
  for (TracePlace& place : places) place.symbols = symbols_of(place, context);
  Selection& selection = pipeline->context_.options.selection;
  if (selection.tail) selection.tail_begin = begin_of_tail(pipeline->context_, places);
  if (!pipeline->open_traces(std::move(places), std::move(first))) return nullptr;
  pipeline->restores_several_ = std::ranges::any_of(pipeline->traces_, [](const auto& trace) {
    const auto description = trace->description();
    return description != nullptr && !description->name_among_others().empty();
  });
  pipeline->put_behind(pipeline->ordered());
  return pipeline;
}

std::unique_ptr<Pipeline> Pipeline::arriving(std::unique_ptr<Live> live) {
  if (live->traces().empty()) return nullptr;
  const PipelineContext& context = live->context();
  std::unique_ptr<Pipeline> pipeline(new Pipeline(context.options, context.observer, context.stop));
  auto arrivals = std::make_unique<Arrivals>(live->feeds(), [from = live.get()] { from->stop(); });
  pipeline->arrivals_ = arrivals.get();
  pipeline->several_ = live->several();
  pipeline->live_ = std::move(live);
  pipeline->put_behind(std::move(arrivals));
  return pipeline;
}

void Pipeline::put_behind(RecordSourcePtr ordered) {
  if (!live() && watches(context_)) {
    ordered = std::make_unique<WatchNothing>(std::move(ordered), context_.options.selection,
                                             [this] { report_nothing_selected(); });
  }
  stages_ = apply_stages(Stage::Place::kAfter, std::move(ordered),
                         {.selection = context_.options.selection});
}

std::shared_ptr<TraceSource> Pipeline::add_trace(TracePlace place, const TraceReading& reading) {
  return traces_.emplace_back(std::make_shared<TraceSource>(context_, std::move(place), reading));
}

std::vector<std::shared_ptr<const TraceDescription>> Pipeline::descriptions() const {
  std::vector<std::shared_ptr<const TraceDescription>> all;
  for (const auto& trace : traces_) {
    if (auto description = trace->description()) all.push_back(std::move(description));
  }
  return all;
}

bool Pipeline::open_traces(std::vector<TracePlace> places, std::optional<FoundTrace> first) {
  const Order order = context_.options.selection.order;
  if (order != Order::kRecorded) at_once_ = places.size();
  for (TracePlace& place : places) {
    several_ = several_ || !place.name.empty();
    // A sort looks through what it can read again without its values before it reads it.
    const bool values = !(order == Order::kTime && place.reopens());
    add_trace(std::move(place),
              {.values = values, .same_sources = true, .traces_at_once = at_once_});
  }
  named_ = traces_.size();
  if (first) {
    const auto opened = traces_.front()->try_open(*std::move(first));
    if (!opened) context_.observer.failed(opened.error());
  }
  const auto opens = [](const auto& trace) { return trace->open(); };
  // Unless all are needed at once they are opened when their turn comes, so that thousands of them
  // take no more memory than one. The first that can be is opened to know that there is one.
  if (order != Order::kMerged) return std::any_of(traces_.begin(), traces_.end(), opens);
  std::erase_if(traces_, [&](const auto& trace) { return !opens(trace); });
  named_ = traces_.size();
  return !traces_.empty();
}

RecordSourcePtr Pipeline::ordered() {
  const Order order = context_.options.selection.order;
  if (order == Order::kTime) return sorted();
  const bool merges = order == Order::kMerged;
  std::vector<RecordSourcePtr> sources;
  for (const auto& trace : traces_) {
    if (merges) {
      std::ranges::move(trace->take_sources(true), std::back_inserter(sources));
    } else {
      sources.push_back(std::make_unique<InTurn>(trace));
    }
  }
  if (sources.size() == 1) return std::move(sources.front());
  return merges ? merge(std::move(sources), OrderBy::kRecorded, context_.options.merged_by)
                : concatenate(std::move(sources));
}

RecordSourcePtr Pipeline::sorted() {
  std::vector<SortInput> inputs;
  std::vector<RecordSourcePtr> parts;
  const bool nominal_last = context_.options.selection.nominal_last;
  // Copied, because reading a trace again adds to them.
  const std::vector<std::shared_ptr<TraceSource>> opened = traces_;
  for (const auto& trace : opened) {
    const bool reopens = trace->place().reopens();
    const auto first_reading = std::make_shared<std::uint64_t>(0);
    const auto seen = nominal_last && reopens ? std::make_shared<bool>(false) : nullptr;
    inputs.push_back({.open = [this, trace, reopens, first_reading, seen, unread = true](
                                  bool values) mutable -> Result<std::vector<RecordSourcePtr>> {
                        const bool as_opened = std::exchange(unread, false) && values != reopens;
                        const std::shared_ptr<TraceSource> reading =
                            as_opened ? trace
                                      : add_trace(trace->place(), {.values = values,
                                                                   .same_sources = true,
                                                                   .silent = true,
                                                                   .traces_at_once = at_once_,
                                                                   .first_reading = first_reading});
                        if (reading == trace) {
                          if (!reading->open()) return std::vector<RecordSourcePtr>();
                        } else if (Result<void> again = reading->try_open(); !again) {
                          // What could not be opened before was reported then.
                          if (trace->was_opened() && !context_.stop.stop_requested())
                            return std::unexpected(std::move(again.error()));
                          return std::vector<RecordSourcePtr>();
                        }
                        std::vector<RecordSourcePtr> sources = reading->take_sources(true);
                        for (RecordSourcePtr& source : sources)
                          if (seen != nullptr) source = by_time(std::move(source), false, seen);
                        return sources;
                      },
                      .reopens = reopens});
    if (seen == nullptr) continue;
    parts.push_back(std::make_unique<NominalInTurn>(
        [this, trace, first_reading] {
          return add_trace(
              trace->place(),
              {.silent = true, .traces_at_once = at_once_, .first_reading = first_reading});
        },
        seen));
  }
  RecordSourcePtr sorted = std::make_unique<Stoppable>(
      sort(std::move(inputs),
           {.kept_steps = context_.options.selection.kept_steps, .stop = context_.stop}),
      context_.stop);
  if (parts.empty()) return sorted;
  parts.insert(parts.begin(), std::move(sorted));
  return concatenate(std::move(parts));
}

TraceNames Pipeline::trace_names() const {
  if (!several()) return {};
  return [this](const TraceDescription& trace) { return name_of(trace); };
}

Result<BatchPtr> Pipeline::next() {
  streamless_.forget();
  context_.observer.progress(progress());
  return stages_->next();
}

TraceSource* Pipeline::source_of(std::uint64_t number) const {
  const auto known = by_number_.find(number);
  if (known != by_number_.end()) return known->second;
  // Some were opened since.
  for (const auto& trace : traces_)
    if (trace->number() != 0) by_number_[trace->number()] = trace.get();
  return by_number_.contains(number) ? by_number_[number] : nullptr;
}

std::string Pipeline::place_name(const TraceDescription& description) const {
  if (const TraceSource* const source = source_of(description.number()))
    return source->shown_name();
  // Of several traces in one place, the reader's own is the first.
  const auto same = std::ranges::find(traces_, description.input(), &TraceSource::input);
  return same == traces_.end() ? description.input() : (*same)->shown_name();
}

std::string Pipeline::name_of(const TraceDescription& description) const {
  const std::string& among = description.name_among_others();
  const std::string place = several_ ? place_name(description) : "";
  return place.empty() || among.empty() ? place + among : place + "/" + among;
}

std::string Pipeline::path_below_operand(const TraceDescription& description) const {
  const TraceSource* const source = source_of(description.number());
  if (source == nullptr || source->place().directories.size() != 1) return {};
  const TracePlace& place = source->place();
  const std::string identity = identity_of(place);
  const auto same = [&](const auto& trace) { return identity_of(trace->place()) == identity; };
  if (!identity.empty() && std::ranges::count_if(traces_, same) != 1) return {};
  const std::filesystem::path path =
      whole_path(place.directories.front()).lexically_relative(whole_path(place.operand));
  return path == "." ? "" : source->shown(path.string());
}

std::optional<TimeFrame> Pipeline::frame_of_moved(std::string_view name) const {
  const Selection& selection = context_.options.selection;
  if (selection.clock != Clock::kWall || !selection.one_offset) return std::nullopt;
  const auto is_meant = [&](const std::shared_ptr<TraceSource>& trace) {
    const auto description = trace->description();
    return description != nullptr && (!several_ || name_of(*description) == name);
  };
  const auto meant = std::ranges::find_if(traces_, is_meant);
  return meant == traces_.end() ? std::nullopt : (*meant)->utc();
}

bool Pipeline::share_clock(std::uint64_t first, std::uint64_t second) const {
  const auto is_placed = [&](std::uint64_t number) {
    const TraceSource* const source = source_of(number);
    return source != nullptr && source->is_placed();
  };
  if (is_placed(first) || is_placed(second)) return true;
  const auto utc_of = [&](std::uint64_t number) -> std::optional<Nanoseconds> {
    TraceSource* const source = source_of(number);
    return source == nullptr ? std::nullopt : source->early_utc_offset();
  };
  const auto one = utc_of(first);
  const auto other = one ? utc_of(second) : std::nullopt;
  if (!other) return false;
  constexpr Nanoseconds kSecond(1'000'000'000);
  return (*one < *other ? *other - *one : *one - *other) < kSecond;
}

double Pipeline::progress() const {
  if (live()) return -1;
  double sum = 0;
  for (const auto& trace : traces_) {
    const double part = trace->progress();
    if (part < 0) return -1;
    sum += part;
  }
  return sum / static_cast<double>(traces_.size());
}

void Pipeline::report_nothing_selected() const {
  if (context_.stop.stop_requested()) return;
  NothingSelected nothing = nothing_by(context_.options.selection);
  for (std::size_t i = 0; i < named_; ++i) {
    if (!traces_[i]->was_opened()) continue;
    const bool is_first = nothing.traces++ == 0;
    if (!nothing.by_time) continue;
    const TimeFrame frame = traces_[i]->whole_frame();
    widen(nothing.range, frame.range);
    const bool same = is_first || nothing.origin == frame.origin;
    nothing.origin = same ? frame.origin : ClockOrigin::kUnknown;
  }
  if (nothing.traces != 0) context_.observer.selected_nothing(nothing);
}

SingleTrace::SingleTrace(const PipelineContext& context, std::unique_ptr<TraceSource> trace)
    : context_(context), trace_(std::move(trace)), reader_(trace_->reader()) {
  RecordSourcePtr source = std::move(trace_->take_sources(false, true).front());
  if (watches(context_)) {
    const Selection& selection = context_.options.selection;
    source = std::make_unique<WatchNothing>(std::move(source), selection, [this] {
      if (context_.stop.stop_requested()) return;
      NothingSelected nothing = nothing_by(context_.options.selection);
      nothing.traces = 1;
      if (nothing.by_time) {
        const TimeFrame frame = trace_->whole_frame();
        nothing.range = frame.range;
        nothing.origin = frame.origin;
      }
      context_.observer.selected_nothing(nothing);
    });
  }
  stages_ = apply_stages(Stage::Place::kAfter, std::move(source),
                         {.selection = context_.options.selection});
}

Result<BatchPtr> SingleTrace::next() {
  context_.observer.progress(trace_->progress());
  return stages_->next();
}

}  // namespace tracedeck::flow

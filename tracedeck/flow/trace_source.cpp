#include "tracedeck/flow/trace_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "tracedeck/flow/clock_sync.hpp"
#include "tracedeck/flow/named_values.hpp"
#include "tracedeck/flow/packet_survey.hpp"
#include "tracedeck/flow/symbols.hpp"

namespace tracedeck::flow {
namespace {

// Whether a time of day is one of the day of the first event.
bool counts_days(const TraceDescription& description) {
  return origin_of(description.clocks()) == ClockOrigin::kUnixEpoch;
}

// Whether the trace may hold events that relate its clock to UTC.
bool tells_utc(const TraceDescription& description) {
  const Format* const format = find_format(description.format());
  return format != nullptr && describes_clock_sync(description, format->info());
}

// All of a reader, which somebody else owns.
class Whole final : public RecordSource {
 public:
  explicit Whole(Reader& reader) : reader_(reader) {}
  Result<BatchPtr> next() override { return reader_.next(); }

 private:
  Reader& reader_;
};

// A reader whose events come at the times that are selected.
class AtSelectedTimes final : public Reader {
 public:
  AtSelectedTimes(std::unique_ptr<Reader> reader, const StageContext& stage)
      : reader_(std::move(reader)),
        source_(at_selected_times(std::make_unique<Whole>(*reader_), stage)) {}

  Result<BatchPtr> next() override { return source_->next(); }
  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const override {
    return reader_->description();
  }

 private:
  std::unique_ptr<Reader> reader_;
  RecordSourcePtr source_;  // goes before the reader
};

// A part of a trace: keeps the reader while it is read, and reports how it fails.
class Part final : public RecordSource {
 public:
  // `observer`: null to report nothing. `unnamed`: addresses should have names, and have none.
  Part(RecordSourcePtr source, std::shared_ptr<Reader> reader, bool fails, bool unnamed,
       PipelineObserver* observer)
      : reader_(std::move(reader)),
        source_(std::move(source)),
        fails_(fails),
        unnamed_(unnamed),
        observer_(observer) {}

  Result<BatchPtr> next() override {
    if (source_ == nullptr) return nullptr;
    auto batch = source_->next();
    if (batch && *batch != nullptr) return batch;
    if (unnamed_ && observer_ != nullptr) report_unnamed(*reader_->description());
    source_.reset();
    reader_.reset();
    if (batch || fails_) return batch;
    if (observer_ != nullptr) observer_->failed(batch.error());
    return nullptr;
  }

 private:
  void report_unnamed(const TraceDescription& description) {
    if (!names_addresses(description)) return;
    observer_->note(
        fmt::format("{}: the names that it gives to addresses come behind them, and are known of "
                    "files only, which can be read twice",
                    description.input()));
  }

  std::shared_ptr<Reader> reader_;
  RecordSourcePtr source_;  // goes before the reader
  bool fails_;
  bool unnamed_;
  PipelineObserver* observer_;
};

}  // namespace

bool TraceSource::open() {
  if (state_ != State::kClosed) return state_ != State::kFailed;
  // What a stop cuts off is no trace that is wrong.
  if (place_.reopens() && context_.stop.stop_requested()) {
    state_ = State::kFailed;
    return false;
  }
  const Result<void> opened = try_open();
  if (!opened && place_.reopens() && context_.stop.stop_requested()) return false;
  if (!opened && !reading_.silent) context_.observer.failed(opened.error());
  return opened.has_value();
}

Result<void> TraceSource::try_open() {
  if (!reading_.silent) {
    for (const std::string& each : place_.named_again)
      context_.observer.note(fmt::format("{}: it was named before, and is read once", each));
    for (const std::string& each : place_.notices) context_.observer.note(each);
  }
  if (auto resolved = resolve_bounds(); !resolved) return resolved;
  return keep(open_place(place_, context_.options.format, read_options(), context_.stop));
}

Result<void> TraceSource::try_open(FoundTrace found) {
  if (auto resolved = resolve_bounds(); !resolved) return resolved;
  return keep(open_found(std::move(found), read_options(), context_.stop));
}

Result<void> TraceSource::keep(Result<std::unique_ptr<Reader>> reader) {
  if (!reader) {
    state_ = State::kFailed;
    return std::unexpected(std::move(reader.error()));
  }
  state_ = State::kOpen;
  opened_ = *std::move(reader);
  reader_ = opened_;
  const std::shared_ptr<const TraceDescription> description = opened_->description();
  hide(*description);
  const std::shared_ptr<const TraceDescription> shown =
      hidden_ == nullptr ? description : hidden_->description_of(*description);
  description_ = shown;
  number_ = shown->number();
  input_ = shown->input();
  if (reading_.first_reading != nullptr) {
    if (*reading_.first_reading == 0) *reading_.first_reading = number_;
    shown->set_same_trace(*reading_.first_reading);
  }
  if (!reading_.silent) {
    context_.observer.opened(*description);
    if (context_.streamless != nullptr) context_.streamless->add(*shown);
  }
  const Format* const format = find_format(description->format());
  const bool relates = format != nullptr && !format->info().clock_sync_event.empty();
  if (is_wall() && relates && !place_.reopens() && !reading_.silent) {
    context_.observer.note(
        fmt::format("{}: its times are as recorded: how they relate to UTC is found in files only",
                    description->input()));
  }
  return {};
}

void TraceSource::hide(const TraceDescription& description) {
  const std::shared_ptr<const Hiding>& hiding = context_.options.selection.hiding;
  if (hiding == nullptr) return;
  std::vector<std::string_view> paths = place_.names();
  paths.insert(paths.end(), {place_.name, place_.operand, description.input()});
  paths.insert(paths.end(), place_.directories.begin(), place_.directories.end());
  paths.insert(paths.end(), place_.files.begin(), place_.files.end());
  for (const CoreFile& core : place_.core_files) paths.emplace_back(core.path);
  for (const std::string_view path : paths) {
    const Verdict verdict = hiding->of(HiddenKind::kFile, path);
    if (verdict && (!of_files_ || verdict.drops)) of_files_ = verdict;
  }
  hidden_ = std::make_shared<HiddenTraces>(
      hiding, of_files_,
      place_.reopens() ? fmt::format("{}\n{}", place_.operand, description.input()) : "");
}

std::string TraceSource::shown_name() const {
  const std::shared_ptr<const Hiding>& hiding = context_.options.selection.hiding;
  const std::string& name = place_.name;
  const FileOrigin& origin = place_.origin;
  const bool is_said = name == origin.service || name == origin.host || name == origin.process;
  if (hiding != nullptr && is_said && !name.empty()) return hiding->own_name(name);
  return shown(name);
}

std::string TraceSource::shown(const std::string& path) const {
  const std::shared_ptr<const Hiding>& hiding = context_.options.selection.hiding;
  return hiding == nullptr ? path : hiding->path(path, of_files_);
}

StageContext TraceSource::stage_context() const {
  return {.selection = context_.options.selection,
          .wall = wall_,
          .times = times_,
          .trace = place_.name,
          .again = reading_.silent,
          .left_out = left_out_,
          .hidden = hidden_};
}

ReadOptions TraceSource::read_options() const {
  ReadOptions options = context_.read_options(place_.live, reading_.traces_at_once);
  // Of a condition on values depends which events there are.
  const ConditionPtr& where = context_.options.selection.where;
  const bool selects_by_values = where != nullptr && where->needs_values();
  options.values = options.values && (reading_.values || selects_by_values);
  // Who only looks through it takes no note of what is tolerated.
  options.metadata_findings = options.findings && reading_.same_sources;
  options.findings = options.findings && reading_.values;
  if (!reading_.silent) {
    PipelineObserver* const observer = &context_.observer;
    options.notice = [observer](const std::string& sentence) { observer->note(sentence); };
  }
  options.symbols = place_.symbols;
  options.packets_only = reading_.packets_only;
  const std::vector<std::string_view> names = place_.names();
  StageContext stage = stage_context();
  stage.names = names;
  ask_reader(stage, options);
  return options;
}

Result<void> TraceSource::resolve_bounds() {
  if (auto given = resolve_given_bounds(); !given) return given;
  return context_.options.selection.stream_intersection ? intersect_streams() : Result<void>();
}

Result<void> TraceSource::intersect_streams() {
  if (place_.failure) return {};
  if (!place_.reopens()) {
    state_ = State::kFailed;
    return fail(ErrorCode::kInvalidArgument,
                "what its data streams have in common is not known before all of it was read: "
                "--stream-intersection needs a file or directory",
                place_.operand);
  }
  const std::unique_ptr<Reader> reader = open_for_times(true, {});
  if (reader != nullptr && says_its_packets(*reader->description())) common_ = common_time(*reader);
  const std::string& name = place_.name.empty() ? place_.operand : place_.name;
  if (!common_ && !reading_.silent) {
    context_.observer.note(
        fmt::format("{}: it does not have several data streams whose packets say when they begin "
                    "and end: --stream-intersection leaves it as it is",
                    name));
  }
  if (common_ && !reading_.silent)
    context_.observer.common_time(name, *reader->description(), *common_);
  narrow_to_common();
  return {};
}

void TraceSource::narrow_to_common() {
  if (!common_) return;
  TrimRange& range = times_.range;
  range.begin = range.begin ? std::max(*range.begin, common_->first) : common_->first;
  range.end = range.end ? std::min(*range.end, common_->last) : common_->last;
}

Result<void> TraceSource::resolve_given_bounds() {
  const TimeBounds bounds(context_.options.selection);
  if (is_wall() || bounds.needs_utc()) {
    relate_clock();
    if (!reading_.silent && wall_ != nullptr) {
      context_.observer.wall_clock(place_.operand, *wall_,
                                   is_wall() && context_.options.selection.one_offset);
    }
  }
  times_ = bounds.known(known_utc());
  if (times_.left_out != nullptr && !reading_.silent) {
    const auto utc = [&](const std::optional<Nanoseconds>& time) {
      return time ? std::optional(to_utc(*time, known_utc())) : std::nullopt;
    };
    context_.observer.one_part(place_.operand, utc(times_.left_out->before),
                               utc(times_.left_out->behind));
  }
  times_known_ = !bounds.needs_range() && !bounds.needs_day();
  const bool reopens = place_.reopens();
  if (!reopens) left_out_ = std::make_shared<TimesSeen>();
  if (auto meant = check_units(); !meant) return meant;
  if (!bounds.needs_range() || place_.failure) return {};
  if (reopens) {
    if (!frame_) frame_ = survey();
    times_ = bounds.in(*frame_);
    times_known_ = true;
    return {};
  }
  if (!bounds.needs_last()) return {};
  state_ = State::kFailed;
  return fail(ErrorCode::kInvalidArgument,
              "where it ends is not known before all of it was read: a time before the end needs a "
              "file",
              place_.operand);
}

Result<void> TraceSource::check_units() {
  if (place_.failure || !place_.reopens()) return {};
  const Selection& selection = context_.options.selection;
  std::vector<TimePoint> given;
  for (const std::optional<TimePoint>& bound : {selection.begin, selection.end}) {
    if (bound) given.push_back(*bound);
  }
  if (selection.where != nullptr)
    std::ranges::copy(selection.where->times(), std::back_inserter(given));
  for (const TimePoint& bound : given) {
    if (!may_mean_seconds(bound)) continue;
    if (!frame_ && !is_before_events(bound.value)) continue;
    if (!frame_) frame_ = survey();
    if (!frame_->range || !may_mean_seconds(bound, *frame_->range)) continue;
    state_ = State::kFailed;
    const std::string number = bound.value.to_string();
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the bound {0} is of ns, which lies before all events, while {0} "
                            "seconds lie near them: write {0}s or {0}ns",
                            number),
                place_.operand);
  }
  return {};
}

bool TraceSource::is_before_events(Nanoseconds time) const {
  const std::unique_ptr<Reader> reader = open_for_times(false, {});
  if (reader == nullptr) return false;
  std::vector<RecordSourcePtr> sources;
  sources.push_back(std::make_unique<Whole>(*reader));
  const TimeFrame first = first_event(sources);
  return !first.range || time < first.range->first;
}

void TraceSource::resolve_bounds(std::vector<RecordSourcePtr>& sources,
                                 const TraceDescription& description) {
  if (times_known_) return;
  const TimeBounds bounds(context_.options.selection);
  TimeFrame frame = known_utc();
  if (bounds.needs_range() || counts_days(description)) {
    const TimeFrame first = first_event(sources);
    frame.origin = first.origin;
    frame.range = first.range;
  }
  times_ = bounds.in(frame);
  narrow_to_common();
}

std::vector<RecordSourcePtr> TraceSource::take_sources(bool streams, bool fails) {
  state_ = State::kTaken;
  const std::shared_ptr<Reader> reader = std::move(opened_);
  std::vector<RecordSourcePtr> sources;
  if (streams) sources = reader->take_streams();
  if (sources.empty()) sources.push_back(std::make_unique<Whole>(*reader));
  resolve_bounds(sources, *reader->description());
  const StageContext stage = stage_context();
  PipelineObserver* const observer = reading_.silent ? nullptr : &context_.observer;
  const PipelineOptions& options = context_.options;
  const bool wants_names =
      (options.needs | needs_of(options.selection)).symbols != Needs::Symbols::kNone;
  const bool unnamed = wants_names && !place_.reopens();
  const bool names_values = shows_value_names() && may_name_values(*reader->description());
  for (RecordSourcePtr& source : sources) {
    if (names_values)
      source =
          named_values(std::move(source), open_again(), max_state(context_.options, place_.live));
    source = apply_stages(Stage::Place::kSource, std::move(source), stage);
    source = std::make_unique<Part>(std::move(source), reader, fails, unnamed, observer);
  }
  hidden_.reset();
  return sources;
}

double TraceSource::progress() const {
  if (state_ == State::kClosed) return 0;
  const std::shared_ptr<const Reader> reader = reader_.lock();
  return reader == nullptr ? 1 : reader->progress();
}

std::unique_ptr<Reader> TraceSource::open_for_times(bool packets_only,
                                                    const TrimRange& part) const {
  ReadOptions options = context_.read_options(place_.live, 1);
  options.values = false;
  options.headers = false;
  options.findings = false;
  const std::vector<std::string_view> names = place_.names();
  const StageContext stage{.selection = context_.options.selection, .names = names, .wall = wall_};
  ask_reader(stage, options);
  options.packets_only = packets_only;
  options.begin = part.begin;
  options.end = part.end;
  auto reader = open_place(place_, context_.options.format, options, context_.stop);
  // Why not is reported when it is read.
  if (!reader) return nullptr;
  return std::make_unique<AtSelectedTimes>(*std::move(reader), stage);
}

TimeFrame TraceSource::survey() const {
  TimeFrame frame = known_utc();
  frame.range = range_of_events([&](bool packets_only, const TrimRange& part) {
    auto reader = open_for_times(packets_only, part);
    if (reader != nullptr) frame.origin = origin_of(reader->description()->clocks());
    return reader;
  });
  return frame;
}

void TraceSource::relate_clock() {
  if (std::exchange(related_, true)) return;
  const auto reader = open_again();
  if (reader == nullptr) return;
  const Format* const format = find_format(reader->description()->format());
  if (format != nullptr) wall_ = read_wall_clock(*reader, format->info());
}

std::optional<Nanoseconds> TraceSource::early_utc_offset() {
  if (related_) return wall_ == nullptr ? std::nullopt : std::optional(wall_->offset());
  constexpr std::uint64_t kNearBeginning = std::uint64_t{1} << 20;
  const auto reader = open_again();
  if (reader == nullptr) return std::nullopt;
  const Format* const format = find_format(reader->description()->format());
  if (format == nullptr) return std::nullopt;
  return flow::early_utc_offset(*reader, format->info(), kNearBeginning);
}

bool TraceSource::is_placed() const {
  const std::vector<std::string_view> names = place_.names();
  return std::ranges::any_of(
      context_.options.selection.clock_offsets, [&](const ClockOffset& each) {
        return each.trace && std::ranges::find(names, *each.trace) != names.end();
      });
}

bool TraceSource::shows_value_names() const {
  const Selection& selection = context_.options.selection;
  // What becomes a trace has the events that give them.
  return read_options().values && (!selection.stands_alone || selection.where != nullptr);
}

std::unique_ptr<Reader> TraceSource::open_again() const {
  if (place_.failure || !place_.reopens()) return nullptr;
  ReadOptions options = context_.read_options(place_.live, 1);
  options.values = true;
  options.headers = false;
  options.findings = false;
  auto reader = open_place(place_, context_.options.format, options, context_.stop);
  return reader ? *std::move(reader) : nullptr;
}

bool TraceSource::is_wall() const { return context_.options.selection.clock == Clock::kWall; }

TimeFrame TraceSource::known_utc() const {
  if (wall_ == nullptr) return {};
  const Selection& selection = context_.options.selection;
  const std::vector<std::string_view> names = place_.names();
  const Nanoseconds corrected(clock_offset(selection.clock_offsets, names));
  TimeFrame frame{.wall = wall_,
                  .moved = corrected,
                  .corrected = corrected,
                  .is_utc = is_wall() && !selection.one_offset};
  if (is_wall() && selection.one_offset) frame.moved = frame.moved + wall_->offset();
  return frame;
}

std::optional<TimeFrame> TraceSource::utc() {
  const std::shared_ptr<const TraceDescription> known = description();
  if (known == nullptr || !tells_utc(*known)) return std::nullopt;
  relate_clock();
  return wall_ == nullptr ? std::nullopt : std::optional(known_utc());
}

TimeFrame TraceSource::whole_frame() {
  if (frame_) return *frame_;
  if (left_out_ != nullptr) return {.origin = left_out_->origin, .range = left_out_->range};
  frame_ = survey();
  return *frame_;
}

}  // namespace tracedeck::flow

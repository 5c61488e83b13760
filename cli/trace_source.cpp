#include "cli/trace_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "tracedeck/flow/trim.hpp"

namespace tracedeck::cli {
namespace {

// So many batches without a single time are no start of a trace but all of it, or a flood.
constexpr std::size_t kFarthestAhead = 256;

// Reads ahead to the first event with a time, and hands out what it read in turn.
class ReadAhead final : public RecordSource {
 public:
  explicit ReadAhead(std::unique_ptr<RecordSource> source) : source_(std::move(source)) {}

  // The first event with a time; null when there is none. Valid until the next `next`. When it is
  // too far away, the source ends with an error after what was read.
  const Event* first_timed_event() {
    while (!error_) {
      if (queue_.size() == kFarthestAhead) {
        error_ = Error{.code = ErrorCode::kLimitExceeded,
                       .message =
                           "no event near the start has a time that tells which day hh:mm:ss "
                           "is of; give --begin and --end with a date or in ns"};
        break;
      }
      auto batch = source_->next();
      if (!batch) {
        error_ = std::move(batch.error());
        break;
      }
      if (*batch == nullptr) break;
      queue_.push_back(std::move(*batch));
      for (const Record& record : queue_.back()->records()) {
        if (record.kind == RecordKind::kEvent && record.event.has_time()) return &record.event;
      }
    }
    return nullptr;
  }

  Result<BatchPtr> next() override {
    if (!queue_.empty()) {
      BatchPtr batch = std::move(queue_.front());
      queue_.pop_front();
      return batch;
    }
    if (error_) return std::unexpected(*std::exchange(error_, std::nullopt));
    return source_->next();
  }

 private:
  std::unique_ptr<RecordSource> source_;
  std::deque<BatchPtr> queue_;
  std::optional<Error> error_;
};

bool is_time_of_day(const std::optional<TimePoint>& time) { return time && time->time_of_day; }

// Whether a time of day is one of the day of the first event.
bool counts_days(const TraceDescription& description) {
  const auto from_epoch = [](const ClockClass& clock) {
    return clock.origin == ClockOrigin::kUnixEpoch;
  };
  return std::ranges::any_of(description.clocks(), from_epoch);
}

using Sources = std::vector<std::unique_ptr<RecordSource>>;

// The trace's day is that of the first event in any of its sources.
struct FirstEvent {
  ClockOrigin origin = ClockOrigin::kUnknown;
  Nanoseconds recorded = {};
  Nanoseconds began = {};
  bool found = false;
};

FirstEvent read_ahead(Sources& sources) {
  FirstEvent first;
  for (std::unique_ptr<RecordSource>& source : sources) {
    auto ahead = std::make_unique<ReadAhead>(std::move(source));
    const Event* event = ahead->first_timed_event();
    if (event != nullptr && (!first.found || event->recorded_at() < first.recorded)) {
      first = {.origin = event->event_class->clock->origin,
               .recorded = event->recorded_at(),
               .began = event->began_at(),
               .found = true};
    }
    source = std::move(ahead);
  }
  return first;
}

void trim(Sources& sources, const TraceDescription& description, const Options& options) {
  if (!options.begin && !options.end) return;
  FirstEvent first;
  const bool needs_day = is_time_of_day(options.begin) || is_time_of_day(options.end);
  if (needs_day && counts_days(description)) first = read_ahead(sources);
  flow::TrimRange range;
  if (options.begin) range.begin = options.begin->resolve(first.origin, first.began);
  if (options.end) range.end = options.end->resolve(first.origin, first.began);
  for (std::unique_ptr<RecordSource>& source : sources) {
    source = flow::trim(std::move(source), range);
  }
}

// All of a reader, which somebody else owns.
class Whole final : public RecordSource {
 public:
  explicit Whole(Reader& reader) : reader_(reader) {}
  Result<BatchPtr> next() override { return reader_.next(); }

 private:
  Reader& reader_;
};

// A part of a trace: keeps the reader while it is read, and reports how it fails.
class Part final : public RecordSource {
 public:
  // `session`: null to report nothing.
  Part(std::unique_ptr<RecordSource> source, std::shared_ptr<Reader> reader, Session* session)
      : reader_(std::move(reader)), source_(std::move(source)), session_(session) {}

  Result<BatchPtr> next() override {
    if (source_ == nullptr) return nullptr;
    auto batch = source_->next();
    if (batch && *batch != nullptr) return batch;
    if (!batch && session_ != nullptr) session_->report(batch.error());
    source_.reset();
    reader_.reset();
    return nullptr;
  }

 private:
  std::shared_ptr<Reader> reader_;
  std::unique_ptr<RecordSource> source_;  // goes before the reader
  Session* session_;
};

}  // namespace

std::unique_ptr<RecordSource> trimmed(Reader& reader, const Options& options) {
  Sources sources;
  sources.push_back(std::make_unique<Whole>(reader));
  trim(sources, *reader.description(), options);
  return std::move(sources.front());
}

bool TraceSource::open() {
  if (state_ != State::kClosed) return state_ != State::kFailed;
  return begin(open_reader(options_, place_, reading_, session_.stop));
}

bool TraceSource::open(FoundTrace found) {
  return begin(open_reader(options_, place_, reading_, std::move(found), session_.stop));
}

bool TraceSource::begin(Result<std::unique_ptr<Reader>> reader) {
  if (!reader) {
    state_ = State::kFailed;
    if (!silent_) session_.report(reader.error());
    return false;
  }
  state_ = State::kOpen;
  opened_ = *std::move(reader);
  reader_ = opened_;
  description_ = opened_->description();
  if (!silent_)
    session_.diagnostics.detail(fmt::format("{}: {}, version {}", description_->input(),
                                            description_->format(), description_->version()));
  return true;
}

std::vector<std::unique_ptr<RecordSource>> TraceSource::take_sources(bool streams) {
  state_ = State::kTaken;
  const std::shared_ptr<Reader> reader = std::move(opened_);
  Sources sources;
  if (streams) sources = reader->take_streams();
  if (sources.empty()) sources.push_back(std::make_unique<Whole>(*reader));
  trim(sources, *description_, options_);
  for (std::unique_ptr<RecordSource>& source : sources) {
    source = std::make_unique<Part>(std::move(source), reader, silent_ ? nullptr : &session_);
  }
  return sources;
}

double TraceSource::progress() const {
  if (state_ == State::kClosed) return 0;
  const std::shared_ptr<const Reader> reader = reader_.lock();
  return reader == nullptr ? 1 : reader->progress();
}

}  // namespace tracedeck::cli

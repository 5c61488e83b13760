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

std::unique_ptr<RecordSource> trimmed(std::unique_ptr<RecordSource> source,
                                      const TraceDescription& description, const Options& options) {
  if (!options.begin && !options.end) return source;
  ClockOrigin origin = ClockOrigin::kUnknown;
  Nanoseconds first;
  const bool needs_day = is_time_of_day(options.begin) || is_time_of_day(options.end);
  if (needs_day && counts_days(description)) {
    auto ahead = std::make_unique<ReadAhead>(std::move(source));
    if (const Event* event = ahead->first_timed_event()) {
      origin = event->event_class->clock->origin;
      first = event->began_at();
    }
    source = std::move(ahead);
  }
  flow::TrimRange range;
  if (options.begin) range.begin = options.begin->resolve(origin, first);
  if (options.end) range.end = options.end->resolve(origin, first);
  return flow::trim(std::move(source), range);
}

}  // namespace

Result<std::unique_ptr<Reader>> open_reader(const Options& options, const std::string& trace,
                                            const Reading& reading, std::stop_token stop) {
  auto opened = open_input(trace, options.format, std::move(stop));
  if (!opened) return std::unexpected(std::move(opened.error()));
  return open_reader(options, trace, reading, *std::move(opened));
}

Result<std::unique_ptr<Reader>> open_reader(const Options& options, const std::string& trace,
                                            const Reading& reading, OpenedInput opened) {
  const ReadOptions read_options{.values = reading.values,
                                 .findings = reading.findings,
                                 .max_state = options.max_state,
                                 .clock_shift = options.clock_offset(trace)};
  return opened.format->open(std::move(opened.input), read_options);
}

bool TraceSource::open() {
  if (state_ != State::kClosed) return state_ == State::kReading;
  return begin(open_reader(options_, trace_, reading_, session_.stop));
}

bool TraceSource::open(OpenedInput opened) {
  return begin(open_reader(options_, trace_, reading_, std::move(opened)));
}

bool TraceSource::begin(Result<std::unique_ptr<Reader>> reader) {
  state_ = State::kEnded;
  if (!reader) {
    report(reader.error());
    return false;
  }
  reader_ = reader->get();
  description_ = reader_->description();
  if (!silent_)
    session_.diagnostics.detail(fmt::format("{}: {}, version {}", description_->input(),
                                            description_->format(), description_->version()));
  source_ = trimmed(*std::move(reader), *description_, options_);
  state_ = State::kReading;
  return true;
}

Result<BatchPtr> TraceSource::next() {
  if (!open()) return nullptr;
  auto batch = source_->next();
  if (batch && *batch != nullptr) return batch;
  if (!batch) report(batch.error());
  state_ = State::kEnded;
  reader_ = nullptr;
  source_.reset();
  return nullptr;
}

double TraceSource::progress() const {
  switch (state_) {
    case State::kClosed:
      return 0;
    case State::kReading:
      return reader_->progress();
    case State::kEnded:
      return 1;
  }
  return -1;
}

void TraceSource::report(const Error& error) {
  if (!silent_) session_.report(error);
}

}  // namespace tracedeck::cli

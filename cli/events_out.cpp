#include "cli/events_out.hpp"

#include "tracedeck/io/watched_input.hpp"

namespace tracedeck::cli {
namespace {

bool is_refusal(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kLimitExceeded ||
         error.code == ErrorCode::kUnsupported;
}

Result<void> show(const EventsOut& way) {
  if (auto flushed = way.writer.flush(); !flushed) return flushed;
  return way.output.flush();
}

// Writes one batch. An error is one of the output.
Result<void> write_batch(const EventsOut& way, const Batch& batch, EventsWritten& done) {
  for (const Record& record : batch.records()) {
    const auto written = way.writer.write(record);
    if (written) {
      done.events += record.kind == RecordKind::kEvent ? 1 : 0;
    } else if (is_refusal(written.error())) {
      if (done.refused++ == 0) done.first_refusal = written.error().to_string();
    } else {
      return written;
    }
    if (record.kind == RecordKind::kEvent) continue;
    if (way.notices.speaks(record)) {
      if (auto shown = show(way); !shown) return shown;
    }
    way.notices.see(record);
  }
  return way.show_at_once ? show(way) : Result<void>{};
}

// Shows what was written of a source that makes pauses.
class Shower {
 public:
  explicit Shower(const EventsOut& way) : way_(way) {}

  Result<void> show_if_due() {
    if (!way_.ready || shown_all_) return {};
    if (Clock::now() - shown_at_ < io::kShowInterval && way_.ready(io::kShowPause)) return {};
    shown_at_ = Clock::now();
    shown_all_ = true;
    return show(way_);
  }
  void wrote() { shown_all_ = false; }

 private:
  using Clock = std::chrono::steady_clock;

  const EventsOut& way_;
  Clock::time_point shown_at_ = Clock::now();
  bool shown_all_ = true;
};

}  // namespace

EventsWritten write_events(const EventsOut& way, Session& session) {
  EventsWritten done;
  Shower shower(way);
  for (;;) {
    if (!session.delivered(shower.show_if_due())) return done;
    const auto batch = way.source.next();
    if (!batch) {
      session.report(batch.error());
      // What came before is shown, but there was more.
      session.delivered(way.writer.finish());
      return done;
    }
    if (*batch == nullptr) break;
    if (!session.delivered(write_batch(way, **batch, done))) return done;
    way.notices.see_order(**batch);
    shower.wrote();
  }
  done.complete = session.delivered(way.writer.finish());
  return done;
}

}  // namespace tracedeck::cli

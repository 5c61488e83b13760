#include "cli/events_out.hpp"

#include <algorithm>

#include "tracedeck/io/watched_input.hpp"

namespace tracedeck::cli {
namespace {

Result<void> show(const EventsOut& way) {
  if (auto flushed = way.writer.flush(); !flushed) return flushed;
  return way.output.flush();
}

// Writes one batch of which something is said on standard error: what precedes that is shown
// first.
Result<void> write_and_speak(const EventsOut& way, const Batch& batch, Written& done) {
  for (const Record& record : batch.records()) {
    if (auto written = way.writer.write_or_refuse(record, done); !written) return written;
    if (record.kind == RecordKind::kEvent) continue;
    if (way.notices.speaks(record)) {
      if (auto shown = show(way); !shown) return shown;
    }
    way.notices.see(record);
  }
  return {};
}

// Writes one batch. An error is one of the output.
Result<void> write_batch(const EventsOut& way, const Batch& batch, Written& done) {
  const auto speaks = [&](std::uint32_t place) {
    return way.notices.speaks(batch.records()[place]);
  };
  const bool aloud = std::ranges::any_of(batch.others(), speaks);
  const auto written =
      aloud ? write_and_speak(way, batch, done) : way.writer.write_batch(batch, done);
  if (!written) return written;
  done.damaged += damaged_ranges(batch);
  if (!aloud) way.notices.see(batch);
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
    if (!session.delivered(write_batch(way, **batch, done.written))) return done;
    way.notices.see_order(**batch);
    shower.wrote();
  }
  if (way.at_end && !session.delivered(way.at_end(way.writer))) return done;
  done.complete = session.delivered(way.writer.finish());
  return done;
}

}  // namespace tracedeck::cli

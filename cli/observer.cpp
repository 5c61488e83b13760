#include "cli/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

#include "cli/places.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/live.hpp"
#include "tracedeck/render/description.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/render/time_text.hpp"

namespace tracedeck::cli {

SessionObserver::SessionObserver(Session& session, const Options& options)
    : session_(session), options_(options) {
  if (!options.where.empty()) condition_ = "the condition of --where";
  if (options.stages_select)
    condition_ += condition_.empty() ? "the `where` of the query" : " and the `where` of the query";
}

void SessionObserver::opened(const TraceDescription& description) {
  session_.diagnostics.detail(fmt::format("{}: {}, version {}", description.input(),
                                          description.format(), description.version()));
  if (const std::string twice = sessions_.see(description); !twice.empty())
    session_.diagnostics.note(twice);
  const Format* const format = find_format(description.format());
  note_dates(description, format);
  if (watches_.empty() || format == nullptr || !format->info().classes_first) return;
  for (query::FieldWatch* const watch : watches_) watch->see(description);
  ++known_;
}

// A date says when it was in UTC.
void SessionObserver::note_dates(const TraceDescription& description, const Format* format) {
  const auto is_date = [](const std::optional<TimePoint>& point) {
    return point && point->from == TimePoint::From::kUnixEpoch;
  };
  const auto from_epoch = [](const ClockClass& clock) {
    return clock.origin == ClockOrigin::kUnixEpoch;
  };
  const flow::Selection& selection = options_.selection;
  if (!is_date(selection.begin) && !is_date(selection.end)) return;
  if (format == nullptr || !format->info().clock_sync_event.empty()) return;
  if (description.clocks().empty() || std::ranges::any_of(description.clocks(), from_epoch)) return;
  session_.diagnostics.note(fmt::format(
      "{}: nothing relates its clock to UTC, so a date is compared with times since its own "
      "origin; give --begin and --end as its times are printed",
      description.input()));
}

void SessionObserver::common_time(const std::string& trace, const TraceDescription& description,
                                  const flow::TimeRange& range) {
  const ClockOrigin origin = render::common_origin(description.clocks());
  session_.diagnostics.note(
      range.last < range.first
          ? render::say<"notice/no-common-time">(trace)
          : render::say<"notice/common-time">(trace, render::time_text(range.first, origin),
                                              render::time_text(range.last, origin)));
}

void SessionObserver::wall_clock(const std::string& trace, const flow::WallClock& wall,
                                 bool by_one_offset) {
  const auto utc_text = [&](Nanoseconds time) {
    return render::time_text(wall.utc(time), ClockOrigin::kUnixEpoch);
  };
  constexpr std::size_t kMost = 3;
  const std::vector<flow::WallClock::Step> steps = wall.steps();
  for (const auto& step : std::span(steps).first(std::min(steps.size(), kMost))) {
    session_.diagnostics.note(render::say<"notice/clock-step">(
        trace, utc_text(step.after), utc_text(step.at),
        render::seconds_text(step.by.negative() ? -step.by : step.by),
        step.by.negative() ? "less" : "more"));
  }
  if (steps.size() > kMost)
    session_.diagnostics.note(
        render::say<"notice/more-clock-steps">(trace, render::Plain(steps.size() - kMost)));
  const Nanoseconds most =
      std::max(wall.greatest_offset() - wall.offset(), wall.offset() - wall.least_offset());
  if (by_one_offset && most != Nanoseconds()) {
    session_.diagnostics.note(render::say<"notice/clock-drift">(trace, render::seconds_text(most)));
  }
}

void SessionObserver::one_part(const std::string& trace, std::optional<Nanoseconds> first,
                               std::optional<Nanoseconds> last) {
  const auto text = [](Nanoseconds time) {
    return render::time_text(time, ClockOrigin::kUnixEpoch);
  };
  if (first) session_.diagnostics.note(render::say<"notice/utc-before">(trace, text(*first)));
  if (last) session_.diagnostics.note(render::say<"notice/utc-again">(trace, text(*last)));
}

void SessionObserver::failed(const Error& error) {
  ++failures_;
  // What a stop request kept from being looked at is said once, for all of it.
  const bool is_stopped = session_.stop.stop_requested() && error.code == ErrorCode::kUnrecognised;
  if (!is_stopped || io::comes_live(error.input)) session_.report(error);
}

void SessionObserver::refused(const Error& error) {
  session_.outcome.note(ExitCode::kDamage);
  // Somebody who keeps sending what is no trace shall not fill a log.
  constexpr std::uint64_t kReportedSingly = 16;
  if (++refused_ <= kReportedSingly) return session_.diagnostics.error(error);
  if (!std::has_single_bit(refused_)) return;
  session_.diagnostics.error(
      fmt::format("{}: {} inputs so far could not be read; they are no longer reported one by one",
                  error.input, refused_));
}

void SessionObserver::news(io::LiveNews what, const std::string& sentence) {
  switch (what) {
    case io::LiveNews::kListening:
    case io::LiveNews::kChange:
      return session_.diagnostics.note(sentence);
    case io::LiveNews::kPeer:
      return session_.diagnostics.detail(sentence);
    case io::LiveNews::kCut:
      session_.outcome.note(ExitCode::kDamage);
      return session_.diagnostics.error(sentence);
    case io::LiveNews::kDropped:
      if (options_.strict) session_.outcome.note(ExitCode::kDamage);
      return session_.diagnostics.note(sentence);
  }
}

bool SessionObserver::refuses(std::size_t traces) const {
  if (known_ != traces) return false;
  bool refused = false;
  for (const query::FieldWatch* const watch : watches_) {
    for (const auto& sentences : {watch->unknown_fields(), watch->without_unit()}) {
      for (const std::string& sentence : sentences) session_.diagnostics.error(sentence);
      refused = refused || !sentences.empty();
    }
  }
  if (refused) session_.outcome.note(ExitCode::kUsage);
  return refused;
}

void SessionObserver::selected_nothing(const flow::NothingSelected& what) {
  const std::string_view whose = what.traces == 1 ? "the trace has" : "the traces have";
  if (what.by_condition && !what.by_time) {
    session_.diagnostics.note("nothing selected: no event meets " + condition_);
    return;
  }
  if (!what.range) {
    session_.diagnostics.note(fmt::format("nothing selected: {} no event with a time", whose));
    return;
  }
  session_.diagnostics.note(fmt::format("nothing selected: {} events from {} to {}", whose,
                                        render::time_text(what.range->first, what.origin),
                                        render::time_text(what.range->last, what.origin)));
}

void report_doubts(const std::vector<query::FieldWatch*>& watches, Session& session) {
  if (session.outcome.code() == ExitCode::kUsage) return;
  std::vector<std::string> said;
  const auto say = [&](const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      if (std::ranges::find(said, sentence) != said.end()) continue;
      session.diagnostics.note(sentence);
      said.push_back(sentence);
    }
  };
  for (const query::FieldWatch* const watch : watches) {
    // What was compared with nothing has no answer.
    for (const std::string& sentence : watch->without_unit()) {
      session.outcome.note(ExitCode::kUsage);
      if (std::ranges::find(said, sentence) == said.end()) session.diagnostics.error(sentence);
      said.push_back(sentence);
    }
    say(watch->unknown_fields());
    say(watch->unknown_names());
    say(watch->notices());
  }
}

}  // namespace tracedeck::cli

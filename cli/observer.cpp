#include "cli/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "cli/places.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/live.hpp"

namespace tracedeck::cli {

SessionObserver::SessionObserver(Session& session, const Options& options)
    : session_(session), options_(options) {
  std::string condition;
  if (!options.where.empty()) condition = "the condition of --where";
  if (options.stages_select)
    condition += condition.empty() ? "the `where` of the query" : " and the `where` of the query";
  expect(options.selection, std::move(condition));
}

void SessionObserver::opened(const TraceDescription& description) {
  session_.diagnostics.detail(fmt::format("{}: {}, version {}", description.input(),
                                          description.format(), description.version()));
  NotingObserver::opened(description);
  const Format* const format = find_format(description.format());
  if (watches_.empty() || format == nullptr || !format->info().classes_first) return;
  for (query::FieldWatch* const watch : watches_) watch->see(description);
  ++known_;
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

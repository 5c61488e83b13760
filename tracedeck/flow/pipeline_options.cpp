#include "tracedeck/flow/pipeline_options.hpp"

#include <algorithm>

namespace tracedeck::flow {
namespace {

constexpr std::uint64_t kMaxState = std::uint64_t{1} << 30;
constexpr std::uint64_t kLiveMaxState = std::uint64_t{64} << 20;

}  // namespace

std::uint64_t max_state(const PipelineOptions& options, bool live) {
  return options.max_state.value_or(live ? kLiveMaxState : kMaxState);
}

void PipelineObserver::opened(const TraceDescription&) {}
void PipelineObserver::progress(double) {}
void PipelineObserver::selected_nothing(const NothingSelected&) {}
void PipelineObserver::common_time(const std::string&, const TraceDescription&, const TimeRange&) {}
void PipelineObserver::wall_clock(const std::string&, const WallClock&, bool) {}
void PipelineObserver::one_part(const std::string&, std::optional<Nanoseconds>,
                                std::optional<Nanoseconds>) {}
void PipelineObserver::note(const std::string&) {}
void PipelineObserver::refused(const Error& error) { failed(error); }
void PipelineObserver::news(io::LiveNews what, const std::string& sentence) {
  if (what != io::LiveNews::kPeer) note(sentence);
}

ReadOptions PipelineContext::read_options(bool live, std::size_t traces_at_once) const {
  const auto share = static_cast<unsigned>(options.jobs / std::max<std::size_t>(traces_at_once, 1));
  const Needs needs = options.needs | needs_of(options.selection);
  return {.values = needs.values,
          .names = needs.names,
          .headers = needs.headers,
          .findings = needs.findings,
          .max_state = max_state(options, live),
          .hexadecimal = options.hexadecimal,
          .as_stored = options.as_stored,
          .metadata = options.metadata,
          .side_by_side = traces_at_once,
          .jobs = std::max(share, 1U)};
}

}  // namespace tracedeck::flow

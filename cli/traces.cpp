#include "cli/traces.hpp"

#include <utility>

#include "cli/places.hpp"

namespace tracedeck::cli {

std::vector<flow::TracePlace> list_traces(const Options& options, const std::stop_token& stop) {
  return flow::list_traces(
      {.names = options.operands, .format = options.format, .follow = options.follow}, stop);
}

OpenPipeline::OpenPipeline(const Options& options, Session& session, flow::Needs needs)
    : OpenPipeline(options, session, needs, list_traces(options, session.stop)) {}

OpenPipeline::OpenPipeline(const Options& options, Session& session, flow::Needs needs,
                           std::vector<flow::TracePlace> places, std::optional<FoundTrace> first)
    : observer_(session, options) {
  const std::size_t traces = places.size();
  if (!flow::are_live(places)) observer_.watch_fields();
  pipeline_ = flow::Pipeline::open(pipeline_options(options, needs), observer_, session.stop,
                                   std::move(places), std::move(first));
  if (observer_.refuses(traces)) pipeline_ = nullptr;
}

OpenPipeline::OpenPipeline(const Options& options, Session& session,
                           std::unique_ptr<flow::Live> live)
    : observer_(session, options), pipeline_(flow::Pipeline::arriving(std::move(live))) {}

TraceNames OpenPipeline::trace_names_as_they_come() const {
  if (!pipeline_->live()) return pipeline_->trace_names();
  return [this](const TraceDescription& trace) { return pipeline_->name_of(trace); };
}

std::function<bool(std::chrono::milliseconds)> pauses_of(flow::Pipeline& pipeline) {
  if (!pipeline.live()) return {};
  return [&pipeline](std::chrono::milliseconds patience) { return pipeline.ready(patience); };
}

void report_interrupt(const Options& options, Session& session) {
  if (!session.stop.stop_requested() || reads_live(options)) return;
  session.diagnostics.error("interrupted; what is shown is of what was read until then");
  session.cut_short();
}

void report_no_answer(Session& session) {
  session.diagnostics.error("interrupted; there is no answer, since a part would look like all");
}

void for_each_trace(const Options& options, Session& session, flow::Needs needs,
                    const flow::LookAtTrace& look) {
  std::vector<flow::TracePlace> places = list_traces(options, session.stop);
  SessionObserver observer(session, options);
  if (!flow::are_live(places)) observer.watch_fields();
  flow::for_each_trace(pipeline_options(options, needs), observer, session.stop, places,
                       [&, count = places.size()](const auto& place, auto trace) {
                         return !observer.refuses(count) && look(place, std::move(trace));
                       });
}

}  // namespace tracedeck::cli

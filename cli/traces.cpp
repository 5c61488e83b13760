#include "cli/traces.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::cli {

std::vector<flow::TracePlace> list_traces(const Options& options, const std::stop_token& stop) {
  return flow::list_traces(
      {.names = options.operands, .format = options.format, .follow = options.follow}, stop);
}

bool are_live(const std::vector<flow::TracePlace>& places) {
  return std::ranges::any_of(places, &flow::TracePlace::live);
}

OpenPipeline::OpenPipeline(const Options& options, Session& session, flow::Needs needs)
    : OpenPipeline(options, session, needs, list_traces(options, session.stop)) {}

OpenPipeline::OpenPipeline(const Options& options, Session& session, flow::Needs needs,
                           std::vector<flow::TracePlace> places, std::optional<FoundTrace> first)
    : observer_(session, options) {
  if (are_live(places)) {
    live_ = std::make_unique<Live>(options, session, needs, places);
    open_live(options);
    return;
  }
  const std::size_t traces = places.size();
  observer_.watch(streamless_);
  pipeline_ = flow::Pipeline::open(pipeline_options(options, needs), observer_, session.stop,
                                   std::move(places), std::move(first));
  if (observer_.refuses(traces)) pipeline_ = nullptr;
}

OpenPipeline::OpenPipeline(const Options& options, Session& session, std::unique_ptr<Live> live)
    : observer_(session, options), live_(std::move(live)) {
  open_live(options);
}

void OpenPipeline::open_live(const Options& options) {
  if (live_->traces().empty()) return;
  pipeline_ = flow::Pipeline::arriving(
      pipeline_options(options, {}), observer_, live_->feeds(), [this] { live_->stop(); },
      live_->several());
}

render::TraceNames OpenPipeline::trace_names() const {
  if (!pipeline_->several()) return {};
  return [this](const TraceDescription& trace) { return pipeline_->name_of(trace); };
}

std::function<bool(std::chrono::milliseconds)> OpenPipeline::pauses() const {
  if (!pipeline_->live()) return {};
  return [this](std::chrono::milliseconds patience) { return pipeline_->ready(patience); };
}

void for_each_trace(const Options& options, Session& session, flow::Needs needs,
                    const LookAtTrace& look) {
  std::vector<flow::TracePlace> places = list_traces(options, session.stop);
  if (are_live(places)) {
    Live live(options, session, needs, places);
    return for_each_live_trace(live, options, session, needs, look);
  }
  SessionObserver observer(session, options);
  const std::size_t count = places.size();
  flow::TraceByTrace traces(pipeline_options(options, needs), observer, session.stop,
                            std::move(places));
  while (auto item = traces.next()) {
    if (observer.refuses(count) || !look(*item->place, std::move(item->trace))) return;
  }
}

}  // namespace tracedeck::cli

#include "cli/pipeline.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "tracedeck/flow/concatenate.hpp"
#include "tracedeck/flow/limit.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/sort.hpp"

namespace tracedeck::cli {
namespace {

// All of a trace, which is opened when its turn comes.
class InTurn final : public RecordSource {
 public:
  explicit InTurn(std::shared_ptr<TraceSource> trace) : trace_(std::move(trace)) {}

  Result<BatchPtr> next() override {
    if (source_ == nullptr) {
      if (!trace_->open()) return nullptr;
      source_ = std::move(trace_->take_sources(false).front());
    }
    return source_->next();
  }

 private:
  std::shared_ptr<TraceSource> trace_;
  std::unique_ptr<RecordSource> source_;
};

// Ends a source when a stop is requested after its first batch. Inputs end by themselves then, but
// what a sort has collected until then may be long, and is wanted if the request came while it
// collected.
class Stoppable final : public RecordSource {
 public:
  Stoppable(std::unique_ptr<RecordSource> source, std::stop_token stop)
      : source_(std::move(source)), stop_(std::move(stop)) {}

  Result<BatchPtr> next() override {
    if (began_ && !stopped_before_ && stop_.stop_requested()) return nullptr;
    auto batch = source_->next();
    if (!std::exchange(began_, true)) stopped_before_ = stop_.stop_requested();
    return batch;
  }

 private:
  std::unique_ptr<RecordSource> source_;
  std::stop_token stop_;
  bool began_ = false;
  bool stopped_before_ = false;  // requested before the first batch came out
};

std::filesystem::path whole_path(const std::string& path) {
  std::error_code failure;
  const auto whole = std::filesystem::absolute(path, failure).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

// What the parts of one logical trace have in common, or "".
std::string identity_of(const TracePlace& place) {
  return place.is_directory() ? place.format->directory_identity(place.directories.front()) : "";
}

}  // namespace

std::unique_ptr<Pipeline> Pipeline::open(const Options& options, Session& session,
                                         const Reading& reading) {
  return open(options, session, reading, list_traces(options, session.stop));
}

std::unique_ptr<Pipeline> Pipeline::open(const Options& options, Session& session,
                                         const Reading& reading, std::vector<TracePlace> places,
                                         std::optional<FoundTrace> first) {
  if (are_live(places)) {
    return open(options, session, reading, std::make_unique<Live>(options, session, places));
  }
  std::unique_ptr<Pipeline> pipeline(new Pipeline(options, session, reading));
  if (!pipeline->open_traces(std::move(places), std::move(first))) return nullptr;
  pipeline->stages_ = pipeline->ordered();
  if (options.limit) pipeline->stages_ = flow::limit(std::move(pipeline->stages_), *options.limit);
  return pipeline;
}

std::unique_ptr<Pipeline> Pipeline::open(const Options& options, Session& session,
                                         const Reading& reading, std::unique_ptr<Live> live) {
  if (live->traces().empty()) return nullptr;
  std::unique_ptr<Pipeline> pipeline(new Pipeline(options, session, reading));
  pipeline->live_ = std::move(live);
  Live& places = *pipeline->live_;
  auto arrivals =
      std::make_unique<flow::Arrivals>(places.sources(reading), [&places] { places.stop(); });
  pipeline->arrivals_ = arrivals.get();
  pipeline->stages_ = std::move(arrivals);
  if (options.limit) pipeline->stages_ = flow::limit(std::move(pipeline->stages_), *options.limit);
  return pipeline;
}

std::shared_ptr<TraceSource> Pipeline::add_trace(TracePlace place, bool values) {
  Reading reading = reading_;
  reading.values = reading.values && values;
  return traces_.emplace_back(
      std::make_shared<TraceSource>(options_, session_, std::move(place), reading));
}

bool Pipeline::open_traces(std::vector<TracePlace> places, std::optional<FoundTrace> first) {
  const bool sorts = options_.order == Order::kTime;
  if (options_.order != Order::kRecorded) reading_.traces_at_once = places.size();
  for (TracePlace& place : places) {
    // A sort looks through what it can read again without its values before it reads it.
    const bool values = !(sorts && place.reopens());
    add_trace(std::move(place), values);
  }
  if (first) traces_.front()->open(*std::move(first));
  const auto opens = [](const auto& trace) { return trace->open(); };
  // Unless all are needed at once they are opened when their turn comes, so that thousands of them
  // take no more memory than one. The first that can be is opened to know that there is one.
  if (options_.order != Order::kMerged) return std::any_of(traces_.begin(), traces_.end(), opens);
  std::erase_if(traces_, [&](const auto& trace) { return !opens(trace); });
  return !traces_.empty();
}

std::unique_ptr<RecordSource> Pipeline::ordered() {
  if (options_.order == Order::kTime) return sorted();
  const bool merges = options_.order == Order::kMerged;
  std::vector<std::unique_ptr<RecordSource>> sources;
  for (const auto& trace : traces_) {
    if (merges) {
      std::ranges::move(trace->take_sources(true), std::back_inserter(sources));
    } else {
      sources.push_back(std::make_unique<InTurn>(trace));
    }
  }
  if (sources.size() == 1) return std::move(sources.front());
  return merges ? flow::merge(std::move(sources)) : flow::concatenate(std::move(sources));
}

std::unique_ptr<RecordSource> Pipeline::sorted() {
  std::vector<flow::SortInput> inputs;
  // Copied, because reading a trace again adds to them.
  const std::vector<std::shared_ptr<TraceSource>> opened = traces_;
  for (const auto& trace : opened) {
    const bool reopens = trace->place().reopens();
    inputs.push_back({.open = [this, trace, reopens, unread = true](
                                  bool values) mutable -> Result<std::unique_ptr<RecordSource>> {
                        const bool as_opened = std::exchange(unread, false) && values != reopens;
                        if (as_opened) return std::make_unique<InTurn>(trace);
                        auto again = add_trace(trace->place(), values);
                        again->be_silent();
                        return std::make_unique<InTurn>(std::move(again));
                      },
                      .reopens = reopens});
  }
  return std::make_unique<Stoppable>(flow::sort(std::move(inputs)), session_.stop);
}

Result<BatchPtr> Pipeline::next() {
  session_.diagnostics.progress().show(progress());
  return stages_->next();
}

std::string Pipeline::path_below_operand(const TraceDescription& description) const {
  const auto found = std::ranges::find(
      traces_, &description, [](const auto& trace) { return trace->description().get(); });
  if (found == traces_.end() || (*found)->place().directories.size() != 1) return {};
  const TracePlace& place = (*found)->place();
  const std::string identity = identity_of(place);
  const auto same = [&](const auto& trace) { return identity_of(trace->place()) == identity; };
  if (!identity.empty() && std::ranges::count_if(traces_, same) != 1) return {};
  const std::filesystem::path path =
      whole_path(place.directories.front()).lexically_relative(whole_path(place.operand));
  return path == "." ? "" : path.string();
}

bool Pipeline::reads_whole_ctf1() const {
  if (live() || options_.order != Order::kMerged || options_.begin || options_.end) return false;
  return std::ranges::all_of(traces_, [](const auto& trace) {
    const auto& description = trace->description();
    return trace->place().reopens() && description != nullptr && description->format() == "ctf" &&
           description->version() == "1.8";
  });
}

std::vector<std::unique_ptr<RecordSource>> Pipeline::sources_again() {
  std::vector<std::unique_ptr<RecordSource>> sources;
  for (const auto& trace : traces_) {
    const auto& again = again_.emplace_back(
        std::make_shared<TraceSource>(options_, session_, trace->place(), reading_));
    again->be_silent();
    if (again->open()) std::ranges::move(again->take_sources(true), std::back_inserter(sources));
  }
  return sources;
}

double Pipeline::progress() const {
  if (live()) return -1;
  double sum = 0;
  for (const auto& trace : traces_) {
    const double part = trace->progress();
    if (part < 0) return -1;
    sum += part;
  }
  return sum / static_cast<double>(traces_.size());
}

std::function<bool(std::chrono::milliseconds)> pauses_of(Pipeline& pipeline) {
  if (!pipeline.live()) return {};
  return [&pipeline](std::chrono::milliseconds patience) { return pipeline.ready(patience); };
}

}  // namespace tracedeck::cli

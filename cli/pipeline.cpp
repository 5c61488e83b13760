#include "cli/pipeline.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tracedeck/flow/concatenate.hpp"
#include "tracedeck/flow/limit.hpp"
#include "tracedeck/flow/merge.hpp"
#include "tracedeck/flow/sort.hpp"

namespace tracedeck::cli {
namespace {

// A stage's own handle of a source that others look at too.
class Handle final : public RecordSource {
 public:
  explicit Handle(std::shared_ptr<TraceSource> source) : source_(std::move(source)) {}
  Result<BatchPtr> next() override { return source_->next(); }

 private:
  std::shared_ptr<TraceSource> source_;
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

bool is_file(const std::string& trace) {
  std::error_code ignored;
  return trace != "-" && std::filesystem::is_regular_file(trace, ignored);
}

// Raises the limit of open files, which is low for the sake of old programs, as far as the system
// lets us. Where that is not far enough, opening a file says so.
void allow_open_files(std::size_t count) {
  rlimit limit{};
  const rlim_t wanted = count + 64;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

std::unique_ptr<Pipeline> Pipeline::open(const Options& options, Session& session,
                                         const Reading& reading, std::optional<OpenedInput> first) {
  std::unique_ptr<Pipeline> pipeline(new Pipeline(options, session, reading));
  if (!pipeline->open_traces(std::move(first))) return nullptr;
  pipeline->stages_ = pipeline->ordered();
  if (options.limit) pipeline->stages_ = flow::limit(std::move(pipeline->stages_), *options.limit);
  return pipeline;
}

std::shared_ptr<TraceSource> Pipeline::add_trace(const std::string& trace, bool values) {
  Reading reading = reading_;
  reading.values = reading.values && values;
  return traces_.emplace_back(std::make_shared<TraceSource>(options_, session_, trace, reading));
}

bool Pipeline::open_traces(std::optional<OpenedInput> first) {
  const bool sorts = options_.order == Order::kTime;
  for (const std::string& trace : options_.operands) {
    // A sort looks through files without their values before it reads them.
    add_trace(trace, !(sorts && is_file(trace)));
  }
  if (first) traces_.front()->open(*std::move(first));
  const auto opens = [](const auto& trace) { return trace->open(); };
  allow_open_files(traces_.size());
  // Unless all are needed at once they are opened when their turn comes, so that thousands of them
  // take no more memory than one. The first that can be is opened to know that there is one.
  if (options_.order != Order::kMerged) return std::any_of(traces_.begin(), traces_.end(), opens);
  std::erase_if(traces_, [&](const auto& trace) { return !opens(trace); });
  return !traces_.empty();
}

std::unique_ptr<RecordSource> Pipeline::ordered() {
  if (options_.order == Order::kTime) return sorted();
  std::vector<std::unique_ptr<RecordSource>> sources;
  sources.reserve(traces_.size());
  for (const auto& trace : traces_) sources.push_back(std::make_unique<Handle>(trace));
  if (sources.size() == 1) return std::move(sources.front());
  return options_.order == Order::kMerged ? flow::merge(std::move(sources))
                                          : flow::concatenate(std::move(sources));
}

std::unique_ptr<RecordSource> Pipeline::sorted() {
  std::vector<flow::SortInput> inputs;
  // Copied, because reading a TRACE again adds to them.
  const std::vector<std::shared_ptr<TraceSource>> opened = traces_;
  for (const auto& trace : opened) {
    const bool reopens = is_file(trace->name());
    inputs.push_back({.open = [this, trace, reopens, unread = true](
                                  bool values) mutable -> Result<std::unique_ptr<RecordSource>> {
                        const bool as_opened = std::exchange(unread, false) && values != reopens;
                        if (as_opened) return std::make_unique<Handle>(trace);
                        auto again = add_trace(trace->name(), values);
                        again->be_silent();
                        return std::make_unique<Handle>(std::move(again));
                      },
                      .reopens = reopens});
  }
  return std::make_unique<Stoppable>(flow::sort(std::move(inputs)), session_.stop);
}

Result<BatchPtr> Pipeline::next() {
  session_.diagnostics.progress().show(progress());
  return stages_->next();
}

std::vector<std::shared_ptr<const TraceDescription>> Pipeline::descriptions() const {
  std::vector<std::shared_ptr<const TraceDescription>> result;
  for (const auto& trace : traces_) {
    if (trace->description() != nullptr) result.push_back(trace->description());
  }
  return result;
}

double Pipeline::progress() const {
  double sum = 0;
  for (const auto& trace : traces_) {
    const double part = trace->progress();
    if (part < 0) return -1;
    sum += part;
  }
  return sum / static_cast<double>(traces_.size());
}

}  // namespace tracedeck::cli

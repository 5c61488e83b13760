#include "tracedeck/tracedeck.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "tracedeck/flow/pipeline.hpp"
#include "tracedeck/query/condition.hpp"

namespace tracedeck {
namespace {

void write_to_standard_error(const Report& report) {
  if (report.kind == Report::Kind::kFinding) return;
  std::fprintf(stderr, "%s\n", report.text.c_str());
}

std::string text_of(const Notice& notice) {
  return fmt::format("{}:{}: {}", notice.input, notice.finding.offset, notice.finding.text);
}

std::string text_of(const Loss& loss) {
  const std::string& input = loss.stream == nullptr || loss.stream->stream_class == nullptr ||
                                     loss.stream->stream_class->trace == nullptr
                                 ? std::string("trace")
                                 : loss.stream->stream_class->trace->input();
  const std::string what = loss.events    ? fmt::format("{} events", *loss.events)
                           : loss.packets ? fmt::format("{} packets", *loss.packets)
                                          : std::string("an unknown number of events");
  return fmt::format("{}: {} {}", input, what,
                     loss.taken_back ? "that were counted as lost came late" : "were lost");
}

}  // namespace

struct Trace::State final : flow::PipelineObserver {
  explicit State(std::function<void(const Report&)> to)
      : report(to ? std::move(to) : write_to_standard_error) {}

  void failed(const Error& what) override {
    if (!error) error = what;
    report({.kind = Report::Kind::kError,
            .text = what.to_string(),
            .error = &what,
            .record = nullptr});
  }

  void note(const std::string& sentence) override {
    report({.kind = Report::Kind::kNote, .text = sentence, .error = nullptr, .record = nullptr});
  }

  std::function<void(const Report&)> report;
  EventView::Routes routes;
  std::unique_ptr<flow::Pipeline> pipeline;
  std::shared_ptr<const query::Condition> condition;
  std::optional<Error> error;
  std::uint64_t problems = 0;
  std::uint64_t lost_events = 0;
};

Trace::Trace(std::unique_ptr<State> state) : state_(std::move(state)), routes_(&state_->routes) {}
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

const std::optional<Error>& Trace::error() const { return state_->error; }
bool Trace::complete() const { return !state_->error && state_->problems == 0; }
std::uint64_t Trace::lost_events() const { return state_->lost_events; }

bool Trace::refill() {
  if (state_->pipeline == nullptr) return false;
  auto batch = state_->pipeline->next();
  if (!batch) state_->failed(batch.error());
  if (!batch || *batch == nullptr) {
    state_->pipeline = nullptr;
    if (state_->condition != nullptr) {
      for (const std::string& sentence : state_->condition->fields().unknown_fields())
        state_->note(sentence);
      for (const std::string& sentence : state_->condition->fields().unknown_names())
        state_->note(sentence);
    }
    return false;
  }
  batch_ = std::move(*batch);
  at_ = batch_->records().data();
  last_ = at_ + batch_->size();
  return true;
}

void Trace::between(const Record& record) {
  switch (record.kind) {
    case RecordKind::kProblem:
      ++state_->problems;
      state_->report({.kind = Report::Kind::kProblem,
                      .text = text_of(*record.notice),
                      .error = nullptr,
                      .record = &record});
      break;
    case RecordKind::kFinding:
      state_->report({.kind = Report::Kind::kFinding,
                      .text = text_of(*record.notice),
                      .error = nullptr,
                      .record = &record});
      break;
    case RecordKind::kLoss:
      if (record.loss->taken_back) {
        state_->lost_events -= record.loss->events.value_or(0);
      } else {
        state_->lost_events += record.loss->events.value_or(0);
      }
      state_->report({.kind = Report::Kind::kLoss,
                      .text = text_of(*record.loss),
                      .error = nullptr,
                      .record = &record});
      break;
    default:
      break;
  }
}

Trace open(std::vector<std::string> paths, OpenOptions options) {
  auto state = std::make_unique<Trace::State>(std::move(options.report));
  flow::PipelineOptions pipeline;
  if (!options.where.empty()) {
    auto condition = query::Condition::parse(std::span(&options.where, 1));
    if (!condition) {
      state->failed(condition.error());
      return Trace(std::move(state));
    }
    state->condition = *condition;
    options.selection.where = *std::move(condition);
  }
  pipeline.operands = std::move(paths);
  pipeline.format = options.format;
  pipeline.selection = std::move(options.selection);
  pipeline.needs = {.values = true, .headers = false, .findings = options.findings};
  pipeline.max_state = options.max_state;
  pipeline.jobs = options.jobs;
  if (!options.metadata.empty()) {
    auto metadata = read_given_metadata(options.metadata, flow::max_state(pipeline, false));
    if (!metadata) {
      state->failed(metadata.error());
      return Trace(std::move(state));
    }
    pipeline.metadata = *std::move(metadata);
    if (pipeline.format == nullptr) pipeline.format = find_format("ctf");
  }
  state->pipeline = flow::Pipeline::open(std::move(pipeline), *state);
  return Trace(std::move(state));
}

}  // namespace tracedeck

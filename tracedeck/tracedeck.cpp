#include "tracedeck/tracedeck.hpp"

#include <utility>

#include "tracedeck/query/condition.hpp"
#include "tracedeck/reading.hpp"

namespace tracedeck {

struct Trace::State {
  explicit State(std::function<void(const Report&)> to) : reading(std::move(to)) {}

  Reading reading;
  EventView::Routes routes = {};
  std::shared_ptr<const query::Condition> condition = {};
};

Trace::Trace(std::unique_ptr<State> state) : state_(std::move(state)), routes_(&state_->routes) {}
Trace::Trace(Trace&&) noexcept = default;
Trace& Trace::operator=(Trace&&) noexcept = default;
Trace::~Trace() = default;

const std::optional<Error>& Trace::error() const { return state_->reading.error(); }
bool Trace::complete() const { return !error() && state_->reading.problems == 0; }
std::uint64_t Trace::lost_events() const { return state_->reading.lost_events; }

bool Trace::refill() {
  Reading& reading = state_->reading;
  if (reading.pipeline == nullptr) return false;
  BatchPtr batch = reading.next();
  if (batch == nullptr) {
    if (state_->condition != nullptr) {
      for (const std::string& sentence : state_->condition->fields().unmet())
        reading.note(sentence);
    }
    return false;
  }
  batch_ = std::move(batch);
  at_ = batch_->records().data();
  last_ = at_ + batch_->size();
  return true;
}

void Trace::between(const Record& record) { state_->reading.see(record); }

Trace open(std::vector<std::string> paths, OpenOptions options) {
  auto state = std::make_unique<Trace::State>(std::move(options.report));
  if (!options.where.empty()) {
    auto condition = query::Condition::parse(std::span(&options.where, 1));
    if (!condition) {
      state->reading.failed(condition.error());
      return Trace(std::move(state));
    }
    state->condition = *condition;
    options.selection.where = *std::move(condition);
  }
  options.selection.nominal_last = options.selection.order == flow::Order::kTime;
  state->reading.open(std::move(paths), options, options.selection,
                      {.values = true, .headers = false, .findings = options.findings});
  return Trace(std::move(state));
}

}  // namespace tracedeck

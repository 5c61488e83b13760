#include "tracedeck/marks.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/reading.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/mark_stream.hpp"
#include "tracedeck/timeline/mark_window.hpp"

namespace tracedeck {

struct Marks::State final : timeline::MarkSink {
  explicit State(std::function<void(const Report&)> to) : reading(std::move(to)) {}

  Result<void> take(const timeline::Timeline&, std::span<const timeline::Mark> taken) override {
    marks.insert(marks.end(), taken.begin(), taken.end());
    // These live on as long as the marks.
    batches = stream->interpreter().batches();
    return {};
  }
  Result<void> finish(const timeline::Timeline&) override { return {}; }

  timeline::MarkSink& sink(const timeline::MarksAhead& ahead) {
    if (ahead.begin) window.begin_at(*ahead.begin);
    return window;
  }

  // Puts the next batches with marks in `marks`. Returns whether there are any.
  bool read() {
    marks.clear();
    while (marks.empty() && stream != nullptr && !ended) {
      const BatchPtr batch = reading.next();
      Result<void> taken;
      if (batch == nullptr) {
        ended = true;
        taken = stream->finish();
        for (const std::string& sentence : stream->interpreter().notices()) reading.note(sentence);
      } else {
        for (const Record& record : batch->records()) {
          if (record.kind != RecordKind::kEvent) reading.see(record);
        }
        if (!stream->has_begun()) stream->expect_hosts_of(reading.pipeline->descriptions());
        taken = stream->add(batch);
      }
      if (!taken) reading.failed(taken.error());
    }
    return !marks.empty();
  }

  Reading reading;
  EventView::Routes routes = {};
  timeline::MarkWindow window{*this, timeline::MarkWindow::Unplaced::kHandedOn};
  std::unique_ptr<timeline::MarkStream> stream = {};  // null: nothing is read
  std::vector<BatchPtr> batches = {};                 // that the marks refer to
  std::vector<timeline::Mark> marks = {};
  bool ended = false;
};

Marks::Marks(std::unique_ptr<State> state) : state_(std::move(state)) {}
Marks::Marks(Marks&&) noexcept = default;
Marks& Marks::operator=(Marks&&) noexcept = default;
Marks::~Marks() = default;

const std::optional<Error>& Marks::error() const { return state_->reading.error(); }
bool Marks::complete() const { return !error() && state_->reading.problems == 0; }
std::uint64_t Marks::lost_events() const { return state_->reading.lost_events; }

const timeline::Timeline& Marks::timeline() const {
  static const timeline::Timeline kNone;
  return state_->stream == nullptr ? kNone : state_->stream->timeline();
}

std::string Marks::explain() const {
  return state_->stream == nullptr ? std::string() : state_->stream->interpreter().explain();
}

bool Marks::refill() {
  if (!state_->read()) return false;
  at_ = state_->marks.data();
  last_ = at_ + state_->marks.size();
  return true;
}

std::string_view MarkView::category() const {
  return mark_->name == timeline::kNoName ? std::string_view()
                                          : marks_->timeline().name(mark_->name).category;
}

std::string_view MarkView::name() const {
  return mark_->name == timeline::kNoName ? std::string_view()
                                          : marks_->timeline().name(mark_->name).text;
}

std::string MarkView::label() const {
  return mark_->name == timeline::kNoName ? std::string()
                                          : marks_->timeline().name(mark_->name).label();
}

const timeline::Track& MarkView::track() const {
  static const timeline::Track kNone;
  return mark_->track == timeline::kNoTrack ? kNone : marks_->timeline().track(mark_->track);
}

std::optional<EventView> MarkView::event() const {
  const auto holds = [&](const BatchPtr& batch) {
    const std::span<const Record> records = batch->records();
    return std::ranges::any_of(records,
                               [&](const Record& record) { return &record.event == mark_->event; });
  };
  if (mark_->event == nullptr) return {};
  const std::vector<BatchPtr>& batches = marks_->state_->batches;
  const auto batch = batches.size() == 1 ? batches.begin() : std::ranges::find_if(batches, holds);
  if (batch == batches.end()) return {};
  return EventView(*mark_->event, *batch, marks_->state_->routes);
}

std::vector<MarkArgument> MarkView::arguments() const {
  std::vector<MarkArgument> arguments;
  timeline::visit_arguments(*mark_, [&](std::string_view name, const query::Value& value) {
    arguments.push_back({std::string(name), timeline::argument_text(value)});
  });
  return arguments;
}

Marks open_marks(std::vector<std::string> paths, MarkOptions options) {
  OpenOptions& wanted = options.reading;
  auto state = std::make_unique<Marks::State>(std::move(wanted.report));
  if (!wanted.where.empty()) {
    state->reading.failed(
        {.code = ErrorCode::kInvalidArgument,
         .message = "a condition on events does not go with marks: without some events, begins and "
                    "ends would not be found; look at the marks instead"});
    return Marks(std::move(state));
  }
  auto stream = timeline::MarkStream::make(
      {.tables = std::move(options.tables),
       .all_flows = options.all_flows,
       .selection = wanted.selection},
      [each = state.get()](const timeline::MarksAhead& ahead) -> timeline::MarkSink& {
        return each->sink(ahead);
      });
  if (!stream) {
    state->reading.failed(stream.error());
    return Marks(std::move(state));
  }
  flow::Needs needs = timeline::MarkStream::needs();
  needs.findings = wanted.findings;
  state->reading.open(std::move(paths), wanted, (*stream)->selection(), needs);
  if (state->reading.pipeline != nullptr) state->stream = *std::move(stream);
  return Marks(std::move(state));
}

}  // namespace tracedeck

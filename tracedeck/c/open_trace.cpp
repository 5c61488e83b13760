#include "tracedeck/c/open_trace.hpp"

#include <span>
#include <utility>

#include "tracedeck/render/schema.hpp"
#include "tracedeck/text/json_object.hpp"

namespace tracedeck::capi {

std::function<void(const Report&)> Sentences::listener() {
  return [this](const Report& report) {
    const std::lock_guard lock(mutex_);
    if (report.kind == Report::Kind::kError && errors_.size() < kMost)
      errors_.push_back(report.text);
    if (report.kind == Report::Kind::kNote && notes_.size() < kMost) notes_.push_back(report.text);
  };
}

std::vector<std::string> Sentences::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

std::vector<std::string> Sentences::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

OpenTrace::OpenTrace(Request request)
    : reading_(std::make_unique<Reading>(sentences_.listener())),
      progress_(request.question.go_on) {}

Result<std::shared_ptr<OpenTrace>> OpenTrace::open(Request request) {
  OpenOptions& options = request.question.reading;
  std::shared_ptr<OpenTrace> trace(new OpenTrace(request));
  if (!options.where.empty()) {
    auto condition = query::Condition::parse(std::span(&options.where, 1));
    if (!condition) return std::unexpected(condition.error());
    trace->condition_ = *condition;
    options.selection.where = *std::move(condition);
  }
  options.selection.nominal_last = options.selection.order == flow::Order::kTime;
  options.stop = trace->stop.get_token();
  trace->reading_->open(std::move(request.question.paths), options, options.selection,
                        {.values = true, .names = true, .findings = options.findings});
  flow::Pipeline* const pipeline = trace->reading_->pipeline.get();
  if (pipeline == nullptr) {
    if (const auto& error = trace->reading_->error()) return std::unexpected(*error);
    return fail(ErrorCode::kCannotOpen, "there is no trace");
  }
  if (pipeline->live())
    return fail(
        ErrorCode::kUnsupported,
        "live traces are not read by this interface: read a file that they are recorded to");
  TraceNames names;
  if (pipeline->several())
    names = [pipeline](const TraceDescription& each) { return pipeline->name_of(each); };
  trace->reads_ahead_ = options.jobs > 1;
  trace->comes_one_by_one_ = options.selection.order == flow::Order::kRecorded;
  trace->batches_.emplace(std::move(names), std::move(request.names));
  return trace;
}

std::optional<Error> OpenTrace::cancelled() const {
  if (!refused_ && !stop.stop_requested()) return {};
  return Error{.code = ErrorCode::kBrokenPipe, .message = "cancelled"};
}

Result<bool> OpenTrace::refill() {
  has_event_ = false;
  if (!ended_ && !progress_.ask()) refused_ = true;
  if (auto error = cancelled()) return std::unexpected(*std::move(error));
  if (ended_) return false;
  auto next = reading_->pipeline->next();
  if (auto error = cancelled()) return std::unexpected(*std::move(error));
  if (!next) reading_->failed(next.error());
  batch_ = next ? *std::move(next) : nullptr;
  at_ = 0;
  if (batch_ != nullptr) {
    if (descriptions_.empty() || comes_one_by_one_) remember_descriptions();
    return true;
  }
  ended_ = true;
  note_unknown_fields();
  return false;
}

// The pipeline forgets those of traces that were read.
void OpenTrace::remember_descriptions() {
  for (auto& each : reading_->pipeline->descriptions())
    descriptions_.try_emplace(each->number(), std::move(each));
}

void OpenTrace::note_unknown_fields() {
  if (condition_ == nullptr) return;
  for (const std::string& sentence : condition_->fields().unmet()) reading_->note(sentence);
}

Result<void> OpenTrace::fill_group(std::uint32_t max_rows) {
  while (batches_->rows() < max_rows && batches_->bytes() < ClassBatches::kMostBytes) {
    if (!has_records()) {
      const auto filled = refill();
      if (!filled) return std::unexpected(filled.error());
      if (!*filled) break;
    }
    const std::size_t before = at_;
    if (auto added = add_records(max_rows); !added) {
      // Events wait in vain, so there is no going on.
      failure_ = added.error();
      return added;
    }
    progress_.count(at_ - before);
  }
  return {};
}

Result<void> OpenTrace::add_records(std::uint32_t max_rows) {
  const std::span<const Record> records = batch_->records();
  while (at_ < records.size() && batches_->rows() < max_rows) {
    const Record& record = records[at_++];
    if (record.kind == RecordKind::kEvent) [[likely]] {
      if (auto added = batches_->add(record.event); !added) [[unlikely]]
        return added;
    } else {
      reading_->see(record);
      batches_->add(record);
    }
  }
  return batches_->append_waiting();
}

Result<bool> OpenTrace::next_batch(std::uint32_t max_rows, std::uint32_t& class_number, bool& last,
                                   ArrowArray& array) {
  if (use_ == Use::kEvents)
    return fail(ErrorCode::kInvalidArgument,
                "the trace is read event by event; open it again for batches");
  use_ = Use::kBatches;
  if (failure_) return std::unexpected(*failure_);
  if (auto error = cancelled()) return std::unexpected(*std::move(error));
  if (batches_->rows() == 0) {
    next_class_ = 0;
    if (auto filled = fill_group(max_rows); !filled) return std::unexpected(filled.error());
  }
  const std::optional<std::uint32_t> number = batches_->next_filled(next_class_);
  if (!number) return false;
  class_number = *number;
  next_class_ = *number + 1;
  batches_->export_class(*number, array);
  last = batches_->rows() == 0;
  return true;
}

Result<bool> OpenTrace::next_event() {
  if (use_ == Use::kBatches)
    return fail(ErrorCode::kInvalidArgument,
                "the trace is read in batches; open it again for its events");
  use_ = Use::kEvents;
  for (;;) {
    has_event_ = false;
    if (stop.stop_requested() || !has_records()) {
      const auto filled = refill();
      if (!filled) return std::unexpected(filled.error());
      if (!*filled) return false;
    }
    const Record& record = batch_->records()[at_++];
    if (record.kind != RecordKind::kEvent) {
      reading_->see(record);
      continue;
    }
    progress_.count(1);
    ++events_;
    event_ = EventView(record.event, batch_, routes_);
    has_event_ = true;
    return true;
  }
}

std::string OpenTrace::report() const {
  TextBuffer out(nullptr, 1024);
  JsonObject object(out);
  object.integer("events", events_ + static_cast<std::uint64_t>(batches_->events()));
  object.integer("lost_events", reading_->lost_events);
  object.integer("problems", reading_->problems);
  object.boolean("complete", ended_ && reading_->problems == 0 && !reading_->error());
  const auto sentences = [&](std::string_view key, const std::vector<std::string>& texts) {
    JsonArray array(object.key(key));
    for (const std::string& each : texts) append_json_string(array.next(), each);
    array.end();
  };
  sentences("errors", sentences_.errors());
  sentences("notes", sentences_.notes());
  object.end();
  return std::string(out.view());
}

Result<std::string> OpenTrace::schema() const {
  if (reads_ahead_ && !ended_)
    return fail(ErrorCode::kInvalidArgument, "with several jobs this is known at the end");
  TextBuffer out(nullptr, 4096);
  JsonArray array(out);
  for (const auto& [number, each] : descriptions_) render::append_schema_json(array.next(), *each);
  array.end();
  return std::string(out.view());
}

}  // namespace tracedeck::capi

#include "tracedeck/flow/ordered_part.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/format/output_batch.hpp"

namespace tracedeck::flow {
Error changed_meanwhile() {
  return {.code = ErrorCode::kReadFailed,
          .message = "an input was changed while it was sorted; sort a copy of it"};
}

Result<BatchPtr> OrderedPart::fetch() {
  if (failure_) return std::unexpected(*failure_);
  if (source_ == nullptr) return nullptr;
  Result<BatchPtr> batch = source_->next();
  if (!batch) failure_ = batch.error();
  if (batch && *batch == nullptr && is_counted_ && events_left_ != 0 && !stop_.stop_requested()) {
    failure_ = changed_meanwhile();
    batch = std::unexpected(*failure_);
  }
  if (!batch || *batch == nullptr) source_.reset();
  return batch;
}

Result<BatchPtr> OrderedPart::next() {
  while (rest_.batch == nullptr) {
    Result<BatchPtr> batch = fetch();
    if (!batch || *batch == nullptr) return batch;
    const std::span<const Record> records = (*batch)->records();
    const Record* const end = records.data() + records.size();
    std::uint64_t events = 0;
    const Record* const passed = pass(records.data(), end, events);
    if (passed == nullptr) {
      failure_ = changed_meanwhile();
      return std::unexpected(*failure_);
    }
    const std::span<const Record> before(records.data(), passed);
    BatchPtr handed =
        passed == end && events <= events_left_ ? *batch : first_events(*batch, before);
    events_left_ -= std::min(events_left_, events);
    if (passed != end) rest_ = {*std::move(batch), {passed, end}};
    if (handed != nullptr) return handed;
  }
  return nullptr;
}

Result<OrderedPart::Rest> OrderedPart::rest() {
  for (;;) {
    Rest rest = std::exchange(rest_, {});
    if (rest.batch == nullptr) {
      Result<BatchPtr> batch = fetch();
      if (!batch) return std::unexpected(batch.error());
      if (*batch == nullptr) return Rest{};
      rest = {*batch, (*batch)->records()};
    }
    const auto events = static_cast<std::uint64_t>(std::ranges::count_if(rest.records, is_event));
    if (events > events_left_) {
      rest.batch = first_events(rest.batch, rest.records);
      if (rest.batch != nullptr) rest.records = rest.batch->records();
    }
    events_left_ -= std::min(events_left_, events);
    if (rest.batch != nullptr) return rest;
  }
}

const Record* OrderedPart::pass(const Record* at, const Record* end, std::uint64_t& events) {
  // Nothing goes before the first place.
  if (until_ == OrderKey::first()) return at;
  while (at != end) {
    // What came since is not looked at.
    if (events >= events_left_ && is_event(*at)) {
      ++events;
      ++at;
      continue;
    }
    const OrderKey key = times_(*at);
    if (key < last_ && !keeps_steps_) return nullptr;
    if (key >= until_) return at;
    last_ = key;
    if (!is_event(*at)) {
      ++at;
      continue;
    }
    const std::uint64_t room = events_left_ - events;
    const auto left = static_cast<std::uint64_t>(end - at);
    const Record* run_end = times_.end_of_run(at, at + std::min(left, room));
    if (run_end - at != 1) last_ = times_(run_end[-1]);
    if (last_ >= until_) {
      const auto is_before = [this](const Record& record) {
        return times_.in_run(record.event) < until_;
      };
      run_end = std::partition_point(at + 1, run_end, is_before);
      last_ = times_(run_end[-1]);
    }
    events += static_cast<std::uint64_t>(run_end - at);
    at = run_end;
  }
  return end;
}

BatchPtr OrderedPart::first_events(const BatchPtr& batch, std::span<const Record> records) const {
  OutputBatch output;
  output.pin(batch);
  std::uint64_t events = 0;
  for (const Record& record : records) {
    if (!is_event(record) || events++ < events_left_) output.add(record);
  }
  return output.empty() ? nullptr : output.take();
}

}  // namespace tracedeck::flow

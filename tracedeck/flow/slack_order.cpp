#include "tracedeck/flow/slack_order.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::flow {
namespace {

constexpr std::size_t kMostHeld = std::size_t{1} << 16;
constexpr std::size_t kMostHeldBatches = 1024;

}  // namespace

SlackOrder::SlackOrder(RecordSource& source, Ready ready, Nanoseconds slack)
    : source_(source), ready_(std::move(ready)), slack_(slack) {}

void SlackOrder::hold(const BatchPtr& batch) {
  for (const Record& record : batch->records()) {
    if (record.kind == RecordKind::kEvent && record.event.has_time()) {
      last_ = record.event.began_at();
      if (!any_came_ || last_ > latest_) latest_ = last_;
      any_came_ = true;
      if (any_gone_ && last_ < gone_) ++late_;
    }
    held_.push_back({.time = last_, .number = number_++, .record = record, .from = batch});
    std::ranges::push_heap(held_, goes_after);
  }
  if (!batch->empty()) batches_[batch.get()] = batch->size();
}

bool SlackOrder::may_go() const {
  if (held_.empty()) return false;
  return all_go_ || held_.size() > kMostHeld || batches_.size() > kMostHeldBatches ||
         held_.front().time + slack_ <= latest_;
}

void SlackOrder::release_first() {
  hurried_ += !all_go_ && held_.front().time + slack_ > latest_ ? 1 : 0;
  std::ranges::pop_heap(held_, goes_after);
  const Held first = std::move(held_.back());
  held_.pop_back();
  if (first.from.get() != pinned_) {
    out_.pin(first.from);
    pinned_ = first.from.get();
  }
  out_.add(first.record);
  const auto left = batches_.find(pinned_);
  if (--left->second == 0) batches_.erase(left);
  if (!any_gone_ || first.time > gone_) gone_ = first.time;
  any_gone_ = true;
}

bool SlackOrder::wait() {
  if (held_.empty()) return false;
  const auto slack = std::chrono::nanoseconds(static_cast<std::int64_t>(slack_.magnitude()));
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(came_ + slack - Clock::now());
  return left.count() <= 0 ? !ready_(std::chrono::milliseconds(0)) : !ready_(left);
}

Result<BatchPtr> SlackOrder::next() {
  for (;;) {
    while (may_go() && !out_.full()) release_first();
    if (held_.empty()) all_go_ = ended_;
    if (!out_.empty()) {
      pinned_ = nullptr;
      return out_.take();
    }
    if (ended_) return nullptr;
    if (wait()) {
      all_go_ = true;
      continue;
    }
    auto batch = source_.next();
    if (!batch) return batch;
    ended_ = all_go_ = *batch == nullptr;
    if (ended_) continue;
    came_ = Clock::now();
    hold(*batch);
  }
}

bool SlackOrder::ready(std::chrono::milliseconds patience) { return may_go() || ready_(patience); }

}  // namespace tracedeck::flow

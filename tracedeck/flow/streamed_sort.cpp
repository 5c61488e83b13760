#include "tracedeck/flow/streamed_sort.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tracedeck::flow {
namespace {

bool is_event(const Record& record) { return record.kind == RecordKind::kEvent; }

}  // namespace

Result<std::uint64_t> collect_late(RecordSource& source, const StreamedSortPlan& plan,
                                   ExternalSorter& late) {
  ChunkOrder order(plan.chunk_events);
  StreamTimes times;
  std::uint64_t events = 0;
  std::uint64_t late_records = 0;
  while (true) {
    const Result<BatchPtr> batch = source.next();
    if (!batch || *batch == nullptr) return late_records;
    late.take_over(**batch);
    for (const Record& record : (*batch)->records()) {
      if (is_event(record) && events++ == plan.events) return late_records;
      const OrderKey key = times(record);
      if (is_event(record) ? !order.add_event(key) : !order.is_late(key)) continue;
      if (Result<void> added = late.add(key, record); !added) {
        return std::unexpected(added.error());
      }
      ++late_records;
    }
  }
}

StreamedSort::StreamedSort(std::unique_ptr<RecordSource> source, const StreamedSortPlan& plan,
                           std::unique_ptr<ExternalSorter> late)
    : source_(std::move(source)), plan_(plan), order_(plan.chunk_events), late_(std::move(late)) {}

Result<BatchPtr> StreamedSort::next() {
  while (!output_.full()) {
    if (handed_on_ < ready_) {
      const Item& item = items_[handed_on_];
      // A late record was read after all others of the same time.
      if (!late_ended() && late_->key() < item.key) {
        if (!hand_on_late()) break;
      } else {
        hand_on(item);
        ++handed_on_;
      }
    } else if (!read_all_) {
      read_chunk();
    } else if (late_ended() || !hand_on_late()) {
      break;
    }
  }
  ++output_number_;
  if (!output_.empty()) return output_.take();
  if (failure_) return std::unexpected(*failure_);
  return nullptr;
}

// Returns false when the output has to be handed on first, or the sorter failed.
bool StreamedSort::hand_on_late() {
  if (!late_->unpack(output_)) return false;
  if (Result<void> advanced = late_->advance(); !advanced) {
    abandon(std::move(advanced.error()));
    return false;
  }
  return true;
}

void StreamedSort::hand_on(const Item& item) {
  Held& held = *item.held;
  if (std::exchange(held.pinned_by, output_number_) != output_number_) output_.pin(held.batch);
  output_.add(*item.record);
  const bool still_read = &held == &held_.back() && position_ != end_;
  if (--held.records != 0 || still_read) return;
  held.batch.reset();
  output_.note_finished_batch();
}

// Reads up to the first event of the next chunk, so that what follows an event is in its chunk.
void StreamedSort::read_chunk() {
  items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(handed_on_));
  handed_on_ = 0;
  ready_ = 0;
  while (!held_.empty() && held_.front().batch == nullptr) held_.pop_front();
  bool begun = false;
  while (position_ != end_ || read_batch()) {
    if (is_event(*position_)) {
      if (begun && order_.at_chunk_end()) break;
      begun = true;
    }
    take(*position_++);
  }
  sort_items();
}

// Returns false at the end.
bool StreamedSort::read_batch() {
  if (!held_.empty() && held_.back().records == 0) held_.back().batch.reset();
  if (read_all_) return false;
  Result<BatchPtr> batch = source_->next();
  if (!batch) {
    failure_ = std::move(batch.error());
    read_all_ = true;
    return false;
  }
  if (*batch == nullptr) {
    end_reading();
    return false;
  }
  const std::span<const Record> records = (*batch)->records();
  Held& held = held_.emplace_back();
  held.batch = std::move(*batch);
  position_ = records.data();
  end_ = position_ + records.size();
  return true;
}

void StreamedSort::take(const Record& record) {
  if (is_event(record) && events_seen_ == plan_.events) return;
  const OrderKey key = times_(record);
  bool late = false;
  if (is_event(record)) {
    ++events_seen_;
    late = order_.add_event(key);
  } else {
    late = order_.is_late(key);
  }
  if (late) {
    ++late_seen_;
    return;
  }
  items_.push_back({.key = key, .number = items_read_++, .record = &record, .held = &held_.back()});
  ++held_.back().records;
}

void StreamedSort::end_reading() {
  read_all_ = true;
  source_.reset();
  // An input may have become shorter, by a stop request among others: then fewer are seen.
  const bool whole = events_seen_ == plan_.events;
  const bool as_before =
      whole ? late_seen_ == plan_.late_records : late_seen_ <= plan_.late_records;
  if (as_before) return;
  abandon({.code = ErrorCode::kReadFailed,
           .message = "An input was changed while it was sorted; sort a copy of it."});
}

void StreamedSort::abandon(Error error) {
  failure_ = std::move(error);
  read_all_ = true;
  late_.reset();
  items_.clear();
  handed_on_ = 0;
  ready_ = 0;
}

// Sorts what was read and what is left over from the chunk before.
void StreamedSort::sort_items() {
  const auto before = [](const Item& a, const Item& b) {
    const auto order = a.key <=> b.key;
    return order == 0 ? a.number < b.number : order < 0;
  };
  if (!std::ranges::is_sorted(items_, before)) std::ranges::sort(items_, before);
  const auto ready =
      read_all_ ? items_.end()
                : std::ranges::upper_bound(items_, order_.next_low(), std::less<>{}, &Item::key);
  ready_ = static_cast<std::size_t>(ready - items_.begin());
}

}  // namespace tracedeck::flow

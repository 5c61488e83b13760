#include "tracedeck/flow/streamed_sort.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tracedeck/flow/ordered_part.hpp"
#include "tracedeck/spill/sort_runs.hpp"

namespace tracedeck::flow {
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
                           std::unique_ptr<ExternalSorter> late, std::stop_token stop)
    : source_(std::move(source)),
      plan_(plan),
      order_(plan.chunk_events),
      late_(std::move(late)),
      stop_(std::move(stop)) {}

Result<BatchPtr> StreamedSort::next() {
  while (!output_.full()) {
    if (handed_on_ < ready_) {
      // A late record was read after all others of the same time.
      if (late_ended() || key_of(items_[handed_on_]) <= late_->key()) {
        hand_on_of_one_batch();
      } else if (!hand_on_late()) {
        break;
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

// The first item that is ready, and those behind it of the same batch if there are no late records.
void StreamedSort::hand_on_of_one_batch() {
  Held& held = *items_[handed_on_].held;
  if (std::exchange(held.pinned_by, output_number_) != output_number_) output_.pin(held.batch);
  const std::size_t most =
      late_ended() ? std::min(ready_ - handed_on_, output_.room_for_records()) : 1;
  const std::size_t end = handed_on_ + most;
  const std::size_t first = handed_on_;
  for (; handed_on_ != end && items_[handed_on_].held == &held; ++handed_on_)
    output_.add(*items_[handed_on_].record);
  held.records -= handed_on_ - first;
  const bool still_read = &held == &held_.back() && position_ != end_;
  if (held.records != 0 || still_read) return;
  held.batch.reset();
  output_.note_finished_batch();
}

// Reads up to the first event of the next chunk, so that what follows an event is in its chunk.
void StreamedSort::read_chunk() {
  forget_handed_on();
  ready_ = 0;
  while (!held_.empty() && held_.front().batch == nullptr) held_.pop_front();
  bool begun = false;
  while (position_ != end_ || read_batch()) {
    if (!is_event(*position_)) {
      take(*position_++);
      continue;
    }
    if (begun && order_.at_chunk_end()) break;
    begun = true;
    take_run();
  }
  sort_items();
}

void StreamedSort::forget_handed_on() {
  items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(handed_on_));
  handed_on_ = 0;
  if (exact_.empty()) return;
  std::vector<Nanoseconds> left;
  for (Item& item : items_) {
    if (!OrderKey::needs_exact(item.coarse)) continue;
    left.push_back(exact_[item.exact]);
    item.exact = left.size() - 1;
  }
  exact_ = std::move(left);
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

void StreamedSort::add_item(const OrderKey& key, const Record& record) {
  if (OrderKey::needs_exact(key.coarse)) [[unlikely]]
    exact_.push_back(key.exact);
  items_.push_back(
      {.coarse = key.coarse, .exact = exact_.size() - 1, .record = &record, .held = &held_.back()});
  ++held_.back().records;
}

// A record that is no event.
void StreamedSort::take(const Record& record) {
  const OrderKey key = times_(record);
  if (order_.is_late(key)) {
    ++late_seen_;
  } else {
    add_item(key, record);
  }
}

// The event at hand, and those of its chunk that ascend from it.
void StreamedSort::take_run() {
  const Record* const first = position_++;
  if (events_seen_ == plan_.events) return;
  ++events_seen_;
  const OrderKey key = times_(*first);
  if (order_.add_event(key)) {
    ++late_seen_;
    return;
  }
  add_item(key, *first);
  const std::uint64_t room =
      std::min({static_cast<std::uint64_t>(end_ - first), order_.room_in_chunk() + 1,
                plan_.events - events_seen_ + 1});
  const Record* const run_end = times_.end_of_run(first, first + room);
  if (run_end == position_) return;
  for (const Record* const last = run_end - 1; position_ != last; ++position_)
    add_item(times_.in_run(position_->event), *position_);
  const OrderKey last_key = times_(*position_);
  add_item(last_key, *position_++);
  const auto more = static_cast<std::uint64_t>(run_end - first - 1);
  events_seen_ += more;
  order_.add_run(more, last_key);
}

void StreamedSort::end_reading() {
  read_all_ = true;
  source_.reset();
  if (events_seen_ == plan_.events && late_seen_ == plan_.late_records) return;
  // By a stop it ends early.
  if (stop_.stop_requested() && late_seen_ <= plan_.late_records) return;
  abandon(changed_meanwhile());
}

void StreamedSort::abandon(Error error) {
  failure_ = std::move(error);
  read_all_ = true;
  late_.reset();
  items_.clear();
  handed_on_ = 0;
  ready_ = 0;
}

// Sorts what was read and what is left over from the chunk before, which comes first of what is
// equal.
void StreamedSort::sort_items() {
  const auto before = [this](const Item& a, const Item& b) {
    if (a.coarse != b.coarse || !OrderKey::needs_exact(a.coarse)) [[likely]]
      return a.coarse < b.coarse;
    return exact_[a.exact] < exact_[b.exact];
  };
  scratch_.resize(items_.size());
  sort_runs(items_.begin(), items_.end(), scratch_.begin(), before);
  const auto key = [this](const Item& item) { return key_of(item); };
  const auto ready =
      read_all_ ? items_.end()
                : std::ranges::upper_bound(items_, order_.next_low(), std::ranges::less{}, key);
  ready_ = static_cast<std::size_t>(ready - items_.begin());
}

}  // namespace tracedeck::flow

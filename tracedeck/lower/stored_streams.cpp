#include "tracedeck/lower/stored_streams.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/spill/record_key.hpp"

namespace tracedeck::lower {

StoredStreams::StoredStreams(Reader& reader, bool side_by_side, OutputBatch& output)
    : output_(output) {
  std::vector<std::unique_ptr<RecordSource>> sources;
  if (side_by_side) sources = reader.take_streams();
  for (auto& source : sources) {
    RecordSource* const borrowed = source.get();
    inputs_.push_back({.source = borrowed, .owned = std::move(source)});
  }
  if (inputs_.empty()) inputs_.push_back({.source = &reader});
  alone_ = inputs_.size() == 1;
}

const Record* StoredStreams::find_next() {
  while (at_hand_ != nullptr || choose()) {
    Input& input = *at_hand_;
    if (input.position == input.end) {
      // What comes alone may come live.
      if (failure_ || (alone_ && !output_.empty())) return nullptr;
      if (!fetch(input)) return nullptr;
      continue;
    }
    if (chosen_ || !is_timed(*input.position)) return input.position;
    chosen_ = has_no_other();
    if (chosen_) return input.position;
    input.key = key_of(*input.position, input.keys);
    chosen_ = opened_ == inputs_.size() && is_later(turns_.front(), &input);
    if (chosen_) return input.position;
    take_turn(input);
    at_hand_ = nullptr;
    chosen_ = false;
  }
  return nullptr;
}

std::size_t StoredStreams::wait() {
  chosen_ = false;
  return static_cast<std::size_t>(std::exchange(at_hand_, nullptr) - inputs_.data());
}

void StoredStreams::resume(std::size_t stream) {
  if (at_hand_ != nullptr) {
    if (is_timed(*at_hand_->position)) at_hand_->key = key_of(*at_hand_->position, at_hand_->keys);
    take_turn(*at_hand_);
  }
  at_hand_ = &inputs_[stream];
  chosen_ = true;
}

bool StoredStreams::ended() const {
  return at_hand_ == nullptr && turns_.empty() && opened_ == inputs_.size();
}

// What precedes the first record with a time comes first, of one after the other.
bool StoredStreams::choose() {
  chosen_ = false;
  if (opened_ < inputs_.size()) {
    at_hand_ = &inputs_[opened_++];
    return true;
  }
  if (turns_.empty()) return false;
  std::ranges::pop_heap(turns_, [this](auto* a, auto* b) { return is_later(a, b); });
  at_hand_ = turns_.back();
  turns_.pop_back();
  chosen_ = true;
  return true;
}

// False: it failed.
bool StoredStreams::fetch(Input& input) {
  if (input.pinned_by == outputs_) output_.note_finished_batch();
  input.pinned_by = 0;
  input.batch.reset();
  Result<BatchPtr> batch = input.source->next();
  if (!batch) {
    failure_ = std::move(batch.error());
    return false;
  }
  if (*batch == nullptr) {
    input.owned.reset();
    at_hand_ = nullptr;
    chosen_ = false;
    return true;
  }
  input.batch = *std::move(batch);
  input.position = input.batch->records().data();
  input.end = input.position + input.batch->records().size();
  if (on_batch_) on_batch_();
  return true;
}

// Ties keep the order of the data streams.
bool StoredStreams::is_later(const Input* one, const Input* other) const {
  const auto order = one->key <=> other->key;
  return order == 0 ? one > other : order > 0;
}

void StoredStreams::take_turn(Input& input) {
  turns_.push_back(&input);
  std::ranges::push_heap(turns_, [this](auto* a, auto* b) { return is_later(a, b); });
}

}  // namespace tracedeck::lower

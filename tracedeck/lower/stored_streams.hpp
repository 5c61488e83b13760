// The data streams of a stored trace, read side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/spill/order_key.hpp"

namespace tracedeck::lower {

// Their records in the order of time, as `flow::merge` has it, but that a data stream may be told
// to wait. Holds one batch of each.
class StoredStreams {
 public:
  // Those of `reader` as `Reader::take_streams` yields them, or the reader as the only one.
  // `output`: what records go to. Both must outlive this.
  StoredStreams(Reader& reader, bool side_by_side, OutputBatch& output);
  // Called after a batch was read, before the first of its records comes.
  void on_batch(std::function<void()> call) { on_batch_ = std::move(call); }

  // The record that comes next. Null: there is none, or `output` is to be handed on first.
  [[nodiscard]] const Record* next() {
    if (chosen_ && at_hand_->position != at_hand_->end) [[likely]]
      return at_hand_->position;
    return find_next();
  }
  // Goes on behind that record, and those behind it.
  void pass(std::size_t records = 1) {
    at_hand_->position += records;
    chosen_ = has_no_other();
  }
  // The records behind that one which come before any of other data streams.
  [[nodiscard]] std::span<const Record> behind() const {
    if (!has_no_other()) return {};
    return {at_hand_->position + 1, at_hand_->end};
  }
  // Before that record is added to `output`, where its values lie in its batch.
  void pin() {
    if (at_hand_->pinned_by == outputs_) return;
    at_hand_->pinned_by = outputs_;
    output_.pin(at_hand_->batch);
  }
  // `output` was handed on.
  void begin_output() { ++outputs_; }

  // The data stream of that record waits, which one is returned, until it is to go on before all
  // others.
  [[nodiscard]] std::size_t wait();
  void resume(std::size_t stream);

  // Whether all have ended or wait.
  [[nodiscard]] bool ended() const;
  // Why one of them ended early.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Input {
    RecordSource* source = nullptr;
    std::unique_ptr<RecordSource> owned = {};
    BatchPtr batch = {};
    const Record* position = nullptr;
    const Record* end = nullptr;
    std::uint64_t pinned_by = 0;  // number of the output batch
    KeyMaker keys = KeyMaker();
    OrderKey key = OrderKey::first();  // of its last record with a time
  };

  // Whether all others have ended or wait.
  [[nodiscard]] bool has_no_other() const { return turns_.empty() && opened_ == inputs_.size(); }
  [[nodiscard]] const Record* find_next();
  [[nodiscard]] bool choose();
  [[nodiscard]] bool fetch(Input& input);
  [[nodiscard]] bool is_later(const Input* one, const Input* other) const;
  void take_turn(Input& input);

  OutputBatch& output_;
  std::vector<Input> inputs_;
  bool alone_;  // there is one
  std::function<void()> on_batch_ = {};
  std::size_t opened_ = 0;     // of which records were asked for
  std::vector<Input*> turns_;  // a heap of those whose next record has a time, the first in front
  Input* at_hand_ = nullptr;   // whose records come until one has a time
  bool chosen_ = false;        // and it is the turn of its next record
  std::uint64_t outputs_ = 1;  // number of the output batch
  std::optional<Error> failure_ = {};
};

}  // namespace tracedeck::lower

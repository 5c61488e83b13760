// What readers that restore have in common: they take the records of the stored trace one by one
// and put batches together of what those come to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/lower/byte_arena.hpp"
#include "tracedeck/lower/lowered_class.hpp"

namespace tracedeck::lower {

class RestoringStage : public Reader {
 public:
  [[nodiscard]] std::shared_ptr<const TraceDescription> description() const final {
    return description_;
  }
  [[nodiscard]] std::string_view target() const final { return stored_->target(); }
  [[nodiscard]] double progress() const final { return stored_->progress(); }
  [[nodiscard]] std::optional<std::uint64_t> stored_size() const final {
    return stored_->stored_size();
  }
  [[nodiscard]] std::optional<std::uint64_t> bytes_read() const final {
    return stored_->bytes_read();
  }

 protected:
  RestoringStage(std::unique_ptr<Reader> stored, const ReadOptions& options)
      : stored_(std::move(stored)), options_(options), description_(stored_->description()) {}

  // The next batch of the stored trace.
  [[nodiscard]] virtual Result<BatchPtr> read() { return stored_->next(); }
  // False: the batch has to be handed on first, and the record comes again.
  [[nodiscard]] virtual bool take(const Record& record) = 0;
  // What comes when the stored trace has ended, until it is null.
  [[nodiscard]] virtual Result<BatchPtr> end() = 0;

  [[nodiscard]] Result<BatchPtr> next_batch();
  // What was put together; null: nothing.
  [[nodiscard]] BatchPtr take_output() { return output_.empty() ? nullptr : output_.take(); }

  // Before a record is added whose values lie in the batch at hand. Batches of marks alone go.
  void pin_input() {
    if (!std::exchange(pinned_, true)) output_.pin(input_);
  }
  bool copy(const Record& record) {
    pin_input();
    output_.add(record);
    return true;
  }
  // A finding about a mark, unless findings are not wanted.
  void report(std::uint64_t offset, std::string text);

  // Bytes of values go where the batch at hand keeps them.
  struct BatchArena final : ByteArena {
    explicit BatchArena(OutputBatch& of) : output(of) {}
    [[nodiscard]] const std::uint8_t* keep(ByteSpan bytes) override { return output.keep(bytes); }
    OutputBatch& output;
  };

  std::unique_ptr<Reader> stored_;
  ReadOptions options_;
  // Of the first trace that is restored, else as it is stored.
  std::shared_ptr<const TraceDescription> description_;
  OutputBatch output_;
  BatchArena arena_{output_};
  RestoredValues values_;    // of the event at hand
  std::uint64_t slots_ = 0;  // of events that were restored
  std::uint64_t state_ = 0;  // bytes that marks may have become
  bool restores_ = false;    // a trace
  bool ended_ = false;

 private:
  BatchPtr input_;  // of which records from `at_` on are to be taken
  std::size_t at_ = 0;
  bool pinned_ = false;  // `input_`, by `output_`
};

}  // namespace tracedeck::lower

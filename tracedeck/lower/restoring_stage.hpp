// What readers that restore have in common: they take the records of the stored trace one by one
// and put batches together of what those come to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tracedeck/format/output_batch.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/lower/byte_arena.hpp"
#include "tracedeck/lower/description_reader.hpp"
#include "tracedeck/lower/lowered_class.hpp"
#include "tracedeck/lower/stored_streams.hpp"

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
  // `side_by_side`: the data streams of the stored trace are read so.
  RestoringStage(std::unique_ptr<Reader> stored, const ReadOptions& options, bool side_by_side)
      : stored_(std::move(stored)),
        options_(options),
        description_(stored_->description()),
        streams_(*stored_, side_by_side, output_) {}

  enum class Taken : std::uint8_t {
    kYes,
    kLater,   // it waits, or others come first
    kNoRoom,  // the batch has to be handed on first, and the record comes again
  };
  [[nodiscard]] virtual Taken take(const Record& record) = 0;
  // When the stored trace has ended but for data streams that wait: whether one goes on.
  [[nodiscard]] virtual bool resume_waiting() { return false; }
  // What comes when the stored trace has ended.
  virtual void end() = 0;

  [[nodiscard]] Result<BatchPtr> next_batch();

  // Before a record is added whose values lie in the batch at hand. Batches of marks alone go.
  void pin_input() { streams_.pin(); }
  Taken copy(const Record& record) {
    pin_input();
    if (record.kind == RecordKind::kProblem && record.notice->stream != nullptr) {
      // Data streams that are restored are others.
      Notice notice = *record.notice;
      notice.stream = nullptr;
      output_.add_notice(record.kind, std::move(notice));
    } else {
      output_.add(record);
    }
    return Taken::kYes;
  }
  // Where the values at hand of an event that was made from `stored` lie, behind `header_count`
  // slots of its header. Null: there is no room.
  [[nodiscard]] const Slot* placed_values(const Event& stored, std::uint32_t header_count) {
    const std::span<const Slot> values = values_.slots;
    const bool stay = header_count == 0 ? values.data() >= stored.slots &&
                                              values.data() < stored.slots + stored.slot_count
                                        : values.data() == stored.slots;
    const Slot* const placed = stay ? values.data() : copied_values(stored, header_count);
    if (placed != nullptr) slots_ += values.size();
    return placed;
  }
  // Adds that event. `slots`: its values.
  void add_event(const Event& stored, const Slot* slots, std::uint32_t header_count,
                 const EventClass& event_class, const DataStream& stream, const Packet* packet) {
    Event& event = output_.add_event();
    event.event_class = &event_class;
    event.stream = &stream;
    event.packet = packet;
    event.time = values_.time;
    event.end_time = values_.end_time;
    event.offset = stored.offset;
    event.size = stored.size;
    event.slots = slots;
    event.slot_count = static_cast<std::uint32_t>(values_.slots.size());
    event.common_count = values_.common_count;
    event.specific_count = values_.specific_count;
    event.header_count = header_count;
  }
  // A finding about a mark, unless findings are not wanted.
  void report(std::uint64_t offset, std::string text);
  // That texts of a trace which has ended are missing, if some are.
  void report_missing(const DescriptionReader& trace);
  // That the event is the first one of its class with a time that another program changed.
  void report_moved(const Event& stored);

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
  StoredStreams streams_;
  BatchArena arena_{output_};
  RestoredValues values_;    // of the event at hand
  std::uint64_t slots_ = 0;  // of events that were restored
  std::uint64_t state_ = 0;  // bytes that marks may have become
  bool restores_ = false;    // a trace

 private:
  [[nodiscard]] const Slot* copied_values(const Event& stored, std::uint32_t header_count);

  bool ended_ = false;
};

}  // namespace tracedeck::lower

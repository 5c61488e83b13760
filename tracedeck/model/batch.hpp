// A batch of records with everything they point to.
//
// Filled by a reader or a flow stage, then handed on as `std::shared_ptr<const Batch>`. A batch
// owns its tape and its side records, and pins (keeps alive by counted reference) the input
// windows, pools, packets and batches its slots point into: a record lives as long as its batch, a
// batch as long as somebody holds it. A filled batch is immutable and may be read by several
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck {

class Batch {
 public:
  // Slots the tape holds when new; enough for `kRecords` events of most traces.
  static constexpr std::size_t kSlots = 8192;
  // How many records a reader puts into a batch before it hands it on.
  static constexpr std::size_t kRecords = 1024;

  // `slots`: room on the tape at first; 0 for batches of records whose slots lie elsewhere.
  explicit Batch(std::size_t slots = kSlots) : usual_slots_(slots) { grow_tape(slots); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  [[nodiscard]] std::span<const Record> records() const { return {records_, size()}; }
  // The places of the records that are no events, ascending.
  [[nodiscard]] std::span<const std::uint32_t> others() const { return others_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(next_ - records_); }
  // Whether what `reserve` made room for is used up; more can still be added.
  [[nodiscard]] bool full() const { return next_ >= full_; }
  [[nodiscard]] bool empty() const { return next_ == records_; }

  // Filling. Appended records keep their order.
  void reserve(std::size_t records) {
    reserved_ = records;
    grow_records(records);
  }
  void add(const Record& record) {
    if (record.kind != RecordKind::kEvent) others_.push_back(static_cast<std::uint32_t>(size()));
    next() = record;
  }
  void add_event(const Event& event) { next() = Record(event); }
  // A new event, to be filled in place: nothing but values that stand for absence.
  Event& add_event() {
    Record& record = next();
    record.kind = RecordKind::kEvent;
    record.event = Event{};
    return record.event;
  }
  void add_stream(RecordKind kind, std::shared_ptr<const DataStream> stream) {
    add(Record(kind, stream.get()));
    pin(std::move(stream));
  }
  void add_packet(RecordKind kind, std::shared_ptr<const Packet> packet) {
    add(Record(kind, packet.get()));
    pin(std::move(packet));
  }
  void add_loss(Loss loss) { add(Record(&losses_.emplace_front(std::move(loss)))); }
  void add_notice(RecordKind kind, Notice notice) {
    add(Record(kind, &notices_.emplace_front(std::move(notice))));
  }

  // Keeps `owner` alive as long as this batch. Pointers to a description, stream or packet are
  // lasting pins: a stage that copies values out of a batch takes over those alone. So every batch
  // pins the descriptions, streams and packets that its records refer to by such pointers, and what
  // else its slots point into by any other.
  template <class T>
  void pin(std::shared_ptr<T> owner) {
    using Object = std::remove_const_t<T>;
    constexpr bool kLasts = std::is_same_v<Object, TraceDescription> ||
                            std::is_same_v<Object, DataStream> || std::is_same_v<Object, Packet>;
    add_pin(kLasts ? lasting_pins_ : pins_, std::move(owner));
  }
  void pin_lasting(std::shared_ptr<const void> owner) { add_pin(lasting_pins_, std::move(owner)); }
  [[nodiscard]] std::span<const std::shared_ptr<const void>> lasting_pins() const {
    return lasting_pins_;
  }

  // The tape. Writers fill [tape_position(), tape_end()) and commit; committed slots never move.
  [[nodiscard]] Slot* tape_position() { return position_; }
  [[nodiscard]] Slot* tape_end() { return tape_.get() + capacity_; }
  void commit_tape(Slot* position) { position_ = position; }
  [[nodiscard]] bool tape_unused() const { return position_ == tape_.get(); }
  [[nodiscard]] std::size_t tape_capacity() const { return capacity_; }
  // Makes room for at least `slots`. Requires `tape_unused()`.
  void grow_tape(std::size_t slots);

  // Empties the batch for reuse, keeping its memory (an unusually large tape is given back).
  void clear();

 private:
  using Pins = std::vector<std::shared_ptr<const void>>;

  static void add_pin(Pins& pins, std::shared_ptr<const void> owner) {
    if (pins.empty() || pins.back() != owner) pins.push_back(std::move(owner));
  }

  Record& next() {
    if (next_ == end_) [[unlikely]]
      grow_records(size() + 1);
    return *next_++;
  }
  void grow_records(std::size_t records);

  // Room for records, which are made when they are added: those before `next_`.
  static_assert(std::is_trivially_copyable_v<Record> && std::is_trivially_destructible_v<Record>);
  std::unique_ptr<std::byte[]> room_;
  Record* records_ = nullptr;
  Record* next_ = nullptr;
  Record* end_ = nullptr;
  Record* full_ = nullptr;  // behind what `reserve` asked for
  std::size_t reserved_ = 0;
  std::vector<std::uint32_t> others_;
  std::unique_ptr<Slot[]> tape_;
  std::size_t capacity_ = 0;
  std::size_t usual_slots_;
  Slot* position_ = nullptr;
  std::forward_list<Loss> losses_;  // the last one first
  std::forward_list<Notice> notices_;
  Pins pins_;
  Pins lasting_pins_;
};

using BatchPtr = std::shared_ptr<const Batch>;

}  // namespace tracedeck

// An event class as a target with nested classes holds it, and the way back.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/lower/field_program.hpp"
#include "tracedeck/lower/lowered_class.hpp"
#include "tracedeck/lower/receipt_words.hpp"
#include "tracedeck/lower/restored_packet.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::lower {

// What events bring along beside their class, on which depends how they are lowered.
struct NestedShape {
  // Strings may have NUL characters, or be pool entries that are not known as arrays may be, and
  // are JSON text.
  bool any_string = false;
  bool any_integer = false;  // integers of variable length may have more than 64 bits
  bool ordered = false;      // they say where in the order of recording they stand
  bool clock_value = false;  // they say the value of their clock, which is not their time
  bool in_packet = false;    // they say what the header and context of their packet do

  friend bool operator==(const NestedShape& a, const NestedShape& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
};

// A common context; all events of a data stream class have the same.
struct NestedContext {
  NestedContext() = default;
  NestedContext(const DataStreamClass& source, const NestedProfile& profile);

  FieldClassPtr field_class = nullptr;
  FieldProgram program = {};
  std::vector<Kept> kept = {};
};

// Packets of a data stream class of another dialect of the target's format: their contexts say what
// they said, behind what readers need, and as `packet_header` what their headers said.
struct NestedPacket {
  NestedPacket(const DataStreamClass& source, const NestedProfile& profile);

  // What has roles is as it is. Null: there is none.
  FieldClassPtr header = nullptr;
  FieldClassPtr context = nullptr;
  FieldClassPtr users = nullptr;  // the context without what has roles
  std::vector<Kept> kept = {};

  // False: it is none of the class.
  [[nodiscard]] bool lower(const Packet& source, PacketValues& to, ByteArena& arena) const;
  // The inverse, of packets with the heads that these had.
  [[nodiscard]] bool restore(const Packet& stored, PacketValues& to, ByteArena& arena) const;
  // The same of packets with others. `is_user`: which members of their context have no role.
  [[nodiscard]] bool restore_users(const Packet& stored, const std::vector<bool>& is_user,
                                   PacketValues& to, ByteArena& arena) const;

 private:
  // Which members of the header are users', and which the target's header has: what has roles, and
  // the lengths and selectors of that, which may be both.
  std::vector<bool> header_users_ = {};
  std::vector<bool> header_heads_ = {};
  FieldProgram context_program_ = {};
  FieldProgram users_program_ = {};
  FieldProgram header_program_ = {};
  [[nodiscard]] bool restore(const FieldProgram& program, std::span<const Slot> slots,
                             std::vector<Slot>& to, std::vector<Slot>& header_users,
                             ByteArena& arena) const;

  bool has_header_ = false;  // users' members of it
};

// Slots of an event: header, common context, specific context, payload.
struct NestedValues {
  std::span<const Slot> slots = {};  // those of the source, or `made`
  std::vector<Slot> made = {};
  std::uint32_t header_count = 0;
  std::uint32_t common_count = 0;
  std::uint32_t specific_count = 0;
};

// The payload has, behind the duration and the fields of the source, `packet_header`, `packet`,
// `clock_value` and `tracedeck_order` where the shape says so. Immutable.
class NestedClass {
 public:
  // `source` must outlive it.
  NestedClass(const EventClass& source, NestedShape shape,
              std::shared_ptr<const NestedContext> common, const NestedProfile& profile);

  [[nodiscard]] const EventClass& source() const { return source_; }
  [[nodiscard]] const NestedShape& shape() const { return shape_; }
  // Whether it is of another dialect of the target's format.
  [[nodiscard]] bool same_format() const { return same_format_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const FieldClassPtr& payload() const { return payload_; }
  [[nodiscard]] const FieldClassPtr& specific_context() const { return specific_context_; }
  // Those of the common context are not among them.
  [[nodiscard]] const std::vector<Kept>& kept() const { return kept_; }
  // Bytes that its programs and receipt take, about.
  [[nodiscard]] std::size_t memory() const;

  // False: a value needs another shape. `order`: how many events of its sequence came before. The
  // values are valid as long as those of the event.
  [[nodiscard]] bool lower(const Event& event, std::uint64_t order, NestedValues& values,
                           ByteArena& arena) const;
  // The inverse. False: the event was not lowered from this class. `values.moved` is set where the
  // shape has `clock_value`.
  [[nodiscard]] bool restore(const Event& event, RestoredValues& values, ByteArena& arena) const {
    if (!in_place()) return restore_made(event, values, arena);
    values.slots = {event.slots, event.slot_count};
    restore_rest(event, values);
    values.packet.clear();
    return true;
  }
  // Whether values come back as they lie, but for lengths that were added before arrays.
  [[nodiscard]] bool is_plain() const { return lengths_.has_value(); }
  // Whether there are none of these either, so that values which need no look stay where they are.
  [[nodiscard]] bool in_place() const { return in_place_; }
  // The inverse of a plain class, whose events are in no packet. `room`: where values go that do
  // not stay, of as many slots as are stored. False: `restore` has to look at them.
  [[nodiscard]] bool restore_plain(const Event& event, RestoredValues& values, Slot* room) const {
    const std::uint32_t left_out = in_place() ? 0 : static_cast<std::uint32_t>(lengths_->size());
    if (left_out != 0 && !leave_out_lengths(event, room)) return false;
    values.slots = {left_out == 0 ? event.slots : room, event.slot_count - left_out};
    restore_rest(event, values);
    return true;
  }
  // What an event of an `ordered` shape says of its order.
  [[nodiscard]] static std::uint64_t order_of(const Event& event);

 private:
  void restore_rest(const Event& event, RestoredValues& values) const {
    values.common_count = event.common_count;
    values.specific_count = event.specific_count;
    values.time = values.end_time = source_.clock == nullptr ? 0 : event.time;
  }
  [[nodiscard]] bool restore_made(const Event& event, RestoredValues& values,
                                  ByteArena& arena) const;
  // Takes the time that an event is stored with, where its value of the clock says another one.
  void take_moved(std::uint64_t stored, RestoredValues& values) const;
  [[nodiscard]] bool leave_out_lengths(const Event& event, Slot* to) const;

  const EventClass& source_;
  NestedShape shape_;
  std::shared_ptr<const NestedContext> common_;
  bool same_format_ = false;
  std::string name_;
  FieldClassPtr payload_;
  FieldClassPtr specific_context_;
  FieldProgram payload_program_;
  FieldProgram specific_;
  PacketPart packet_header_;
  PacketPart packet_context_;
  std::vector<Kept> kept_;
  // Of a plain class: how many values of the payload lie before each, as `added_lengths` has it.
  std::optional<std::vector<std::uint32_t>> lengths_;
  bool in_place_ = false;
};

// Whether a second has a whole number of ticks, as targets want it.
[[nodiscard]] bool has_whole_frequency(const ClockClass& clock);
// A number of ticks, rounded down, at most 2^64-1.
[[nodiscard]] std::uint64_t in_nanoseconds(const Tick& tick, std::uint64_t value);

// The class of `LossMark`, and as targets with nested classes have it.
[[nodiscard]] const EventClass& loss_class();
[[nodiscard]] NestedClass nested_loss_class(const NestedProfile& profile);

}  // namespace tracedeck::lower

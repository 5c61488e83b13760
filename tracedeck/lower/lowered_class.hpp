// An event class as a target holds it, and the way back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/lower/field_program.hpp"
#include "tracedeck/lower/receipt_words.hpp"
#include "tracedeck/lower/restored_packet.hpp"
#include "tracedeck/lower/shape.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::lower {

// The values of an event that was restored.
struct RestoredValues {
  // Common context, specific context, payload: those that are stored, or `made`.
  std::span<const Slot> slots = {};
  std::vector<Slot> made = {};
  std::uint32_t common_count = 0;
  std::uint32_t specific_count = 0;
  PacketValues packet = {};
  std::vector<std::uint64_t> stream_keys = {};  // in the order of the shape
  std::uint64_t stream_number = 0;
  std::uint64_t time = 0;
  std::uint64_t end_time = 0;
  bool moved = false;  // it was stored with another time than its value of the clock says
  std::vector<Slot> payload = {};  // for the while
  std::vector<Slot> specific = {};
};

// A packet header or context, of which some members are lowered.
struct PacketPart {
  std::vector<bool> kept = {};
  FieldProgram program = {};

  // False: values are missing.
  [[nodiscard]] bool lower(std::span<const Slot> values, SlotRun& out, ByteArena& arena) const;
  // The inverse, as `restore_values`: to the end of `slots`, as copies.
  [[nodiscard]] bool restore(const Slot*& slot, const Slot* end, std::vector<Slot>& slots,
                             ByteArena& arena) const;
};

// Fields come in this order: duration, payload, specific context, common context, packet header and
// context, keys of the data stream, its number, value of the clock. Immutable.
class LoweredClass {
 public:
  // `source` must outlive it. `clock_shift`: ns that were added to its clock since it was lowered
  // for the first time. Errors: kLimitExceeded: it has more fields than `most`.
  [[nodiscard]] static Result<std::unique_ptr<LoweredClass>> make(const EventClass& source,
                                                                  Shape shape,
                                                                  const TargetProfile& profile,
                                                                  std::size_t most,
                                                                  std::int64_t clock_shift = 0);

  [[nodiscard]] const EventClass& source() const { return source_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const FieldClassPtr& payload() const { return payload_; }
  [[nodiscard]] const std::vector<Kept>& kept() const { return kept_; }
  // Bytes that its programs and receipt take, about: empty structures make many steps and no field.
  [[nodiscard]] std::size_t memory() const;

  // The slots of an event of the class, appended to `out`. False: it is not of this shape, or lacks
  // values of its packet, and what was appended is to be dropped.
  [[nodiscard]] bool lower(const Event& event, SlotRun& out, ByteArena& arena) const;
  // Whether a payload of numbers of at most 64 bits, texts and packed arrays comes out as it is,
  // and nothing else does.
  [[nodiscard]] bool keeps_plain_values() const;
  // Its time in nanoseconds, modulo 2^64 where it is out of range.
  [[nodiscard]] std::uint64_t time_of(const Event& event) const;

  // The inverse. False: the event was not lowered from this class. A time that was changed since
  // counts, and not the value of the clock beside it.
  [[nodiscard]] bool restore(const Event& event, RestoredValues& values, ByteArena& arena) const;

 private:
  LoweredClass(const EventClass& source, Shape shape, std::int64_t clock_shift)
      : source_(source), shape_(std::move(shape)), clock_shift_(clock_shift) {}

  // How the times of its clock become nanoseconds.
  enum class Time : std::uint8_t { kNone, kShifted, kScaled };

  const EventClass& source_;
  Shape shape_;
  std::int64_t clock_shift_;  // see `make`
  std::string name_;
  FieldClassPtr payload_;
  FieldProgram payload_program_;
  FieldProgram specific_;
  FieldProgram common_;
  PacketPart packet_header_;
  PacketPart packet_context_;
  Time time_ = Time::kNone;
  std::uint64_t zero_ = 0;  // ns of the clock's value 0, modulo 2^64
  std::vector<Kept> kept_;
};

// The number of nanoseconds of 64 bits that is nearest.
[[nodiscard]] std::uint64_t nearest_value(const Nanoseconds& time);

// The last value of the clock whose time is not after `time`; 0 if there is none.
[[nodiscard]] std::uint64_t value_at(const ClockClass& clock, const Nanoseconds& time);

// Whether the payload is a name and a map whose keys are text, as events that describe themselves
// have it.
[[nodiscard]] bool is_name_and_texts(std::span<const Slot> payload);

// A packet header or context without what readers need to find their way: members with roles.
struct UserMembers {
  FieldClassPtr field_class = nullptr;  // null: nothing is left
  std::vector<bool> kept = {};          // which members are
};
// `structure`: may be null.
[[nodiscard]] UserMembers user_members(const FieldClassPtr& structure);

// Of packet headers only what users say is restored.
void leave_out_header(TraceDescription& restored);

// What readers need to find their way through a file is not lowered.
[[nodiscard]] DataStreamClass without_heads(const DataStreamClass& stream_class);

}  // namespace tracedeck::lower

// How values of fields become values of the fields that stand for them, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tracedeck/lower/byte_arena.hpp"
#include "tracedeck/lower/slot_run.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::lower {

struct FieldStep {
  enum class Kind : std::uint8_t {
    kCopy,    // `count` values stay as they are
    kNumber,  // `count` integers of at most 64 bits, which `width` bits held; 0: a variable length
    kOpen,    // a structure begins, whose members have fields of their own,
    kClose,   // and ends
    kOptional,  // a value that may be absent: by the next `count` steps
    kText,      // a value of `field_class` as text, where `packed` without quotes around all of it
    // As values that say their kinds:
    kDynamic,  // a number, text or bytes of `field_class`; 8, 16 or 32: the width of an unsigned
               // one
    kList,     // an array whose elements are of `field_class`, each by the next `count` steps
    kMaybe,    // an optional, as a list of at most one value, by the next `count` steps
    kRecord,   // a structure of `field_class`, as a map from names, by the next `count` steps,
               // which are, for each member, `kOption`
    // Of targets with nested classes:
    kStructure,  // a structure stays one, its members by the next `count` steps
    kTruth,      // a boolean as a number
    kString,     // text, which has no NUL character
    kBytes,      // bytes; behind their length where `sized`, as an array where `packed`
    kElements,  // an array, behind its length where `sized`; each element by the next `count` steps
    kPresence,  // an optional, as a variant where `packed`, behind its presence where `sized`; the
                // value by the next `count` steps
    kVariant,   // a variant, behind its option's number where `sized`, by the next `count` steps,
    kOption,    // which are, for each option, this one and the `count` steps of its value
  };
  Kind kind = Kind::kCopy;
  std::uint8_t width = 0;
  bool sized = false;
  bool packed = false;
  std::uint32_t count = 1;
  FieldClassPtr field_class = {};  // of a value as text, of elements
};
using FieldProgram = std::vector<FieldStep>;

// How many of the next steps are about what is inside of the value.
[[nodiscard]] std::size_t inner_steps(const FieldStep& step);

// Adds a step for the value behind that of the last step. Runs of what stays as it is are one.
void add_to_run(FieldProgram& program, FieldStep step);

// Of values that come back slot by slot as they lie, but for lengths that were added before arrays:
// how many values lie before each of these, counted from the array before. Absent: they come back
// otherwise.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> added_lengths(const FieldProgram& program);

namespace field_program_detail {
[[nodiscard]] bool lower(const FieldProgram& program, const Slot* slot, SlotRun& out,
                         ByteArena& arena);
[[nodiscard]] bool restore(const FieldProgram& program, const Slot*& slot, const Slot* end,
                           SlotRun& out, ByteArena& arena);
}  // namespace field_program_detail

// Appends the values at `slot`, lowered, to `out`. False: an integer of variable length does not
// fit, or a text.
[[nodiscard]] inline bool lower_values(const FieldProgram& program, const Slot* slot, SlotRun& out,
                                       ByteArena& arena) {
  return program.empty() || field_program_detail::lower(program, slot, out, arena);
}

// The inverse: appends to `out` what the values between `slot` and `end` were made from, and moves
// `slot` behind them. False: they were made from none, as after an edit by another program.
[[nodiscard]] inline bool restore_values(const FieldProgram& program, const Slot*& slot,
                                         const Slot* end, SlotRun& out, ByteArena& arena) {
  return program.empty() || field_program_detail::restore(program, slot, end, out, arena);
}

}  // namespace tracedeck::lower

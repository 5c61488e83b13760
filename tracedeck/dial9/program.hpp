// Decode programs: a schema's fields compiled into steps for the loop over events.
//
// Windows are followed by `kPadding` zero bytes, so scalars are loaded without looking at the
// window's end first; the program says where the end has to be compared next (`kCheck`), so that no
// load starts more than `kSlack` bytes past it. Fields of variable length compare by themselves.
// Runs of varints, the most frequent fields by far, are one step.
#pragma once

#include <cstdint>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/dial9/schema.hpp"

namespace tracedeck::dial9 {

// Bytes past the end at which a scalar's load may still start; a load touches at most 16 bytes.
inline constexpr std::size_t kSlack = kPadding - 16;

enum class StepKind : std::uint8_t {
  // One field of the type with the same value.
  kI64 = 1,
  kF64,
  kBool,
  kString,
  kBytes,
  kPooledStackFrames,
  kPooledString,
  kStackFrames,
  kVarint,
  kStringMap,
  kU8,
  kU16,
  kU32,
  kDynamicList,
  kDynamicMap,
  kCheck,         // the bytes read so far must lie before the window's end
  kVarints,       // `count` varints
  kLastVarints,   // `count` varints, then kEnd
  kOptional,      // presence byte; an absent field skips the step that follows
  kUnregistered,  // stands for the schema of a type_id that has none
  kEnd,           // the last step: the event's bytes must lie before the window's end
};

static_assert(static_cast<std::uint8_t>(StepKind::kDynamicMap) ==
              static_cast<std::uint8_t>(FieldType::kDynamicMap));

[[nodiscard]] constexpr StepKind step_kind(FieldType type) { return static_cast<StepKind>(type); }

struct Step {
  StepKind kind;
  FieldType inner{};  // the type of the field that the step, or the one after kOptional, reads
  bool after_optional = false;  // the step of a field whose presence byte was read
  std::uint8_t unused = 0;      // so that equal steps are equal bytes
  std::uint16_t count = 1;
};

struct Program {
  std::vector<Step> steps;  // kEnd or kLastVarints is the last
  // Most slots (see model/tape.hpp) an event takes, apart from what lies inside lists and maps.
  std::uint32_t slot_bound = 0;
};

[[nodiscard]] Program compile(const Schema& schema);

}  // namespace tracedeck::dial9

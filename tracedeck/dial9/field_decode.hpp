// The loop over the fields of an event: interprets a decode program over the bytes of a window.
//
// What becomes of the values is the policy's affair: native `Value`s, slots of the tape, or
// nothing. A policy only stores, so that the loop compiles to straight loads and stores around one
// jump for each step. Oddities that are read and reported (rules of severity warning) are collected
// branch-free in one bit; the rare event that has any is looked at again by `event_findings`.
#pragma once

#include <concepts>
#include <cstdint>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/dial9/dynamic.hpp"
#include "tracedeck/dial9/pools.hpp"
#include "tracedeck/dial9/program.hpp"

namespace tracedeck::dial9 {

// What the loop needs besides the program, and what it reports of a bad status. Positions, values
// and oddities are parameters of their own so that they stay in registers.
template <class Out>
struct FieldContext {
  const std::uint8_t* end;  // of the window's bytes
  Out* out_end;             // end of the room for values
  const Pools* pools;
  std::uint32_t slot_bound;  // slots that any event takes at most, without lists and maps
  const std::uint8_t* fault = nullptr;   // where; kIncomplete: needed up to here
  const std::uint8_t* walked = nullptr;  // how far the bytes were looked at
  std::uint64_t slots_needed = 0;        // kNoRoom: slots the rest of the event takes
};

// The content of a field with a u32 count of elements at `at`, which is advanced past it. Null when
// incomplete.
template <class Out>
[[gnu::always_inline]] inline const std::uint8_t* take_counted(const std::uint8_t*& at,
                                                               std::uint32_t element_size,
                                                               std::uint64_t& size,
                                                               FieldContext<Out>& context) {
  size = std::uint64_t{load_le<std::uint32_t>(at)} * element_size;
  const std::uint8_t* const content = at + sizeof(std::uint32_t);
  if (static_cast<std::int64_t>(size) > context.end - content) [[unlikely]] {
    context.fault = content + size;
    context.walked = at;
    return nullptr;
  }
  at = content + size;
  return content;
}

// What stores values for the loop, at `out`, and returns where the next goes. `odd` becomes true
// for what is worth a finding, if `kReportsOddities`. Text and other content is a pointer to its
// bytes in the window and their number.
template <class P>
concept FieldPolicy =
    requires(typename P::Out* out, std::uint64_t number, std::int64_t integer, double real,
             bool flag, std::uint32_t size, FieldType type, const std::uint8_t* data,
             const Pools& pools, bool& odd, const SkipResult& extent) {
      { P::kReportsOddities } -> std::convertible_to<bool>;
      // Whether lists and maps become values of their elements.
      { P::kExpandsContainers } -> std::convertible_to<bool>;
      { P::unsigned_integer(out, number, type) } -> std::same_as<typename P::Out*>;
      { P::signed_integer(out, integer) } -> std::same_as<typename P::Out*>;
      { P::real(out, real) } -> std::same_as<typename P::Out*>;
      { P::boolean(out, flag) } -> std::same_as<typename P::Out*>;
      // The ids of pool entries, which may be undefined.
      { P::pooled_string(out, size, pools, odd) } -> std::same_as<typename P::Out*>;
      { P::pooled_stack(out, size, pools, odd) } -> std::same_as<typename P::Out*>;
      { P::string(out, data, size) } -> std::same_as<typename P::Out*>;
      { P::blob(out, data, size) } -> std::same_as<typename P::Out*>;
      { P::stack(out, data, size) } -> std::same_as<typename P::Out*>;
      // A map or list, which was walked: where it lies, and whether it is the value of an optional.
      { P::container(out, type, data, extent, pools, flag) } -> std::same_as<typename P::Out*>;
      // An optional field without a value, or before the value of one.
      { P::absent(out, type) } -> std::same_as<typename P::Out*>;
      { P::present(out) } -> std::same_as<typename P::Out*>;
    };

// Reads the varint at `at` as `decode_leb128` does, noting an overlong one.
template <class Policy>
[[gnu::always_inline]] inline bool take_varint(const std::uint8_t*& at, std::uint64_t& value,
                                               bool& odd) {
  value = *at;
  if (value < 0x80) [[likely]] {
    ++at;
    return true;
  }
  const std::uint64_t second = at[1];
  if (second < 0x80) [[likely]] {
    value = (value - 0x80) + (second << 7);
    at += 2;
    if constexpr (Policy::kReportsOddities) odd |= second == 0;
    return true;
  }
  const std::uint8_t* const begin = at;
  const leb128_detail::Decoded decoded = leb128_detail::decode_long(at);
  if (decoded.next == nullptr) [[unlikely]]
    return false;
  at = decoded.next;
  value = decoded.value;
  if constexpr (Policy::kReportsOddities) odd |= is_overlong(begin, at);
  return true;
}

// Reads `count` varints, at least one. False when one is too long.
template <class Policy>
[[gnu::always_inline]] inline bool take_varints(std::size_t count, const std::uint8_t*& at,
                                                typename Policy::Out*& out, bool& odd) {
  do {
    std::uint64_t value;
    if (!take_varint<Policy>(at, value, odd)) [[unlikely]]
      return false;
    out = Policy::unsigned_integer(out, value, FieldType::kVarint);
  } while (--count != 0);
  return true;
}

// Runs `step` and what follows over the fields at `at`, which is within the window or its padding,
// and stores values at `out`. On kOk both are behind the last field; on any other status they are
// unspecified and the context says why.
template <FieldPolicy Policy>
[[gnu::always_inline]] inline FieldStatus decode_fields(
    const Step* step, const std::uint8_t*& at, typename Policy::Out*& out, bool& odd,
    FieldContext<typename Policy::Out>& context) {
  for (;; ++step) {
    switch (step->kind) {
      case StepKind::kLastVarints:
        if (!take_varints<Policy>(step->count, at, out, odd)) [[unlikely]] {
          context.fault = context.walked = at;
          return FieldStatus::kVarintLength;
        }
        [[fallthrough]];
      case StepKind::kEnd:
        if (at > context.end) [[unlikely]] {
          context.fault = context.walked = at;
          return FieldStatus::kIncomplete;
        }
        return FieldStatus::kOk;
      case StepKind::kUnregistered:
        return FieldStatus::kUnregistered;
      case StepKind::kVarint:
      case StepKind::kVarints:
        if (!take_varints<Policy>(step->count, at, out, odd)) [[unlikely]] {
          context.fault = context.walked = at;
          return FieldStatus::kVarintLength;
        }
        continue;
      case StepKind::kCheck:
        if (at > context.end) [[unlikely]] {
          context.fault = context.walked = at;
          return FieldStatus::kIncomplete;
        }
        continue;
      case StepKind::kOptional: {
        const std::uint8_t presence = *at++;
        if constexpr (Policy::kReportsOddities) odd |= presence > 1;
        if (presence == 0) {
          out = Policy::absent(out, step->inner);
          ++step;
        } else {
          out = Policy::present(out);
        }
        continue;
      }
      case StepKind::kU8:
        out = Policy::unsigned_integer(out, *at, FieldType::kU8);
        at += 1;
        continue;
      case StepKind::kU16:
        out = Policy::unsigned_integer(out, load_le<std::uint16_t>(at), FieldType::kU16);
        at += 2;
        continue;
      case StepKind::kU32:
        out = Policy::unsigned_integer(out, load_le<std::uint32_t>(at), FieldType::kU32);
        at += 4;
        continue;
      case StepKind::kI64:
        out = Policy::signed_integer(out, static_cast<std::int64_t>(load_le<std::uint64_t>(at)));
        at += 8;
        continue;
      case StepKind::kF64:
        out = Policy::real(out, std::bit_cast<double>(load_le<std::uint64_t>(at)));
        at += 8;
        continue;
      case StepKind::kBool:
        if constexpr (Policy::kReportsOddities) odd |= *at > 1;
        out = Policy::boolean(out, *at != 0);
        at += 1;
        continue;
      case StepKind::kPooledString:
        out = Policy::pooled_string(out, load_le<std::uint32_t>(at), *context.pools, odd);
        at += 4;
        continue;
      case StepKind::kPooledStackFrames:
        out = Policy::pooled_stack(out, load_le<std::uint32_t>(at), *context.pools, odd);
        at += 4;
        continue;
      case StepKind::kString: {
        std::uint64_t size;
        const std::uint8_t* const content = take_counted(at, 1, size, context);
        if (content == nullptr) [[unlikely]]
          return FieldStatus::kIncomplete;
        if constexpr (Policy::kReportsOddities) odd |= has_high_bit(content, size);
        out = Policy::string(out, content, static_cast<std::uint32_t>(size));
        continue;
      }
      case StepKind::kBytes: {
        std::uint64_t size;
        const std::uint8_t* const content = take_counted(at, 1, size, context);
        if (content == nullptr) [[unlikely]]
          return FieldStatus::kIncomplete;
        out = Policy::blob(out, content, static_cast<std::uint32_t>(size));
        continue;
      }
      case StepKind::kStackFrames: {
        std::uint64_t size;
        const std::uint8_t* const content = take_counted(at, 8, size, context);
        if (content == nullptr) [[unlikely]]
          return FieldStatus::kIncomplete;
        out = Policy::stack(out, content, static_cast<std::uint32_t>(size));
        continue;
      }
      case StepKind::kStringMap:
      case StepKind::kDynamicList:
      case StepKind::kDynamicMap: {
        const FieldType type = step->inner;
        const SkipResult skipped = type == FieldType::kStringMap
                                       ? skip_string_map(at, context.end)
                                       : skip_dynamic(type, at, context.end);
        if (skipped.status != FieldStatus::kOk) [[unlikely]] {
          context.fault = skipped.fault;
          context.walked = skipped.end;
          return skipped.status;
        }
        if constexpr (Policy::kExpandsContainers) {
          // The bound covers what the rest of the program takes besides.
          context.slots_needed = skipped.slots + context.slot_bound;
          if (context.slots_needed > static_cast<std::uint64_t>(context.out_end - out)) [[unlikely]]
            return FieldStatus::kNoRoom;
        }
        out = Policy::container(out, type, at, skipped, *context.pools, step->after_optional);
        if constexpr (Policy::kReportsOddities) odd |= skipped.odd;
        at = skipped.end;
        continue;
      }
    }
    __builtin_unreachable();  // programs hold no other steps
  }
}

}  // namespace tracedeck::dial9

// The loop over the fields of an event: interprets a decode program over the bytes of a window.
//
// What becomes of the values is the policy's affair: native `Value`s, slots of the tape, or
// nothing. A policy only stores, so that the loop compiles to straight loads and stores around one
// jump for each step. Oddities that are read and reported (rules of severity warning) are collected
// branch-free in one bit; the rare event that has any is looked at again by `event_findings`.
#pragma once

#include <cstdint>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/dial9/dynamic.hpp"
#include "tracedeck/dial9/pools.hpp"
#include "tracedeck/dial9/program.hpp"

namespace tracedeck::dial9 {

// What the loop needs besides the program, and what it reports back.
template <class Out>
struct FieldContext {
  const std::uint8_t* end;     // of the window's bytes
  Out* out;                    // where values go; behind the last one afterwards
  Out* out_end;
  const Pools* pools;
  bool odd = false;                      // the event has something to report
  const std::uint8_t* fault = nullptr;   // of a bad status: where; kIncomplete: needed up to here
  const std::uint8_t* walked = nullptr;  // of a bad status: how far the bytes were looked at
  std::uint64_t slots_needed = 0;        // kNoRoom: slots the event takes at least
};

// Decodes the fields at `at`, which is within the window or its padding. On kOk `at` is behind the last
// field; on any other status it is unspecified and `context.fault` says where.
template <class Policy>
[[gnu::always_inline]] inline FieldStatus decode_fields(const Program& program, const std::uint8_t*& at,
                                                        FieldContext<typename Policy::Out>& context) {
  const std::uint8_t* p = at;
  const std::uint8_t* const end = context.end;
  typename Policy::Out* out = context.out;
  bool odd = false;
  const auto stop = [&](FieldStatus status, const std::uint8_t* fault) {
    context.fault = fault;
    context.walked = p;
    return status;
  };
  const auto varint = [&](std::uint64_t& value) {
    const std::uint8_t* const begin = p;
    if (!decode_leb128(p, value)) [[unlikely]]
      return false;
    if constexpr (Policy::kReportsOddities) odd |= is_overlong(begin, p);
    return true;
  };
  // Null when incomplete; otherwise the content of a field with a u32 count of elements before it.
  const auto counted = [&](std::uint32_t element_size, std::uint64_t& size) -> const std::uint8_t* {
    size = std::uint64_t{load_le<std::uint32_t>(p)} * element_size;
    const std::uint8_t* const content = p + 4;
    if (static_cast<std::int64_t>(size) > end - content) [[unlikely]] {
      context.fault = content + size;
      context.walked = p;
      return nullptr;
    }
    p = content + size;
    return content;
  };

  for (const Step *step = program.steps.data(), *last = step + program.steps.size(); step != last; ++step) {
    switch (step->kind) {
      case StepKind::kCheck:
        if (p > end) [[unlikely]]
          return stop(FieldStatus::kIncomplete, p);
        break;
      case StepKind::kVarints:
        for (std::uint32_t i = step->count; i != 0; --i) {
          std::uint64_t value;
          if (!varint(value)) [[unlikely]]
            return stop(FieldStatus::kVarintLength, p);
          out = Policy::unsigned_integer(out, value, FieldType::kVarint);
        }
        break;
      case StepKind::kOptional: {
        const std::uint8_t presence = *p++;
        if constexpr (Policy::kReportsOddities) odd |= presence > 1;
        if (presence == 0) {
          out = Policy::absent(out, step->inner);
          ++step;
        } else {
          out = Policy::present(out);
        }
        break;
      }
      case StepKind::kVarint: {
        std::uint64_t value;
        if (!varint(value)) [[unlikely]]
          return stop(FieldStatus::kVarintLength, p);
        out = Policy::unsigned_integer(out, value, FieldType::kVarint);
        break;
      }
      case StepKind::kU8:
        out = Policy::unsigned_integer(out, *p, FieldType::kU8);
        p += 1;
        break;
      case StepKind::kU16:
        out = Policy::unsigned_integer(out, load_le<std::uint16_t>(p), FieldType::kU16);
        p += 2;
        break;
      case StepKind::kU32:
        out = Policy::unsigned_integer(out, load_le<std::uint32_t>(p), FieldType::kU32);
        p += 4;
        break;
      case StepKind::kI64:
        out = Policy::signed_integer(out, static_cast<std::int64_t>(load_le<std::uint64_t>(p)));
        p += 8;
        break;
      case StepKind::kF64:
        out = Policy::real(out, std::bit_cast<double>(load_le<std::uint64_t>(p)));
        p += 8;
        break;
      case StepKind::kBool:
        if constexpr (Policy::kReportsOddities) odd |= *p > 1;
        out = Policy::boolean(out, *p != 0);
        p += 1;
        break;
      case StepKind::kPooledString:
        out = Policy::pooled_string(out, load_le<std::uint32_t>(p), *context.pools, odd);
        p += 4;
        break;
      case StepKind::kPooledStackFrames:
        out = Policy::pooled_stack(out, load_le<std::uint32_t>(p), *context.pools, odd);
        p += 4;
        break;
      case StepKind::kString: {
        std::uint64_t size;
        const std::uint8_t* const content = counted(1, size);
        if (content == nullptr) [[unlikely]]
          return FieldStatus::kIncomplete;
        if constexpr (Policy::kReportsOddities) odd |= has_high_bit(content, size);
        out = Policy::string(out, content, static_cast<std::uint32_t>(size));
        break;
      }
      case StepKind::kBytes: {
        std::uint64_t size;
        const std::uint8_t* const content = counted(1, size);
        if (content == nullptr) [[unlikely]]
          return FieldStatus::kIncomplete;
        out = Policy::blob(out, content, static_cast<std::uint32_t>(size));
        break;
      }
      case StepKind::kStackFrames: {
        std::uint64_t size;
        const std::uint8_t* const content = counted(8, size);
        if (content == nullptr) [[unlikely]]
          return FieldStatus::kIncomplete;
        out = Policy::stack(out, content, static_cast<std::uint32_t>(size));
        break;
      }
      case StepKind::kStringMap:
      case StepKind::kDynamicList:
      case StepKind::kDynamicMap: {
        const auto type = static_cast<FieldType>(step->kind);
        const SkipResult extent = type == FieldType::kStringMap ? skip_string_map(p, end) : skip_dynamic(type, p, end);
        if (extent.status != FieldStatus::kOk) [[unlikely]] {
          p = extent.end;
          return stop(extent.status, extent.fault);
        }
        if constexpr (Policy::kExpandsContainers) {
          // What the rest of the program needs was reserved with the event.
          const std::uint64_t needed = extent.slots + program.slot_bound;
          if (needed > static_cast<std::uint64_t>(context.out_end - out)) [[unlikely]] {
            context.slots_needed = static_cast<std::uint64_t>(out - context.out) + needed;
            return FieldStatus::kNoRoom;
          }
        }
        out = Policy::container(out, type, p, extent, *context.pools, step->after_optional);
        if constexpr (Policy::kReportsOddities) odd |= extent.odd;
        p = extent.end;
        break;
      }
    }
  }
  if (p > end) [[unlikely]]
    return stop(FieldStatus::kIncomplete, p);
  at = p;
  context.out = out;
  context.odd = odd;
  return FieldStatus::kOk;
}

}  // namespace tracedeck::dial9

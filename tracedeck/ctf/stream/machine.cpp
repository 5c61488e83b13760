#include "tracedeck/ctf/stream/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/real.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/ctf/bits.hpp"
#include "tracedeck/ctf/clock_update.hpp"
#include "tracedeck/ctf/stream/bit_loads.hpp"
#include "tracedeck/ctf/stream/field_roles.hpp"
#include "tracedeck/ctf/stream/wide_values.hpp"
#include "tracedeck/ctf/text_encoding.hpp"
#include "tracedeck/ctf/words.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::uint64_t kMostWideBits = 65'536;
constexpr std::uint64_t kMostBytes = 0xFFFF'FFFF;
constexpr std::uint64_t kPortion = 4096;  // elements

class Run {
 public:
  Run(const Program& program, DecodeState& state) : program_(program), s_(state) {}

  RunStatus steps(const Step* step);

 private:
  [[nodiscard]] const std::uint8_t* at(std::uint64_t position) const {
    return reinterpret_cast<const std::uint8_t*>(s_.base + (position >> 3));  // NOLINT
  }

  [[gnu::cold]] [[gnu::noinline]] RunStatus fault(const Step& step, StreamRule rule,
                                                  std::string_view text) {
    s_.fault = {rule, s_.position, fmt::format("{}: {}", program_.path_of(step), text)};
    return RunStatus::kFault;
  }

  // `bits` more are not all there.
  [[gnu::cold]] [[gnu::noinline]] RunStatus short_of(const Step& step, std::uint64_t bits) {
    if (s_.content < s_.position || bits > s_.content - s_.position) {
      return fault(step, StreamRule::kEventCut,
                   fmt::format("{} bits are wanted, and {} are left in the packet's content", bits,
                               s_.content < s_.position ? 0 : s_.content - s_.position));
    }
    s_.needed = s_.position + bits;
    s_.fault = {StreamRule::kPacketCut, s_.position,
                fmt::format("{}: the data stream ends within it", program_.path_of(step))};
    return RunStatus::kNeedBytes;
  }

  [[nodiscard]] bool has(std::uint64_t bits) const {
    return s_.position <= s_.limit && bits <= s_.limit - s_.position;
  }

  // Counts one that took no bits. False: there are too many.
  [[nodiscard]] bool take_empty() {
    const std::uint64_t beyond = beyond_bytes(++s_.empty_elements, s_.position);
    s_.empty_excess = std::max(s_.empty_excess, beyond);
    return beyond <= s_.empty_allowed;
  }
  [[gnu::cold]] RunStatus too_many_empty(const Step& step) {
    return fault(
        step, StreamRule::kLimitElements,
        "there are more elements that take no bits than 65,536 and 64 for each byte of the "
        "data stream");
  }

  [[nodiscard]] bool promise(std::uint64_t slots) { return promise_slots(s_, slots); }

  void put(const Slot& slot) { *s_.out++ = slot; }

  // Each takes a step whose position and slots are in the state.
  RunStatus wide(const Step& step);
  RunStatus leb128(const Step& step, bool is_signed);
  RunStatus text(const Step& step);
  RunStatus blob(const Step& step);
  RunStatus array(const Step& step);
  RunStatus packed(const Step& step, const ArrayField& info, std::uint64_t count);
  // `next`: the steps of what was chosen; null: of nothing.
  RunStatus choose(const Step& step, const Step*& next);
  RunStatus call(const Step& step);
  RunStatus length(const Step& step, const Length& of, std::uint64_t& value);

  [[nodiscard]] Arena& arena() {
    if (s_.arena == nullptr) s_.arena = std::make_shared<Arena>();
    return *s_.arena;
  }

  const Program& program_;
  DecodeState& s_;
};

RunStatus Run::steps(const Step* step) {
  std::uint64_t position = s_.position;
  Slot* out = s_.out;
  const auto make = [&](std::uint64_t bits, const Step& of) {
    std::memcpy(static_cast<void*>(out), &bits, sizeof bits);
    std::memcpy(reinterpret_cast<std::uint8_t*>(out) + sizeof bits, &of.tail, sizeof of.tail);
    ++out;
    position += of.width;
  };
  // As the topmost of 64 bits.
  const auto aligned_little = [&](const Step& of) {
    return load_le<std::uint64_t>(at(position)) << (64U - of.width);
  };
  // Steps that go through the state.
  const auto through = [&](RunStatus (Run::*member)(const Step&)) {
    s_.position = position;
    s_.out = out;
    const RunStatus status = (this->*member)(*step);
    position = s_.position;
    out = s_.out;
    return status;
  };
  for (;; ++step) {
    RunStatus status = RunStatus::kDone;
    switch (step->op) {
      case Op::kEnd:
        s_.position = position;
        s_.out = out;
        return RunStatus::kDone;
      case Op::kNeed:
        if (position + step->a > s_.limit) [[unlikely]] {
          s_.position = position;
          return short_of(*step, step->a);
        }
        break;
      case Op::kAlign:
        position = (position + step->a) & ~step->a;
        break;
      case Op::kPass:
        position += step->a;
        break;
      case Op::kCheckedAlignedLittle:
        if (position + step->a > s_.limit) [[unlikely]] {
          s_.position = position;
          return short_of(*step, step->a);
        }
        [[fallthrough]];
      case Op::kAlignedLittle:
        position += step->skip;
        make(aligned_little(*step) >> (64U - step->width), *step);
        break;
      case Op::kAlignedLittleSigned:
        position += step->skip;
        make(extended(aligned_little(*step), step->width), *step);
        break;
      case Op::kAlignedBig:
        position += step->skip;
        make(load_be<std::uint64_t>(at(position)) >> (64U - step->width), *step);
        break;
      case Op::kAlignedBigSigned:
        position += step->skip;
        make(extended(load_be<std::uint64_t>(at(position)), step->width), *step);
        break;
      case Op::kCheckedLittle:
        if (position + step->a > s_.limit) [[unlikely]] {
          s_.position = position;
          return short_of(*step, step->a);
        }
        [[fallthrough]];
      case Op::kLittle:
        position += step->skip;
        make(top_little(at(position), position & 7, step->width) >> (64U - step->width), *step);
        break;
      case Op::kLittleSigned:
        position += step->skip;
        make(extended(top_little(at(position), position & 7, step->width), step->width), *step);
        break;
      case Op::kBig:
        position += step->skip;
        make(top_big(at(position), position & 7, step->width) >> (64U - step->width), *step);
        break;
      case Op::kBigSigned:
        position += step->skip;
        make(extended(top_big(at(position), position & 7, step->width), step->width), *step);
        break;
      case Op::kReverse: {
        const unsigned shift = 64U - step->width;
        const std::uint64_t raw = reverse_bits(out[-1].bits, step->width);
        out[-1].bits =
            step->a == 0
                ? raw
                : static_cast<std::uint64_t>(static_cast<std::int64_t>(raw << shift) >> shift);
        break;
      }
      case Op::kToBoolean:
        out[-1].bits = out[-1].bits != 0 ? 1 : 0;
        break;
      case Op::kToReal:
        break;
      case Op::kToReal32: {
        const auto bits = static_cast<std::uint32_t>(out[-1].bits);
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        out[-1].real = static_cast<double>(value);
        break;
      }
      case Op::kToReal16:
        out[-1].real = half_to_double(static_cast<std::uint16_t>(out[-1].bits));
        break;
      case Op::kCheckOrder:
        if ((position & 7) != 0 && static_cast<std::uint8_t>(s_.last_order) != step->width) {
          s_.position = position;
          return fault(*step, StreamRule::kByteOrder,
                       "the byte order changes within a byte; align the field to 8 bits");
        }
        break;
      case Op::kSetOrder:
        s_.last_order = static_cast<ByteOrder>(step->width);
        break;
      case Op::kOpen:
        s_.heads[s_.depth++] = out;
        *out++ = head_slot(SlotKind::kStructure, 0, 0);
        break;
      case Op::kClose: {
        Slot* const head = s_.heads[--s_.depth];
        head->length = static_cast<std::uint32_t>(out - head - 1);
        break;
      }
      case Op::kForget:
        s_.registers[step->a].kind = Register::Kind::kNothing;
        break;
      case Op::kSave:
        if (out[-1].kind == SlotKind::kUnsigned) [[likely]] {
          Register& target = s_.registers[step->a];
          target.bits = out[-1].bits;
          target.kind = Register::Kind::kUnsigned;
        } else {
          s_.registers[step->a] = register_of(out[-1]);
        }
        break;
      case Op::kEventClassId:
        s_.event_class_id = out[-1].bits;
        s_.event_class_beyond = false;
        break;
      case Op::kClock:
        s_.clock = updated_clock(s_.clock, out[-1].bits, step->a);
        break;
      case Op::kRole:
        take_role(*step, out[-1], s_);
        break;
      case Op::kWide:
        status = through(&Run::wide);
        break;
      case Op::kLeb128:
        if (position + 8 <= s_.limit && *at(position) < 0x80) [[likely]] {
          *out++ = unsigned_slot(*at(position));
          position += 8;
          s_.leb128_bits = 7;
        } else {
          s_.position = position;
          s_.out = out;
          status = leb128(*step, false);
          position = s_.position;
          out = s_.out;
        }
        break;
      case Op::kLeb128Signed:
        s_.position = position;
        s_.out = out;
        status = leb128(*step, true);
        position = s_.position;
        out = s_.out;
        break;
      case Op::kText:
        status = through(&Run::text);
        break;
      case Op::kBlob:
        status = through(&Run::blob);
        break;
      case Op::kArray:
        status = through(&Run::array);
        break;
      case Op::kVariant: {
        const VariantField& info = program_.variants[step->a];
        const Register& selector = s_.registers[info.selector];
        if (!info.table.empty() && info.forgets.empty() &&
            selector.kind == Register::Kind::kUnsigned && selector.bits < info.table.size() &&
            info.table[selector.bits] != VariantField::kNotInTable) [[likely]] {
          const std::uint8_t option = info.table[selector.bits];
          s_.heads[s_.depth++] = out;
          *out++ = head_slot(SlotKind::kVariant, option, 0);
          step = &program_.steps[info.bodies[option]] - 1;
          break;
        }
        [[fallthrough]];
      }
      case Op::kOptional: {
        const Step* next = nullptr;
        s_.position = position;
        s_.out = out;
        status = choose(*step, next);
        out = s_.out;
        if (next != nullptr) step = next - 1;
        break;
      }
      case Op::kLeave: {
        Slot* const head = s_.heads[--s_.depth];
        head->length = static_cast<std::uint32_t>(out - head - 1);
        step = &program_.steps[step->a] - 1;
        break;
      }
      case Op::kCall:
        status = through(&Run::call);
        break;
      default:
        __builtin_unreachable();
    }
    if (status != RunStatus::kDone) [[unlikely]]
      return status;
  }
}

RunStatus Run::wide(const Step& step) {
  const WideField& field = program_.wides[step.a];
  if (field.width > kMostWideBits)
    return fault(step, StreamRule::kLimitInteger, fmt::format("it has {} bits", field.width));
  if (!has(field.width)) return short_of(step, field.width);
  std::uint8_t* const bytes = arena().allocate((field.width + 7) / 8);
  put(wide_slot(at(s_.position), static_cast<unsigned>(s_.position & 7), field, bytes));
  s_.position += field.width;
  return RunStatus::kDone;
}

RunStatus Run::leb128(const Step& step, bool is_signed) {
  const std::uint64_t left = s_.limit < s_.position ? 0 : (s_.limit - s_.position) / 8;
  const std::uint8_t* const begin = at(s_.position);
  const std::uint64_t most = (kMostWideBits + 6) / 7;
  std::uint64_t size = 0;
  while (size < left && size < most && begin[size] >= 0x80) ++size;
  if (size == most) return fault(step, StreamRule::kLimitInteger, "it has more than 65,536 bits");
  if (size == left) return short_of(step, (left + 1) * 8);
  ++size;
  s_.position += size * 8;
  s_.leb128_bits = size * 7;
  const bool negative = is_signed && (begin[size - 1] & 0x40) != 0;
  if (size <= 9) {
    std::uint64_t value = 0;
    for (std::uint64_t i = size; i-- > 0;) value = value << 7 | (begin[i] & 0x7FU);
    if (negative) value |= ~std::uint64_t{0} << (size * 7);
    put(is_signed ? signed_slot(static_cast<std::int64_t>(value)) : unsigned_slot(value));
    return RunStatus::kDone;
  }
  std::uint8_t* const bytes = arena().allocate(wide_leb128_size(size));
  put(wide_leb128_slot({begin, size}, is_signed, bytes));
  return RunStatus::kDone;
}

RunStatus Run::length(const Step& step, const Length& of, std::uint64_t& value) {
  value = of.fixed;
  if (of.from == kNoRegister) return RunStatus::kDone;
  const Register& from = s_.registers[of.from];
  if (from.kind == Register::Kind::kNothing)
    return fault(step, StreamRule::kLocationValue, "the field of its length is not there");
  const Int128 wanted = from.value();
  const bool fits = from.is_integer() && wanted >= 0 && wanted < Int128{1} << 64;
  value = fits ? static_cast<std::uint64_t>(wanted) : ~std::uint64_t{0};
  return RunStatus::kDone;
}

RunStatus Run::text(const Step& step) {
  const TextField& field = program_.texts[step.a];
  const std::uint64_t left = s_.limit < s_.position ? 0 : (s_.limit - s_.position) / 8;
  std::uint64_t size = left;
  if (!field.terminated) {
    const RunStatus status = length(step, field.length, size);
    if (status != RunStatus::kDone) return status;
    if (size > left) return short_of(step, size > kMostBytes ? kMostBytes * 8 : size * 8);
  }
  const ByteSpan bytes(at(s_.position), size);
  const std::size_t unit = code_unit_size(field.encoding);
  const std::size_t used = find_terminator(bytes, unit);
  if (field.terminated) {
    if (used + unit > size) return short_of(step, (left + 1) * 8);
    size = used + unit;
  }
  if (used > kMostBytes)
    return fault(step, StreamRule::kLimitState, fmt::format("a string of {} bytes", used));
  if (field.encoding == TextEncoding::kUtf8) {
    if (s_.check_text && !is_valid_utf8(bytes.first(used))) [[unlikely]]
      s_.bad_text = true;
    put(bytes_slot(SlotKind::kString, bytes.data(), static_cast<std::uint32_t>(used)));
  } else {
    if (used % unit != 0)
      return fault(step, StreamRule::kTextLength, "its last code unit is not whole");
    std::uint8_t* const to = arena().allocate(most_utf8_size(used, field.encoding));
    put(bytes_slot(SlotKind::kString, to,
                   static_cast<std::uint32_t>(to_utf8(bytes.first(used), field.encoding, to))));
  }
  s_.position += size * 8;
  return RunStatus::kDone;
}

RunStatus Run::blob(const Step& step) {
  std::uint64_t size = 0;
  const RunStatus status = length(step, program_.blobs[step.a].length, size);
  if (status != RunStatus::kDone) return status;
  const std::uint64_t left = s_.limit < s_.position ? 0 : (s_.limit - s_.position) / 8;
  if (size > left) return short_of(step, size > kMostBytes ? kMostBytes * 8 : size * 8);
  if (size > kMostBytes)
    return fault(step, StreamRule::kLimitState, fmt::format("a BLOB of {} bytes", size));
  put(bytes_slot(SlotKind::kBlob, at(s_.position), static_cast<std::uint32_t>(size)));
  s_.position += size * 8;
  return RunStatus::kDone;
}

RunStatus Run::packed(const Step& step, const ArrayField& info, std::uint64_t count) {
  const std::uint64_t left = s_.limit < s_.position ? 0 : s_.limit - s_.position;
  if (count > left / info.packed_bits) {
    const bool far = count > kMostBytes / info.packed_bits;
    return short_of(step, far ? kMostBytes * 8 : count * info.packed_bits);
  }
  const std::uint64_t bits = count * info.packed_bits;
  if (bits / 8 > kMostBytes)
    return fault(step, StreamRule::kLimitState, fmt::format("an array of {} bytes", bits / 8));
  put(packed_slot(*info.packed, at(s_.position), static_cast<std::uint32_t>(bits / 8)));
  s_.position += bits;
  return RunStatus::kDone;
}

RunStatus Run::array(const Step& step) {
  const ArrayField& info = program_.arrays[step.a];
  std::uint64_t count = 0;
  RunStatus status = length(step, info.length, count);
  if (status != RunStatus::kDone) return status;
  if (info.packed && s_.position % 8 == 0) return packed(step, info, count);
  // What is at hand bounds what an array may ask for.
  const std::uint64_t left = s_.limit < s_.position ? 0 : s_.limit - s_.position;
  if (info.element_bits != 0 && count > left / info.element_bits) {
    const bool far = count > (kMostBytes * 8) / info.element_bits;
    return short_of(step, far ? kMostBytes * 8 : count * info.element_bits);
  }
  // Of elements that may take no bits room is promised as they come.
  const std::uint64_t portion = info.element_bits != 0 ? count : std::min(count, kPortion);
  const std::uint64_t promised = s_.promised;
  if (info.element_slots != 0 && portion > kMostBytes / info.element_slots)
    return fault(step, StreamRule::kLimitState, fmt::format("an array of {} elements", count));
  if (!promise(portion * info.element_slots)) return RunStatus::kNeedSlots;
  std::uint64_t next_promise = portion;
  Slot* const head = s_.out;
  put(head_slot(SlotKind::kArray, count, 0));
  const Step* const body = &program_.steps[info.body];
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == next_promise) [[unlikely]] {
      s_.promised = promised;
      if (!promise(std::min(count - i, portion) * info.element_slots)) return RunStatus::kNeedSlots;
      next_promise += portion;
    }
    const std::uint64_t before = s_.position;
    status = steps(body);
    if (status != RunStatus::kDone) return status;
    if (s_.position == before && !take_empty()) return too_many_empty(step);
  }
  s_.promised = promised;
  head->length = static_cast<std::uint32_t>(s_.out - head - 1);
  return RunStatus::kDone;
}

RunStatus Run::choose(const Step& step, const Step*& next) {
  const VariantField& info = program_.variants[step.a];
  for (const std::uint32_t each : info.forgets) s_.registers[each].kind = Register::Kind::kNothing;
  const Register& selector = s_.registers[info.selector];
  if (selector.kind == Register::Kind::kNothing)
    return fault(step, StreamRule::kLocationValue, "the field of its selector is not there");
  std::uint32_t option = VariantField::kNone;
  if (selector.kind == Register::Kind::kBoolean) {
    if (selector.bits != 0) option = 0;
  } else if (selector.is_integer() || selector.kind == Register::Kind::kTop) {
    const bool is_top = selector.kind == Register::Kind::kTop;
    const Int128 value = is_top ? selector.wide : selector.value();
    // Ranges of an optional may overlap, so all that begin early enough are looked at.
    for (const Choice& choice : is_top ? info.top_choices : info.choices) {
      if (choice.lower > value) break;
      if (choice.upper >= value) {
        option = choice.option;
        break;
      }
    }
  }
  const bool chosen = option != VariantField::kNone;
  if (step.op == Op::kOptional) {
    if (chosen) s_.heads[s_.depth++] = s_.out;
    put(head_slot(SlotKind::kOptional, chosen ? 1 : 0, 0));
  } else if (chosen) {
    s_.heads[s_.depth++] = s_.out;
    put(head_slot(SlotKind::kVariant, option, 0));
  } else {
    return fault(step, StreamRule::kOptionMissing,
                 fmt::format("no option has the value {} of its selector",
                             selector.is_integer() ? Integer(selector.value()).to_string()
                             : selector.kind == Register::Kind::kTop
                                 ? Integer(static_cast<Uint128>(selector.wide), false).to_string()
                                 : "beyond 128 bits"));
  }
  next = chosen ? &program_.steps[info.bodies[option]] : nullptr;
  return RunStatus::kDone;
}

RunStatus Run::call(const Step& step) {
  const std::uint64_t promised = s_.promised;
  if (!promise(step.tail)) return RunStatus::kNeedSlots;
  const std::uint64_t before = s_.position;
  const RunStatus status = steps(&program_.steps[step.a]);
  s_.promised = promised;
  // Classes that are used again and again can come to more fields than the metadata has bytes.
  if (status == RunStatus::kDone && s_.position == before && !take_empty())
    return too_many_empty(step);
  return status;
}

}  // namespace

RunStatus run_promised(const Program& program, DecodeState& state) {
  return Run(program, state).steps(program.steps.data());
}

RunStatus run(const Program& program, DecodeState& state) {
  if (program.empty()) return RunStatus::kDone;
  const std::uint64_t promised = state.promised;
  if (!promise_slots(state, program.slots)) return RunStatus::kNeedSlots;
  const RunStatus status = run_promised(program, state);
  state.promised = promised;
  return status;
}

}  // namespace tracedeck::ctf

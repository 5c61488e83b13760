// Event record headers of two numbers, an id and the low bits of the clock, as LTTng and
// `ctf/write` have them for nearly all events: an id of a few bits, one value of which says that
// there is more. Where nobody asks for the slots of headers they are read without a program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/ctf/clock_update.hpp"
#include "tracedeck/ctf/stream/machine.hpp"
#include "tracedeck/ctf/stream/program.hpp"

namespace tracedeck::ctf {

class ShortHeader {
 public:
  // Nothing: the header is none of these.
  [[nodiscard]] static std::optional<ShortHeader> of(const Program& event_header);

  // Does what the program would, but for the slots. False, with nothing done: the header at hand is
  // a longer one, or not all of it is there.
  [[nodiscard]] bool take(DecodeState& state) const {
    const std::uint64_t begin = (state.position + alignment_mask_) & ~alignment_mask_;
    const std::uint64_t bits = id_bits_ + clock_bits_;
    if (begin + bits > state.limit) return false;
    const auto* const at = reinterpret_cast<const std::uint8_t*>(state.base + begin / 8);  // NOLINT
    const auto word = load_le<std::uint64_t>(at);
    const std::uint64_t id = word & ((std::uint64_t{1} << id_bits_) - 1);
    if ((short_ids_ >> id & 1) == 0) return false;
    state.event_class_id = id;
    if (id_register_ != kNoRegister) {
      Register& target = state.registers[id_register_];
      target.bits = id;
      target.kind = Register::Kind::kUnsigned;
    }
    const std::uint64_t mask = (std::uint64_t{1} << clock_bits_) - 1;
    state.clock = updated_clock(state.clock, word >> id_bits_ & mask, mask);
    state.last_order = ByteOrder::kLittle;
    state.position = begin + bits;
    return true;
  }

 private:
  std::uint64_t alignment_mask_ = 7;
  std::uint64_t id_bits_ = 0;     // up to 6
  std::uint64_t clock_bits_ = 0;  // up to 58
  std::uint64_t short_ids_ = 0;   // a bit for each
  std::uint32_t id_register_ = kNoRegister;
};

}  // namespace tracedeck::ctf

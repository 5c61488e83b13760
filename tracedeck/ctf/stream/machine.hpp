// The machine that runs decode programs over the bytes of a packet.
//
// Everything it knows is in a `DecodeState`, a value of its own for every thread. The bytes at hand
// may end before the packet does: then a run ends with kNeedBytes and is repeated from where the
// event record began, with more bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/ctf/stream/arena.hpp"
#include "tracedeck/ctf/stream/program.hpp"
#include "tracedeck/ctf/stream/register.hpp"
#include "tracedeck/ctf/stream/stream_rules.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

enum class RunStatus : std::uint8_t {
  kDone,
  kNeedBytes,  // `needed` bits from the packet's beginning must be at hand
  kNeedSlots,  // room for `needed` slots from the first on
  kFault,      // see `fault`
};

// What the roles of a packet's header and context say.
struct PacketRoles {
  bool wrong_magic = false;
  bool wrong_uuid = false;
  std::optional<std::uint64_t> stream_class_id = {};
  bool class_beyond = false;  // it is beyond 64 bits, and so of no class
  std::optional<std::uint64_t> stream_id = {};
  std::string stream_id_digits = {};  // in decimal, where 64 bits do not hold it
  std::optional<std::uint64_t> total_bits = {};
  std::optional<std::uint64_t> content_bits = {};
  std::optional<std::uint64_t> begin = {};
  std::optional<std::uint64_t> end = {};
  std::optional<std::uint64_t> discarded = {};
  std::optional<std::uint64_t> sequence = {};
};

struct DecodeFault {
  StreamRule rule = StreamRule::kEventCut;
  std::uint64_t position = 0;  // bits from the packet's beginning
  std::string text = {};       // a sentence, with the field's path
};

struct DecodeState {
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};
  static constexpr std::size_t kMostNesting = 257;
  // Elements that take no bits: so many beyond 64 for each byte.
  static constexpr std::uint64_t kMostEmptyElements = 65'536;

  // Byte 0 of the packet would be here; bytes from `limit` bits on are not at hand, but 64 readable
  // bytes follow those that are.
  std::uintptr_t base = 0;
  std::uint64_t limit = 0;           // bits from the packet's beginning that are at hand
  std::uint64_t content = kEndless;  // bits of the packet's content
  std::uint64_t position = 0;        // bits from the packet's beginning

  Slot* out = nullptr;        // where the next slot goes
  Slot* out_begin = nullptr;  // where the first went
  Slot* out_end = nullptr;
  std::uint64_t promised = 0;  // slots that are still to come at most

  std::uint64_t clock = 0;           // DEF_CLK_VAL
  std::uint64_t event_class_id = 0;  // ERC_ID
  bool event_class_beyond = false;   // it is beyond 64 bits, and so of no class
  PacketRoles* packet = nullptr;     // while a packet's header and context are decoded
  const std::optional<Uuid>* uuid = nullptr;

  bool check_text = false;                           // look whether strings are UTF-8
  bool bad_text = false;                             // one was not
  ByteOrder last_order = ByteOrder::kLittle;         // LAST_BO
  std::uint64_t leb128_bits = 0;                     // of the last LEB128 field
  std::uint64_t empty_elements = 0;                  // of the packet until here
  std::uint64_t empty_excess = 0;                    // the most that they came to beyond 64 a byte
  std::uint64_t empty_allowed = kMostEmptyElements;  // what that may be
  std::vector<Register> registers = {};
  std::shared_ptr<Arena> arena = {};  // made when first needed
  std::size_t depth = 0;
  std::array<Slot*, kMostNesting> heads = {};  // of structures that are open

  std::uint64_t needed = 0;
  DecodeFault fault = {};
};

// Runs a program from `state.position` on. After anything but kDone the position and the slots
// mean nothing.
[[nodiscard]] RunStatus run(const Program& program, DecodeState& state);

// How many elements that take no bits there are in the first `bits` of a packet beyond 64 a byte.
[[nodiscard]] constexpr std::uint64_t beyond_bytes(std::uint64_t elements, std::uint64_t bits) {
  constexpr std::uint64_t kEachBit = 8;
  return elements / kEachBit < bits ? 0 : elements - bits * kEachBit;
}

// Promises room for `slots` more. False: kNeedSlots.
[[nodiscard]] inline bool promise_slots(DecodeState& state, std::uint64_t slots) {
  const auto used = static_cast<std::uint64_t>(state.out - state.out_begin);
  const auto room = static_cast<std::uint64_t>(state.out_end - state.out_begin);
  state.promised += slots;
  if (used + state.promised <= room) [[likely]]
    return true;
  state.needed = used + state.promised;
  return false;
}

// `run` of a program that is not empty and whose slots were promised.
[[nodiscard]] RunStatus run_promised(const Program& program, DecodeState& state);

}  // namespace tracedeck::ctf

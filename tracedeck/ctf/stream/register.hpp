// What a register holds while a decode program runs (registers.hpp says which there are).
#pragma once

#include <cstdint>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck::ctf {

// A length or selector that was decoded.
struct Register {
  // kWide: 127 bits and a sign hold it; kTop: 128 bits do.
  enum class Kind : std::uint8_t { kNothing, kBoolean, kUnsigned, kSigned, kWide, kTop, kTooWide };
  std::uint64_t bits = 0;  // unless it is wide
  Int128 wide = 0;         // kTop: the bits
  Kind kind = Kind::kNothing;

  [[nodiscard]] bool is_integer() const {
    return kind == Kind::kUnsigned || kind == Kind::kSigned || kind == Kind::kWide;
  }
  [[nodiscard]] Int128 value() const {
    if (kind == Kind::kWide) return wide;
    return kind == Kind::kSigned ? static_cast<Int128>(static_cast<std::int64_t>(bits))
                                 : static_cast<Int128>(bits);
  }
};

// The value of a boolean or integer. One beyond 128 bits is `kTooWide`.
[[nodiscard]] Register register_of(const Slot& slot);

}  // namespace tracedeck::ctf

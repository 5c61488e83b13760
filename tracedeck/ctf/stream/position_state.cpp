#include "tracedeck/ctf/stream/position_state.hpp"

#include <algorithm>
#include <bit>

namespace tracedeck::ctf {

void PositionState::move_unknown(std::uint64_t unit) {
  modulus = std::min(modulus, unit);
  offset &= modulus - 1;
}

PositionState join(const PositionState& a, const PositionState& b) {
  PositionState result;
  const std::uint64_t smaller = std::min(a.modulus, b.modulus);
  const std::uint64_t differ = (a.offset ^ b.offset) & (smaller - 1);
  result.modulus =
      differ == 0 ? smaller : std::uint64_t{1} << static_cast<unsigned>(std::countr_zero(differ));
  result.offset = a.offset & (result.modulus - 1);
  result.last_order = a.last_order == b.last_order ? a.last_order : PositionState::Order::kUnknown;
  return result;
}

}  // namespace tracedeck::ctf

// Values of columns of decimals as text.
#pragma once

#include <array>
#include <string>

#include "tracedeck/base/integer.hpp"
#include "tracedeck/text/number.hpp"

namespace tracedeck::columns {

// In decimal, with a sign if it is negative.
[[nodiscard]] inline std::string decimal_text(Int128 value) {
  std::array<char, 48> digits{};
  const Uint128 size =
      value < 0 ? Uint128{0} - static_cast<Uint128>(value) : static_cast<Uint128>(value);
  char* const end = write_decimal(digits.data(), size);
  return (value < 0 ? "-" : "") + std::string(digits.data(), end);
}

}  // namespace tracedeck::columns

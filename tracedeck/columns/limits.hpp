// What columns hold at most.
#pragma once

#include <cstdint>
#include <limits>

#include "tracedeck/base/integer.hpp"

namespace tracedeck::columns {

inline constexpr std::uint64_t kLargestSigned = std::numeric_limits<std::int64_t>::max();
// Behind the largest decimal: the first number of 39 digits.
inline constexpr Uint128 kDecimalEnd =
    Uint128{10'000'000'000'000'000'000U} * 10'000'000'000'000'000'000U;

}  // namespace tracedeck::columns

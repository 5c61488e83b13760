// What columns hold at most.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "tracedeck/base/integer.hpp"
#include "tracedeck/base/time.hpp"

namespace tracedeck::columns {

inline constexpr std::uint64_t kLargestSigned = std::numeric_limits<std::int64_t>::max();
// Behind the largest decimal: the first number of 39 digits.
inline constexpr Uint128 kDecimalEnd =
    Uint128{10'000'000'000'000'000'000U} * 10'000'000'000'000'000'000U;

// A time as columns of 64 bits hold it; nothing where they do not.
[[nodiscard]] inline std::optional<std::int64_t> as_signed(const Nanoseconds& time) {
  if (time.magnitude() > kLargestSigned) return {};
  const auto size = static_cast<std::int64_t>(time.magnitude());
  return time.negative() ? -size : size;
}

}  // namespace tracedeck::columns

// Nanoseconds between times, which may be as far apart as 64 bits go.
#pragma once

#include <cstdint>

#include "tracedeck/spill/spill_bytes.hpp"

namespace tracedeck::page {

// 0 where `to` is not behind `from`.
[[nodiscard]] inline std::uint64_t elapsed(std::int64_t from, std::int64_t to) {
  return to <= from ? 0 : static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

// Of either sign, as `unzigzag` takes it.
[[nodiscard]] inline std::uint64_t signed_step(std::int64_t from, std::int64_t to) {
  return zigzag(
      static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)));
}

}  // namespace tracedeck::page

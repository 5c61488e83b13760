// What is said about marks that are not followed, and what they may take.
#pragma once

#include <cstdint>
#include <string_view>

#include "tracedeck/base/finding.hpp"

namespace tracedeck::lower {

inline constexpr Rule kMarkRule = {"tracedeck/mark", Severity::kWarning, "Marks",
                                   "Marks describe what is stored."};

inline constexpr std::string_view kTooMuchState = "all together would take more than --max-state";
// What a text is made into takes some 31 times its size at most.
inline constexpr std::uint64_t kStateOfText = 32;
// A data stream that packets tell from others, about.
inline constexpr std::uint64_t kStateOfStream = 512;

// Values of no byte, such as structures without a field: as many in all, and for each byte of the
// trace, as elements that take no bits of a CTF trace.
inline constexpr std::uint64_t kFreeSlots = 65'536;
inline constexpr std::uint64_t kSlotsEachByte = 64;

}  // namespace tracedeck::lower

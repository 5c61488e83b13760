// What recorders of dial9 say that they lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/dial9/event_type.hpp"

namespace tracedeck::dial9 {

// Whether events called so count what a recorder had no room for, in fields called `dropped_*`.
[[nodiscard]] bool counts_dropped(std::string_view class_name);
// Whether events called so are about their file.
[[nodiscard]] bool is_about_file(std::string_view class_name);

// The sum of those fields of an event, `frame` being its bytes; nothing where it has none that can
// be read.
[[nodiscard]] std::optional<std::uint64_t> dropped_events(const EventType& type, ByteSpan frame);

// The first number that an event has in a field of that name.
[[nodiscard]] std::optional<std::uint64_t> number_in(const EventType& type, ByteSpan frame,
                                                     std::string_view field);

// What an event about its file says of whether all that was recorded is in it.
struct SealedClean {
  bool is_not = false;        // of this file
  bool prior_is_not = false;  // of the one before it
};
[[nodiscard]] SealedClean sealed_clean(const EventType& type, ByteSpan frame);

}  // namespace tracedeck::dial9

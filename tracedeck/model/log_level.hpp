// How severe the events of a class are, as tracers say it: 0, an emergency, to 14, debugging.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "tracedeck/model/event_class.hpp"

namespace tracedeck {

// The names of LTTng, by number, which stand there behind `TRACE_`.
inline constexpr std::array<std::string_view, 15> kLogLevels = {
    "EMERG",        "ALERT",      "CRIT",           "ERR",           "WARNING",
    "NOTICE",       "INFO",       "DEBUG_SYSTEM",   "DEBUG_PROGRAM", "DEBUG_PROCESS",
    "DEBUG_MODULE", "DEBUG_UNIT", "DEBUG_FUNCTION", "DEBUG_LINE",    "DEBUG"};

// The number of a name, in letters of either case, with or without `TRACE_` before it.
[[nodiscard]] std::optional<std::size_t> log_level_of_name(std::string_view name);

// Of the class, in its metadata: `loglevel` of CTF 1.8; in CTF 2 the attribute `log-level` of the
// namespace that Babeltrace 2 writes.
[[nodiscard]] std::optional<std::size_t> log_level(const EventClass& event_class);

}  // namespace tracedeck

// Short names for traces that are read together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// Of each path the shortest ending, in whole components, that is not an ending of any other of
// them; "b/metadata" of "a/metadata" and "b/metadata". Paths that are the same, or that have only
// other names before them, keep all of theirs. "-" stays what it is.
[[nodiscard]] std::vector<std::string> shortest_endings(std::span<const std::string> paths);

// The input of a trace, and which of several in it this is.
[[nodiscard]] std::string full_name(const TraceDescription& trace);

// What the environment of a trace says under `key`; "" if nothing.
[[nodiscard]] std::string environment_text(const TraceDescription& trace, std::string_view key);

}  // namespace tracedeck::flow

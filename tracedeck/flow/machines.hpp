// Which machine a trace says that it is of.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// `machine_id`, the `boot_id` of a Linux kernel and `hostname`, or `host`, of its environment; ""
// where it does not say.
using MachineMarks = std::array<std::string, 3>;
[[nodiscard]] MachineMarks machine_marks(const TraceDescription& trace);

// The first mark that both have says it; nothing: they have none in common.
[[nodiscard]] std::optional<bool> is_one_machine(const MachineMarks& a, const MachineMarks& b);

}  // namespace tracedeck::flow

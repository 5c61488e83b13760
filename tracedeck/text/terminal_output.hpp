// Text on its way to a terminal.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tracedeck/io/output.hpp"

namespace tracedeck {

// An output that hands text on to `into`, which must outlive it, with everything escaped that a
// terminal would obey or that reorders or hides text (see visible.hpp), but for line ends, tabs and
// the sequences of `allowed`, which are colours of our own and must live as long. Names and values
// are left otherwise as they are: for text whose form others prescribe. `finish` flushes `into` and
// does not finish it.
[[nodiscard]] std::unique_ptr<io::Output> terminal_output(
    io::Output& into, std::span<const std::string_view> allowed = {});

}  // namespace tracedeck

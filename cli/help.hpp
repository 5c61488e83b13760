// The texts of --help and --version.
#pragma once

#include <string>

#include "cli/commands.hpp"

namespace tracedeck::cli {

// What `tracedeck --help` and `tracedeck help` show.
[[nodiscard]] std::string help_text();
// What `tracedeck COMMAND --help` shows.
[[nodiscard]] std::string help_text(const Command& command);
[[nodiscard]] std::string version_text();

// "tracedeck print [OPTIONS] TRACE..."
[[nodiscard]] std::string usage_line(const Command& command);
// What stands for an option and its value: "-o OUT", "-q, --quiet", "--limit N".
[[nodiscard]] std::string option_heading(const OptionSpec& spec);

// One exit code and what it means.
struct ExitMeaning {
  int code;
  std::string_view meaning;
};
[[nodiscard]] std::span<const ExitMeaning> exit_meanings();

}  // namespace tracedeck::cli

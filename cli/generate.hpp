// The man page and the shell completions, made from the tables of commands and options.
#pragma once

#include <string>
#include <vector>

namespace tracedeck::cli {

// tracedeck(1), in the macros of man(7).
[[nodiscard]] std::string man_page();

// Completion scripts: commands, their options, what these take, and files.
[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

// Words without quotes, each in single quotes, with spaces between them.
[[nodiscard]] std::string in_quotes_each(const std::vector<std::string>& words);

}  // namespace tracedeck::cli

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/generate.hpp"

namespace tracedeck::cli {
namespace {

// `text` in single quotes.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string seen(std::string_view commands) {
  return in_quotes(fmt::format("__fish_seen_subcommand_from {}", commands));
}

// What completes a value. The words are expanded once more by fish, hence a tab spelt \t.
std::string value_of(const OptionSpec& spec) {
  if (spec.value.empty()) return {};
  if (spec.kind == ValueKind::kFile) return " -r -F";
  if (spec.choices == nullptr) return " -x";
  std::vector<std::string> words;
  for (const Choice& choice : spec.choices())
    words.push_back(fmt::format("{}\\t\"{}\"", choice.word, choice.meaning));
  return fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(words, " "))));
}

std::string option_line(const Command& command, const OptionSpec& spec) {
  std::string text = fmt::format("complete -c tracedeck -n {}", seen(command.name));
  if (spec.letter != 0) text += fmt::format(" -s {}", spec.letter);
  if (!spec.name.empty()) text += fmt::format(" -l {}", spec.name);
  return fmt::format("{}{} -d {}\n", text, value_of(spec), in_quotes(spec.help));
}

}  // namespace

std::string fish_completion() {
  std::string text =
      "# Completion of tracedeck for fish, made by 'tracedeck generate fish'.\n\n"
      "complete -c tracedeck -f\n"
      "complete -c tracedeck -n __fish_use_subcommand -l help -d 'show this help'\n"
      "complete -c tracedeck -n __fish_use_subcommand -l version -d 'show the version'\n";
  std::vector<std::string_view> readers;
  for (const Command& command : commands()) {
    if (command.hidden) continue;
    text += fmt::format("complete -c tracedeck -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, in_quotes(command.summary));
    if (takes_traces(command.operands)) readers.push_back(command.name);
  }
  text += fmt::format("complete -c tracedeck -n {} -F\n",
                      seen(fmt::format("{}", fmt::join(readers, " "))));
  for (const Command& command : commands()) {
    if (command.hidden) continue;
    for (const std::string_view name : command.options) text += option_line(command, option(name));
  }
  return text;
}

}  // namespace tracedeck::cli

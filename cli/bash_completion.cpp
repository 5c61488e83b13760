#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/generate.hpp"

namespace tracedeck::cli {
namespace {

// The words an option is written as: "-q --quiet".
std::vector<std::string> words_of(const OptionSpec& spec) {
  std::vector<std::string> words;
  if (spec.letter != 0) words.push_back(fmt::format("-{}", spec.letter));
  if (!spec.name.empty()) words.push_back(fmt::format("--{}", spec.name));
  return words;
}

std::string options_case(const Command& command) {
  std::vector<std::string> words;
  for (const std::string_view name : command.options) {
    for (std::string& word : words_of(option(name))) words.push_back(std::move(word));
  }
  return fmt::format("        {}) options='{}' ;;\n", command.name, fmt::join(words, " "));
}

// The commands that the option belongs to, where another has its name; else any.
std::vector<std::string> commands_of(const OptionSpec& spec) {
  if (spec.key.empty()) return {"*"};
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    for (const std::string_view id : command.options) {
      if (id == spec.id()) names.emplace_back(command.name);
    }
  }
  return names;
}

// What completes the value of an option; nothing for switches.
std::string value_case(const OptionSpec& spec) {
  if (spec.value.empty()) return {};
  std::vector<std::string> patterns;
  for (const std::string& command : commands_of(spec)) {
    for (const std::string& word : words_of(spec))
      patterns.push_back(fmt::format("{}' {}'", command, word));
  }
  const std::string pattern = fmt::format("{}", fmt::join(patterns, "|"));
  if (spec.kind == ValueKind::kFile)
    return fmt::format("        {}) _tracedeck_files; return ;;\n", pattern);
  std::vector<std::string> words;
  if (spec.choices != nullptr) {
    for (const Choice& choice : spec.choices()) words.push_back(choice.word);
  }
  return fmt::format(
      "        {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\"); return ;;\n", pattern,
      fmt::join(words, " "));
}

}  // namespace

std::string bash_completion() {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (!command.hidden) names.push_back(command.name);
  }
  std::string text =
      "# Completion of tracedeck for bash, made by 'tracedeck generate bash'.\n\n"
      "_tracedeck_files() {\n"
      "    compopt -o filenames 2>/dev/null\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "}\n\n"
      "_tracedeck() {\n"
      "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options=\n"
      "    COMPREPLY=()\n"
      "    # --name=value arrives as three words.\n"
      "    if [[ $current == = ]]; then\n"
      "        current=\n"
      "    elif [[ $previous == = ]]; then\n"
      "        previous=${COMP_WORDS[COMP_CWORD-2]}\n"
      "    fi\n"
      "    if [[ $COMP_CWORD -eq 1 ]]; then\n";
  text += fmt::format(
      "        mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$current\")\n",
      fmt::join(names, " "));
  text += "        return\n    fi\n    case \"${COMP_WORDS[1]} $previous\" in\n";
  // Those of single commands go before what any command may have.
  for (const OptionSpec& spec : option_table()) text += spec.key.empty() ? "" : value_case(spec);
  for (const OptionSpec& spec : option_table()) text += spec.key.empty() ? value_case(spec) : "";
  text += "    esac\n    case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands()) {
    if (!command.hidden) text += options_case(command);
  }
  text +=
      "    esac\n"
      "    if [[ $current == -* ]]; then\n"
      "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
      "    else\n"
      "        _tracedeck_files\n"
      "    fi\n"
      "}\n\n"
      "complete -F _tracedeck tracedeck\n";
  return text;
}

}  // namespace tracedeck::cli

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/generate.hpp"
#include "tracedeck/query/words.hpp"

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
  if (spec.kind == ValueKind::kExpression)
    return fmt::format("        {}) _tracedeck_expression; return ;;\n", pattern);
  std::vector<std::string> words;
  if (spec.choices != nullptr) {
    for (const Choice& choice : spec.choices()) words.push_back(choice.word);
  }
  return fmt::format(
      "        {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\"); return ;;\n", pattern,
      fmt::join(words, " "));
}

// Completes the last word of an expression. The shell's word is the whole expression, with the
// quote that opens it.
std::string bash_expressions() {
  std::string text =
      "# Lines of 'event NAME' and 'field NAME', of the TRACEs on the command line.\n"
      "_tracedeck_names() {\n"
      "    local word traces=()\n"
      "    for word in \"${COMP_WORDS[@]:2}\"; do\n"
      "        word=${word/#\\~\\//$HOME/}\n"
      "        [[ $word != -* && -e $word ]] && traces+=(\"$word\")\n"
      "    done\n"
      "    [[ ${#traces[@]} -gt 0 ]] || return\n"
      "    \"${COMP_WORDS[0]/#\\~\\//$HOME/}\" names -- \"${traces[@]}\" </dev/null 2>/dev/null\n"
      "}\n\n"
      "# What an expression may go on with; more words for it are the arguments.\n"
      "_tracedeck_expression() {\n"
      "    local text=$current within='\"' quotes fragment kind name\n"
      "    case $text in\n"
      "        \\'*) text=${text:1} ;;\n"
      "        '\"'*) text=${text:1} within=\\' ;;\n"
      "    esac\n"
      "    quotes=${text//[^$within]/}\n"
      "    if (( ${#quotes} % 2 )); then\n"
      "        # Inside a text: names of events.\n"
      "        fragment=${text##*$within}\n"
      "        set --\n"
      "    else\n"
      "        within=\n"
      "        fragment=${text##*[^[:alnum:]_.$]}\n";
  text += fmt::format("        set -- {} \"$@\"\n", in_quotes_each(query::expression_words()));
  text +=
      "    fi\n"
      "    compopt -o nospace 2>/dev/null\n"
      "    for name in \"$@\"; do\n"
      "        [[ $name == \"$fragment\"* ]] && COMPREPLY+=(\"${text%\"$fragment\"}$name\")\n"
      "    done\n"
      "    while read -r kind name; do\n"
      "        [[ $kind == event && -z $within && $name == *[^[:alnum:]_]* ]] && continue\n"
      "        [[ $kind == field && -n $within ]] && continue\n"
      "        [[ $name == \"$fragment\"* ]] && COMPREPLY+=(\"${text%\"$fragment\"}$name\")\n"
      "    done < <(_tracedeck_names)\n"
      "    # A single one would be taken for the end, and the quote be closed.\n"
      "    [[ ${#COMPREPLY[@]} -eq 1 ]] && COMPREPLY+=(\"${COMPREPLY[0]} \")\n"
      "}\n\n";
  return text;
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
      "}\n\n" +
      bash_expressions() +
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
      "    elif [[ ${COMP_WORDS[1]} == query && $current == [\\'\\\"]* ]]; then\n"
      "        _tracedeck_expression " +
      fmt::format("{}\n", in_quotes_each(query::stage_words())) +
      "    else\n"
      "        _tracedeck_files\n"
      "    fi\n"
      "}\n\n"
      "complete -F _tracedeck tracedeck\n";
  return text;
}

}  // namespace tracedeck::cli

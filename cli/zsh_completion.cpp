#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/generate.hpp"
#include "tracedeck/query/words.hpp"

namespace tracedeck::cli {
namespace {

// `text` for the inside of single quotes, with a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (special.contains(c)) result += '\\';
    result += c;
  }
  return result;
}

// What completes a value, as `_arguments` wants it.
std::string action(const OptionSpec& spec) {
  if (spec.kind == ValueKind::kFile) return "_files";
  if (spec.kind == ValueKind::kExpression) return "_tracedeck_expression";
  if (spec.choices == nullptr) return " ";
  std::vector<std::string> words;
  for (const Choice& choice : spec.choices()) {
    words.push_back(fmt::format("{}\\:\"{}\"", choice.word, escaped(choice.meaning, ":\"")));
  }
  return fmt::format("(({}))", fmt::join(words, " "));
}

std::string argument(const OptionSpec& spec) {
  const std::string help = escaped(spec.help, "[]:");
  const std::string value =
      spec.value.empty() ? "" : fmt::format(":{}:{}", escaped(spec.value, ":[]"), action(spec));
  const std::string_view repeated =
      spec.name == "clock-offset" || spec.name == "files-from" ? "*" : "";
  if (spec.name.empty()) return fmt::format("'-{}+[{}]{}'", spec.letter, help, value);
  if (spec.letter == 0) {
    return fmt::format("'{}--{}{}[{}]{}'", repeated, spec.name, spec.value.empty() ? "" : "=", help,
                       value);
  }
  return fmt::format("'(-{0} --{1})'{{-{0},--{1}}}'[{2}]{3}'", spec.letter, spec.name, help, value);
}

std::string arguments_case(const Command& command) {
  std::string text = fmt::format("    {})\n      _arguments -s -S \\\n", command.name);
  for (const std::string_view name : command.options)
    text += fmt::format("        {} \\\n", argument(option(name)));
  if (command.operands == Operands::kStagesAndTraces)
    text += "        '1:STAGES:_tracedeck_stages' \\\n";
  text += takes_traces(command.operands) ? "        '*:TRACE:_files'\n" : "        ':: :'\n";
  return text + "      ;;\n";
}

// Completes the last word of an expression; the shell's word is the whole expression.
std::string zsh_expressions() {
  std::string text =
      "# What an expression may go on with; more words for it are the arguments.\n"
      "_tracedeck_expression() {\n"
      "  local word line within='\"' quotes\n"
      "  local -a traces found\n"
      "  for word in ${words[2,-1]}; do\n"
      "    word=${${(Q)word}/#\\~\\//$HOME/}\n"
      "    [[ $word != -* && -e $word ]] && traces+=($word)\n"
      "  done\n"
      "  [[ $QIPREFIX == *'\"' ]] && within=\"'\"\n"
      "  quotes=${PREFIX//[^$within]/}\n"
      "  if (( ${#quotes} % 2 )); then\n"
      "    # Inside a text: names of events.\n"
      "    compset -P \"*$within\"\n"
      "  else\n"
      "    within=\n"
      "    compset -P '*[^[:alnum:]_.$]'\n";
  text += fmt::format("    found=({} \"$@\")\n", in_quotes_each(query::expression_words()));
  text +=
      "  fi\n"
      "  if (( $#traces )); then\n"
      "    for line in ${(f)\"$(${(Q)program} names -- $traces </dev/null 2>/dev/null)\"}; do\n"
      "      case $line in\n"
      "        field\\ *) [[ -z $within ]] && found+=(${line#field }) ;;\n"
      "        event\\ *) [[ -n $within || $line != event\\ *[^[:alnum:]_]* ]] && "
      "found+=(${line#event }) ;;\n"
      "      esac\n"
      "    done\n"
      "  fi\n"
      "  compadd -Q -S '' -- $found\n"
      "}\n\n";
  text += fmt::format("_tracedeck_stages() {{\n  _tracedeck_expression {}\n}}\n\n",
                      in_quotes_each(query::stage_words()));
  return text;
}

}  // namespace

std::string zsh_completion() {
  std::string text =
      "#compdef tracedeck\n"
      "# Completion of tracedeck for zsh, made by 'tracedeck generate zsh'.\n\n" +
      zsh_expressions() +
      "_tracedeck() {\n"
      "  local program=$words[1]\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Command& command : commands()) {
    if (!command.hidden)
      text += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary, ":"));
  }
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe -t commands command commands\n"
      "    compadd -- --help --version\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case ${words[1]} in\n";
  for (const Command& command : commands()) {
    if (!command.hidden) text += arguments_case(command);
  }
  text +=
      "  esac\n"
      "}\n\n"
      "_tracedeck \"$@\"\n";
  return text;
}

}  // namespace tracedeck::cli

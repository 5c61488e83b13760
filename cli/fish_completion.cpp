#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/generate.hpp"
#include "tracedeck/query/words.hpp"

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
  if (spec.kind == ValueKind::kExpression) return " -x -a '(__tracedeck_expression)'";
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

// Completes the last word of an expression; the shell's token is the whole expression.
std::string fish_expressions() {
  std::string text =
      "# What an expression may go on with, of the TRACEs on the command line; more words for it "
      "are the arguments.\n"
      "function __tracedeck_expression\n"
      "    set -l text (commandline -ct)\n"
      "    set -l within '\"'\n"
      "    string match -q '\"*' -- $text; and set within \"'\"\n"
      "    set text (string replace -r '^[\\'\"]' '' -- \"$text\")\n"
      "    set -l traces\n"
      "    set -l words (commandline -op)\n"
      "    for word in $words[3..-1]\n"
      "        string match -q -- '-*' $word; and continue\n"
      "        test -e $word; and set -a traces $word\n"
      "    end\n"
      "    set -l lines\n"
      "    if set -q traces[1]\n"
      "        set lines ($words[1] names -- $traces </dev/null 2>/dev/null)\n"
      "    end\n"
      "    set -l events (string replace -rf '^event ' '' -- $lines)\n"
      "    set -l found\n"
      "    set -l head\n"
      "    if test (math (string split -- $within $text | count) % 2) -eq 0\n"
      "        # Inside a text: names of events.\n"
      "        set head (string replace -r '[^'$within']*$' '' -- $text)\n"
      "        set found $events\n"
      "    else\n"
      "        set head (string replace -r '[\\w.$]*$' '' -- $text)\n";
  text += fmt::format("        set found {} $argv\n", in_quotes_each(query::expression_words()));
  text +=
      "        set -a found (string match -r '^\\w+$' -- $events)\n"
      "        set -a found (string replace -rf '^field ' '' -- $lines)\n"
      "    end\n"
      "    printf '%s\\n' \"$head\"$found\n"
      "end\n\n";
  return text;
}

}  // namespace

std::string fish_completion() {
  std::string text =
      "# Completion of tracedeck for fish, made by 'tracedeck generate fish'.\n\n" +
      fish_expressions() +
      "complete -c tracedeck -f\n"
      "complete -c tracedeck -n __fish_use_subcommand -l help -d 'show this help'\n"
      "complete -c tracedeck -n __fish_use_subcommand -l version -d 'show the version'\n";
  std::vector<std::string_view> readers;
  for (const Command& command : commands()) {
    if (command.hidden) continue;
    text += fmt::format("complete -c tracedeck -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, in_quotes(command.summary));
    if (takes_traces(command.operands)) readers.push_back(command.name);
    if (command.operands == Operands::kStagesAndTraces) {
      text += fmt::format("complete -c tracedeck -n {} -a {}\n", seen(command.name),
                          in_quotes(fmt::format("(__tracedeck_expression {})",
                                                in_quotes_each(query::stage_words()))));
    }
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

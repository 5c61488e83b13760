#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tracedeck/base/version.hpp"

namespace tracedeck::cli {
namespace {

constexpr std::size_t kWidth = 80;

constexpr std::array kExitMeanings = {
    ExitMeaning{
        0,
        "all was read and all was written; also after an interrupt of what comes live, and when "
        "the reader of standard output went away"},
    ExitMeaning{1,
                "validate found an error, or was interrupted before it had looked at everything; a "
                "--require does not hold"},
    ExitMeaning{2, "wrong usage, or an output that cannot be created"},
    ExitMeaning{3,
                "an input cannot be opened, is no trace, or must be rejected by its specification; "
                "the other "
                "inputs were worked on"},
    ExitMeaning{
        4,
        "bytes that could not be read: what could be was delivered, and each damaged range is "
        "named on "
        "standard error; or an output that could not be written to its end; with --strict also a "
        "recorded loss, or something that the target could not hold"},
    ExitMeaning{
        130,
        "SIGINT ended what reads no live input: a conversion, of which OUT.part holds what was "
        "written, or an answer, which is of what was read until then"},
    ExitMeaning{143, "SIGTERM did so"},
};

// Breaks `text` into lines of at most `kWidth` characters, each after the first indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (column > indent && column + 1 + word.size() > kWidth) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return result;
}

std::string paragraphs(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    result += wrapped(text.substr(begin, end - begin), 0) + "\n\n";
    begin = end + 2;
  }
  return result;
}

std::string option_help(const OptionSpec& spec) {
  std::string text(spec.help);
  if (spec.choices == nullptr) return text;
  std::vector<std::string> words;
  for (const Choice& choice : spec.choices()) {
    words.push_back(choice.word == spec.initial ? choice.word + " (default)" : choice.word);
  }
  return fmt::format("{}: {}", text, fmt::join(words, ", "));
}

// Rows of a heading and a text, the texts in one column.
std::string table(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [heading, text] : rows) width = std::max(width, heading.size());
  std::string result;
  for (const auto& [heading, text] : rows) {
    const std::string gap(width - heading.size() + 2, ' ');
    result += fmt::format("  {}{}{}\n", heading, gap, wrapped(text, width + 4));
  }
  return result;
}

std::string sources_text(const Command& command) {
  std::string_view sources;
  switch (command.sources) {
    case TraceSources::kAny:
      sources =
          "a file, a directory, '-' for standard input, or comes live from tcp://HOST:PORT, "
          "tcp-listen://ADDR:PORT, udp-listen://ADDR:PORT";
      break;
    case TraceSources::kRecorded:
      sources = "a file, a directory, or '-' for standard input";
      break;
    case TraceSources::kFiles:
      sources = "a file or a directory";
      break;
  }
  return fmt::format(
      "{} {}; gzip and zstd are seen through. Exit codes and the forms of values are in "
      "tracedeck(1).",
      command.operands == Operands::kTwoTraces ? "A and B are each" : "A TRACE is", sources);
}

}  // namespace

std::span<const ExitMeaning> exit_meanings() { return kExitMeanings; }

std::string usage_line(const Command& command) {
  constexpr std::array kOperands = {"",      " TRACE...", " A B", " STAGES TRACE...",
                                    " KIND", " [NAME]"};
  return fmt::format("tracedeck {} [OPTIONS]{}", command.name,
                     kOperands[static_cast<std::size_t>(command.operands)]);
}

std::string option_heading(const OptionSpec& spec) {
  std::string heading;
  if (spec.letter != 0) heading = fmt::format("-{}", spec.letter);
  if (spec.letter != 0 && !spec.name.empty()) heading += ", ";
  if (!spec.name.empty()) heading += fmt::format("--{}", spec.name);
  if (!spec.value.empty()) heading += fmt::format(" {}", spec.value);
  return heading;
}

std::string help_text() {
  std::string text =
      "Usage: tracedeck COMMAND [OPTIONS] TRACE...\n\n"
      "Reads, writes, checks, converts and explains binary event traces.\n\nCommands:\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command& command : commands()) {
    if (!command.hidden) rows.emplace_back(command.name, command.summary);
  }
  text += table(rows);
  text += "\nOptions:\n";
  rows.clear();
  for (const std::string_view name : {"help", "version"}) {
    rows.emplace_back(option_heading(option(name)), option_help(option(name)));
  }
  text += table(rows);
  text += fmt::format(
      "\n{}\n",
      wrapped("A TRACE is a file, a directory, '-' for standard input, or comes live from "
              "tcp://HOST:PORT, tcp-listen://ADDR:PORT, udp-listen://ADDR:PORT; gzip and zstd are "
              "seen through. "
              "'tracedeck help COMMAND' says more about a command.",
              0));
  return text;
}

std::string help_text(const Command& command) {
  std::string text = fmt::format("Usage: {}\n\n{}Options:\n", usage_line(command),
                                 paragraphs(command.description));
  std::vector<std::pair<std::string, std::string>> rows;
  for (const std::string_view name : command.options) {
    rows.emplace_back(option_heading(option(name)), option_help(option(name)));
  }
  text += table(rows);
  if (std::ranges::find(command.options, "begin") != command.options.end()) {
    text += fmt::format("\n{}\n", wrapped(fmt::format("T is {}.", kTimeForms), 0));
  }
  if (takes_traces(command.operands))
    text += fmt::format("\n{}\n", wrapped(sources_text(command), 0));
  return text;
}

std::string version_text() { return fmt::format("tracedeck {}\n", version()); }

}  // namespace tracedeck::cli

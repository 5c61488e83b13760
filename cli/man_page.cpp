#include <fmt/format.h>

#include <array>
#include <vector>

#include "cli/commands.hpp"
#include "cli/generate.hpp"
#include "cli/help.hpp"
#include "tracedeck/base/version.hpp"
#include "tracedeck/query/aggregate.hpp"
#include "tracedeck/query/vocabulary.hpp"

namespace tracedeck::cli {
namespace {

// When the page last changed in what it says.
constexpr std::string_view kDate = "2026-11-22";

constexpr std::size_t kPageWidth = 78;

// What stands in the page besides the tables. Paragraphs are divided by empty lines.
constexpr std::string_view kDescription =
    "Reads, writes, checks, converts and explains binary event traces. Each COMMAND works on one "
    "TRACE or several.\n\n"
    "A TRACE is a file, a directory, or '-' for standard input. Files compressed with gzip or zstd "
    "are seen through. The format is recognised from the content; --format overrides. Options and "
    "TRACEs may be mixed; after '--' everything is a TRACE.\n\n"
    "A directory is a trace of a format whose traces are directories, or else a tree of them: it "
    "is "
    "searched, hidden folders aside, and every trace in it is worked on as if it had been named. "
    "Directories that belong together are one trace.\n\n"
    "FILE@CORE is a file of a Tonbandgeraet trace that has one for each core, and CORE is the "
    "number "
    "of its core. All that are given so are one trace; with --follow each is a trace of its own, "
    "which knows names and the length of a tick from its own file alone. A path that exists with "
    "its '@' is a plain file.";

constexpr std::string_view kLive =
    "A TRACE may come while it is read. tcp://HOST:PORT connects; tcp-listen://ADDR:PORT serves "
    "one peer after the other; udp-listen://ADDR:PORT takes datagrams, each with whole packets, "
    "frames or segments. Without ADDR only this machine is let in; with PORT 0 the system chooses "
    "one. What was chosen is reported on standard error. With --follow, files are waited for where "
    "they end, and devices and named pipes are opened again.\n\n"
    "Each peer, and each file that takes a followed name, brings a trace of its own; one that is "
    "no trace is refused, and the next is waited for. Events are shown when the input pauses, "
    "and once a second while it does not; those of several live TRACEs come in order of arrival. "
    "Only formats whose traces are streams can come live.\n\n"
    "What a peer sends can take as much memory as --max-state says, 64M unless given. A listener "
    "asks nobody for a password.";

constexpr std::string_view kOutput =
    "Results go to standard output, everything else to standard error. A TRACE that cannot be "
    "opened is reported, and "
    "the others are worked on. A closed pipe ends the command quietly.\n\n"
    "Text output of print is made for reading: time, time since the event before, event class, and "
    "fields as "
    "name=value; behind an address stands the name that the trace gives to it, where that takes "
    "no more than reading 64M once more. JSON lines hold one object per event, with the members "
    "time, duration, name, id, "
    "stream, context and "
    "fields, in this order, absent when they do not apply. When several TRACEs, or the peers of a "
    "listener, are read, a member trace comes first, a column in text and CSV: the shortest ending "
    "of the TRACE's path that no other has, or the peer's address. Times are nanoseconds since the "
    "Unix "
    "epoch when the clock "
    "has that origin, else since the clock's own origin. CSV has a column for each of them; the "
    "last three hold JSON.\n\n"
    "Damaged ranges are named on standard error as FILE:OFFSET: severity: RULE: sentence "
    "[section], after the events "
    "before them; OFFSET counts bytes after decompression. What was read against a specification "
    "is counted there in one line for each TRACE.\n\n"
    "SIGINT and SIGTERM end the input: what was read until then is written and completed. A "
    "conversion of files leaves it in OUT.part instead, and OUT as it was. A second one kills.";

struct Entry {
  std::string_view name;
  std::string_view text;
};

constexpr std::array kEnvironment = {
    Entry{"NO_COLOR", "When set and not empty, --color auto means never."},
    Entry{"TERM", "When unset or 'dumb', --color auto means never."},
    Entry{"TMPDIR", "Where sorting by time puts what memory does not hold; /tmp when unset."},
};

constexpr std::array kExamples = {
    Entry{"tracedeck info service.bin.gz", "Shows what a recording holds."},
    Entry{"tracedeck print --limit 20 service.bin.gz", "Shows its first events."},
    Entry{"tracedeck print --output jsonl *.bin.gz | jq .name",
          "Merges files by time, as JSON lines."},
    Entry{"tracedeck validate service.bin", "Lists what is wrong with a trace."},
    Entry{"tracedeck convert -o part.bin --to dial9 --begin +1s --end +2s service.bin",
          "Cuts a second out of a trace."},
    Entry{"find /var/traces -name '*.bin' -print0 | tracedeck stats --files-from -",
          "Counts the events of more files than a command line takes."},
    Entry{"tracedeck print --follow service.bin", "Shows events as they are recorded."},
    Entry{"tracedeck convert -o run.bin --to dial9 --format dial9 tcp-listen://:4000",
          "Records what programs on this machine send, until it is interrupted."},
};

constexpr std::string_view kLanguage =
    "What --where and the stages of query are written in. A bare word is a field: of the payload, "
    "else of the contexts; a.b and a[0] are what it holds, a[-1] is the last element, a[\"odd "
    "key\"] a member of that name. '.x' is a field of the payload that is called as a word of the "
    "language is.\n\n"
    "Numbers are 42, 0x1f, 1.5, and with a unit 5ms (ns us ms s min h) or 2MiB (B kB MB GB KiB MiB "
    "GiB). Texts stand in quotes of either kind, regular expressions between slashes. In a shell, "
    "put all of it in single quotes.\n\n"
    "What an event does not have is unknown, and so is a comparison with it and the opposite of "
    "that; only what is true comes out.\n\n"
    "In a query, 'let NAME = EXPR' gives a value a name. Behind pair, a.x is a field x of the "
    "first event and b.x one of the second, a.fields.name a field of the payload that is called "
    "name, and a.name the event's name. Behind spans there are kind (\"slice\" or \"wait\"), "
    "category, name, label, track, time, end, duration, and what docs/query.md lists; any other "
    "word is an argument of a slice. Behind allocations there are size, weight, weight_bytes, "
    "live, freed_at, lifetime, symbol and stack; behind samples name, track, tid, thread, inside, "
    "symbol and stack. A column is called as it is written, or by 'as NAME'.";

// `text` as roff shows it literally; every hyphen as the ASCII one.
std::string literal(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
  }
  return result.starts_with('.') ? "\\&" + result : result;
}

// One word of running text; the names of options are bold.
std::string prose_word(std::string_view word) {
  if (!word.starts_with("--") || word.size() == 2) return literal(word);
  const std::size_t end = std::min(word.find_first_of(",.;:", 2), word.size());
  return "\\fB" + literal(word.substr(0, end)) + "\\fR" + literal(word.substr(end));
}

// Running text in lines of at most `kPageWidth` characters, a new one for every sentence.
std::string prose(std::string_view text) {
  std::string result;
  std::size_t column = 0;
  bool sentence_ends = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word = prose_word(text.substr(0, end));
    if (column > 0) {
      const bool breaks = sentence_ends || column + 1 + word.size() > kPageWidth;
      result += breaks ? '\n' : ' ';
      column = breaks ? 0 : column + 1;
    }
    result += word;
    column += word.size();
    sentence_ends = word.ends_with('.');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + '\n';
}

std::string paragraphs(std::string_view text, std::string_view macro) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    if (begin != 0) result += fmt::format("{}\n", macro);
    result += prose(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return result;
}

std::string heading(const OptionSpec& spec) {
  std::vector<std::string> parts;
  if (spec.letter != 0) parts.push_back(fmt::format("\\fB\\-{}\\fR", spec.letter));
  if (!spec.name.empty()) parts.push_back(fmt::format("\\fB\\-\\-{}\\fR", literal(spec.name)));
  std::string result = fmt::format("{}", fmt::join(parts, ", "));
  if (!spec.value.empty()) result += fmt::format(" \\fI{}\\fR", literal(spec.value));
  return result;
}

std::string commands_that_take(const OptionSpec& spec) {
  std::vector<std::string_view> names;
  std::size_t shown = 0;
  for (const Command& command : commands()) {
    if (command.hidden) continue;
    ++shown;
    for (const std::string_view name : command.options) {
      if (&option(name) == &spec) names.push_back(command.name);
    }
  }
  if (names.size() == shown) return {};
  return fmt::format("Taken by {}.", fmt::join(names, ", "));
}

std::string option_entry(const OptionSpec& spec) {
  std::string text = fmt::format(".TP\n{}\n", heading(spec));
  std::string sentence(spec.help);
  sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  text += prose(sentence + ".");
  if (spec.choices != nullptr) {
    text += ".RS\n";
    for (const Choice& choice : spec.choices()) {
      text +=
          fmt::format(".TP\n.B {}\n{}", literal(choice.word),
                      prose(choice.meaning + (choice.word == spec.initial ? " (default)" : "")));
    }
    text += ".RE\n.IP\n";
  }
  if (!spec.detail.empty()) text += prose(spec.detail);
  const std::string takers = commands_that_take(spec);
  if (!takers.empty()) text += prose(takers);
  // A paragraph macro with nothing after it says nothing.
  if (text.ends_with(".IP\n")) text.resize(text.size() - 4);
  return text;
}

std::string command_entry(const Command& command) {
  const std::string operands = command.operands == Operands::kTable       ? " [\\fINAME\\fR]"
                               : !takes_traces(command.operands)          ? ""
                               : command.operands == Operands::kTwoTraces ? " \\fIA\\fR \\fIB\\fR"
                               : command.operands == Operands::kTraces
                                   ? " \\fITRACE\\fR..."
                                   : " \\fISTAGES\\fR \\fITRACE\\fR...";
  std::string text = fmt::format(".TP\n\\fBtracedeck {}\\fR [\\fIOPTIONS\\fR]{}\n",
                                 literal(command.name), operands);
  return text + paragraphs(command.description, ".IP");
}

template <class Entries>
std::string entries(const Entries& list) {
  std::string text;
  for (const Entry& entry : list)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}", literal(entry.name), prose(entry.text));
  return text;
}

template <class Words>
std::string word_list(std::string_view title, const Words& words, std::string_view behind = "") {
  std::string text = fmt::format(".SS {}\n", title);
  for (const auto& [word, meaning] : words) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}", literal(fmt::format("{}{}", word, behind)),
                        prose(fmt::format("{}.", meaning)));
  }
  return text;
}

std::string language() {
  std::string text = paragraphs(kLanguage, ".PP");
  text += word_list("What each event has", query::event_value_meanings());
  text += word_list("Where fields are looked for", query::root_meanings(), ".x");
  text += word_list("Operators", query::operator_meanings());
  text += word_list("Functions", query::function_meanings(), "(x)");
  std::vector<query::WordMeaning> aggregates;
  for (const query::AggregateInfo& each : query::aggregate_table())
    aggregates.push_back({each.word, each.meaning});
  return text + word_list("Aggregates", aggregates);
}

}  // namespace

std::string man_page() {
  std::string text =
      fmt::format(".TH TRACEDECK 1 {} \"tracedeck {}\" \"User Commands\"\n", kDate, version());
  text += ".SH NAME\ntracedeck \\- read, write, check, convert and explain binary event traces\n";
  text += ".SH SYNOPSIS\n";
  text += "\\fBtracedeck\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fITRACE\\fR...\n.br\n";
  text += "\\fBtracedeck\\fR \\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n";
  text += ".SH DESCRIPTION\n" + paragraphs(kDescription, ".PP");
  text += ".SH COMMANDS\n";
  for (const Command& command : commands()) {
    if (!command.hidden) text += command_entry(command);
  }
  text += ".SH OPTIONS\n";
  for (const OptionSpec& spec : option_table()) text += option_entry(spec);
  text += ".SH QUERY LANGUAGE\n" + language();
  text += ".SH LIVE TRACES\n" + paragraphs(kLive, ".PP");
  text += ".SH OUTPUT\n" + paragraphs(kOutput, ".PP");
  text += ".SH EXIT STATUS\n";
  for (const ExitMeaning& exit : exit_meanings())
    text += fmt::format(".TP\n.B {}\n{}", exit.code, prose(fmt::format("{}.", exit.meaning)));
  text += ".SH ENVIRONMENT\n" + entries(kEnvironment);
  text += ".SH EXAMPLES\n" + entries(kExamples);
  return text;
}

}  // namespace tracedeck::cli

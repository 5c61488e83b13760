#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "cli/option_values.hpp"
#include "tracedeck/formats.hpp"

namespace tracedeck::cli {
namespace {

std::vector<Choice> format_choices() {
  std::vector<Choice> choices;
  for (const Format* format : formats()) {
    choices.push_back({std::string(format->info().name), std::string(format->info().title)});
  }
  return choices;
}

std::vector<Choice> target_choices() {
  std::vector<Choice> choices;
  for (const Format* format : formats()) {
    for (const WriteTarget& target : format->targets())
      choices.push_back({std::string(target.name), std::string(target.title)});
  }
  choices.push_back({"jsonl", "JSON lines, as 'print --output jsonl' writes them"});
  choices.push_back({"csv", "comma-separated values, as 'print --output csv' writes them"});
  return choices;
}

// Metadata is text in formats whose traces are directories.
std::vector<Choice> metadata_choices() {
  std::vector<Choice> choices;
  for (const Format* format : formats()) {
    for (const WriteTarget& target : format->targets()) {
      if (target.directory)
        choices.push_back({std::string(target.name), std::string(target.title)});
    }
  }
  return choices;
}

std::vector<Choice> schema_output_choices() {
  return {{"text", "for reading"}, {"metadata", "as the metadata of a trace of such classes"}};
}

std::vector<Choice> output_choices() {
  return {{"text", "for reading"},
          {"jsonl", "one JSON object a line"},
          {"csv", "comma-separated values"},
          {"babeltrace2", "as the command babeltrace2 prints them"}};
}

std::vector<Choice> order_choices() {
  return {{"merged", "files merged by time, each keeping its own order"},
          {"recorded", "as on disk, input after input"},
          {"time", "everything sorted by time"}};
}

std::vector<Choice> record_choices() {
  return {{"events", "events only"},
          {"all", "also where streams begin and end, losses and problems"}};
}

std::vector<Choice> color_choices() {
  return {
      {"auto", "on a terminal, unless NO_COLOR is set"}, {"always", "always"}, {"never", "never"}};
}

std::vector<Choice> progress_choices() {
  return {{"auto", "on a terminal, when it takes more than a second"}, {"never", "never"}};
}

std::vector<Choice> encoding_choices() {
  return {{"binary", "as a tracer writes it"},
          {"hex", "as hexadecimal text, from a console or debugger"}};
}

std::vector<Choice> version_choices() {
  return {{"0.3", "what every reader knows"},
          {"0.4", "with stack pool, annotations, lists and maps"}};
}

// Sets `member` from `parsed`, or returns its error.
template <class Value, class Parsed>
std::string take(Value& member, Parsed parsed) {
  if (!parsed) return std::move(parsed).error();
  member = *std::move(parsed);
  return {};
}

std::string apply_output(Options& options, const std::string& value) {
  options.output = value == "text"    ? OutputForm::kText
                   : value == "jsonl" ? OutputForm::kJsonLines
                   : value == "csv"   ? OutputForm::kCsv
                                      : OutputForm::kBabeltrace2;
  return {};
}

std::string apply_schema_output(Options& options, const std::string& value) {
  options.metadata = value == "metadata";
  return {};
}

std::string apply_order(Options& options, const std::string& value) {
  options.order_given = true;
  options.selection.order = value == "merged"     ? flow::Order::kMerged
                            : value == "recorded" ? flow::Order::kRecorded
                                                  : flow::Order::kTime;
  return {};
}

std::string apply_color(Options& options, const std::string& value) {
  options.color = value == "auto"     ? ColorMode::kAuto
                  : value == "always" ? ColorMode::kAlways
                                      : ColorMode::kNever;
  return {};
}

std::string apply_clock_offset(Options& options, const std::string& value) {
  auto offset = parse_clock_offset(value);
  if (!offset) return std::move(offset).error();
  options.selection.clock_offsets.push_back(*std::move(offset));
  return {};
}

std::string apply_records(Options& options, const std::string& value) {
  options.all_records = value == "all";
  return {};
}

std::string apply_progress(Options& options, const std::string& value) {
  options.progress = value == "auto";
  return {};
}

std::string apply_format(Options& options, const std::string& value) {
  options.format = find_format(value);
  return {};
}

std::string apply_tband_encoding(Options& options, const std::string& value) {
  options.tband_hexadecimal = value == "hex";
  if (options.tband_hexadecimal && options.format == nullptr) options.format = find_format("tband");
  return {};
}

// More threads than this would only wait for each other.
constexpr std::uint64_t kMostJobs = 256;

std::string apply_jobs(Options& options, const std::string& value) {
  const auto jobs = parse_count(value);
  if (!jobs) return jobs.error();
  if (*jobs == 0) return "the work needs one thread at least";
  options.jobs = static_cast<unsigned>(std::min(*jobs, kMostJobs));
  return {};
}

std::string apply_packet_size(Options& options, const std::string& value) {
  auto size = parse_size(value);
  if (!size) return std::move(size).error();
  options.packet_size = *size;
  return {};
}

// Setters of switches and plain words.
template <bool Options::* Member>
std::string set(Options& options, const std::string&) {
  options.*Member = true;
  return {};
}
template <std::string Options::* Member>
std::string assign(Options& options, const std::string& value) {
  options.*Member = value;
  return {};
}
template <std::string Options::* Member>
std::string assign_path(Options& options, const std::string& value) {
  if (value.empty()) return "a file needs a name";
  options.*Member = value;
  return {};
}
template <std::optional<TimePoint> flow::Selection::* Member>
std::string assign_time(Options& options, const std::string& value) {
  return take(options.selection.*Member, parse_time_point(value));
}

// In the order in which help shows them.
constexpr std::array kOptions = {
    OptionSpec{
        .name = "json",
        .help = "write JSON",
        .detail =
            "One object for each TRACE, or for what is told of all together, on a line of its own; "
            "of validate, one for each finding.",
        .apply = set<&Options::json>},
    OptionSpec{.letter = 'o',
               .value = "OUT",
               .help = "write to OUT; '-' is standard output",
               .detail = "The result appears under the name OUT only when it is complete; until "
                         "then it is OUT.part "
                         "beside it. An input that is a file may be named as OUT. A FORMAT whose "
                         "traces are directories makes OUT a directory, which must not be there "
                         "yet.",
               .kind = ValueKind::kFile,
               .apply = assign_path<&Options::out>},
    OptionSpec{.name = "to",
               .value = "FORMAT",
               .help = "what to convert to",
               .choices = target_choices,
               .apply = assign<&Options::to>},
    OptionSpec{.name = "dial9-version",
               .value = "VERSION",
               .help = "which dial9 format to write",
               .detail = "0.3 leaves out what came with 0.4 (stack pools, annotations, dynamic "
                         "lists and maps) and says so. Without the option 0.4 is used for what "
                         "the input has of it, and nothing else.",
               .choices = version_choices,
               .apply = assign<&Options::dial9_version>},
    OptionSpec{.name = "packet-size",
               .value = "BYTES",
               .help = "size of the packets of a result that has them (256K)",
               .detail = "K, M, G and T stand for powers of 1024.",
               .apply = apply_packet_size},
    OptionSpec{
        .name = "report",
        .value = "FILE",
        .help = "write the receipt to FILE as JSON",
        .detail =
            "The receipt lists what the target format could not hold, and what was done instead.",
        .kind = ValueKind::kFile,
        .apply = assign_path<&Options::report>},
    OptionSpec{.name = "output",
               .value = "FORM",
               .help = "form of the events",
               .detail = "babeltrace2 is what version 2.0.4 of that command prints, byte for byte, "
                         "its warnings about discarded events on standard error too.",
               .choices = output_choices,
               .initial = "text",
               .apply = apply_output},
    OptionSpec{.name = "clock-gmt",
               .help = "of babeltrace2: times in UTC, not the local time zone",
               .apply = set<&Options::clock_gmt>},
    OptionSpec{.name = "clock-seconds",
               .help = "of babeltrace2: times in seconds",
               .apply = set<&Options::clock_seconds>},
    OptionSpec{.name = "clock-cycles",
               .help = "of babeltrace2: clock values instead of times",
               .apply = set<&Options::clock_cycles>},
    OptionSpec{.name = "clock-date",
               .help = "of babeltrace2: dates before the times",
               .apply = set<&Options::clock_date>},
    OptionSpec{.name = "no-delta",
               .help = "of babeltrace2: no time since the event before",
               .apply = set<&Options::no_delta>},
    OptionSpec{.name = "output",
               .key = "schema-output",
               .value = "FORM",
               .help = "form of the classes",
               .choices = schema_output_choices,
               .initial = "text",
               .apply = apply_schema_output},
    OptionSpec{.name = "to",
               .key = "schema-to",
               .value = "FORMAT",
               .help = "whose spelling of metadata to print",
               .detail = "Without the option the trace's own, or ctf2 when it has none.",
               .choices = metadata_choices,
               .apply = assign<&Options::to>},
    OptionSpec{.name = "records",
               .value = "WHICH",
               .help = "which records to show",
               .choices = record_choices,
               .initial = "events",
               .apply = apply_records},
    OptionSpec{.name = "order",
               .value = "ORDER",
               .help = "order of the events",
               .detail = "Events of equal time keep the order of the TRACEs. An event without a "
                         "time goes with the "
                         "timed event before it. Sorting by time spills to a temporary directory "
                         "when memory is short.",
               .choices = order_choices,
               .initial = "merged",
               .apply = apply_order},
    OptionSpec{.name = "begin",
               .value = "T",
               .help = "leave out events before T",
               .detail = "T is an integer of nanoseconds, hh:mm:ss with up to nine decimals, or an "
                         "RFC 3339 time such as "
                         "2026-11-21T03:19:00.5Z. A time of day is one of the UTC day of the "
                         "TRACE's first event when "
                         "the clock counts from the Unix epoch, and counts from the clock's own "
                         "origin otherwise. An "
                         "RFC 3339 time stands for its nanoseconds since the Unix epoch.",
               .apply = assign_time<&flow::Selection::begin>},
    OptionSpec{.name = "end",
               .value = "T",
               .help = "leave out events after T",
               .detail = "T is written as for --begin.",
               .apply = assign_time<&flow::Selection::end>},
    OptionSpec{
        .name = "limit",
        .value = "N",
        .help = "stop after N events",
        .detail = "What lies behind the last of them is not read.",
        .apply = [](Options& o,
                    const std::string& v) { return take(o.selection.limit, parse_count(v)); }},
    OptionSpec{.name = "clock-offset",
               .value = "[TRACE=]NS",
               .help = "add NS nanoseconds to every time",
               .detail = "With TRACE=, as the TRACE is named on the command line, only to the "
                         "times of that TRACE; of FILE@CORE, to those of all cores. "
                         "May be repeated.",
               .apply = apply_clock_offset},
    OptionSpec{.name = "format",
               .value = "FORMAT",
               .help = "read as FORMAT instead of recognising it",
               .choices = format_choices,
               .apply = apply_format},
    OptionSpec{.name = "follow",
               .help = "wait for more where a file or device ends",
               .detail = "A file that another one replaces is read to its end, and then the other "
                         "one; a file that is cut is read anew from its beginning. A terminal line "
                         "is put to raw mode meanwhile; it, another device or a named pipe is "
                         "opened again when it hangs up.",
               .apply = set<&Options::follow>},
    OptionSpec{.name = "tband-encoding",
               .value = "ENCODING",
               .help = "how Tonbandgeraet input is encoded",
               .detail =
                   "hex reads as Tonbandgeraet what no --format says otherwise of. Between its "
                   "bytes may stand white space, commas, colons, dashes and 0x.",
               .choices = encoding_choices,
               .initial = "binary",
               .apply = apply_tband_encoding},
    OptionSpec{
        .name = "max-state",
        .value = "BYTES",
        .help = "memory that classes, pools and the largest event may take (1G)",
        .detail =
            "K, M, G and T stand for powers of 1024. What does not fit is reported like damage. "
            "Without the option it is 1G, and 64M for each live TRACE.",
        .apply = [](Options& o, const std::string& v) { return take(o.max_state, parse_size(v)); }},
    OptionSpec{.name = "jobs",
               .value = "N",
               .help = "decode with N threads at most (one per processor)",
               .detail = "What is read does not depend on it. Formats that are decoded in one go "
                         "take one thread.",
               .apply = apply_jobs},
    OptionSpec{.name = "strict",
               .help = "exit 4 also for a recorded loss or a lossy conversion",
               .apply = set<&Options::strict>},
    OptionSpec{.name = "color",
               .value = "WHEN",
               .help = "when to use colour",
               .choices = color_choices,
               .initial = "auto",
               .apply = apply_color},
    OptionSpec{.name = "progress",
               .value = "WHEN",
               .help = "when to show progress on standard error",
               .choices = progress_choices,
               .initial = "auto",
               .apply = apply_progress},
    OptionSpec{.name = "quiet",
               .letter = 'q',
               .help = "errors only on standard error",
               .detail = "No summaries of what was tolerated, no receipts, no progress.",
               .apply = set<&Options::quiet>},
    OptionSpec{.name = "verbose",
               .letter = 'v',
               .help = "more on standard error",
               .detail = "What each TRACE was recognised as, and every finding where it was made.",
               .apply = set<&Options::verbose>},
    OptionSpec{
        .name = "help", .letter = 'h', .help = "show this help", .apply = set<&Options::help>},
    OptionSpec{.name = "version",
               .letter = 'V',
               .help = "show the version",
               .apply = set<&Options::version>},
};

// Edits that turn one word into the other: insertions, deletions, replacements.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t replaced = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Reads one command line; `problem` is the first thing that is wrong with it.
class Parser {
 public:
  Parser(std::span<const std::string> arguments, std::span<const std::string_view> allowed,
         Options& options)
      : arguments_(arguments), allowed_(allowed), options_(options) {}

  std::string run() {
    while (next_ < arguments_.size() && problem_.empty()) {
      const std::string& argument = arguments_[next_++];
      if (argument == "--") {
        options_.operands.insert(options_.operands.end(),
                                 arguments_.begin() + static_cast<std::ptrdiff_t>(next_),
                                 arguments_.end());
        break;
      }
      if (argument.starts_with("--")) {
        long_option(std::string_view(argument).substr(2));
      } else if (argument.size() > 1 && argument.front() == '-') {
        letters(std::string_view(argument).substr(1));
      } else {
        options_.operands.push_back(argument);
      }
    }
    return problem_;
  }

 private:
  // The allowed option of that name or letter, or null.
  const OptionSpec* find(std::string_view name) const {
    if (name.empty()) return nullptr;
    for (const std::string_view id : allowed_) {
      if (option(id).name == name) return &option(id);
    }
    return nullptr;
  }

  const OptionSpec* find_letter(char letter) const {
    for (const std::string_view id : allowed_) {
      if (option(id).letter == letter) return &option(id);
    }
    return nullptr;
  }

  void long_option(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const OptionSpec* spec = find(name);
    if (spec == nullptr) {
      unknown(name);
    } else if (equals == std::string_view::npos) {
      apply(*spec, spec->value.empty() ? std::optional<std::string>("") : next_argument());
    } else if (spec->value.empty()) {
      problem_ = fmt::format("option '{}' takes no value", spec->spelling());
    } else {
      apply(*spec, std::string(text.substr(equals + 1)));
    }
  }

  void letters(std::string_view text) {
    while (!text.empty() && problem_.empty()) {
      const OptionSpec* spec = find_letter(text.front());
      if (spec == nullptr) {
        problem_ = fmt::format("unknown option '-{}'", text.front());
        return;
      }
      text.remove_prefix(1);
      if (spec->value.empty()) {
        apply(*spec, "");
      } else {
        apply(*spec, text.empty() ? next_argument() : std::string(text));
        return;
      }
    }
  }

  std::optional<std::string> next_argument() {
    if (next_ == arguments_.size()) return std::nullopt;
    return arguments_[next_++];
  }

  void apply(const OptionSpec& spec, const std::optional<std::string>& value) {
    if (!value) {
      problem_ = fmt::format("option '{}' needs a value: {}", spec.spelling(), spec.value);
      return;
    }
    if (spec.choices != nullptr) {
      const std::vector<Choice> choices = spec.choices();
      std::vector<std::string_view> words;
      words.reserve(choices.size());
      for (const Choice& choice : choices) words.push_back(choice.word);
      if (std::find(words.begin(), words.end(), *value) == words.end()) {
        problem_ = fmt::format("option '{}' takes {}, not '{}'", spec.spelling(),
                               fmt::join(words, ", "), *value);
        return;
      }
    }
    const std::string wrong = spec.apply(options_, *value);
    if (!wrong.empty()) problem_ = fmt::format("option '{}': {}", spec.spelling(), wrong);
  }

  void unknown(std::string_view name) {
    problem_ = fmt::format("unknown option '--{}'", name);
    std::vector<std::string_view> names;
    for (const std::string_view id : allowed_) names.push_back(option(id).name);
    const std::string_view meant = nearest(name, names);
    if (!meant.empty()) problem_ += fmt::format(" (did you mean '--{}'?)", meant);
  }

  std::span<const std::string> arguments_;
  std::span<const std::string_view> allowed_;
  Options& options_;
  std::size_t next_ = 0;
  std::string problem_;
};

}  // namespace

flow::PipelineOptions pipeline_options(const Options& options, flow::Needs needs) {
  return {.operands = options.operands,
          .format = options.format,
          .follow = options.follow,
          .hexadecimal = options.tband_hexadecimal,
          .selection = options.selection,
          .needs = needs,
          .max_state = options.max_state,
          .jobs = options.jobs};
}

std::string OptionSpec::spelling() const {
  return name.empty() ? fmt::format("-{}", letter) : fmt::format("--{}", name);
}

std::span<const OptionSpec> option_table() { return kOptions; }

const OptionSpec& option(std::string_view id) {
  return *std::find_if(kOptions.begin(), kOptions.end(),
                       [id](const OptionSpec& spec) { return spec.id() == id; });
}

std::string parse_options(std::span<const std::string> arguments,
                          std::span<const std::string_view> allowed, Options& options) {
  return Parser(arguments, allowed, options).run();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> words) {
  std::string_view best;
  std::size_t best_distance = 3;  // more edits than two are another word
  for (const std::string_view candidate : words) {
    const std::size_t edits = distance(word, candidate);
    if (edits < best_distance && 2 * edits <= std::min(word.size(), candidate.size())) {
      best = candidate;
      best_distance = edits;
    }
  }
  return best;
}

}  // namespace tracedeck::cli

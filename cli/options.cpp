#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/hidden.hpp"
#include "cli/option_values.hpp"
#include "tracedeck/base/utf8.hpp"
#include "tracedeck/convert/segment_name.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/follow.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/render/babeltrace_time.hpp"
#include "tracedeck/timeline/latency.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck::cli {
namespace {

std::vector<Choice> format_choices() {
  std::vector<Choice> choices;
  for (const Format* format : formats()) {
    choices.push_back({std::string(format->info().name), std::string(format->info().title)});
  }
  return choices;
}

// The outputs that `offers` says a command has.
template <class Offers>
std::vector<Choice> output_choices(Offers offers) {
  std::vector<Choice> choices;
  for (const OutputKind& kind : outputs()) {
    if (offers(kind)) choices.push_back({std::string(kind.name), std::string(kind.title)});
  }
  return choices;
}

std::vector<Choice> shown_choices() {
  return output_choices([](const OutputKind& kind) { return kind.shown; });
}

std::vector<Choice> target_choices() {
  return output_choices([](const OutputKind& kind) { return kind.converts(); });
}

// Metadata is text in formats whose traces are directories.
std::vector<Choice> metadata_choices() {
  return output_choices(
      [](const OutputKind& kind) { return kind.target != nullptr && kind.target->directory; });
}

std::vector<Choice> schema_output_choices() {
  return {{"text", "for reading"},
          {"json", "the same as --json"},
          {"metadata", "as the metadata of a trace of such classes"}};
}

std::vector<Choice> json_output_choices() {
  return {{"text", "for reading"}, {"json", "the same as --json"}};
}

std::vector<Choice> answer_choices() {
  return {{"text", "a table for reading"},
          {"jsonl", "a JSON object a row, and one of what the answer was made of"},
          {"json", "the same as jsonl"},
          {"csv", "comma-separated values"},
          {"arrow", "columns, as a stream of Arrow"},
          {"parquet", "columns, as a Parquet file"}};
}

std::vector<Choice> int64_choices() {
  return {{"number", "numbers of any size"},
          {"string", "strings beyond 2^53, where jq and JavaScript round numbers"}};
}

std::vector<Choice> layout_choices() {
  return {{"class", "a table for each event class, a column for each field"},
          {"schema", "the same, each named by its columns too: NAME@XXXXXXXX"},
          {"one", "one table, with the name of the class, and fields as JSON text"}};
}

std::vector<Choice> partition_choices() {
  return {{"class", "a folder for each table"},
          {"class,date", "in it one for each UTC date: class=NAME/date=2026-11-22/"},
          {"class,date,hour", "in that one for each hour: hour=03/"}};
}

std::vector<Choice> what_choices() {
  return {{"events", "events"},
          {"spans", "what events mean: slices and waits, states, counters, instants, samples"},
          {"all", "both"}};
}

std::vector<Choice> clock_choices() {
  return {{"trace", "times as recorded"}, {"wall", "UTC, where a trace relates its clock to it"}};
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

std::string apply_clock(Options& options, const std::string& value) {
  options.selection.clock = value == "wall" ? flow::Clock::kWall : flow::Clock::kTrace;
  options.clock_given = true;
  return {};
}

std::string apply_int64(Options& options, const std::string& value) {
  options.int64_strings = value == "string";
  return {};
}

// Its choices are all that there are.
std::string apply_layout(Options& options, const std::string& value) {
  options.layout = find_layout(value).value_or(TableLayout::kUsual);
  return {};
}

std::string apply_partition(Options& options, const std::string& value) {
  options.partition = find_partition(value).value_or(columns::TimePartition::kNone);
  return {};
}

std::string apply_what(Options& options, const std::string& value) {
  options.what = find_content(value).value_or(TableContent::kEvents);
  return {};
}

std::string apply_tag(Options& options, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos)
    return "a tag is a name and a value with '=' between them, as host=web17";
  if (!is_valid_utf8(value)) return "a tag is text in UTF-8";
  options.tags.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return {};
}

std::string apply_drop(Options& options, const std::string& value) {
  return add_hidden(options, value, true);
}

std::string apply_mask(Options& options, const std::string& value) {
  return add_hidden(options, value, false);
}

std::string apply_segment(Options& options, const std::string& value) {
  options.segment = value;
  return check_segment(value);
}

std::string apply_schema_output(Options& options, const std::string& value) {
  options.metadata = value == "metadata";
  options.json = options.json || value == "json";
  return {};
}

std::string apply_json_output(Options& options, const std::string& value) {
  options.json = options.json || value == "json";
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

// The value of an option; that it counts ns where it has no unit is noted.
std::expected<Nanoseconds, std::string> parse_duration(Options& options, std::string_view option,
                                                       const std::string& value,
                                                       std::string_view examples) {
  const auto time = parse_time_point(value);
  constexpr std::uint64_t kDay = 86'400'000'000'000;
  if (!time || time->from != TimePoint::From::kOrigin || time->value.negative() ||
      time->value > Nanoseconds::from_unsigned(kDay))
    return std::unexpected(
        fmt::format("a duration of at most a day is wanted, as {}, not '{}'", examples, value));
  if (time->is_bare && time->value != Nanoseconds())
    options.notes.push_back(fmt::format(
        "option '--{0}': {1} without a unit is {1} ns; {1}s and {1}ms are clear", option, value));
  return time->value;
}

std::string apply_slack(Options& options, const std::string& value) {
  return take(options.slack, parse_duration(options, "slack", value, "2s or 500ms"));
}

std::string apply_baud(Options& options, const std::string& value) {
  const std::vector<unsigned> speeds = io::serial_speeds();
  const auto known = std::ranges::find(speeds, parse_count(value).value_or(0));
  if (known == speeds.end())
    return fmt::format("serial lines have the speeds {}, not '{}'", fmt::join(speeds, ", "), value);
  options.baud = *known;
  return {};
}

std::string apply_stall_limit(Options& options, const std::string& value) {
  const auto limit = parse_duration(options, "stall-limit", value, "60s or 500ms");
  if (!limit) return limit.error();
  // A duration of at most a day fits, and a part of a millisecond is no stall.
  constexpr std::int64_t kNsPerMillisecond = 1'000'000;
  const auto ns = static_cast<std::int64_t>(limit->magnitude());
  options.stall_limit = std::chrono::milliseconds((ns + kNsPerMillisecond - 1) / kNsPerMillisecond);
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

std::string apply_split_size(Options& options, const std::string& value) {
  return take(options.split_size, parse_size(value));
}

std::string apply_split_duration(Options& options, const std::string& value) {
  auto duration = parse_duration(options, "split-duration", value, "10s or 500ms");
  if (duration && *duration == Nanoseconds()) return "parts of no duration hold nothing";
  return take(options.split_duration, std::move(duration));
}

std::string apply_where(Options& options, const std::string& value) {
  auto text = expression_of(value, options.files_read);
  if (!text) return std::move(text).error();
  options.where.push_back(*std::move(text));
  auto condition = query::Condition::parse(options.where);
  if (!condition) return condition.error().message;
  options.condition = *std::move(condition);
  options.selection.where = options.condition;
  options.watches = {&options.condition->fields()};
  return {};
}

std::string apply_table(Options& options, const std::string& value) {
  auto tables = timeline::find_tables(value);
  if (!tables) return tables.error().to_string();
  if (!tables->front().built_in) options.files_read.push_back(value);
  std::ranges::move(*tables, std::back_inserter(options.tables));
  return {};
}

// Conditions of repeated options have to hold together.
std::string apply_slices_where(Options& options, const std::string& value) {
  auto text = expression_of(value, options.files_read);
  if (!text) return std::move(text).error();
  options.slices_where = options.slices_where.empty()
                             ? *text
                             : fmt::format("({}) && ({})", options.slices_where, *text);
  const auto latency = timeline::Latency::make({.where = options.slices_where});
  return latency ? std::string() : latency.error().message;
}

std::vector<Choice> weight_choices() {
  return {{"time", "ns of slices, in none inside"},
          {"samples", "how often a stack was met"},
          {"bytes", "allocated, as sampled allocations stand for"},
          {"live-bytes", "the same of what nothing had freed at the end"}};
}

std::string apply_weight(Options& options, const std::string& value) {
  options.stacks = *find_weight(value);
  return {};
}

std::vector<Choice> perfetto_choices() {
  return {{"57", "states are states"}, {"50", "states are slices"}};
}

std::string apply_perfetto_level(Options& options, const std::string& value) {
  options.perfetto_level = value == "50" ? 50 : 57;
  return {};
}

std::vector<Choice> flows_choices() {
  return {{"long", "of what took long, as tables say"}, {"all", "of all"}};
}

std::string apply_flows(Options& options, const std::string& value) {
  options.all_flows = value == "all";
  return {};
}

std::string apply_rank(Options& options, const std::string& value) {
  const auto rank = parse_count(value);
  if (!rank) return rank.error();
  if (*rank == 0 || *rank > timeline::kMostRank)
    return fmt::format("a rank is a number from 1 to {}", timeline::kMostRank);
  options.why_rank = *rank;
  return {};
}

std::string apply_at(Options& options, const std::string& value) {
  return take(options.why_at, parse_time_point(value));
}

std::vector<Choice> args_choices() {
  return {{"longest", "of the 1,000 longest of each name"}, {"all", "of every slice"}};
}

std::string apply_args(Options& options, const std::string& value) {
  options.all_arguments = value == "all";
  return {};
}

std::string apply_min_duration(Options& options, const std::string& value) {
  const auto shortest = parse_duration(options, "min-duration", value, "10us or 1.5ms");
  if (!shortest) return shortest.error();
  options.shortest = static_cast<std::int64_t>(shortest->magnitude());
  return {};
}

std::string apply_port(Options& options, const std::string& value) {
  constexpr std::uint64_t kMost = 65'535;
  const auto port = parse_count(value);
  if (!port || *port > kMost) return fmt::format("a port is a number up to {}", kMost);
  options.port = static_cast<std::uint16_t>(*port);
  return {};
}

std::string apply_slices_by(Options& options, const std::string& value) {
  if (value.empty()) return "an expression is wanted, such as track";
  options.slices_by = value;
  const auto latency = timeline::Latency::make({.by = value});
  return latency ? std::string() : latency.error().message;
}

std::string apply_top(Options& options, const std::string& value) {
  const auto top = parse_count(value);
  if (!top) return top.error();
  options.top = *top;
  return {};
}

template <timeline::Requirement::Of Of>
std::string add_requirement(Options& options, const std::string& value) {
  auto requirement = timeline::Requirement::parse(value, Of);
  if (!requirement) return requirement.error().message;
  options.requirements.push_back(*std::move(requirement));
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

std::string add_list(Options& options, const std::string& value) {
  if (value.empty()) return "a file needs a name";
  options.files_from.push_back(value);
  return {};
}

std::string apply_metadata(Options& options, const std::string& value) {
  if (options.format == nullptr) options.format = find_format("ctf");
  return assign_path<&Options::metadata_file>(options, value);
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
            "One object for each TRACE, or for what is said of all together, on a line of its own; "
            "of validate, one for each finding.",
        .apply = set<&Options::json>},
    OptionSpec{
        .letter = 'o',
        .value = "OUT",
        .help = "write to OUT; '-' is standard output",
        .detail = "The result appears under the name OUT only when it is complete; until "
                  "then it is OUT.part "
                  "beside it. A file that has the name is replaced then, unless it is read for the "
                  "result, which is wrong usage. A "
                  "FORMAT whose traces are directories makes OUT a directory, which must "
                  "not be there yet.",
        .kind = ValueKind::kFile,
        .apply = assign_path<&Options::out>},
    OptionSpec{.name = "to",
               .value = "FORMAT",
               .help = "what to convert to",
               .detail = "Without the option the ending of OUT says it: 'formats' lists them.",
               .choices = target_choices,
               .apply = assign<&Options::to>},
    OptionSpec{.name = "dial9-version",
               .value = "VERSION",
               .help = "which dial9 format to write",
               .detail = "0.3 leaves out what came with 0.4 (stack pools, annotations, dynamic "
                         "lists and maps) and says so. With 0.4, arrays and structures of other "
                         "formats become lists and maps. Without the option 0.4 is used for what "
                         "the input has of it, and nothing else.",
               .choices = version_choices,
               .apply = assign<&Options::dial9_version>},
    OptionSpec{.name = "packet-size",
               .value = "BYTES",
               .help = "size of the packets of a result that has them (256K)",
               .detail = "K, M, G and T stand for powers of 1024.",
               .apply = apply_packet_size},
    OptionSpec{.name = "split-size",
               .value = "SIZE",
               .help = "write parts of about SIZE bytes each",
               .detail =
                   "The parts are OUT-0001, OUT-0002 and so on; the number stands before the "
                   "ending of OUT, as in run-0001.dial9.gz. Each stands alone: it has the clocks, "
                   "classes and environment, and the events that describe others (names, symbols) "
                   "of the whole, where a TRACE can be read twice, else those before its end. A "
                   "part ends with the event that brings it to SIZE, before compression and not "
                   "counting what all parts have; of CTF whole packets count, without metadata. K, "
                   "M, G and T stand for powers of 1024.",
               .apply = apply_split_size},
    OptionSpec{
        .name = "split-duration",
        .value = "DURATION",
        .help = "write parts of DURATION each, as 10s or 500ms",
        .detail =
            "As --split-size, but parts are cut at whole multiples of DURATION, up to a "
            "day, from the first event on, and files are sorted by time for it unless --order "
            "says otherwise. A time without events has no part. Events that come later than "
            "their part are in a later one, and counted; with --order time there are none. "
            "Events with a duration that a cut divides are whole in one part, and counted. With "
            "--table, so are slices of time lines whose begin and end come to be in two parts. "
            "With "
            "both options a part ends with what comes first.",
        .apply = apply_split_duration},
    OptionSpec{
        .name = "drop",
        .value = "PATTERN",
        .help = "leave what PATTERN names out of the result; repeatable",
        .detail = "PATTERN is a field, by its name (user), its path (request.user, common.vpid) or "
                  "those of some event classes (login*:user); or, behind a word and a colon, event "
                  "classes (class:), entries of the environment (env:), metadata and attributes "
                  "(meta:), names of threads (thread:) or paths of TRACEs (file:). '*' stands for "
                  "any characters and '?' for one. docs/conversion.md, \"Safe to share\", lists "
                  "what each is about.",
        .apply = apply_drop},
    OptionSpec{.name = "mask",
               .value = "PATTERN",
               .help = "replace what PATTERN names by hashes under a key; repeatable",
               .detail = "Equal values have equal hashes, so that results can still be joined and "
                         "grouped by them. A number becomes a text. PATTERN is as of --drop, which "
                         "wins.",
               .apply = apply_mask},
    OptionSpec{.name = "mask-key",
               .value = "FILE",
               .help = "the key of --mask and --share, of 16 bytes at least",
               .detail = "By default it is random, and of this run alone.",
               .kind = ValueKind::kFile,
               .apply = assign_path<&Options::mask_key>},
    OptionSpec{.name = "share",
               .help = "mask or drop all texts and paths; numbers and times stay",
               .detail = "Texts and blobs in fields, names of threads, paths and texts of the "
                         "environment are masked; attributes and other texts of metadata are "
                         "dropped. Names of event classes and fields, and labels stay.",
               .apply = set<&Options::shares>},
    OptionSpec{
        .name = "report",
        .value = "FILE",
        .help = "write the receipt to FILE as JSON; '-' is standard output",
        .detail =
            "The receipt lists what the target format could not hold, and what was done instead. A "
            "file that is there is replaced. On standard output it needs an OUT that is a file.",
        .kind = ValueKind::kFile,
        .apply = assign_path<&Options::report>},
    OptionSpec{.name = "output",
               .value = "FORM",
               .help = "form of the events",
               .detail = "babeltrace2 is what version 2.0.4 of that command prints, byte for byte, "
                         "its warnings about discarded events on standard error too.",
               .choices = shown_choices,
               .initial = "text",
               .apply = assign<&Options::output>},
    OptionSpec{.name = "output",
               .key = "json-output",
               .value = "FORM",
               .help = "form of the result",
               .choices = json_output_choices,
               .initial = "text",
               .apply = apply_json_output},
    OptionSpec{.name = "output",
               .key = "answer-output",
               .value = "FORM",
               .help = "form of the answer",
               .choices = answer_choices,
               .initial = "text",
               .apply = assign<&Options::output>},
    OptionSpec{.name = "table",
               .value = "FILE",
               .help = "a table that says what events mean, beside the built-in ones",
               .detail = "A file in TOML, which 'tracedeck tables' describes; in place of a "
                         "built-in table of the same name. It may hold several, as --explain "
                         "prints them. Or the name of a built-in table that is only used when "
                         "asked for. Repeatable.",
               .kind = ValueKind::kFile,
               .apply = apply_table},
    OptionSpec{.name = "spans",
               .help = "of heph: the finished slices of time lines, in place of events",
               .detail = "What 'latency' measures, by tables that say what begins and ends: a span "
                         "each, on the stream of its track.",
               .apply = set<&Options::spans>},
    OptionSpec{.name = "explain",
               .help = "print the tables that were applied, and what was inferred, instead",
               .detail = "As TOML: a table of one's own can begin with it.",
               .apply = set<&Options::explain>},
    OptionSpec{.name = "longest",
               .value = "NAME",
               .help = "the longest slice or wait called NAME; with --at, of those that are then",
               .detail = "The name of a row of 'latency', a category, or a glob over both.",
               .apply = assign<&Options::why_longest>},
    OptionSpec{.name = "slice",
               .value = "NAME",
               .help = "that of NAME which --rank says",
               .apply = assign<&Options::why_slice>},
    OptionSpec{.name = "rank",
               .value = "N",
               .help = "of --slice: 1 is the longest (default), 2 the next, up to 1000",
               .apply = apply_rank},
    OptionSpec{.name = "at",
               .value = "T",
               .help = "what begins at T, else the innermost slice that lasts then",
               .apply = apply_at},
    OptionSpec{.name = "track",
               .value = "TRACK",
               .help = "only slices on tracks of that name, a glob",
               .apply = assign<&Options::why_track>},
    OptionSpec{.key = "page-out",
               .letter = 'o',
               .value = "OUT",
               .help = "write the page of just that window too, to OUT.html",
               .detail =
                   "What 'convert --to html' writes, of the slice and as much time before and "
                   "behind it, with the answer in it. What goes on outside is cut and says so.",
               .kind = ValueKind::kFile,
               .apply = assign_path<&Options::out>},
    OptionSpec{.name = "args",
               .value = "WHICH",
               .help = "of html: fields of the longest slices of each name, or of all",
               .choices = args_choices,
               .initial = "longest",
               .apply = apply_args},
    OptionSpec{.name = "flows",
               .value = "WHICH",
               .help = "arrows from what led to something: of what took long, or all",
               .detail = "How long is said by tables; the one for dial9 has arrows from a wake to "
                         "a poll that came 1 ms later or more.",
               .choices = flows_choices,
               .initial = "long",
               .apply = apply_flows},
    OptionSpec{.name = "min-duration",
               .value = "D",
               .help = "leave out slices shorter than D, and count them in a counter",
               .detail =
                   "As 10us or 1.5ms; a number is of ns. What was left out of a track adds up in "
                   "the counters 'below 10us' (ns) and 'below 10us (count)' beside it. Waits that "
                   "such slices ended with and that were shorter too are left out; states, "
                   "instants and slices of unknown duration are not.",
               .apply = apply_min_duration},
    OptionSpec{
        .name = "max-size",
        .value = "SIZE",
        .help = "leave out as many of the shortest slices as SIZE bytes ask for",
        .detail = "K, M, G and T stand for powers of 1024; before compression. The TRACEs are "
                  "read again, with a bound as of --min-duration, until the result is small "
                  "enough; the bound is said.",
        .apply = [](Options& o, const std::string& v) { return take(o.max_size, parse_size(v)); }},
    OptionSpec{.name = "port",
               .value = "N",
               .help = "serve at this port of 127.0.0.1 (a free one)",
               .apply = apply_port},
    OptionSpec{.name = "perfetto",
               .help = "serve a trace for Perfetto's page, which comes from the network",
               .apply = set<&Options::perfetto>},
    OptionSpec{.name = "perfetto-level",
               .value = "VERSION",
               .help = "oldest Perfetto that is to read it",
               .detail = "Before version 57 states are written as slices.",
               .choices = perfetto_choices,
               .initial = "57",
               .apply = apply_perfetto_level},
    OptionSpec{.name = "weight",
               .value = "WHAT",
               .help = "what the number behind a folded stack is",
               .detail = "Without the option samples where there are any, else time. Bytes are of "
                         "AllocEvent, each scaled by how probable it was to be sampled; live ones "
                         "are not known where frees are not tracked.",
               .choices = weight_choices,
               .apply = apply_weight},
    OptionSpec{.name = "where",
               .key = "slice-where",
               .value = "EXPR",
               .help = "only slices and waits for which EXPR is true",
               .detail = "EXPR is about name, category, label, track, kind (\"slice\" or "
                         "\"wait\"), time, end, duration, and the arguments and fields of what "
                         "they came of, as task_id; never about events: without some events, "
                         "begins and ends would not be found. Repeatable.",
               .kind = ValueKind::kExpression,
               .apply = apply_slices_where},
    OptionSpec{.name = "by",
               .value = "EXPR",
               .help = "a row for each value of EXPR too: track, task_id, ...",
               .detail = "EXPR is about the same as that of --where.",
               .apply = apply_slices_by},
    OptionSpec{.name = "quality",
               .help = "whether the recording is any good: what it lacks, with remedies",
               .detail = "Wakes, frame pointers, names of addresses, clock anchors, sample rates, "
                         "losses, and tasks that seem to be stuck. It reads all values.",
               .apply =
                   [](Options& options, const std::string&) {
                     options.quality = true;
                     return std::string();
                   }},
    OptionSpec{.name = "top",
               .value = "N",
               .help = "at most N rows of each category, those that took longest altogether (20)",
               .detail =
                   "As many tracks and counters of each kind too. What is left out is counted; "
                   "0 is all of them, as with --output json.",
               .apply = apply_top},
    OptionSpec{.name = "require",
               .value = "CONDITION",
               .help = "exit 1 unless it holds: 'p99(\"wake -> poll\") < 1ms'",
               .detail =
                   "Of count, min, max, avg, total, p50 ... p99.9, open and left_out, each of "
                   "a row's name, of a category, or of a glob over both, compared with a "
                   "duration or a count. It does not hold either where there is no such row, "
                   "or where losses leave it unknown. Repeatable.",
               .apply = add_requirement<timeline::Requirement::Of::kOneTrace>},
    OptionSpec{.name = "top",
               .key = "compared-top",
               .value = "N",
               .help = "at most N rows under each heading (20)",
               .detail = "0 is all of them, as with --output json.",
               .apply = apply_top},
    OptionSpec{.name = "require",
               .key = "compared-require",
               .value = "CONDITION",
               .help = "exit 1 unless it holds: 'p99(\"wake -> poll\") <= 1.1 * A'",
               .detail =
                   "What 'latency' takes, of B, and compared with a multiple of what it is in A "
                   "too; also rate, how many there were a second, and slower, the number of names "
                   "whose p50 or p99 is greater in B beyond chance: 'slower(\"*\") == 0'. It does "
                   "not hold either where there is no such row, or where losses leave it "
                   "unknown. Repeatable.",
               .apply = add_requirement<timeline::Requirement::Of::kTwoTraces>},
    OptionSpec{.name = "partial",
               .value = "FILE",
               .help = "write what the answer is made of to FILE instead, for --merge",
               .detail = "FILE holds the state of the aggregates: counts, sums, and the "
                         "distributions that quantiles are of. Stages behind the first aggregates "
                         "are applied when it is merged. It is compressed when its name ends in "
                         ".gz or .zst; '-' is standard output.",
               .kind = ValueKind::kFile,
               .apply = assign_path<&Options::partial>},
    OptionSpec{.name = "partial-key",
               .value = "KEY",
               .help = "the key that distinct(x) hashes with: 32 hexadecimal digits, or a FILE",
               .detail = "Who knows the key can make values that distinct counts as one. Without "
                         "the option it is the same everywhere; a secret one keeps those who "
                         "write traces from that. Partial answers of different keys do not add "
                         "up: all hosts need the same. FILE holds the digits: head -c 16 "
                         "/dev/urandom | xxd -p.",
               .apply = [](Options& o,
                           const std::string& v) { return take(o.partial_key, read_hash_key(v)); }},
    OptionSpec{.name = "merge",
               .help = "the answer that partial ones add up to: query --merge FILE...",
               .detail =
                   "There are no STAGES: the FILEs, which --partial wrote, all hold the same "
                   "question. A FILE that is damaged, or of another question or --partial-key, "
                   "is left out as a whole, which is reported; exit code 3. With --partial the "
                   "result is a "
                   "partial answer again.",
               .apply = set<&Options::merge>},
    OptionSpec{.name = "int64",
               .value = "FORM",
               .help = "of jsonl and csv: what integers beyond 2^53 are",
               .detail = "Of times, durations and values; of csv without --flat those in its JSON. "
                         "jq and JavaScript take numbers for doubles "
                         "and round such integers; strings keep their digits.",
               .choices = int64_choices,
               .initial = "number",
               .apply = apply_int64},
    OptionSpec{.name = "layout",
               .value = "LAYOUT",
               .help = "of parquet, arrow, clickhouse, sqlite and csv: which tables there are",
               .detail = "Of csv one is the default, and with class, which is --flat too, OUT is a "
                         "directory with a file for each event class.",
               .choices = layout_choices,
               .initial = "class",
               .apply = apply_layout},
    OptionSpec{.name = "partition",
               .value = "KEYS",
               .help = "of parquet and arrow: which folders the files of events are in",
               .detail = "Dates and hours are those that events begin in. Events whose clock does "
                         "not count from the Unix epoch are in the folder of the class; --clock "
                         "wall gives clocks that can.",
               .choices = partition_choices,
               .initial = "class",
               .apply = apply_partition},
    OptionSpec{.name = "flat",
               .help = "of csv: a column for each field",
               .detail = "Members of structures are columns a.b, the first label of an enumeration "
                         "is in x_label, arrays and maps are JSON. One table has the columns of "
                         "all event classes, and is written when all of them are known, at the "
                         "end; --layout class writes a file for each.",
               .apply = set<&Options::flat>},
    OptionSpec{.name = "what",
               .value = "WHAT",
               .help = "of parquet, arrow, clickhouse and sqlite: what the tables are made of",
               .detail =
                   "What events mean is said by tables of time lines: built-in ones and those "
                   "of --table.",
               .choices = what_choices,
               .initial = "events",
               .apply = apply_what},
    OptionSpec{
        .name = "tag",
        .value = "NAME=VALUE",
        .help =
            "of parquet, arrow, clickhouse and sqlite: a column NAME that is VALUE in every row",
        .detail = "What a fleet's traces are distinguished by, as --tag host=web17. "
                  "Repeatable.",
        .apply = apply_tag},
    OptionSpec{.name = "timestamps",
               .help = "of parquet, arrow, clickhouse and sqlite: times as timestamps too",
               .detail = "A column `time` in UTC and microseconds beside `time_ns`, which stays "
                         "exact, and `begin_time` and `end_time` beside `begin_ns` and `end_ns`. "
                         "Null where the clock does not count from the Unix epoch; --clock wall "
                         "gives clocks that can.",
               .apply = set<&Options::timestamps>},
    OptionSpec{.name = "raw",
               .help = "of parquet, arrow, clickhouse and sqlite: values of clocks too",
               .detail = "A column `clock_value` beside `time_ns` of events: what the trace has, "
                         "without offset and frequency, which the manifest says.",
               .apply = set<&Options::clock_values>},
    OptionSpec{.name = "segment",
               .value = "NAME",
               .help = "of parquet, arrow, clickhouse and sqlite: what results are named after",
               .detail =
                   "By default 32 hexadecimal digits of a hash (SHA-256) of what is stored "
                   "of the TRACEs, so that the same traces make the same names, and 8 more of "
                   "the options that change what is written; 'stream' in place of the first "
                   "for what can be read once.",
               .apply = apply_segment},
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
    OptionSpec{.name = "names",
               .value = "NAME,...",
               .help = "of babeltrace2: which names stand before values",
               .detail =
                   "Each NAME is one of payload (or arg, args), context (or ctx), scope, header, "
                   "or all, or none; without the option payload,context. Repeated: each adds to "
                   "the others.",
               .apply = [](Options& o, const std::string& v) { return o.babeltrace_names.add(v); }},
    OptionSpec{
        .name = "fields",
        .value = "FIELD,...",
        .help = "of babeltrace2: what is shown of trace and event class",
        .detail = "Each FIELD is one of trace, trace:hostname, trace:domain, trace:procname, "
                  "trace:vpid, loglevel, emf, callsite (of which there is nothing), or all; "
                  "without the option the host, the process and its id. Repeated: each adds to "
                  "the others.",
        .apply = [](Options& o, const std::string& v) { return o.babeltrace_fields.add(v); }},
    OptionSpec{.name = "timerange",
               .value = "BEGIN,END",
               .help = "of babeltrace2: leave out what lies outside",
               .detail =
                   "Both are written as babeltrace2 takes them, which is not as --begin takes "
                   "them: seconds, as 1566849473.5; a time of day, 19:57 or 19:57:53.5; or a "
                   "date, 2019-08-26, with a time of day behind a space. Times of day and "
                   "dates are in the local time zone, or in UTC with --clock-gmt, and a time "
                   "of day is one of the day of the first event. Brackets may stand around all.",
               .apply = assign_path<&Options::time_range>},
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
               .key = "slice-order",
               .value = "ORDER",
               .help = "order in which events are interpreted",
               .detail = "What comes late in another order than that of time is clamped to the "
                         "last time of its track, and counted.",
               .choices = order_choices,
               .initial = "time",
               .apply = apply_order},
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
               .detail =
                   "An integer is of ns, a number with a point of seconds; both, and numbers "
                   "with a unit (ns, us, ms, s, min or m, h), count from the origin of the "
                   "TRACE's clock, after + from its first event, after end- from its last one. "
                   "A time of day is one of the UTC day of the TRACE's first event when "
                   "the clock counts from the Unix epoch, and counts from the clock's own "
                   "origin otherwise. A date is in UTC unless it has a zone.",
               .apply = assign_time<&flow::Selection::begin>},
    OptionSpec{.name = "end",
               .value = "T",
               .help = "leave out events after T",
               .detail =
                   "T is written as for --begin. An end before the begin is wrong usage where "
                   "both count from the same; where only the TRACE shows that, nothing of "
                   "it is selected, which is reported.",
               .apply = assign_time<&flow::Selection::end>},
    OptionSpec{.name = "stream-intersection",
               .help = "leave out the time in which not all data streams have packets",
               .detail = "Of each TRACE whose packets say when they begin and end, as those of CTF "
                         "do: from the latest begin of a data stream to the earliest end.",
               .apply =
                   [](Options& o, const std::string&) {
                     o.selection.stream_intersection = true;
                     return std::string();
                   }},
    OptionSpec{.name = "where",
               .value = "EXPR",
               .help = "leave out events for which EXPR is not true",
               .detail =
                   "EXPR compares what events have, name, id, time, duration, and their fields, by "
                   "name: 'worker_id == 3 && duration > 5ms', 'name ~ \"Poll*\"', 'task == "
                   "\"sensor\"', 'has(error) || code in [2, 7..9]'. What an event does not have is "
                   "unknown, and what is unknown is not true. @FILE stands for what is in FILE. "
                   "Repeated: all of them must be true.",
               .kind = ValueKind::kExpression,
               .apply = apply_where},
    OptionSpec{
        .name = "limit",
        .letter = 'n',
        .value = "N",
        .help = "stop after N events",
        .detail = "What lies behind the last of them is not read.",
        .apply = [](Options& o,
                    const std::string& v) { return take(o.selection.limit, parse_count(v)); }},
    OptionSpec{
        .name = "tail",
        .value = "N",
        .help = "show the last N events only",
        .detail =
            "Of what the other options select, in the order that they say. Where packets of all "
            "TRACEs say when they begin and end, as those of CTF do, and the order is not that on "
            "disk, what lies before is not read; of other formats, compressed files and standard "
            "input everything is. The last events may take 256M of memory; what takes more is "
            "refused.",
        .apply = [](Options& o,
                    const std::string& v) { return take(o.selection.tail, parse_count(v)); }},
    OptionSpec{
        .name = "clock",
        .value = "CLOCK",
        .help = "which clock times are of",
        .detail = "A trace relates its clock to UTC when that counts from the Unix epoch, or "
                  "when it holds events that say so (ClockSyncEvent of dial9): between two of them "
                  "UTC drifts by up to 1 ms, or else steps at the later one. Where durations are "
                  "measured, all times of a trace move by the first one. Other times stay as "
                  "recorded. Traces of several hosts that all hold such events are in UTC "
                  "by default, as nothing else relates their clocks.",
        .choices = clock_choices,
        .initial = "trace",
        .apply = apply_clock},
    OptionSpec{.name = "clock-offset",
               .value = "[TRACE=]OFFSET",
               .help = "add OFFSET to every time: 5us, -0.25s, or an integer of ns",
               .detail =
                   "With TRACE=, as the TRACE is named on the command line or the trace of "
                   "a tree in answers, only to the times of that one; of FILE@CORE, to "
                   "those of all cores. It says too that its clock is now that of the "
                   "others: with TRACE=0, that it is. What a trace says of UTC moves with it, "
                   "for --clock wall, dates and info alike. May be repeated.",
               .apply = apply_clock_offset},
    OptionSpec{.name = "files-from",
               .value = "LIST",
               .help = "read more TRACEs from LIST, one a line",
               .detail =
                   "They come behind those of the command line, as if they stood there behind "
                   "'--'; with '-' LIST is standard input. Names of files are taken as they are, "
                   "spaces included. Where a NUL byte is in LIST, as 'find -print0' writes it, "
                   "such bytes divide the names and a line break is part of one. May be repeated.",
               .kind = ValueKind::kFile,
               .apply = add_list},
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
    OptionSpec{.name = "slack",
               .value = "DURATION",
               .help = "put events of live TRACEs in order that come up to so late",
               .detail =
                   "As 2s, 500ms, or an integer of ns, up to a day. Each event waits until one "
                   "came that is DURATION later, or until nothing came for so long. What comes "
                   "later still is taken as it comes, and counted. Without the option all is.",
               .apply = apply_slack},
    OptionSpec{.name = "baud",
               .value = "N",
               .help = "speed of followed serial lines, in bits a second",
               .detail = "One of the usual, from 50 to 4000000. Without the option a line keeps "
                         "the speed that it is set to.",
               .apply = apply_baud},
    OptionSpec{.name = "stall-limit",
               .value = "DURATION",
               .help = "let go of a peer that stalls inside a frame for so long (60s)",
               .detail = "Of tcp-listen://. As 60s, 500ms, or an integer of ns, up to a day; 0: no "
                         "peer is let go of. What it sent is kept, and what is cut off is damage. "
                         "Between frames a peer may be silent for as long as it likes.",
               .apply = apply_stall_limit},
    OptionSpec{.name = "metadata",
               .value = "FILE",
               .help = "metadata of TRACEs that are bare data streams of CTF",
               .detail = "Each TRACE is then a data stream of packets, without the directory that "
                         "it belongs to: a file, standard input, a connection, datagrams that "
                         "each begin with a packet, or with --follow a file that grows or a "
                         "serial line. FILE is read once, at the beginning.",
               .kind = ValueKind::kFile,
               .apply = apply_metadata},
    OptionSpec{.name = "as-stored",
               .help = "what conversions made of other traces as it is stored",
               .detail = "Otherwise such a TRACE is shown as the trace that it was made from.",
               .apply = set<&Options::as_stored>},
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
               .help = "decode with N threads at most (1)",
               .detail = "What is read does not depend on it. Only packets of CTF are decoded by "
                         "several; that takes more of the processors' time altogether, and is "
                         "faster only where decoding takes most of the time.",
               .apply = apply_jobs},
    OptionSpec{.name = "strict",
               .help = "exit 4 also for losses, a lossy conversion, unrelated clocks",
               .detail = "Losses are those that the producer recorded, and clocks those of TRACEs "
                         "whose events were put in one order though nothing relates them.",
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
               .detail =
                   "With never, query does not draw its answer on a terminal while events come "
                   "either.",
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

}  // namespace

flow::PipelineOptions pipeline_options(const Options& options, flow::Needs needs) {
  return {.operands = options.operands,
          .format = options.format,
          .follow = options.follow,
          .baud = options.baud,
          .stall_limit = options.stall_limit,
          .hexadecimal = options.tband_hexadecimal,
          .as_stored = options.as_stored || options.metadata || options.output == "babeltrace2",
          .metadata = options.given_metadata,
          .selection = options.selection,
          .wall_between_hosts = !options.clock_given && options.selection.clock_offsets.empty() &&
                                find_target(options.to).target == nullptr,
          .merged_by = options.output == "babeltrace2" ? render::babeltrace_time_of : nullptr,
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

}  // namespace tracedeck::cli

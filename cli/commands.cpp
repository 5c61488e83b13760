#include "cli/commands.hpp"

#include <algorithm>
#include <array>

namespace tracedeck::cli {
namespace {

// The options of each command. Those after the first line of each are shared.
constexpr auto kInfoOptions =
    std::to_array<std::string_view>({"json",           "json-output",  "quality",
                                     "begin",          "end",          "stream-intersection",
                                     "where",          "clock-offset", "follow",
                                     "baud",           "stall-limit",  "metadata",
                                     "files-from",     "format",       "as-stored",
                                     "tband-encoding", "max-state",    "jobs",
                                     "strict",         "color",        "progress",
                                     "quiet",          "verbose",      "help",
                                     "version"});
constexpr auto kPrintOptions = std::to_array<std::string_view>(
    {"output",         "int64",        "flat",       "clock-gmt",
     "clock-seconds",  "clock-cycles", "clock-date", "no-delta",
     "names",          "fields",       "timerange",  "records",
     "order",          "begin",        "end",        "stream-intersection",
     "where",          "limit",        "tail",       "clock",
     "clock-offset",   "follow",       "baud",       "stall-limit",
     "metadata",       "files-from",   "format",     "as-stored",
     "tband-encoding", "max-state",    "jobs",       "strict",
     "color",          "progress",     "quiet",      "verbose",
     "help",           "version"});
constexpr auto kSchemaOptions = std::to_array<std::string_view>(
    {"schema-output", "schema-to", "json",       "where",  "follow",    "baud",
     "stall-limit",   "metadata",  "files-from", "format", "as-stored", "tband-encoding",
     "max-state",     "jobs",      "strict",     "color",  "progress",  "quiet",
     "verbose",       "help",      "version"});
constexpr auto kStatsOptions = std::to_array<std::string_view>(
    {"json",           "json-output", "begin",        "end",    "stream-intersection",
     "where",          "clock",       "clock-offset", "follow", "baud",
     "stall-limit",    "metadata",    "files-from",   "format", "as-stored",
     "tband-encoding", "max-state",   "jobs",         "strict", "color",
     "progress",       "quiet",       "verbose",      "help",   "version"});
constexpr auto kQueryOptions = std::to_array<std::string_view>(
    {"json",   "answer-output", "partial",        "partial-key",  "merge",
     "table",  "explain",       "begin",          "end",          "stream-intersection",
     "where",  "order",         "clock",          "clock-offset", "follow",
     "slack",  "baud",          "stall-limit",    "metadata",     "files-from",
     "format", "as-stored",     "tband-encoding", "max-state",    "jobs",
     "strict", "color",         "progress",       "quiet",        "verbose",
     "help",   "version"});
constexpr auto kLatencyOptions = std::to_array<std::string_view>({"json",
                                                                  "json-output",
                                                                  "by",
                                                                  "top",
                                                                  "slice-where",
                                                                  "require",
                                                                  "table",
                                                                  "explain",
                                                                  "begin",
                                                                  "end",
                                                                  "stream-intersection",
                                                                  "slice-order",
                                                                  "clock",
                                                                  "clock-offset",
                                                                  "metadata",
                                                                  "files-from",
                                                                  "format",
                                                                  "as-stored",
                                                                  "tband-encoding",
                                                                  "max-state",
                                                                  "jobs",
                                                                  "strict",
                                                                  "color",
                                                                  "progress",
                                                                  "quiet",
                                                                  "verbose",
                                                                  "help",
                                                                  "version"});
constexpr auto kWhyOptions = std::to_array<std::string_view>(
    {"longest",  "slice",       "rank",   "at",          "track",          "page-out",
     "json",     "json-output", "table",  "slice-order", "clock",          "clock-offset",
     "metadata", "files-from",  "format", "as-stored",   "tband-encoding", "max-state",
     "jobs",     "strict",      "color",  "progress",    "quiet",          "verbose",
     "help",     "version"});
constexpr auto kDiffOptions = std::to_array<std::string_view>({"json",
                                                               "json-output",
                                                               "by",
                                                               "compared-top",
                                                               "slice-where",
                                                               "compared-require",
                                                               "table",
                                                               "explain",
                                                               "begin",
                                                               "end",
                                                               "stream-intersection",
                                                               "slice-order",
                                                               "clock",
                                                               "clock-offset",
                                                               "metadata",
                                                               "files-from",
                                                               "format",
                                                               "as-stored",
                                                               "tband-encoding",
                                                               "max-state",
                                                               "jobs",
                                                               "strict",
                                                               "color",
                                                               "progress",
                                                               "quiet",
                                                               "verbose",
                                                               "help",
                                                               "version"});
constexpr auto kViewOptions = std::to_array<std::string_view>(
    {"port",        "perfetto",       "table",        "explain",
     "flows",       "perfetto-level", "args",         "min-duration",
     "max-size",    "begin",          "end",          "stream-intersection",
     "slice-order", "clock",          "clock-offset", "metadata",
     "files-from",  "format",         "as-stored",    "tband-encoding",
     "max-state",   "jobs",           "strict",       "color",
     "progress",    "quiet",          "verbose",      "help",
     "version"});
constexpr auto kTablesOptions = std::to_array<std::string_view>({"table", "help", "version"});
constexpr auto kValidateOptions = std::to_array<std::string_view>(
    {"json", "json-output", "follow", "baud", "stall-limit", "metadata", "files-from", "format",
     "tband-encoding", "max-state", "jobs", "strict", "color", "progress", "quiet", "verbose",
     "help", "version"});
constexpr auto kConvertOptions = std::to_array<std::string_view>({"o",
                                                                  "to",
                                                                  "dial9-version",
                                                                  "packet-size",
                                                                  "int64",
                                                                  "flat",
                                                                  "layout",
                                                                  "partition",
                                                                  "timestamps",
                                                                  "raw",
                                                                  "tag",
                                                                  "segment",
                                                                  "what",
                                                                  "drop",
                                                                  "mask",
                                                                  "mask-key",
                                                                  "share",
                                                                  "report",
                                                                  "split-size",
                                                                  "split-duration",
                                                                  "spans",
                                                                  "table",
                                                                  "explain",
                                                                  "flows",
                                                                  "args",
                                                                  "min-duration",
                                                                  "max-size",
                                                                  "perfetto-level",
                                                                  "weight",
                                                                  "order",
                                                                  "begin",
                                                                  "end",
                                                                  "stream-intersection",
                                                                  "where",
                                                                  "limit",
                                                                  "clock",
                                                                  "clock-offset",
                                                                  "follow",
                                                                  "baud",
                                                                  "stall-limit",
                                                                  "metadata",
                                                                  "files-from",
                                                                  "format",
                                                                  "as-stored",
                                                                  "max-state",
                                                                  "jobs",
                                                                  "tband-encoding",
                                                                  "strict",
                                                                  "color",
                                                                  "progress",
                                                                  "quiet",
                                                                  "verbose",
                                                                  "help",
                                                                  "version"});
constexpr auto kFormatsOptions =
    std::to_array<std::string_view>({"json", "json-output", "help", "version"});
constexpr auto kNamesOptions =
    std::to_array<std::string_view>({"metadata", "format", "tband-encoding", "help", "version"});
constexpr auto kGenerateOptions = std::to_array<std::string_view>({"help", "version"});

constexpr std::array kCommands = {
    Command{"info", "what a trace is: format, clocks, streams, classes, times, problems",
            "Shows what each trace is: its format and version, clocks, data streams, event "
            "classes, number of "
            "events, time range, losses, problems and size.",
            Operands::kTraces, kInfoOptions, nullptr, run_info},
    Command{"print", "the events of traces, as text, JSON lines or CSV",
            "Prints the events of the TRACEs, merged by time unless asked otherwise. Text is made "
            "for reading; "
            "JSON lines and CSV are made for programs and hold every value exactly.\n\n"
            "Damaged ranges are named on standard error after the events before them.",
            Operands::kTraces, kPrintOptions, check_print, run_print},
    Command{"schema", "the event classes of a trace and their fields",
            "Prints the event classes of each trace and the classes of their fields.\n\n"
            "With --output metadata they are printed as the text that a trace of such classes has "
            "for its metadata.",
            Operands::kTraces, kSchemaOptions, check_schema, run_schema},
    Command{"stats", "per event class count, bytes, rate and times; per numeric field its range",
            "Counts the events of all TRACEs together: for each event class how many there are, "
            "their share of the "
            "bytes, their rate, and the first and last time; for each numeric field minimum, mean "
            "and maximum.",
            Operands::kTraces, kStatsOptions, nullptr, run_stats},
    Command{
        "query", "any question: counts, sums, quantiles, how long from A to B",
        "Answers a question about the events of the TRACEs. STAGES are divided by '|', and each "
        "works on what the one before hands on:\n\n"
        "'where EXPR', as --where takes it; 'let NAME = EXPR'; 'select EXPR [as NAME], ...'; "
        "'limit N'; 'pair A B on KEY, ... [nested] [within T]', from each event A to the next B "
        "of equal keys; 'spans [all]' as the first, slices and waits instead of events, as "
        "'latency' measures them; 'allocations' as the first, sampled allocations and whether they "
        "are live; 'samples' as the first, sampled stacks and what they were inside of; "
        "'AGGREGATE, ... [by EXPR, ...] [every T]', of count, rate, sum, min, max, avg, first, "
        "last, p50, p99.9, hist and distinct; 'sort EXPR [desc], ...'; 'top N [by "
        "EXPR]'. @FILE stands for what is in FILE.\n\n"
        "  tracedeck query 'pair PollStartEvent PollEndEvent on worker_id | p99(duration), count "
        "by "
        "worker_id | top 5 by p99' TRACE\n\n"
        "What expressions are made of is in tracedeck(1), QUERY LANGUAGE.\n\n"
        "What the answer was made of follows it: events read and selected, lost, damaged.\n\n"
        "Many hosts can answer together: each with --partial FILE, and all of it with query "
        "--merge FILE... (no STAGES).",
        Operands::kStagesAndTraces, kQueryOptions, check_query, run_query},
    Command{
        "latency", "how long things took: polls, spans, system calls, waits",
        "Interprets the events of the TRACEs by tables of what they mean, and prints how long each "
        "kind of slice took, and how long was waited: count, quantiles, the longest and where. "
        "Below, what workers, processors and tasks did altogether.\n\n"
        "There are tables for dial9 (Tokio), Tonbandgeraet, Heph, LTTng's kernel and user space "
        "tracers, perf, ROS 2 and Zephyr; of other events those are paired whose names say so "
        "(x_begin, x_end), and --table FILE says what yours mean. 'tracedeck tables' shows all.\n\n"
        "  tracedeck latency --require 'p99(\"wake -> poll\") < 1ms' TRACE\n\n"
        "With --begin only what ends from then on counts, but what was before is known. What was "
        "lost, cut or had not ended is in no figure and is counted below. Quantiles are within "
        "0.4 %, all else is exact.\n\n"
        "The files of a Tonbandgeraet trace that has one for each core are given as FILE@CORE.",
        Operands::kTraces, kLatencyOptions, nullptr, run_latency},
    Command{
        "why", "what a slice took so long for: inside, meanwhile, waited, hurt",
        "Shows what happened around one slice or wait: what it waited for before, what it lies "
        "in, what was inside, stacks that were sampled, what ran on other tracks meanwhile, and "
        "which waits were going on. Evidence comes first; a conclusion is drawn only where all "
        "of a known pattern was seen. The TRACEs are read twice.",
        Operands::kTraces, kWhyOptions, check_why, run_why, false, TraceSources::kFiles},
    Command{
        "diff", "two traces side by side, and what differs beyond chance",
        "Compares how long things took in two traces, A and B, and how often they and each kind "
        "of event happened a second. First comes what differs by more than varies within the "
        "traces, the greatest change first; then the rest; then what only one of them has.\n\n"
        "Marked with * is what differs beyond chance: were the traces alike, there would be no "
        "mark at all with a probability of 99 %, however many names there are. That things come "
        "in bursts is taken into account. Marked with ? is what too little is known of.\n\n"
        "  tracedeck diff --require 'p99(\"wake -> poll\") <= 1.1 * A' A B\n\n"
        "Two recordings of one program may differ too, by the load of the machine or by how "
        "memory happened to be laid out. Comparing some of them shows by how much.",
        Operands::kTwoTraces, kDiffOptions, check_diff, run_diff, false, TraceSources::kRecorded},
    Command{
        "view", "time lines in a browser of this machine",
        "Makes the page that 'convert --to html' writes, serves it on this machine alone and "
        "prints "
        "its address, one line. It is served until it is interrupted (Ctrl+C), which is exit 0. "
        "The page is in a temporary file in TMPDIR meanwhile, and its address cannot be guessed: "
        "whoever knows it and is on this machine can read it.\n\n"
        "With --perfetto the address is that of Perfetto's own page, which the browser loads from "
        "the network; the trace goes from here to the browser, and no further. It is served until "
        "it was fetched once, at 127.0.0.1:9001, the only place that Perfetto's page fetches from.",
        Operands::kTraces, kViewOptions, check_view, run_view, false, TraceSources::kRecorded},
    Command{"tables", "what is known of the meaning of events",
            "Lists the tables that say what events mean, or prints the one called NAME, as TOML. "
            "With --table FILE that one is checked and is in the list.\n\n"
            "The keys of tables are described in docs/timeline.md.",
            Operands::kTable, kTablesOptions, check_tables, run_tables},
    Command{"validate", "every rule of its specification that a trace breaks",
            "Prints every finding, one a line: FILE:OFFSET: severity: RULE: sentence [section]. "
            "Errors are broken "
            "MUSTs of the format's specification, and damage; warnings are what is read against "
            "the specification. OFFSET counts the bytes of the input after decompression.\n\n"
            "The exit code is 1 when there is an error, also for a TRACE that cannot be read at "
            "all. With --strict a "
            "loss that the producer recorded counts as an error.",
            Operands::kTraces, kValidateOptions, nullptr, run_validate},
    Command{"convert", "write traces in another format, or a part of them",
            "Writes the events of the TRACEs to OUT in another format, or in the same one. One "
            "TRACE converted to "
            "its own format with nothing selected is rewritten frame by frame, as it was.\n\n"
            "Otherwise a receipt of what the target could not hold is printed on standard error; "
            "with --strict "
            "a lossy conversion ends with exit code 4. With --limit, --begin or --end the result "
            "stands "
            "alone: events that describe others, such as names, symbols and clock "
            "synchronisations, are in it wherever they stand in the TRACE.",
            Operands::kTraces, kConvertOptions, check_convert, run_convert},
    Command{"formats", "the formats and what each can do here",
            "Lists the formats and what each can do here.", Operands::kNone, kFormatsOptions,
            nullptr, run_formats},
    Command{
        "generate", "the man page or a shell's completions",
        "Writes the man page or the completions for a shell, made from the command's own options.",
        Operands::kKind, kGenerateOptions, check_generate, run_generate, true},
    Command{"names", "names of events and fields, for completions",
            "Prints what expressions about the TRACEs may name, as far as their beginnings show "
            "it: 'event NAME' or 'field NAME', one a line. Takes a fraction of a second at most, "
            "and waits for nothing.",
            Operands::kTraces, kNamesOptions, nullptr, run_names, true},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                  [name](const Command& command) { return command.name == name; });
  return found == kCommands.end() ? nullptr : &*found;
}

}  // namespace tracedeck::cli

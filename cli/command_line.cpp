#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/interrupt.hpp"
#include "cli/observer.hpp"
#include "cli/option_values.hpp"
#include "cli/places.hpp"
#include "cli/session.hpp"
#include "tracedeck/base/nearest.hpp"
#include "tracedeck/base/version.hpp"
#include "tracedeck/clock_sentences.hpp"
#include "tracedeck/flow/live.hpp"
#include "tracedeck/flow/trace_place.hpp"
#include "tracedeck/format/given_metadata.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck::cli {
namespace {

// Several lines when it shows a place in what was written, which is indented. Other line ends are
// of names, and are escaped as in all messages.
std::string visible_lines(std::string_view text) {
  constexpr std::string_view kIndented = "\n    ";
  std::string shown;
  for (;;) {
    const std::size_t end = text.find(kIndented);
    shown += visible(text.substr(0, end));
    if (end == std::string_view::npos) return shown;
    shown += kIndented;
    text.remove_prefix(end + kIndented.size());
  }
}

ExitCode usage_error(std::FILE* messages, const Command* command, std::string_view problem) {
  const std::string name =
      command == nullptr ? "tracedeck" : fmt::format("tracedeck {}", command->name);
  fmt::print(messages, "{}: {}\nTry '{} --help'.\n", name, visible_lines(problem), name);
  return ExitCode::kUsage;
}

// Writes `text` to standard output as the only result.
ExitCode print_message(const std::string& text, std::FILE* messages) {
  Progress progress(nullptr);
  Diagnostics diagnostics(messages, progress, {});
  const auto out = io::standard_output();
  Session session{.out = *out, .diagnostics = diagnostics, .stop = {}};
  if (session.delivered(out->write(text))) session.delivered(out->finish());
  return session.outcome.code();
}

bool no_color() {
  const char* value = std::getenv("NO_COLOR");
  return value != nullptr && *value != '\0';
}

bool use_color(ColorMode mode, int descriptor) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  const char* terminal = std::getenv("TERM");
  return !no_color() && ::isatty(descriptor) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

// Puts what the lists name behind the TRACEs. Returns what is wrong with them, or "".
std::string take_lists(Options& options) {
  std::vector<std::string>& traces = options.operands;
  const auto once = [](const std::vector<std::string>& names) {
    return std::ranges::count(names, "-");
  };
  if (once(traces) + once(options.files_from) > 1) return "standard input can be read only once";
  for (const std::string& list : options.files_from) {
    auto more = read_traces(list);
    if (!more) return fmt::format("option '--files-from': {}", more.error());
    options.files_read.push_back(list);
    std::ranges::move(*more, std::back_inserter(traces));
  }
  if (!traces.empty() || options.files_from.empty()) return {};
  return fmt::format("option '--files-from': {} names no TRACE",
                     fmt::join(options.files_from, ", "));
}

// Whether each offset is of a TRACE, or of a trace inside a tree.
std::string check_offsets(Options& options) {
  // However it is spelled.
  const auto is_one = [](std::string_view name, const std::string& given) {
    std::error_code ignored;
    return name == given || std::filesystem::equivalent(name, given, ignored);
  };
  const std::vector<std::string>& traces = options.operands;
  std::vector<flow::TracePlace> places;
  for (flow::ClockOffset& offset : options.selection.clock_offsets) {
    if (!offset.trace || std::ranges::find(traces, *offset.trace) != traces.end()) continue;
    if (places.empty()) {
      places = flow::list_traces(
          {.names = traces, .format = options.format, .follow = options.follow}, {});
    }
    const bool is_there = std::ranges::any_of(places, [&](const flow::TracePlace& place) {
      const std::vector<std::string_view> known = place.names();
      const auto name =
          std::ranges::find_if(known, [&](auto each) { return is_one(each, *offset.trace); });
      if (name == known.end()) return false;
      offset.trace = std::string(*name);
      return true;
    });
    if (is_there) continue;
    std::vector<std::string> names;
    for (const flow::TracePlace& place : places)
      names.push_back(place.name.empty() ? place.operand : place.name);
    return fmt::format("option '--clock-offset': '{}' is none of the TRACEs, which are {}",
                       *offset.trace, some_of(names));
  }
  return {};
}

// What is wrong with the TRACEs and what refers to them.
std::string check_traces(Options& options) {
  const std::vector<std::string>& traces = options.operands;
  if (traces.empty()) return "needs a TRACE: a file, or '-' for standard input";
  if (std::find(traces.begin(), traces.end(), "") != traces.end()) return "a TRACE needs a name";
  if (std::string wrong = check_offsets(options); !wrong.empty()) return wrong;
  if (options.baud != 0 && !options.follow) return "option '--baud' goes with '--follow' only";
  const bool listens = std::ranges::any_of(traces, [](const std::string& trace) {
    const auto address = io::parse_live_address(trace);
    return address && address->kind == io::LiveKind::kTcpListen;
  });
  if (!listens && std::ranges::find(options.given, "stall-limit") != options.given.end())
    return "option '--stall-limit' goes with tcp-listen:// only";
  if (options.metadata_file.empty()) return {};
  return check_given_metadata(*options.format, options.operands);
}

// What is wrong with live TRACEs and what goes with them.
std::string check_live(const Options& options) {
  const std::vector<std::string>& operands = options.operands;
  if (!options.follow && std::ranges::none_of(operands, io::is_live_address)) return {};
  for (const std::string& operand : operands) {
    if (const auto live = flow::check_live_operand(operand, options.follow); !live)
      return live.error().message;
  }
  if (options.format != nullptr && !options.format->info().directory_hint.empty() &&
      options.metadata_file.empty()) {
    return fmt::format(
        "a {} trace is a directory, which cannot come live; a data stream of it can, with "
        "--metadata FILE",
        options.format->info().name);
  }
  for (const auto& [name, bound] :
       {std::pair("begin", options.selection.begin), std::pair("end", options.selection.end)}) {
    if (bound && bound->from == TimePoint::From::kEnd)
      return fmt::format(
          "option '--{}' counts from the end of a trace, and a live TRACE has none yet", name);
  }
  if (options.order_given && options.selection.order != flow::Order::kRecorded)
    return "option '--order' does not go with live TRACEs, whose events come in order of arrival";
  return {};
}

// What is wrong with bounds that exclude each other in every trace, or "". Others may turn out to
// do so when a trace is known, where they select nothing of it.
std::string check_range(const flow::Selection& selection) {
  const std::optional<TimePoint>& begin = selection.begin;
  const std::optional<TimePoint>& end = selection.end;
  if (!begin || !end || begin->from != end->from || begin->value <= end->value) return {};
  return "'--begin' is later than '--end', so that no time lies between them";
}

// The first operand is what is asked.
std::string take_stages(Options& options) {
  if (options.operands.empty())
    return "needs STAGES and a TRACE: tracedeck query 'count by name' TRACE";
  auto text = expression_of(options.operands.front(), options.files_read);
  options.operands.erase(options.operands.begin());
  if (!text) return std::move(text).error();
  options.stages = *std::move(text);
  return {};
}

std::string check(const Command& command, Options& options) {
  if (options.quiet && options.verbose)
    return "options '--quiet' and '--verbose' exclude each other";
  if (command.operands == Operands::kNone && !options.operands.empty()) {
    return fmt::format("takes no operands, not '{}'", options.operands.front());
  }
  // Partial answers hold their question, and are no traces.
  if (options.merge) {
    if (std::string wrong = take_lists(options); !wrong.empty()) return wrong;
    if (std::string wrong = command.check(options); !wrong.empty()) return wrong;
    return check_results_apart(options);
  }
  if (command.operands == Operands::kStagesAndTraces) {
    if (std::string wrong = take_stages(options); !wrong.empty()) return wrong;
  }
  if (takes_traces(command.operands)) {
    if (std::string wrong = take_lists(options); !wrong.empty()) return wrong;
    if (std::string wrong = check_traces(options); !wrong.empty()) return wrong;
    if (std::string wrong = check_live(options); !wrong.empty()) return wrong;
  }
  if (command.check != nullptr) {
    if (std::string wrong = command.check(options); !wrong.empty()) return wrong;
  }
  if (!takes_traces(command.operands)) return {};
  if (std::string wrong = check_range(options.selection); !wrong.empty()) return wrong;
  return check_results_apart(options);
}

// Reads the metadata that the options name, if they do. False: they cannot be, which is reported.
bool read_metadata(Options& options, Session& session) {
  if (options.metadata_file.empty()) return true;
  auto metadata = read_given_metadata(
      options.metadata_file, flow::max_state(pipeline_options(options, {}), false), session.stop);
  if (!metadata) {
    session.report(metadata.error());
    return false;
  }
  options.given_metadata = *std::move(metadata);
  return true;
}

ExitCode work(const Command& command, Options& options, std::FILE* messages) {
  const int descriptor = ::fileno(messages);
  // Events that scroll by show progress enough.
  const bool scrolling = command.name == "print" && ::isatty(STDOUT_FILENO) == 1;
  const bool draws = options.progress && !options.quiet && !scrolling && ::isatty(descriptor) == 1;
  Progress progress(draws ? messages : nullptr);
  Diagnostics diagnostics(messages, progress,
                          {.quiet = options.quiet,
                           .verbose = options.verbose,
                           .color = use_color(options.color, descriptor)});
  const auto out = io::standard_output();
  const Interrupt interrupt;
  Session session{.out = *out,
                  .diagnostics = diagnostics,
                  .stop = interrupt.token(),
                  .color = use_color(options.color, STDOUT_FILENO),
                  .signal = [&interrupt] { return interrupt.signal(); }};
  for (const std::string& sentence : options.notes) diagnostics.note(sentence);
  if (read_metadata(options, session)) command.run(options, session);
  report_doubts(options.watches, session);
  progress.erase();
  session.delivered(out->finish());
  return session.outcome.code();
}

ExitCode run_command(const Command& command, std::span<const std::string> arguments,
                     std::FILE* messages) {
  Options options;
  const std::string wrong = parse_options(arguments, command.options, options);
  if (!wrong.empty()) return usage_error(messages, &command, wrong);
  if (options.help) return print_message(help_text(command), messages);
  if (options.version) return print_message(version_text(), messages);
  if (const std::string problem = check(command, options); !problem.empty()) {
    return usage_error(messages, &command, problem);
  }
  return work(command, options, messages);
}

std::string unknown_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) {
    if (!command.hidden) names.push_back(command.name);
  }
  const std::string_view meant = nearest(name, names);
  if (!meant.empty()) return fmt::format("no command '{}' (did you mean '{}'?)", name, meant);
  return fmt::format("no command '{}'; there are {}", name, fmt::join(names, ", "));
}

// help [COMMAND]
ExitCode show_help(std::span<const std::string> about, std::FILE* messages) {
  if (about.empty()) return print_message(help_text(), messages);
  const Command* const command = find_command(about.front());
  if (command == nullptr) return usage_error(messages, nullptr, unknown_command(about.front()));
  return print_message(help_text(*command), messages);
}

ExitCode run_line(std::span<const std::string> arguments, std::FILE* messages) {
  if (arguments.empty()) return usage_error(messages, nullptr, "needs a command");
  const std::string& first = arguments.front();
  if (const Command* command = find_command(first))
    return run_command(*command, arguments.subspan(1), messages);
  if (first == "help") return show_help(arguments.subspan(1), messages);
  if (first == "version") {
    return arguments.size() == 1
               ? print_message(version_text(), messages)
               : usage_error(messages, nullptr,
                             "version takes no operands, not '" + arguments[1] + "'");
  }
  if (!first.starts_with('-') || first == "-")
    return usage_error(messages, nullptr, unknown_command(first));
  // Options before the command are the two that need none.
  constexpr std::array<std::string_view, 2> kGlobal = {"help", "version"};
  Options options;
  const std::string wrong = parse_options(arguments.first(1), kGlobal, options);
  if (!wrong.empty()) return usage_error(messages, nullptr, wrong);
  if (options.help) return print_message(help_text(), messages);
  if (options.version) return print_message(version_text(), messages);
  return usage_error(messages, nullptr, "needs a command");
}

}  // namespace

ExitCode run(std::span<const std::string> arguments, std::FILE* messages) {
  try {
    return run_line(arguments, messages);
  } catch (const std::bad_alloc&) {
    std::fputs("tracedeck: error: out of memory\n", messages);
  } catch (const std::exception& error) {
    std::fprintf(messages, "tracedeck: error: %s\n", error.what());
  }
  return ExitCode::kDamage;
}

}  // namespace tracedeck::cli

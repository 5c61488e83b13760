// The commands: what each is called, takes and does. One table, from which the parser, help, the
// man page and the completions are made.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "cli/session.hpp"

namespace tracedeck::cli {

enum class Operands : std::uint8_t {
  kNone,
  kTraces,           // TRACE...
  kTwoTraces,        // A B
  kStagesAndTraces,  // STAGES TRACE...
  kKind,             // one of `generated_kinds()`
  kTable,            // none, or the name of a table
};

[[nodiscard]] constexpr bool takes_traces(Operands operands) {
  return operands == Operands::kTraces || operands == Operands::kTwoTraces ||
         operands == Operands::kStagesAndTraces;
}

// What TRACEs of a command may be besides files and directories.
enum class TraceSources : std::uint8_t {
  kAny,       // standard input, and what comes live
  kRecorded,  // standard input
  kFiles,     // nothing: they are read twice
};

struct Command {
  std::string_view name;
  std::string_view summary;      // half a line
  std::string_view description;  // paragraphs, divided by empty lines
  Operands operands;
  std::span<const std::string_view> options;  // ids of `option_table()`, in the order of help
  // What is wrong with options that are each well formed, or "". Sets those that follow from
  // others. May be null.
  std::string (*check)(Options& options);
  // Does the work. What went wrong is reported and noted in the session's outcome.
  void (*run)(const Options& options, Session& session);
  bool hidden = false;  // in help, the man page and completions
  TraceSources sources = TraceSources::kAny;
};

[[nodiscard]] std::span<const Command> commands();
// The command of that name, or null.
[[nodiscard]] const Command* find_command(std::string_view name);

// One file each.
void run_info(const Options& options, Session& session);
[[nodiscard]] std::string check_print(Options& options);
void run_print(const Options& options, Session& session);
[[nodiscard]] std::string check_schema(Options& options);
void run_schema(const Options& options, Session& session);
void run_stats(const Options& options, Session& session);
[[nodiscard]] std::string check_query(Options& options);
void run_query(const Options& options, Session& session);
void run_latency(const Options& options, Session& session);
[[nodiscard]] std::string check_diff(Options& options);
void run_diff(const Options& options, Session& session);
[[nodiscard]] std::string check_why(Options& options);
void run_why(const Options& options, Session& session);
[[nodiscard]] std::string check_view(Options& options);
void run_view(const Options& options, Session& session);
[[nodiscard]] std::string check_tables(Options& options);
void run_tables(const Options& options, Session& session);
void run_validate(const Options& options, Session& session);
[[nodiscard]] std::string check_convert(Options& options);
void run_convert(const Options& options, Session& session);
void run_formats(const Options& options, Session& session);
[[nodiscard]] std::string check_generate(Options& options);
void run_generate(const Options& options, Session& session);
void run_names(const Options& options, Session& session);

}  // namespace tracedeck::cli

// The options of the command: what they are called, what they take, what they mean.
//
// One table, from which the parser, `--help`, the man page and the completions are all made, so
// that they cannot disagree. Which command takes which options stands in `commands.cpp`.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/babeltrace_habits.hpp"
#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/flow/hiding.hpp"
#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/io/input_sequence.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/query/condition.hpp"
#include "tracedeck/timeline/requirement.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck::cli {

enum class ColorMode : std::uint8_t { kAuto, kAlways, kNever };

// What the user asked for. Each member is set by the option of that name.
struct Options {
  std::vector<std::string> operands;    // the TRACEs, in order
  std::vector<std::string> files_from;  // lists of more of them, in order
  bool help = false;
  bool version = false;
  bool quiet = false;
  bool again = false;  // the TRACEs were read before, and what is to be known of them was said
  bool verbose = false;
  bool strict = false;
  bool progress = true;  // on a terminal
  ColorMode color = ColorMode::kAuto;
  const Format* format = nullptr;          // null: recognise it
  bool as_stored = false;                  // what conversions made, as it is stored
  bool tband_hexadecimal = false;          // Tonbandgerät input is hexadecimal text
  std::optional<std::uint64_t> max_state;  // see `flow::max_state`
  unsigned jobs = 1;                       // threads that decode at the same time

  std::string stages;                  // of `query`
  bool stages_select = false;          // a `where` of theirs is in `condition`
  std::string partial;                 // the file for a partial answer; empty: none is asked for
  std::optional<HashKey> partial_key;  // of `distinct`
  bool merge = false;                  // the operands are partial answers
  Nanoseconds slack = {};  // how late events of live TRACEs may come, to be put in order
  bool json = false;
  bool quality = false;  // of `info`: what a recording lacks
  // Of `print` a name of `outputs()`, of `query` one of its forms.
  std::string output = "text";
  bool int64_strings = false;
  bool flat = false;                                                 // of csv
  TableLayout layout = TableLayout::kUsual;                          // of tables
  columns::TimePartition partition = columns::TimePartition::kNone;  // the same
  TableContent what = TableContent::kEvents;                         // of tables: --what
  bool timestamps = false;                                           // of tables
  bool clock_values = false;                                         // the same: --raw
  std::vector<std::pair<std::string, std::string>> tags = {};        // of tables
  std::string segment = {};                                          // the same; "": by content
  bool metadata = false;                // of `schema`: as metadata text
  std::vector<timeline::Table> tables;  // of --table
  std::string why_longest;              // names of slices and waits
  std::string why_slice;
  std::size_t why_rank = 1;
  std::optional<TimePoint> why_at;
  std::string why_track;
  int perfetto_level = 57;
  exporting::FoldedStacks stacks = exporting::FoldedStacks::kAuto;  // of --weight
  bool all_arguments = false;
  bool all_flows = false;
  std::int64_t shortest = 0;              // ns: shorter slices are not drawn
  std::optional<std::uint64_t> max_size;  // bytes of what is drawn
  bool perfetto = false;                  // of `view`: not the page
  std::uint16_t port = 0;                 // of `view`; 0: one that the system chooses
  bool spans = false;                     // slices of time lines, in place of events
  bool explain = false;                   // print what was applied and inferred as tables
  std::string slices_where;               // what slices have to meet
  std::string slices_by;                  // what they are grouped by
  std::optional<std::uint64_t> top;       // rows of each category
  std::vector<timeline::Requirement> requirements;
  bool clock_gmt = false;
  bool clock_seconds = false;
  bool clock_cycles = false;
  bool clock_date = false;
  bool no_delta = false;
  BabeltraceList<render::BabeltraceNames> babeltrace_names;
  BabeltraceList<render::BabeltraceFields> babeltrace_fields;
  std::string time_range;  // as it is written; empty: none
  bool all_records = false;
  flow::Selection selection;                          // what of the TRACEs is wanted
  bool clock_given = false;                           // the user says which clock times are of
  std::vector<std::string> where;                     // the texts of `condition`
  std::vector<query::FieldWatch*> watches;            // of what the command names of events
  std::shared_ptr<const query::Condition> condition;  // `selection.where`; null: there is none
  bool order_given = false;
  bool follow = false;
  unsigned baud = 0;  // of followed serial lines; 0: as they are set
  std::chrono::milliseconds stall_limit = io::kStallLimit;  // of peers of listeners; 0: none
  std::string metadata_file;  // of TRACEs that are bare data streams; empty: none
  std::shared_ptr<const GivenMetadata> given_metadata;  // what is in it

  // Files that were read already: lists of TRACEs, tables, expressions.
  std::vector<std::string> files_read;

  std::string out;
  std::string to;  // a name of `outputs()`
  std::string report;
  std::string dial9_version;
  std::optional<std::uint64_t> packet_size;  // bytes
  std::optional<std::uint64_t> split_size;   // bytes of a part
  std::optional<Nanoseconds> split_duration;
  std::vector<flow::HiddenPattern> hidden;  // of --drop and --mask
  bool shares = false;                      // hides texts and paths
  std::string mask_key;                     // a file; empty: a random key

  std::vector<std::string_view> given;    // the ids of the options that were given
  std::vector<std::string> given_values;  // the value of each, "" of one that has none
  std::vector<std::string> notes;         // what is to be known of their values, for standard error
};

// What a pipeline over the TRACEs is to do, for who has these `needs`.
[[nodiscard]] flow::PipelineOptions pipeline_options(const Options& options, flow::Needs needs);

// One word an option takes, with what it means, for completions and the man page.
struct Choice {
  std::string word;
  std::string meaning;
};

enum class ValueKind : std::uint8_t { kWord, kFile, kExpression };

// One option. An entry with an empty `value` is a switch.
struct OptionSpec {
  std::string_view name = {};  // without the dashes; empty: has a letter only
  std::string_view key =
      {};           // distinguishes it from another option of that name; empty: it has none
  char letter = 0;  // 0: has a name only
  std::string_view value = {};   // what stands for its value in help: "N"
  std::string_view help;         // half a line, for --help and completions
  std::string_view detail = {};  // sentences that the man page adds
  ValueKind kind = ValueKind::kWord;
  std::vector<Choice> (*choices)() =
      nullptr;                    // the only values it takes; null: any that `apply` accepts
  std::string_view initial = {};  // the choice that holds without the option, if one does
  // Puts the value ("" for a switch) into the options. Returns what is wrong with it, or "".
  std::string (*apply)(Options& options, const std::string& value);

  // What commands list it by: its key, name or letter.
  [[nodiscard]] std::string_view id() const {
    return !key.empty() ? key : name.empty() ? std::string_view(&letter, 1) : name;
  }
  // "--limit" or "-o", as messages name it.
  [[nodiscard]] std::string spelling() const;
};

[[nodiscard]] std::span<const OptionSpec> option_table();
// The option of that id. It must exist.
[[nodiscard]] const OptionSpec& option(std::string_view id);

// Reads what follows the command's name. Options and operands may be mixed; `--` ends the options;
// `-` is an operand; `--name=value`, `-ovalue` and `-qo value` are understood; of a repeated option
// the last counts, but for --clock-offset, --files-from and --where. Returns what is wrong, or "".
[[nodiscard]] std::string parse_options(std::span<const std::string> arguments,
                                        std::span<const std::string_view> allowed,
                                        Options& options);

}  // namespace tracedeck::cli

// Everything that events can be written as: one table, from which `print`, `convert`, their help,
// the completions and `formats` are made. A new output is an entry there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tracedeck/columns/table_options.hpp"
#include "tracedeck/export/exporter.hpp"
#include "tracedeck/export/folded.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/format/trace_names.hpp"
#include "tracedeck/render/babeltrace_options.hpp"

namespace tracedeck {

// What all outputs together can be asked for. Each takes what is its own.
struct OutputSettings {
  bool color = false;
  bool all_records = false;                // not events alone
  bool receipt = true;                     // counts what events as text leave out
  bool large_integers_as_strings = false;  // see `render::JsonLinesOptions`
  bool flat = false;                       // of CSV: a column for each field
  TraceNames trace_names = {};
  render::BabeltraceOptions babeltrace = {};
  WriteOptions write = {};            // of formats; the target is set by the output
  columns::TableOptions tables = {};  // of outputs that are tables
  // Of what shows time lines: the format of the trace, what is said of the whole of it, its title,
  // and the version of Perfetto that is to read it.
  std::string source_format = {};
  exporting::TraceAttributes attributes = {};
  std::string title = {};
  std::optional<std::int64_t> begin = {};  // of --begin: what lies before is not shown
  bool all_arguments = false;              // see `page::PageOptions`
  bool any_size = false;                   // of a page: also one that browsers do not bear
  std::int64_t shortest = 0;               // where the output `leaves_out_short`
  int perfetto_level = 57;
  exporting::FoldedStacks stacks = exporting::FoldedStacks::kAuto;  // of folded stacks
  bool is_compressed = false;  // what it is written to compresses
};

// What tables are made of.
enum class TableContent : std::uint8_t {
  kEvents,
  kSpans,  // what events mean
  kAll,
};

// Which tables there are.
enum class TableLayout : std::uint8_t {
  kUsual,   // of the output
  kClass,   // one for each event class
  kSchema,  // the same, named by their columns
  kOne,     // one for all
};

// What words of the command stand for: of --what, --layout and --partition. Nothing: it is none.
[[nodiscard]] std::optional<TableContent> find_content(std::string_view word);
[[nodiscard]] std::optional<TableLayout> find_layout(std::string_view word);
[[nodiscard]] std::optional<columns::TimePartition> find_partition(std::string_view word);
// And of --weight.
[[nodiscard]] std::optional<exporting::FoldedStacks> find_weight(std::string_view word);

struct OutputKind {
  enum class Makes : std::uint8_t {
    kText,       // lines for standard output
    kFile,       // a file, or standard output
    kDirectory,  // a directory of files
  };

  std::string_view name;   // "jsonl", the word of --output and --to
  std::string_view title;  // "JSON lines"
  Makes makes = Makes::kFile;
  bool shown = false;                             // `print` offers it
  std::array<std::string_view, 2> suffixes = {};  // of names that stand for it; "" are none
  // Names of the options that only such outputs know.
  std::span<const std::string_view> options = {};
  // Made by a renderer, which of a directory's kind writes the one table of --layout one alone,
  std::unique_ptr<Writer> (*render)(io::Output& output, const OutputSettings& settings) = nullptr;
  bool at_end = false;  // nothing of it reaches the output before all is written
  // or by a writer of tables into a directory, of a file's kind where --layout class asks for it,
  std::unique_ptr<Writer> (*tabulate)(io::OutputDirectory& output,
                                      const OutputSettings& settings) = nullptr;
  // or as time lines, of marks; of a format's target where that is asked for,
  std::unique_ptr<exporting::Exporter> (*draw)(io::Output& output,
                                               const OutputSettings& settings) = nullptr;
  bool shows_instants = false;    // and states: else slices alone, or samples
  bool names_addresses = false;   // such time lines show the names of addresses
  bool sees_events = false;       // besides the marks
  bool leaves_out_short = false;  // slices that are short, itself, and counts them all the same
  std::uint64_t bearable = 0;     // bytes of them beyond which programs that show them fail; 0: any
  // or by a format.
  const Format* format = nullptr;
  const WriteTarget* target = nullptr;

  // Whether it is a result that lasts, which `convert` offers.
  [[nodiscard]] bool converts() const { return makes != Makes::kText; }
  // Whether the result is time lines; `spans`: they are asked for in place of events.
  [[nodiscard]] bool draws(bool spans) const {
    return draw != nullptr && (format == nullptr || spans);
  }
  // Whether the result is tables, which have a segment.
  [[nodiscard]] bool has_segment() const { return has_option("segment"); }
  // Whether the result is a directory, by the layout of tables that is asked for.
  [[nodiscard]] bool in_directory(TableLayout layout) const {
    if (makes == Makes::kDirectory) return layout != TableLayout::kOne || render == nullptr;
    return tabulate != nullptr && (layout == TableLayout::kClass || layout == TableLayout::kSchema);
  }
  [[nodiscard]] bool has_option(std::string_view option) const;
};

// The targets of the formats in their order, then text in all its forms. Static storage.
[[nodiscard]] std::span<const OutputKind> outputs();

// The output of that name, or null.
[[nodiscard]] const OutputKind* find_output(std::string_view name);
// The one that a name of a file stands for by its ending, which .gz or .zst may follow; or null.
[[nodiscard]] const OutputKind* output_of_name(std::string_view file);

// The writer of an output that is no directory and not drawn. `output` must outlive it. Errors:
// those of `Format::create`.
[[nodiscard]] Result<std::unique_ptr<Writer>> create_writer(const OutputKind& kind,
                                                            io::Output& output,
                                                            const OutputSettings& settings);
// The same of one that is. Errors: those of `Format::create_directory`.
[[nodiscard]] Result<std::unique_ptr<Writer>> create_writer(const OutputKind& kind,
                                                            io::OutputDirectory& output,
                                                            const OutputSettings& settings);

}  // namespace tracedeck

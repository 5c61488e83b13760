// Traces as a file or a directory of another format: what the command `convert` does.
//
//   auto report = tracedeck::convert({"run.bin"}, "ctf2", "run.ctf2");
//   if (!report) return complain(report.error());
//   for (const auto& entry : report->receipt) ...   // what the target could not hold
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/time.hpp"
#include "tracedeck/convert/report.hpp"
#include "tracedeck/export/folded.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/progress.hpp"
#include "tracedeck/timeline/table.hpp"
#include "tracedeck/tracedeck.hpp"

namespace tracedeck {

struct ConvertOptions {
  // The traces, which of their events, and whom to report to. Traces do not come live.
  OpenOptions reading = {};
  bool keeps_order = false;  // the order was asked for, and is not the target's to choose

  // Of targets that are tables; docs/columns.md.
  TableContent content = TableContent::kEvents;
  TableLayout layout = TableLayout::kUsual;
  columns::TimePartition partition = columns::TimePartition::kNone;
  bool timestamps = false;                                     // times as timestamps too
  bool clock_values = false;                                   // of events: values of clocks too
  std::vector<std::pair<std::string, std::string>> tags = {};  // columns of one value
  std::string segment = {};  // that files are named after; empty: by content
  bool flat = false;         // of csv: a column for each field

  // Of targets that show what events mean, and of such tables: tables of rules beside the built-in
  // ones, or in place of one of the same name (docs/timeline.md, `timeline::find_tables`).
  std::vector<timeline::Table> tables = {};

  // Of targets that are time lines; docs/export.md.
  bool spans = false;                            // of heph: slices, in place of events
  bool all_flows = false;                        // also of what took less than tables ask for
  bool all_arguments = false;                    // of html: not of the longest slices alone
  std::optional<Nanoseconds> min_duration = {};  // shorter slices are left out, and counted
  // Bytes before compression: as many of the shortest slices are left out as it takes. The traces
  // are read again for it.
  std::optional<std::uint64_t> max_size = {};
  int perfetto_level = 57;  // the oldest version that is to read it: 57, or 50
  exporting::FoldedStacks weight = exporting::FoldedStacks::kAuto;  // of folded

  // What is hidden: `[KIND:]GLOB` or `[CLASS:]GLOB`; docs/conversion.md, "Safe to share".
  std::vector<std::string> drop = {};
  std::vector<std::string> mask = {};
  std::string mask_key = {};  // a file; empty: a random key
  bool share = false;         // texts are masked, paths too

  std::string dial9_version = {};                 // "0.3" or "0.4"; empty: the default
  std::optional<std::uint64_t> packet_size = {};  // bytes, of formats with packets

  // The result is divided into parts of so many bytes, or so long.
  std::optional<std::uint64_t> split_size = {};
  std::optional<Nanoseconds> split_duration = {};

  GoOn go_on = {};
};

// Converts the traces that `paths` name to `to`, a name of `outputs()` ("": the output that the
// ending of `out` stands for), at `out`, which gets its name when it is complete. A trace that
// cannot be opened, or not be read to its end, is reported, and the others are converted. Errors,
// where there is no result: kInvalidArgument (an option or target that cannot be), kUnsupported,
// kCannotOpen, kWriteFailed; kLimitExceeded, it cannot be as small as `max_size`; kBrokenPipe, it
// was ended early, and the sentence says where what was written is; those of reading.
[[nodiscard]] Result<ConversionReport> convert(const std::vector<std::string>& paths,
                                               std::string_view to, const std::string& out,
                                               const ConvertOptions& options = {});

}  // namespace tracedeck

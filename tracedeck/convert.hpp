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
#include "tracedeck/outputs.hpp"
#include "tracedeck/progress.hpp"
#include "tracedeck/tracedeck.hpp"

namespace tracedeck {

struct ConvertOptions {
  // The traces, which of their events, and whom to report to. Traces do not come live.
  OpenOptions reading = {};

  // Of targets that are tables; docs/columns.md.
  TableContent content = TableContent::kEvents;
  TableLayout layout = TableLayout::kUsual;
  columns::TimePartition partition = columns::TimePartition::kNone;
  std::vector<std::pair<std::string, std::string>> tags = {};  // columns of one value
  std::string segment = {};  // that files are named after; empty: by content
  bool flat = false;         // of csv: a column for each field

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
// ending of `out` stands for), at `out`, which gets its name when it is complete. Time lines that
// are drawn are made by the command alone. A trace that cannot be opened, or not be read to its
// end, is reported, and the others are converted. Errors, where there is no result:
// kInvalidArgument (an option or target that cannot be), kUnsupported, kCannotOpen, kWriteFailed;
// kBrokenPipe, it was ended early, and the sentence says where what was written is; those of
// reading.
[[nodiscard]] Result<ConversionReport> convert(const std::vector<std::string>& paths,
                                               std::string_view to, const std::string& out,
                                               const ConvertOptions& options = {});

}  // namespace tracedeck

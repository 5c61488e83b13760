// Where the bytes of a file come from, as far as it says so itself: what shows which files are of
// one trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tracedeck {

// How many of a file's first bytes are looked at.
inline constexpr std::size_t kOriginSize = std::size_t{16} << 10;

struct FileOrigin {
  // What all files of one process say and no file of another one on its host does; empty: unknown.
  std::string process = {};
  std::string host = {};
  std::string service = {};
  // What else the recorder says of itself, in its order: keys and values.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // The first time, in ticks of the trace's clock.
  std::optional<std::uint64_t> begin = {};
  // The time of the first clock anchor, likewise: see `FormatInfo::clock_sync_event`.
  std::optional<std::uint64_t> anchor = {};
  // What files of one recording say of their clock. Different ones are different recordings.
  std::string clock = {};
};

// A name as recorders give one to each file that they rotate through.
struct RotatedName {
  std::string stem = {};     // with the `-` before the number, if one is; empty: of names without
  std::uint64_t number = 0;  // in the order in which the files were begun, or its reverse
  std::string ending = {};   // "bin" of trace.3.bin.gz; without those of compression and `.active`
};

// Of the file at `path`: STEM.N with any endings behind N, as trace.3.bin.gz; EPOCH-N, as
// 1778364484-0.bin.gz, where files of several processes may lie in one folder; or STEM-NNNN, as
// parts of a divided result. Nothing: it is not called so.
[[nodiscard]] std::optional<RotatedName> rotated_name(std::string_view path);

struct MissingFiles {
  std::vector<std::uint64_t> before = {};  // how many are missing right before each file
  bool is_known = false;                   // the names say it of each
  bool is_contradicted = false;            // numbers neither rise nor fall throughout
};

// Of the files of one process, in the order of their times, which ones are not among them. Where
// their numbers neither rise nor fall throughout, names were changed and say nothing of it.
[[nodiscard]] MissingFiles missing_files(std::span<const std::string> paths);

// The ending of the name of a file that its recorder still writes.
inline constexpr std::string_view kStillWrittenEnding = ".active";

// What the folders of `path` say: `service=S`, `instance=HOST`, `host=HOST` and `boot=ID`, in any
// order, or a folder {4 letters}-{digits} right above the file, which is a process.
[[nodiscard]] FileOrigin origin_in_path(std::string_view path);

}  // namespace tracedeck

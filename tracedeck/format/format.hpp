// What a trace format offers to the rest of the house. Each format implements `Format` once and is
// one line in the table of `tracedeck/formats.hpp`.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/input.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"

namespace tracedeck {

struct FormatInfo {
  std::string_view name;            // "dial9", the word of --format
  std::string_view title;           // "dial9-trace-format"
  std::string_view versions;        // "0.3, 0.4 (wire version 1)"
  std::string_view summary;         // "async-runtime telemetry", for `formats`
  std::string_view file_name_hint;  // "*.bin, *.bin.gz"
  // What makes a directory a trace: "a file named metadata"; empty: traces are files.
  std::string_view directory_hint = {};
  // Whether a frame may begin in one datagram and end in the next. Otherwise what a datagram leaves
  // incomplete is damage.
  bool frames_span_datagrams = false;
};

// One word of `convert --to` and what it stands for.
struct WriteTarget {
  std::string_view name;   // "ctf2rc"
  std::string_view title;  // "CTF2-SPECRC-3.0"
  bool directory = false;  // it is written as a directory of files
};

struct WriteOptions {
  std::string target = {};   // the name of a `WriteTarget`, empty: the format's first
  std::string version = {};  // of the target format, empty: its default
  // All that will be written is of one trace, read with `ReadOptions::headers`: packets and event
  // headers are kept as they are where the target can have them.
  bool single_source = false;
  std::uint64_t packet_size = std::uint64_t{256} << 10;  // bytes, of formats with packets
};

// One file of a trace that has one for each core.
struct CoreInput {
  std::unique_ptr<io::Input> input = {};
  std::uint32_t core = 0;
};

class Format {
 public:
  using NoticeSink = std::function<void(RecordKind, const Notice&)>;

  virtual ~Format() = default;

  [[nodiscard]] virtual const FormatInfo& info() const = 0;
  // Every rule that a reader of this format may find broken.
  [[nodiscard]] virtual std::span<const Rule> rules() const = 0;

  // Whether an input that begins with `head` is of this format. `whole`: the input ends there.
  [[nodiscard]] virtual bool recognises(ByteSpan head, bool whole) const = 0;
  // How many first bytes `recognises` wants to see at most.
  [[nodiscard]] virtual std::size_t recognition_size() const = 0;
  // Whether a live input, which may bring its first bytes late, is recognised too.
  [[nodiscard]] virtual bool recognises_live() const { return true; }

  // Errors: kMustReject when the specification demands that the input is rejected.
  [[nodiscard]] virtual Result<std::unique_ptr<Reader>> open(std::unique_ptr<io::Input> input,
                                                             const ReadOptions& options) const = 0;

  // Whether a trace may be given as one file for each core.
  [[nodiscard]] virtual bool has_core_files() const { return false; }
  // Opens such a trace. `files` is not empty, its order that of the trace's. Errors: kUnsupported.
  [[nodiscard]] virtual Result<std::unique_ptr<Reader>> open_cores(
      std::vector<CoreInput> files, const ReadOptions& options) const;

  // The words of `convert --to` that this format writes; empty when it only reads.
  [[nodiscard]] virtual std::span<const WriteTarget> targets() const = 0;

  // Whether the directory is, by itself, a trace of this format.
  [[nodiscard]] virtual bool recognises_directory(const std::string&) const { return false; }
  // What directories of one logical trace have in common (of CTF: the UUID as text); empty when
  // this one stands alone.
  [[nodiscard]] virtual std::string directory_identity(const std::string&) const { return {}; }
  // Opens the directories of one logical trace, which are not empty and not without order. The name
  // of the trace is that of the first. Errors: kCannotOpen, kUnsupported.
  [[nodiscard]] virtual Result<std::unique_ptr<Reader>> open_directories(
      std::span<const std::string> directories, const ReadOptions& options,
      std::stop_token stop) const;
  // The writer of a target that is a directory. `output` must outlive it. Errors: kUnsupported.
  [[nodiscard]] virtual Result<std::unique_ptr<Writer>> create_directory(
      io::OutputDirectory& output, const WriteOptions& options) const;
  // `rewrite` of directories.
  [[nodiscard]] virtual Result<void> rewrite_directories(std::span<const std::string> directories,
                                                         io::OutputDirectory& output,
                                                         const ReadOptions& options,
                                                         const NoticeSink& notices,
                                                         std::stop_token stop) const;

  // The metadata of a trace of such classes, as a trace of `target` (one of `targets`) spells it.
  // Errors: kUnsupported: its traces have no metadata text; kInvalidArgument: the target cannot
  // express them.
  [[nodiscard]] virtual Result<std::string> metadata_text(const TraceDescription& description,
                                                          std::string_view target) const;

  // The writer of a target that is one file. `output` must outlive it. Errors: kUnsupported.
  [[nodiscard]] virtual Result<std::unique_ptr<Writer>> create(
      io::Output& output, const WriteOptions& options) const = 0;

  // Copies a trace frame by frame, as it was: readable frames keep their bytes, damaged ranges are
  // left out and reported as kProblem notices, what is tolerated as kFinding notices. Of the
  // options only `max_state` and `hexadecimal` matter. Ends early, after a whole frame, when `stop`
  // is requested.
  [[nodiscard]] virtual Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                                             const ReadOptions& options, const NoticeSink& notices,
                                             std::stop_token stop) const = 0;
};

}  // namespace tracedeck

// What a trace format offers to the rest of the house: data, and what it can do. Each format is one
// line in the table of `tracedeck/formats.hpp`.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/format/file_origin.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/format/trace_names.hpp"
#include "tracedeck/format/value_naming.hpp"
#include "tracedeck/format/writer.hpp"
#include "tracedeck/io/input.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"

namespace tracedeck {

// An event class whose events give names to addresses, and the names of its fields. What is not
// there counts as 0.
struct SymbolEvent {
  std::string_view event;
  std::string_view address;
  std::string_view name;
  std::string_view size;   // bytes that have the name
  std::string_view depth;  // of functions inlined into the one at the address
  std::string_view file;   // of its source
  std::string_view line;
};

struct FormatInfo {
  std::string_view name;            // "dial9", the word of --format
  std::string_view title;           // "dial9-trace-format"
  std::string_view versions;        // "0.3, 0.4 (wire version 1)"
  std::string_view summary;         // "async-runtime telemetry", for `formats`
  std::string_view file_name_hint;  // "*.bin, *.bin.gz"
  // What makes a directory a trace: "a file named metadata"; empty: traces are files.
  std::string_view directory_hint = {};
  // An event class of such traces, and its field that says, in ns since the Unix epoch, when in UTC
  // the time of the event was; empty: there is none.
  std::string_view clock_sync_event = {};
  std::string_view clock_sync_field = {};
  std::optional<SymbolEvent> symbols = {};
  // Whether a frame may begin in one datagram and end in the next. Otherwise what a datagram leaves
  // incomplete is damage.
  bool frames_span_datagrams = false;
  // Whether all event classes of a trace that is not live are known when it is opened.
  bool classes_first = false;
  // Whether packets say when they begin and end, and where the next one is.
  bool packets_apart = false;
  // Whether the clock of a data stream may begin anew in it, as the device does whose clock it is;
  // and an event class that does not tell that, as recorders give it the time 0.
  bool clock_restarts = false;
  std::string_view untimely_event = {};
};

// One word of `convert --to` and what it stands for.
struct WriteTarget {
  std::string_view name;   // "ctf2rc"
  std::string_view title;  // "CTF2-SPECRC-3.0"
  bool directory = false;  // it is written as a directory of files
  // Endings of names that stand for it: ".ctf2". Each belongs to one target of all formats.
  std::array<std::string_view, 2> suffixes = {};
  // The ending that its recorders give to files, as those of other formats may too: ".bin".
  std::string_view recorded_suffix = {};
  // Options of the command that only such targets know, by name: "packet-size".
  std::array<std::string_view, 3> options = {};
  // What it can hold; what it cannot is lowered before it comes to the writer. Null: the writer
  // takes what comes.
  const TargetProfile* profile = nullptr;
};

struct WriteOptions {
  std::string target = {};   // the name of a `WriteTarget`, empty: the format's first
  std::string version = {};  // of the target format, empty: its default
  // All that will be written is of one trace, read with `ReadOptions::headers`: packets and event
  // headers are kept as they are where the target can have them.
  bool single_source = false;
  // Some of what the sources hold is left out: counters of packets and discarded events begin anew.
  bool part_of_source = false;
  std::uint64_t packet_size = std::uint64_t{256} << 10;  // bytes, of formats with packets
  TraceNames trace_names = {};  // of the sources; empty: there is one, or they need no names
};

// A writer in front of the writer of a target, which is given all that the target cannot hold in a
// form that it can.
using Lowering = std::unique_ptr<Writer> (*)(const WriteTarget& target,
                                             std::unique_ptr<Writer> writer,
                                             const WriteOptions& options);

// One file of a trace that has one for each core.
struct CoreInput {
  std::unique_ptr<io::Input> input = {};
  std::uint32_t core = 0;
};

using NoticeSink = std::function<void(RecordKind, const Notice&)>;

// What can be done with traces that are one file.
struct FileTraces {
  // Whether an input that begins with `head` is of this format. `whole`: the input ends there.
  bool (*recognises)(ByteSpan head, bool whole);
  std::size_t recognition_size = 0;  // how many first bytes `recognises` wants to see at most
  // Whether a live input, which may bring its first bytes late, is recognised too.
  bool recognises_live = true;

  // Errors: kMustReject when the specification demands that the input is rejected.
  Result<std::unique_ptr<Reader>> (*open)(std::unique_ptr<io::Input> input,
                                          const ReadOptions& options);
  // Opens a trace that is given as one file for each core, in the order of the trace's. Null: there
  // are none.
  Result<std::unique_ptr<Reader>> (*open_cores)(std::vector<CoreInput> files,
                                                const ReadOptions& options) = nullptr;
  // What the first `kOriginSize` bytes of a file, or all of a shorter one, say of where it comes
  // from. Null: nothing.
  FileOrigin (*origin)(ByteSpan head) = nullptr;
  // The writer of a target. `output` must outlive it. Null: it is only read.
  Result<std::unique_ptr<Writer>> (*create)(io::Output& output,
                                            const WriteOptions& options) = nullptr;
  // See `Format::rewrite`. Null: a trace can only be written anew.
  Result<void> (*rewrite)(std::unique_ptr<io::Input> input, io::Output& output,
                          const ReadOptions& options, const NoticeSink& notices,
                          const std::stop_token& stop) = nullptr;
};

// What can be done with traces that are directories.
struct DirectoryTraces {
  // Whether the directory is, by itself, a trace of this format.
  bool (*recognises)(const std::string& directory);
  // What directories of one logical trace have in common (of CTF: the UUID as text); empty when
  // this one stands alone. Null: each stands alone.
  std::string (*identity)(const std::string& directory) = nullptr;
  // Opens the directories of one logical trace, which are not empty and not without order. The name
  // of the trace is that of the first. Errors: kCannotOpen, kUnsupported.
  Result<std::unique_ptr<Reader>> (*open)(std::span<const std::string> directories,
                                          const ReadOptions& options, std::stop_token stop);
  // As for files.
  Result<std::unique_ptr<Writer>> (*create)(io::OutputDirectory& output,
                                            const WriteOptions& options) = nullptr;
  Result<void> (*rewrite)(std::span<const std::string> directories, io::OutputDirectory& output,
                          const ReadOptions& options, const NoticeSink& notices,
                          std::stop_token stop) = nullptr;
};

// What a format is and can. A format implements what it has; the rest stays empty.
struct FormatParts {
  FormatInfo info;
  // Every rule that a reader of this format may find broken.
  std::span<const Rule> (*rules)();
  // The words of `convert --to` that this format writes; empty when it only reads.
  std::span<const WriteTarget> targets = {};
  std::optional<FileTraces> files = {};
  std::optional<DirectoryTraces> directories = {};
  // The metadata of a trace of such classes, as a trace of `target` spells it. Null: its traces
  // have no metadata text. Errors: kInvalidArgument: the target cannot express them, and nothing is
  // written; those of the output.
  Result<void> (*metadata_text)(const TraceDescription& description,
                                const EachEventClass& event_classes, std::string_view target,
                                io::Output& output) = nullptr;
  // Names beside values of a trace of this format that was restored, in at most `limit` bytes.
  // Null: traces name none.
  std::unique_ptr<ValueNaming> (*value_naming)(std::uint64_t limit) = nullptr;
};

// A format, as the rest of the house sees it: what it lacks is the error kUnsupported. Immutable.
class Format {
 public:
  using NoticeSink = tracedeck::NoticeSink;

  constexpr explicit Format(const FormatParts& parts) : parts_(parts) {}
  // The same format, whose writers take any trace: those of `native` refuse what a target cannot
  // hold.
  constexpr Format(const Format& native, Lowering lowering)
      : parts_(native.parts_), lowering_(lowering) {}
  Format(const Format&) = delete;
  Format& operator=(const Format&) = delete;

  [[nodiscard]] const FormatInfo& info() const { return parts_.info; }
  [[nodiscard]] std::span<const Rule> rules() const { return parts_.rules(); }
  [[nodiscard]] std::span<const WriteTarget> targets() const { return parts_.targets; }

  // Traces that are files.
  [[nodiscard]] bool recognises(ByteSpan head, bool whole) const {
    return parts_.files && parts_.files->recognises(head, whole);
  }
  [[nodiscard]] std::size_t recognition_size() const {
    return parts_.files ? parts_.files->recognition_size : 0;
  }
  [[nodiscard]] bool recognises_live() const {
    return parts_.files && parts_.files->recognises_live;
  }
  [[nodiscard]] FileOrigin origin(ByteSpan head) const {
    return parts_.files && parts_.files->origin != nullptr ? parts_.files->origin(head)
                                                           : FileOrigin();
  }
  [[nodiscard]] Result<std::unique_ptr<Reader>> open(std::unique_ptr<io::Input> input,
                                                     const ReadOptions& options) const;
  // Whether a trace may be given as one file for each core.
  [[nodiscard]] bool has_core_files() const {
    return parts_.files && parts_.files->open_cores != nullptr;
  }
  [[nodiscard]] Result<std::unique_ptr<Reader>> open_cores(std::vector<CoreInput> files,
                                                           const ReadOptions& options) const;
  [[nodiscard]] Result<std::unique_ptr<Writer>> create(io::Output& output,
                                                       const WriteOptions& options) const;
  // Copies a trace frame by frame, as it was: readable frames keep their bytes, damaged ranges are
  // left out and reported as kProblem notices, what is tolerated as kFinding notices. Of the
  // options only `max_state` and `hexadecimal` matter. Ends early, after a whole frame, when `stop`
  // is requested.
  [[nodiscard]] Result<void> rewrite(std::unique_ptr<io::Input> input, io::Output& output,
                                     const ReadOptions& options, const NoticeSink& notices,
                                     const std::stop_token& stop) const;

  // Traces that are directories.
  [[nodiscard]] bool recognises_directory(const std::string& directory) const {
    return parts_.directories && parts_.directories->recognises(directory);
  }
  [[nodiscard]] std::string directory_identity(const std::string& directory) const;
  [[nodiscard]] Result<std::unique_ptr<Reader>> open_directories(
      std::span<const std::string> directories, const ReadOptions& options,
      std::stop_token stop) const;
  [[nodiscard]] Result<std::unique_ptr<Writer>> create_directory(io::OutputDirectory& output,
                                                                 const WriteOptions& options) const;
  [[nodiscard]] Result<void> rewrite_directories(std::span<const std::string> directories,
                                                 io::OutputDirectory& output,
                                                 const ReadOptions& options,
                                                 const NoticeSink& notices,
                                                 std::stop_token stop) const;

  // For values of one trace; null: traces name none.
  [[nodiscard]] std::unique_ptr<ValueNaming> value_naming(std::uint64_t limit) const {
    return parts_.value_naming == nullptr ? nullptr : parts_.value_naming(limit);
  }
  [[nodiscard]] bool names_values() const { return parts_.value_naming != nullptr; }

  // With these classes in place of those of the description.
  [[nodiscard]] Result<void> write_metadata_text(const TraceDescription& description,
                                                 const EachEventClass& event_classes,
                                                 std::string_view target, io::Output& output) const;

 private:
  [[nodiscard]] std::unexpected<Error> lacks(std::string_view what, std::string input = {}) const;

  [[nodiscard]] Result<std::unique_ptr<Writer>> lowered(Result<std::unique_ptr<Writer>> native,
                                                        const WriteOptions& options) const;

  FormatParts parts_;
  Lowering lowering_ = nullptr;
};

}  // namespace tracedeck

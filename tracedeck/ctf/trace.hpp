// A CTF trace on disk: its metadata, read on as it grows, and its data stream files.
//
// The specification is silent about files; docs/formats/ctf.md says what is read as what.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/loss_tracker.hpp"
#include "tracedeck/ctf/metadata/metadata.hpp"
#include "tracedeck/ctf/metadata/metadata_reader.hpp"
#include "tracedeck/format/given_metadata.hpp"
#include "tracedeck/io/input.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::ctf {

// Whether a directory is a trace: it has a file `metadata`, whatever that holds.
[[nodiscard]] bool is_trace_directory(const std::string& directory);

// Of a directory that is one.
[[nodiscard]] std::string metadata_path(const std::string& directory);

// What the metadata of a trace say of which trace they are, as text: its UUID, and of CTF 2 its
// namespace, name and uid; or "" where there is neither UUID nor uid.
[[nodiscard]] std::string trace_identity(const std::string& directory);

class Trace;

// A finding and the file that it was made in.
struct FileFinding {
  std::string file;
  Finding finding;
  // Of severity error: whether the trace cannot be decoded, as for most faults of its metadata.
  bool rejects = true;
};

// Why a trace cannot be decoded, if so: the last fault of severity error, taken out of `findings`,
// or an extension that its metadata declares.
[[nodiscard]] std::optional<Error> take_rejection(Trace& trace, std::vector<FileFinding>& findings);

// What goes on from one packet of a data stream to the next.
struct StreamProgress {
  LossTracker losses = {};
  std::optional<std::uint64_t> event_time = {};  // of the last event record
  std::uint64_t clock = 0;                       // the clock's last value
};

// The id of a data stream, as a packet header gives it; absent if it does not.
struct StreamId {
  std::optional<std::uint64_t> value = {};
  std::string digits = {};  // in decimal, where 64 bits do not hold it

  friend auto operator<=>(const StreamId&, const StreamId&) = default;
};

// A data stream of the trace, which may lie in several files.
struct StreamState {
  std::shared_ptr<const DataStream> stream;
  StreamProgress progress = {};
  bool begun = false;
  std::size_t open_files = 0;  // that are still to be read
  std::string last_file = {};  // the one that was read last
};

// One thread at a time.
class Trace {
 public:
  // Reads the metadata of the directories, which are one logical trace. `max_state`: bytes of
  // metadata at most. Errors: kCannotOpen, kReadFailed, kLimitExceeded. Metadata that must be
  // rejected is no error here: see `findings`.
  [[nodiscard]] static Result<std::unique_ptr<Trace>> open(std::span<const std::string> directories,
                                                           std::int64_t clock_shift,
                                                           std::uint64_t max_state,
                                                           std::stop_token stop);

  // A trace whose only data stream file, called `stream`, comes without metadata, which are given
  // instead. Error: kLimitExceeded, as above.
  [[nodiscard]] static Result<std::unique_ptr<Trace>> given(const GivenMetadata& metadata,
                                                            const std::string& stream,
                                                            std::int64_t clock_shift,
                                                            std::uint64_t max_state);

  [[nodiscard]] Metadata& metadata() { return *metadata_; }
  [[nodiscard]] const std::shared_ptr<TraceDescription>& description() const {
    return metadata_->description();
  }
  // What was found in the metadata since the last call.
  [[nodiscard]] std::vector<FileFinding> take_findings() { return std::exchange(findings_, {}); }

  // The data stream files, by name, bytewise, directory after directory.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  [[nodiscard]] const std::vector<std::string>& auxiliary_files() const { return auxiliary_files_; }
  // The metadata files, the one that is read first.
  [[nodiscard]] const std::vector<std::string>& metadata_files() const { return metadata_files_; }

  // Where the metadata end within a declaration, if they do: bytes of the file.
  [[nodiscard]] std::optional<std::uint64_t> metadata_cut_at() const { return metadata_cut_at_; }

  // What to add to the values of a clock in a file of this trace, because the metadata beside it
  // give the clock another offset.
  [[nodiscard]] std::uint64_t clock_correction(const std::string& file,
                                               const std::string& clock) const;
  [[nodiscard]] bool corrects_clocks() const { return !corrections_.empty(); }

  // Reads on from where the metadata ended, unless they were given. Returns whether classes were
  // added.
  [[nodiscard]] bool reload();

  // The data stream of a class and an id; those without an id go by the names of their files, which
  // are the same in each directory of the trace.
  [[nodiscard]] StreamState& stream(const DataStreamClass& stream_class, const StreamId& id,
                                    const std::string& file);

  // Data streams of an input whose metadata were given: they cost memory, and the sender is not
  // trusted. Whether the one of a class and an id is known, or may be added.
  static constexpr std::size_t kMostGivenStreams = 65'536;
  [[nodiscard]] bool has_room(const DataStreamClass& stream_class, const StreamId& id,
                              const std::string& file) const;

  // The data streams that have begun, in the order of their numbers.
  [[nodiscard]] std::vector<std::shared_ptr<const DataStream>> begun_streams() const;

  [[nodiscard]] const std::stop_token& stop() const { return stop_; }

 private:
  Trace() = default;
  Result<void> feed(const std::string& path);
  Result<void> feed(io::Input& input, const std::string& name);
  Result<void> list(const std::string& directory);
  void compare_clocks(std::span<const std::string> directories);
  [[nodiscard]] bool is_auxiliary(const std::string& path) const;

  std::unique_ptr<Metadata> metadata_;
  std::unique_ptr<MetadataReader> reader_;
  std::uint64_t metadata_read_ = 0;  // bytes of the file at hand
  bool grows_ = true;                // that file may
  std::optional<std::uint64_t> metadata_cut_at_;
  std::uint64_t max_state_ = 0;
  std::vector<FileFinding> findings_;
  std::vector<std::string> files_;
  std::vector<std::string> auxiliary_files_;
  std::vector<std::string> metadata_files_;
  // By directory and clock.
  std::map<std::pair<std::string, std::string>, std::uint64_t> corrections_;
  using StreamKey = std::tuple<const DataStreamClass*, StreamId, std::string>;
  [[nodiscard]] static StreamKey key_of(const DataStreamClass& stream_class, const StreamId& id,
                                        const std::string& file) {
    return {&stream_class, id, id.value ? std::string() : file.substr(file.rfind('/') + 1)};
  }
  std::map<StreamKey, StreamState> streams_;
  std::stop_token stop_;
};

}  // namespace tracedeck::ctf

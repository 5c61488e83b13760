// One trace of the command line as sources of records.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cli/session.hpp"
#include "cli/trace_place.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::cli {

// Reads one trace, trimmed to --begin and --end. An error is reported, bears on the exit code and
// ends the source that had it alone: the records of the others still come. The options and the
// session must outlive it and its sources.
class TraceSource {
 public:
  TraceSource(const Options& options, Session& session, TracePlace place, const Reading& reading)
      : options_(options), session_(session), place_(std::move(place)), reading_(reading) {}

  // Does not report errors, for a trace that is read a second time.
  void be_silent() { silent_ = true; }

  // Opens the trace, unless that was tried before. Returns whether there is something to read.
  bool open();
  // The same for a trace that was found before.
  bool open(FoundTrace found);

  // What an open trace is read by: one source, or, if `streams`, one for each of its data streams
  // where it has several. To be called once. The sources never fail, and what they read is let go
  // of when they end.
  [[nodiscard]] std::vector<std::unique_ptr<RecordSource>> take_sources(bool streams);

  [[nodiscard]] const TracePlace& place() const { return place_; }

  // 0 to 1, negative when unknown.
  [[nodiscard]] double progress() const;

  // Null until it was opened with success.
  [[nodiscard]] const std::shared_ptr<const TraceDescription>& description() const {
    return description_;
  }

 private:
  enum class State : std::uint8_t { kClosed, kOpen, kTaken, kFailed };

  bool begin(Result<std::unique_ptr<Reader>> reader);

  const Options& options_;
  Session& session_;
  TracePlace place_;
  Reading reading_;
  State state_ = State::kClosed;
  bool silent_ = false;
  std::shared_ptr<Reader> opened_;      // until its sources are taken
  std::weak_ptr<const Reader> reader_;  // gone when they have ended
  std::shared_ptr<const TraceDescription> description_;
};

// The events of `reader`, which must outlive them, trimmed to --begin and --end.
[[nodiscard]] std::unique_ptr<RecordSource> trimmed(Reader& reader, const Options& options);

}  // namespace tracedeck::cli

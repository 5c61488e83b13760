// One TRACE of the command line as a source of records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/formats.hpp"

namespace tracedeck::cli {

// How a command wants its TRACEs read.
struct Reading {
  bool values = true;    // decode field values
  bool findings = true;  // yield kFinding records
};

// Opens `trace` for reading as the options say, clock offset included.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(const Options& options,
                                                          const std::string& trace,
                                                          const Reading& reading,
                                                          std::stop_token stop);
// The same for a TRACE whose format was recognised before.
[[nodiscard]] Result<std::unique_ptr<Reader>> open_reader(const Options& options,
                                                          const std::string& trace,
                                                          const Reading& reading,
                                                          OpenedInput opened);

// Reads one TRACE, trimmed to --begin and --end. An error is reported, bears on the exit code and
// ends this source alone: the records of the other TRACEs still come. The options and the session
// must outlive it.
class TraceSource final : public RecordSource {
 public:
  TraceSource(const Options& options, Session& session, std::string trace, const Reading& reading)
      : options_(options), session_(session), trace_(std::move(trace)), reading_(reading) {}

  // Opens the TRACE unless that was tried before. Returns whether there is something to read.
  bool open();
  // The same for a TRACE whose format was recognised before.
  bool open(OpenedInput opened);

  // Does not report errors, for a TRACE that is read a second time.
  void be_silent() { silent_ = true; }

  // Opens the TRACE if need be. Never an error.
  [[nodiscard]] Result<BatchPtr> next() override;

  [[nodiscard]] const std::string& name() const { return trace_; }

  // 0 to 1, negative when unknown.
  [[nodiscard]] double progress() const;

  // Null until it was opened with success.
  [[nodiscard]] const std::shared_ptr<const TraceDescription>& description() const {
    return description_;
  }

 private:
  enum class State : std::uint8_t { kClosed, kReading, kEnded };

  bool begin(Result<std::unique_ptr<Reader>> reader);
  void report(const Error& error);

  const Options& options_;
  Session& session_;
  std::string trace_;
  Reading reading_;
  State state_ = State::kClosed;
  bool silent_ = false;
  Reader* reader_ = nullptr;  // inside `source_`
  std::unique_ptr<RecordSource> source_;
  std::shared_ptr<const TraceDescription> description_;
};

}  // namespace tracedeck::cli

// What a pipeline reports, in the words of the command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/flow/recording_sessions.hpp"
#include "tracedeck/query/field_watch.hpp"

namespace tracedeck::cli {

// Errors bear on the exit code. Session and options must outlive it.
class SessionObserver final : public flow::PipelineObserver {
 public:
  SessionObserver(Session& session, const Options& options);

  // Looks at the classes of the traces that are opened for the fields that the condition names.
  // Not of live ones, which are opened while others read events.
  void watch_fields() { watches_ = options_.watches; }

  void failed(const Error& error) override;
  void refused(const Error& error) override;
  void opened(const TraceDescription& description) override;
  void progress(double part) override { session_.diagnostics.progress().show(part); }
  void note(const std::string& sentence) override { session_.diagnostics.note(sentence); }
  void common_time(const std::string& trace, const TraceDescription& description,
                   const flow::TimeRange& range) override;
  void wall_clock(const std::string& trace, const flow::WallClock& wall,
                  bool by_one_offset) override;
  void one_part(const std::string& trace, std::optional<Nanoseconds> first,
                std::optional<Nanoseconds> last) override;
  void selected_nothing(const flow::NothingSelected& what) override;
  void news(io::LiveNews what, const std::string& sentence) override;

  // Whether `traces` were opened and the classes of all of them are known, and the condition names
  // a field that none has: wrong usage, which is reported.
  [[nodiscard]] bool refuses(std::size_t traces) const;

  // How many traces could not be read, or not to their end.
  [[nodiscard]] std::uint64_t failures() const { return failures_; }

 private:
  void note_dates(const TraceDescription& description, const Format* format);

  Session& session_;
  const Options& options_;
  std::vector<query::FieldWatch*> watches_;
  flow::RecordingSessions sessions_;
  std::string condition_;  // where the user wrote it
  std::size_t known_ = 0;  // traces whose classes are known
  std::uint64_t refused_ = 0;
  std::uint64_t failures_ = 0;
};

// Reports what was probably meant otherwise, by the events that came.
void report_doubts(const std::vector<query::FieldWatch*>& watches, Session& session);

}  // namespace tracedeck::cli

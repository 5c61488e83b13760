// What a pipeline reports, in the words of the command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/noting_observer.hpp"
#include "tracedeck/query/field_watch.hpp"

namespace tracedeck::cli {

// Errors bear on the exit code. Session and options must outlive it.
class SessionObserver final : public NotingObserver {
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
  void news(io::LiveNews what, const std::string& sentence) override;

  // Whether `traces` were opened and the classes of all of them are known, and the condition names
  // a field that none has: wrong usage, which is reported.
  [[nodiscard]] bool refuses(std::size_t traces) const;

  // How many traces could not be read, or not to their end.
  [[nodiscard]] std::uint64_t failures() const { return failures_; }

 private:
  Session& session_;
  const Options& options_;
  std::vector<query::FieldWatch*> watches_;
  std::size_t known_ = 0;  // traces whose classes are known
  std::uint64_t refused_ = 0;
  std::uint64_t failures_ = 0;
};

// Reports what was probably meant otherwise, by the events that came.
void report_doubts(const std::vector<query::FieldWatch*>& watches, Session& session);

}  // namespace tracedeck::cli

// A conversion in the words of the command: for `convert`, and `view`, which draws as it does.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/notices.hpp"
#include "cli/observer.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/convert/conversion.hpp"

namespace tracedeck::cli {

// What the options, of which `to` is an output, ask for.
[[nodiscard]] ConversionTask conversion_task(const Options& options);

// Both must outlive it.
class SessionHost final : public ConversionHost {
 public:
  SessionHost(const Options& options, Session& session)
      : options_(options), session_(session), observer_(session, options) {}

  std::stop_token stop() const override { return session_.stop; }
  io::Output& standard_output() override { return session_.out; }
  flow::PipelineObserver& observer() override { return observer_; }
  std::unique_ptr<flow::Pipeline> open(flow::PipelineOptions options,
                                       std::vector<flow::TracePlace> places,
                                       std::optional<FoundTrace> first) override;
  MarksRead read_marks(const MarksWanted& wanted) override;
  std::optional<Written> write_events(const EventsWanted& wanted) override;
  void see(RecordKind kind, const Notice& notice) override { notices().see(kind, notice); }
  double part() const override { return session_.diagnostics.progress().part(); }
  bool delivered(const Result<void>& written) override { return session_.delivered(written); }
  void failed(const Error& error) override { session_.report(error); }
  void refused(const Error& error) override;
  void note(const std::string& sentence) override { session_.diagnostics.note(sentence); }
  void interrupted(const std::string& written) override;
  void conclude(const ConversionReport& report) override;

 private:
  Notices& notices();

  const Options& options_;
  Session& session_;
  SessionObserver observer_;
  std::optional<Notices> notices_;
};

}  // namespace tracedeck::cli

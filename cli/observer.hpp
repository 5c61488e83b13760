// What a pipeline reports, in the words of the command.
#pragma once

#include "cli/session.hpp"
#include "tracedeck/flow/pipeline_options.hpp"

namespace tracedeck::cli {

// Errors bear on the exit code. The session must outlive it.
class SessionObserver final : public flow::PipelineObserver {
 public:
  explicit SessionObserver(Session& session) : session_(session) {}

  void failed(const Error& error) override { session_.report(error); }
  void opened(const TraceDescription& description) override;
  void progress(double part) override { session_.diagnostics.progress().show(part); }
  void note(const std::string& sentence) override { session_.diagnostics.note(sentence); }
  void selected_nothing(const flow::NothingSelected& what) override;

 private:
  Session& session_;
};

}  // namespace tracedeck::cli

// What a pipeline reports, in the words of the command.
#pragma once

#include <cstddef>

#include "cli/session.hpp"
#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/query/condition.hpp"

namespace tracedeck::cli {

// Errors bear on the exit code. The session must outlive it.
class SessionObserver final : public flow::PipelineObserver {
 public:
  // `condition`: of --where, or null.
  explicit SessionObserver(Session& session, const query::Condition* condition = nullptr)
      : session_(session), condition_(condition) {}

  void failed(const Error& error) override { session_.report(error); }
  void opened(const TraceDescription& description) override;
  void progress(double part) override { session_.diagnostics.progress().show(part); }
  void note(const std::string& sentence) override { session_.diagnostics.note(sentence); }
  void selected_nothing(const flow::NothingSelected& what) override;

  // Whether `traces` were opened and the classes of all of them are known, and the condition names
  // a field that none has: wrong usage, which is reported.
  [[nodiscard]] bool refuses(std::size_t traces) const;

 private:
  Session& session_;
  const query::Condition* condition_;
  std::size_t known_ = 0;  // traces whose classes are known
};

}  // namespace tracedeck::cli

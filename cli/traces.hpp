// The TRACEs of a command line through `flow`: all together, or one after the other.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/observer.hpp"
#include "cli/session.hpp"
#include "tracedeck/flow/trace_by_trace.hpp"
#include "tracedeck/format/trace_names.hpp"

namespace tracedeck::cli {

// What the operands of the options name, nothing opened yet.
[[nodiscard]] std::vector<flow::TracePlace> list_traces(const Options& options,
                                                        const std::stop_token& stop);

// All TRACEs as one stream of records, and what it needs to stay alive. Options and session must
// outlive it.
class OpenPipeline {
 public:
  OpenPipeline(const Options& options, Session& session, flow::Needs needs);
  // The same for traces that were listed before. `first` is the first of them when it was found
  // before.
  OpenPipeline(const Options& options, Session& session, flow::Needs needs,
               std::vector<flow::TracePlace> places, std::optional<FoundTrace> first = {});
  // The same for live ones.
  OpenPipeline(const Options& options, Session& session, std::unique_ptr<flow::Live> live);
  OpenPipeline(const OpenPipeline&) = delete;
  OpenPipeline& operator=(const OpenPipeline&) = delete;

  // Ends the reading, so that all that reports at its end has done so.
  void close() { pipeline_ = nullptr; }

  // Whether none of the traces could be opened, which was reported then.
  [[nodiscard]] bool empty() const { return pipeline_ == nullptr; }
  [[nodiscard]] flow::Pipeline& operator*() const { return *pipeline_; }
  [[nodiscard]] flow::Pipeline* operator->() const { return pipeline_.get(); }

  // How many of the traces could not be read, or not to their end.
  [[nodiscard]] std::uint64_t failures() const { return observer_.failures(); }

  // `flow::Pipeline::trace_names` for who need not know beforehand whether there are several: what
  // comes live may turn out to be traces that a conversion brought into one result. "" of one that
  // needs no name.
  [[nodiscard]] TraceNames trace_names_as_they_come() const;

 private:
  SessionObserver observer_;
  std::unique_ptr<flow::Pipeline> pipeline_;
};

// `EventsOut::ready`: empty unless the traces are live. The pipeline must outlive it.
[[nodiscard]] std::function<bool(std::chrono::milliseconds)> pauses_of(flow::Pipeline& pipeline);

// Opens the traces of all TRACEs one after the other, live ones as they come, and hands each to
// `look`.
void for_each_trace(const Options& options, Session& session, flow::Needs needs,
                    const flow::LookAtTrace& look);

// Reads `source` to its end and hands each batch, or a pointer that keeps it, to `consume`, which
// returns whether to go on. An error is handed back; what came before it was consumed.
template <class Consume>
[[nodiscard]] Result<void> read_through(RecordSource& source, Consume&& consume) {
  for (;;) {
    auto batch = source.next();
    if (!batch) return std::unexpected(std::move(batch.error()));
    if (*batch == nullptr) return {};
    if constexpr (std::is_invocable_v<Consume, const BatchPtr&>) {
      if (!consume(*batch)) return {};
    } else if (!consume(**batch)) {
      return {};
    }
  }
}

// Writes `text` to standard output. Returns whether that went well.
inline bool print(Session& session, const std::string& text) {
  session.diagnostics.progress().erase();
  return session.delivered(session.out.write(text));
}

// Behind the reading of TRACEs for an answer: where a stop request kept some that do not come live
// from being read to their end, that is said, and bears on the outcome.
void report_interrupt(const Options& options, Session& session);
// The same of who shows nothing then.
void report_no_answer(Session& session);

}  // namespace tracedeck::cli

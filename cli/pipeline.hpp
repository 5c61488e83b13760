// From the traces of the command line to one ordered stream of records.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/live.hpp"
#include "cli/trace_source.hpp"
#include "tracedeck/flow/arrivals.hpp"

namespace tracedeck::cli {

// The traces, trimmed, in the order that the options ask for, up to their limit. The options and
// the session must outlive it.
class Pipeline final : public RecordSource {
 public:
  // Null when none of the traces can be opened, which was reported then.
  [[nodiscard]] static std::unique_ptr<Pipeline> open(const Options& options, Session& session,
                                                      const Reading& reading);
  // The same for traces that were listed before. `first` is the first of them when it was found
  // before.
  [[nodiscard]] static std::unique_ptr<Pipeline> open(const Options& options, Session& session,
                                                      const Reading& reading,
                                                      std::vector<TracePlace> places,
                                                      std::optional<FoundTrace> first = {});

  // The same for live TRACEs, in order of arrival.
  [[nodiscard]] static std::unique_ptr<Pipeline> open(const Options& options, Session& session,
                                                      const Reading& reading,
                                                      std::unique_ptr<Live> live);

  // Whether the TRACEs are live.
  [[nodiscard]] bool live() const { return live_ != nullptr; }
  // Whether `next` would return within `patience`. Always so unless `live()`.
  [[nodiscard]] bool ready(std::chrono::milliseconds patience) {
    return arrivals_ == nullptr || arrivals_->ready(patience);
  }

  // Shows progress. Errors: those of the stages (sorting may run out of temporary space).
  [[nodiscard]] Result<BatchPtr> next() override;

  // Where a trace lies below the directory that the user named; "" when it is that directory or a
  // file, or when it is a part of a logical trace that lies in several places.
  [[nodiscard]] std::string path_below_operand(const TraceDescription& description) const;

  // Whether what is read is all of what traces of CTF 1.8 hold, merged, so that it can be read the
  // same way once more.
  [[nodiscard]] bool reads_whole_ctf1() const;
  // The sources of the merge once more, silent. The pipeline must outlive them.
  [[nodiscard]] std::vector<std::unique_ptr<RecordSource>> sources_again();

 private:
  Pipeline(const Options& options, Session& session, const Reading& reading)
      : options_(options), session_(session), reading_(reading) {
    reading_.notice = [this](const std::string& text) { session_.diagnostics.note(text); };
  }

  std::shared_ptr<TraceSource> add_trace(TracePlace place, bool values);
  bool open_traces(std::vector<TracePlace> places, std::optional<FoundTrace> first);
  std::unique_ptr<RecordSource> ordered();
  std::unique_ptr<RecordSource> sorted();
  [[nodiscard]] double progress() const;

  const Options& options_;
  Session& session_;
  Reading reading_;
  std::unique_ptr<Live> live_;
  flow::Arrivals* arrivals_ = nullptr;  // the first of the stages of live TRACEs
  // Kept to the end, so that classes of different traces never have the same address.
  std::vector<std::shared_ptr<TraceSource>> traces_;
  std::vector<std::shared_ptr<TraceSource>> again_;
  std::unique_ptr<RecordSource> stages_;
};

// `EventsOut::ready` of a pipeline: empty unless it is live.
[[nodiscard]] std::function<bool(std::chrono::milliseconds)> pauses_of(Pipeline& pipeline);

}  // namespace tracedeck::cli

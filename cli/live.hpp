// TRACEs that come while they are read: sockets, and what --follow follows.
#pragma once

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/flow/pipeline.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/io/live.hpp"

namespace tracedeck::cli {

// What is wrong with the live TRACEs of a command line and what goes with them, or "".
[[nodiscard]] std::string check_live(const Options& options);

// Tells what happens at live TRACEs, on whatever thread it does, and remembers what it means for
// the exit code.
class LiveReport final : public flow::PipelineObserver {
 public:
  LiveReport(const Options& options, Session& session) : options_(options), session_(session) {}

  void news(io::LiveNews what, const std::string& sentence);
  // An input that could not be read, of a place where others follow: damage.
  void refuse(const Error& error);
  // An error that ended a place.
  void fail(const Error& error);
  void failed(const Error& error) override { fail(error); }
  void opened(const TraceDescription& description) override;
  void note(const std::string& sentence) override { news(io::LiveNews::kChange, sentence); }

  // Lets it bear on the session's outcome. To be called when no other thread is at work.
  void conclude();

 private:
  const Options& options_;
  Session& session_;
  std::mutex mutex_;
  Outcome outcome_;
  std::uint64_t refused_ = 0;
};

// The traces that come from one place, one after the other.
class LiveTraces {
 public:
  LiveTraces(flow::TracePlace place, std::unique_ptr<io::InputSequence> sequence,
             std::stop_token stop)
      : place_(std::move(place)), sequence_(std::move(sequence)), stop_(std::move(stop)) {}

  [[nodiscard]] const flow::TracePlace& place() const { return place_; }
  // Whether there can be more than one.
  [[nodiscard]] bool repeats() const { return sequence_->repeats(); }

  // Waits for the next trace, which is recognised unless `format` says what it is; nothing: there
  // are no more. What brought no byte is none, but for the only one of its place. Errors, after
  // which there may be more: those of `find_trace`; kCannotOpen.
  [[nodiscard]] Result<std::optional<FoundTrace>> next(const Format* format);
  // Hands `found` out again at the next `next`.
  void put_back(FoundTrace found) { put_back_ = std::move(found); }

 private:
  [[nodiscard]] Result<std::optional<FoundTrace>> find(std::unique_ptr<io::Input> input,
                                                       const Format* format) const;

  flow::TracePlace place_;
  std::unique_ptr<io::InputSequence> sequence_;
  std::stop_token stop_;
  std::optional<FoundTrace> put_back_;
  bool ended_ = false;
};

// The live TRACEs of a command at work.
class Live {
 public:
  // Opens all `places`; those that cannot be are reported. `needs`: of who reads `sources`. Options
  // and session must outlive it.
  Live(const Options& options, Session& session, flow::Needs needs,
       const std::vector<flow::TracePlace>& places);
  // Lets what happened bear on the session's outcome.
  ~Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  [[nodiscard]] std::vector<std::unique_ptr<LiveTraces>>& traces() { return traces_; }
  // Whether more than one trace may come: from several places, or the peers of a listener.
  [[nodiscard]] bool several() const;
  [[nodiscard]] LiveReport& report() { return report_; }
  // Ends all that is waited for, as a stop request to the session does.
  void stop() { stop_.request_stop(); }
  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

  // One source for each place, to be read on a thread of its own each: the events of its traces,
  // trimmed. They never fail; what goes wrong is reported.
  [[nodiscard]] std::vector<std::unique_ptr<RecordSource>> sources();

 private:
  struct Forward {
    std::stop_source& to;
    void operator()() const { to.request_stop(); }
  };

  LiveReport report_;
  std::stop_source stop_;
  std::stop_callback<Forward> forward_;
  flow::PipelineContext context_;  // of `sources`
  std::vector<std::unique_ptr<LiveTraces>> traces_;
};

// Looks at one trace, or at why it cannot be read. Returns whether to go on.
using LookAtTrace =
    std::function<bool(const flow::TracePlace&, Result<std::unique_ptr<flow::SingleTrace>>)>;

// Opens the live traces one after the other, as they come, and hands each to `look`.
void for_each_live_trace(Live& live, const Options& options, Session& session, flow::Needs needs,
                         const LookAtTrace& look);

}  // namespace tracedeck::cli

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

// Reports what happens at live TRACEs, on whatever thread it does, and remembers what it means for
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

// What came at a place: an input, or the trace that it was found to be before.
struct Arrived {
  std::unique_ptr<io::Input> input = {};
  std::optional<FoundTrace> found = {};
};

// The traces that come from one place.
class LiveTraces {
 public:
  LiveTraces(flow::TracePlace place, std::unique_ptr<io::InputSequence> sequence)
      : place_(std::move(place)), sequence_(std::move(sequence)) {}

  [[nodiscard]] const flow::TracePlace& place() const { return place_; }
  // Whether there can be more than one.
  [[nodiscard]] bool repeats() const { return sequence_->repeats(); }
  // How many may be read at the same time.
  [[nodiscard]] std::size_t at_once() const { return sequence_->at_once(); }

  // Waits for the next that comes; nothing: no more will. One thread at a time. Error, after which
  // no more will come: kCannotOpen.
  [[nodiscard]] Result<std::optional<Arrived>> wait();
  // Hands `found` out again at the next `wait`.
  void put_back(FoundTrace found) { put_back_ = std::move(found); }

  // What came is recognised unless `format` says what it is, which may wait for its bytes. Nothing:
  // it brought no byte, and so is none, but for the only one of its place. Any thread. Errors:
  // those of `find_trace`.
  [[nodiscard]] Result<std::optional<FoundTrace>> recognise(Arrived arrived,
                                                            const Format* format) const;

 private:
  flow::TracePlace place_;
  std::unique_ptr<io::InputSequence> sequence_;
  std::optional<FoundTrace> put_back_;
  bool ended_ = false;
};

// The live TRACEs of a command at work.
class Live {
 public:
  // Opens all `places`; those that cannot be are reported. `needs`: of who reads `feeds`. Options
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

  // One feed for each place: a source for each of its traces, through the stages of a source. They
  // never fail; what goes wrong is reported.
  [[nodiscard]] std::vector<std::unique_ptr<flow::SourceFeed>> feeds();

  // Reports an error of something that came at that place, on any thread.
  void report_error(const LiveTraces& traces, const Error& error);
  // Reports that as many traces of that place are read as may be at the same time.
  void report_limit(const LiveTraces& traces);

 private:
  struct Forward {
    std::stop_source& to;
    void operator()() const { to.request_stop(); }
  };

  LiveReport report_;
  std::stop_source stop_;
  std::stop_callback<Forward> forward_;
  flow::PipelineContext context_;  // of `feeds`
  std::vector<std::unique_ptr<LiveTraces>> traces_;
};

// Looks at one trace, or at why it cannot be read. Returns whether to go on.
using LookAtTrace =
    std::function<bool(const flow::TracePlace&, Result<std::unique_ptr<flow::SingleTrace>>)>;

// Opens the live traces as they come, one TRACE after the other, and hands each to `look`. Of a
// listener several are looked at, on threads of their own, but only while one waits for its input
// do others go on: `look` needs no locks.
void for_each_live_trace(Live& live, const Options& options, Session& session, flow::Needs needs,
                         const LookAtTrace& look);

}  // namespace tracedeck::cli

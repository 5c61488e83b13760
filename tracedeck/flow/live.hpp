// Traces that come while they are read: from sockets, and from files and devices that are followed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/flow/arrivals.hpp"
#include "tracedeck/flow/pipeline_options.hpp"
#include "tracedeck/flow/trace_source.hpp"
#include "tracedeck/io/live.hpp"

namespace tracedeck::flow {

// Whether any of the places is live. Then all are read as live ones: a file among them is a place
// that one trace comes from.
[[nodiscard]] bool are_live(const std::vector<TracePlace>& places);

// Why an operand cannot be read as a live place, if so. Errors: kInvalidArgument: an address that
// is none, a directory, or standard input that is to be followed.
[[nodiscard]] Result<void> check_live_operand(const std::string& operand, bool follow);

// What came at a place: an input, or the trace that it was found to be before.
struct Arrived {
  std::unique_ptr<io::Input> input = {};
  std::optional<FoundTrace> found = {};
};

// The traces that come from one place. The context must outlive it.
class LiveTraces {
 public:
  // Connects, listens, or begins to follow what may not be there yet. Errors: kCannotOpen, and
  // those of `check_live_operand`.
  [[nodiscard]] static Result<std::unique_ptr<LiveTraces>> open(const PipelineContext& context,
                                                                TracePlace place);

  [[nodiscard]] const TracePlace& place() const { return place_; }
  // Reports how many datagrams could not be read.
  ~LiveTraces();
  LiveTraces(const LiveTraces&) = delete;
  LiveTraces& operator=(const LiveTraces&) = delete;

  // How many may be read at the same time.
  [[nodiscard]] std::size_t at_once() const { return sequence_->at_once(); }

  // Waits for the next that comes; nothing: no more will, and why not is reported. One thread at a
  // time.
  [[nodiscard]] std::optional<Arrived> wait();
  // Hands `found` out again at the next `wait`.
  void put_back(FoundTrace found) { put_back_ = std::move(found); }
  // Calls `work` with all that comes, with up to `at_once` at the same time, each on a thread of
  // its own. Returns when no more comes and all are done.
  void serve(const std::function<void(Arrived)>& work);

  // What came is recognised unless `format` says what it is, which may wait for its bytes. Nothing:
  // it brought no byte, and so is none, but for the only one of its place. Any thread. Errors:
  // those of `find_trace`.
  [[nodiscard]] Result<std::optional<FoundTrace>> recognise(Arrived arrived,
                                                            const Format* format) const;

  // Reports the error of a peer or file; of datagrams only the first. Any thread.
  void report_error(const Error& error) const;
  // Reports, once, that no more peers are read at the same time. Any thread.
  void report_limit() const;

 private:
  LiveTraces(const PipelineContext& context, TracePlace place,
             std::unique_ptr<io::InputSequence> sequence)
      : context_(context), place_(std::move(place)), sequence_(std::move(sequence)) {}

  const PipelineContext& context_;
  TracePlace place_;
  std::unique_ptr<io::InputSequence> sequence_;
  std::optional<FoundTrace> put_back_;
  mutable std::uint64_t unread_datagrams_ = 0;  // no lock: datagrams are read one after the other
  mutable std::atomic<bool> reported_limit_ = false;
  bool ended_ = false;
};

// All live places at work.
class Live {
 public:
  // Opens all `places`; those that cannot be are reported. The observer must outlive it, and is
  // called on any thread, by one at a time.
  Live(PipelineOptions options, PipelineObserver& observer, std::stop_token stop,
       std::vector<TracePlace> places);
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  // With an observer that any thread may call, and a token that `stop` and the caller's own stop.
  [[nodiscard]] const PipelineContext& context() const { return context_; }
  // Those that were opened.
  [[nodiscard]] std::vector<std::unique_ptr<LiveTraces>>& traces() { return traces_; }
  // Whether more than one trace may come: from several places, or the peers of a listener.
  [[nodiscard]] bool several() const;
  // Ends all that is waited for.
  void stop() { stop_.request_stop(); }

  // One feed for each place: a source for each of its traces, through the stages of a source. They
  // never fail; what goes wrong is reported.
  [[nodiscard]] std::vector<std::unique_ptr<SourceFeed>> feeds();

 private:
  struct Forward {
    std::stop_source& to;
    void operator()() const { to.request_stop(); }
  };

  std::unique_ptr<PipelineObserver> observer_;
  std::stop_source stop_;
  std::stop_callback<Forward> forward_;
  PipelineContext context_;
  std::vector<std::unique_ptr<LiveTraces>> traces_;
};

// Opens what came. Null: it brought no byte. Errors: those of recognising and opening it.
[[nodiscard]] Result<std::unique_ptr<TraceSource>> open_arrived(const PipelineContext& context,
                                                                const LiveTraces& traces,
                                                                Arrived arrived);

}  // namespace tracedeck::flow

// Which traces are being read, for writers that keep something about each.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace tracedeck {

// Counts the data streams that have begun and not ended. Traces may follow one another for months:
// what is kept about one of which no data stream is open may go when a newer one begins. Should it
// come again after all, it is met as another trace.
class OpenTraces {
 public:
  // A data stream of the trace with that number begins. Returns whether the trace is newer than all
  // before, so that it is time to look for those that are gone.
  [[nodiscard]] bool begin(std::uint64_t trace) {
    ++open_[trace];
    if (trace <= newest_) return false;
    newest_ = trace;
    return true;
  }
  void end(std::uint64_t trace) {
    const auto found = open_.find(trace);
    if (found != open_.end() && --found->second == 0) open_.erase(found);
  }
  // Whether a data stream of the trace is open.
  [[nodiscard]] bool has(std::uint64_t trace) const { return open_.contains(trace); }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> open_;  // data streams, by the trace's number
  std::uint64_t newest_ = 0;
};

}  // namespace tracedeck

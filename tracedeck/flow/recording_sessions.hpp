// Sessions that recorded the same programs side by side, as ros2_tracing's dual sessions do.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// Goes by the environment that LTTng writes: `hostname`, `domain`, `vpid` and `procname` say what
// was recorded, `trace_name` which session did it.
class RecordingSessions {
 public:
  // A trace that was opened. Returns a sentence if one before it is of another session that
  // recorded the same and has event classes of the same names; else "". Of many traces the first
  // `kMost` count.
  [[nodiscard]] std::string see(const TraceDescription& description);

 private:
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kMostClasses = 4096;  // of a trace

  struct Recording {
    std::string input;
    std::string session;
    std::vector<std::string> subject = {};
    std::set<std::string> classes = {};
  };

  std::vector<Recording> recordings_;
};

}  // namespace tracedeck::flow

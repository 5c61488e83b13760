// Traces of which no data stream has begun. No record is of them, so whoever writes traces is told
// of them apart (`Writer::describe`).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {

// One thread at a time.
class StreamlessTraces {
 public:
  // A trace that was opened. It is kept alive while no data stream of it has begun.
  void add(const TraceDescription& description) {
    forget();
    traces_.push_back(description.shared_from_this());
  }
  // Lets go of traces whose data streams have begun. To be called now and then.
  void forget() {
    std::erase_if(traces_, [](const auto& each) { return each->stream_count() != 0; });
  }
  // The traces, in the order in which they were opened. Once they were read they are complete.
  [[nodiscard]] std::vector<std::shared_ptr<const TraceDescription>> take() {
    forget();
    return std::exchange(traces_, {});
  }

 private:
  std::vector<std::shared_ptr<const TraceDescription>> traces_;
};

}  // namespace tracedeck::flow

#include "tracedeck/model/trace_description.hpp"

#include <atomic>

namespace tracedeck {

std::uint64_t TraceDescription::next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

EachEventClass event_classes_of(const TraceDescription& description) {
  return [&description](const auto& visit) -> Result<void> {
    for (const EventClass& each : description.event_classes()) {
      if (auto done = visit(each); !done) return done;
    }
    return {};
  };
}

}  // namespace tracedeck

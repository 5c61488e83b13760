#include "tracedeck/model/trace_description.hpp"

#include <atomic>

namespace tracedeck {

std::uint64_t TraceDescription::next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace tracedeck

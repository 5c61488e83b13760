// The ways of decoding a dial9 trace that the benchmarks and the instruction counts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/dial9/reader.hpp"

namespace tracedeck::bench {

// Looks at every field of every event, every address of a stack included.
struct SummingVisitor {
  std::uint64_t events = 0;
  std::uint64_t sum = 0;

  void event(const dial9::EventView& view) {
    std::uint64_t total = view.timestamp;
    for (const dial9::Value& value : view.values) {
      if (value.type == dial9::FieldType::kStackFrames) {
        for (std::size_t i = 0; i < value.frame_count(); ++i) total += value.frame(i);
      } else {
        total += value.bits;
      }
    }
    sum += total;
    ++events;
  }
};

// Events that the native decoder visits.
inline std::uint64_t visit(PaddedView trace) {
  SummingVisitor visitor;
  if (!dial9::decode(trace, visitor)) return 0;
  return visitor.sum == 0 ? 0 : visitor.events;
}

// Events that `reader` still has.
inline std::uint64_t count_events(Reader& reader) {
  std::uint64_t events = 0;
  for (;;) {
    const Result<BatchPtr> batch = reader.next();
    if (!batch || *batch == nullptr) return events;
    for (const Record& record : (*batch)->records())
      events += record.kind == RecordKind::kEvent ? 1 : 0;
  }
}

// Events that the dial9 reader puts on the tape, or skips over with `values` false.
inline std::uint64_t count_events(std::unique_ptr<io::Input> input, bool values) {
  const auto reader = dial9::open_reader(std::move(input), {.values = values});
  return reader ? count_events(**reader) : 0;
}

}  // namespace tracedeck::bench

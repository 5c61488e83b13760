// Where marks go.
#pragma once

#include <span>

#include "tracedeck/base/error.hpp"
#include "tracedeck/timeline/mark.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

class SpanTotals;

// Counts marks while they are made, so that most of them need not be made. One thread at a time.
class SpanCounter {
 public:
  virtual ~SpanCounter() = default;

  // Slices and waits whose marks are not `kOdd` are added to these, where that can be done.
  [[nodiscard]] virtual SpanTotals& totals() = 0;
  // All other marks, in the same order.
  virtual void see(const Timeline& timeline, const Mark& mark) = 0;
};

// One thread at a time.
class MarkSink {
 public:
  virtual ~MarkSink() = default;

  // What marks point to lives until the call returns. Errors: those of outputs; none is called
  // again then.
  [[nodiscard]] virtual Result<void> take(const Timeline& timeline,
                                          std::span<const Mark> marks) = 0;
  // What counts the marks in place of `take`; null: nothing does.
  [[nodiscard]] virtual SpanCounter* counter() { return nullptr; }
  // No more marks come.
  [[nodiscard]] virtual Result<void> finish(const Timeline& timeline) = 0;
};

}  // namespace tracedeck::timeline

// Where marks go.
#pragma once

#include <span>

#include "tracedeck/base/error.hpp"
#include "tracedeck/timeline/mark.hpp"
#include "tracedeck/timeline/timeline.hpp"

namespace tracedeck::timeline {

// One thread at a time.
class MarkSink {
 public:
  virtual ~MarkSink() = default;

  // What marks point to lives until the call returns. Errors: those of outputs; none is called
  // again then.
  [[nodiscard]] virtual Result<void> take(const Timeline& timeline,
                                          std::span<const Mark> marks) = 0;
  // No more marks come.
  [[nodiscard]] virtual Result<void> finish(const Timeline& timeline) = 0;
};

}  // namespace tracedeck::timeline

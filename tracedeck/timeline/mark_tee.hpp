// Marks for two sinks at once.
#pragma once

#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::timeline {

// Hands each mark to `first`, then to `second`, in their finish too. Both must outlive it.
class MarkTee final : public MarkSink {
 public:
  MarkTee(MarkSink& first, MarkSink& second) : first_(first), second_(second) {}

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override {
    if (auto done = first_.take(timeline, marks); !done) return done;
    return second_.take(timeline, marks);
  }
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override {
    if (auto done = first_.finish(timeline); !done) return done;
    return second_.finish(timeline);
  }

 private:
  MarkSink& first_;
  MarkSink& second_;
};

}  // namespace tracedeck::timeline

// The part of a time line from some time on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::timeline {

// Hands on what has a place on a track, from `begin` on. What began before and goes on begins
// there, with kBeganBefore, and states that hold then begin there too. The sink must outlive it.
class MarkWindow final : public MarkSink {
 public:
  explicit MarkWindow(MarkSink& next) : next_(next) {}

  // Before any mark came; without, all marks are handed on.
  void begin_at(std::int64_t time) { begin_ = time; }

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

 private:
  struct TrackBefore {
    std::vector<Mark> open = {};  // the slices that are open, outermost first
    std::optional<Mark> state = {};
  };

  void note(const Mark& mark);
  void open_window();

  MarkSink& next_;
  std::optional<std::int64_t> begin_;
  bool opened_ = false;
  std::vector<TrackBefore> tracks_;
  std::vector<Mark> marks_;
};

}  // namespace tracedeck::timeline

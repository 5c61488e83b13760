// The part of a time line from some time on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tracedeck/timeline/mark_sink.hpp"

namespace tracedeck::timeline {

// Hands on what has a place on a track, from `begin` on and up to `end`, and if asked what has
// none. What began before and goes on begins there, with kBeganBefore, and states that hold then
// begin there too; what goes on behind the end ends there, with kOpenAtEnd. The sink must outlive
// it.
class MarkWindow final : public MarkSink {
 public:
  // What becomes of ends of slices that are on no track (kUnplaced).
  enum class Unplaced : std::uint8_t { kLeftOut, kHandedOn };

  explicit MarkWindow(MarkSink& next, Unplaced unplaced = Unplaced::kLeftOut)
      : next_(next), unplaced_(unplaced) {}

  // Before any mark came; without, all marks are handed on.
  void begin_at(std::int64_t time) { begin_ = time; }
  void end_at(std::int64_t time) { end_ = time; }

  [[nodiscard]] Result<void> take(const Timeline& timeline, std::span<const Mark> marks) override;
  [[nodiscard]] Result<void> finish(const Timeline& timeline) override;

 private:
  struct TrackBefore {
    std::vector<Mark> open = {};  // the slices that are open, outermost first
    std::optional<Mark> state = {};
  };

  void note(const Mark& mark);
  // Of marks before the window, those that are open then.
  void open_window();
  void close_window();
  // Whether it is in the window, which it may open or close.
  [[nodiscard]] bool admit(const Mark& mark);

  MarkSink& next_;
  Unplaced unplaced_;
  std::optional<std::int64_t> begin_;
  std::optional<std::int64_t> end_;
  bool opened_ = false;
  bool closed_ = false;
  bool drops_flow_ = false;
  std::vector<TrackBefore> tracks_;
  std::vector<Mark> marks_;
};

}  // namespace tracedeck::timeline

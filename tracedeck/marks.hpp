// The front door to what events mean: slices, waits, states, counters and flows of traces of any
// format, in a loop.
//
//   for (const auto& mark : tracedeck::open_marks("run.bin")) {
//     if (const auto took = mark.duration()) use(mark.label(), mark.track().name, *took);
//   }
//
// What marks are and promise stands in `timeline/mark.hpp`; which events make them is said by
// tables, built-in ones and one's own (docs/timeline.md). Memory does not grow with the traces.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/event_view.hpp"
#include "tracedeck/timeline/mark.hpp"
#include "tracedeck/timeline/table.hpp"
#include "tracedeck/timeline/timeline.hpp"
#include "tracedeck/tracedeck.hpp"

namespace tracedeck {

struct MarkOptions {
  // How the traces are read. Of the selection the order is that of time whatever it says; what lies
  // before its begin is interpreted and makes no marks. `where` is about events, without some of
  // which begins and ends would not be found: it is an error.
  OpenOptions reading = {};
  // Beside the built-in tables, or in place of one of the same name. See `timeline::parse_table`.
  std::vector<timeline::Table> tables = {};
  // Flows of all that led to something, also of what took less than tables ask for.
  bool all_flows = false;
};

// A field of the event that a mark came of which the table names.
struct MarkArgument {
  std::string name;
  std::string text;  // a label or a name instead of a number where there is one
};

// A mark with what it refers to. Lives as long as the iterator stays where it is.
class MarkView {
 public:
  [[nodiscard]] const timeline::Mark& mark() const { return *mark_; }
  [[nodiscard]] timeline::MarkKind kind() const { return mark_->kind; }
  [[nodiscard]] bool has(timeline::MarkFlag flag) const { return mark_->has(flag); }
  // ns from the origin of the trace's clock, less `Timeline::base`: 0 but for times near 2^63.
  [[nodiscard]] std::int64_t time() const { return mark_->time; }

  // Whether a slice or a wait ended here: each does so once, and `mark().begin` is when it began.
  [[nodiscard]] bool ends_span() const {
    using enum timeline::MarkKind;
    return mark_->kind == kWait || (mark_->kind == kSliceEnd && !mark_->has(timeline::kMoved));
  }
  // Of such an end: ns since the begin; absent if that is not known (`timeline::kNoDuration`).
  [[nodiscard]] std::optional<std::int64_t> duration() const {
    if (!ends_span() || !mark_->has_duration()) return {};
    return mark_->duration();
  }

  // "poll", "main.rs:220", and both; empty of marks without a name.
  [[nodiscard]] std::string_view category() const;
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] std::string label() const;
  // One without a name for the few marks without a track.
  [[nodiscard]] const timeline::Track& track() const;

  // The event that it came of, if one did.
  [[nodiscard]] std::optional<EventView> event() const;
  [[nodiscard]] std::vector<MarkArgument> arguments() const;

 private:
  friend class Marks;

  const timeline::Mark* mark_ = nullptr;
  const class Marks* marks_ = nullptr;
};

// The marks of the traces that were opened, once. One thread at a time; may be moved.
class Marks {
 public:
  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = MarkView;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(Marks& marks) : marks_(&marks) {}
    // Valid until the iterator moves on.
    [[nodiscard]] const MarkView& operator*() const { return marks_->view_; }
    [[nodiscard]] const MarkView* operator->() const { return &marks_->view_; }
    Iterator& operator++() {
      marks_->ended_ = !marks_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const { return marks_->ended_; }

   private:
    Marks* marks_ = nullptr;
  };

  Marks(Marks&&) noexcept;
  Marks& operator=(Marks&&) noexcept;
  ~Marks();

  // To the next mark, which at first is the first. To be called once.
  [[nodiscard]] Iterator begin() {
    ended_ = !advance();
    return Iterator(*this);
  }
  [[nodiscard]] static std::default_sentinel_t end() { return {}; }

  // Tracks, names, and the counts of what was left out, as far as they are known. Lives as long as
  // the marks.
  [[nodiscard]] const timeline::Timeline& timeline() const;
  // The tables that were applied, and what was inferred, as TOML.
  [[nodiscard]] std::string explain() const;
  // As of `Trace`.
  [[nodiscard]] const std::optional<Error>& error() const;
  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::uint64_t lost_events() const;

 private:
  friend Marks open_marks(std::vector<std::string> paths, MarkOptions options);
  friend class MarkView;
  struct State;

  explicit Marks(std::unique_ptr<State> state);

  bool advance() {
    if (at_ == last_ && !refill()) return false;
    view_.mark_ = at_++;
    view_.marks_ = this;
    return true;
  }
  bool refill();

  std::unique_ptr<State> state_;
  const timeline::Mark* at_ = nullptr;
  const timeline::Mark* last_ = nullptr;
  MarkView view_;
  bool ended_ = false;
};

// The marks of traces: files, directories, trees of directories and `-`. What cannot be opened, and
// a table that cannot be, is reported as `OpenOptions::report` says and leaves a trace without
// marks.
[[nodiscard]] Marks open_marks(std::vector<std::string> paths, MarkOptions options = {});
template <std::convertible_to<std::string> Path>
[[nodiscard]] Marks open_marks(const Path& path, MarkOptions options = {}) {
  return open_marks(std::vector<std::string>{std::string(path)}, std::move(options));
}

}  // namespace tracedeck

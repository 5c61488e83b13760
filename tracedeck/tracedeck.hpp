// The front door: the events of traces of any format, in a loop.
//
//   for (const auto& event : tracedeck::open("trace")) {
//     if (const auto id = event["worker_id"].get<unsigned>()) use(event.name(), *id);
//   }
//
// What a program needs beyond that, readers, stages and writers, lies behind it: `formats.hpp`,
// `flow/pipeline.hpp`, and the encoders of the formats.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/event_view.hpp"
#include "tracedeck/flow/selection.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck {

// Something that a reader of events should know and that is no event.
struct Report {
  enum class Kind : std::uint8_t {
    kError,    // a trace could not be opened, or ended early; the others still come
    kProblem,  // bytes could not be read
    kLoss,     // the producer threw something away
    kFinding,  // something was read against the specification (`OpenOptions::findings`)
    kNote,     // what no record can say and is worth a word
  };
  Kind kind = Kind::kError;
  std::string text = {};           // a sentence that begins with the place
  const Error* error = nullptr;    // of a kError
  const Record* record = nullptr;  // of a kProblem, kLoss or kFinding; as long as the call
};

struct OpenOptions {
  // The order of the events, and which of them are wanted: by time, by number.
  flow::Selection selection = {};
  // Only events for which this expression is true (docs/query.md): `duration > 5ms`; "": all. One
  // that is wrong is an error, with a caret under the place, and there are no events then.
  std::string where = {};
  // The selection's clock was asked for. Else traces of several hosts that all relate their clocks
  // to UTC are in UTC, as nothing else relates them.
  bool keeps_clock = false;
  // Null: it is recognised. See `find_format`.
  const Format* format = nullptr;
  // The file with the metadata of data streams of CTF that are opened as files or as `-`, without
  // the directory that they belong to. Empty: traces have their own.
  std::string metadata = {};
  // Is called with each `Report` at its place between the events, on the thread that reads; with
  // what happens at live traces when it does, on a thread of theirs, one call at a time. If it is
  // empty, all but findings is written to standard error, so that nothing that is missing goes
  // unnoticed.
  std::function<void(const Report&)> report = {};
  bool findings = false;
  // Bytes that a trace may make the library keep; absent: 1 GiB, of live ones 64 MiB.
  std::optional<std::uint64_t> max_state = {};
  // Threads that decode at the same time, at least one. Few traces are read faster by several.
  unsigned jobs = 1;
  // Whether files and devices are followed: read on as they grow, are replaced or come back, until
  // `stop`. Of a serial device `baud` is the bits a second; 0: as it is set.
  bool follow = false;
  unsigned baud = 0;
  // Ends the loop when what has arrived by then was read.
  std::stop_token stop = {};
};

// The events of the traces that were opened, once. One thread at a time; may be moved.
class Trace {
 public:
  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = EventView;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(Trace& trace) : trace_(&trace) {}
    // Valid until the iterator moves on.
    [[nodiscard]] const EventView& operator*() const { return trace_->event_; }
    [[nodiscard]] const EventView* operator->() const { return &trace_->event_; }
    Iterator& operator++() {
      trace_->ended_ = !trace_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    [[nodiscard]] bool operator==(std::default_sentinel_t) const { return trace_->ended_; }

   private:
    Trace* trace_ = nullptr;
  };

  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;
  ~Trace();

  // To the next event, which at first is the first. To be called once: what was read is gone.
  [[nodiscard]] Iterator begin() {
    ended_ = !advance();
    return Iterator(*this);
  }
  [[nodiscard]] static std::default_sentinel_t end() { return {}; }

  // The first error so far: no trace could be opened, or one of them ended early.
  [[nodiscard]] const std::optional<Error>& error() const;
  // Whether all was read so far: there was no error and no damage.
  [[nodiscard]] bool complete() const;
  // Events that the producers lost so far, where they are counted.
  [[nodiscard]] std::uint64_t lost_events() const;

 private:
  friend Trace open(std::vector<std::string> paths, OpenOptions options);
  struct State;

  explicit Trace(std::unique_ptr<State> state);

  bool advance() {
    for (;;) {
      for (; at_ != last_; ++at_) {
        if (at_->kind == RecordKind::kEvent) [[likely]] {
          event_ = EventView(at_->event, batch_, *routes_);
          ++at_;
          return true;
        }
        between(*at_);
      }
      if (!refill()) return false;
    }
  }
  bool refill();
  void between(const Record& record);

  std::unique_ptr<State> state_;
  EventView::Routes* routes_ = nullptr;
  BatchPtr batch_;
  const Record* at_ = nullptr;
  const Record* last_ = nullptr;
  EventView event_;
  bool ended_ = false;
};

// The events of traces: files, directories, trees of directories and `-`, merged by time unless the
// selection says otherwise; and of live ones (docs/live.md: `tcp-listen://:4000`), in order of
// arrival. What cannot be opened is reported, as `OpenOptions::report` says, and
// leaves a trace without events.
[[nodiscard]] Trace open(std::vector<std::string> paths, OpenOptions options = {});
template <std::convertible_to<std::string> Path>
[[nodiscard]] Trace open(const Path& path, OpenOptions options = {}) {
  return open(std::vector<std::string>{std::string(path)}, std::move(options));
}

}  // namespace tracedeck

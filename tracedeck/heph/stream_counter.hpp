// What the event counters of a stream show about events that are missing (section Event Packet,
// the stream event counter; the rules are in docs/formats/heph.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tracedeck/heph/decoder.hpp"

namespace tracedeck::heph {

// Damaged ranges whose events are unknown, at most. They explain gaps that they lie in, so that
// these are not losses besides. Shared by the streams of a trace.
class DamageLedger {
 public:
  void add(const DamagedEvents& events);
  struct Explanation {
    std::vector<std::uint32_t> counters;  // how far behind the first missing one
    std::uint64_t others = 0;             // missing events that may be any
  };
  // Which of `missing` events, counted `first` and on, of a stream whose last event lay at `since`,
  // were in damaged ranges. What explained one gap explains no other.
  [[nodiscard]] Explanation explain(std::uint32_t stream, std::uint32_t first,
                                    std::uint64_t missing, std::uint64_t since);
  [[nodiscard]] bool empty() const { return ranges_.empty(); }

 private:
  static constexpr std::size_t kMostRanges = 256;
  std::deque<DamagedEvents> ranges_;
};

// Follows the counters of one stream, which are extended to 64 bits.
class StreamCounter {
 public:
  // Missing counters. Times are the clock values around them.
  struct Gap {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  // inclusive
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t held_until = 0;  // reported when the stream has so many events,
    std::uint64_t deadline = 0;    // or at this time of the caller's
    bool reported = false;

    [[nodiscard]] std::uint64_t missing() const { return last - first + 1; }
  };
  enum class Verdict : std::uint8_t {
    kInOrder,
    kGap,        // counters before it are missing: `gap`
    kReordered,  // one that was missing, or comes before the first
    kDuplicate,
  };
  struct Step {
    Verdict verdict = Verdict::kInOrder;
    bool was_reported = false;  // kReordered: it had been reported as missing
  };

  // A stream's first event.
  StreamCounter(std::uint32_t stream, std::uint32_t counter, std::uint64_t offset,
                std::uint64_t end)
      : stream_(stream),
        first_(kBase + counter),
        highest_(kBase + counter),
        expected_(counter + 1),
        last_offset_(offset),
        last_end_(end) {}

  // The common case: the counter that was expected. False, and nothing changed, for another.
  [[nodiscard]] bool see_expected(std::uint32_t counter, std::uint64_t offset, std::uint64_t end) {
    if (counter != expected_) return false;
    ++expected_;
    ++highest_;
    ++events_;
    last_offset_ = offset;
    last_end_ = end;
    return true;
  }
  // Any other. A gap is explained by `damage` as far as it can be. What is left of it may be taken
  // after `hold` further events of the stream, or from `deadline` on.
  [[nodiscard]] Step see(std::uint32_t counter, std::uint64_t offset, std::uint64_t end,
                         DamageLedger& damage, std::uint64_t hold, std::uint64_t deadline);

  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  // Hands over the gaps that need not be held back any longer; they count as reported.
  [[nodiscard]] std::vector<Gap> take_gaps(std::uint64_t now);
  [[nodiscard]] bool holds_gaps() const { return held_ != 0; }
  // When the first of the gaps that are held back may be taken; `kAll` without any.
  [[nodiscard]] std::uint64_t deadline() const;

 private:
  // So that counters before the first are numbers too.
  static constexpr std::uint64_t kBase = std::uint64_t{1} << 32;
  // Gaps that are remembered for what may come late.
  static constexpr std::size_t kMostGaps = 64;

  Step see_late(std::uint64_t counter);
  // Returns whether some of the gap is not explained.
  bool open_gap(Gap gap, DamageLedger& damage, std::uint64_t since);
  void add_gap(Gap gap);
  void forget_gaps();

  std::uint32_t stream_;
  std::uint64_t first_;
  std::uint64_t highest_;
  std::uint32_t expected_;
  std::uint64_t events_ = 1;
  std::uint64_t last_offset_;
  std::uint64_t last_end_;
  std::uint64_t forgotten_ = 0;  // gaps before this counter are no longer remembered
  std::deque<Gap> gaps_;         // in the order of counters
  std::size_t held_ = 0;         // not reported yet
};

}  // namespace tracedeck::heph

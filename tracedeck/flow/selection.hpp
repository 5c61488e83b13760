// What a user wants of the traces that are read. What each member does is an entry of `stages()`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/flow/condition.hpp"

namespace tracedeck::flow {

class Hiding;

enum class Order : std::uint8_t {
  kMerged,    // files merged by time, each keeping its own order
  kRecorded,  // as on disk, input after input
  kTime,      // everything sorted by time
};

enum class Clock : std::uint8_t {
  kTrace,  // times as recorded
  kWall,   // UTC, where a trace relates its clock to it
};

// Nanoseconds to add to every time, of one operand or of all.
struct ClockOffset {
  std::optional<std::string> trace = {};  // the operand, as the user named it
  std::int64_t nanoseconds = 0;
};

struct Selection {
  Order order = Order::kMerged;
  // Of `kTime`: see `SortOptions::kept_steps`.
  std::uint64_t kept_steps = 0;
  std::optional<TimePoint> begin = {};  // both ends belong to what is selected
  std::optional<TimePoint> end = {};
  // Of each trace alone the time in which all of its data streams have packets.
  bool stream_intersection = false;
  // Not null: what lies before `begin` comes all the same, and here is put where that is, in ns
  // from the clocks' origins; of several traces the earliest.
  std::shared_ptr<std::optional<Nanoseconds>> warm_up = {};
  ConditionPtr where = {};                  // what events have to meet; null: nothing
  std::optional<std::uint64_t> limit = {};  // events
  std::optional<std::uint64_t> tail = {};   // events, the last of what the other stages select
  // No event before it is among those: what `begin_of_tail` found, in ns from the clocks' origins.
  std::optional<Nanoseconds> tail_begin = {};
  // What is selected holds all that describes it: with a limit, inputs are read to their ends.
  bool stands_alone = false;
  std::vector<ClockOffset> clock_offsets = {};
  Clock clock = Clock::kTrace;
  // Durations are measured: with `Clock::kWall` all times of a trace move by one offset, that of
  // its first anchor, so that none grows or shrinks.
  bool one_offset = false;
  // With `Order::kTime`: events of a nominal time, at which nothing happened, come behind all
  // others, in the order in which they were recorded.
  bool nominal_last = false;
  // What is not to be handed on; null: nothing.
  std::shared_ptr<const Hiding> hiding = {};

  [[nodiscard]] bool limits_times() const { return begin || end || stream_intersection; }
};

// The offset of the trace that has these names: the last with one of them, or else the last without
// a name.
[[nodiscard]] std::int64_t clock_offset(std::span<const ClockOffset> offsets,
                                        std::span<const std::string_view> names);

}  // namespace tracedeck::flow

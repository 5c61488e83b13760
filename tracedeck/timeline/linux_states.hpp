// What a thread of Linux does that gives up its processor: `prev_state` of sched_switch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tracedeck {
class TraceDescription;
}

namespace tracedeck::timeline {

// The states of one trace. Its kernel's release says which bit is which; from 4.14 on tracers write
// either the bits themselves or one bit that stands for them (`task_state_index`), and which of
// both is known from the first value on that only one of them has.
class LinuxStates {
 public:
  // Null: of a trace that nothing is known of.
  explicit LinuxStates(const TraceDescription* trace);

  // "runnable" of a thread that wants to go on, "exited" of one that is gone, "not running (N)"
  // where that is not known. Values that are no numbers are states themselves.
  [[nodiscard]] std::string name(std::string_view value);

 private:
  // From 4.14 on dead is 128, and parked 64; before dead is 64, and parked 512.
  enum class Bits : std::uint8_t { kUnknown, kOld, kRecent };
  enum class Coding : std::uint8_t { kUnknown, kRaw, kReported };

  void note(std::uint64_t bits);
  [[nodiscard]] std::string_view name_of(std::uint64_t bits) const;
  [[nodiscard]] std::string_view name_of_old(std::uint64_t bits) const;
  [[nodiscard]] std::string_view name_of_recent(std::uint64_t bits) const;

  Bits bits_ = Bits::kUnknown;
  Coding coding_ = Coding::kUnknown;
};

}  // namespace tracedeck::timeline

#include "tracedeck/timeline/linux_states.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <system_error>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::timeline {
namespace {

// The same in all kernels (include/linux/sched.h).
constexpr std::uint64_t kInterruptible = 1;
constexpr std::uint64_t kUninterruptible = 2;
constexpr std::uint64_t kStopped = 4;
constexpr std::uint64_t kTraced = 8;
constexpr std::uint64_t kExitStates = 16 | 32;
constexpr std::uint64_t kNoLoad = 1024;

constexpr std::uint64_t kOldDead = 64;
constexpr std::uint64_t kOldParked = 512;
constexpr std::uint64_t kOldWaking = 128 | 256;  // WAKEKILL and WAKING, which say nothing alone

constexpr std::uint64_t kParked = 64;
constexpr std::uint64_t kDead = 128;
constexpr std::uint64_t kReportedIdle = 128;
constexpr std::uint64_t kReportedPreempted = 256;
constexpr std::uint64_t kWaitingForLock = 0x1000;  // a spin lock that sleeps
constexpr std::uint64_t kFrozen = 0x8000;

// Empty where no bit says it.
std::string_view common_name(std::uint64_t bits) {
  if ((bits & kInterruptible) != 0) return "sleeping";
  if ((bits & kUninterruptible) != 0) return (bits & kNoLoad) != 0 ? "idle" : "uninterruptible";
  if ((bits & (kStopped | kTraced)) != 0) return "stopped";
  if ((bits & kExitStates) != 0) return "exited";
  return bits == 0 ? "runnable" : "";
}

// "4.14.0-rc1": the first two numbers, as 4 * 1000 + 14; 0: it says none.
unsigned release_number(std::string_view release) {
  unsigned major = 0;
  unsigned minor = 0;
  const char* const end = release.data() + release.size();
  const auto first = std::from_chars(release.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return 0;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return 0;
  return major > 1000 || minor > 999 ? 0 : major * 1000 + minor;
}

}  // namespace

LinuxStates::LinuxStates(const TraceDescription* trace) {
  if (trace == nullptr) return;
  unsigned release = 0;
  for (const Attribute& entry : trace->environment()) {
    const bool is_of_perf = entry.key == "release";
    if (!is_of_perf && entry.key != "kernel_release") continue;
    release = release_number(entry.value);
    // It writes what the kernel's own event says, which is reported bits since there are such.
    if (is_of_perf) coding_ = Coding::kReported;
  }
  if (release == 0) return;
  bits_ = release < 4014 ? Bits::kOld : Bits::kRecent;
}

void LinuxStates::note(std::uint64_t bits) {
  if (bits_ != Bits::kRecent || coding_ == Coding::kRaw) return;
  if (bits > kReportedPreempted || std::popcount(bits) > 1) {
    coding_ = Coding::kRaw;
  } else if (bits == kReportedPreempted || bits == kStopped || bits == kTraced ||
             (bits & kExitStates) != 0) {
    // Of raw bits these have others with them, or never are where a thread is switched out.
    coding_ = Coding::kReported;
  }
}

std::string LinuxStates::name(std::string_view value) {
  std::uint64_t bits = 0;
  const char* const end = value.data() + value.size();
  if (const auto read = std::from_chars(value.data(), end, bits);
      read.ptr != end || read.ec != std::errc())
    return std::string(value);
  note(bits);
  const std::string_view known = name_of(bits);
  return known.empty() ? fmt::format("not running ({})", bits) : std::string(known);
}

std::string_view LinuxStates::name_of(std::uint64_t bits) const {
  if (const std::string_view known = common_name(bits); !known.empty()) return known;
  switch (bits_) {
    case Bits::kRecent:
      return name_of_recent(bits);
    case Bits::kUnknown:
      // What preempted threads have alone in some kernels is no state in any other.
      return bits == 256 || bits == 1024 || bits == 2048 || bits == 4096 ? "runnable" : "";
    case Bits::kOld:
      return name_of_old(bits);
  }
  return "";
}

// The bit above all that are states is set where a thread was pre-empted within the kernel.
std::string_view LinuxStates::name_of_old(std::uint64_t bits) const {
  if ((bits & kOldDead) != 0) return "exited";
  if ((bits & kOldWaking) != 0) return "";
  return (bits & kOldParked) != 0 ? "parked" : "runnable";
}

std::string_view LinuxStates::name_of_recent(std::uint64_t bits) const {
  if (bits == kParked) return "parked";
  if (coding_ == Coding::kReported) {
    if (bits == kReportedIdle) return "idle";
    return bits == kReportedPreempted ? "runnable" : "";
  }
  if (coding_ == Coding::kUnknown) return "";
  if ((bits & kDead) != 0) return "exited";
  if ((bits & kParked) != 0) return "parked";
  return (bits & (kWaitingForLock | kFrozen)) != 0 ? "uninterruptible" : "";
}

}  // namespace tracedeck::timeline

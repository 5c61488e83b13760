// A stop request that poll(2) can wait for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "tracedeck/base/error.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {

// A pipe whose reading end becomes readable, and stays so, once a stop is requested. So a request
// that comes just before the wait is not lost, as a signal that interrupts a read(2) would be.
class StopSignal {
 public:
  explicit StopSignal(std::stop_token stop) : stop_(std::move(stop)) {}
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  [[nodiscard]] bool requested() const { return stop_.stop_requested(); }

  // Makes the pipe, unless a stop can never be requested. Returns 0 or an `errno`.
  [[nodiscard]] int arm();

  static constexpr int kForEver = -1;

  // Waits for up to `milliseconds`, or `kForEver`, until `descriptor` (-1: none) has one of
  // `events` of poll(2), or a stop is requested.
  enum class Waited : std::uint8_t { kReady, kStopped, kTimedOut };
  [[nodiscard]] Waited wait(int descriptor, short events, int milliseconds) const;

  // The reading end, or -1, which poll(2) passes over.
  [[nodiscard]] int descriptor() const { return reading_.get(); }

 private:
  struct Wake {
    int descriptor;
    void operator()() const noexcept;
  };

  std::stop_token stop_;
  FileDescriptor reading_;
  FileDescriptor writing_;
  // Last, so that it is gone before the descriptors close.
  std::optional<std::stop_callback<Wake>> callback_;
};

}  // namespace tracedeck::io

// Asking a caller now and then whether to go on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace tracedeck {

// Is asked on the thread that reads, ten times a second at most. Returns whether to go on. Empty:
// it goes on.
using GoOn = std::function<bool(std::uint64_t events_read)>;

class Progress {
 public:
  explicit Progress(GoOn go_on) : go_on_(std::move(go_on)) {}

  // `events`: that were read since the last call.
  void count(std::uint64_t events) { events_ += events; }
  // Whether to go on.
  [[nodiscard]] bool ask() {
    constexpr std::chrono::milliseconds kInterval{100};
    if (!go_on_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterval) return true;
    last_ = now;
    return go_on_(events_);
  }

 private:
  GoOn go_on_;
  std::uint64_t events_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace tracedeck

// SIGINT and SIGTERM as a stop request: the first ends the work cleanly, the second kills.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace tracedeck::cli {

// While one lives, the first SIGINT or SIGTERM requests a stop and the second has its usual effect.
// A signal that was ignored when the program began (nohup, background jobs of scripts) stays
// ignored. At most one at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  // The signal that requested the stop, 0: none did.
  [[nodiscard]] int signal() const { return signal_; }

 private:
  std::stop_source source_;
  std::atomic<int> signal_ = 0;
  int reading_ = -1;  // of the pipe that the handler writes to
  std::thread waiter_;
};

}  // namespace tracedeck::cli

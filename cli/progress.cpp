#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tracedeck::cli {

void Progress::show(double part) {
  part_ = part;
  if (terminal_ == nullptr || part < 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  fmt::print(terminal_, "\r{:3.0f} %\x1b[K", std::min(part, 1.0) * 100);
  std::fflush(terminal_);
  drawn_ = true;
}

void Progress::erase() {
  if (Drawing* const beside = beside_; beside != nullptr) beside->erase();
  if (!drawn_) return;
  fmt::print(terminal_, "\r\x1b[K");
  std::fflush(terminal_);
  drawn_ = false;
}

}  // namespace tracedeck::cli

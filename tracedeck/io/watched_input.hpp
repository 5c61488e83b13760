// Noticing when an input makes a pause.
#pragma once

#include <functional>
#include <memory>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

// A live input that calls `on_pause` before it waits for long, and from time to time (about every
// second) while it need not wait: what was made of its bytes can be shown then. Called from `read`,
// on the thread that reads.
[[nodiscard]] std::unique_ptr<Input> watch_pauses(std::unique_ptr<Input> input,
                                                  std::function<void()> on_pause);

// So long without a byte is a pause, long enough to be worth showing what was read.
inline constexpr std::chrono::milliseconds kShowPause{50};
// Without a pause what was read is shown so often.
inline constexpr std::chrono::milliseconds kShowInterval{1000};

}  // namespace tracedeck::io

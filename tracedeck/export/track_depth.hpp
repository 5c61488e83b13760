// How deep slices of one track lie in each other, as Perfetto counts it.
#pragma once

#include <cstdint>
#include <limits>

namespace tracedeck::exporting {

// What lies deeper is left out and counted: Perfetto drops what is deeper than 512.
inline constexpr std::uint32_t kMostDepth = 500;

// Each says whether something is to be written. Instants of one time lie in each other.
class TrackDepth {
 public:
  [[nodiscard]] bool begin() { return open_++ < kMostDepth; }
  // Requires `any`.
  [[nodiscard]] bool end() { return --open_ < kMostDepth; }
  [[nodiscard]] bool instant(std::int64_t time) {
    if (time != time_) instants_ = 0;
    time_ = time;
    if (open_ + instants_ >= kMostDepth) return false;
    ++instants_;
    return true;
  }
  // Whether a slice is open, written or not.
  [[nodiscard]] bool any() const { return open_ != 0; }

 private:
  std::uint32_t open_ = 0;
  std::uint32_t instants_ = 0;  // at `time_`
  std::int64_t time_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace tracedeck::exporting

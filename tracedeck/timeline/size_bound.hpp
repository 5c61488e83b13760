// How long slices have to be so that a result of so many bytes holds all that are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tracedeck/timeline/short_slices.hpp"

namespace tracedeck::timeline {

// A result takes some bytes for each slice, and some that are there without any; both show when
// results of different bounds were made.
class SizeBound {
 public:
  // `most`: bytes of the result.
  explicit SizeBound(std::uint64_t most) : most_(most) {}

  // The bound to try next, for `ShortSlices`, after a result with the bound `shortest` had `size`
  // bytes, which are too many. Nothing: no bound makes it small enough, or too many were tried.
  [[nodiscard]] std::optional<std::int64_t> next(const ShortSlices& slices, std::uint64_t size,
                                                 std::int64_t shortest);

 private:
  struct Tried {
    double slices;  // that stayed
    double size;
  };
  // How many slices there may be.
  [[nodiscard]] double wanted() const;

  std::uint64_t most_;
  std::vector<Tried> tried_;
};

}  // namespace tracedeck::timeline

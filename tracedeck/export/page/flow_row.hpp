// What led to what: from a moment on one track to a moment on another.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/export/page/row.hpp"

namespace tracedeck::page {

class FlowRow {
 public:
  // A flow leaves a track.
  void leave(std::uint64_t flow, timeline::TrackId track, std::int64_t time);
  // It arrives; one that never left is counted and left out. Errors: those of the store.
  [[nodiscard]] Result<void> arrive(std::uint64_t flow, timeline::TrackId track, std::int64_t time,
                                    BlockStore& store);
  [[nodiscard]] Result<void> seal(BlockStore& store);

  [[nodiscard]] const std::vector<BlockPlace>& blocks() const { return blocks_; }
  [[nodiscard]] std::uint64_t unmatched() const { return unmatched_; }

 private:
  // Flows that have left and may still arrive.
  static constexpr std::size_t kMostOpen = 262'144;

  struct Left {
    timeline::TrackId track;
    std::int64_t time;
  };
  NumberMap<std::uint64_t, Left> left_;
  std::deque<std::uint64_t> in_order_;
  std::vector<BlockPlace> blocks_;
  BlockPlace open_;
  std::string bytes_;
  std::int64_t before_ = 0;  // the last arrival
  std::uint64_t unmatched_ = 0;
};

}  // namespace tracedeck::page

// The data streams of a trace that are being read, found by their id.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/heph/stream_counter.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::heph {

struct StreamState {
  std::uint32_t id = 0;
  std::shared_ptr<const DataStream> stream;
  StreamCounter counter;
  std::uint64_t pinned_by = 0;  // the number of the last batch that pins the stream
};

class StreamTable {
 public:
  // Null when the stream has not begun.
  [[nodiscard]] StreamState* find(std::uint32_t id) {
    StreamState*& line = lines_[id % lines_.size()];
    if (line != nullptr && line->id == id) [[likely]]
      return line;
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return nullptr;
    return line = found->second;
  }
  StreamState& add(StreamState state) {
    streams_.push_back(std::make_unique<StreamState>(std::move(state)));
    StreamState& added = *streams_.back();
    by_id_[added.id] = &added;
    return added;
  }
  // In the order in which they began.
  [[nodiscard]] const std::vector<std::unique_ptr<StreamState>>& streams() const {
    return streams_;
  }
  void clear() {
    lines_.fill(nullptr);
    by_id_.clear();
    streams_.clear();
  }

 private:
  std::array<StreamState*, 256> lines_{};
  NumberMap<std::uint32_t, StreamState*> by_id_;
  std::vector<std::unique_ptr<StreamState>> streams_;
};

}  // namespace tracedeck::heph

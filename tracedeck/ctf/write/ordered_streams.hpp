// The data streams that take the events of one source which is not in the order of time.
//
// Event records of a data stream follow each other in time (CTF2-SPECRC-3.0, er). A source such as
// dial9, whose data streams are parts of one recording, steps back between parts and within them.
// Its events go into a few data streams, each to the first that does not end later; so each is in
// order, and the first has nearly all. When there are as many as may be, an event goes to the one
// that steps back the least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tracedeck/ctf/write/stream_writer.hpp"

namespace tracedeck::ctf {

class OrderedStreams {
 public:
  // Data streams at most.
  static constexpr std::size_t kMost = 64;

  // Null: there has to be another.
  [[nodiscard]] StreamWriter* choose(const Event& event) {
    if (streams_.empty()) return nullptr;
    if (!event.has_time()) return streams_[last_].get();
    const std::uint64_t time = streams_.front()->clock_value(event);
    for (last_ = 0; last_ < streams_.size(); ++last_) {
      if (streams_[last_]->last_time() <= time) return streams_[last_].get();
    }
    if (streams_.size() < kMost) return nullptr;
    last_ = earliest();
    return streams_[last_].get();
  }

  StreamWriter& add(std::unique_ptr<StreamWriter> stream) {
    last_ = streams_.size();
    return *streams_.emplace_back(std::move(stream));
  }
  [[nodiscard]] std::span<const std::unique_ptr<StreamWriter>> streams() const { return streams_; }

 private:
  // The one that ends first.
  [[nodiscard]] std::size_t earliest() const {
    std::size_t found = 0;
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      if (streams_[i]->last_time() < streams_[found]->last_time()) found = i;
    }
    return found;
  }

  std::vector<std::unique_ptr<StreamWriter>> streams_;
  std::size_t last_ = 0;  // that was chosen
};

}  // namespace tracedeck::ctf

// How much data streams lost, but for what came after all.
#pragma once

#include <cstdint>

#include "tracedeck/flow/late_events.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {

class LossCount {
 public:
  void add(const Loss& loss);

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t packets() const { return packets_; }
  // In which something is missing.
  [[nodiscard]] std::uint64_t places() const { return places_; }
  // Of these, places of which nothing says how much.
  [[nodiscard]] std::uint64_t places_of_unknown_size() const { return unknown_; }

 private:
  LateEvents late_;
  std::uint64_t events_ = 0;
  std::uint64_t packets_ = 0;
  std::uint64_t places_ = 0;
  std::uint64_t unknown_ = 0;
};

}  // namespace tracedeck::flow

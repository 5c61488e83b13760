// How much data streams lost, but for what came after all.
#pragma once

#include <cstdint>

#include "tracedeck/flow/late_events.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::flow {

struct LossTotals {
  std::uint64_t events = 0;  // of the places that say how many
  std::uint64_t packets = 0;
  std::uint64_t places = 0;                  // in which something is missing
  std::uint64_t places_of_unknown_size = 0;  // of these, where nothing says how much
};

class LossCount {
 public:
  void add(const Loss& loss);

  [[nodiscard]] const LossTotals& totals() const { return totals_; }

 private:
  LateEvents late_;
  LossTotals totals_;
};

}  // namespace tracedeck::flow

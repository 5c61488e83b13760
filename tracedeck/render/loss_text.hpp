// How much was lost, in words.
#pragma once

#include <string>

#include "tracedeck/flow/loss_count.hpp"

namespace tracedeck::render {

// "14 events and 1 packet, in 2 places"; empty: nothing was lost.
[[nodiscard]] std::string losses_text(const flow::LossTotals& losses);

}  // namespace tracedeck::render

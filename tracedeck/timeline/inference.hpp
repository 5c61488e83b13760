// Tables for events that no table is about: pairs by their names, slices of what has a duration,
// else instants.
#pragma once

#include <string>

#include "tracedeck/model/record.hpp"
#include "tracedeck/timeline/pairing.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck::timeline {

// A table for the events of a class, `event` being one of them, and of its pairing. Equal tables
// have equal texts.
[[nodiscard]] Table infer_table(const Event& event, const Pairing& pairing);

// A table as it would be written.
[[nodiscard]] std::string to_toml(const Table& table);

}  // namespace tracedeck::timeline

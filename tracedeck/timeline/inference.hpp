// Tables for events that no table is about: pairs by their names, slices of what has a duration,
// else instants.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/model/record.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck::timeline {

// Of "lock_begin", "x:entry", "job_done" ... as far as its ending says that it has a partner.
[[nodiscard]] bool begins_pair(std::string_view name);
[[nodiscard]] bool ends_pair(std::string_view name);

// The class that `event_class` makes pairs with, of those that the trace has by now; null if none.
[[nodiscard]] const EventClass* find_partner(const EventClass& event_class);

// A table for the events of a class, `event` being one of them, and of its partner if it has one.
// Equal tables have equal texts.
[[nodiscard]] Table infer_table(const Event& event, const EventClass* partner);

// A table as it would be written.
[[nodiscard]] std::string to_toml(const Table& table);

}  // namespace tracedeck::timeline

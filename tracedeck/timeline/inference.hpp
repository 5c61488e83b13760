// Tables for events that no table is about: pairs by their names, slices of what has a duration,
// else instants.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/timeline/table.hpp"

namespace tracedeck::timeline {

// Classes of a trace that begin and end the same, as their names say: "job_start" with "job_stop"
// and "job_done".
struct Pairing {
  std::string prefix = {};  // "job"
  std::vector<const EventClass*> begins = {};
  std::vector<const EventClass*> ends = {};

  [[nodiscard]] bool has(const EventClass& event_class) const;
};

// That of a class, by the classes that the trace has by now; an empty one if it has none.
[[nodiscard]] Pairing find_pairing(const EventClass& event_class);

// A table for the events of a class, `event` being one of them, and of its pairing. Equal tables
// have equal texts.
[[nodiscard]] Table infer_table(const Event& event, const Pairing& pairing);

// A table as it would be written.
[[nodiscard]] std::string to_toml(const Table& table);

}  // namespace tracedeck::timeline

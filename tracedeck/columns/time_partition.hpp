// Partitions of tables by UTC date and hour, as folders in the way of Hive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tracedeck/columns/table_options.hpp"
#include "tracedeck/model/record.hpp"

namespace tracedeck::columns {

// The hour that an event began in, counted from the Unix epoch; of dates the first of the day.
// Nothing where its clock does not count from there, or 64 bits of ns do not hold the time.
[[nodiscard]] std::optional<std::int64_t> partition_hour(const Event& event,
                                                         TimePartition partition);

// `date=2026-11-22/`, or `date=2026-11-22/hour=03/`; of nothing "".
[[nodiscard]] std::string partition_folder(std::optional<std::int64_t> hour,
                                           TimePartition partition);

}  // namespace tracedeck::columns

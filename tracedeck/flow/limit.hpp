// The first events of a source.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// The records of `source` up to and with its `events`-th event; none at all when `events` is 0.
// What comes after is not read.
[[nodiscard]] std::unique_ptr<RecordSource> limit(std::unique_ptr<RecordSource> source,
                                                  std::uint64_t events);

}  // namespace tracedeck::flow

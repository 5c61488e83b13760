// The last events of a source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// The last `events` events of `source`, in its order, once it has ended. All other records stay;
// those before the events come while the source is read. An error of the source comes behind what
// preceded it. Error: kLimitExceeded, when those events do not fit into `memory` bytes.
[[nodiscard]] std::unique_ptr<RecordSource> tail(std::unique_ptr<RecordSource> source,
                                                 std::uint64_t events,
                                                 std::size_t memory = std::size_t{256} << 20);

}  // namespace tracedeck::flow

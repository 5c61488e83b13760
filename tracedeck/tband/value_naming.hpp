// The names of ids in traces that were restored from another format.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/format/value_naming.hpp"

namespace tracedeck::tband {

// `limit`: bytes that the names may take.
[[nodiscard]] std::unique_ptr<ValueNaming> value_naming(std::uint64_t limit);

}  // namespace tracedeck::tband

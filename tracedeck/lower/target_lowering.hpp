// The lowering that a target of a format wants.
#pragma once

#include <memory>

#include "tracedeck/format/format.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::lower {

// `writer`, or a writer in front of it that gives it what `target` can hold. See `Lowering`.
[[nodiscard]] std::unique_ptr<Writer> lower_to_target(const WriteTarget& target,
                                                      std::unique_ptr<Writer> writer,
                                                      const WriteOptions& options);

}  // namespace tracedeck::lower

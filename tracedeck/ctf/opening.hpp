// What the reader of a trace yields before its data streams.
#pragma once

#include <memory>
#include <optional>

#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::ctf {

struct Opening {
  std::shared_ptr<Batch> batch;         // the classes, and what was found in the metadata, if any
  std::optional<Error> rejection = {};  // why nothing can be decoded
};

// Takes the findings of `trace`; warnings are left out unless `findings`.
[[nodiscard]] Opening open_trace(Trace& trace, bool findings);

}  // namespace tracedeck::ctf

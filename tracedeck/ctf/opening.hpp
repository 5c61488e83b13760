// What the reader of a trace yields before its data streams.
#pragma once

#include <memory>
#include <optional>

#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck::ctf {

struct Opening {
  std::unique_ptr<RecordSource> classes = {};  // yields them, and comes first; null: there are none
  std::shared_ptr<Batch> batch = {};           // what was found in the metadata, if anything
  std::optional<Error> rejection = {};         // why nothing can be decoded
};

// Takes the findings of `trace`; warnings are left out unless `findings`.
[[nodiscard]] Opening open_trace(Trace& trace, bool findings);

}  // namespace tracedeck::ctf

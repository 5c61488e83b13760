// Stacks of samples: lists of addresses in the arguments of marks, the innermost first.
#pragma once

#include <string>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/symbol_values.hpp"
#include "tracedeck/query/value.hpp"
#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::exporting {

// The trace whose addresses those of a mark are; may be null.
[[nodiscard]] inline const TraceDescription* trace_of(const timeline::Mark& mark) {
  const DataStreamClass* const stream_class =
      mark.event == nullptr ? nullptr : mark.event->event_class->stream_class;
  return stream_class == nullptr ? nullptr : stream_class->trace;
}

// "app::parse (src/app.rs:12) < app::handle (src/app.rs:11) < 0x2000"
[[nodiscard]] std::string stack_text(const TraceDescription* trace, const query::Value& stack);

}  // namespace tracedeck::exporting

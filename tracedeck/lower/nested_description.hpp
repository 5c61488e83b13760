// What a target with nested classes has of a description, apart from data streams and marks.
#pragma once

#include <memory>

#include "tracedeck/base/error.hpp"
#include "tracedeck/format/target_profile.hpp"
#include "tracedeck/lower/nested_class.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

// The trace class, the environment and nothing else of `source`.
[[nodiscard]] std::shared_ptr<TraceDescription> lowered_trace(const TraceDescription& source,
                                                              const NestedProfile& profile);

// A clock whose tick is no part of a second counts nanoseconds.
[[nodiscard]] ClockClass lowered_clock(const ClockClass& source);

// Its data stream class and clock are to be set, and it has the attributes of the source.
[[nodiscard]] EventClass lowered_event_class(const NestedClass& lowered);

// A description as the target has it, with event classes in their usual shape; the description
// itself where the target holds it.
struct LoweredDescription {
  std::shared_ptr<const TraceDescription> description;  // its event classes do not count
  EachEventClass event_classes;
};

// `profile.nested` is set, and must outlive it. Error: kLimitExceeded: the classes are too many
// when they are written out.
[[nodiscard]] Result<LoweredDescription> lowered_description(const TraceDescription& source,
                                                             const TargetProfile& profile);

}  // namespace tracedeck::lower

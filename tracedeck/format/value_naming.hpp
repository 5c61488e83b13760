// Names beside values of a trace that was restored from another format.
#pragma once

#include <span>

#include "tracedeck/model/record.hpp"

namespace tracedeck {

// Gives them as the reader of the trace's own format does while it decodes. One thread at a time.
class ValueNaming {
 public:
  ValueNaming() = default;
  ValueNaming(const ValueNaming&) = delete;
  ValueNaming& operator=(const ValueNaming&) = delete;
  virtual ~ValueNaming() = default;

  // An event of the trace, which is looked through before it is read: what it gives names to has
  // them from the begin on.
  virtual void look_ahead(const Event& event) = 0;
  // The event that comes next: what it says, and what values of it have names, which go into the
  // description of its trace, the same at each call. `values`: a copy of its slots.
  virtual void name(const Event& event, std::span<Slot> values) = 0;
};

}  // namespace tracedeck

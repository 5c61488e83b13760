// Packet contexts on babeltrace2's lines.
#pragma once

#include <string>

#include "tracedeck/model/record.hpp"
#include "tracedeck/render/babeltrace_notes.hpp"
#include "tracedeck/render/babeltrace_options.hpp"
#include "tracedeck/render/babeltrace_value.hpp"

namespace tracedeck::render {

// The packet contexts of one data stream class. One thread at a time.
class BabeltracePackets {
 public:
  // `context` may be null.
  BabeltracePackets(FieldClassPtr context, BabeltracePalette palette, BabeltraceNames names = {});

  // Whether the lines of the class show a packet context.
  [[nodiscard]] bool shown() const { return shown_; }

  // Appends the context of a packet: `{ cpu_id = 2 }`, with the name of the scope if that is to be
  // shown.
  void append(TextBuffer& out, const Packet& packet, BabeltraceValues& values);

 private:
  FieldClassPtr context_;
  BabeltraceNotes notes_;
  std::string scope_;  // what stands before each
  bool names_;         // of members
  bool shown_;
};

}  // namespace tracedeck::render

// Moving events from a source to a writer, for `print` and `convert`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "cli/notices.hpp"
#include "tracedeck/format/reader.hpp"
#include "tracedeck/format/writer.hpp"

namespace tracedeck::cli {

struct EventsOut {
  RecordSource& source;
  Writer& writer;
  io::Output& output;
  Notices& notices;
  bool show_at_once = false;  // flush the output after every batch
  // What the writer is told behind the last record. May be empty.
  std::function<Result<void>(Writer&)> at_end = {};
  // Whether the source has something within that time. With it the output is flushed when the
  // source makes a pause, and about every second while it makes none.
  std::function<bool(std::chrono::milliseconds)> ready = {};
};

struct EventsWritten {
  // False: the source or the output failed, or its reader went away. That was reported.
  bool complete = false;
  Written written = {};
};

// Writes every record of the source, and finishes the writer. Damage is named on standard error
// after the events before it, which are shown first.
[[nodiscard]] EventsWritten write_events(const EventsOut& way, Session& session);

}  // namespace tracedeck::cli

// What records a run of the machine, each as the recorder of its format does: the same events, with
// the same fields.
#pragma once

#include <memory>
#include <string>

#include "tests/incidents/machine.hpp"
#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"

namespace tracedeck::tests {

class Recorder : public Observer {
 public:
  // Writes what was recorded as the trace `path`.
  [[nodiscard]] virtual Result<void> finish(const std::string& path) = 0;
};

// Writes a file that is a trace.
[[nodiscard]] Result<void> write_trace(const std::string& path, ByteSpan bytes);

// Workers of Tokio are processors, tasks are tasks: a poll is what a task does without waiting.
[[nodiscard]] std::unique_ptr<Recorder> record_dial9(Machine& machine);
// FreeRTOS on one core.
[[nodiscard]] std::unique_ptr<Recorder> record_tband(Machine& machine);
// Linux with LTTng: a directory of two traces, of the kernel and of the program with its mutexes.
[[nodiscard]] std::unique_ptr<Recorder> record_lttng(Machine& machine);
// Spans: a stream for each processor, a substream for each task.
[[nodiscard]] std::unique_ptr<Recorder> record_heph(Machine& machine);

}  // namespace tracedeck::tests

// The TRACEs as marks, for commands that show what events mean.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/timeline/interpreter.hpp"

namespace tracedeck::cli {

// What is known before the first mark.
struct MarksAhead {
  std::string format = {};  // of the first trace; empty: there are no events
  std::optional<std::int64_t> begin =
      {};                        // of --begin: what lies before is interpreted all the same
  timeline::Timeline& timeline;  // as long as the interpreter
};

// What is to be known behind the marks.
struct Interpreted {
  std::unique_ptr<timeline::Interpreter> interpreter;  // null: nothing could be read
  bool cut_short = false;                              // by an interrupt, which was noted
};

// Interprets all TRACEs, in the order of time unless the options ask for another. `sink_for` says
// where marks go.
using SinkFor = std::function<timeline::MarkSink&(const MarksAhead& ahead)>;
[[nodiscard]] Interpreted interpret(const Options& options, Session& session,
                                    const SinkFor& sink_for,
                                    flow::Needs::Symbols symbols = flow::Needs::Symbols::kNone);

}  // namespace tracedeck::cli

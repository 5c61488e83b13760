// The TRACEs as marks, for commands that show what events mean.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/timeline/interpreter.hpp"

namespace tracedeck::cli {

// What is to be known behind the marks.
struct Interpreted {
  std::unique_ptr<timeline::Interpreter> interpreter;  // null: nothing could be read
  std::uint64_t events = 0;
};

// Interprets all TRACEs, in the order of time unless the options ask for another. `begin_at` gets
// the time of --begin before the first mark: what lies before is interpreted all the same.
[[nodiscard]] Interpreted interpret(const Options& options, Session& session,
                                    timeline::MarkSink& sink,
                                    const std::function<void(std::int64_t)>& begin_at);

}  // namespace tracedeck::cli

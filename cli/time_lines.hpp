// The TRACEs as marks, for commands that show what events mean.
#pragma once

#include <functional>
#include <memory>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/timeline/mark_stream.hpp"
#include "tracedeck/timeline/requirement.hpp"

namespace tracedeck::cli {

class OpenPipeline;

using timeline::MarksAhead;
using timeline::SinkFor;

// What is to be known behind the marks.
struct Interpreted {
  std::unique_ptr<timeline::MarkStream> stream = {};
  const timeline::Interpreter* interpreter = nullptr;  // of the stream; null: nothing could be read
  bool cut_short = false;                              // by an interrupt, which was noted
};

// How the options say that marks are made.
[[nodiscard]] timeline::MarkStreamOptions mark_options(const Options& options);

// Reports what the interpretation has to say about tables and traces.
void report_notices(Session& session, const timeline::Interpreter& interpreter);

// Is given each batch of events after their marks.
using SeeEvents = std::function<void(const timeline::Timeline& timeline, const Batch& batch)>;

// Interprets all TRACEs. `sink_for` says where marks go; `see` is given each batch of events after
// their marks; `opened` is given what is read before the first of them, and open until the marks
// have ended. The last two may be empty.
[[nodiscard]] Interpreted interpret(const Options& options, Session& session,
                                    const SinkFor& sink_for,
                                    flow::Needs::Symbols symbols = flow::Needs::Symbols::kNone,
                                    const SeeEvents& see = {},
                                    const std::function<void(OpenPipeline& pipeline)>& opened = {});

// Prints what was applied and inferred, as tables.
void explain(const Options& options, Session& session);

// Reports arguments of slices and waits that an option names and none has: wrong usage.
void report_unknown(Session& session, const std::vector<std::string>& sentences);

// Reports each requirement that does not hold, as `check` finds, and counts it.
void check_requirements(
    const Options& options, Session& session,
    const std::function<timeline::Requirement::Verdict(const timeline::Requirement& requirement)>&
        check);

}  // namespace tracedeck::cli

// What the commands `query`, `latency`, `diff`, `why` and `validate` answer, as functions: the JSON
// that they print with --json.
//
//   std::string text;
//   const auto output = tracedeck::io::memory_output(text);
//   const auto done = tracedeck::answer_query({.paths = {"run.bin"}}, "count() by name", *output);
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/time_point.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/progress.hpp"
#include "tracedeck/timeline/slice_question.hpp"
#include "tracedeck/timeline/table.hpp"
#include "tracedeck/tracedeck.hpp"

namespace tracedeck {

// What is asked about, and how it is read.
struct Question {
  std::vector<std::string> paths = {};  // files, directories, trees; traces do not come live
  OpenOptions reading = {};
  bool keeps_order = false;  // the order was asked for, and is not the answer's to choose
  // Of answers about what events mean: tables of rules beside the built-in ones, or in place of one
  // of the same name (docs/timeline.md, `timeline::find_tables`).
  std::vector<timeline::Table> tables = {};
  GoOn go_on = {};
};

// Errors of all: those of a query or condition that cannot be read; kInvalidArgument, a literal has
// a unit, and what a question compares it with has none or another; kUnsupported, traces that come
// live; kBrokenPipe, `go_on` or the output ended it. What cannot be read of some traces is missing
// in the answer, and reported.

// The answer to the stages of a query as JSON lines, and one with what it was made of.
[[nodiscard]] Result<void> answer_query(Question question, std::string_view stages,
                                        io::Output& output);

// What the traces have for an answer over many: a part, of the form of `query --partial`. Errors:
// also kInvalidArgument, a question whose parts do not add up.
[[nodiscard]] Result<void> answer_partially(Question question, std::string_view stages,
                                            io::Output& output);

// The answer that parts add up to, in the same form as `answer_query`'s, or as a part. Errors:
// kInvalidArgument, there are none; kMustReject, a part is damaged or of another question.
[[nodiscard]] Result<void> merge_parts(std::span<const ByteSpan> parts, bool as_part,
                                       io::Output& output);

// How long slices and waits took, a JSON object. `reading.where` is about those. `by`: what rows
// are grouped by beside their names; "": nothing.
[[nodiscard]] Result<void> answer_latency(Question question, std::string by, io::Output& output);

// What differs between the two traces, a JSON array of rows. Errors: also kInvalidArgument, there
// are not two.
[[nodiscard]] Result<void> answer_diff(const Question& question, const std::string& by,
                                       io::Output& output);

struct WhyQuestion {
  timeline::SliceQuestion slice = {};
  std::optional<TimePoint> at = {};
};

// Why a slice or wait took as long as it did, a JSON object. Errors: also kUnsupported, a trace
// that cannot be read twice.
[[nodiscard]] Result<void> answer_why(const Question& question, const WhyQuestion& why,
                                      io::Output& output);

// A JSON line for each finding, problem and error.
[[nodiscard]] Result<void> validate(Question question, io::Output& output);

}  // namespace tracedeck

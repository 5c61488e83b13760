// Questions about traces that are read for the answer alone.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tracedeck/base/time_point.hpp"
#include "tracedeck/c/request.hpp"
#include "tracedeck/timeline/why.hpp"

namespace tracedeck::capi {

// A row of the answer of a query is a JSON line; the last one is about what it was made of.
// Errors: kInvalidArgument, a query that cannot be; those of opening, if no trace is left;
// kBrokenPipe, that the caller wants no more.
[[nodiscard]] Result<void> answer_query(Request request, std::string_view stages,
                                        io::Output& output);

// What is known for the answer (`query/partial.hpp`). Errors: as above.
[[nodiscard]] Result<void> answer_partially(Request request, std::string_view stages,
                                            io::Output& output);

// What parts add up to: the answer, or a part again. Errors: kUnrecognised, kMustReject, a part
// that is none or does not belong to the others; kBrokenPipe.
[[nodiscard]] Result<void> merge_parts(std::span<const ByteSpan> parts, bool as_part,
                                       io::Output& output);

// How long slices and waits took, a JSON object. `by`: see `timeline::LatencyOptions`. `where` of
// the request is about slices and waits. Errors: as above.
[[nodiscard]] Result<void> answer_latency(Request request, std::string by, io::Output& output);

// What differs between the two traces of the request, a JSON object. Errors: as above.
[[nodiscard]] Result<void> answer_diff(const Request& request, const std::string& by,
                                       io::Output& output);

struct WhyQuestion {
  timeline::SliceQuestion slice = {};
  std::optional<TimePoint> at = {};
};

// Why a slice or wait of the request's traces took as long as it did, a JSON object. Errors: as
// above; kUnsupported, a trace that cannot be read twice.
[[nodiscard]] Result<void> answer_why(const Request& request, const WhyQuestion& question,
                                      io::Output& output);

// A JSON line for each finding, problem and error. Errors: kBrokenPipe.
[[nodiscard]] Result<void> validate(Request request, io::Output& output);

}  // namespace tracedeck::capi

// Results that are divided into parts: --split-size and --split-duration.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/session.hpp"
#include "tracedeck/base/time.hpp"
#include "tracedeck/flow/split.hpp"
#include "tracedeck/flow/trace_place.hpp"
#include "tracedeck/format/writer.hpp"
#include "tracedeck/outputs.hpp"

namespace tracedeck::cli {

[[nodiscard]] bool is_split(const Options& options);

// Whether the traces are sorted by time, so that each part has the events of its time: those that
// are read again and again are, unless an order is asked for.
[[nodiscard]] bool sorts_parts(const Options& options, std::span<const flow::TracePlace> places);

// What is wrong with dividing the result, of that kind, or "".
[[nodiscard]] std::string check_split(const Options& options, const OutputKind& kind);

[[nodiscard]] flow::SplitOptions split_options(const Options& options);

// How many slices and waits of the TRACEs lie on both sides of a cut, as tables and the built-in
// ones say what events mean. `cuts`: in their order. Reads the TRACEs once more.
[[nodiscard]] Receipt divided_slices(const Options& options, Session& session,
                                     std::vector<Nanoseconds> cuts);

// The events that describe others, of all TRACEs as `options` reads them. Null: a TRACE can be read
// only once, or reading failed, which shows when it is read again.
[[nodiscard]] std::unique_ptr<flow::DescribingEvents> describing_events(const Options& options,
                                                                        Session& session);

// Notes that behind the last of `parts` parts there is one that is none of this result.
void report_other_parts(const Options& options, Session& session, std::size_t parts);

}  // namespace tracedeck::cli

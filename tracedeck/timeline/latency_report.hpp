// What `latency` prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tracedeck/flow/recording_survey.hpp"
#include "tracedeck/text/text_buffer.hpp"
#include "tracedeck/timeline/latency.hpp"

namespace tracedeck::timeline {

struct LatencyReportOptions {
  std::size_t top = 0;  // rows of each category, those with the greatest total; 0: all
  std::optional<std::int64_t> begin = {};  // of what is reported; that of the trace without
  std::uint64_t events_before = 0;         // that were read and lie before it
  std::optional<flow::RecordingQuality> quality = {};  // if it was surveyed
};

// For reading: waits first, then slices by category in the order of the tables.
[[nodiscard]] std::string latency_text(const Latency& latency, const Timeline& timeline,
                                       const LatencyReportOptions& options);
// As docs/json/latency.schema.json says.
[[nodiscard]] std::string latency_json(const Latency& latency, const Timeline& timeline,
                                       const LatencyReportOptions& options);

// What is to be said where no event lies in the range that was asked for; empty where one does.
[[nodiscard]] std::string empty_range_notice(const Timeline& timeline,
                                             std::optional<std::int64_t> begin);

// For what reports on marks have in common: "210,639 events, 4.81s; no losses; table dial9",
// of what lies from `from` on; `events_before`: those that were read and lie before it,
[[nodiscard]] std::string timeline_summary(const Timeline& timeline,
                                           std::optional<std::int64_t> from,
                                           std::uint64_t events_before = 0);
// the tables that were about events, as an array of JSON, and what became of what has no duration.
void append_tables(TextBuffer& out, const Timeline& timeline);
void append_counts(TextBuffer& out, const TimelineCounts& counts);

// A duration with three significant digits: "9.12us", "66.2ms".
[[nodiscard]] std::string short_duration(double nanoseconds);

}  // namespace tracedeck::timeline

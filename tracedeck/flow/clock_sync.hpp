// How a trace's own clock relates to UTC.
#pragma once

#include <cstdint>
#include <optional>

#include "tracedeck/base/time.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// Nanoseconds to add to the times of a trace to get ns since the Unix epoch: what the first of its
// events of `FormatInfo::clock_sync_event` says. Reads as far as there; `source` has to yield
// values. Nothing: the trace does not say.
[[nodiscard]] std::optional<Nanoseconds> utc_offset(RecordSource& source, const FormatInfo& format);
// The same, of a trace of which only the first `most` bytes or so are read.
[[nodiscard]] std::optional<Nanoseconds> early_utc_offset(Reader& reader, const FormatInfo& format,
                                                          std::uint64_t most);

// Whether the trace has classes of such events.
[[nodiscard]] bool describes_clock_sync(const TraceDescription& description,
                                        const FormatInfo& format);

}  // namespace tracedeck::flow

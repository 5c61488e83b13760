// Reads what a trace says of how its own clock relates to UTC.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tracedeck/base/time.hpp"
#include "tracedeck/flow/wall_clock.hpp"
#include "tracedeck/format/format.hpp"
#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

// What all events of `FormatInfo::clock_sync_event` say; `source` has to yield values, and is read
// to its end. Null: the trace does not say.
[[nodiscard]] std::shared_ptr<const WallClock> read_wall_clock(RecordSource& source,
                                                               const FormatInfo& format);
// Nanoseconds to add to the times of a trace to get ns since the Unix epoch, as its first such
// event says, of a trace of which only the first `most` bytes or so are read.
[[nodiscard]] std::optional<Nanoseconds> early_utc_offset(Reader& reader, const FormatInfo& format,
                                                          std::uint64_t most);

// Whether the trace has classes of such events.
[[nodiscard]] bool describes_clock_sync(const TraceDescription& description,
                                        const FormatInfo& format);

// The events of `source` at the times that `wall` shows. They come with `offset` added to their
// recorded times, at most `WallClock::least_offset`.
[[nodiscard]] std::unique_ptr<RecordSource> on_wall_clock(std::unique_ptr<RecordSource> source,
                                                          std::shared_ptr<const WallClock> wall,
                                                          Nanoseconds offset);

}  // namespace tracedeck::flow

// The first events of a source.
#pragma once

#include <cstdint>
#include <memory>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

struct LimitOptions {
  // Whether events that describe others count. Not behind a selection of what is to stand alone,
  // which lets them pass wherever they are.
  bool counts_describing = true;
  // Whether the source is read to its end for events that describe others, if it may have some, so
  // that what is delivered can be understood by itself.
  bool reads_on = false;
};

// The records of `source` up to and with its `events`-th event; none at all when `events` is 0.
// What follows is not read, unless the options say so: then the events that describe others
// pass, with the begins and ends of their data streams.
[[nodiscard]] std::unique_ptr<RecordSource> limit(std::unique_ptr<RecordSource> source,
                                                  std::uint64_t events,
                                                  const LimitOptions& options = {});

}  // namespace tracedeck::flow

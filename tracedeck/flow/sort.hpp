// Sorts records by time, in bounded memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tracedeck/format/reader.hpp"

namespace tracedeck::flow {

struct SortOptions {
  // Bytes that the sorter takes at most, apart from its sources, from the batches it hands on and
  // from a single record that is larger.
  std::size_t memory = std::size_t{20} << 20;
  // Where temporary files go; if empty to $TMPDIR, and if that is not set to /tmp.
  std::string temporary_directory = {};
  // Not 0: a source of one data stream that is recorded in order (see `says_its_packets`) and goes
  // back in time by at most a second so often at most has a clock that steps back: it keeps its own
  // order.
  std::uint64_t kept_steps = 0;
  // Once a stop is requested, inputs may end early.
  std::stop_token stop = {};
};

// Sources to be sorted.
struct SortInput {
  // Makes the sources, the same ones each time, in the order that ties keep; `values` false: events
  // need no slots (`ReadOptions::values`).
  std::function<Result<std::vector<std::unique_ptr<RecordSource>>>(bool values)> open;
  // Whether `open` may be called again, and is worth it: reading is cheap compared with a temporary
  // file. Not for pipes; for compressed files as the caller likes.
  bool reopens = true;
};

// The records of all sources by the time that events began, stably; ties keep the order of the
// inputs, then of their sources. An event without a time goes with the timed event before it in its
// data stream, and comes first where there is none, and so do, where data streams have files of
// their own, the begins and ends of those and of their packets, and losses; other ends of data
// streams come after all records before them, and every other record follows the record that it
// follows in its source.
//
// Inputs that reopen are first surveyed, without values. Then all sources are merged, each brought
// in order while it is read again: one that is in order is handed on as it is; one that is nearly
// in order, and has few events that are far from their place, is sorted by chunks. Everything else,
// from the earliest record on that goes before the one before it, is sorted externally, through an
// unnamed temporary file where memory does not suffice.
//
// The first `next` surveys all inputs, and reads those to their end that do not reopen. Errors:
// those of the inputs, after all records that could be read; those of the temporary file
// (kWriteFailed); kReadFailed when an input cannot be opened again, or became shorter or came in
// another order between two readings. An input that grows meanwhile is read as far as the first
// time.
[[nodiscard]] std::unique_ptr<RecordSource> sort(std::vector<SortInput> inputs,
                                                 const SortOptions& options = {});

}  // namespace tracedeck::flow

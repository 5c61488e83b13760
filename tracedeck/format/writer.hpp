// The interface of every target of records: the writers of the formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck {

// One kind of thing that a target format could not hold, and how often it came up.
struct ReceiptEntry {
  // What it is of, by which the entries of the parts of a divided result add up.
  enum class Of : std::uint8_t {
    kRecords,      // each is in one part
    kDescription,  // of a trace, which each part has
    kEmptyClass,   // a class without events: of the whole only where no part has any
  };
  std::string what = {};  // "event without a time", a short noun phrase
  std::string done = {};  // "written as field `duration`", what was done instead
  std::uint64_t count = 0;
  bool lossy = true;  // false: nothing is lost, only written in another way
  Of of = Of::kRecords;
  // Where, as far as the target says: the event class, the field in it, and the first event.
  std::string event_class = {};
  std::string path = {};
  std::string input = {};
  std::uint64_t offset = 0;  // bytes
};
using Receipt = std::vector<ReceiptEntry>;

// What became of records that were written.
struct Written {
  std::uint64_t events = 0;
  std::uint64_t refused = 0;       // records that the target cannot hold at all
  std::uint64_t damaged = 0;       // ranges of the source that could not be read
  std::string first_refusal = {};  // why, of the first
};

// How many ranges could not be read, as records of a batch say.
[[nodiscard]] std::uint64_t damaged_ranges(const Batch& batch);

// Writes records in the order given to an output that the caller owns and finishes.
class Writer {
 public:
  virtual ~Writer() = default;

  // Errors: those of the output; kInvalidArgument and kLimitExceeded for values that the target
  // cannot hold at all (then nothing of that record was written).
  [[nodiscard]] virtual Result<void> write(const Record& record) = 0;

  // The same, where a record that the target cannot hold is counted and is no error.
  [[nodiscard]] Result<void> write_or_refuse(const Record& record, Written& written);

  // All records of a batch, of which some may be refused. Adds to `written`. A writer overrides it
  // that does better with many at once. Errors: those of the output.
  [[nodiscard]] virtual Result<void> write_batch(const Batch& batch, Written& written);

  // A trace that was read and of which no data stream has begun: what is known of it (environment,
  // clocks, classes) is written as far as the target has it without events. Before `finish`.
  // Errors: those of `write`.
  [[nodiscard]] virtual Result<void> describe(const TraceDescription& trace);

  // Hands what is buffered to the output, which need not pass it on: what was written so far can
  // then be shown before something else is. The files of a directory, which only the writer knows,
  // are flushed. The trace may go on after it.
  [[nodiscard]] virtual Result<void> flush() { return {}; }

  // Writes what is buffered to the output. The trace is complete after it.
  [[nodiscard]] virtual Result<void> finish() = 0;

  [[nodiscard]] virtual Receipt receipt() const = 0;

 protected:
  // Counts what became of a record. Errors: `result`'s, unless it says that the target cannot hold
  // the record.
  [[nodiscard]] static Result<void> counted(Result<void>&& result, bool is_event, Written& written);
};

}  // namespace tracedeck

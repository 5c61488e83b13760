// The interface of every source of records: the readers of the formats and the stages of `flow`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tracedeck/base/error.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck {

struct ReadOptions {
  // Put field values on the tape. Without them events have no slots: counting and timing is faster.
  bool values = true;
  // Yield kFinding records for what is tolerated. kProblem records always come.
  bool findings = true;
  // Bytes that the live windows, pools, names and classes may take.
  std::uint64_t max_state = std::uint64_t{1} << 30;
  // Nanoseconds to add to every time.
  std::int64_t clock_shift = 0;
};

// Something that yields records in batches. One thread at a time; the batches may go to others.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  // The next batch, never empty; null at the end. Errors end the source: kMustReject (the
  // specification demands rejection), kReadFailed for what cannot be expressed as a kProblem
  // record.
  [[nodiscard]] virtual Result<BatchPtr> next() = 0;
};

// A reader of one trace.
class Reader : public RecordSource {
 public:
  // Grows while reading; alive as long as the reader or a batch of it.
  [[nodiscard]] virtual std::shared_ptr<const TraceDescription> description() const = 0;

  // How far reading is, 0 to 1, for progress; negative when unknown (pipes).
  [[nodiscard]] virtual double progress() const { return -1; }

  // Bytes the input takes where it is stored, compressed or not; absent for pipes.
  [[nodiscard]] virtual std::optional<std::uint64_t> stored_size() const { return {}; }
  // Bytes read so far, after decompression; at the end of the trace its whole size.
  [[nodiscard]] virtual std::optional<std::uint64_t> bytes_read() const { return {}; }
};

}  // namespace tracedeck

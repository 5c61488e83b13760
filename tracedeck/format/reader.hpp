// The interface of every source of records: the readers of the formats and the stages of `flow`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/format/given_metadata.hpp"
#include "tracedeck/model/batch.hpp"

namespace tracedeck {

struct ReadOptions {
  // Put field values on the tape. Without them events have no slots: counting and timing is faster.
  bool values = true;
  // Of events that carry their own name (`EventClass::self_described`) have it there all the same.
  bool names = false;
  // Put the values of event headers on the tape too: for who writes the same headers.
  bool headers = false;
  // Yield kFinding records for what is tolerated. kProblem records always come.
  bool findings = true;
  // Yield those of metadata, which come before all events, without `findings` too.
  bool metadata_findings = false;
  // Bytes that the live windows, pools, names and classes may take.
  std::uint64_t max_state = std::uint64_t{1} << 30;
  // Nanoseconds to add to every time.
  std::int64_t clock_shift = 0;
  // What times count from with `clock_shift` added, where that is known better than the trace
  // knows it: of formats with `FormatInfo::clock_sync_event`.
  std::optional<ClockOrigin> clock_origin = {};
  // Only events in this interval are wanted (ns from the clocks' origins, both ends belong to it):
  // a reader may skip what holds none, but need not.
  std::optional<Nanoseconds> begin = {};
  std::optional<Nanoseconds> end = {};
  // The packets that are passed over for `begin` or `end` come all the same, but not their ends: a
  // reader of a format with `FormatInfo::packets_apart` does so.
  bool passed_packets = false;
  // Packets are wanted and no events: a reader of a format with `FormatInfo::packets_apart` passes
  // over what is in them, others need not.
  bool packets_only = false;
  // What the description is to have for `TraceDescription::symbols`, of formats with
  // `FormatInfo::symbols`.
  std::shared_ptr<const Symbols> symbols = {};
  // The input is hexadecimal text (Tonbandgerät).
  bool hexadecimal = false;
  // Of a trace that a conversion made from another: as it is stored, and not as it was before.
  bool as_stored = false;
  // Of an input that is a bare data stream (CTF). Null: traces have their own.
  std::shared_ptr<const GivenMetadata> metadata = {};
  // Called, by who reads, with what a user should know and no record can say, as a sentence that
  // begins with the name of the input. May be empty.
  std::function<void(const std::string& sentence)> notice = {};
  // Traces that are read side by side, as a merge does: the more, the smaller are the windows and
  // batches of each, so that all of them together do not take more. Only speed depends on it.
  std::size_t side_by_side = 1;
  // Threads that may decode at the same time. What is read does not depend on it.
  unsigned jobs = 1;
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

  // The sources that this trace is a merge of, where it has several that each keep their own order:
  // the data streams of a CTF trace. To be called before `next`, which reads them one after the
  // other, and instead of it: a reader whose streams were taken yields nothing itself. The reader
  // must outlive them. Empty: the reader is the only source.
  [[nodiscard]] virtual std::vector<std::unique_ptr<RecordSource>> take_streams() { return {}; }

  // The name of the `WriteTarget` that this trace could be an output of, so that it is rewritten
  // rather than converted. Lives as long as the reader.
  [[nodiscard]] virtual std::string_view target() const { return description()->format(); }

  // How far reading is, 0 to 1, for progress; negative when unknown (pipes).
  [[nodiscard]] virtual double progress() const { return -1; }

  // Bytes the input takes where it is stored, compressed or not; absent for pipes.
  [[nodiscard]] virtual std::optional<std::uint64_t> stored_size() const { return {}; }
  // Bytes read so far, after decompression; at the end of the trace its whole size.
  [[nodiscard]] virtual std::optional<std::uint64_t> bytes_read() const { return {}; }
};

}  // namespace tracedeck

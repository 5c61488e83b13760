// Reading whole traces into comparable form, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/dial9/reader.hpp"

namespace tracedeck::dial9 {

// The records of a trace, kept alive with their batches.
struct Records {
  std::vector<BatchPtr> batches;
  std::vector<Event> events;
  std::vector<Finding> problems;
  std::vector<Finding> findings;
  std::vector<std::uint64_t> begun;  // segments
  std::size_t ended = 0;
  std::shared_ptr<const TraceDescription> description;

  [[nodiscard]] std::uint64_t segment_of(const Event& event) const {
    return event.stream->keys.at(0).value;
  }
};

inline Records collect(Reader& reader) {
  Records records;
  records.description = reader.description();
  for (;;) {
    Result<BatchPtr> batch = reader.next();
    EXPECT_TRUE(batch.has_value()) << batch.error().to_string();
    if (!batch || *batch == nullptr) return records;
    EXPECT_FALSE((*batch)->empty());
    for (const Record& record : (*batch)->records()) {
      if (record.kind == RecordKind::kEvent) records.events.push_back(record.event);
      if (record.kind == RecordKind::kProblem) records.problems.push_back(record.notice->finding);
      if (record.kind == RecordKind::kFinding) records.findings.push_back(record.notice->finding);
      if (record.kind == RecordKind::kStreamBegin)
        records.begun.push_back(record.stream->keys.at(0).value);
      if (record.kind == RecordKind::kStreamEnd) ++records.ended;
    }
    records.batches.push_back(*std::move(batch));
  }
}

// `chunk`: bytes the input delivers at a time, 0 for all.
inline Result<std::unique_ptr<Reader>> open_bytes(ByteSpan bytes, const ReadOptions& options = {},
                                                  std::size_t chunk = 0) {
  return open_reader(io::memory_input("test", bytes, chunk), options);
}

inline Records read_bytes(ByteSpan bytes, const ReadOptions& options = {}, std::size_t chunk = 0) {
  Result<std::unique_ptr<Reader>> reader = open_bytes(bytes, options, chunk);
  EXPECT_TRUE(reader.has_value()) << reader.error().to_string();
  return collect(**reader);
}

// Whether two traces hold the same events: classes by name and id, times, segments and values.
inline bool same_events(const Records& a, const Records& b) {
  if (a.events.size() != b.events.size()) return false;
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    const Event& x = a.events[i];
    const Event& y = b.events[i];
    const bool same = x.event_class->name == y.event_class->name &&
                      x.event_class->id == y.event_class->id && x.has_time() == y.has_time() &&
                      x.time == y.time && a.segment_of(x) == b.segment_of(y) &&
                      same_values(x.payload(), y.payload());
    if (!same) return false;
  }
  return true;
}

}  // namespace tracedeck::dial9

// Reading whole traces into comparable form, for the tests of the formats.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tracedeck/format/reader.hpp"

namespace tracedeck {

// The records of a trace, kept alive with their batches.
struct Records {
  std::vector<BatchPtr> batches;
  std::vector<Event> events;
  std::vector<Loss> losses;
  std::vector<Finding> problems;
  std::vector<Finding> findings;
  std::vector<std::uint64_t> begun;  // first keys of the data streams
  std::size_t ended = 0;
  std::shared_ptr<const TraceDescription> description;
};

inline void collect(const BatchPtr& batch, Records& records) {
  EXPECT_FALSE(batch->empty());
  for (const Record& record : batch->records()) {
    if (record.kind == RecordKind::kEvent) records.events.push_back(record.event);
    if (record.kind == RecordKind::kLoss) records.losses.push_back(*record.loss);
    if (record.kind == RecordKind::kProblem) records.problems.push_back(record.notice->finding);
    if (record.kind == RecordKind::kFinding) records.findings.push_back(record.notice->finding);
    if (record.kind == RecordKind::kStreamBegin)
      records.begun.push_back(record.stream->keys.at(0).value);
    if (record.kind == RecordKind::kStreamEnd) ++records.ended;
  }
  records.batches.push_back(batch);
}

inline Records collect(Reader& reader) {
  Records records;
  records.description = reader.description();
  for (;;) {
    const Result<BatchPtr> batch = reader.next();
    EXPECT_TRUE(batch.has_value()) << batch.error().to_string();
    if (!batch || *batch == nullptr) return records;
    collect(*batch, records);
  }
}

}  // namespace tracedeck

// Reading whole Heph traces into comparable form, for tests.
#pragma once

#include <gtest/gtest.h>

#include "tracedeck/format/collect_records_test.hpp"
#include "tracedeck/heph/reader.hpp"

namespace tracedeck::heph {

inline std::uint64_t stream_of(const Event& event) { return event.stream->keys.at(0).value; }
inline std::uint64_t substream_of(const Event& event) { return event.common_context()[0].bits; }
inline std::uint64_t counter_of(const Event& event) { return event.common_context()[1].bits; }

// `chunk`: bytes the input delivers at a time, which makes it a live one; 0 for all.
inline Records read_bytes(ByteSpan bytes, const ReadOptions& options = {}, std::size_t chunk = 0) {
  Result<std::unique_ptr<Reader>> reader =
      open_reader(io::memory_input("test", bytes, chunk), options);
  EXPECT_TRUE(reader.has_value()) << reader.error().to_string();
  return collect(**reader);
}

inline std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) ids.emplace_back(finding.rule->id);
  return ids;
}

// Events lost, less those taken back.
inline std::int64_t lost(const Records& records) {
  std::int64_t sum = 0;
  for (const Loss& loss : records.losses) {
    const auto events = static_cast<std::int64_t>(loss.events.value_or(0));
    sum += loss.taken_back ? -events : events;
  }
  return sum;
}

inline bool same_events(const Records& a, const Records& b) {
  if (a.events.size() != b.events.size()) return false;
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    const Event& x = a.events[i];
    const Event& y = b.events[i];
    const bool same = x.event_class->name == y.event_class->name && x.time == y.time &&
                      x.end_time == y.end_time && stream_of(x) == stream_of(y) &&
                      x.began_at() == y.began_at() &&
                      same_values({x.slots, x.slot_count}, {y.slots, y.slot_count});
    if (!same) return false;
  }
  return true;
}

}  // namespace tracedeck::heph

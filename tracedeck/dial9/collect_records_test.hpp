// Reading whole traces into comparable form, for tests.
#pragma once

#include <gtest/gtest.h>

#include "tracedeck/dial9/reader.hpp"
#include "tracedeck/format/collect_records_test.hpp"

namespace tracedeck::dial9 {

inline std::uint64_t segment_of(const Event& event) { return event.stream->keys.at(0).value; }

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
                      x.time == y.time && segment_of(x) == segment_of(y) &&
                      same_values(x.payload(), y.payload());
    if (!same) return false;
  }
  return true;
}

}  // namespace tracedeck::dial9

// Building traces byte by byte, for tests.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/tband/encoder.hpp"

namespace tracedeck::tband {

using Bytes = std::vector<std::uint8_t>;

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The frame of an event of the table, by name.
inline Bytes frame(std::string_view name, std::uint64_t timestamp,
                   std::initializer_list<FieldValue> fields) {
  Bytes bytes;
  const EventFacts* const facts = find_event(name);
  EXPECT_NE(facts, nullptr) << name;
  const auto written = encode_event(*facts, timestamp, {fields.begin(), fields.size()}, bytes);
  EXPECT_TRUE(written.has_value()) << written.error().to_string();
  return bytes;
}

inline FieldValue number(std::uint64_t value) { return {.number = value}; }
inline FieldValue text(std::string_view value) { return {.text = value}; }

inline Bytes isr_enter(std::uint64_t timestamp, std::uint32_t id) {
  return frame("isr_enter", timestamp, {number(id)});
}
inline const Bytes kResolution25 = frame("ts_resolution_ns", 0, {number(25)});

}  // namespace tracedeck::tband

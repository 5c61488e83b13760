// A real recording of a Tokio service, where the shared traces are at hand: what the native decoder
// counts in it is known.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "tracedeck/base/padded_bytes.hpp"
#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/io/input.hpp"
#include "tracedeck/io/reference_traces_test.hpp"

namespace tracedeck::dial9 {
namespace {

std::vector<std::uint8_t> read_all(io::Input& input) {
  std::vector<std::uint8_t> bytes;
  for (;;) {
    const std::size_t used = bytes.size();
    bytes.resize(used + (1 << 20));
    const Result<std::size_t> got = input.read(bytes.data() + used, bytes.size() - used);
    EXPECT_TRUE(got.has_value());
    bytes.resize(used + got.value_or(0));
    if (got.value_or(0) == 0) return bytes;
  }
}

struct Counter : FrameHandler {
  std::map<std::string, std::uint64_t> events = {};
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  std::uint64_t timeless = 0;
  std::size_t problems = 0;

  bool event(const EventType& type, std::uint64_t timestamp, std::uint64_t, std::uint32_t,
             SkipPolicy::Out*, SkipPolicy::Out*) {
    ++events[std::string(type.name())];
    if (timestamp == 0) {
      ++timeless;
    } else {
      first = std::min(first, timestamp);
      last = std::max(last, timestamp);
    }
    return true;
  }
  void problem(const Finding&) { ++problems; }
};

TEST(Recording, HasTheFramesAndEventsThatAreKnown) {
  const std::filesystem::path recording = reference_traces("dial9/tokio-demo.bin.gz");
  if (const std::string why = missing(recording); !why.empty()) GTEST_SKIP() << why;
  const auto input = io::open_input(recording);
  ASSERT_TRUE(input.has_value());
  const PaddedBytes bytes{ByteSpan(read_all(**input))};
  Decoder decoder;
  Counter counter;
  std::size_t position = 0;
  EXPECT_EQ(decoder.run({.bytes = bytes.view(), .last = true}, position, counter).outcome,
            DecodeOutcome::kConsumed);

  EXPECT_EQ(counter.problems, 0U);
  EXPECT_EQ(decoder.frame_counts().headers, 14U);
  EXPECT_EQ(decoder.frame_counts().schemas, 94U);
  EXPECT_EQ(decoder.frame_counts().string_pools, 10'509U);
  EXPECT_EQ(decoder.frame_counts().stack_pools, 293U);
  EXPECT_EQ(decoder.frame_counts().timestamp_resets, 7'678U);
  EXPECT_EQ(counter.first, 503'226'032'430'072U);
  EXPECT_EQ(counter.last, 503'230'842'286'478U);
  EXPECT_EQ(counter.timeless, 992U);
  std::uint64_t events = 0;
  for (const auto& [name, count] : counter.events) events += count;
  EXPECT_EQ(events, 210'639U);
  EXPECT_EQ(counter.events["PollStartEvent"], 36'801U);
  EXPECT_EQ(counter.events["WakeEventEvent"], 35'552U);
  EXPECT_EQ(counter.events["TaskDumpEvent"], 12'952U);
  EXPECT_EQ(counter.events["SymbolTableEntry"], 992U);
  EXPECT_EQ(counter.events["SegmentMetadataEvent"], 1U);
}

}  // namespace
}  // namespace tracedeck::dial9

#include "tracedeck/heph/recorder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tracedeck/heph/collect_records_test.hpp"

namespace tracedeck::heph {
namespace {

class Sunk {
 public:
  [[nodiscard]] Sink sink() {
    return [this](ByteSpan bytes) -> Result<void> {
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      return {};
    };
  }
  [[nodiscard]] Records read() const { return read_bytes(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

TEST(Recorder, RecordsSpansInTheTimeOfDay) {
  Sunk sunk;
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  Recorder recorder(sunk.sink());
  RecorderStream& stream = recorder.this_thread();
  const Span outer = stream.start();
  const Span inner = stream.start(7);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ASSERT_TRUE(stream.finish(inner, "inner", {{"n", 3U}}));
  ASSERT_TRUE(stream.finish(outer, "outer"));
  ASSERT_TRUE(recorder.finish());
  const auto after = std::chrono::system_clock::now().time_since_epoch();

  const Records records = sunk.read();
  ASSERT_EQ(records.events.size(), 2U);
  const Event& first = records.events[0];
  const Event& second = records.events[1];
  EXPECT_EQ(first.event_class->name, "inner");
  EXPECT_EQ(substream_of(first), 7U);
  EXPECT_EQ(first.payload()[0].bits, 3U);
  EXPECT_EQ(stream_of(first), 1U);
  EXPECT_EQ(counter_of(second), 1U);
  EXPECT_LE(second.time, first.time);
  EXPECT_GE(second.end_time, first.end_time);
  EXPECT_GE(first.end_time - first.time, 2'000'000U);
  const auto nanoseconds = [](auto time) {
    return Nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  };
  EXPECT_GE(second.began_at(), nanoseconds(before));
  EXPECT_LE(second.recorded_at(), nanoseconds(after + std::chrono::milliseconds(50)));
}

TEST(Recorder, GivesEveryThreadAStream) {
  constexpr int kThreads = 4;
  constexpr int kEvents = 5000;
  Sunk sunk;
  Recorder recorder(sunk.sink(), 1000);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&recorder] {
        for (int k = 0; k < kEvents; ++k) {
          RecorderStream& stream = recorder.this_thread();
          EXPECT_TRUE(stream.finish(stream.start(), "own", {{"k", k}}));
          EXPECT_TRUE(recorder.shared().finish(recorder.shared().start(), "shared"));
          if (k % 1000 != 0) continue;
          EXPECT_TRUE(recorder.flush());
        }
      });
    }
  }
  ASSERT_TRUE(recorder.finish());
  const Records records = sunk.read();
  EXPECT_EQ(records.events.size(), 2U * kThreads * kEvents);
  EXPECT_TRUE(records.problems.empty());
  EXPECT_TRUE(records.findings.empty());
  EXPECT_TRUE(records.losses.empty());
  std::map<std::uint64_t, std::int64_t> next;
  for (const Event& event : records.events) {
    if (event.event_class->name != "own") {
      EXPECT_EQ(stream_of(event), 0U);
      continue;
    }
    EXPECT_EQ(event.payload()[0].integer, next[stream_of(event)]++);
  }
  EXPECT_EQ(next.size(), static_cast<std::size_t>(kThreads));
}

TEST(Recorder, KeepsTheStreamsOfRecordersApart) {
  Sunk first;
  Sunk second;
  Recorder one(first.sink());
  {
    Recorder two(second.sink());
    EXPECT_NE(&one.this_thread(), &two.this_thread());
    EXPECT_EQ(&two.this_thread(), &two.this_thread());
    EXPECT_TRUE(two.this_thread().finish({}, "two"));
  }
  EXPECT_EQ(second.read().events.size(), 1U);
  Recorder three(second.sink());
  EXPECT_NE(&one.this_thread(), &three.this_thread());
  EXPECT_EQ(three.add_stream().id(), 2U);
}

TEST(Recorder, ShowsWhatIsMissing) {
  Sunk sunk;
  Recorder recorder(sunk.sink());
  RecorderStream& stream = recorder.this_thread();
  ASSERT_TRUE(stream.finish(stream.start(), "first"));
  EXPECT_FALSE(stream.finish(stream.start(), std::string(70'000, 'x')));
  stream.skip(3);
  ASSERT_TRUE(stream.finish(stream.start(), "last"));
  ASSERT_TRUE(recorder.set_option("zone", as_bytes("UTC")));
  ASSERT_TRUE(recorder.finish());
  EXPECT_EQ(lost(sunk.read()), 4);
}

TEST(Recorder, ReturnsTheErrorOfTheSink) {
  Recorder recorder([](ByteSpan) -> Result<void> { return fail(ErrorCode::kWriteFailed, "full"); });
  EXPECT_TRUE(recorder.this_thread().finish({}, "e"));
  EXPECT_FALSE(recorder.flush());
  EXPECT_FALSE(recorder.this_thread().finish({}, "e"));
}

}  // namespace
}  // namespace tracedeck::heph

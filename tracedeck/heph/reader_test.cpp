#include "tracedeck/heph/reader.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tracedeck/heph/collect_records_test.hpp"
#include "tracedeck/heph/trace_bytes_test.hpp"
#include "tracedeck/io/input.hpp"

namespace tracedeck::heph {
namespace {

using Names = std::vector<std::string>;
constexpr std::uint64_t kEpoch = 1'610'113'734'118'010'000;

TraceBytes three_streams() {
  TraceBytes bytes;
  bytes.epoch(kEpoch);
  for (std::uint64_t i = 0; i < 30; ++i) {
    TraceBytes attributes;
    attributes.attribute("n", 1).u64(i).attribute("t", 4).text("text");
    if (i % 3 == 0) attributes.attribute("l", 0x84).u16(2).text("a").text("b");
    bytes.event({i % 3, i / 3, i % 2, i * 10, i * 10 + 5}, "event", attributes);
  }
  return bytes;
}

TEST(Reader, PutsPacketsInTermsOfTheModel) {
  TraceBytes attributes;
  attributes.attribute("u", 1).u64(7).attribute("ai", 0x82).u16(1).u64(~std::uint64_t{0});
  const TraceBytes bytes =
      TraceBytes().epoch(kEpoch).option("zone", "UTC").event({3, 9, 4, 100, 250}, "e", attributes);
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), 1U);
  const Event& event = records.events[0];
  EXPECT_EQ(event.event_class->name, "e");
  EXPECT_FALSE(event.event_class->id);
  EXPECT_TRUE(event.event_class->has_duration);
  EXPECT_EQ(event.began_at(), Nanoseconds(static_cast<std::int64_t>(kEpoch + 100)));
  EXPECT_EQ(event.event_class->clock->interval(event.time, event.end_time), Nanoseconds(150));
  EXPECT_EQ(event.event_class->clock->origin, ClockOrigin::kUnixEpoch);
  EXPECT_EQ(stream_of(event), 3U);
  EXPECT_EQ(substream_of(event), 4U);
  EXPECT_EQ(counter_of(event), 9U);
  ASSERT_EQ(event.payload().size(), 2U);
  EXPECT_EQ(event.payload()[0].bits, 7U);
  EXPECT_EQ(packed_element(event.payload()[1], 0).integer, -1);
  EXPECT_EQ(event.offset, 23 + 17U);
  EXPECT_EQ(event.size, bytes.size() - event.offset);
  EXPECT_EQ(records.begun, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(records.ended, 1U);
  EXPECT_EQ(records.description->environment(),
            (Attributes{{.key = "epoch", .value = std::to_string(kEpoch)},
                        {.key = "zone", .value = "UTC"}}));
}

TEST(Reader, ReadsTheSameInCrumbs) {
  const TraceBytes bytes = three_streams();
  const Records whole = read_bytes(bytes.bytes());
  EXPECT_EQ(whole.events.size(), 30U);
  for (const std::size_t chunk : {1U, 2U, 7U, 43U, 100U, 1000U}) {
    EXPECT_TRUE(same_events(whole, read_bytes(bytes.bytes(), {}, chunk))) << chunk;
  }
}

TEST(Reader, CountsTheSameWithoutValues) {
  TraceBytes bytes = three_streams();
  bytes.event({0, 10, 0, 9, 8}, "late").event({0, 20}, "gap").u8(7);
  const Records with = read_bytes(bytes.bytes());
  const Records without = read_bytes(bytes.bytes(), {.values = false});
  EXPECT_EQ(with.events.size(), 32U);
  EXPECT_EQ(without.events.size(), 32U);
  EXPECT_EQ(without.events[0].slot_count, 0U);
  EXPECT_EQ(ids(with.findings), ids(without.findings));
  EXPECT_EQ(ids(with.problems), ids(without.problems));
  EXPECT_EQ(lost(with), lost(without));
  EXPECT_TRUE(read_bytes(bytes.bytes(), {.values = false, .findings = false}).findings.empty());
}

TEST(Reader, ReadsPacketsLargerThanAWindow) {
  TraceBytes attributes;
  attributes.attribute("s", 4).text(std::string(65'535, 's'));
  for (int i = 0; i < 8; ++i) {
    attributes.attribute("a", 0x84).u16(20'000);
    for (int k = 0; k < 20'000; ++k) attributes.text("x");
  }
  const TraceBytes bytes =
      TraceBytes().event({}, "small").event({0, 1}, "large", attributes).event({0, 2}, "small");
  for (const std::size_t chunk : {0U, 5000U}) {
    const Records records = read_bytes(bytes.bytes(), {}, chunk);
    ASSERT_EQ(records.events.size(), 3U);
    EXPECT_EQ(records.events[1].payload().size(), 1 + 8 * 20'001U);
    EXPECT_TRUE(records.problems.empty());
  }
}

TEST(Reader, LeavesTheOriginUnknownWithoutAnEpoch) {
  const Records records = read_bytes(TraceBytes().event({0, 0, 0, 5, 6}, "e").bytes());
  ASSERT_EQ(records.events.size(), 1U);
  EXPECT_EQ(records.events[0].event_class->clock->origin, ClockOrigin::kUnknown);
  EXPECT_EQ(records.events[0].began_at(), Nanoseconds(5));
}

TEST(Reader, AddsTheOffsetThatTheUserGives) {
  const Records records =
      read_bytes(TraceBytes().epoch(10).event({0, 0, 0, 5, 6}, "e").bytes(), {.clock_shift = -20});
  EXPECT_EQ(records.events.at(0).began_at(), Nanoseconds(-5));
}

TEST(Reader, LooksThroughFilesForTheFirstEpoch) {
  TraceBytes bytes;
  for (std::uint64_t i = 0; i < 20'000; ++i) bytes.event({0, i, 0, i, i}, "before");
  bytes.epoch(kEpoch).epoch(kEpoch + 1).epoch(kEpoch);
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), 20'000U);
  EXPECT_EQ(records.events[1].began_at(), Nanoseconds(static_cast<std::int64_t>(kEpoch + 1)));
  EXPECT_EQ(ids(records.findings), (Names{"heph/epoch-conflict"}));
  EXPECT_EQ(records.findings[0].offset, 20'000 * 48 + 23U);
}

TEST(Reader, FindsAnEpochBehindDamage) {
  TraceBytes bytes;
  bytes.event({}, "bad", TraceBytes().u8(1)).raw("garbage").event({0, 1}, "good").epoch(kEpoch);
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), 1U);
  EXPECT_EQ(records.events[0].event_class->clock->origin, ClockOrigin::kUnixEpoch);
  EXPECT_EQ(records.problems.size(), 1U);
}

TEST(Reader, HoldsALiveInputBackForTheEpoch) {
  TraceBytes bytes;
  for (std::uint64_t i = 0; i < 100; ++i) bytes.event({0, i, 0, i, i}, "before");
  bytes.epoch(kEpoch).event({0, 100}, "after");
  const Records records = read_bytes(bytes.bytes(), {}, 10);
  ASSERT_EQ(records.events.size(), 101U);
  EXPECT_EQ(records.events[1].began_at(), Nanoseconds(static_cast<std::int64_t>(kEpoch + 1)));
  EXPECT_TRUE(records.findings.empty());
}

TEST(Reader, TakesALateEpochOfALiveInputFromThereOn) {
  TraceBytes bytes;
  for (std::uint64_t i = 0; i < 2000; ++i) bytes.event({0, i, 0, i, i}, "event");
  bytes.epoch(kEpoch).event({0, 2000, 0, 7, 7}, "event");
  const Records records = read_bytes(bytes.bytes(), {}, 1000);
  ASSERT_EQ(records.events.size(), 2001U);
  EXPECT_EQ(records.events[1999].began_at(), Nanoseconds(1999));
  EXPECT_EQ(records.events[2000].began_at(), Nanoseconds(static_cast<std::int64_t>(kEpoch + 7)));
  EXPECT_NE(records.events[0].event_class, records.events[2000].event_class);
  EXPECT_EQ(ids(records.findings), (Names{"heph/epoch-late"}));
  EXPECT_TRUE(records.losses.empty());
}

TEST(Reader, ReportsLossesReorderingAndDuplicatesFromCounters) {
  TraceBytes bytes;
  for (const std::uint64_t counter : {5U, 6U, 9U, 8U, 10U, 10U, 4U})
    bytes.event({1, counter, 0, counter, counter}, "e");
  bytes.event({2, 100}, "other");
  const Records records = read_bytes(bytes.bytes());
  EXPECT_EQ(records.events.size(), 8U);
  ASSERT_EQ(records.losses.size(), 2U);
  EXPECT_EQ(records.losses[0].events, 2U);
  EXPECT_EQ(records.losses[0].begin, Nanoseconds(6));
  EXPECT_EQ(records.losses[0].end, Nanoseconds(9));
  EXPECT_TRUE(records.losses[1].taken_back);
  EXPECT_EQ(lost(records), 1);
  EXPECT_EQ(ids(records.findings),
            (Names{"heph/counter-reordered", "heph/counter-duplicate", "heph/counter-reordered"}));
}

TEST(Reader, DoesNotCountDamageAsLoss) {
  TraceBytes bad;
  bad.attribute("a", 9).u64(1);
  TraceBytes bytes;
  bytes.event({1, 0}, "e").event({2, 0}, "e");
  bytes.event({1, 1}, "bad", bad);
  bytes.event({2, 1}, "e").event({1, 2}, "e");
  const std::size_t second = bytes.size();
  bytes.event({2, 2}, "magic").event({2, 3}, "e").event({2, 6}, "e").event({1, 3}, "e");
  bytes.buffer()[second] = 0;
  const Records records = read_bytes(bytes.bytes());
  EXPECT_EQ(records.problems.size(), 2U);
  EXPECT_EQ(lost(records), 2) << "4 and 5 of stream 2";
}

// A live input that delivers one piece at a time and pauses in between.
class PausingInput final : public io::Input {
 public:
  explicit PausingInput(std::vector<TraceBytes> pieces) : pieces_(std::move(pieces)) {}

  const std::string& name() const override { return name_; }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    if (next_ == pieces_.size()) return 0;
    const ByteSpan piece = pieces_[next_++].bytes();
    EXPECT_LE(piece.size(), size);
    std::memcpy(into, piece.data(), piece.size());
    paused_ = false;
    return piece.size();
  }
  bool seekable() const override { return false; }
  // Once for each piece: long enough that any deadline passes.
  bool ready(std::chrono::milliseconds patience) override {
    if (!paused_ && next_ != 0 && next_ != pieces_.size()) {
      std::this_thread::sleep_for(patience);
      paused_ = true;
      return false;
    }
    return true;
  }
  Result<void> rewind() override { return fail(ErrorCode::kUnsupported, "live"); }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return 0; }

 private:
  std::string name_ = "live";
  std::vector<TraceBytes> pieces_;
  std::size_t next_ = 0;
  bool paused_ = false;
};

TEST(Reader, HoldsGapsOfALiveInputBack) {
  TraceBytes bytes;
  bytes.epoch(kEpoch);
  for (std::uint64_t i = 0; i < 400; i += 4) {
    for (const std::uint64_t counter : {i + 1, i, i + 3, i + 2}) bytes.event({1, counter}, "e");
  }
  const Records file = read_bytes(bytes.bytes());
  EXPECT_FALSE(file.losses.empty());
  EXPECT_EQ(lost(file), 0);
  const Records live = read_bytes(bytes.bytes(), {}, 1000);
  EXPECT_TRUE(live.losses.empty());
  EXPECT_EQ(live.events.size(), 400U);
}

TEST(Reader, ReportsALossOfALiveInputAfterASecondOfSilence) {
  TraceBytes first;
  first.epoch(kEpoch).event({1, 0}, "e").event({1, 3}, "e");
  TraceBytes second;
  second.event({1, 4}, "e");
  Result<std::unique_ptr<Reader>> reader =
      open_reader(std::make_unique<PausingInput>(std::vector<TraceBytes>{first, second}), {});
  ASSERT_TRUE(reader);
  Records records;
  const auto next = [&] {
    const Result<BatchPtr> batch = (*reader)->next();
    ASSERT_TRUE(batch);
    ASSERT_NE(*batch, nullptr);
    collect(*batch, records);
  };
  next();
  EXPECT_EQ(records.events.size(), 2U);
  EXPECT_TRUE(records.losses.empty());
  const auto before = std::chrono::steady_clock::now();
  next();
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(800));
  EXPECT_EQ(records.events.size(), 2U);
  EXPECT_EQ(lost(records), 2);
  next();
  EXPECT_EQ(records.events.size(), 3U);
}

TEST(Reader, LetsEventsBeyondTheLimitDescribeThemselves) {
  TraceBytes bytes;
  TraceBytes attributes;
  attributes.attribute("n", 2).u64(~std::uint64_t{0}).attribute("t", 4).text("x");
  attributes.attribute("a", 0x81).u16(2).u64(1).u64(2).attribute("s", 0x84).u16(1).text("y");
  attributes.attribute("e", 0x83).u16(0);
  const std::size_t many = kMaxEventTypes + 5;
  for (std::size_t i = 0; i < many; ++i)
    bytes.event({0, i}, "event " + std::to_string(i), attributes);
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), many);
  EXPECT_EQ(records.description->event_classes().size(), kMaxEventTypes + 1);
  EXPECT_EQ(ids(records.findings), (Names{"heph/type-limit"}));
  const Event& last = records.events.back();
  EXPECT_TRUE(last.event_class->self_described);
  const std::span<const Slot> payload = last.payload();
  EXPECT_EQ(payload[0].text(), "event " + std::to_string(many - 1));
  EXPECT_EQ(payload[1].kind, SlotKind::kMap);
  EXPECT_EQ(payload[1].bits, 5U);
  EXPECT_EQ(payload[2].text(), "n");
  EXPECT_EQ(payload[3].integer, -1);
  EXPECT_EQ(counter_of(last), many - 1);
}

TEST(Reader, ForgetsStreamsBeyondTheLimit) {
  TraceBytes bytes;
  for (std::uint64_t i = 0; i < kMaxStreams + 5; ++i) bytes.event({i}, "e");
  const Records records = read_bytes(bytes.bytes());
  EXPECT_EQ(records.events.size(), kMaxStreams + 5);
  EXPECT_EQ(records.begun.size(), kMaxStreams + 5);
  EXPECT_EQ(records.ended, kMaxStreams + 5);
  EXPECT_EQ(ids(records.findings), (Names{"heph/stream-limit"}));
}

TEST(Reader, KeepsOnlySoManyOptions) {
  TraceBytes bytes;
  for (std::size_t i = 0; i < kMaxOptions + 5; ++i) bytes.option("o" + std::to_string(i), "");
  bytes.option("o1", "").event({}, "e");
  const Records records = read_bytes(bytes.bytes());
  EXPECT_EQ(records.events.size(), 1U);
  EXPECT_EQ(records.description->environment().size(), kMaxOptions);
  EXPECT_EQ(ids(records.findings), (Names{"heph/option-limit"}));
}

TEST(Reader, TakesNoPacketBeyondTheMemoryThatItMayUse) {
  TraceBytes large;
  for (int i = 0; i < 30; ++i) large.attribute("s", 4).text(std::string(65'000, 'x'));
  const TraceBytes bytes = TraceBytes().event({}, "e", large).event({0, 1}, "good");
  const Records records = read_bytes(bytes.bytes(), {.max_state = 1 << 20});
  ASSERT_EQ(records.events.size(), 1U);
  EXPECT_EQ(ids(records.problems), (Names{"heph/limit"}));
}

TEST(Reader, KeepsBatchesWhateverTheReaderDoes) {
  TraceBytes bytes;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    bytes.event({i % 5, i / 5}, "event", TraceBytes().attribute("t", 4).text(std::to_string(i)));
  }
  const Records records = read_bytes(bytes.bytes());
  ASSERT_EQ(records.events.size(), 20'000U);
  for (std::size_t i = 0; i < records.events.size(); ++i) {
    ASSERT_EQ(records.events[i].payload()[0].text(), std::to_string(i));
    ASSERT_EQ(stream_of(records.events[i]), i % 5);
  }
}

}  // namespace
}  // namespace tracedeck::heph

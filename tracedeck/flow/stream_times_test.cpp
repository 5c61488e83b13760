#include "tracedeck/flow/stream_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::flow {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

struct At {
  std::uint64_t time;
  std::size_t stream = 0;
  bool is_core_id = false;
};

// A trace of two data streams in one file.
class Device {
 public:
  explicit Device(const std::string& format)
      : description_(std::make_shared<TraceDescription>("device", format, "1")) {
    const ClockClass& clock = description_->add_clock({});
    const DataStreamClass& stream_class = description_->add_stream_class({.default_clock = &clock});
    for (const char* const name : {"isr_enter", "core_id"})
      classes_.push_back(&description_->add_event_class(
          {.name = name, .stream_class = &stream_class, .clock = &clock}));
    for (DataStream& stream : streams_)
      stream = {.entity = description_->next_stream(), .stream_class = &stream_class};
  }

  // Which of the events comes first, second and so on.
  [[nodiscard]] std::vector<std::size_t> order(const std::vector<At>& events) const {
    StreamTimes times;
    std::vector<std::size_t> order;
    std::vector<OrderKey> keys;
    for (const At& at : events) {
      Event event;
      event.event_class = classes_[at.is_core_id ? 1 : 0];
      event.stream = &streams_[at.stream];
      event.time = event.end_time = at.time;
      order.push_back(keys.size());
      keys.push_back(times(Record(event)));
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return keys[i]; });
    return order;
  }

 private:
  std::shared_ptr<TraceDescription> description_;
  std::vector<const EventClass*> classes_;
  std::array<DataStream, 2> streams_ = {};
};

using Ranks = std::vector<std::size_t>;

TEST(StreamTimes, DoNotMixRunsOfADevice) {
  const Device device("tband");
  EXPECT_EQ(
      device.order({{5 * kMillisecond}, {9 * kMillisecond}, {kMillisecond}, {6 * kMillisecond}}),
      (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(device.order({{5000 * kMillisecond}, {9000 * kMillisecond}, {7000 * kMillisecond}}),
            (Ranks{0, 1, 2}));
  // Each run is sorted.
  EXPECT_EQ(device.order({{5 * kMillisecond},
                          {9 * kMillisecond},
                          {9 * kMillisecond - 10},
                          {2 * kMillisecond},
                          {2 * kMillisecond - 10}}),
            (Ranks{0, 2, 1, 4, 3}));
  // Again and again.
  EXPECT_EQ(device.order({{9 * kMillisecond},
                          {kMillisecond},
                          {8 * kMillisecond},
                          {0},
                          {7 * kMillisecond},
                          {5 * kMillisecond}}),
            (Ranks{0, 1, 2, 3, 5, 4}));
}

TEST(StreamTimes, SortWhatWasRecordedLate) {
  const Device device("tband");
  EXPECT_EQ(device.order({{5 * kMillisecond}, {9 * kMillisecond}, {6 * kMillisecond}}),
            (Ranks{0, 2, 1}));
  EXPECT_EQ(device.order({{kMillisecond}, {0}}), (Ranks{1, 0}));
  EXPECT_EQ(device.order({{9000 * kMillisecond}, {8000 * kMillisecond}}), (Ranks{1, 0}));
  // Of a clock that goes on whatever becomes of who reads it.
  EXPECT_EQ(Device("dial9").order(
                {{5 * kMillisecond}, {9 * kMillisecond}, {kMillisecond}, {6 * kMillisecond}}),
            (Ranks{2, 0, 3, 1}));
}

TEST(StreamTimes, AreOfTheSameRunInAllDataStreams) {
  const Device device("tband");
  EXPECT_EQ(device.order({{5 * kMillisecond},
                          {9 * kMillisecond, 1},
                          {kMillisecond},
                          {2 * kMillisecond, 1},
                          {3 * kMillisecond},
                          {9 * kMillisecond}}),
            (Ranks{0, 1, 2, 3, 4, 5}));
  // What a core still had of the first run.
  EXPECT_EQ(device.order({{5 * kMillisecond},
                          {9 * kMillisecond, 1},
                          {kMillisecond},
                          {9 * kMillisecond + 10, 1},
                          {2 * kMillisecond}}),
            (Ranks{0, 1, 3, 2, 4}));
  // A core that did nothing for long is in the second run too.
  EXPECT_EQ(device.order({{kMillisecond, 1},
                          {9 * kMillisecond},
                          {kMillisecond},
                          {2 * kMillisecond, 1},
                          {8 * kMillisecond}}),
            (Ranks{0, 1, 2, 3, 4}));
  // A core that comes with the second run alone.
  EXPECT_EQ(
      device.order({{9 * kMillisecond}, {kMillisecond}, {8 * kMillisecond, 1}, {5 * kMillisecond}}),
      (Ranks{0, 1, 3, 2}));
}

TEST(StreamTimes, DoNotGoByWhatRecordersWriteAtTheTimeZero) {
  const Device device("tband");
  EXPECT_EQ(device.order({{5 * kMillisecond},
                          {9 * kMillisecond},
                          {.time = 0, .is_core_id = true},
                          {10 * kMillisecond}}),
            (Ranks{2, 0, 1, 3}));
  EXPECT_EQ(device.order({{5 * kMillisecond},
                          {9 * kMillisecond},
                          {.time = 0, .is_core_id = true},
                          {kMillisecond},
                          {9 * kMillisecond}}),
            (Ranks{2, 0, 1, 3, 4}));
}

TEST(StreamTimes, EndRunsOfEventsWhereARestartMayFollow) {
  // The event at time 0 stands alone, so that the next one is looked at by itself.
  const auto description = std::make_shared<TraceDescription>("device", "tband", "1");
  const ClockClass& clock = description->add_clock({});
  const DataStreamClass& of = description->add_stream_class({.default_clock = &clock});
  const EventClass& core =
      description->add_event_class({.name = "core_id", .stream_class = &of, .clock = &clock});
  const DataStream stream = {.entity = description->next_stream(), .stream_class = &of};
  std::vector<Record> records;
  for (const std::uint64_t time : {9 * kMillisecond, std::uint64_t{0}, kMillisecond}) {
    Event event;
    event.event_class = &core;
    event.stream = &stream;
    event.time = event.end_time = time;
    records.emplace_back(event);
  }
  StreamTimes times;
  (void)times(records[0]);
  EXPECT_EQ(times.end_of_run(records.data(), records.data() + 3), records.data() + 1);
  (void)times(records[1]);
  EXPECT_EQ(times.end_of_run(records.data() + 1, records.data() + 3), records.data() + 2);
}

}  // namespace
}  // namespace tracedeck::flow

#include "tracedeck/tband/reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "tracedeck/format/collect_records_test.hpp"
#include "tracedeck/tband/trace_bytes_test.hpp"

namespace tracedeck::tband {
namespace {

Records read(const Bytes& bytes, const ReadOptions& options = {}, std::size_t chunk = 0) {
  auto reader = open_reader(io::memory_input("test", bytes, chunk), options);
  EXPECT_TRUE(reader.has_value());
  return collect(**reader);
}

std::uint64_t core_of(const Event& event) { return event.stream->keys.at(0).value; }
std::string name_of(const Records& records, const Slot& slot) {
  return slot.name() == 0 ? std::string()
                          : std::string(records.description->value_names()[slot.name()]);
}
std::vector<std::string> rules_of(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& each : findings) ids.emplace_back(each.rule->id);
  return ids;
}

const Bytes kTick = isr_enter(10, 7);

TEST(Reader, CoresAreStreams) {
  const Records records = read(kResolution25 + kTick + frame("core_id", 20, {number(1)}) +
                               isr_enter(5, 7) + frame("core_id", 21, {number(0)}) + kTick);
  ASSERT_EQ(records.events.size(), 6U);
  std::vector<std::uint64_t> cores;
  for (const Event& event : records.events) cores.push_back(core_of(event));
  EXPECT_EQ(cores, (std::vector<std::uint64_t>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(records.begun, (std::vector<std::uint64_t>{0, 1}));
  EXPECT_EQ(records.ended, 2U);
  EXPECT_EQ(rules_of(records.findings),
            (std::vector<std::string>{"tband/time-order", "tband/time-order"}))
      << "each core for itself";
}

TEST(Reader, ATickHoldsForTheWholeTrace) {
  const Bytes late = kTick + kResolution25 + kTick;
  for (const std::size_t chunk : {0U, 1U, 100U}) {
    const Records records = read(late, {}, chunk);
    ASSERT_EQ(records.events.size(), 3U);
    EXPECT_TRUE(records.findings.empty());
    EXPECT_EQ(records.events[0].began_at(), Nanoseconds(250));
    EXPECT_EQ(records.events[2].began_at(), Nanoseconds(250));
    EXPECT_FALSE(records.events[1].has_time());
  }
}

TEST(Reader, InALiveInputALateTickHoldsFromWhereItStands) {
  Bytes bytes;
  while (bytes.size() < 65536) bytes = bytes + kTick + kTick + kTick + kTick;
  const std::size_t before = bytes.size() / kTick.size();
  const Records records = read(bytes + kResolution25 + kTick, {}, 1000);
  ASSERT_EQ(records.events.size(), before + 2);
  EXPECT_EQ(records.events[before - 1].began_at(), Nanoseconds(10));
  EXPECT_EQ(records.events.back().began_at(), Nanoseconds(250));
  EXPECT_EQ(rules_of(records.findings), (std::vector<std::string>{"tband/resolution-missing"}));
  EXPECT_EQ(records.begun.size(), 2U) << "a data stream has one clock";
}

TEST(Reader, WithoutATickItIsANanosecond) {
  const Records records = read(kTick + kTick);
  EXPECT_EQ(records.events[0].began_at(), Nanoseconds(10));
  EXPECT_EQ(rules_of(records.findings), (std::vector<std::string>{"tband/resolution-missing"}));
}

TEST(Reader, ATickOfZeroIsIgnoredAndTheFirstHolds) {
  const Records records = read(frame("ts_resolution_ns", 0, {number(0)}) + kResolution25 +
                               frame("ts_resolution_ns", 0, {number(7)}) + kResolution25 + kTick);
  EXPECT_EQ(records.events.back().began_at(), Nanoseconds(250));
  EXPECT_EQ(rules_of(records.findings),
            (std::vector<std::string>{"tband/resolution-zero", "tband/resolution-changed"}));
}

TEST(Reader, TimesAreExactBeyond64Bits) {
  const Records records =
      read(frame("ts_resolution_ns", 0, {number(1000)}) + isr_enter(std::uint64_t{1} << 63, 1));
  EXPECT_EQ(records.events.back().began_at().to_string(), "9223372036854775808000");
}

TEST(Reader, OnlyAnIncreaseOfTheCountIsALoss) {
  const auto dropped = [](std::uint64_t ts, std::uint64_t count) {
    return frame("dropped_evt_cnt", ts, {number(count)});
  };
  const Records records = read(kResolution25 + dropped(1, 0) + dropped(2, 3) + dropped(3, 3) +
                               dropped(4, 10) + dropped(5, 2));
  ASSERT_EQ(records.losses.size(), 2U);
  EXPECT_EQ(records.losses[0].events, 3U);
  EXPECT_EQ(records.losses[0].begin, Nanoseconds(25));
  EXPECT_EQ(records.losses[0].end, Nanoseconds(50));
  EXPECT_EQ(records.losses[1].events, 7U);
  EXPECT_EQ(rules_of(records.findings), (std::vector<std::string>{"tband/drop-count-decreased"}));
}

TEST(Reader, ALossLiesBehindTheEventBefore) {
  const auto core = [](std::uint64_t ts, std::uint64_t id) {
    return frame("core_id", ts, {number(id)});
  };
  const Bytes second = core(21, 1) + frame("dropped_evt_cnt", 22, {number(5)}) + isr_enter(23, 7);
  const auto loss_of = [&](const Bytes& before) {
    return read(kResolution25 + core(1, 1) + isr_enter(10, 7) + before + second).losses.at(0);
  };
  EXPECT_EQ(loss_of(core(11, 0) + isr_enter(20, 7)).begin, Nanoseconds(20 * 25));
  // A block of another core stands between: the last event of the core itself counts.
  EXPECT_EQ(loss_of(core(15, 0) + isr_enter(90, 7)).begin, Nanoseconds(10 * 25));
}

TEST(Reader, NamesAreThoseOfCoreAndTask) {
  const Bytes trace =
      kResolution25 + isr_enter(1, 7) + frame("isr_name", 0, {number(7), text("UART")}) +
      frame("task_evtmarker_name", 0, {number(0), number(3), text("step")}) +
      frame("task_evtmarker_end", 2, {number(0)}) + frame("task_switched_in", 3, {number(3)}) +
      frame("task_evtmarker_end", 4, {number(0)}) + frame("core_id", 4, {number(1)}) +
      isr_enter(5, 7) + frame("task_name", 0, {number(3), text("sensor")}) +
      frame("task_switched_in", 6, {number(3)}) +
      frame("task_name", 0, {number(3), text("other")}) + frame("task_switched_in", 7, {number(3)});
  const Records records = read(trace);
  const auto named = [&](std::size_t event) {
    return name_of(records, records.events[event].payload()[0]);
  };
  EXPECT_EQ(named(1), "UART") << "looked up in the whole file first";
  EXPECT_EQ(named(4), "") << "no task was switched in";
  EXPECT_EQ(named(5), "sensor");
  EXPECT_EQ(named(6), "step");
  EXPECT_EQ(named(8), "") << "of another core";
  EXPECT_EQ(named(10), "sensor");
  EXPECT_EQ(named(12), "other") << "a later name holds from where it stands";
}

TEST(Reader, TextWithZerosIsCopied) {
  const std::string message("a\0b", 3);
  const Records records = read(kResolution25 + frame("evtmarker", 1, {number(1), text(message)}));
  EXPECT_EQ(records.events[1].payload()[1].text(), message);
  EXPECT_EQ(records.events[1].size, 8U);
  EXPECT_EQ(records.events[1].offset, 4U);
}

TEST(Reader, AnUnknownKindOfAQueueHasNoLabel) {
  const Records records = read(frame("queue_kind", 0, {number(1), number(6)}));
  EXPECT_EQ(records.events[0].payload()[1].bits, 6U);
  EXPECT_EQ(rules_of(records.findings), (std::vector<std::string>{"tband/queue-kind"}));
}

TEST(Reader, ManyCoresAreForgotten) {
  Bytes trace = kResolution25;
  for (std::uint32_t core = 0; core < 9000; ++core)
    trace = trace + frame("core_id", core, {number(core)});
  const Records records = read(trace);
  EXPECT_EQ(records.events.size(), 9001U);
  EXPECT_EQ(records.begun.size(), records.ended);
  EXPECT_EQ(rules_of(records.findings), (std::vector<std::string>(2, "tband/cores")));
}

TEST(Reader, NamesAreBounded) {
  Bytes trace = kResolution25;
  for (std::uint32_t id = 0; id < 1000; ++id)
    trace = trace + frame("task_name", 0, {number(id), text("some name of a task")});
  const Records records = read(trace, {.max_state = 8192});
  EXPECT_EQ(records.events.size(), 1001U);
  EXPECT_EQ(rules_of(records.findings), (std::vector<std::string>{"tband/names"}));
}

TEST(Reader, HexadecimalText) {
  const std::string hex = "03 02 19 00\n0x03,0x04,0x0a:01-00\r\n 0304 0b\t0100";
  const Bytes bytes(hex.begin(), hex.end());
  for (const std::size_t chunk : {0U, 1U, 5U}) {
    const Records records = read(bytes, {.hexadecimal = true}, chunk);
    ASSERT_EQ(records.events.size(), 3U);
    EXPECT_TRUE(records.problems.empty());
    EXPECT_EQ(records.events[2].began_at(), Nanoseconds(275));
    EXPECT_EQ(records.events[2].offset, 9U);
  }
  const std::string bad = "03 02 19 00 03 04 0a 01 00 zz 03";
  const Records records = read(Bytes(bad.begin(), bad.end()), {.hexadecimal = true});
  EXPECT_EQ(records.events.size(), 2U);
  EXPECT_EQ(rules_of(records.problems), (std::vector<std::string>{"input/damaged"}));
}

Result<std::unique_ptr<Reader>> open_cores(const std::vector<Bytes>& files, std::size_t chunk = 0) {
  std::vector<CoreInput> inputs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    inputs.push_back({.input = io::memory_input("core" + std::to_string(i), files[i], chunk),
                      .core = static_cast<std::uint32_t>(i)});
  }
  return open_reader(std::move(inputs), {});
}

TEST(Reader, FilesOfCoresAreOneTrace) {
  const auto dropped = [](std::uint64_t ts, std::uint64_t count) {
    return frame("dropped_evt_cnt", ts, {number(count)});
  };
  const std::vector<Bytes> files = {
      kTick + frame("task_switched_in", 11, {number(3)}) + dropped(20, 5) + dropped(40, 9),
      isr_enter(12, 1) + dropped(30, 7) + kResolution25 + dropped(50, 9) +
          frame("task_name", 0, {number(3), text("sensor")})};
  auto reader = open_cores(files);
  ASSERT_TRUE(reader.has_value());
  const Records records = collect(**reader);
  ASSERT_EQ(records.events.size(), 9U);
  EXPECT_EQ(records.events[0].began_at(), Nanoseconds(250));
  EXPECT_EQ(name_of(records, records.events[1].payload()[0]), "sensor");
  EXPECT_EQ(core_of(records.events[4]), 1U);
  std::uint64_t lost = 0;
  std::vector<std::uint64_t> losses;
  for (const Loss& loss : records.losses) losses.push_back(*loss.events);
  for (const std::uint64_t each : losses) lost += each;
  EXPECT_EQ(lost, 9U) << "the count is of all cores";
  EXPECT_EQ(losses, (std::vector<std::uint64_t>{5, 2, 2})) << "at 20, 40, and at 30 on core 1";
  EXPECT_TRUE(records.findings.empty());
}

TEST(Reader, FilesOfCoresAreTakenAsStreams) {
  auto reader = open_cores({kResolution25 + kTick, kTick + kTick});
  ASSERT_TRUE(reader.has_value());
  const auto sources = (*reader)->take_streams();
  ASSERT_EQ(sources.size(), 2U);
  Records records;
  for (const auto& source : sources) {
    for (auto batch = source->next(); batch && *batch != nullptr; batch = source->next())
      collect(*batch, records);
  }
  EXPECT_EQ(records.events.size(), 4U);
  const Result<BatchPtr> rest = (*reader)->next();
  EXPECT_TRUE(rest.has_value() && *rest == nullptr);
}

TEST(Reader, ProblemsNameTheFileOfTheCore) {
  auto reader = open_cores({kTick, kTick + Bytes{0x01, 0x00}});
  ASSERT_TRUE(reader.has_value());
  std::string input;
  for (auto batch = (*reader)->next(); batch && *batch != nullptr; batch = (*reader)->next()) {
    for (const Record& record : (*batch)->records()) {
      if (record.kind == RecordKind::kProblem) input = record.notice->input;
    }
  }
  EXPECT_EQ(input, "core1");
}

TEST(Reader, WithoutValuesTheSameEventsAreCounted) {
  const Bytes trace = kResolution25 + kTick + frame("evtmarker", 11, {number(1), text("x")});
  const Records records = read(trace, {.values = false});
  ASSERT_EQ(records.events.size(), 3U);
  EXPECT_EQ(records.events[1].slot_count, 0U);
}

}  // namespace
}  // namespace tracedeck::tband

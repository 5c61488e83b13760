// Traces that come and go behind one writer: what it remembers of one must not be taken for another
// that came to lie where that lay.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/ctf/format.hpp"
#include "tracedeck/dial9/format.hpp"
#include "tracedeck/flow/statistics.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/heph/format.hpp"
#include "tracedeck/io/output.hpp"
#include "tracedeck/io/output_directory.hpp"
#include "tracedeck/io/support_test.hpp"
#include "tracedeck/outputs.hpp"
#include "tracedeck/render/csv.hpp"
#include "tracedeck/render/json_lines.hpp"
#include "tracedeck/render/text.hpp"
#include "tracedeck/tband/format.hpp"

namespace tracedeck {
namespace {

constexpr std::uint64_t kTraces = 60;
constexpr std::uint64_t kSecond = 1'000'000'000;

FieldClassPtr payload_of(std::vector<std::pair<std::string, FieldClassPtr>> members) {
  StructureClass structure;
  for (auto& [name, field_class] : members)
    structure.members.push_back({.name = name, .field_class = std::move(field_class)});
  return make_field_class(std::move(structure));
}
FieldClassPtr number_class() {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = 64}});
}

// Nanoseconds, so that a second has a whole number of ticks, as CTF wants it.
std::uint64_t tick_of(std::uint64_t number) { return std::uint64_t{1} << number % 3; }

// A trace whose clock, classes and data stream differ from those of the trace before, but not in
// how many bytes they take, and so lie at the same addresses.
class PassingTrace {
 public:
  explicit PassingTrace(std::uint64_t number)
      : description_("trace", "made-up", "1"),
        clock_(description_.add_clock({.id = "clock",
                                       .tick = {tick_of(number), 1},
                                       .offset_seconds = static_cast<std::int64_t>(number),
                                       .origin = ClockOrigin::kUnixEpoch})),
        stream_class_(description_.add_stream_class({.id = 0, .default_clock = &clock_})),
        stream_{.entity = description_.next_stream(),
                .stream_class = &stream_class_,
                .keys = {{.name = "id", .value = number % 7}}},
        text_first_(number % 2 == 0) {
    add(text_first_);
    add(!text_first_);
  }

  // An event of each class, the first at `value` ticks.
  [[nodiscard]] std::array<Event, 2> events(std::uint64_t value) {
    slots_ = {unsigned_slot(value), bytes_slot(SlotKind::kString, as_bytes(kText).data(), 4),
              unsigned_slot(value)};
    std::array<Event, 2> events;
    for (std::size_t i = 0; i < 2; ++i) {
      const bool has_text = (i == 0) == text_first_;
      events[i].event_class = &description_.event_classes()[i];
      events[i].stream = &stream_;
      events[i].time = events[i].end_time = value + i;
      events[i].slots = has_text ? &slots_[1] : slots_.data();
      events[i].slot_count = has_text ? 2 : 1;
    }
    return events;
  }
  [[nodiscard]] const DataStream& stream() const { return stream_; }

 private:
  static constexpr std::string_view kText = "text";

  void add(bool has_text) {
    std::vector<std::pair<std::string, FieldClassPtr>> members;
    if (has_text) members.emplace_back("text", make_field_class(StringClass{}));
    members.emplace_back("value", number_class());
    description_.add_event_class({.id = description_.event_classes().size(),
                                  .name = has_text ? "text" : "none",
                                  .stream_class = &stream_class_,
                                  .clock = &clock_,
                                  .payload = payload_of(std::move(members))});
  }

  TraceDescription description_;
  ClockClass& clock_;
  DataStreamClass& stream_class_;
  DataStream stream_;
  bool text_first_;
  std::array<Slot, 3> slots_{};
};

std::uint64_t value_of(std::uint64_t number) { return 6 * number; }

// ns from the epoch, of the two events of each trace.
std::vector<std::string> expected_times() {
  std::vector<std::string> times;
  for (std::uint64_t number = 0; number < kTraces; ++number) {
    for (std::uint64_t i = 0; i < 2; ++i) {
      const std::uint64_t ticks = value_of(number) + i;
      times.push_back(std::to_string(number * kSecond + ticks * tick_of(number)));
    }
  }
  std::ranges::sort(times);
  return times;
}

// Writes all traces, one after the other at the same place. `ends`: their data streams end, as
// those of readers do unless they are given up.
void write_passing(Writer& writer, bool ends) {
  std::optional<PassingTrace> trace;
  for (std::uint64_t number = 0; number < kTraces; ++number) {
    trace.emplace(number);
    ASSERT_TRUE(writer.write(Record(RecordKind::kStreamBegin, &trace->stream())));
    for (const Event& event : trace->events(value_of(number))) {
      const auto written = writer.write(Record(event));
      ASSERT_TRUE(written) << "trace " << number << ": " << written.error().to_string();
    }
    if (!ends) continue;
    ASSERT_TRUE(writer.write(Record(RecordKind::kStreamEnd, &trace->stream())));
  }
  trace.reset();
  ASSERT_TRUE(writer.finish());
}

// The times of the events at `path` that say when something happened.
std::vector<std::string> times_at(const std::string& path) {
  std::vector<std::string> times;
  const auto reader = open_trace(path);
  if (!reader) return {reader.error().to_string()};
  while (true) {
    const auto batch = (*reader)->next();
    if (!batch) return {batch.error().to_string()};
    if (*batch == nullptr) break;
    for (const Record& record : (*batch)->records()) {
      if (record.kind == RecordKind::kProblem) return {record.notice->finding.text};
      if (record.kind != RecordKind::kEvent) continue;
      const std::string& name = *record.event.event_class->name;
      if (name != "text" && name != "none" && name != "evtmarker") continue;
      times.push_back(record.event.began_at().to_string());
    }
  }
  std::ranges::sort(times);
  return times;
}

// The formats without what lowers traces for them: what is written here, their targets hold.
std::array<const Format*, 4> native_formats() {
  return {&dial9::format(), &heph::format(), &ctf::format(), &tband::format()};
}

// The writers of plain targets take what was lowered for them.
Result<std::unique_ptr<Writer>> file_writer(const Format& format, const WriteTarget& target,
                                            io::Output& output) {
  if (target.profile->plain != nullptr) return create_writer(*find_output(target.name), output, {});
  return format.create(output, {.target = std::string(target.name)});
}

class PassingTraces : public testing::TestWithParam<bool> {
 protected:
  void expect_exact(const Format& format, const WriteTarget& target) {
    SCOPED_TRACE(target.name);
    const io::TemporaryFolder folder;
    const std::string path = folder.file("out");
    const WriteOptions options{.target = std::string(target.name)};
    if (target.directory) {
      const auto output = io::OutputDirectory::create(path);
      ASSERT_TRUE(output);
      const auto writer = format.create_directory(**output, options);
      ASSERT_TRUE(writer);
      write_passing(**writer, GetParam());
      ASSERT_TRUE((*output)->finish());
    } else {
      const auto output = io::create_file(path);
      ASSERT_TRUE(output);
      const auto writer = file_writer(format, target, **output);
      ASSERT_TRUE(writer);
      write_passing(**writer, GetParam());
      ASSERT_TRUE((*output)->finish());
    }
    EXPECT_EQ(times_at(path), expected_times());
  }
};

INSTANTIATE_TEST_SUITE_P(Ends, PassingTraces, testing::Bool());

TEST_P(PassingTraces, KeepTheirTimesInEveryTarget) {
  for (const Format* const format : native_formats()) {
    for (const WriteTarget& target : format->targets()) expect_exact(*format, target);
  }
}

TEST_P(PassingTraces, KeepTheirClassesInText) {
  const auto rendered = [&](auto make) {
    std::string text;
    const auto output = io::memory_output(text);
    const auto writer = make(*output);
    write_passing(*writer, GetParam());
    EXPECT_TRUE(output->finish());
    return text;
  };
  const std::string lines =
      rendered([](io::Output& output) { return render::json_lines_writer(output, {}); });
  const std::string csv =
      rendered([](io::Output& output) { return render::csv_writer(output, {}); });
  const std::string text =
      rendered([](io::Output& output) { return render::text_writer(output, {}); });
  for (std::uint64_t number = 0; number < kTraces; ++number) {
    const std::string stream = std::to_string(number % 7);
    const std::string value = std::to_string(value_of(number));
    for (std::uint64_t i = 0; i < 2; ++i) {
      const bool has_text = (i == 0) == (number % 2 == 0);
      const std::string time =
          std::to_string(number * kSecond + (value_of(number) + i) * tick_of(number));
      const std::string fields =
          has_text ? R"({"text":"text","value":)" + value + "}" : R"({"value":)" + value + "}";
      const std::string name = has_text ? "text" : "none";
      const std::string line = "{\"time\":" + time + ",\"name\":\"" + name +
                               "\",\"id\":" + std::to_string(i) + ",\"stream\":{\"id\":" + stream +
                               "},\"fields\":" + fields + "}\n";
      EXPECT_NE(lines.find(line), std::string::npos) << line;
      EXPECT_NE(csv.find(time + ",," + name + "," + std::to_string(i) + ","), std::string::npos);
    }
  }
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(text, '\n')), 2 * kTraces);
}

// The most memory in use while traces pass, in the first and in the second half of so many.
template <class Write>
std::array<std::size_t, 2> most_in_use(std::uint64_t traces, Write write) {
  std::array<std::size_t, 2> most = {0, 0};
  for (std::uint64_t number = 0; number < traces; ++number) {
    write(number);
    std::size_t& half = most[number < traces / 2 ? 0 : 1];
    if (number % 16 == 0) half = std::max(half, ::mallinfo2().uordblks);
  }
  return most;
}

constexpr std::uint64_t kMonths = 4000;

// What grows with the output is allowed for each trace: names of files, ids, clocks.
void expect_steady(Writer& writer, std::size_t for_each_trace) {
  const auto [before, after] = most_in_use(kMonths, [&](std::uint64_t number) {
    PassingTrace trace(number);
    ASSERT_TRUE(writer.write(Record(RecordKind::kStreamBegin, &trace.stream())));
    for (const Event& event : trace.events(value_of(number)))
      ASSERT_TRUE(writer.write(Record(event)));
    ASSERT_TRUE(writer.write(Record(RecordKind::kStreamEnd, &trace.stream())));
  });
  EXPECT_LE(after, before + (kMonths / 2) * for_each_trace + (std::size_t{256} << 10));
  ASSERT_TRUE(writer.finish());
}

TEST(TracesThatPassForMonths, DoNotAddUpInWriters) {
  for (const Format* const format : native_formats()) {
    for (const WriteTarget& target : format->targets()) {
      SCOPED_TRACE(target.name);
      const io::TemporaryFolder folder;
      const WriteOptions options{.target = std::string(target.name)};
      if (target.directory) {
        const auto output = io::OutputDirectory::create(folder.file("out"));
        ASSERT_TRUE(output);
        const auto writer = format->create_directory(**output, options);
        ASSERT_TRUE(writer);
        expect_steady(**writer, 1500);
        (*output)->discard();
      } else {
        const auto output = io::create_file(folder.file("out"));
        ASSERT_TRUE(output);
        const auto writer = file_writer(*format, target, **output);
        ASSERT_TRUE(writer);
        expect_steady(**writer, 16);
        (*output)->discard();
      }
    }
  }
}

TEST(TracesThatPassForMonths, DoNotAddUpInText) {
  const io::TemporaryFolder folder;
  const auto output = io::create_file(folder.file("out"));
  ASSERT_TRUE(output);
  expect_steady(*render::text_writer(**output, {}), 16);
  expect_steady(*render::json_lines_writer(**output, {}), 16);
  expect_steady(*render::csv_writer(**output, {}), 16);
  (*output)->discard();
}

TEST(TracesThatPassForMonths, DoNotAddUpInStatistics) {
  flow::StatisticsCollector collector;
  std::vector<std::weak_ptr<const TraceDescription>> descriptions;
  for (std::uint64_t number = 0; number < kMonths; ++number) {
    auto description = std::make_shared<TraceDescription>("trace", "made-up", "1");
    const ClockClass& clock = description->add_clock({.offset_seconds = 1});
    const DataStreamClass& stream_class = description->add_stream_class({.default_clock = &clock});
    const EventClass& event_class =
        description->add_event_class({.name = "event",
                                      .stream_class = &stream_class,
                                      .clock = &clock,
                                      .payload = payload_of({{"value", number_class()}})});
    const Slot slot = unsigned_slot(number);
    Event event{.event_class = &event_class, .slots = &slot, .slot_count = 1, .size = 10};
    event.time = event.end_time = number;
    Batch batch(0);
    batch.add_event(event);
    collector.add(batch);
    descriptions.push_back(description);
  }
  const auto alive = std::ranges::count_if(
      descriptions, [](const auto& description) { return !description.expired(); });
  EXPECT_LE(alive, 1100);
  const flow::TraceStatistics statistics = collector.finish();
  EXPECT_EQ(statistics.events, kMonths);
  ASSERT_EQ(statistics.classes.size(), 1U);
  const flow::ClassStatistics& of_class = statistics.classes[0];
  EXPECT_EQ(of_class.events, kMonths);
  EXPECT_EQ(of_class.classes, kMonths);
  EXPECT_EQ(*of_class.event_class->name, "event") << "the class is kept";
  ASSERT_EQ(of_class.fields.size(), 1U);
  EXPECT_EQ(of_class.fields[0].maximum.bits, kMonths - 1);
  EXPECT_EQ(of_class.time->first, Nanoseconds::from_unsigned(kSecond));
  EXPECT_EQ(of_class.time->last, Nanoseconds::from_unsigned(kSecond + kMonths - 1));
}

}  // namespace
}  // namespace tracedeck

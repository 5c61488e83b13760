#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/dial9/encoder.hpp"
#include "tracedeck/dial9/typed.hpp"
#include "tracedeck/tracedeck.h"

namespace tracedeck {

struct CInterfacePoll {
  std::uint64_t timestamp = 0;
  std::uint64_t worker = 0;
  std::string_view label;
  std::optional<std::uint16_t> status;
};

struct CInterfacePark {
  std::uint64_t timestamp = 0;
  std::uint8_t worker = 0;
};

}  // namespace tracedeck

namespace tracedeck_descriptions {
using namespace tracedeck;

template <>
inline constexpr auto kDescription<CInterfacePoll> = dial9::describe<CInterfacePoll>(
    "Poll", dial9::timestamp(&CInterfacePoll::timestamp),
    dial9::field("worker_id", &CInterfacePoll::worker),
    dial9::field("label", &CInterfacePoll::label), dial9::field("status", &CInterfacePoll::status));

template <>
inline constexpr auto kDescription<CInterfacePark> =
    dial9::describe<CInterfacePark>("Park", dial9::timestamp(&CInterfacePark::timestamp),
                                    dial9::field("worker", &CInterfacePark::worker));

}  // namespace tracedeck_descriptions

namespace tracedeck {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

td_error new_error() {
  td_error error = {};
  error.struct_size = sizeof error;
  return error;
}

int append_to(void* text, const char* data, std::size_t size) {
  static_cast<std::string*>(text)->append(data, size);
  return 0;
}

int refuse(void*, const char*, std::size_t) { return 1; }

class CInterface : public testing::Test {
 protected:
  CInterface() {
    std::string name = testing::TempDir() + "c_interface_XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = write_polls(kEvents);
    paths_ = {path_.c_str()};
    options_.struct_size = sizeof options_;
  }
  ~CInterface() override {
    if (trace_ != 0) {
      EXPECT_EQ(td_close(trace_, nullptr), TD_OK);
    }
    std::filesystem::remove_all(folder_);
  }

  // Polls of ever larger workers; every third event is a park instead.
  std::string write_polls(int count) const {
    dial9::Encoder encoder;
    for (int i = 0; i < count; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      if (i % 3 == 2) {
        EXPECT_TRUE(encoder.write(CInterfacePark{.timestamp = 1000 * number,
                                                 .worker = static_cast<std::uint8_t>(number)}));
        continue;
      }
      CInterfacePoll poll{.timestamp = 1000 * number,
                          .worker = std::numeric_limits<std::uint64_t>::max() - number,
                          .label = i % 3 == 0 ? "" : "caf\xC3\xA9",
                          .status = {}};
      if (i % 2 == 1) poll.status = static_cast<std::uint16_t>(100 + i);
      EXPECT_TRUE(encoder.write(poll));
    }
    const std::string path = folder_ / "polls.bin";
    std::ofstream(path, std::ios::binary) << as_text(encoder.finish()->span());
    return path;
  }

  void open() {
    ASSERT_EQ(td_open(paths_.data(), 1, &options_, &trace_, &error_), TD_OK) << error_.message;
  }

  static constexpr int kEvents = 9;

  std::filesystem::path folder_;
  std::string path_;
  std::array<const char*, 1> paths_ = {};
  td_options options_ = {};
  td_error error_ = new_error();
  td_trace trace_ = 0;
};

template <class Number>
std::vector<Number> numbers(const ArrowArray& array) {
  const auto* const values = static_cast<const Number*>(array.buffers[1]);
  return {values, values + array.length};
}

std::vector<bool> there(const ArrowArray& array) {
  std::vector<bool> all;
  const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  for (std::int64_t i = 0; i < array.length; ++i)
    all.push_back(bits == nullptr || (bits[i / 8] >> i % 8 & 1) != 0);
  return all;
}

std::vector<std::string> texts(const ArrowArray& array) {
  std::vector<std::string> all;
  const auto* const ends = static_cast<const std::int32_t*>(array.buffers[1]);
  const auto* const characters = static_cast<const char*>(array.buffers[2]);
  for (std::int64_t i = 0; i < array.length; ++i)
    all.emplace_back(characters + ends[i], characters + ends[i + 1]);
  return all;
}

std::vector<std::string> names(const ArrowSchema& schema) {
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < schema.n_children; ++i) all.emplace_back(schema.children[i]->name);
  return all;
}

TEST_F(CInterface, HandsOutColumnsOfEachClass) {
  open();
  ArrowArray polls;
  std::uint32_t number = 99;
  int last = -1;
  ASSERT_EQ(td_next_batch(trace_, 0, &number, &last, &polls, &error_), TD_OK) << error_.message;
  EXPECT_EQ(number, 0U);
  EXPECT_EQ(last, 0);
  ArrowSchema schema;
  ASSERT_EQ(td_class_schema(trace_, 0, &schema, &error_), TD_OK);
  EXPECT_STREQ(schema.format, "+s");
  EXPECT_THAT(names(schema),
              ElementsAre("time_ns", "trace", "stream", "seq", "worker_id", "label", "status"));
  EXPECT_STREQ(schema.children[4]->format, "L");
  EXPECT_STREQ(schema.children[6]->format, "S");
  EXPECT_NE(schema.children[6]->flags & ARROW_FLAG_NULLABLE, 0);
  schema.release(&schema);
  EXPECT_EQ(schema.release, nullptr);

  ASSERT_EQ(polls.length, 6);
  ASSERT_EQ(polls.n_children, 7);
  EXPECT_THAT(numbers<std::int64_t>(*polls.children[0]),
              ElementsAre(0, 1000, 3000, 4000, 6000, 7000));
  EXPECT_THAT(numbers<std::int64_t>(*polls.children[3]), ElementsAre(0, 1, 3, 4, 6, 7));
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(numbers<std::uint64_t>(*polls.children[4]),
              ElementsAre(kMost, kMost - 1, kMost - 3, kMost - 4, kMost - 6, kMost - 7));
  EXPECT_THAT(texts(*polls.children[5]),
              ElementsAre("", "caf\xC3\xA9", "", "caf\xC3\xA9", "", "caf\xC3\xA9"));
  EXPECT_EQ(polls.children[6]->null_count, 3);
  EXPECT_THAT(there(*polls.children[6]), ElementsAre(false, true, true, false, false, true));
  EXPECT_THAT(numbers<std::uint16_t>(*polls.children[6]), ElementsAre(0, 101, 103, 0, 0, 107));
  EXPECT_THAT(texts(*polls.children[1]->dictionary), ElementsAre("polls.bin"));

  ArrowArray parks;
  ASSERT_EQ(td_next_batch(trace_, 0, &number, &last, &parks, &error_), TD_OK);
  EXPECT_EQ(number, 1U);
  EXPECT_EQ(last, 1);
  EXPECT_THAT(numbers<std::uint8_t>(*parks.children[4]), ElementsAre(2, 5, 8));
  ArrowArray none;
  EXPECT_EQ(td_next_batch(trace_, 0, &number, &last, &none, &error_), TD_END);
  EXPECT_EQ(none.release, nullptr);

  // They outlive the trace, and may be released in any order.
  ASSERT_EQ(td_close(std::exchange(trace_, 0), nullptr), TD_OK);
  EXPECT_THAT(texts(*polls.children[5]), SizeIs(6));
  parks.release(&parks);
  polls.release(&polls);
}

TEST_F(CInterface, RowsComeInGroups) {
  open();
  std::vector<std::pair<std::uint32_t, std::int64_t>> batches;
  std::vector<std::int64_t> last_in_group;
  std::int64_t rows = 0;
  for (;;) {
    ArrowArray array;
    std::uint32_t number = 0;
    int last = 0;
    const td_status status = td_next_batch(trace_, 4, &number, &last, &array, &error_);
    if (status == TD_END) break;
    ASSERT_EQ(status, TD_OK) << error_.message;
    batches.emplace_back(number, array.length);
    rows += array.length;
    if (last != 0) last_in_group.push_back(std::exchange(rows, 0));
    array.release(&array);
  }
  EXPECT_THAT(last_in_group, ElementsAre(4, 4, 1));
  EXPECT_THAT(batches, ElementsAre(std::pair(0U, 3L), std::pair(1U, 1L), std::pair(0U, 3L),
                                   std::pair(1U, 1L), std::pair(1U, 1L)));
  std::string report;
  EXPECT_EQ(td_report(trace_, append_to, &report, &error_), TD_OK);
  EXPECT_THAT(report,
              HasSubstr(R"json("events":9,"lost_events":0,"problems":0,"complete":true)json"));
}

TEST_F(CInterface, SelectsByNameConditionAndTime) {
  const std::array<const char*, 1> wanted = {"Park"};
  options_.names = wanted.data();
  options_.name_count = 1;
  options_.where = "worker > 2";
  options_.end = "6us";
  open();
  ArrowArray parks;
  std::uint32_t number = 0;
  int last = 0;
  ASSERT_EQ(td_next_batch(trace_, 0, &number, &last, &parks, &error_), TD_OK) << error_.message;
  EXPECT_EQ(last, 1);
  EXPECT_THAT(numbers<std::uint8_t>(*parks.children[4]), ElementsAre(5));
  parks.release(&parks);
  std::string facts;
  EXPECT_EQ(td_class_json(trace_, 0, append_to, &facts, &error_), TD_OK);
  EXPECT_THAT(facts, HasSubstr(R"json("name":"Park","is_event":true)json"));
  EXPECT_EQ(td_class_json(trace_, 1, append_to, &facts, &error_), TD_ERROR_ARGUMENT);
}

TEST_F(CInterface, ReadsEventsOneByOne) {
  open();
  td_event event = {};
  event.struct_size = sizeof event;
  td_value value = {};
  value.struct_size = sizeof value;
  EXPECT_EQ(td_field(trace_, "worker_id", &value, &error_), TD_ERROR_ARGUMENT);
  ASSERT_EQ(td_next_event(trace_, &event, &error_), TD_OK);
  ASSERT_EQ(td_next_event(trace_, &event, &error_), TD_OK);
  EXPECT_EQ(std::string_view(event.name, event.name_size), "Poll");
  EXPECT_EQ(event.has_time, 1U);
  EXPECT_EQ(event.time, 1000);
  EXPECT_EQ(event.has_duration, 0U);
  ASSERT_EQ(td_field(trace_, "worker_id", &value, &error_), TD_OK);
  EXPECT_EQ(value.kind, TD_UNSIGNED);
  EXPECT_EQ(value.natural, std::numeric_limits<std::uint64_t>::max() - 1);
  ASSERT_EQ(td_field(trace_, "label", &value, &error_), TD_OK);
  EXPECT_EQ(value.kind, TD_TEXT);
  EXPECT_EQ(std::string_view(value.data, value.size), "caf\xC3\xA9");
  ASSERT_EQ(td_field(trace_, "nonsense", &value, &error_), TD_OK);
  EXPECT_EQ(value.kind, TD_NONE);
  int count = 2;
  while (td_next_event(trace_, nullptr, &error_) == TD_OK) ++count;
  EXPECT_EQ(count, kEvents);
  EXPECT_EQ(td_field(trace_, "label", &value, &error_), TD_ERROR_ARGUMENT);
  ArrowArray array;
  EXPECT_EQ(td_next_batch(trace_, 0, nullptr, nullptr, &array, &error_), TD_ERROR_ARGUMENT);
}

TEST_F(CInterface, StreamsOneClass) {
  ArrowArrayStream stream;
  ASSERT_EQ(td_stream(paths_.data(), 1, nullptr, "Poll", &stream, &error_), TD_OK);
  ArrowSchema schema;
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  EXPECT_EQ(schema.n_children, 7);
  schema.release(&schema);
  ArrowArray array;
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  EXPECT_EQ(array.length, 6);
  array.release(&array);
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  EXPECT_EQ(array.release, nullptr);
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);

  // Released before it is read; and of a name that nothing has.
  ASSERT_EQ(td_stream(paths_.data(), 1, nullptr, "Poll", &stream, &error_), TD_OK);
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  schema.release(&schema);
  stream.release(&stream);
  ASSERT_EQ(td_stream(paths_.data(), 1, nullptr, "None", &stream, &error_), TD_OK);
  EXPECT_NE(stream.get_schema(&stream, &schema), 0);
  EXPECT_THAT(stream.get_last_error(&stream), HasSubstr("no events of this name"));
  stream.release(&stream);
}

TEST_F(CInterface, AnswersQuestions) {
  std::string answer;
  ASSERT_EQ(td_query(paths_.data(), 1, nullptr, "count() by name", append_to, &answer, &error_),
            TD_OK)
      << error_.message;
  EXPECT_THAT(answer, HasSubstr("{\"name\":\"Poll\",\"count()\":6}"));
  answer.clear();
  ASSERT_EQ(td_query(paths_.data(), 1, nullptr, "select * | limit 1", append_to, &answer, &error_),
            TD_OK)
      << error_.message;
  EXPECT_THAT(answer, HasSubstr("\"worker_id\""));
  answer.clear();
  EXPECT_EQ(td_query(paths_.data(), 1, nullptr, "count( by", append_to, &answer, &error_),
            TD_ERROR_ARGUMENT);
  EXPECT_THAT(error_.message, HasSubstr("^"));
  EXPECT_EQ(td_query(paths_.data(), 1, nullptr, "count()", refuse, nullptr, &error_),
            TD_ERROR_CANCELLED);
  answer.clear();
  ASSERT_EQ(td_latency(paths_.data(), 1, nullptr, nullptr, append_to, &answer, &error_), TD_OK)
      << error_.message;
  EXPECT_THAT(answer, HasSubstr("\"rows\""));
  answer.clear();
  EXPECT_EQ(td_validate(paths_.data(), 1, nullptr, append_to, &answer, &error_), TD_OK);
  EXPECT_THAT(answer, IsEmpty());
  std::ofstream(path_, std::ios::binary | std::ios::app) << "\x07 no frame";
  EXPECT_EQ(td_validate(paths_.data(), 1, nullptr, append_to, &answer, &error_), TD_OK);
  EXPECT_THAT(answer, HasSubstr("dial9/"));
}

TEST_F(CInterface, SaysWhy) {
  std::string answer;
  td_why_question question = {};
  const auto ask = [&](const td_options* options = nullptr) {
    answer.clear();
    return td_why(paths_.data(), 1, options, &question, append_to, &answer, &error_);
  };
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
  question.struct_size = sizeof question;
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
  question.slice = "no such slice";
  EXPECT_EQ(ask(), TD_OK) << error_.message;
  EXPECT_THAT(answer, HasSubstr("\"found\":false"));
  question.at = "+1us";
  EXPECT_EQ(ask(), TD_OK) << error_.message;
  question.rank = 2;
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
  question.at = nullptr;
  EXPECT_EQ(ask(), TD_OK) << error_.message;
  td_options options = {};
  options.struct_size = sizeof options;
  EXPECT_EQ(ask(&options), TD_OK) << error_.message;
  options.where = "true";
  EXPECT_EQ(ask(&options), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_why(paths_.data(), 1, nullptr, nullptr, append_to, &answer, &error_),
            TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_why(paths_.data(), 1, nullptr, &question, refuse, nullptr, &error_),
            TD_ERROR_CANCELLED);
}

TEST_F(CInterface, Converts) {
  const std::string out = path_ + ".out";
  std::string receipt;
  const auto convert = [&](const char* to, const char* at, const td_convert_options* options) {
    receipt.clear();
    return td_convert(paths_.data(), 1, nullptr, to, at, options, append_to, &receipt, &error_);
  };
  ASSERT_EQ(convert("jsonl", out.c_str(), nullptr), TD_OK) << error_.message;
  EXPECT_THAT(receipt, HasSubstr("\"to\":\"jsonl\""));
  EXPECT_TRUE(std::filesystem::exists(out));
  td_convert_options options = {};
  EXPECT_EQ(convert("jsonl", out.c_str(), &options), TD_ERROR_ARGUMENT);
  options.struct_size = sizeof options;
  EXPECT_EQ(convert("jsonl", out.c_str(), &options), TD_OK) << error_.message;
  options.tag_count = 1;
  EXPECT_EQ(convert("parquet", out.c_str(), &options), TD_ERROR_ARGUMENT);
  const char* tag = nullptr;
  options.tags = &tag;
  EXPECT_EQ(convert("parquet", out.c_str(), &options), TD_ERROR_ARGUMENT);
  tag = "without an equals sign";
  EXPECT_EQ(convert("parquet", out.c_str(), &options), TD_ERROR_ARGUMENT);
  options.tag_count = 0;
  options.flags = 1U << 9;
  EXPECT_EQ(convert("jsonl", out.c_str(), &options), TD_ERROR_ARGUMENT);
  EXPECT_EQ(convert("jsonl", nullptr, nullptr), TD_ERROR_ARGUMENT);
  EXPECT_EQ(convert("page", out.c_str(), nullptr), TD_ERROR_ARGUMENT);
  EXPECT_EQ(convert("dial9", path_.c_str(), nullptr), TD_ERROR_ARGUMENT);
  EXPECT_THAT(error_.message, HasSubstr("would be replaced"));
  EXPECT_EQ(td_convert(paths_.data(), 1, nullptr, "jsonl", out.c_str(), nullptr, refuse, nullptr,
                       &error_),
            TD_ERROR_CANCELLED);
}

TEST_F(CInterface, Draws) {
  const std::string out = path_ + ".drawn";
  std::string receipt;
  td_options reading = {};
  reading.struct_size = sizeof reading;
  td_convert_options options = {};
  options.struct_size = sizeof options;
  const auto draw = [&](const char* to) {
    receipt.clear();
    return td_convert(paths_.data(), 1, &reading, to, out.c_str(), &options, append_to, &receipt,
                      &error_);
  };
  for (const char* const to : {"html", "perfetto", "chrome", "folded", "pprof"}) {
    ASSERT_EQ(draw(to), TD_OK) << to << ": " << error_.message;
    EXPECT_THAT(receipt, HasSubstr(to));
    EXPECT_TRUE(std::filesystem::exists(out));
  }
  options.flags = TD_SPANS;
  EXPECT_EQ(draw("heph"), TD_OK) << error_.message;
  EXPECT_EQ(draw("html"), TD_ERROR_ARGUMENT);
  options.flags = TD_ALL_FLOWS | TD_ALL_ARGUMENTS;
  options.min_duration = 1'000;
  EXPECT_EQ(draw("html"), TD_OK) << error_.message;
  EXPECT_EQ(draw("folded"), TD_ERROR_ARGUMENT);
  options.flags = 0;
  options.min_duration = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(draw("html"), TD_ERROR_ARGUMENT);
  options.min_duration = 0;
  options.max_size = 1;
  EXPECT_EQ(draw("html"), TD_ERROR_LIMIT);
  options.max_size = 0;
  options.perfetto_level = 50;
  EXPECT_EQ(draw("perfetto"), TD_OK) << error_.message;
  options.perfetto_level = 51;
  EXPECT_EQ(draw("perfetto"), TD_ERROR_ARGUMENT);
  options.perfetto_level = 0;
  options.weight = "time";
  EXPECT_EQ(draw("folded"), TD_OK) << error_.message;
  options.weight = "money";
  EXPECT_EQ(draw("folded"), TD_ERROR_ARGUMENT);
  options.weight = nullptr;
  options.reserved = 1;
  EXPECT_EQ(draw("folded"), TD_ERROR_ARGUMENT);
  options.reserved = 0;
  reading.limit = 1;
  EXPECT_EQ(draw("folded"), TD_ERROR_ARGUMENT);
}

TEST_F(CInterface, TakesTables) {
  const std::string file = path_ + ".toml";
  std::ofstream(file) << "table = \"mine\"\n[[track]]\nid = \"t\"\nname = \"polls\"\n"
                         "[[instant]]\nevent = \"Poll\"\ntrack = \"t\"\nname = \"met\"\n";
  std::vector<const char*> tables = {file.c_str(), "dial9"};
  std::string answer;
  td_options options = {};
  options.struct_size = sizeof options;
  options.tables = tables.data();
  options.table_count = tables.size();
  const auto ask = [&] {
    answer.clear();
    return td_latency(paths_.data(), 1, &options, nullptr, append_to, &answer, &error_);
  };
  ASSERT_EQ(ask(), TD_OK) << error_.message;
  EXPECT_THAT(answer, HasSubstr("\"mine\""));
  tables[1] = "no such table";
  EXPECT_EQ(ask(), TD_ERROR_CANNOT_OPEN);
  tables[1] = nullptr;
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
  std::ofstream(file) << "table = 1\n";
  options.table_count = 1;
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
  options.tables = nullptr;
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
}

TEST_F(CInterface, TakesFormatClockAndMetadata) {
  std::string answer;
  td_options options = {};
  options.struct_size = sizeof options;
  const auto ask = [&] {
    answer.clear();
    return td_query(paths_.data(), 1, &options, "count()", append_to, &answer, &error_);
  };
  options.format = "dial9";
  options.clock = "wall";
  EXPECT_EQ(ask(), TD_OK) << error_.message;
  options.clock = "water";
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
  EXPECT_THAT(error_.message, HasSubstr("none of trace, wall"));
  options.clock = "trace";
  options.format = "elf";
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
  EXPECT_THAT(error_.message, HasSubstr("none of dial9"));
  options.format = "heph";
  EXPECT_NE(ask(), TD_ERROR_ARGUMENT);
  options.metadata = path_.c_str();
  EXPECT_EQ(ask(), TD_ERROR_ARGUMENT);
  EXPECT_THAT(error_.message, HasSubstr("'--format ctf' only"));
}

TEST_F(CInterface, PartsAddUp) {
  constexpr const char* kStages = "count() by name";
  std::string part;
  ASSERT_EQ(td_partial(paths_.data(), 1, nullptr, kStages, append_to, &part, &error_), TD_OK)
      << error_.message;
  std::array<td_part, 2> parts = {td_part{part.data(), part.size()},
                                  td_part{part.data(), part.size()}};
  std::string both;
  ASSERT_EQ(td_merge(parts.data(), 2, 1, append_to, &both, &error_), TD_OK) << error_.message;
  parts[1] = {both.data(), both.size()};
  std::string answer;
  ASSERT_EQ(td_merge(parts.data(), 2, 0, append_to, &answer, &error_), TD_OK) << error_.message;
  EXPECT_THAT(answer, HasSubstr("{\"name\":\"Poll\",\"count()\":18}"));

  --parts[1].size;
  EXPECT_EQ(td_merge(parts.data(), 2, 0, append_to, &answer, &error_), TD_ERROR_REJECTED);
  EXPECT_THAT(error_.message, HasSubstr("part 2"));
  parts[1].data = nullptr;
  EXPECT_EQ(td_merge(parts.data(), 2, 0, append_to, &answer, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_merge(nullptr, 1, 0, append_to, &answer, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_merge(nullptr, 0, 0, append_to, &answer, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_partial(paths_.data(), 1, nullptr, "select worker_id | limit 1", append_to, &part,
                       &error_),
            TD_ERROR_ARGUMENT);
}

TEST_F(CInterface, NotesWhatIsMissingFromAnswers) {
  std::ofstream(path_, std::ios::binary | std::ios::app) << "\x07 no frame";
  struct Heard {
    std::vector<std::string> sentences = {};
  } heard;
  options_.user = &heard;
  options_.note = [](void* user, const char* sentence, std::size_t size) {
    static_cast<Heard*>(user)->sentences.emplace_back(sentence, size);
  };
  std::string answer;
  ASSERT_EQ(td_query(paths_.data(), 1, &options_, "count()", append_to, &answer, &error_), TD_OK);
  EXPECT_THAT(heard.sentences, ElementsAre(HasSubstr("polls.bin")));
}

TEST_F(CInterface, LossAndDamageAreRows) {
  std::ofstream(path_, std::ios::binary | std::ios::app) << "\x07 no frame";
  const std::array<const char*, 2> wanted = {"__problem", "__loss"};
  options_.names = wanted.data();
  options_.name_count = wanted.size();
  open();
  ArrowArray problems;
  std::uint32_t number = 0;
  int last = 0;
  ASSERT_EQ(td_next_batch(trace_, 0, &number, &last, &problems, &error_), TD_OK);
  EXPECT_EQ(problems.length, 1);
  problems.release(&problems);
  std::string facts;
  EXPECT_EQ(td_class_json(trace_, number, append_to, &facts, &error_), TD_OK);
  EXPECT_THAT(facts, HasSubstr(R"json("name":"__problem","is_event":false)json"));
  std::string report;
  EXPECT_EQ(td_next_batch(trace_, 0, &number, &last, &problems, &error_), TD_END);
  EXPECT_EQ(td_report(trace_, append_to, &report, &error_), TD_OK);
  EXPECT_THAT(report, HasSubstr(R"json("problems":1,"complete":false)json"));
}

TEST_F(CInterface, SaysWhatCannotBeOpened) {
  const std::string missing = folder_ / "missing";
  paths_ = {missing.c_str()};
  EXPECT_EQ(td_open(paths_.data(), 1, nullptr, &trace_, &error_), TD_ERROR_CANNOT_OPEN);
  EXPECT_THAT(error_.message, HasSubstr("missing"));
  EXPECT_EQ(trace_, 0U);
  const std::string text = folder_ / "text";
  std::ofstream(text) << "no trace";
  const std::array<const char*, 2> both = {text.c_str(), path_.c_str()};
  EXPECT_EQ(td_open(both.data(), 1, nullptr, &trace_, &error_), TD_ERROR_UNRECOGNISED);
  // One is left.
  ASSERT_EQ(td_open(both.data(), 2, nullptr, &trace_, &error_), TD_OK);
  std::string report;
  EXPECT_EQ(td_report(trace_, append_to, &report, &error_), TD_OK);
  EXPECT_THAT(report, HasSubstr("text"));
}

TEST_F(CInterface, RefusesArgumentsThatCannotBe) {
  EXPECT_EQ(td_open(nullptr, 1, nullptr, &trace_, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_open(paths_.data(), 0, nullptr, &trace_, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_open(paths_.data(), 1, nullptr, nullptr, &error_), TD_ERROR_ARGUMENT);
  const std::array<const char*, 1> null_path = {nullptr};
  EXPECT_EQ(td_open(null_path.data(), 1, nullptr, &trace_, nullptr), TD_ERROR_ARGUMENT);
  const auto refused = [&](auto change) {
    td_options options = options_;
    change(options);
    return td_open(paths_.data(), 1, &options, &trace_, &error_);
  };
  EXPECT_EQ(refused([](td_options& o) { o.struct_size = 3; }), TD_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](td_options& o) { o.flags = 2; }), TD_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](td_options& o) { o.reserved = 1; }), TD_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](td_options& o) { o.jobs = 100'000; }), TD_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](td_options& o) { o.where = "worker >"; }), TD_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](td_options& o) { o.begin = "noon"; }), TD_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](td_options& o) { o.order = "random"; }), TD_ERROR_ARGUMENT);
  EXPECT_EQ(refused([](td_options& o) { o.name_count = 1; }), TD_ERROR_ARGUMENT);
  const std::array<const char*, 1> live = {"tcp-listen://127.0.0.1:0"};
  EXPECT_LT(td_open(live.data(), 1, nullptr, &trace_, &error_), 0);
  open();
  EXPECT_EQ(td_next_batch(trace_, 0, nullptr, nullptr, nullptr, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_class_schema(trace_, 0, nullptr, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_class_count(trace_, nullptr, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_report(trace_, nullptr, nullptr, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_stream(paths_.data(), 1, nullptr, "Poll", nullptr, &error_), TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_query(paths_.data(), 1, nullptr, nullptr, append_to, nullptr, &error_),
            TD_ERROR_ARGUMENT);
  EXPECT_EQ(td_query(paths_.data(), 1, nullptr, "count()", nullptr, nullptr, &error_),
            TD_ERROR_ARGUMENT);
}

// Options of an older header are shorter, those of a newer one longer.
TEST_F(CInterface, TakesOptionsOfOtherVersions) {
  td_options short_options = {};
  short_options.struct_size = offsetof(td_options, begin);
  short_options.where = "worker_id > 0";
  ASSERT_EQ(td_open(paths_.data(), 1, &short_options, &trace_, &error_), TD_OK) << error_.message;
  ASSERT_EQ(td_close(std::exchange(trace_, 0), nullptr), TD_OK);
  struct {
    td_options known = {};
    std::uint64_t unknown = 0;
  } longer;
  longer.known.struct_size = sizeof longer;
  ASSERT_EQ(td_open(paths_.data(), 1, &longer.known, &trace_, &error_), TD_OK);
  ASSERT_EQ(td_close(std::exchange(trace_, 0), nullptr), TD_OK);
  longer.unknown = 1;
  EXPECT_EQ(td_open(paths_.data(), 1, &longer.known, &trace_, &error_), TD_ERROR_ARGUMENT);
}

TEST_F(CInterface, HandlesThatWereClosedAreErrors) {
  open();
  const td_trace closed = std::exchange(trace_, 0);
  ASSERT_EQ(td_close(closed, &error_), TD_OK);
  EXPECT_EQ(td_close(closed, &error_), TD_ERROR_HANDLE);
  open();  // in the same place
  for (const td_trace wrong : {closed, td_trace{0}, td_trace{1}, ~td_trace{0}, trace_ + 1}) {
    ArrowArray array;
    ArrowSchema schema;
    std::uint32_t count = 0;
    std::string text;
    EXPECT_EQ(td_next_batch(wrong, 0, nullptr, nullptr, &array, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_class_schema(wrong, 0, &schema, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_class_count(wrong, &count, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_class_json(wrong, 0, append_to, &text, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_report(wrong, append_to, &text, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_schema(wrong, append_to, &text, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_next_event(wrong, nullptr, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_field(wrong, "x", nullptr, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_cancel(wrong, &error_), TD_ERROR_HANDLE);
    EXPECT_EQ(td_close(wrong, nullptr), TD_ERROR_HANDLE);
  }
  EXPECT_EQ(td_next_event(trace_, nullptr, &error_), TD_OK);
}

TEST_F(CInterface, AnotherCallMeanwhileIsAnError) {
  open();
  struct Meanwhile {
    td_trace trace;
    td_status event = TD_OK;
    td_status close = TD_OK;
  } meanwhile{.trace = trace_};
  const auto call = [](void* user, const char*, std::size_t) {
    auto& here = *static_cast<Meanwhile*>(user);
    here.event = td_next_event(here.trace, nullptr, nullptr);
    here.close = td_close(here.trace, nullptr);
    return 0;
  };
  EXPECT_EQ(td_report(trace_, call, &meanwhile, &error_), TD_OK);
  EXPECT_EQ(meanwhile.event, TD_ERROR_BUSY);
  EXPECT_EQ(meanwhile.close, TD_ERROR_BUSY);
}

TEST_F(CInterface, ManyThreadsWithOneHandle) {
  open();
  std::atomic<int> events = 0;
  std::atomic<bool> wrong = false;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (td_status status = TD_OK; status != TD_END;) {
          status = td_next_event(trace_, nullptr, nullptr);
          if (status == TD_OK) ++events;
          if (status < 0 && status != TD_ERROR_BUSY) wrong = true;
          if (wrong) return;
        }
      });
    }
  }
  EXPECT_FALSE(wrong);
  EXPECT_EQ(events, kEvents);
}

TEST_F(CInterface, Cancels) {
  open();
  ASSERT_EQ(td_next_event(trace_, nullptr, &error_), TD_OK);
  ASSERT_EQ(td_cancel(trace_, &error_), TD_OK);
  EXPECT_EQ(td_next_event(trace_, nullptr, &error_), TD_ERROR_CANCELLED);
  EXPECT_EQ(td_next_event(trace_, nullptr, &error_), TD_ERROR_CANCELLED);
  EXPECT_STREQ(error_.message, "cancelled");
}

TEST_F(CInterface, LongMessagesAreCutBetweenCharacters) {
  std::string where = "x == '";
  for (int i = 0; i < 1000; ++i) where += "\xC3\xA9";
  options_.where = where.c_str();
  EXPECT_EQ(td_open(paths_.data(), 1, &options_, &trace_, &error_), TD_ERROR_ARGUMENT);
  const std::string_view message = error_.message;
  EXPECT_LT(message.size(), sizeof error_.message);
  EXPECT_NE(static_cast<unsigned char>(message.back()) & 0xC0U, 0xC0U);
}

}  // namespace
}  // namespace tracedeck

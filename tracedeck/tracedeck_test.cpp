#include "tracedeck/tracedeck.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/dial9/encoder.hpp"

namespace tracedeck {

struct FrontDoorPoll {
  std::uint64_t timestamp = 0;
  std::uint64_t worker = 0;
  std::string_view label;
  std::optional<std::uint16_t> status;
};

}  // namespace tracedeck

namespace tracedeck_descriptions {
using namespace tracedeck;

template <>
inline constexpr auto kDescription<FrontDoorPoll> = dial9::describe<FrontDoorPoll>(
    "Poll", dial9::timestamp(&FrontDoorPoll::timestamp),
    dial9::field("worker_id", &FrontDoorPoll::worker), dial9::field("label", &FrontDoorPoll::label),
    dial9::field("status", &FrontDoorPoll::status));

}  // namespace tracedeck_descriptions

namespace tracedeck {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FrontDoor : public testing::Test {
 protected:
  FrontDoor() {
    std::string name = testing::TempDir() + "front_door_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~FrontDoor() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(std::string_view name) const { return (folder_ / name).string(); }
  std::string write(std::string_view name, ByteSpan bytes) const {
    std::ofstream(path(name), std::ios::binary) << as_text(bytes);
    return path(name);
  }
  // Polls of the workers 0, 1, 2 ... 1,000 ns apart from `begin` on.
  std::string write_polls(std::string_view name, int count, std::uint64_t begin = 0) const {
    dial9::Encoder encoder;
    for (int i = 0; i < count; ++i) {
      const auto number = static_cast<std::uint64_t>(i);
      FrontDoorPoll poll{
          .timestamp = begin + 1000 * number, .worker = number, .label = "a", .status = {}};
      if (i % 2 == 1) poll.status = static_cast<std::uint16_t>(100 * i);
      EXPECT_TRUE(encoder.write(poll));
    }
    return write(name, encoder.finish()->span());
  }
  // A CTF 2 trace: an event class with these members in its payload, and a data stream file.
  std::string write_ctf(std::string_view members, std::vector<std::uint8_t> bytes) const {
    const std::string folder = path("ctf");
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/metadata", std::ios::binary)
        << "\x1E{\"type\":\"preamble\",\"version\":2,\"attributes\":{}}\n"
           "\x1E{\"type\":\"data-stream-class\",\"packet-context-field-class\":{\"type\":"
           "\"structure\","
           "\"member-classes\":[{\"name\":\"cpu\",\"field-class\":"
        << kU8
        << "}]},\"event-record-common-context-field-class\":{\"type\":\"structure\","
           "\"member-classes\":[{\"name\":\"pid\",\"field-class\":"
        << kU8
        << "}]}}\n\x1E{\"type\":\"event-record-class\",\"name\":\"e\",\"payload-field-class\":"
           "{\"type\":\"structure\",\"member-classes\":["
        << members << "]}}\n";
    std::ofstream(folder + "/stream", std::ios::binary) << as_text(ByteSpan(bytes));
    return folder;
  }

  static constexpr std::string_view kU8 =
      R"({"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian"})";

  std::filesystem::path folder_;
};

std::string member(std::string_view name, std::string_view field_class) {
  return std::string(R"({"name":")")
      .append(name)
      .append(R"(","field-class":)")
      .append(field_class)
      .append("}");
}

TEST_F(FrontDoor, FieldsAreFoundByName) {
  std::vector<std::string> seen;
  for (const auto& event : open(write_polls("polls", 3))) {
    const auto worker = event["worker_id"].get<unsigned>();
    ASSERT_TRUE(worker);
    seen.push_back(std::string(event.name()) + " " + std::to_string(*worker) + " " +
                   event["label"].get_or<std::string>("") + " " +
                   std::to_string(event["status"].get_or<int>(-1)) + " " +
                   event.time()->to_string());
  }
  EXPECT_THAT(seen, ElementsAre("Poll 0 a -1 0", "Poll 1 a 100 1000", "Poll 2 a -1 2000"));
}

TEST_F(FrontDoor, WhatIsNotThereIsNoValue) {
  int events = 0;
  for (const auto& event : open(write_polls("polls", 1))) {
    ++events;
    EXPECT_FALSE(event["worker"]);
    EXPECT_FALSE(event["worker_id.more"]);
    EXPECT_FALSE(event["worker_id[0]"]);
    EXPECT_FALSE(event[""]);
    EXPECT_FALSE(event["status"]);
    EXPECT_FALSE(event["label"].get<int>());
    EXPECT_FALSE(event["worker_id"].get<std::string_view>());
    EXPECT_EQ(event["worker_id"].size(), 0U);
    EXPECT_FALSE(event.context("worker_id"));
    EXPECT_EQ(event.duration(), std::nullopt);
  }
  EXPECT_EQ(events, 1);
}

TEST_F(FrontDoor, PathsLeadIntoStructuresArraysAndVariants) {
  const std::string u8(kU8);
  const std::string point =
      R"({"type":"structure","member-classes":[)" + member("x", u8) + "," + member("y", u8) + "]}";
  const std::string trace = write_ctf(
      member("n", u8) + "," +
          member(
              "list",
              R"({"type":"dynamic-length-array","length-field-location":{"path":["n"]},"element-field-class":)" +
                  point + "}") +
          "," +
          member("at", R"({"type":"structure","member-classes":[)" + member("p", point) + "," +
                           member("q.r[0]", u8) + "]}") +
          "," +
          member(
              "v",
              R"({"type":"variant","selector-field-location":{"path":["n"]},"options":[{"selector-field-ranges":[[0,1]],"field-class":)" +
                  u8 + R"(},{"selector-field-ranges":[[2,9]],"field-class":)" + point + "}]}") +
          "," +
          member("raw",
                 R"({"type":"static-length-array","length":3,"element-field-class":)" + u8 + "}"),
      {7, 42, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  int events = 0;
  for (const auto& event : open(trace)) {
    ++events;
    EXPECT_EQ(event["list"].size(), 2U);
    EXPECT_EQ(event["list[1].y"].get<int>(), 4);
    EXPECT_FALSE(event["list[2].y"]);
    EXPECT_EQ(event["list[-1].y"].get<int>(), 4);
    EXPECT_EQ(event["list"]["[-2].x"].get<int>(), 1);
    EXPECT_FALSE(event["list[-3].x"]);
    EXPECT_EQ(event["raw[-1]"].get<int>(), 12);
    EXPECT_EQ(event["raw"]["[-3]"].get<int>(), 10);
    EXPECT_FALSE(event["raw[-4]"]);
    EXPECT_EQ(event[R"(at["p"]['y'])"].get<int>(), 6);
    EXPECT_EQ(event[R"(at["q.r[0]"])"].get<int>(), 7);
    EXPECT_FALSE(event[R"(at["q"].r[0])"]);
    EXPECT_EQ(event["at.p.y"].get<int>(), 6);
    EXPECT_EQ(event["at.q.r[0]"].get<int>(), 7);
    EXPECT_EQ(event["v.x"].get<int>(), 8);
    EXPECT_EQ(event["raw[2]"].get<int>(), 12);
    std::vector<int> raw;
    for (const Value element : event["raw"]) raw.push_back(element.get_or<int>(-1));
    EXPECT_THAT(raw, ElementsAre(10, 11, 12));
    std::vector<int> xs;
    for (const Value element : event["list"]) xs.push_back(element["x"].get_or<int>(-1));
    EXPECT_THAT(xs, ElementsAre(1, 3));
    EXPECT_EQ(event.context("pid").get<int>(), 42);
    EXPECT_EQ(event.context("cpu").get<int>(), 7);
    std::vector<std::string> names;
    for (const auto& [name, value] : event.fields()) names.emplace_back(name);
    EXPECT_THAT(names, ElementsAre("n", "list", "at", "v", "raw"));
  }
  EXPECT_EQ(events, 1);
}

// What a visitor was called with.
struct Seen {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return "i" + std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return "u" + std::to_string(value); }
  std::string operator()(Int128 value) const {
    return "I" + std::to_string(static_cast<std::int64_t>(value));
  }
  std::string operator()(Uint128 value) const {
    return "U" + std::to_string(static_cast<std::uint64_t>(value >> 64));
  }
  std::string operator()(double value) const { return "r" + std::to_string(value); }
  std::string operator()(std::string_view value) const { return "t" + std::string(value); }
  std::string operator()(ByteSpan value) const { return "b" + std::to_string(value.size()); }
  std::string operator()(const Value& value) const {
    return "v" + std::to_string(static_cast<int>(value.kind()));
  }
};

TEST_F(FrontDoor, ValuesAreVisited) {
  const std::vector<std::uint8_t> wide = {0, 0, 0, 0, 0, 0, 0, 0, 7};
  const std::vector<std::uint8_t> widest(20, 1);
  const auto bytes = [](SlotKind kind, const std::vector<std::uint8_t>& of) {
    return bytes_slot(kind, of.data(), static_cast<std::uint32_t>(of.size()));
  };
  using Kind = Value::Kind;
  const auto check = [](const Slot& slot, Kind kind, std::string_view seen) {
    const Value value(&slot, nullptr);
    EXPECT_EQ(value.kind(), kind);
    EXPECT_EQ(value.visit(Seen()), seen);
  };
  check(boolean_slot(true), Kind::kBoolean, "true");
  check(unsigned_slot(7), Kind::kUnsigned, "u7");
  check(signed_slot(-7), Kind::kSigned, "i-7");
  check(real_slot(0.5), Kind::kReal, "r0.500000");
  check(bytes(SlotKind::kBlob, wide), Kind::kBytes, "b9");
  check(bytes_slot(SlotKind::kString, as_bytes("text").data(), 4), Kind::kText, "ttext");
  check(bytes(SlotKind::kWideUnsigned, wide), Kind::kUnsigned, "U7");
  check(bytes(SlotKind::kWideSigned, std::vector<std::uint8_t>(12, 0xFF)), Kind::kSigned, "I-1");
  check(bytes(SlotKind::kWideUnsigned, widest), Kind::kUnsigned, "v3");
  const std::array<Slot, 2> array = {head_slot(SlotKind::kArray, 1, 1), unsigned_slot(1)};
  check(array[0], Kind::kArray, "v7");
  check(head_slot(SlotKind::kOptional, 0, 0), Kind::kNone, "v0");
  EXPECT_EQ(Value().visit(Seen()), "v0");
  EXPECT_EQ(Value().kind(), Kind::kNone);
}

TEST_F(FrontDoor, IntegersFitWhatIsAskedFor) {
  const std::string trace = write_ctf(
      member("s",
             R"({"type":"fixed-length-signed-integer","length":16,"byte-order":"little-endian"})") +
          "," +
          member(
              "w",
              R"({"type":"fixed-length-unsigned-integer","length":128,"byte-order":"little-endian"})") +
          "," +
          member(
              "e",
              R"({"type":"fixed-length-unsigned-integer","length":8,"byte-order":"little-endian","mappings":{"low":[[0,5]],"three":[[3,3]]}})") +
          "," +
          member("b",
                 R"({"type":"fixed-length-boolean","length":8,"byte-order":"little-endian"})") +
          "," +
          member(
              "r",
              R"({"type":"fixed-length-floating-point-number","length":32,"byte-order":"little-endian"})") +
          "," + member("d", R"({"type":"static-length-blob","length":2})"),
      {0, 0, 0xFE, 0xFF, 0, 0,    0, 0, 0, 0, 0,    0,    0, 0,
       0, 0, 0,    0,    0, 0x80, 3, 1, 0, 0, 0xC0, 0x3F, 1, 2});
  int events = 0;
  for (const auto& event : open(trace)) {
    ++events;
    EXPECT_EQ(event["s"].get<int>(), -2);
    EXPECT_EQ(event["s"].get<std::int8_t>(), -2);
    EXPECT_FALSE(event["s"].get<unsigned>());
    EXPECT_EQ(event["s"].get<double>(), -2.0);
    EXPECT_FALSE(event["w"].get<std::uint64_t>());
    EXPECT_FALSE(event["w"].get<Int128>());
    EXPECT_TRUE(event["w"].get<Uint128>() == Uint128{1} << 127);
    EXPECT_EQ(event["e"].get<int>(), 3);
    EXPECT_EQ(event["e"].label(), "low");
    EXPECT_THAT(event["e"].labels(), ElementsAre("low", "three"));
    EXPECT_EQ(event["b"].get<bool>(), true);
    EXPECT_FALSE(event["b"].get<int>());
    EXPECT_EQ(event["r"].get<float>(), 1.5F);
    EXPECT_FALSE(event["r"].get<int>());
    EXPECT_EQ(event["d"].get<ByteSpan>()->size(), 2U);
  }
  EXPECT_EQ(events, 1);
}

// Heph, with more descriptions than event classes are made of.
TEST_F(FrontDoor, EventsThatDescribeThemselvesAreReadTheSame) {
  constexpr std::uint64_t kEvents = 10'000;
  std::string bytes;
  const auto put = [&](std::uint64_t value, int size) {
    while (size-- > 0) bytes.push_back(static_cast<char>(value >> (8 * size) & 0xFF));
  };
  for (std::uint64_t i = 0; i < kEvents; ++i) {
    const std::string name = "d" + std::to_string(i);
    put(0xC1FC1FB7, 4);
    put(42 + name.size() + 12, 4);
    put(0, 4);
    put(i, 4);
    put(0, 8);
    put(i, 8);
    put(i + 5, 8);
    put(name.size(), 2);
    bytes += name;
    put(1, 2);
    bytes += "n";
    put(1, 1);
    put(i, 8);
  }
  std::uint64_t events = 0;
  for (const auto& event : open(write("spans", as_bytes(bytes)))) {
    ASSERT_EQ(event.name(), "d" + std::to_string(events));
    ASSERT_EQ(event["n"].get<std::uint64_t>(), events);
    ASSERT_EQ(event.fields().size(), 1U);
    ASSERT_EQ(event.duration(), Nanoseconds(5));
    ++events;
  }
  EXPECT_EQ(events, kEvents);
}

TEST_F(FrontDoor, SeveralTracesAreMergedByTime) {
  std::vector<std::string> times;
  for (const auto& event : open({write_polls("a", 2), write_polls("b", 2, 500)}))
    times.push_back(event.time()->to_string());
  EXPECT_THAT(times, ElementsAre("0", "500", "1000", "1500"));
}

TEST_F(FrontDoor, ASelectionChoosesEvents) {
  const std::string path = write_polls("polls", 10);
  OpenOptions options;
  options.selection.limit = 3;
  int events = 0;
  for ([[maybe_unused]] const auto& event : open(path, options)) ++events;
  EXPECT_EQ(events, 3);
}

TEST_F(FrontDoor, WhatCannotBeOpenedIsReported) {
  std::vector<std::string> reports;
  OpenOptions options;
  options.report = [&](const Report& report) {
    EXPECT_EQ(report.kind, Report::Kind::kError);
    reports.push_back(report.text);
  };
  Trace trace = open(path("nothing"), options);
  EXPECT_EQ(trace.begin(), trace.end());
  EXPECT_THAT(reports, ElementsAre(HasSubstr("nothing")));
  ASSERT_TRUE(trace.error());
  EXPECT_EQ(trace.error()->code, ErrorCode::kCannotOpen);
  EXPECT_FALSE(trace.complete());
}

TEST_F(FrontDoor, WhoDoesNotAskSeesErrorsOnStandardError) {
  testing::internal::CaptureStderr();
  for ([[maybe_unused]] const auto& event : open(path("nothing"))) ADD_FAILURE();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("nothing"));
}

TEST_F(FrontDoor, DamageAndLossesAreReportedInTheirPlaces) {
  const std::string whole = write_polls("polls", 2);
  std::ofstream(whole, std::ios::binary | std::ios::app) << '\x07';
  std::vector<std::string> seen;
  OpenOptions options;
  options.report = [&](const Report& report) {
    ASSERT_NE(report.record, nullptr);
    seen.emplace_back(report.record->notice->finding.rule->id);
  };
  Trace trace = open(whole, options);
  for (const auto& event : trace) seen.emplace_back(event.name());
  EXPECT_THAT(seen, ElementsAre("Poll", "Poll", "dial9/frame-tag"));
  EXPECT_FALSE(trace.complete());
  EXPECT_EQ(trace.error(), std::nullopt);
}

TEST_F(FrontDoor, ABatchKeepsItsEvents) {
  std::vector<BatchPtr> kept;
  std::vector<std::string_view> labels;
  for (const auto& event : open(write_polls("polls", 3))) {
    kept.push_back(event.batch());
    labels.push_back(*event["label"].get<std::string_view>());
  }
  EXPECT_THAT(labels, ElementsAre("a", "a", "a"));
}

TEST_F(FrontDoor, PathsThatAreMadeUpAreForgotten) {
  for (const auto& event : open(write_polls("polls", 1))) {
    for (int i = 0; i < 5000; ++i) EXPECT_FALSE(event["x" + std::to_string(i)]);
    // The same memory with another path in it.
    std::string path = "worker_id";
    EXPECT_TRUE(event[path]);
    path = "worker_ix";
    EXPECT_FALSE(event[path]);
  }
}

TEST_F(FrontDoor, ReadsADataStreamByMetadataThatAreGiven) {
  constexpr std::string_view kMetadata = R"(/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
stream { };
event { name = "tick"; fields := struct { integer { size = 8; align = 8; } n; }; };
)";
  const std::string metadata = write("barectf.metadata", as_bytes(kMetadata));
  const std::string stream = write("stream", as_bytes("\x01\x02"));
  std::vector<unsigned> numbers;
  for (const auto& event : open(stream, {.metadata = metadata}))
    numbers.push_back(event["n"].get<unsigned>().value_or(0));
  EXPECT_THAT(numbers, ElementsAre(1U, 2U));
  std::vector<std::string> errors;
  const auto report = [&](const Report& each) { errors.push_back(each.text); };
  Trace missing = open(stream, {.metadata = path("none"), .report = report});
  EXPECT_EQ(missing.begin(), Trace::end());
  EXPECT_THAT(errors, ElementsAre(HasSubstr("none")));
  EXPECT_TRUE(missing.error());
}

TEST_F(FrontDoor, FollowsAFileUntilItIsStopped) {
  std::stop_source stop;
  std::vector<std::string> reports;
  OpenOptions options;
  options.follow = true;
  options.stop = stop.get_token();
  options.report = [&](const Report& report) { reports.push_back(report.text); };
  int events = 0;
  Trace trace = open(write_polls("polls", 3), options);
  for ([[maybe_unused]] const auto& event : trace) {
    if (++events == 3) stop.request_stop();
  }
  EXPECT_EQ(events, 3);
  EXPECT_TRUE(trace.complete());
  EXPECT_THAT(reports, testing::IsEmpty());
}

}  // namespace
}  // namespace tracedeck

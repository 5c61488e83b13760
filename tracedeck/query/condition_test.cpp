#include "tracedeck/query/condition.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::query {
namespace {

using render::array_class;
using render::enumeration_class;
using render::SampleTrace;
using render::string_class;
using render::structure_class;
using render::text_slot;
using render::unsigned_class;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// An event with a value of each kind, and what conditions say of it.
class Conditions : public testing::Test {
 protected:
  Conditions() {
    widest_.push_back(0x80);
    const auto signed_class =
        make_field_class(IntegerClass{.is_signed = true, .layout = FixedLayout{.width = 64}});
    const auto state = enumeration_class({{.label = "idle", .ranges = {{0, 0}}},
                                          {.label = "busy", .ranges = {{1, 3}}},
                                          {.label = "late", .ranges = {{3, 9}}}});
    const auto flags =
        make_field_class(IntegerClass{.form = IntegerClass::Form::kBitMap,
                                      .mappings = {{.label = "read", .ranges = {{0, 0}}},
                                                   {.label = "write", .ranges = {{1, 1}}}}});
    const auto wide_flags = make_field_class(
        IntegerClass{.form = IntegerClass::Form::kBitMap,
                     .mappings = {{.label = "near", .ranges = {{0, 63}}},
                                  {.label = "far", .ranges = {{64, 64}}},
                                  {.label = "farthest", .ranges = {{159, 1000}}}}});
    event_class_ = &trace_.add(trace_.event_class(
        7, "Poll Start",
        structure_class(
            {{"depth", unsigned_class()},
             {"low", signed_class},
             {"ratio", make_field_class(RealClass{})},
             {"ok", make_field_class(BooleanClass{})},
             {"text", string_class()},
             {"sizes", array_class(unsigned_class())},
             {"packed", array_class(unsigned_class())},
             {"inner", structure_class({{"a", unsigned_class()}, {"odd key", unsigned_class()}})},
             {"maybe", make_field_class(OptionalClass{.value = unsigned_class()})},
             {"absent", make_field_class(OptionalClass{.value = unsigned_class()})},
             {"state", state},
             {"flags", flags},
             {"wide", unsigned_class()},
             {"most", unsigned_class()},
             {"name", string_class()},
             {"nan", make_field_class(RealClass{})},
             {"wide_flags", wide_flags},
             {"widest_flags", wide_flags},
             {"data", make_field_class(BlobClass{})},
             {"unlabelled", enumeration_class({})}})));
    event_ = trace_.event(
        *event_class_, 1'500'000'000,
        {unsigned_slot(5),
         signed_slot(-3),
         real_slot(0.5),
         boolean_slot(true),
         text_slot("GET /index.html"),
         head_slot(SlotKind::kArray, 2, 2),
         unsigned_slot(10),
         unsigned_slot(4096),
         packed_slot(PackedElement::kU8, bytes_.data(), static_cast<std::uint32_t>(bytes_.size())),
         head_slot(SlotKind::kStructure, 0, 2),
         unsigned_slot(11),
         unsigned_slot(12),
         head_slot(SlotKind::kOptional, 1, 1),
         unsigned_slot(8),
         head_slot(SlotKind::kOptional, 0, 0),
         unsigned_slot(3),
         unsigned_slot(2),
         render::wide_slot(SlotKind::kWideUnsigned, wide_),
         unsigned_slot(~std::uint64_t{0}),
         text_slot("inner name"),
         real_slot(std::numeric_limits<double>::quiet_NaN()),
         render::wide_slot(SlotKind::kWideUnsigned, wide_),
         render::wide_slot(SlotKind::kWideUnsigned, widest_),
         bytes_slot(SlotKind::kBlob, data_.data(), static_cast<std::uint32_t>(data_.size())),
         unsigned_slot(2)});
    event_.offset = 100;
    event_.size = 24;
  }

  // Whether the event passes; "ERROR: ..." of a condition that is none.
  std::string passes(const std::string& text) {
    const auto condition = Condition::parse(std::vector{text});
    if (!condition) return "ERROR: " + condition.error().message;
    std::vector<Nanoseconds> times;
    for (const TimePoint& point : (*condition)->times()) times.push_back(point.value);
    const auto filter = (*condition)->filter({.times = std::move(times), .trace = trace_name_});
    return filter->passes(event_) ? "true" : "no";
  }

  std::vector<std::uint8_t> bytes_ = {1, 2, 250};
  std::vector<std::uint8_t> wide_ = {0, 0, 0, 0, 0, 0, 0, 0, 1};         // 2^64
  std::vector<std::uint8_t> widest_ = std::vector<std::uint8_t>(19, 0);  // 2^159
  std::vector<std::uint8_t> data_ = {'A', 0xA9};
  std::string trace_name_ = "run.bin";
  SampleTrace trace_;
  const EventClass* event_class_ = nullptr;
  Event event_;
};

TEST_F(Conditions, AreTrue) {
  for (const char* text : {
           "depth == 5",
           "depth != 4",
           "depth > 4 && depth < 6",
           "depth >= 5",
           "depth <= 5",
           "5 == depth",
           "4 < depth",
           "depth in [1, 5]",
           "depth in [3..9]",
           "depth not in [6..9]",
           "depth + 1 == 6",
           "depth - 6 == -1",
           "depth * 2 == 10",
           "depth / 2 == 2",
           "depth % 2 == 1",
           "depth & 4 == 4",
           "(depth | 2) == 7",
           "(depth ^ 1) == 4",
           "depth << 2 == 20",
           "depth >> 1 == 2",
           "~depth == -6",
           "-depth == -5",
           "low == -3",
           "low < 0",
           "low > -4",
           "abs(low) == 3",
           "low != 3",
           "low < depth",
           "low < most",
           "most > -1",
           "most == 18446744073709551615",
           "most == 0xffff_ffff_ffff_ffff",
           // All integers that a field can hold, none, and all but some at the ends.
           "most >= 0 && !(most < 0)",
           "!(most > 18446744073709551615)",
           "!(most >= 0) || most <= 18446744073709551615",
           "most != 0 && !(most < 18446744073709551615)",
           "low >= -9223372036854775808 && !(low > 9223372036854775807)",
           "!(low >= 0) && !(low <= -9223372036854775808)",
           "!(depth > 5 || low > -3) && !(depth != 5 && low != -3)",
           "depth == 4 || low != -3 || !(most == 1)",
           "wide > most",
           "wide == 18446744073709551616",
           "wide - most == 1",
           "ratio == 0.5",
           "ratio < 1",
           "ratio > low",
           "depth > ratio",
           "depth * ratio == 2.5",
           "ok",
           "ok == true",
           "ok == 1",
           "!(ok == false)",
           "not (depth == 4)",
           "text contains \"index\"",
           "text ~ \"GET *\"",
           "text ~ \"*.html\"",
           "text ~ \"*/i*x.*\"",
           "text ~ \"GET ?index.html\"",
           "text =~ /^GET .*html$/",
           "text =~ /INDEX/i",
           "text !~ /POST/",
           "lower(text) == \"get /index.html\"",
           "text == 'GET /index.html'",
           "text > \"GET\"",
           "len(text) == 15",
           "len(sizes) == 2",
           "len(packed) == 3",
           "sizes[0] == 10",
           "sizes[-1] == 4096",
           "packed[2] == 250",
           "packed[-3] == 1",
           "any(sizes[*] > 4095)",
           "all(sizes[*] >= 10)",
           "any(packed[*] == 250)",
           "all(packed[*] < 251)",
           "inner.a == 11",
           "inner[\"odd key\"] == 12",
           ".inner.a == 11",
           "fields.inner.a == 11",
           "maybe == 8",
           "has(maybe)",
           "!has(absent)",
           "!has(nothing)",
           "absent ?? 9 == 9",
           "maybe ?? 9 == 8",
           "absent ?? nothing ?? 3 == 3",
           "state == \"busy\"",
           "state == \"late\"",
           "state != \"idle\"",
           "state == 3",
           "unlabelled != \"idle\"",
           "unlabelled not in [\"idle\", 5]",
           "state in [\"idle\", \"late\"]",
           "state ~ \"b*\"",
           "state contains \"us\"",
           "\"busy or idle\" contains state",
           "\"late\" == state",
           "label(state) == \"busy\"",
           "flags == \"write\"",
           "flags != \"read\"",
           "flags == 2",
           "wide_flags == \"far\"",
           "wide_flags != \"near\"",
           "widest_flags == \"farthest\"",
           "widest_flags != \"far\"",
           "lower(data) == \"a\\xa9\"",
           "data ~ \"A\\xa9\"",
           "data ~ \"?\\xa9\"",
           "time != (text == \"x\") || true",
           "1.000000000s == 1000000000",
           "time < 340282366920938463463374607431768211.455us",
           "name == \"Poll Start\"",
           "name ~ \"Poll*\"",
           ".name == \"inner name\"",
           "id == 7",
           "time == 1.5s",
           "time > 1s && time < 2s",
           "time >= \"1.5s\"",
           "time in [1s..2s]",
           "offset == 100",
           "size == 24",
           "size < 1KiB",
           "stream.segment == 0",
           "trace == \"run.bin\"",
           "trace ~ \"*.bin\"",
           "nan != 1",
           "!(nan == nan)",
           "true",
           "1 < 2",
           "(absent > 1) ?? true",
           "absent > 1 || depth == 5",
           "!(absent > 1 && depth == 4)",
           "depth == 5 or absent == 1",
           "depth == 5 and low == -3",
           "depth == 5.0",
           "depth > 4 && (low < 0 || absent > 2) && text contains \"GET\"",
       })
    EXPECT_EQ(passes(text), "true") << text;
}

TEST_F(Conditions, AreNotTrue) {
  for (const char* text : {
           "depth == 4",
           "depth > 5",
           "!(depth == 5)",
           "low > 0",
           "low == 3",
           "most < 0",
           "absent == 0",
           "absent != 0",
           "!(absent == 0)",
           "absent > 0 || absent <= 0",
           "nothing == 1",
           "nothing != 1",
           "!(nothing == 1)",
           "nothing == nothing",
           "sizes[2] == 0",
           "sizes[2] != 0",
           "inner.b == 1",
           "inner == 1",
           "depth == \"5\"",
           "depth.x == 1",
           "text == 5",
           "text != 5",
           "text + 1 == 2",
           "depth / 0 == 0",
           "depth % 0 == 0",
           "most * most * most == 0",
           "nan == 1",
           "nan < 1",
           "nan >= 1",
           "duration > 0",
           "!(duration > 0)",
           "any(sizes[*] > 4096)",
           "all(sizes[*] > 10)",
           "any(text[*] == 1)",
           "state == \"gone\"",
           "\"idle\" contains state",
           "text contains depth",
           "state == \"idle\"",
           "flags == \"read\"",
           "name == \"poll start\"",
           "text =~ /post/",
           "text ~ \"GET\"",
           "false",
           "depth",
           "ok && absent == 1",
           "time > \"2s\"",
           "stream.other == 1",
           "specific.depth == 5",
           "common.depth == 5",
           "packet.depth == 5",
           "$ctx.depth == 5",
       })
    EXPECT_EQ(passes(text), "no") << text;
}

TEST_F(Conditions, ThatAreWrongShowThePlace) {
  EXPECT_EQ(passes("depth =! 3"),
            "ERROR: `=` is no comparison; write `==`\n    depth =! 3\n          ^");
  EXPECT_THAT(passes("depth == "), HasSubstr("the expression ends where a value is wanted"));
  EXPECT_THAT(passes("text =~ /(/"), HasSubstr("the regular expression is not understood"));
  EXPECT_THAT(passes("time > \"yesterday\""), HasSubstr("yesterday"));
  EXPECT_THAT(passes("depth ~ 3"), HasSubstr("a text in quotes is wanted"));
  EXPECT_THAT(passes("depth | 3 == 1"), HasSubstr("inside parentheses only"));
  EXPECT_THAT(passes("sizes[*] == 1"), HasSubstr("any() and all()"));
  EXPECT_THAT(passes(std::string(100'000, '(')), HasSubstr("nested more than 200 deep"));
  EXPECT_THAT(passes(std::string(kMaxTextSize + 1, '1')), HasSubstr("has at most"));
}

// Lists that are looked up say what short ones, which are gone through, say.
TEST_F(Conditions, LongListsAreAsShortOnes) {
  for (const char* const value :
       {"depth",        "low",  "ratio", "ok",   "text",   "state",    "flags",
        "wide",         "most", "nan",   "data", "absent", "inner",    "sizes",
        "widest_flags", "name", "1.0",   "true", "1/0",    "len(text)"}) {
    for (const char* const item :
         {"5", "-3", "0.5", "1", "true", "5.0", "\"GET /index.html\"", "\"busy\"", "\"write\"",
          "4..6", "4.5..5.5", "\"A\"..\"H\"", "9..1", "-4..-2", "18446744073709551615", "depth",
          "1/0", "depth..9", "low + 8"}) {
      for (const char* const other : {"77777", "\"none\"", "70000..80000", "\"x\"..\"y\""}) {
        std::string many = other;
        for (int i = 0; i < 20; ++i) many += std::string(", ") + other;
        for (const char* const form :
             {"{} in [{}, {}]", "{} not in [{}, {}]", "({} in [{}, {}]) ?? true"}) {
          const auto of = [&](std::string_view others) {
            std::string text(form);
            for (const std::string_view part :
                 {std::string_view(value), std::string_view(item), others})
              text.replace(text.find("{}"), 2, part);
            return passes(text);
          };
          EXPECT_EQ(of(many), of(other)) << value << ' ' << item << ' ' << other << ' ' << form;
        }
      }
    }
  }
}

TEST_F(Conditions, AreLimitedInWhatTheyTake) {
  std::string list = "0";
  for (int i = 1; i < 100'000; ++i) list += fmt::format(",{}", i * 7);
  EXPECT_EQ(passes("depth in [" + list + "]"), "no");
  EXPECT_EQ(passes("depth in [" + list + ",5]"), "true");
  for (int i = 0; i < 101'000; ++i) list += ",1";
  EXPECT_THAT(passes("depth in [" + list + "]"), HasSubstr("have more than 200000 items"));
  std::string many = "depth == 5";
  for (int i = 0; i < 70'000; ++i) many += " || depth == 6";
  EXPECT_THAT(passes(many), HasSubstr("stand in a list"));
  std::string patterns = "text =~ /in.ex/";
  for (int i = 0; i < 40; ++i) patterns += fmt::format(" || text =~ /a.*{}/", i);
  EXPECT_EQ(passes(patterns), "true");
  for (int i = 0; i < 960; ++i) patterns += fmt::format(" || text =~ /b.*{}/", i);
  EXPECT_THAT(passes(patterns), HasSubstr("more than 16 MiB together"));
  EXPECT_THAT(passes(std::string(100'000, '!') + "ok"), HasSubstr("nested more than 200 deep"));
}

TEST_F(Conditions, AreNoNumbersAndNoTexts) {
  for (const char* text :
       {"1", "1.5", "\"a\"", "name", "time", "stream.segment", "depth + 1", "-ok", "len(text)",
        "lower(text)", "label(state)", "abs(low)", "name ?? 1", "ok && 1", "!name",
        "ok or (len(text))", "any(sizes[*] + 1)", "(ok && name) == true"})
    EXPECT_THAT(passes(text), HasSubstr("a condition is wanted")) << text;
  for (const char* text : {"/a/", "len(/a/) == 1", "text in [/a/]", "/a/ == text", "text ~ /a/",
                           "text =~ /a/ || /b/", "(/a/ ?? 1) == 1"})
    EXPECT_THAT(passes(text), HasSubstr("a pattern stands behind")) << text;
}

TEST_F(Conditions, KnowNoTraceWhereThereIsOne) {
  EXPECT_EQ(passes("has(trace)"), "true");
  trace_name_ = "";
  EXPECT_EQ(passes("has(trace)"), "no");
  EXPECT_EQ(passes("trace == \"\""), "no");
}

TEST_F(Conditions, AreAllMet) {
  const auto both = Condition::parse(std::vector<std::string>{"depth == 5", "low == -3"});
  EXPECT_TRUE((*both)->filter({})->passes(event_));
  const auto one = Condition::parse(std::vector<std::string>{"depth == 5", "low == 3"});
  EXPECT_FALSE((*one)->filter({})->passes(event_));
}

TEST_F(Conditions, KnowWhichFieldsNoClassHas) {
  const auto condition =
      Condition::parse(std::vector<std::string>{"dpeth == 5 || inner.q == 1 || text == \"\""});
  EXPECT_THAT((*condition)->fields().unknown_fields(), IsEmpty());
  (*condition)->fields().see(trace_.description);
  EXPECT_THAT((*condition)->fields().unknown_fields(),
              ElementsAre("no event class has a field `dpeth`; did you mean `depth`?",
                          "no event class has a field `inner.q`"));
}

TEST_F(Conditions, KnowWhatKeysOfStreamsAreCalled) {
  const auto condition =
      Condition::parse(std::vector<std::string>{"core == 1 || coer == 1 || depht == stream.core"});
  const DataStream stream{.keys = {{.name = "core", .value = 1}}};
  const Record begin(RecordKind::kStreamBegin, &stream);
  const Record* passing = nullptr;
  EXPECT_EQ((*condition)->filter({})->select({&begin, 1}, {&passing, 1}), 1U);
  (*condition)->fields().see(trace_.description);
  EXPECT_THAT((*condition)->fields().unknown_fields(),
              ElementsAre("no event class has a field `core`; did you mean `stream.core`?",
                          "no event class has a field `coer`; did you mean `stream.core`?",
                          "no event class has a field `depht`; did you mean `depth`?"));
}

TEST_F(Conditions, KnowWhichKeysNoDataStreamHas) {
  const auto condition =
      Condition::parse(std::vector<std::string>{"stream.core == 1 || stream.coer == 1"});
  (*condition)->fields().see(trace_.description);
  EXPECT_THAT((*condition)->fields().unknown_fields(), IsEmpty());
  const DataStream stream{.keys = {{.name = "core", .value = 1}, {.name = "id", .value = 0}}};
  const Record begin(RecordKind::kStreamBegin, &stream);
  const Record* passing = nullptr;
  EXPECT_EQ((*condition)->filter({})->select({&begin, 1}, {&passing, 1}), 1U);
  EXPECT_THAT((*condition)->fields().unknown_fields(),
              ElementsAre("no data stream has a key `stream.coer`; there are `stream.core`, "
                          "`stream.id`"));
  (*condition)->fields().stop_early();
  EXPECT_THAT((*condition)->fields().unknown_fields(), IsEmpty());
}

TEST_F(Conditions, KnowTheFieldsOfClassesWithoutEvents) {
  const auto condition = Condition::parse(std::vector<std::string>{"depth == 5"});
  const auto filter = (*condition)->filter({});
  const auto describe = [&](const EventClass& event_class) {
    const Record record(&event_class);
    const Record* passing = nullptr;
    EXPECT_EQ(filter->select({&record, 1}, {&passing, 1}), 1U);
  };
  describe(trace_.add(trace_.event_class(8, "Other", structure_class({}))));
  EXPECT_THAT((*condition)->fields().unknown_fields(),
              ElementsAre("no event class has a field `depth`"));
  describe(*event_class_);
  EXPECT_THAT((*condition)->fields().unknown_fields(), IsEmpty());
}

TEST_F(Conditions, KnowWhichNamesNoEventHas) {
  const auto said = [&](const std::string& text) {
    const auto condition = Condition::parse(std::vector{text});
    (*condition)->fields().see(trace_.description);
    return (*condition)->fields().unknown_names();
  };
  EXPECT_THAT(said("name == \"nosuch\""), ElementsAre("no event is called `nosuch`"));
  EXPECT_THAT(said("name ~ \"sys_*\""), ElementsAre("no event's name matches `sys_*`"));
  EXPECT_THAT(said("name contains \"zzz\""), ElementsAre("no event's name contains `zzz`"));
  EXPECT_THAT(said("name < \"zzz\" && name ~ \"*\""), IsEmpty());
}

TEST_F(Conditions, SayWhatMayBeMeantOtherwise) {
  const auto condition = Condition::parse(std::vector<std::string>{"name == \"x\" && id == 3"});
  (*condition)->fields().see(trace_.description);
  EXPECT_THAT((*condition)->fields().notices(),
              ElementsAre("`name` is what each event has; the field of that name, which some have, "
                          "is `.name`"));
}

// Names that hold dots, and names that stand within one another.
class DottedNames : public testing::Test {
 protected:
  DottedNames() {
    event_class_ = &trace_.add(trace_.event_class(
        7, "request",
        structure_class(
            {{"http.status", unsigned_class()},
             {"http", structure_class({{"status", unsigned_class()}, {"route", unsigned_class()}})},
             {"packet.size", unsigned_class()},
             {"list[0]", unsigned_class()},
             {"list", array_class(unsigned_class())}})));
    event_ = trace_.event(*event_class_, 0,
                          {unsigned_slot(503), head_slot(SlotKind::kStructure, 0, 2),
                           unsigned_slot(1), unsigned_slot(2), unsigned_slot(64), unsigned_slot(9),
                           head_slot(SlotKind::kArray, 1, 1), unsigned_slot(8)});
  }
  bool passes(const std::string& text) {
    return (*Condition::parse(std::vector{text}))->filter({})->passes(event_);
  }
  std::vector<std::string> said(const std::string& text, bool unknown) {
    const auto condition = Condition::parse(std::vector{text});
    (*condition)->fields().see(trace_.description);
    return unknown ? (*condition)->fields().unknown_fields() : (*condition)->fields().notices();
  }

  SampleTrace trace_;
  const EventClass* event_class_ = nullptr;
  Event event_;
};

TEST_F(DottedNames, AreFoundAsTheyStand) {
  for (const char* text :
       {"http.status == 503", ".http.status == 503", "fields[\"http.status\"] == 503",
        "http[\"status\"] == 1", "http.route == 2", ".packet.size == 64", "list[0] == 9",
        "list[-1] == 8", "fields[\"list\"][0] == 8", "any(list[*] == 8)"})
    EXPECT_TRUE(passes(text)) << text;
}

TEST_F(DottedNames, AmbiguityIsSaid) {
  EXPECT_THAT(said("http.status == 1", false),
              ElementsAre("`http.status` means the field of the longest name; `http[\"status\"]` "
                          "is one within another"));
  EXPECT_THAT(said("http[\"status\"] == 1 && http.route == 1", false), IsEmpty());
  EXPECT_THAT(
      said("packet.size == 1", true),
      ElementsAre("no event class has a field `packet.size`; did you mean `.packet.size`?"));
  EXPECT_THAT(said("http.state == 1", true),
              ElementsAre("no event class has a field `http.state`; did you mean `http.status`?"));
}

// How severe events are, beside names of levels in any form.
class LogLevels : public testing::Test {
 protected:
  LogLevels() {
    for (const char* const level : {"0", "4", "6", "14"}) {
      EventClass made = trace_.event_class(classes_.size(), "e", nullptr);
      made.attributes = {{.key = "loglevel", .value = level}};
      classes_.push_back(&trace_.add(std::move(made)));
    }
    classes_.push_back(&trace_.add(trace_.event_class(9, "none", nullptr)));
  }
  // Of which classes it is true, by their place: '1'; false: '0'; unknown: '?'.
  [[nodiscard]] std::string truths(const std::string& text) {
    std::string result;
    for (const EventClass* const each : classes_) {
      const bool is_true = passes(text, *each);
      result += is_true ? '1' : passes("!(" + text + ")", *each) ? '0' : '?';
    }
    return result;
  }

  [[nodiscard]] static bool passes(const std::string& text, const EventClass& of) {
    const Event event{.event_class = &of};
    return (*Condition::parse(std::vector{text}))->filter({})->passes(event);
  }

  SampleTrace trace_;
  std::vector<const EventClass*> classes_;
};

TEST_F(LogLevels, AreOrderedByTheirNumbers) {
  EXPECT_EQ(truths("loglevel <= WARNING"), "1100?");
  EXPECT_EQ(truths("TRACE_WARNING >= loglevel"), "1100?");
  EXPECT_EQ(truths("loglevel < 'info'"), "1100?");
  EXPECT_EQ(truths("loglevel > 4"), "0011?");
}

TEST_F(LogLevels, AreNamed) {
  EXPECT_EQ(truths("loglevel == 'WARNING'"), "0100?");
  EXPECT_EQ(truths("loglevel != INFO"), "1101?");
  EXPECT_EQ(truths("loglevel in [EMERG, NOTICE..DEBUG_LINE]"), "1010?");
  EXPECT_EQ(truths("loglevel ~ 'DEBUG*'"), "0001?");
}

TEST_F(Conditions, KnowWhatTimesAreNeeded) {
  const auto range_of = [](const std::string& text) {
    const auto condition = Condition::parse(std::vector{text});
    const flow::TrimRange range = (*condition)->range({});
    return (range.begin ? range.begin->to_string() : "") + ".." +
           (range.end ? range.end->to_string() : "");
  };
  EXPECT_EQ(range_of("time >= 5 && time < 9"), "5..9");
  EXPECT_EQ(range_of("depth == 1 && 5 <= time"), "5..");
  EXPECT_EQ(range_of("time == 7"), "7..7");
  EXPECT_EQ(range_of("time > 5 || depth == 1"), "..");
  EXPECT_EQ(range_of("!(time > 5)"), "..");
  EXPECT_EQ(range_of("time > 5 && (time > 7 && time < 20)"), "7..20");
}

TEST_F(Conditions, NeedValuesOnlyForFields) {
  const auto needs = [](const std::string& text) {
    return (*Condition::parse(std::vector{text}))->needs_values();
  };
  EXPECT_FALSE(needs("time > 5 && id == 3"));
  EXPECT_TRUE(needs("depth == 1"));
}

}  // namespace
}  // namespace tracedeck::query

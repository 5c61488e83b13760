// The expected lines are what babeltrace2 2.0.4 prints for the same classes, values and clocks.
#include "tracedeck/render/babeltrace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

FieldClassPtr integer_class(bool is_signed, std::uint32_t width, DisplayBase base,
                            RareList<std::string> roles = {}) {
  return std::make_shared<const FieldClass>(FieldClass{
      .kind =
          IntegerClass{
              .is_signed = is_signed, .layout = FixedLayout{.width = width}, .display_base = base},
      .roles = std::move(roles)});
}
FieldClassPtr number_class() { return integer_class(false, 8, DisplayBase::kDecimal); }
FieldClassPtr role_class(std::string role) {
  return integer_class(false, 64, DisplayBase::kDecimal, {std::move(role)});
}
FieldClassPtr optional_class(FieldClassPtr value) {
  return make_field_class(OptionalClass{.value = std::move(value)});
}

class Babeltrace : public testing::Test {
 protected:
  // Everything that is written for the records; what is said goes to `said`.
  std::string lines(const std::vector<Record>& records) {
    options.say = [this](std::string_view text) { said += text; };
    return rendered([&](io::Output& out) { return babeltrace_writer(out, options); }, records);
  }

  // How a payload of one member `m` is shown.
  std::string value(const FieldClassPtr& field_class, Slots slots) {
    const EventClass& of = trace.add(timeless(structure_class({{"m", field_class}})));
    std::string line = lines({Record(trace.event(of, 0, std::move(slots)))});
    const std::string_view before = "e: { m = ";
    const std::string_view after = " }\n";
    if (!line.starts_with(before) || !line.ends_with(after)) return line;
    return line.substr(before.size(), line.size() - before.size() - after.size());
  }

  EventClass timeless(FieldClassPtr payload) const {
    EventClass of = trace.event_class(0, "e", std::move(payload));
    of.clock = nullptr;
    return of;
  }

  // The times and deltas of bare events at these clock values.
  std::string times(const std::vector<std::uint64_t>& values) {
    const EventClass& of = trace.add(trace.event_class(0, "e", nullptr));
    std::vector<Record> records;
    for (const std::uint64_t at : values) records.emplace_back(trace.event(of, at, {}));
    return lines(records);
  }

  SampleTrace trace;
  BabeltraceOptions options{.no_delta = true};
  std::string said;
};

struct IntegerCase {
  bool is_signed;
  std::uint32_t width;
  DisplayBase base;
  std::uint64_t bits;
  std::string_view text;
};

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr auto kLeast = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min());
constexpr std::uint64_t minus(std::uint64_t value) { return 0 - value; }

TEST_F(Babeltrace, Integers) {
  using enum DisplayBase;
  for (const IntegerCase& each :
       std::initializer_list<IntegerCase>{{false, 1, kBinary, 1, "0b1"},
                                          {true, 3, kBinary, minus(4), "0b100"},
                                          {false, 13, kBinary, 1, "0b0000000000001"},
                                          {true, 13, kBinary, minus(1), "0b1111111111111"},
                                          {false, 8, kOctal, 0, "00"},
                                          {false, 8, kOctal, 255, "0377"},
                                          {true, 1, kOctal, minus(1), "07"},
                                          {true, 5, kOctal, minus(16), "060"},
                                          {true, 8, kOctal, minus(1), "0777"},
                                          {true, 63, kOctal, minus(1), "0777777777777777777777"},
                                          {true, 64, kOctal, minus(1), "01777777777777777777777"},
                                          {true, 64, kOctal, kLeast, "01000000000000000000000"},
                                          {false, 64, kDecimal, kAll, "18446744073709551615"},
                                          {true, 64, kDecimal, kLeast, "-9223372036854775808"},
                                          {true, 5, kDecimal, minus(16), "-16"},
                                          {false, 8, kHexadecimal, 0, "0x0"},
                                          {false, 13, kHexadecimal, 0x1FFF, "0x1FFF"},
                                          {true, 1, kHexadecimal, minus(1), "0xF"},
                                          {true, 5, kHexadecimal, minus(16), "0xF0"},
                                          {true, 32, kHexadecimal, minus(1) << 31, "0x80000000"},
                                          {true, 64, kHexadecimal, minus(1), "0xFFFFFFFFFFFFFFFF"},
                                          {false, 60, kHexadecimal, kAll >> 4, "0xFFFFFFFFFFFFFFF"},
                                          {false, 63, kHexadecimal, 5, "0x0"},
                                          {true, 61, kHexadecimal, minus(1), "0x0"}}) {
    const Slot slot = each.is_signed ? signed_slot(static_cast<std::int64_t>(each.bits))
                                     : unsigned_slot(each.bits);
    EXPECT_EQ(value(integer_class(each.is_signed, each.width, each.base), {slot}), each.text);
  }
}

TEST_F(Babeltrace, BitArraysAreHexadecimal) {
  const auto bits = make_field_class(
      IntegerClass{.layout = FixedLayout{.width = 63}, .form = IntegerClass::Form::kBitArray});
  EXPECT_EQ(value(bits, {unsigned_slot(0xABC)}), "0xABC");
}

TEST_F(Babeltrace, IntegersOfMoreThan64BitsAreWhole) {
  const std::vector<std::uint8_t> bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0xAB};
  const Slot slot = wide_slot(SlotKind::kWideUnsigned, bytes);
  EXPECT_EQ(value(integer_class(false, 72, DisplayBase::kDecimal), {slot}),
            "3154393236604333326336");
  EXPECT_EQ(value(integer_class(false, 72, DisplayBase::kHexadecimal), {slot}),
            "0xAB0000000000000000");
}

TEST_F(Babeltrace, Reals) {
  const std::pair<double, std::string_view> cases[] = {
      {0.0, "0"},
      {-0.0, "-0"},
      {1.0, "1"},
      {100000, "100000"},
      {1e6, "1e+06"},
      {123456789.0, "1.23457e+08"},
      {1e-4, "0.0001"},
      {1e-5, "1e-05"},
      {3.14159265, "3.14159"},
      {HUGE_VAL, "inf"},
      {-HUGE_VAL, "-inf"},
      {std::nan(""), "nan"},
      {1e300, "1e+300"},
      {0.1 + 0.2, "0.3"},
      {999999.5, "1e+06"},
      {5e-324, "4.94066e-324"},
      {static_cast<double>(0.1F), "0.1"},
  };
  for (const auto& [real, text] : cases)
    EXPECT_EQ(value(make_field_class(RealClass{}), {real_slot(real)}), text);
}

TEST_F(Babeltrace, Booleans) {
  EXPECT_EQ(value(make_field_class(BooleanClass{}), {boolean_slot(true)}), "true");
  EXPECT_EQ(value(make_field_class(BooleanClass{}), {boolean_slot(false)}), "false");
}

TEST_F(Babeltrace, StringsAreEscaped) {
  std::string all;
  for (char character = 1; character < 127; ++character) all += character;
  all += "\x7f\xc3\xa9\xff";
  EXPECT_EQ(value(string_class(), {text_slot(all)}),
            R"("\x01\x02\x03\x04\x05\x06\a\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18)"
            R"(\x19\x1a\e\x1c\x1d\x1e\x1f !\"#$%&\'()*+,-./0123456789:;<=>\?@ABCDEFGHIJKLMNOPQRSTU)"
            R"(VWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f)"
            "\xc3\xa9\xff\"");
  EXPECT_EQ(value(string_class(), {text_slot("")}), "\"\"");
}

TEST_F(Babeltrace, StringsEndAtTheirFirstNul) {
  EXPECT_EQ(value(string_class(), {text_slot(std::string_view("a\0b", 3))}), "\"a\"");
}

TEST_F(Babeltrace, LongStringsAreWhole) {
  const std::string text(100'000, '\'');
  std::string escaped = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) escaped += "\\'";
  EXPECT_EQ(value(string_class(), {text_slot(text)}), escaped + "\"");
}

TEST_F(Babeltrace, Enumerations) {
  const auto overlapping = enumeration_class(
      {{.label = "a\"\n", .ranges = {{1, 3}}}, {.label = "b", .ranges = {{3, 3}, {7, 9}}}});
  EXPECT_EQ(value(overlapping, {unsigned_slot(0)}), "( <unknown> : container = 0 )");
  EXPECT_EQ(value(overlapping, {unsigned_slot(1)}), R"(( "a\"\n" : container = 1 ))");
  EXPECT_EQ(value(overlapping, {unsigned_slot(3)}), R"(( "a\"\n", "b" : container = 3 ))");
  EXPECT_EQ(value(overlapping, {unsigned_slot(8)}), R"(( "b" : container = 8 ))");
  const auto apart = enumeration_class(
      {{.label = "low", .ranges = {{-5, -1}, {4, 4}}}, {.label = "high", .ranges = {{100, 200}}}},
      true);
  EXPECT_EQ(value(apart, {signed_slot(-5)}), R"(( "low" : container = -5 ))");
  EXPECT_EQ(value(apart, {signed_slot(-6)}), "( <unknown> : container = -6 )");
  EXPECT_EQ(value(apart, {signed_slot(0)}), "( <unknown> : container = 0 )");
  EXPECT_EQ(value(apart, {signed_slot(4)}), R"(( "low" : container = 4 ))");
  EXPECT_EQ(value(apart, {signed_slot(200)}), R"(( "high" : container = 200 ))");
  EXPECT_EQ(value(apart, {signed_slot(201)}), "( <unknown> : container = 201 )");
}

TEST_F(Babeltrace, EnumerationsKeepTheirBase) {
  const auto mapped =
      make_field_class(IntegerClass{.is_signed = true,
                                    .layout = FixedLayout{.width = 8},
                                    .form = IntegerClass::Form::kEnumeration,
                                    .display_base = DisplayBase::kHexadecimal,
                                    .mappings = {{.label = "neg", .ranges = {{-5, -1}}}}});
  EXPECT_EQ(value(mapped, {signed_slot(-1)}), R"(( "neg" : container = 0xFF ))");
}

TEST_F(Babeltrace, RememberedValuesOfAnEnumerationAreNotMixedUp) {
  const EventClass& of = trace.add(timeless(structure_class(
      {{"m", enumeration_class({{.label = "odd", .ranges = {{1, 1}, {3, 3}, {5, 5}}}})}})));
  std::vector<Record> records;
  std::string expected;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const std::uint64_t number = i * 7 % 200;
    records.emplace_back(trace.event(of, 0, {unsigned_slot(number)}));
    const bool known = number == 1 || number == 3 || number == 5;
    expected += std::string("e: { m = ( ") + (known ? "\"odd\"" : "<unknown>") +
                " : container = " + std::to_string(number) + " ) }\n";
  }
  EXPECT_EQ(lines(records), expected);
}

TEST_F(Babeltrace, Arrays) {
  const auto numbers = array_class(number_class());
  EXPECT_EQ(value(numbers, {head_slot(SlotKind::kArray, 0, 0)}), "[ ]");
  EXPECT_EQ(value(numbers, {head_slot(SlotKind::kArray, 2, 2), unsigned_slot(7), unsigned_slot(8)}),
            "[ [0] = 7, [1] = 8 ]");
  const std::uint8_t packed[] = {1, 0, 2, 0};
  EXPECT_EQ(value(array_class(integer_class(false, 16, DisplayBase::kHexadecimal)),
                  {packed_slot(PackedElement::kU16Le, packed, 4)}),
            "[ [0] = 0x1, [1] = 0x2 ]");
  EXPECT_EQ(value(array_class(string_class()),
                  {head_slot(SlotKind::kArray, 2, 2), text_slot("x"), text_slot("y")}),
            R"([ [0] = "x", [1] = "y" ])");
}

TEST_F(Babeltrace, Structures) {
  EXPECT_EQ(value(structure_class({}), {head_slot(SlotKind::kStructure, 0, 0)}), "{ }");
  const auto inner = structure_class({{"q", number_class()}});
  const auto outer = array_class(structure_class({{"q", inner}, {"r", number_class()}}));
  EXPECT_EQ(
      value(outer, {head_slot(SlotKind::kArray, 2, 8), head_slot(SlotKind::kStructure, 0, 3),
                    head_slot(SlotKind::kStructure, 0, 1), unsigned_slot(1), unsigned_slot(2),
                    head_slot(SlotKind::kStructure, 0, 3), head_slot(SlotKind::kStructure, 0, 1),
                    unsigned_slot(3), unsigned_slot(4)}),
      "[ [0] = { q = { q = 1 }, r = 2 }, [1] = { q = { q = 3 }, r = 4 } ]");
}

TEST_F(Babeltrace, OptionalsAndVariants) {
  const auto inner = structure_class({{"q", number_class()}});
  EXPECT_EQ(value(optional_class(number_class()), {head_slot(SlotKind::kOptional, 0, 0)}),
            "<none>");
  EXPECT_EQ(value(optional_class(number_class()),
                  {head_slot(SlotKind::kOptional, 1, 1), unsigned_slot(5)}),
            "{ 5 }");
  EXPECT_EQ(value(optional_class(inner), {head_slot(SlotKind::kOptional, 1, 2),
                                          head_slot(SlotKind::kStructure, 0, 1), unsigned_slot(3)}),
            "{ { q = 3 } }");
  const auto variant =
      make_field_class(VariantClass{.options = {{.name = "a", .field_class = number_class()},
                                                {.name = "b", .field_class = inner}}});
  EXPECT_EQ(value(variant, {head_slot(SlotKind::kVariant, 0, 1), unsigned_slot(7)}), "{ 7 }");
  EXPECT_EQ(value(variant, {head_slot(SlotKind::kVariant, 1, 2),
                            head_slot(SlotKind::kStructure, 0, 1), unsigned_slot(3)}),
            "{ { q = 3 } }");
}

TEST_F(Babeltrace, WhatItCannotReadIsShownInItsManner) {
  const std::uint8_t bytes[] = {1, 255};
  EXPECT_EQ(value(make_field_class(BlobClass{}), {bytes_slot(SlotKind::kBlob, bytes, 2)}),
            "[ [0] = 1, [1] = 255 ]");
  EXPECT_EQ(value(make_field_class(MapClass{.key = string_class(), .value = unsigned_class()}),
                  {head_slot(SlotKind::kStringMap, 2, 4), text_slot("a"), unsigned_slot(1),
                   text_slot("b"), unsigned_slot(2)}),
            R"({ "a" = 1, "b" = 2 })");
  EXPECT_EQ(value(string_class(), {unresolved_slot(7)}), "<unknown>");
}

TEST_F(Babeltrace, ClassesWithoutANameOrPayload) {
  EventClass nameless = timeless(structure_class({}));
  nameless.name.reset();
  const EventClass& empty = trace.add(nameless);
  nameless.name = "";
  const EventClass& unnamed = trace.add(nameless);
  const EventClass& bare = trace.add(timeless(nullptr));
  EXPECT_EQ(lines({Record(trace.event(empty, 0, {})), Record(trace.event(unnamed, 0, {})),
                   Record(trace.event(bare, 0, {}))}),
            "<unknown>: { }\n<unknown>: { }\ne: \n");
}

TEST_F(Babeltrace, ContextsComeBeforeThePayload) {
  trace.stream_class.packet_context =
      structure_class({{"timestamp_begin", role_class("packet-beginning-default-clock-timestamp")},
                       {"cpu_id", number_class()}});
  trace.stream_class.common_context = structure_class({{"vtid", number_class()}});
  EventClass of = timeless(structure_class({{"i", number_class()}, {"s", string_class()}}));
  of.specific_context = structure_class({{"ip", address_class()}});
  const EventClass& added = trace.add(of);
  Packet first{.stream = &trace.stream, .context = {unsigned_slot(12), unsigned_slot(3)}};
  const Packet second{.stream = &trace.stream, .context = {unsigned_slot(13), unsigned_slot(4)}};
  const auto in = [&](const Packet& packet) {
    Event event = trace.event(added, 0, {unsigned_slot(1), text_slot("x")}, {unsigned_slot(9)},
                              {unsigned_slot(0xAB)});
    event.packet = &packet;
    return Record(event);
  };
  std::string text;
  const auto output = io::memory_output(text);
  const auto writer = babeltrace_writer(*output, options);
  ASSERT_TRUE(writer->write(in(first)));
  ASSERT_TRUE(writer->write(in(second)));
  ASSERT_TRUE(writer->write(in(first)));
  // Another packet at the same place.
  first.context = {unsigned_slot(14), unsigned_slot(5)};
  ASSERT_TRUE(writer->write(in(first)));
  ASSERT_TRUE(writer->finish());
  const std::string rest = R"( }, { vtid = 9 }, { ip = 0xAB }, { i = 1, s = "x" })";
  EXPECT_EQ(text, "e: { cpu_id = 3" + rest + "\ne: { cpu_id = 4" + rest + "\ne: { cpu_id = 3" +
                      rest + "\ne: { cpu_id = 5" + rest + "\n");
}

TEST_F(Babeltrace, FieldsThatMeanSomethingToAReaderAreNotShown) {
  trace.stream_class.packet_context =
      structure_class({{"packet_size", role_class("packet-total-size")}});
  const auto clock_value = role_class("default-clock-timestamp");
  const EventClass& of = trace.add(timeless(
      structure_class({{"at", clock_value},
                       {"i", number_class()},
                       {"times", array_class(clock_value)},
                       {"inner", structure_class({{"at", clock_value}})},
                       {"mixed", structure_class({{"at", clock_value}, {"k", number_class()}})}})));
  const Packet packet{.stream = &trace.stream, .context = {unsigned_slot(12)}};
  Event event =
      trace.event(of, 0,
                  {unsigned_slot(1), unsigned_slot(2), head_slot(SlotKind::kArray, 1, 1),
                   unsigned_slot(3), head_slot(SlotKind::kStructure, 0, 1), unsigned_slot(4),
                   head_slot(SlotKind::kStructure, 0, 2), unsigned_slot(5), unsigned_slot(6)});
  event.packet = &packet;
  EXPECT_EQ(lines({Record(event)}), "e: { i = 2, mixed = { k = 6 } }\n");
}

TEST_F(Babeltrace, AFieldWithAMeaningIsShownWhenALengthRefersToIt) {
  const auto array = make_field_class(
      ArrayClass{.element = number_class(),
                 .extent = LengthField{{.root = FieldLocation::Root::kPayload, .path = {"at"}}}});
  const EventClass& of = trace.add(
      timeless(structure_class({{"at", role_class("default-clock-timestamp")}, {"a", array}})));
  EXPECT_EQ(lines({Record(trace.event(
                of, 0, {unsigned_slot(1), head_slot(SlotKind::kArray, 1, 1), unsigned_slot(2)}))}),
            "e: { at = 1, a = [ [0] = 2 ] }\n");
}

TEST_F(Babeltrace, TheEnvironmentSaysWhoRecorded) {
  trace.description.add_environment({.key = "domain", .value = "ust"});
  trace.description.add_environment({.key = "hostname", .value = "host"});
  const EventClass& first = trace.add(timeless(nullptr));
  EXPECT_EQ(lines({Record(trace.event(first, 0, {}))}), "host e: \n");
  trace.description.add_environment({.key = "vpid", .value = "-5", .is_json = true});
  EXPECT_EQ(lines({Record(trace.event(first, 0, {}))}), "host:(-5) e: \n");
  trace.description.add_environment({.key = "procname", .value = "app"});
  EXPECT_EQ(lines({Record(trace.event(first, 0, {}))}), "host:app:(-5) e: \n");
  trace.description.add_environment({.key = "hostname", .value = ""});
  EXPECT_EQ(lines({Record(trace.event(first, 0, {}))}), ":app:(-5) e: \n");
}

TEST_F(Babeltrace, TimesOfDay) {
  options.clock_gmt = true;
  EXPECT_EQ(times({0, 5'000'000'000, 4'999'999'999, 3'661'000'000'001, std::uint64_t{1} << 62}),
            "[00:00:00.000000000] e: \n"
            "[00:00:05.000000000] e: \n"
            "[00:00:04.999999999] e: \n"
            "[01:01:01.000000001] e: \n"
            "[23:53:38.427387904] e: \n");
  options.clock_date = true;
  EXPECT_EQ(times({0, std::uint64_t{1} << 62}),
            "[1970-01-01 00:00:00.000000000] e: \n"
            "[2116-02-20 23:53:38.427387904] e: \n");
  options.clock_seconds = true;
  EXPECT_EQ(times({1'000'000'000, std::uint64_t{1} << 62}),
            "[1.000000000] e: \n[4611686018.427387904] e: \n");
  options.clock_cycles = true;
  EXPECT_EQ(times({1'000'000'000, std::uint64_t{1} << 62}),
            "[00000000001000000000] e: \n[04611686018427387904] e: \n");
}

TEST_F(Babeltrace, TimesOfDayInTheLocalTimeZone) {
  const char* const before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
  options.clock_date = true;
  EXPECT_EQ(times({1'000'000'000, 1'594'771'200'000'000'000}),
            "[1969-12-31 19:00:01.000000000] e: \n"
            "[2020-07-14 20:00:00.000000000] e: \n");
  if (before == nullptr) {
    ::unsetenv("TZ");
  } else {
    ::setenv("TZ", kept.c_str(), 1);
  }
}

TEST_F(Babeltrace, Deltas) {
  options = {.clock_gmt = true};
  EXPECT_EQ(times({5'000'000'000, 4'999'999'999, 4'999'999'999, 3'661'000'000'001, 0}),
            "[00:00:05.000000000] (+?.????????\?) e: \n"
            "[00:00:04.999999999] (+?.????????\?) e: \n"
            "[00:00:04.999999999] (+0.000000000) e: \n"
            "[01:01:01.000000001] (+3656.000000002) e: \n"
            "[00:00:00.000000000] (+18446740412.709551615) e: \n");
  options = {.clock_cycles = true};
  EXPECT_EQ(times({1'000'000'000, 5'000'000'000, 4'999'999'999, 4'999'999'999, 0}),
            "[00000000001000000000] (+???????????\?) e: \n"
            "[00000000005000000000] (+004000000000) e: \n"
            "[00000000004999999999] (+???????????\?) e: \n"
            "[00000000004999999999] (+000000000000) e: \n"
            "[00000000000000000000] (+18446744068709551617) e: \n");
}

TEST_F(Babeltrace, NegativeTimes) {
  trace.clock.offset_seconds = -100;
  options.clock_gmt = true;
  const std::vector<std::uint64_t> values = {1'000'000'000, 5'000'000'000, 3'661'000'000'001,
                                             99'999'999'999, 100'000'000'000};
  EXPECT_EQ(times(values),
            "[-99.000000000] e: \n"
            "[00:01:35.000000000] e: \n"
            "[00:59:21.000000001] e: \n"
            "[00:00:00.000000001] e: \n"
            "[00:00:00.000000000] e: \n");
  EXPECT_EQ(said,
            "[warning] Fallback to [sec.ns] to print negative time value. Use --clock-seconds.\n");
  said.clear();
  options.clock_seconds = true;
  EXPECT_EQ(times(values),
            "[-99.000000000] e: \n"
            "[-95.000000000] e: \n"
            "[3561.000000001] e: \n"
            "[-0.000000001] e: \n"
            "[0.000000000] e: \n");
  EXPECT_EQ(said, "");
}

TEST_F(Babeltrace, OtherFrequenciesAreRoundedAsDoubles) {
  options.clock_seconds = true;
  trace.clock.tick = Tick::from_frequency(333'333'333);
  const std::uint64_t value = (std::uint64_t{1} << 60) + 1;
  const auto rounded = static_cast<std::uint64_t>(1e9 * static_cast<double>(value) / 333'333'333.0);
  EXPECT_EQ(times({333'333'333}), "[1.000000000] e: \n");
  EXPECT_EQ(times({value}), "[" + std::to_string(rounded / 1'000'000'000) + "." +
                                std::to_string(rounded % 1'000'000'000) + "] e: \n");
  EXPECT_NE(Nanoseconds(static_cast<std::int64_t>(rounded)), trace.clock.to_nanoseconds(value));
}

TEST_F(Babeltrace, TimesThat64BitsDoNotHoldAreShownInSeconds) {
  options.clock_gmt = true;
  trace.clock.offset_seconds = 20'000'000'000;
  EXPECT_EQ(times({5}), "[20000000000.000000005] e: \n");
}

TEST_F(Babeltrace, Losses) {
  options.clock_gmt = true;
  trace.description.add_environment({.key = "hostname", .value = "host"});
  trace.stream_class.id = 7;
  trace.stream.file = "/traces/./one/stream_0";
  trace.stream.keys = {{"class", 7}, {"id", 3}};
  Loss loss{.stream = &trace.stream, .events = 1, .begin = 40, .end = 41};
  lines({Record(&loss)});
  EXPECT_EQ(said,
            "WARNING: Tracer discarded 1 event between [00:00:00.000000040] and "
            "[00:00:00.000000041] in trace \"host\" (no UUID) within stream "
            "\"/traces/one/stream_0\" (stream class ID: 7, stream ID: 3).\n");
  said.clear();
  TraceClass trace_class;
  trace_class.uuid = Uuid{0xad, 0x21, 0xee, 0xaa, 0xfa, 0xb9, 0x46, 0x92,
                          0xaa, 0xb8, 0xeb, 0xd6, 0x8c, 0x7f, 0xeb, 0x17};
  trace.description.set_trace_class(trace_class);
  loss = {.stream = &trace.stream, .packets = 2};
  lines({Record(&loss)});
  EXPECT_EQ(said,
            "WARNING: Tracer discarded 2 packets (unknown time range) in trace \"host\" (UUID: "
            "ad21eeaa-fab9-4692-aab8-ebd68c7feb17) within stream \"/traces/one/stream_0\" (stream "
            "class ID: 7, stream ID: 3).\n");
  said.clear();
  loss = {.stream = &trace.stream, .begin = 40, .end = 41};
  lines({Record(&loss)});
  EXPECT_TRUE(said.starts_with("WARNING: Tracer may have discarded events between ")) << said;
}

TEST_F(Babeltrace, StreamsWithoutAnIdAreNumbered) {
  trace.stream.keys = {{"class", 0}};
  trace.stream.file = "/a";
  DataStream other = trace.stream;
  other.entity = trace.description.next_stream();
  other.file = "/b";
  const Loss loss{.stream = &other, .events = 3};
  lines({Record(RecordKind::kStreamBegin, &trace.stream), Record(RecordKind::kStreamBegin, &other),
         Record(&loss)});
  EXPECT_TRUE(said.ends_with("within stream \"/b\" (stream class ID: 0, stream ID: 1).\n")) << said;
}

TEST_F(Babeltrace, StreamsWithoutAnIdAreNumberedAcrossTheirClasses) {
  DataStreamClass second{.id = 1};
  second.trace = &trace.description;
  trace.stream.keys = {{"class", 0}};
  trace.stream.file = "/a";
  DataStream other = trace.stream;
  other.entity = trace.description.next_stream();
  other.stream_class = &second;
  other.file = "/b";
  const Loss loss{.stream = &other, .events = 3};
  lines({Record(RecordKind::kStreamBegin, &trace.stream), Record(RecordKind::kStreamBegin, &other),
         Record(&loss)});
  EXPECT_TRUE(said.ends_with("within stream \"/b\" (stream class ID: 1, stream ID: 1).\n")) << said;
}

TEST_F(Babeltrace, StreamsWithAnIdAreNumberedWhenTheirPacketsHaveNoBeginTime) {
  trace.stream.keys = {{"class", 0}, {"id", 3}};
  trace.stream.file = "/a";
  const Packet timeless_packet{.stream = &trace.stream};
  const Packet timed{.stream = &trace.stream, .begin = 5};
  const Loss loss{.stream = &trace.stream, .events = 3};
  lines({Record(RecordKind::kStreamBegin, &trace.stream),
         Record(RecordKind::kPacketBegin, &timeless_packet), Record(&loss)});
  EXPECT_TRUE(said.ends_with("(stream class ID: 0, stream ID: 0).\n")) << said;
  said.clear();
  lines({Record(RecordKind::kStreamBegin, &trace.stream), Record(RecordKind::kPacketBegin, &timed),
         Record(&loss)});
  EXPECT_TRUE(said.ends_with("(stream class ID: 0, stream ID: 3).\n")) << said;
}

TEST_F(Babeltrace, EventsLostWithoutAnIntervalComeBeforePacketsLostThere) {
  const EventClass& of = trace.add(timeless(nullptr));
  const Loss packets{.stream = &trace.stream, .packets = 2};
  const Loss events{.stream = &trace.stream, .events = 3};
  std::string text;
  const auto output = io::memory_output(text);
  options.say = [&](std::string_view line) { said += line.substr(15, 12); };
  const auto writer = babeltrace_writer(*output, options);
  ASSERT_TRUE(writer->write(Record(&packets)));
  ASSERT_TRUE(writer->write(Record(&events)));
  ASSERT_TRUE(writer->write(Record(&packets)));
  ASSERT_TRUE(writer->write(Record(trace.event(of, 0, {}))));
  EXPECT_EQ(said, " discarded 3 discarded 2 discarded 2");
}

TEST_F(Babeltrace, IntervalsOfLossesAreRoundedAsTheTimesOfEvents) {
  options.clock_seconds = true;
  trace.clock.tick = Tick::from_frequency(3'000'000'000);
  trace.clock.offset_ticks = 2'999'999'999;
  // Exactly, the first has 1.000000000 s and the second 1.000000001 s.
  const Loss loss{.stream = &trace.stream,
                  .events = 1,
                  .begin = trace.clock.to_nanoseconds(1),
                  .end = trace.clock.to_nanoseconds(4),
                  .begin_value = 1,
                  .end_value = 4};
  lines({Record(&loss)});
  EXPECT_TRUE(
      said.starts_with("WARNING: Tracer discarded 1 event between [0.999999999] and "
                       "[1.000000000] in trace "))
      << said;
}

TEST_F(Babeltrace, WhatMayHaveBeenLostBeforeTheFirstPacket) {
  options.clock_gmt = true;
  trace.stream.file = "/s";
  const Packet first{.stream = &trace.stream, .begin = 5, .end = 10, .discarded = 3};
  const Packet second{.stream = &trace.stream, .begin = 15, .end = 20, .discarded = 3};
  lines({Record(RecordKind::kStreamBegin, &trace.stream), Record(RecordKind::kPacketBegin, &first),
         Record(RecordKind::kPacketBegin, &second)});
  EXPECT_EQ(
      said,
      "WARNING: Tracer may have discarded events between [00:00:00.000000005] and "
      "[00:00:00.000000010] in trace \"\" (no UUID) within stream \"/s\" (stream class ID: 0, "
      "stream ID: 0).\n");
  said.clear();
  Packet none = first;
  none.discarded = 0;
  lines({Record(RecordKind::kStreamBegin, &trace.stream), Record(RecordKind::kPacketBegin, &none),
         Record(RecordKind::kPacketBegin, &second)});
  EXPECT_EQ(said, "");
}

// A trace that is let go of before the writer finishes.
struct GoneTrace {
  std::shared_ptr<TraceDescription> description =
      std::make_shared<TraceDescription>("gone.bin", "heph", "1");
  DataStreamClass* stream_class = &description->add_stream_class({});
  std::unique_ptr<DataStream> stream = std::make_unique<DataStream>(
      DataStream{.entity = description->next_stream(), .stream_class = stream_class});
};

TEST_F(Babeltrace, LossesOfAStreamWithoutAPacketOutliveTheirTrace) {
  std::string text;
  const auto output = io::memory_output(text);
  options.say = [&](std::string_view line) { said += line; };
  const auto writer = babeltrace_writer(*output, options);
  {
    GoneTrace gone;
    gone.stream->file = "/gone";
    gone.stream_class->packet_context = structure_class({{"n", number_class()}});
    const Loss loss{.stream = gone.stream.get(), .events = 3};
    ASSERT_TRUE(writer->write(Record(RecordKind::kStreamBegin, gone.stream.get())));
    ASSERT_TRUE(writer->write(Record(&loss)));
    ASSERT_TRUE(writer->write(Record(RecordKind::kStreamEnd, gone.stream.get())));
  }
  EXPECT_EQ(said, "");
  ASSERT_TRUE(writer->finish());
  EXPECT_TRUE(said.starts_with("WARNING: Tracer discarded 3 events ")) << said;
  EXPECT_TRUE(said.ends_with("within stream \"/gone\" (stream class ID: 0, stream ID: 0).\n"))
      << said;
}

TEST_F(Babeltrace, LossesOfAStreamThatHasNoPacketsDoNotWaitForOne) {
  std::string text;
  const auto output = io::memory_output(text);
  options.say = [&](std::string_view line) { said += line; };
  const auto writer = babeltrace_writer(*output, options);
  {
    GoneTrace gone;
    const Loss loss{.stream = gone.stream.get(), .events = 3};
    ASSERT_TRUE(writer->write(Record(RecordKind::kStreamBegin, gone.stream.get())));
    ASSERT_TRUE(writer->write(Record(&loss)));
    EXPECT_TRUE(said.starts_with("WARNING: Tracer discarded 3 events ")) << said;
    said.clear();
  }
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(said, "");
}

TEST_F(Babeltrace, WarningsDoNotWaitWithoutBound) {
  std::string text;
  const auto output = io::memory_output(text);
  std::size_t lines = 0;
  options.say = [&](std::string_view) { ++lines; };
  const auto writer = babeltrace_writer(*output, options);
  constexpr int kMany = 20'000;
  for (int i = 0; i < kMany; ++i) {
    const Loss loss{.stream = &trace.stream, .events = 1, .begin = i, .end = i + 1};
    ASSERT_TRUE(writer->write(Record(&loss)));
  }
  EXPECT_EQ(lines, std::size_t{kMany - 16384});
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(lines, std::size_t{kMany});
}

TEST_F(Babeltrace, WhatWasWrittenBeforeAWarningIsThereWhenItIsSaid) {
  const EventClass& of = trace.add(timeless(nullptr));
  const Loss loss{.stream = &trace.stream, .events = 3};
  std::string text;
  const auto output = io::memory_output(text);
  std::string at_warning = "nothing was said";
  options.say = [&](std::string_view) { at_warning = text; };
  const auto writer = babeltrace_writer(*output, options);
  ASSERT_TRUE(writer->write(Record(trace.event(of, 0, {}))));
  ASSERT_TRUE(writer->write(Record(&loss)));
  EXPECT_EQ(at_warning, "e: \n");
}

TEST_F(Babeltrace, WarningsAreInTheOrderOfTheirIntervals) {
  options.clock_gmt = true;
  const EventClass& of = trace.add(trace.event_class(0, "e", nullptr));
  const Loss later{.stream = &trace.stream, .events = 1, .begin = 20, .end = 30};
  const Loss earlier{.stream = &trace.stream, .events = 2, .begin = 10, .end = 40};
  std::string text;
  const auto output = io::memory_output(text);
  options.say = [&](std::string_view line) { said += line.substr(0, 27); };
  const auto writer = babeltrace_writer(*output, options);
  ASSERT_TRUE(writer->write(Record(&later)));
  ASSERT_TRUE(writer->write(Record(&earlier)));
  EXPECT_EQ(said, "");
  ASSERT_TRUE(writer->write(Record(trace.event(of, 15, {}))));
  EXPECT_EQ(said, "WARNING: Tracer discarded 2");
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(said, "WARNING: Tracer discarded 2WARNING: Tracer discarded 1");
}

TEST_F(Babeltrace, Colours) {
  options.color = true;
  options.clock_gmt = true;
  options.no_delta = false;
  const EventClass& of = trace.add(trace.event_class(
      0, "e",
      structure_class({{"a", number_class()},
                       {"s", string_class()},
                       {"u", enumeration_class({{.label = "x", .ranges = {{1, 1}}}})},
                       {"l", array_class(number_class())}})));
  const auto payload = [](std::uint64_t label) {
    return Slots{unsigned_slot(1), text_slot("t"), unsigned_slot(label),
                 head_slot(SlotKind::kArray, 1, 1), unsigned_slot(5)};
  };
  const std::string common =
      "[\x1b[1m\x1b[1m\x1b[33m00:00:01.000000000\x1b[0m] (+?.????????\?) "
      "\x1b[1m\x1b[1m\x1b[35me\x1b[0m: { \x1b[36ma\x1b[0m = \x1b[1m1\x1b[0m, \x1b[36ms\x1b[0m = "
      "\x1b[1m\"t\"\x1b[0m, \x1b[36mu\x1b[0m = ( ";
  const std::string end = "\x1b[0m ), \x1b[36ml\x1b[0m = [ [0] = \x1b[1m5\x1b[0m ] }\n\x1b[0m";
  EXPECT_EQ(lines({Record(trace.event(of, 1'000'000'000, payload(1)))}),
            common + "\x1b[1m\"x\"\x1b[0m : container = \x1b[1m1" + end);
  EXPECT_EQ(lines({Record(trace.event(of, 1'000'000'000, payload(0)))}),
            common + "\x1b[1m\x1b[1m\x1b[31m<unknown>\x1b[0m : container = \x1b[1m0" + end);
  EXPECT_EQ(said, "\x1b[0m\x1b[0m");
  said.clear();
  const Loss loss{.stream = &trace.stream, .events = 3};
  lines({Record(&loss)});
  EXPECT_TRUE(said.starts_with("\x1b[33m\x1b[1mWARNING\x1b[0m\x1b[33m: Tracer discarded 3 events "))
      << said;
  EXPECT_TRUE(said.ends_with(").\x1b[0m\n\x1b[0m")) << said;
}

}  // namespace
}  // namespace tracedeck::render

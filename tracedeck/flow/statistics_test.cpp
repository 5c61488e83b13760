#include "tracedeck/flow/statistics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::flow {
namespace {

constexpr std::uint64_t kMaxUnsigned = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kMinSigned = std::numeric_limits<std::int64_t>::min();

FieldClassPtr integer(bool is_signed) {
  return make_field_class(IntegerClass{.is_signed = is_signed, .layout = Leb128Layout{}});
}
FieldClassPtr real() { return make_field_class(RealClass{}); }
FieldClassPtr string() { return make_field_class(StringClass{}); }
FieldClassPtr optional(FieldClassPtr value) {
  return make_field_class(OptionalClass{.value = std::move(value), .presence = {}});
}
FieldClassPtr structure(std::vector<Member> members) {
  return make_field_class(StructureClass{.members = std::move(members)});
}

// It lives as long as the program.
const EventClass& class_with(FieldClassPtr payload) {
  static std::deque<EventClass> made;
  EventClass& event_class = made.emplace_back();
  event_class.name = "some";
  event_class.payload = std::move(payload);
  return event_class;
}

void add_values(FieldCollector& collector, const std::vector<Slot>& slots) {
  Event event;
  event.slots = slots.data();
  event.slot_count = static_cast<std::uint32_t>(slots.size());
  collector.add(event);
}

TEST(FieldStatistics, OfUnsignedIntegersAreExact) {
  FieldCollector collector(class_with(structure({{"n", integer(false), {}}})));
  for (const std::uint64_t value : {kMaxUnsigned, kMaxUnsigned - 2, kMaxUnsigned - 1}) {
    add_values(collector, {unsigned_slot(value)});
  }
  const std::vector<FieldStatistics> fields = collector.finish();
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].path, "n");
  EXPECT_EQ(fields[0].count, 3U);
  EXPECT_EQ(fields[0].minimum.bits, kMaxUnsigned - 2);
  EXPECT_EQ(fields[0].maximum.bits, kMaxUnsigned);
  EXPECT_TRUE(fields[0].unsigned_sum == Uint128{kMaxUnsigned - 1} * 3);
  EXPECT_EQ(fields[0].mean(), static_cast<double>(kMaxUnsigned - 1));
}

TEST(FieldStatistics, OfSignedIntegersAreExact) {
  FieldCollector collector(class_with(structure({{"n", integer(true), {}}})));
  for (const std::int64_t value : {std::int64_t{5}, kMinSigned, kMinSigned, std::int64_t{-3}}) {
    add_values(collector, {signed_slot(value)});
  }
  const FieldStatistics field = collector.finish().at(0);
  EXPECT_EQ(field.minimum.integer, kMinSigned);
  EXPECT_EQ(field.maximum.integer, 5);
  EXPECT_TRUE(field.signed_sum == Int128{kMinSigned} * 2 + 2);
  EXPECT_EQ(field.mean(), -4611686018427387903.5);
}

TEST(FieldStatistics, OfRealsLeaveOutWhatIsNoNumber) {
  FieldCollector collector(class_with(structure({{"r", real(), {}}})));
  for (const double value : {1e100, 1.0, -1e100, std::numeric_limits<double>::quiet_NaN(), 2.0}) {
    add_values(collector, {real_slot(value)});
  }
  const FieldStatistics field = collector.finish().at(0);
  EXPECT_EQ(field.count, 4U);
  EXPECT_EQ(field.left_out, 1U);
  EXPECT_EQ(field.minimum.real, -1e100);
  EXPECT_EQ(field.maximum.real, 1e100);
  EXPECT_EQ(field.mean(), 0.75);
}

TEST(FieldStatistics, OfRealsKnowInfinity) {
  FieldCollector collector(class_with(structure({{"r", real(), {}}})));
  add_values(collector, {real_slot(std::numeric_limits<double>::infinity())});
  add_values(collector, {real_slot(1.0)});
  EXPECT_EQ(collector.finish().at(0).mean(), std::numeric_limits<double>::infinity());
}

TEST(FieldStatistics, LookIntoStructuresAndOptionals) {
  FieldCollector collector(class_with(structure({
      {"s", string(), {}},
      {"o", optional(structure({{"a", integer(false), {}}, {"b", integer(true), {}}})), {}},
      {"list", make_field_class(ArrayClass{.element = integer(false), .extent = {}}), {}},
      {"t", structure({{"u", structure({{"v", integer(false), {}}}), {}}}), {}},
  })));
  const Slot text = bytes_slot(SlotKind::kString, nullptr, 0);
  const std::vector<Slot> list = {head_slot(SlotKind::kArray, 2, 2), unsigned_slot(100),
                                  unsigned_slot(200)};
  std::vector<Slot> with = {text, head_slot(SlotKind::kOptional, 1, 3),
                            head_slot(SlotKind::kStructure, 0, 2), unsigned_slot(7),
                            signed_slot(-7)};
  std::vector<Slot> without = {text, head_slot(SlotKind::kOptional, 0, 0)};
  for (std::vector<Slot>* slots : {&with, &without}) {
    slots->insert(slots->end(), list.begin(), list.end());
    slots->insert(slots->end(), {head_slot(SlotKind::kStructure, 0, 2),
                                 head_slot(SlotKind::kStructure, 0, 1), unsigned_slot(9)});
    add_values(collector, *slots);
  }
  const std::vector<FieldStatistics> fields = collector.finish();
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].path, "o.a");
  EXPECT_EQ(fields[0].count, 1U);
  EXPECT_EQ(fields[0].maximum.bits, 7U);
  EXPECT_EQ(fields[1].path, "o.b");
  EXPECT_EQ(fields[1].maximum.integer, -7);
  EXPECT_EQ(fields[2].path, "t.u.v");
  EXPECT_EQ(fields[2].count, 2U);
  EXPECT_EQ(fields[2].maximum.bits, 9U);
}

TEST(FieldStatistics, LookIntoContexts) {
  DataStreamClass stream_class;
  stream_class.common_context = structure({{"c", integer(false), {}}});
  EventClass event_class = class_with(structure({{"p", integer(false), {}}}));
  event_class.stream_class = &stream_class;
  event_class.specific_context = structure({{"s", integer(false), {}}});
  FieldCollector collector(event_class);
  add_values(collector, {unsigned_slot(1), unsigned_slot(2), unsigned_slot(3)});
  const std::vector<FieldStatistics> fields = collector.finish();
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].part, FieldStatistics::Part::kCommonContext);
  EXPECT_EQ(fields[1].part, FieldStatistics::Part::kSpecificContext);
  EXPECT_EQ(fields[2].part, FieldStatistics::Part::kPayload);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(fields[i].minimum.bits, i + 1);
}

TEST(FieldStatistics, LeaveOutIntegersThatAreTooWide) {
  FieldCollector collector(
      class_with(structure({{"n", integer(false), {}}, {"m", integer(false), {}}})));
  static constexpr std::uint8_t kWide[9] = {};
  add_values(collector, {bytes_slot(SlotKind::kWideUnsigned, kWide, 9), unsigned_slot(4)});
  const std::vector<FieldStatistics> fields = collector.finish();
  EXPECT_EQ(fields[0].count, 0U);
  EXPECT_EQ(fields[0].left_out, 1U);
  EXPECT_EQ(fields[0].mean(), std::nullopt);
  EXPECT_EQ(fields[1].count, 1U);
}

TEST(FieldStatistics, OfClassesThatMultiplyAreBounded) {
  FieldClassPtr shared = integer(false);
  for (int i = 0; i < 40; ++i) shared = structure({{"a", shared, {}}, {"b", shared, {}}});
  const FieldCollector collector(class_with(shared));
  EXPECT_LT(collector.finish().size(), 5000U);
}

RC_GTEST_PROP(FieldStatistics, AreThoseOfANaiveSum, (const std::vector<std::int64_t>& values)) {
  FieldCollector first(class_with(structure({{"n", integer(true), {}}})));
  FieldCollector second(class_with(structure({{"n", integer(true), {}}})));
  Int128 sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    add_values(i % 2 == 0 ? first : second, {signed_slot(values[i])});
    sum += values[i];
  }
  FieldStatistics field = first.finish().at(0);
  combine(field, second.finish().at(0));
  RC_ASSERT(field.count == values.size());
  RC_ASSERT(field.signed_sum == sum);
  if (values.empty()) return;
  RC_ASSERT(field.minimum.integer == *std::ranges::min_element(values));
  RC_ASSERT(field.maximum.integer == *std::ranges::max_element(values));
}

TEST(Statistics, ShareBytesAndTimeByClass) {
  auto description = std::make_shared<TraceDescription>("a", "made-up", "1");
  EventClass timed = class_with(structure({{"n", integer(false), {}}}));
  timed.clock = &description->add_clock({.id = "ns"});
  const EventClass& first = description->add_event_class(timed);
  const EventClass& again = description->add_event_class(timed);
  const EventClass& timeless = description->add_event_class(class_with(nullptr));

  const std::vector<Slot> slots = {unsigned_slot(10), unsigned_slot(20)};
  Batch batch;
  const auto add = [&](const EventClass& event_class, std::uint64_t time, std::uint32_t size,
                       const Slot* slot) {
    Event event;
    event.event_class = &event_class;
    event.time = event.end_time = time;
    event.size = size;
    event.slots = slot;
    event.slot_count = slot == nullptr ? 0 : 1;
    batch.add_event(event);
  };
  add(first, 1'000, 10, &slots[0]);
  add(again, 501'000, 20, &slots[1]);
  add(timeless, 0, 70, nullptr);
  StatisticsCollector collector;
  collector.add(batch);
  const TraceStatistics statistics = collector.finish();
  EXPECT_EQ(statistics.events, 3U);
  EXPECT_EQ(statistics.bytes, 100U);
  ASSERT_EQ(statistics.classes.size(), 2U);
  const ClassStatistics& some = statistics.classes[0];
  EXPECT_EQ(some.classes, 2U);
  EXPECT_EQ(some.events, 2U);
  EXPECT_DOUBLE_EQ(statistics.share_of_bytes(some), 0.3);
  EXPECT_EQ(some.time->first, Nanoseconds(1'000));
  EXPECT_EQ(some.time->last, Nanoseconds(501'000));
  EXPECT_DOUBLE_EQ(statistics.rate(some).value(), 4'000);
  ASSERT_EQ(some.fields.size(), 1U);
  EXPECT_EQ(some.fields[0].mean(), 15);
  EXPECT_FALSE(statistics.classes[1].time.has_value());
  EXPECT_FALSE(statistics.rate(statistics.classes[1]).has_value());
}

TEST(Statistics, OfNothingAreEmpty) {
  const TraceStatistics statistics = StatisticsCollector().finish();
  EXPECT_EQ(statistics.events, 0U);
  EXPECT_EQ(statistics.share_of_bytes({}), 0);
}

TEST(Statistics, NominalTimesAreNoTimesOfTheTrace) {
  auto description = std::make_shared<TraceDescription>("a", "made-up", "1");
  const ClockClass& clock = description->add_clock({.id = "ns"});
  const EventClass& happened = description->add_event_class({.name = "a", .clock = &clock});
  const EventClass& described =
      description->add_event_class({.name = "b", .clock = &clock, .nominal_time = true});
  Batch batch;
  for (const EventClass* const event_class : {&happened, &described}) {
    Event event;
    event.event_class = event_class;
    event.time = event.end_time = event_class == &happened ? 500 : 0;
    batch.add_event(event);
  }
  StatisticsCollector collector;
  collector.add(batch);
  const TraceStatistics statistics = collector.finish();
  EXPECT_EQ(statistics.events, 2U);
  EXPECT_EQ(statistics.time->first, Nanoseconds(500));
  EXPECT_FALSE(statistics.classes[1].time.has_value());
  EXPECT_FALSE(statistics.rate(statistics.classes[1]).has_value());
}

// One event of a class in a trace of a second is one a second, however near its class's events lie.
TEST(Statistics, RatesAreOverTheTimeOfTheTrace) {
  auto description = std::make_shared<TraceDescription>("a", "made-up", "1");
  const ClockClass& clock = description->add_clock({.id = "ns"});
  const EventClass& often = description->add_event_class({.name = "often", .clock = &clock});
  const EventClass& once = description->add_event_class({.name = "once", .clock = &clock});
  const EventClass& twice = description->add_event_class({.name = "twice", .clock = &clock});
  Batch batch;
  const auto add_at = [&](const EventClass& event_class, std::uint64_t time) {
    Event event;
    event.event_class = &event_class;
    event.time = event.end_time = time;
    batch.add_event(event);
  };
  add_at(often, 0);
  add_at(once, 400);
  add_at(twice, 500);
  add_at(twice, 501);
  add_at(often, 1'000'000'000);
  StatisticsCollector collector;
  collector.add(batch);
  const TraceStatistics statistics = collector.finish();
  ASSERT_EQ(statistics.classes.size(), 3U);
  EXPECT_DOUBLE_EQ(statistics.rate(statistics.classes[1]).value(), 1);
  EXPECT_DOUBLE_EQ(statistics.rate(statistics.classes[2]).value(), 2);
}

}  // namespace
}  // namespace tracedeck::flow

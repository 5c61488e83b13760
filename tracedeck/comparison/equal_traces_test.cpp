#include "tracedeck/comparison/equal_traces.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tracedeck/flow/trace_plan_test.hpp"
#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::comparison {
namespace {

using namespace flow;  // made-up traces

using Kind = DifferenceKind;
using PlannedEvent = TracePlan::PlannedEvent;

Result<Comparison> compare_made(const MadeTrace& left, const MadeTrace& right,
                                const EqualityOptions& options = {}) {
  FakeSource a(left.batches());
  FakeSource b(right.batches());
  return equal_traces({a, left.description()}, {b, right.description()}, options);
}

FieldClassPtr number(std::uint32_t width = 32) {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = width}});
}
FieldClassPtr text() { return make_field_class(StringClass{.extent = LengthPrefixed{}}); }
FieldClassPtr structure(std::vector<Member> members) {
  return make_field_class(StructureClass{.members = std::move(members)});
}
FieldClassPtr with_role(std::string role) {
  return std::make_shared<FieldClass>(
      FieldClass{.kind = IntegerClass{}, .roles = {std::move(role)}});
}
FieldClassPtr labelled() {
  return make_field_class(
      IntegerClass{.form = IntegerClass::Form::kEnumeration,
                   .mappings = {{.label = "one", .ranges = {{.lower = 1, .upper = 1}}}}});
}

PlannedValues texts(const std::string& content) {
  PlannedValues values;
  values.slots = {bytes_slot(SlotKind::kString, values.keep(content),
                             static_cast<std::uint32_t>(content.size()))};
  return values;
}

PlannedValues numbers(std::initializer_list<std::uint64_t> of) {
  PlannedValues values;
  for (const std::uint64_t each : of) values.slots.push_back(unsigned_slot(each));
  return values;
}

// {"list": [1, 2], "inner": {"deep": 0.5}, "maybe": 7}
PlannedValues compounds() {
  PlannedValues values;
  values.slots = {head_slot(SlotKind::kArray, 2, 2),
                  unsigned_slot(1),
                  unsigned_slot(2),
                  head_slot(SlotKind::kStructure, 0, 1),
                  real_slot(0.5),
                  head_slot(SlotKind::kOptional, 1, 1),
                  unsigned_slot(7)};
  return values;
}

TracePlan::PlannedRecord event(std::size_t stream, std::size_t event_class, std::uint64_t time,
                               PlannedValues payload, std::size_t packet) {
  return {.stream = stream,
          .what = PlannedEvent{.event_class = event_class,
                               .packet = packet,
                               .time = time,
                               .end_time = time + 10,
                               .common = numbers({5}),
                               .specific = numbers({6}),
                               .payload = std::move(payload)}};
}

// Two streams of one class, and a class for each thing to look at.
TracePlan plan() {
  TracePlan plan;
  plan.trace_class.name = "made up";
  plan.trace_class.packet_header =
      structure({{.name = "magic", .field_class = with_role("packet-magic-number")},
                 {.name = "host", .field_class = number()}});
  plan.environment = {{.key = "host", .value = "a"}, {.key = "pid", .value = "1"}};
  plan.clocks = {{.id = "clock", .offset_seconds = 5, .precision = 3}, {.id = "other"}};
  plan.stream_classes = {
      {.of = {.id = 0,
              .name = "stream",
              .packet_context =
                  structure({{.name = "cpu_id", .field_class = number()},
                             {.name = "end", .field_class = with_role("packet-end")}}),
              .common_context = structure({{.name = "pid", .field_class = number()}})},
       .clock = 0}};
  const FieldClassPtr specific = structure({{.name = "tid", .field_class = number()}});
  const auto add_class = [&](std::uint64_t id, std::string name, FieldClassPtr payload) {
    plan.event_classes.push_back({.of = {.id = id,
                                         .name = std::move(name),
                                         .specific_context = specific,
                                         .payload = std::move(payload)},
                                  .clock = 0});
  };
  add_class(0, "text", structure({{.name = "text", .field_class = text()}}));
  add_class(1, "number",
            structure({{.name = "state", .field_class = labelled()},
                       {.name = "wide",
                        .field_class = make_field_class(IntegerClass{.layout = Leb128Layout{}})}}));
  add_class(
      2, "compound",
      structure(
          {{.name = "list",
            .field_class =
                make_field_class(ArrayClass{.element = number(), .extent = LengthPrefixed{}})},
           {.name = "inner",
            .field_class =
                structure({{.name = "deep", .field_class = make_field_class(RealClass{})}})},
           {.name = "maybe", .field_class = make_field_class(OptionalClass{.value = number()})}}));
  plan.event_classes[2].of.has_duration = true;
  add_class(3, "unused", structure({{.name = "x", .field_class = number()}}));
  plan.streams = {{.keys = {{"id", 0}}}, {.keys = {{"id", 1}}}};
  plan.packets = {{.stream = 0, .header = numbers({1, 2}), .context = numbers({3, 100})},
                  {.stream = 1, .header = numbers({1, 2}), .context = numbers({4, 200})}};
  plan.records = {event(0, 0, 100, texts("a\xFF"), 0),
                  event(1, 1, 101, numbers({1, 300}), 1),
                  event(0, 2, 102, compounds(), 0),
                  {.stream = 0, .what = Loss{.events = 3, .begin = Nanoseconds(1)}},
                  event(0, 1, 103, numbers({2, 400}), 0),
                  event(1, 0, 99, texts("b"), 1)};
  return plan;
}

PlannedEvent& event_at(TracePlan& plan, std::size_t index) {
  return std::get<PlannedEvent>(plan.records[index].what);
}

void set_member(FieldClassPtr& in, std::size_t index, const Member& member) {
  StructureClass changed = *in->as<StructureClass>();
  changed.members[index] = member;
  in = make_field_class(std::move(changed));
}

TEST(EqualTraces, TheSameTraceIsEqual) {
  const MadeTrace trace(plan());
  const auto compared = compare_made(trace, trace);
  ASSERT_TRUE(compared.has_value());
  EXPECT_TRUE(compared->equal());
  EXPECT_EQ(compared->events, 5U);
}

TEST(EqualTraces, HowRecordsAreBatchedPacketsCutAndStreamsInterleavedMakesNoDifference) {
  TracePlan other = plan();
  // All of the second stream first, and its second event in a packet of its own, with other
  // bookkeeping.
  other.packets.push_back(other.packets[1]);
  other.packets[2].context.slots[1] = unsigned_slot(999);
  event_at(other, 5).packet = 2;
  sort_stably(other.records, [](const auto& x, const auto& y) { return x.stream > y.stream; });
  std::swap(other.streams[0], other.streams[1]);
  for (auto& each : other.records) each.stream = 1 - each.stream;
  for (auto& each : other.packets) each.stream = 1 - each.stream;
  for (const std::size_t batch_size : {1U, 2U, 100U}) {
    const auto compared = compare_made(MadeTrace(plan()), MadeTrace(other, batch_size));
    ASSERT_TRUE(compared.has_value());
    EXPECT_TRUE(compared->equal()) << compared->differences.found().front().key.what;
    EXPECT_EQ(compared->events, 5U);
  }
}

TEST(EqualTraces, APackedArrayIsTheArrayOfItsElements) {
  TracePlan packed = plan();
  PlannedValues values;
  const PlannedValues loose = compounds();
  values.slots = {packed_slot(PackedElement::kU16Be, values.keep(std::string("\0\1\0\2", 4)), 4)};
  values.slots.insert(values.slots.end(), loose.slots.begin() + 3, loose.slots.end());
  event_at(packed, 2).payload = values;
  EXPECT_TRUE(compare_made(MadeTrace(plan()), MadeTrace(packed))->equal());
}

TEST(EqualTraces, AWideIntegerMayTakeMoreBytesThanItNeeds) {
  const auto wide = [](SlotKind kind, const std::string& bytes) {
    PlannedValues values = numbers({1, 0});
    values.slots[1] =
        bytes_slot(kind, values.keep(bytes), static_cast<std::uint32_t>(bytes.size()));
    TracePlan result = plan();
    event_at(result, 1).payload = values;
    return MadeTrace(result);
  };
  const std::string ten(10, '\x81');
  const auto equal = [&](SlotKind kind, const std::string& more) {
    return compare_made(wide(kind, ten), wide(kind, ten + more))->equal();
  };
  EXPECT_TRUE(equal(SlotKind::kWideUnsigned, std::string("\0", 1)));
  EXPECT_FALSE(equal(SlotKind::kWideUnsigned, "\1"));
  EXPECT_FALSE(equal(SlotKind::kWideUnsigned, "\xFF"));
  EXPECT_TRUE(equal(SlotKind::kWideSigned, "\xFF"));
  EXPECT_FALSE(equal(SlotKind::kWideSigned, std::string("\0", 1)));
}

struct Planted {
  DifferenceKey expected;
  std::function<void(TracePlan&)> change;
};

std::ostream& operator<<(std::ostream& out, const Planted& planted) {
  return out << kind_name(planted.expected.kind) << ' ' << planted.expected.class_name << ' '
             << planted.expected.path << ' ' << planted.expected.what;
}

class PlantedDifference : public testing::TestWithParam<Planted> {};

TEST_P(PlantedDifference, IsFoundAloneInBothDirections) {
  TracePlan changed = plan();
  GetParam().change(changed);
  const MadeTrace left(plan());
  const MadeTrace right(changed);
  for (const bool turned : {false, true}) {
    const auto compared = turned ? compare_made(right, left) : compare_made(left, right);
    ASSERT_TRUE(compared.has_value());
    ASSERT_EQ(compared->differences.found().size(), 1U);
    const Difference& found = compared->differences.found().front();
    EXPECT_TRUE(found.key == GetParam().expected || turned)
        << kind_name(found.key.kind) << ' ' << found.key.class_name << ' ' << found.key.path << ' '
        << found.key.what;
    EXPECT_EQ(found.key.kind, GetParam().expected.kind);
    EXPECT_EQ(found.count, 1U);
    EXPECT_TRUE(found.left != found.right || found.key.what.starts_with("order"));
  }
}

const FieldClassPtr& payload_of(const TracePlan& plan, std::size_t index) {
  return plan.event_classes[index].of.payload;
}

const Planted kPlanted[] = {
    {{Kind::kTrace, "", "", "name"}, [](TracePlan& p) { p.trace_class.name = "other"; }},
    {{Kind::kEnvironment, "", "", "attribute host"},
     [](TracePlan& p) { p.environment[0].value = "b"; }},
    {{Kind::kEnvironment, "", "", "attribute pid"},
     [](TracePlan& p) { p.environment = {p.environment[0]}; }},
    {{Kind::kEnvironment, "", "", "attribute pid"},
     [](TracePlan& p) { p.environment[1].is_json = true; }},
    {{Kind::kEnvironment, "", "", "order of attributes"},
     [](TracePlan& p) { std::swap(p.environment[0], p.environment[1]); }},
    {{Kind::kClock, "clock", "", "precision"}, [](TracePlan& p) { p.clocks[0].precision = {}; }},
    {{Kind::kClock, "clock", "", "origin"},
     [](TracePlan& p) { p.clocks[0].origin = ClockOrigin::kUnixEpoch; }},
    {{Kind::kClock, "clock", "", "identity"}, [](TracePlan& p) { p.clocks[0].identity.uid = "u"; }},
    {{Kind::kClock, "other", "", "offset in ticks"},
     [](TracePlan& p) { p.clocks[1].offset_ticks = 1; }},
    {{Kind::kClock, "other", "", "missing"}, [](TracePlan& p) { p.clocks.pop_back(); }},
    {{Kind::kStream, "stream", "", "keys"}, [](TracePlan& p) { p.streams[1].keys[0].value = 7; }},
    {{Kind::kStream, "stream", "", "missing"},
     [](TracePlan& p) { p.streams.push_back({.keys = {{"id", 2}}}); }},
    {{Kind::kStream, "stream", "", "attribute k"},
     [](TracePlan& p) { p.stream_classes[0].of.attributes = {{.key = "k", .value = "v"}}; }},
    {{Kind::kClass, "stream", "packet.cpu_id", "width"},
     [](TracePlan& p) {
       set_member(p.stream_classes[0].of.packet_context, 0,
                  {.name = "cpu_id", .field_class = number(16)});
     }},
    {{Kind::kClass, "stream", "common.pid", "width"},
     [](TracePlan& p) {
       set_member(p.stream_classes[0].of.common_context, 0,
                  {.name = "pid", .field_class = number(16)});
     }},
    {{Kind::kClass, "", "packet.host", "width"},
     [](TracePlan& p) {
       set_member(p.trace_class.packet_header, 1, {.name = "host", .field_class = number(16)});
     }},
    {{Kind::kClass, "unused", "x", "width"},
     [](TracePlan& p) {
       set_member(p.event_classes[3].of.payload, 0, {.name = "x", .field_class = number(8)});
     }},
    {{Kind::kClass, "unused", "", "missing"}, [](TracePlan& p) { p.event_classes.pop_back(); }},
    {{Kind::kClass, "text", "text", "attribute unit"},
     [](TracePlan& p) {
       set_member(
           p.event_classes[0].of.payload, 0,
           {.name = "text", .field_class = text(), .attributes = {{.key = "unit", .value = "m"}}});
     }},
    {{Kind::kClass, "text", "text", "kind"},
     [](TracePlan& p) {
       set_member(p.event_classes[0].of.payload, 0,
                  {.name = "text",
                   .field_class = make_field_class(BlobClass{.extent = LengthPrefixed{}})});
     }},
    {{Kind::kClass, "text", "", "describes others"},
     [](TracePlan& p) { p.event_classes[0].of.describes_others = true; }},
    {{Kind::kClass, "number", "state", "labels"},
     [](TracePlan& p) {
       IntegerClass changed =
           *payload_of(p, 1)->as<StructureClass>()->members[0].field_class->as<IntegerClass>();
       changed.mappings[0].label = "eins";
       set_member(p.event_classes[1].of.payload, 0,
                  {.name = "state", .field_class = make_field_class(changed)});
     }},
    {{Kind::kEncoding, "number", "wide", "LEB128"},
     [](TracePlan& p) {
       set_member(p.event_classes[1].of.payload, 1, {.name = "wide", .field_class = number(64)});
     }},
    {{Kind::kEncoding, "text", "text", "interned"},
     [](TracePlan& p) {
       set_member(p.event_classes[0].of.payload, 0,
                  {.name = "text",
                   .field_class = make_field_class(
                       StringClass{.extent = LengthPrefixed{}, .interned = true})});
     }},
    {{Kind::kEvent, "text", "", "missing"}, [](TracePlan& p) { p.records.pop_back(); }},
    {{Kind::kEvent, "text", "", "missing"},
     [](TracePlan& p) { p.records.erase(p.records.begin()); }},
    {{Kind::kTime, "text", "", "time"}, [](TracePlan& p) { event_at(p, 5).time = 98; }},
    {{Kind::kDuration, "compound", "", "end"},
     [](TracePlan& p) { event_at(p, 2).end_time = 5000; }},
    {{Kind::kContext, "text", "common.pid", "value"},
     [](TracePlan& p) { event_at(p, 0).common = numbers({8}); }},
    {{Kind::kContext, "text", "specific.tid", "value"},
     [](TracePlan& p) { event_at(p, 0).specific = numbers({8}); }},
    {{Kind::kContext, "text", "packet.cpu_id", "value"},
     [](TracePlan& p) {
       p.packets.push_back(p.packets[1]);
       p.packets[2].context.slots[0] = unsigned_slot(8);
       event_at(p, 5).packet = 2;
     }},
    {{Kind::kValue, "text", "text", "value"},
     [](TracePlan& p) { event_at(p, 0).payload = texts("a\xFE"); }},
    {{Kind::kValue, "compound", "list[]", "value"},
     [](TracePlan& p) { event_at(p, 2).payload.slots[2] = unsigned_slot(3); }},
    {{Kind::kValue, "compound", "inner.deep", "value"},
     [](TracePlan& p) { event_at(p, 2).payload.slots[4] = real_slot(-0.5); }},
    {{Kind::kValue, "compound", "maybe", "value"},
     [](TracePlan& p) {
       event_at(p, 2).payload.slots.resize(5);
       event_at(p, 2).payload.slots.push_back(head_slot(SlotKind::kOptional, 0, 0));
     }},
    {{Kind::kValue, "number", "wide", "value"},
     [](TracePlan& p) { event_at(p, 4).payload = numbers({2, 401}); }},
    {{Kind::kLoss, "", "", "events"},
     [](TracePlan& p) { std::get<Loss>(p.records[3].what).events = 4; }},
    {{Kind::kLoss, "", "", "begin"},
     [](TracePlan& p) { std::get<Loss>(p.records[3].what).begin = {}; }},
    {{Kind::kLoss, "", "", "missing"},
     [](TracePlan& p) { p.records.erase(p.records.begin() + 3); }},
};
INSTANTIATE_TEST_SUITE_P(EqualTraces, PlantedDifference, testing::ValuesIn(kPlanted));

TEST(EqualTraces, EventsThatOneSideLacksAreDifferencesOfTheirOwnAndOfNoOthers) {
  TracePlan whole = plan();
  whole.records.clear();
  for (std::size_t i = 0; i < 200; ++i)
    whole.records.push_back(event(0, 0, i, texts(std::to_string(i)), 0));
  TracePlan part = whole;
  // The first, some in a row, and the last.
  part.records.pop_back();
  part.records.erase(part.records.begin() + 100, part.records.begin() + 120);
  part.records.erase(part.records.begin());
  const auto compared = compare_made(MadeTrace(whole), MadeTrace(part));
  ASSERT_EQ(compared->differences.found().size(), 1U);
  EXPECT_EQ(compared->differences.found()[0].key,
            (DifferenceKey{Kind::kEvent, "text", "", "missing"}));
  EXPECT_EQ(compared->differences.found()[0].count, 22U);
  EXPECT_EQ(compared->events, 178U);
}

TEST(EqualTraces, ATimeThatIsAbsentOnOneSideIsADifferenceOfEachEventAndOfTheClass) {
  TracePlan timeless = plan();
  timeless.event_classes[0].clock = {};
  const auto compared = compare_made(MadeTrace(plan()), MadeTrace(timeless));
  ASSERT_EQ(compared->differences.found().size(), 2U);
  EXPECT_EQ(compared->differences.found()[0].key,
            (DifferenceKey{Kind::kClass, "text", "", "has a time"}));
  EXPECT_EQ(compared->differences.found()[1].key, (DifferenceKey{Kind::kTime, "text", "", "time"}));
  EXPECT_EQ(compared->differences.found()[1].count, 2U);
}

TEST(EqualTraces, EventsInAnotherOrderWithinTheirStreamDiffer) {
  TracePlan other = plan();
  std::swap(other.records[0], other.records[4]);
  EXPECT_FALSE(compare_made(MadeTrace(plan()), MadeTrace(other))->equal());
}

TEST(EqualTraces, ClocksThatCountOtherwiseAreComparedByTheirTimes) {
  TracePlan other = plan();
  other.clocks[0].offset_seconds = 4;
  for (auto& record : other.records) {
    if (auto* const each = std::get_if<PlannedEvent>(&record.what)) {
      each->time += 1'000'000'000;
      each->end_time += 1'000'000'000;
    }
  }
  const auto compared = compare_made(MadeTrace(plan()), MadeTrace(other));
  ASSERT_EQ(compared->differences.found().size(), 1U);
  EXPECT_EQ(compared->differences.found()[0].key.what, "offset in seconds");
}

TEST(EqualTraces, MoreKindsThanAskedForAreCounted) {
  TracePlan other = plan();
  other.environment[0].value = "b";
  other.environment[1].value = "2";
  other.clocks[0].precision = 4;
  const auto compared = compare_made(MadeTrace(plan()), MadeTrace(other), {.most_kinds = 1});
  EXPECT_EQ(compared->differences.found().size(), 1U);
  EXPECT_EQ(compared->differences.left_out(), 2U);
  EXPECT_FALSE(compared->equal());
}

TEST(EqualTraces, StreamsTooFarApartAreGivenUpAndReported) {
  TracePlan left = plan();
  left.records.clear();
  TracePlan right = left;
  for (std::size_t i = 0; i < 100; ++i) {
    left.records.push_back(event(i / 50, 0, i, texts("x"), i / 50));
    right.records.push_back(event(1 - i / 50, 0, (i + 50) % 100, texts("x"), 1 - i / 50));
  }
  EXPECT_TRUE(compare_made(MadeTrace(left), MadeTrace(right), {.most_waiting = 200})->equal());
  const auto compared = compare_made(MadeTrace(left), MadeTrace(right), {.most_waiting = 20});
  ASSERT_FALSE(compared->differences.found().empty());
  EXPECT_EQ(compared->differences.found()[0].key.what, "too far apart");
}

TEST(EqualTraces, AStreamWithoutEventsStandsForNoneThatHasSome) {
  TracePlan left = plan();
  left.streams = {{}, {}};
  for (TracePlan::PlannedRecord& each : left.records) each.stream = 1;
  left.packets[0].stream = 1;
  TracePlan right = left;
  for (TracePlan::PlannedRecord& each : right.records) each.stream = 0;
  for (auto& each : right.packets) each.stream = 0;
  EXPECT_TRUE(compare_made(MadeTrace(left), MadeTrace(right))->equal());
  right.streams.pop_back();
  const auto compared = compare_made(MadeTrace(left), MadeTrace(right));
  ASSERT_EQ(compared->differences.found().size(), 1U);
  EXPECT_EQ(compared->differences.found()[0].key.kind, Kind::kStream);
  EXPECT_EQ(compared->differences.found()[0].key.what, "missing");
}

TEST(EqualTraces, AnErrorOfASourceIsHandedOn) {
  const MadeTrace trace(plan());
  FakeSource whole(trace.batches());
  FakeSource broken({}, Error{.code = ErrorCode::kReadFailed, .message = "broken"});
  const auto compared = equal_traces({whole, trace.description()}, {broken, trace.description()});
  ASSERT_FALSE(compared.has_value());
  EXPECT_EQ(compared.error().message, "broken");
}

}  // namespace
}  // namespace tracedeck::comparison

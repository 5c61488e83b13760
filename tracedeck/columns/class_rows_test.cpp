#include "tracedeck/columns/class_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/columns/timestamp.hpp"
#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::columns {
namespace {

using render::array_class;
using render::enumeration_class;
using render::SampleTrace;
using render::Slots;
using render::string_class;
using render::structure_class;
using render::text_slot;
using render::unsigned_class;
using testing::ElementsAre;
using testing::IsEmpty;

FieldClassPtr optional_class(FieldClassPtr value) {
  return make_field_class(OptionalClass{.value = std::move(value)});
}
FieldClassPtr variant_class() {
  return make_field_class(VariantClass{
      .options = {{.name = "n", .field_class = unsigned_class(), .ranges = {}, .attributes = {}},
                  {.name = "t", .field_class = string_class(), .ranges = {}, .attributes = {}}}});
}
FieldClassPtr leb_class() { return make_field_class(IntegerClass{.layout = Leb128Layout{}}); }

// A table for one class, and events appended to it.
class Filled {
 public:
  explicit Filled(FieldClassPtr payload, bool wide = false, const TableOptions& options = {})
      : event_class_(trace_.add(trace_.event_class(3, "e", std::move(payload)))),
        columns_(columns_of(event_class_, options, wide)),
        table_("e", columns_.root),
        rows_(columns_, table_, tools_) {}

  RowResult append(Slots slots, std::uint64_t time = 5) {
    const RowOrigin origin{.number = 1, .trace = "t", .stream = "{}"};
    const Event event = trace_.event(event_class_, time, std::move(slots));
    return rows_.append({.event = &event, .origin = &origin, .seq = 7});
  }
  [[nodiscard]] const Column& column(std::string_view name) const {
    for (const Column& child : table_.root.children) {
      if (child.name == name) return child;
    }
    ADD_FAILURE() << "there is no column " << name;
    return table_.root;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Column& child : table_.root.children) names.push_back(child.name);
    return names;
  }
  // Every column of a row has as many instances as there are rows.
  void expect_whole() const {
    for (const Column& child : table_.root.children)
      EXPECT_EQ(child.instances(), table_.rows) << child.name;
  }

  SampleTrace trace_;
  RowTools tools_;
  const EventClass& event_class_;
  ClassColumns columns_;
  Table table_;
  ClassRows rows_;
};

TEST(ClassRows, HoldWhatEventsAre) {
  Filled filled(structure_class({{"n", unsigned_class()}, {"text", string_class()}}));
  EXPECT_EQ(filled.append({unsigned_slot(1), text_slot("a")}), RowResult::kAppended);
  EXPECT_EQ(filled.append({unsigned_slot(~std::uint64_t{0}), text_slot("")}, 6),
            RowResult::kAppended);
  EXPECT_THAT(filled.names(), ElementsAre("time_ns", "trace", "stream", "seq", "n", "text"));
  EXPECT_THAT(filled.column("time_ns").words64, ElementsAre(5, 6));
  EXPECT_THAT(filled.column("n").words64, ElementsAre(1, ~std::uint64_t{0}));
  EXPECT_EQ(filled.column("text").characters, "a");
  EXPECT_THAT(filled.column("text").words32, ElementsAre(1, 0));
  EXPECT_TRUE(filled.table_.sorted);
  filled.expect_whole();
}

TEST(ClassRows, NamesAreFreeInAnyCase) {
  const Filled filled(structure_class(
      {{"seq", unsigned_class()}, {"Seq", unsigned_class()}, {"", unsigned_class()}}));
  EXPECT_THAT(filled.names(),
              ElementsAre("time_ns", "trace", "stream", "seq", "seq_2", "Seq_3", "_"));
  EXPECT_EQ(filled.columns_.renamed.size(), 3U);
}

TEST(ClassRows, LabelsStandBesideValues) {
  Filled filled(
      structure_class({{"state", enumeration_class({{.label = "on", .ranges = {{1, 1}}}})}}));
  EXPECT_EQ(filled.append({unsigned_slot(1)}), RowResult::kAppended);
  EXPECT_EQ(filled.append({unsigned_slot(2)}), RowResult::kAppended);
  const Column& label = filled.column("state_label");
  EXPECT_THAT(label.valid, ElementsAre(1, 0));
  EXPECT_EQ((*label.words)[label.words32.front()], "on");
  EXPECT_THAT(filled.column("state").words32, ElementsAre(1, 2));
}

TEST(ClassRows, ListsOptionalsAndVariantsAreDense) {
  Filled filled(structure_class({{"list", array_class(array_class(unsigned_class()))},
                                 {"maybe", optional_class(string_class())},
                                 {"twice", optional_class(optional_class(unsigned_class()))},
                                 {"either", variant_class()}}));
  EXPECT_EQ(
      filled.append({head_slot(SlotKind::kArray, 2, 3), head_slot(SlotKind::kArray, 1, 1),
                     unsigned_slot(4), head_slot(SlotKind::kArray, 0, 0),
                     head_slot(SlotKind::kOptional, 0, 0), head_slot(SlotKind::kOptional, 1, 1),
                     head_slot(SlotKind::kOptional, 0, 0), head_slot(SlotKind::kVariant, 1, 1),
                     text_slot("x")}),
      RowResult::kAppended);
  EXPECT_THAT(filled.column("list").words32, ElementsAre(2));
  EXPECT_THAT(filled.column("list").children[0].words32, ElementsAre(1, 0));
  EXPECT_THAT(filled.column("list").children[0].children[0].words64, ElementsAre(4));
  EXPECT_THAT(filled.column("maybe").valid, ElementsAre(0));
  EXPECT_THAT(filled.column("twice").valid, ElementsAre(1));
  EXPECT_THAT(filled.column("twice").children[0].valid, ElementsAre(0));
  const Column& either = filled.column("either");
  EXPECT_THAT(either.children[0].words32, ElementsAre(1));
  EXPECT_THAT(either.children[1].valid, ElementsAre(0));
  EXPECT_EQ(either.children[2].characters, "x");
  filled.expect_whole();
}

TEST(ClassRows, WhatIsNotOfTheClassIsRefusedWhole) {
  Filled filled(structure_class({{"n", unsigned_class()},
                                 {"list", array_class(string_class())},
                                 {"maybe", optional_class(unsigned_class())},
                                 {"either", variant_class()}}));
  const Slots right = {unsigned_slot(1), head_slot(SlotKind::kArray, 1, 1),
                       text_slot("ab"),  head_slot(SlotKind::kOptional, 1, 1),
                       unsigned_slot(2), head_slot(SlotKind::kVariant, 0, 1),
                       unsigned_slot(3)};
  ASSERT_EQ(filled.append(right), RowResult::kAppended);
  for (std::size_t at = 0; at < right.size(); ++at) {
    // Cut short, and with a value of another kind.
    EXPECT_EQ(filled.append(Slots(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(at))),
              RowResult::kRefused);
    Slots wrong = right;
    wrong[at] = boolean_slot(true);
    EXPECT_EQ(filled.append(wrong), RowResult::kRefused) << at;
    wrong[at] = head_slot(right[at].kind, 9, right[at].extent());
    if (right[at].kind >= kFirstCompound && right[at].kind != SlotKind::kOptional) {
      EXPECT_EQ(filled.append(wrong), RowResult::kRefused) << at;
    }
    EXPECT_EQ(filled.table_.rows, 1U);
    filled.expect_whole();
  }
  EXPECT_EQ(filled.column("list").children[0].characters, "ab");
}

TEST(ClassRows, WhatIsTooWideIsTakenByWiderColumns) {
  const std::vector<std::uint8_t> wide(9, 0xFF);
  const Slots slots = {render::wide_slot(SlotKind::kWideUnsigned, wide)};
  Filled narrow(structure_class({{"n", leb_class()}}));
  EXPECT_EQ(narrow.append(slots), RowResult::kTooWide);
  EXPECT_EQ(narrow.append({unsigned_slot(1)}, ~std::uint64_t{0}), RowResult::kTooWide);
  EXPECT_EQ(narrow.table_.rows, 0U);
  narrow.expect_whole();
  Filled wider(structure_class({{"n", leb_class()}}), true);
  EXPECT_EQ(wider.append(slots, ~std::uint64_t{0}), RowResult::kAppended);
  EXPECT_EQ(wider.column("n").characters, "4722366482869645213695");
  EXPECT_THAT(wider.column("time_ns").decimals, ElementsAre(Int128{~std::uint64_t{0}}));
}

TEST(ClassRows, WhatBecameOfARowThatIsTakenBackIsNotCounted) {
  const std::vector<std::uint8_t> wide(9, 0xFF);
  Filled filled(structure_class({{"text", string_class()}, {"n", leb_class()}}));
  EXPECT_EQ(filled.append({text_slot("\xFF"), render::wide_slot(SlotKind::kWideUnsigned, wide)}),
            RowResult::kTooWide);
  EXPECT_THAT(receipt_of(filled.tools_.losses), IsEmpty());
}

TEST(ClassRows, TimestampsAndClockValuesStandBesideTimes) {
  Filled filled(structure_class({{"time", unsigned_class()}}), false,
                {.timestamps = true, .clock_values = true});
  filled.trace_.clock.origin = ClockOrigin::kUnixEpoch;
  filled.trace_.clock.shift = -2000;
  EXPECT_EQ(filled.append({unsigned_slot(1)}, 3999), RowResult::kAppended);
  EXPECT_EQ(filled.append({unsigned_slot(1)}, 1999), RowResult::kAppended);
  EXPECT_THAT(filled.names(),
              ElementsAre("time_ns", "time", "clock_value", "trace", "stream", "seq", "time_2"));
  EXPECT_THAT(filled.column("time").words64, ElementsAre(1, ~std::uint64_t{0}));
  EXPECT_THAT(filled.column("clock_value").words64, ElementsAre(3999, 1999));
  EXPECT_THAT(receipt_of(filled.tools_.losses), IsEmpty());
  filled.trace_.clock.origin = ClockOrigin::kUnknown;
  EXPECT_EQ(filled.append({unsigned_slot(1)}, 1), RowResult::kAppended);
  EXPECT_THAT(filled.column("time").valid, ElementsAre(1, 1, 0));
  EXPECT_THAT(filled.column("clock_value").valid, ElementsAre(1, 1, 1));
  EXPECT_EQ(receipt_of(filled.tools_.losses).size(), 1U);
  filled.expect_whole();
}

TEST(Timestamp, IsInTheYears1900To2299) {
  const auto ns = [](std::int64_t seconds, std::int64_t more) {
    const bool negative = seconds < 0;
    const auto size = Uint128{static_cast<std::uint64_t>(negative ? -seconds : seconds)};
    return Nanoseconds::from_unsigned(size * 1'000'000'000, negative) + Nanoseconds(more);
  };
  EXPECT_EQ(as_timestamp(Nanoseconds(-1)), -1);
  EXPECT_EQ(as_timestamp(Nanoseconds(-1000)), -1);
  EXPECT_EQ(as_timestamp(Nanoseconds(999)), 0);
  EXPECT_EQ(as_timestamp(ns(-2'208'988'800, 0)), -2'208'988'800'000'000);
  EXPECT_EQ(as_timestamp(ns(-2'208'988'800, -1)), std::nullopt);
  EXPECT_EQ(as_timestamp(ns(10'413'792'000, -1)), 10'413'791'999'999'999);
  EXPECT_EQ(as_timestamp(ns(10'413'792'000, 0)), std::nullopt);
  EXPECT_EQ(as_timestamp(Nanoseconds::from_unsigned(~Uint128{0}, true)), std::nullopt);
}

TEST(ClassRows, InvalidTextIsRepairedAndCounted) {
  Filled filled(structure_class({{"text", string_class()}}));
  EXPECT_EQ(filled.append({text_slot("a\xFF")}), RowResult::kAppended);
  EXPECT_EQ(filled.column("text").characters, "a\xEF\xBF\xBD");
  const Receipt receipt = receipt_of(filled.tools_.losses);
  ASSERT_EQ(receipt.size(), 1U);
  EXPECT_EQ(receipt.front().what, "texts that are no UTF-8");
  EXPECT_TRUE(receipt.front().lossy);
}

TEST(ClassRows, SharedClassesDoNotMultiply) {
  FieldClassPtr field = unsigned_class();
  for (int i = 0; i < 30; ++i) field = structure_class({{"a", field}, {"b", field}});
  const Filled filled(structure_class({{"n", unsigned_class()}, {"tree", field}}));
  EXPECT_THAT(filled.columns_.as_json, ElementsAre("tree"));
  EXPECT_EQ(filled.column("tree").type, ColumnType::kText);
}

TEST(ClassRows, DeepClassesAreJson) {
  FieldClassPtr field = unsigned_class();
  for (int i = 0; i < 100; ++i) field = array_class(field);
  const Filled filled(structure_class({{"deep", field}}));
  EXPECT_THAT(filled.columns_.as_json, ElementsAre("deep"));
}

TEST(ClassRows, DisorderIsSaid) {
  Filled filled(structure_class({{"n", unsigned_class()}}));
  ASSERT_EQ(filled.append({unsigned_slot(1)}, 9), RowResult::kAppended);
  ASSERT_EQ(filled.append({unsigned_slot(1)}, 8), RowResult::kAppended);
  EXPECT_FALSE(filled.table_.sorted);
}

// Rows of a class, appended as a block and one by one.
class Blocks {
 public:
  explicit Blocks(const FieldClassPtr& payload) : block_(payload), single_(payload) {}

  void add(Slots slots, std::uint64_t time = 5) { rows_.push_back({std::move(slots), time}); }
  // Whether the block was appended. The columns are then those of the rows one by one; else there
  // is nothing in them.
  bool append() {
    const RowOrigin origin{.number = 1, .trace = "t", .stream = "{}"};
    std::vector<Event> events;
    events.reserve(rows_.size());
    for (const auto& [slots, time] : rows_)
      events.push_back(block_.trace_.event(block_.event_class_, time, slots));
    std::vector<EventRow> rows;
    for (const Event& event : events)
      rows.push_back({.event = &event, .origin = &origin, .seq = 7});
    const bool appended = block_.rows_.append_block(rows);
    block_.expect_whole();
    if (!appended) {
      EXPECT_EQ(block_.table_.rows, 0U);
      EXPECT_EQ(block_.table_.bytes, 0U);
      EXPECT_THAT(receipt_of(block_.tools_.losses), IsEmpty());
      return false;
    }
    for (const auto& [slots, time] : rows_)
      EXPECT_EQ(single_.append(slots, time), RowResult::kAppended);
    expect_equal(block_.table_.root, single_.table_.root);
    EXPECT_EQ(block_.table_.sorted, single_.table_.sorted);
    EXPECT_EQ(block_.table_.rows, single_.table_.rows);
    EXPECT_EQ(block_.table_.bytes, single_.table_.bytes);
    EXPECT_EQ(receipt_of(block_.tools_.losses).size(), receipt_of(single_.tools_.losses).size());
    return true;
  }

 private:
  static void expect_equal(const Column& a, const Column& b) {
    const auto all = [](const auto& values) { return std::vector(values.begin(), values.end()); };
    EXPECT_EQ(all(a.valid), all(b.valid)) << a.name;
    EXPECT_EQ(all(a.bytes), all(b.bytes)) << a.name;
    EXPECT_EQ(all(a.words32), all(b.words32)) << a.name;
    EXPECT_EQ(all(a.words64), all(b.words64)) << a.name;
    EXPECT_EQ(a.characters, b.characters) << a.name;
    ASSERT_EQ(a.children.size(), b.children.size());
    for (std::size_t i = 0; i < a.children.size(); ++i) expect_equal(a.children[i], b.children[i]);
  }

  Filled block_;
  Filled single_;
  std::vector<std::pair<Slots, std::uint64_t>> rows_;
};

FieldClassPtr byte_class() {
  return make_field_class(IntegerClass{.layout = FixedLayout{.width = 8}});
}

TEST(ClassRowBlocks, AreTheRowsOneByOne) {
  static const std::vector<std::uint8_t> kWords(24, 7);
  Blocks blocks(structure_class(
      {{"n", unsigned_class()},
       {"state", enumeration_class({{.label = "on", .ranges = {{1, 1}}}})},
       {"inner", structure_class({{"text", string_class()}, {"byte", byte_class()}})},
       {"empty", structure_class({})},
       {"frames", array_class(unsigned_class())}}));
  for (std::uint64_t i = 0; i < 6; ++i) {
    blocks.add({unsigned_slot(i), unsigned_slot(i % 2), head_slot(SlotKind::kStructure, 0, 2),
                text_slot(i % 2 == 0 ? "ab" : "\xFF"), unsigned_slot(255),
                head_slot(SlotKind::kStructure, 0, 0),
                packed_slot(PackedElement::kU64Le, kWords.data(),
                            static_cast<std::uint32_t>(8 * (i % 4)))},
               10 - i);
  }
  EXPECT_TRUE(blocks.append());
}

TEST(ClassRowBlocks, EndWithFieldsOfAnySize) {
  Blocks blocks(structure_class({{"n", unsigned_class()},
                                 {"maybe", optional_class(unsigned_class())},
                                 {"last", string_class()}}));
  for (std::uint64_t i = 0; i < 5; ++i) {
    if (i % 2 == 0) {
      blocks.add({unsigned_slot(i), head_slot(SlotKind::kOptional, 0, 0), text_slot("x")});
    } else {
      blocks.add({unsigned_slot(i), head_slot(SlotKind::kOptional, 1, 1), unsigned_slot(i),
                  text_slot("yy")});
    }
  }
  EXPECT_TRUE(blocks.append());
}

// Whatever a slot is that is not as the class says, nothing is appended.
TEST(ClassRowBlocks, AreAppendedWholeOrNotAtAll) {
  const FieldClassPtr payload =
      structure_class({{"n", unsigned_class()},
                       {"byte", byte_class()},
                       {"text", string_class()},
                       {"inner", structure_class({{"n", unsigned_class()}})},
                       {"list", array_class(unsigned_class())}});
  const Slots right = {unsigned_slot(1), unsigned_slot(2),
                       text_slot("a"),   head_slot(SlotKind::kStructure, 0, 1),
                       unsigned_slot(3), packed_slot(PackedElement::kU8, nullptr, 0)};
  const auto with = [&](const Slots& wrong, std::uint64_t time) {
    Blocks blocks(payload);
    blocks.add(right);
    blocks.add(wrong, time);
    return blocks.append();
  };
  EXPECT_TRUE(with(right, 9));
  EXPECT_FALSE(with(right, ~std::uint64_t{0}));
  EXPECT_FALSE(with(Slots(right.begin(), right.end() - 1), 9));
  for (std::size_t at = 0; at < right.size(); ++at) {
    Slots wrong = right;
    wrong[at] = boolean_slot(true);
    EXPECT_FALSE(with(wrong, 9)) << at;
    wrong[at] = head_slot(SlotKind::kStructure, 0, 0);
    EXPECT_FALSE(with(wrong, 9)) << at;
  }
  Slots wide = right;
  wide[1] = unsigned_slot(1U << 16);
  // An integer of up to 32 bits is stored as it is.
  EXPECT_TRUE(with(wide, 9));
  wide[1] = unsigned_slot(std::uint64_t{1} << 32);
  EXPECT_FALSE(with(wide, 9));
}

}  // namespace
}  // namespace tracedeck::columns

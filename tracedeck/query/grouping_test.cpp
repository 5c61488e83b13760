#include "tracedeck/query/grouping.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tracedeck/query/cell.hpp"

namespace tracedeck::query {
namespace {

using Rows = std::vector<std::string>;

std::string text_of(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kUnknown:
      return "-";
    case Cell::Kind::kInteger:
      return Nanoseconds::from_unsigned(cell.integer.magnitude, cell.integer.negative).to_string() +
             fmt::format("{}", fmt::join(cell.labels, "|"));
    case Cell::Kind::kReal:
      return fmt::format("{}", cell.real);
    default:
      return cell.text;
  }
}

class Collect final : public RowSink {
 public:
  explicit Collect(Rows& rows) : rows_(rows) {}
  Result<void> add(std::span<const Value> row) override {
    std::string text;
    for (const Value& value : row) text += text_of(Cell::of(value)) + " ";
    rows_.push_back(text);
    return {};
  }
  Result<void> finish() override { return {}; }

 private:
  Rows& rows_;
};

// By key, and by time where `every` is given: count, sum, last, p50.
GroupingPlan plan(std::size_t memory, std::optional<Integer> every = {}) {
  GroupingPlan plan{.keys = 1,
                    .aggregates = {{.kind = AggregateKind::kCount},
                                   {.kind = AggregateKind::kSum, .argument = 1},
                                   {.kind = AggregateKind::kLast, .argument = 1},
                                   {.kind = AggregateKind::kQuantile, .part = 0.5, .argument = 1}},
                    .every = every,
                    .memory = memory};
  if (every) plan.time = 2;
  return plan;
}

void add_numbers(Grouping& grouping, int from, int to) {
  for (int i = from; i < to; ++i) {
    const std::string key = fmt::format("key {}", i * 7919 % 500);
    const std::vector<Value> row = {Value::of(std::string_view(key)),
                                    Value::of(Integer::from_signed(i)),
                                    Value::of(Integer::from_signed(i - 1000))};
    ASSERT_TRUE(grouping.add(row));
  }
}

Rows groups_of(std::size_t memory, std::optional<Integer> every = {}) {
  Rows rows;
  Grouping grouping(plan(memory, every), std::make_unique<Collect>(rows));
  add_numbers(grouping, 0, 5000);
  EXPECT_TRUE(grouping.finish());
  EXPECT_EQ(grouping.spilled(), memory < 100'000);
  return rows;
}

TEST(Grouping, PutsAsideWhatMemoryDoesNotHold) {
  for (const auto& every : {std::optional<Integer>(), std::optional(Integer::from_signed(1500))}) {
    const Rows whole = groups_of(std::size_t{1} << 30, every);
    EXPECT_EQ(whole.size(), every ? 2000U : 500U);
    EXPECT_TRUE(every || std::ranges::is_sorted(whole, {}, [](const std::string& row) {
                  return row.substr(0, row.find(' ', 4));
                }));
    // In the same order.
    for (const std::size_t memory : {std::size_t{0}, std::size_t{1000}, std::size_t{50'000}})
      EXPECT_EQ(groups_of(memory, every), whole) << memory;
  }
}

// Keys of which `==` is true are groups of their own, side by side.
TEST(Grouping, KeysOfAllKindsAreInOneOrder) {
  const std::vector<Value> keys = {
      Value::of(std::string_view("1")),    Value::of(1.0),  Value{},
      Value::of(Integer::from_signed(-1)), Value::of(true), Value::of(std::uint64_t{1}),
      Value::of(std::string_view("")),     Value::of(0.5)};
  Rows whole;
  for (const std::size_t memory : {std::size_t{1} << 20, std::size_t{1000}, std::size_t{0}}) {
    Rows rows;
    Grouping grouping(
        {.keys = 1, .aggregates = {{.kind = AggregateKind::kCount}}, .memory = memory},
        std::make_unique<Collect>(rows));
    for (int round = 0; round < 3; ++round) {
      for (const Value& key : keys) ASSERT_TRUE(grouping.add(std::vector{key}));
    }
    ASSERT_TRUE(grouping.finish());
    EXPECT_EQ(rows.size(), keys.size());
    if (memory > 1000) whole = rows;
    EXPECT_EQ(rows, whole);
  }
}

// A group of more than all the memory for groups, which no order of keys divides.
TEST(Grouping, OneGroupMayTakeMoreThanThereIs) {
  Rows rows;
  Grouping grouping({.aggregates = {{.kind = AggregateKind::kCount},
                                    {.kind = AggregateKind::kFirst, .argument = 0}},
                     .memory = 100},
                    std::make_unique<Collect>(rows));
  const std::string text(10'000, 'x');
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(grouping.add(std::vector{Value::of(std::string_view(text))}));
  ASSERT_TRUE(grouping.finish());
  EXPECT_EQ(rows, Rows{"10 " + text + " "});
}

TEST(Grouping, IntervalsBeforeTheOriginAreAsLong) {
  Rows rows;
  GroupingPlan plan{.aggregates = {{.kind = AggregateKind::kCount}},
                    .time = 0,
                    .every = Integer::from_signed(10)};
  Grouping grouping(plan, std::make_unique<Collect>(rows));
  for (const int time : {-11, -10, -1, 0, 9, 10})
    ASSERT_TRUE(grouping.add(std::vector{Value::of(Integer::from_signed(time))}));
  ASSERT_TRUE(grouping.add(std::vector{Value{}}));
  ASSERT_TRUE(grouping.finish());
  EXPECT_EQ(rows, (Rows{"- 1 ", "-20 1 ", "-10 2 ", "0 2 ", "10 1 "}));
}

TEST(Grouping, OfNothingIsOneGroupOnlyWithoutKeys) {
  Rows rows;
  Grouping all({.aggregates = {{.kind = AggregateKind::kCount}}}, std::make_unique<Collect>(rows));
  ASSERT_TRUE(all.finish());
  EXPECT_EQ(rows, Rows{"0 "});
  rows.clear();
  Grouping keyed(plan(1 << 20), std::make_unique<Collect>(rows));
  ASSERT_TRUE(keyed.finish());
  EXPECT_EQ(rows, Rows{});
}

std::vector<std::string> portions_of(Grouping& grouping) {
  std::vector<std::string> portions;
  EXPECT_TRUE(grouping.encode([&](std::string_view portion) -> Result<void> {
    portions.emplace_back(portion);
    return {};
  }));
  return portions;
}

Value named(std::uint64_t number, std::string_view name) {
  Value value = Value::of(number);
  value.has_name = true;
  value.text = name;
  return value;
}

// How often each key came, of events of `traces`.
Rows counts_of(std::span<const Value> keys, std::size_t memory,
               std::span<const std::uint64_t> traces) {
  Rows rows;
  Grouping grouping({.keys = 1, .aggregates = {{.kind = AggregateKind::kCount}}, .memory = memory},
                    std::make_unique<Collect>(rows));
  for (const std::uint64_t trace : traces) grouping.note_trace(trace);
  for (const Value& key : keys) EXPECT_TRUE(grouping.add(std::span(&key, 1)));
  EXPECT_TRUE(grouping.finish());
  return rows;
}

// A name that the trace gives a number after events had it.
TEST(Grouping, NumbersOfOneTraceAreOneGroupWithAndWithoutTheirName) {
  const auto number = [](std::uint64_t value) { return Value::of(value); };
  const std::vector<Value> keys = {number(2), number(3),         named(2, "sensor"),
                                   number(2), named(4, "motor"), number(5)};
  const std::vector<std::uint64_t> one = {7, 7};
  const std::vector<std::uint64_t> two = {7, 8};
  for (const std::size_t memory : {std::size_t{0}, std::size_t{1} << 20}) {
    EXPECT_EQ(counts_of(keys, memory, one), (Rows{"2sensor 3 ", "3 1 ", "4motor 1 ", "5 1 "}));
    // Of another trace it may be anything.
    EXPECT_EQ(counts_of(keys, memory, two),
              (Rows{"2 2 ", "2sensor 1 ", "3 1 ", "4motor 1 ", "5 1 "}));
  }
}

TEST(Grouping, NumbersOfDifferentLabelsAreGroupsOfTheirOwn) {
  const std::vector<std::string> running = {"RUNNING"};
  const std::vector<std::string> both = {"RUNNING", "CLOSED"};
  Value first = Value::of(std::uint64_t{1});
  first.names = &running;
  Value second = Value::of(std::uint64_t{1});
  second.names = &both;
  const Value third = Value::of(std::uint64_t{1});
  const std::vector<Value> keys = {first, second, third,           second, named(1, "idle"),
                                   first, first,  named(1, "busy")};
  for (const std::size_t memory : {std::size_t{0}, std::size_t{1} << 20}) {
    EXPECT_EQ(counts_of(keys, memory, {}),
              (Rows{"1 1 ", "1RUNNING 3 ", "1RUNNING|CLOSED 2 ", "1busy 1 ", "1idle 1 "}));
  }
}

// Of texts that are equal to others, as names of places are to their endings.
TEST(Grouping, TextsAreStillEqualToWhatTheyWere) {
  const std::vector<std::string> endings = {"lib.rs:10", "src/lib.rs:10"};
  const Value name = Value::of(std::string_view("crates/a/src/lib.rs:10"), endings);
  class CompareNames final : public RowSink {
   public:
    Result<void> add(std::span<const Value> row) override {
      EXPECT_EQ(equals(row.front(), Value::of(std::string_view("lib.rs:10"))), true);
      EXPECT_EQ(row.front().text, "crates/a/src/lib.rs:10");
      EXPECT_EQ(row.back().integer, Integer::from(std::uint64_t{2}));
      return {};
    }
    Result<void> finish() override { return {}; }
  };
  for (const std::size_t memory : {std::size_t{0}, std::size_t{1} << 20}) {
    Grouping grouping(
        {.keys = 1, .aggregates = {{.kind = AggregateKind::kCount}}, .memory = memory},
        std::make_unique<CompareNames>());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(grouping.add(std::span(&name, 1)));
    ASSERT_TRUE(grouping.finish());
  }
}

TEST(Grouping, LabelsStayApartInPartialAnswers) {
  const GroupingPlan plan{.keys = 1,
                          .aggregates = {{.kind = AggregateKind::kCount}},
                          .time = 1,
                          .every = Integer::from_signed(10)};
  Rows rows;
  Grouping whole(plan, std::make_unique<Collect>(rows));
  for (const std::string_view name : {"idle", "busy", ""}) {
    Rows none;
    Grouping part(plan, std::make_unique<Collect>(none));
    const Value key = name.empty() ? Value::of(std::uint64_t{1}) : named(1, name);
    ASSERT_TRUE(part.add(std::vector{key, Value::of(Integer::from_signed(15))}));
    for (const std::string& portion : portions_of(part)) {
      EXPECT_TRUE(whole.understands(as_bytes(portion)));
      ASSERT_TRUE(whole.merge(as_bytes(portion)));
    }
  }
  ASSERT_TRUE(whole.finish());
  EXPECT_EQ(rows, (Rows{"10 1 1 ", "10 1busy 1 ", "10 1idle 1 "}));
}

TEST(Grouping, StatesAddUp) {
  const Rows whole = groups_of(std::size_t{1} << 30);
  for (const std::size_t memory : {std::size_t{1000}, std::size_t{1} << 30}) {
    Rows none;
    Grouping first(plan(memory), std::make_unique<Collect>(none));
    add_numbers(first, 0, 2000);
    Rows rows;
    Grouping second(plan(memory), std::make_unique<Collect>(rows));
    for (const std::string& portion : portions_of(first)) {
      EXPECT_TRUE(second.understands(as_bytes(portion)));
      ASSERT_TRUE(second.merge(as_bytes(portion)));
    }
    add_numbers(second, 2000, 5000);
    ASSERT_TRUE(second.finish());
    EXPECT_EQ(rows, whole);
  }
}

TEST(Grouping, StatesThatAreNoneAreNotUnderstood) {
  Rows none;
  Grouping grouping(plan(1 << 20), std::make_unique<Collect>(none));
  add_numbers(grouping, 0, 1);
  const std::vector<std::string> portions = portions_of(grouping);
  ASSERT_EQ(portions.size(), 1U);
  const std::string& bytes = portions.front();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    // The times alone are of no groups.
    EXPECT_EQ(grouping.understands(as_bytes(std::string_view(bytes).substr(0, size))), size == 2)
        << size;
  }
  // Of another number of keys.
  GroupingPlan other = plan(1 << 20);
  ++other.keys;
  EXPECT_FALSE(Grouping(other, std::make_unique<Collect>(none)).understands(as_bytes(bytes)));
}

}  // namespace
}  // namespace tracedeck::query

#include "tracedeck/query/event_grouping.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/query/cell.hpp"
#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::query {
namespace {

using render::SampleTrace;
using render::text_slot;
using render::unsigned_class;
using testing::IsEmpty;
using testing::Not;

// Groups as they come, each as text.
class CollectGroups final : public RowSink {
 public:
  explicit CollectGroups(std::vector<std::string>& rows) : rows_(rows) {}
  Result<void> add(std::span<const Value> row) override {
    std::string bytes;
    for (const Value& value : row) encode(bytes, value);
    rows_.push_back(std::move(bytes));
    return {};
  }
  Result<void> finish() override { return {}; }

 private:
  std::vector<std::string>& rows_;
};

ExpressionPtr path(Root root, const std::string& name = {}) {
  Path path{.root = root};
  if (!name.empty()) path.steps.push_back({.name = name});
  return std::make_unique<const Expression>(
      Expression{.operation = Operator::kPath, .path = std::move(path)});
}

// Events of which keys and numbers are of every kind that is read directly, and of others.
class MixedEvents {
 public:
  static constexpr unsigned kKinds = 5;

  MixedEvents() {
    const auto signed_class =
        make_field_class(IntegerClass{.is_signed = true, .layout = FixedLayout{.width = 64}});
    const auto state = render::enumeration_class(
        {{.label = "idle", .ranges = {{0, 0}}}, {.label = "busy", .ranges = {{1, 3}}}});
    numbers_ =
        &trace_.add(trace_.event_class(1, "Numbers",
                                       render::structure_class({{"key", unsigned_class()},
                                                                {"low", signed_class},
                                                                {"state", state},
                                                                {"text", render::string_class()},
                                                                {"value", unsigned_class()}})));
    others_ = &trace_.add(
        trace_.event_class(2, "Others",
                           render::structure_class({{"list", render::array_class(unsigned_class())},
                                                    {"key", unsigned_class()},
                                                    {"value", make_field_class(RealClass{})}})));
    EventClass nothing = trace_.event_class(3, "Nothing", render::structure_class({}));
    nothing.clock = nullptr;
    nothing_ = &trace_.add(std::move(nothing));
    const auto other_state = render::enumeration_class(
        {{.label = "closed", .ranges = {{0, 0}}}, {.label = "busy", .ranges = {{1, 2}}}});
    EventClass length =
        trace_.event_class(4, "Length",
                           render::structure_class({{"text", render::string_class()},
                                                    {"state", other_state},
                                                    {"value", unsigned_class()}}));
    length.has_duration = true;
    length_ = &trace_.add(std::move(length));
    name_ = trace_.description.add_value_name("the fourth");
    other_name_ = trace_.description.add_value_name("another fourth");
  }

  Event event(std::uint64_t seed) {
    const std::uint64_t small = seed % 7;
    const std::uint64_t large =
        seed % 11 == 0 ? std::numeric_limits<std::uint64_t>::max() : seed * seed % 3000;
    const Slot text = text_slot(kTexts[seed / 7 % kTexts.size()]);
    switch (seed % kKinds) {
      case 0:
        return trace_.event(*others_, seed * 1000,
                            {head_slot(SlotKind::kArray, 1, 1), unsigned_slot(1),
                             unsigned_slot(small), real_slot(0.5 * static_cast<double>(small))});
      case 1:
        return trace_.event(*nothing_, 0, {});
      case 2: {
        Event event =
            trace_.event(*length_, seed * 900, {text, unsigned_slot(small), unsigned_slot(large)});
        event.end_time = event.time + seed % 400;
        return event;
      }
      default:
        return trace_.event(
            *numbers_, seed * 1100,
            {key_slot(seed, small), signed_slot(static_cast<std::int64_t>(small) - 3),
             unsigned_slot(seed / 3 % 5), text,
             seed % 13 == 0 ? unresolved_slot(9) : unsigned_slot(large)});
    }
  }

 private:
  [[nodiscard]] Slot key_slot(std::uint64_t seed, std::uint64_t key) const {
    if (seed % 17 == 0) return unresolved_slot(key);
    if (key != 4 || seed % 3 == 0) return unsigned_slot(key);
    return named_slot(key, seed % 3 == 1 ? name_ : other_name_);
  }

  static constexpr std::array<std::string_view, 5> kTexts = {"", "a", "a longer text", "b",
                                                             "a longer tale"};
  SampleTrace trace_;
  const EventClass* numbers_;
  const EventClass* others_;
  const EventClass* nothing_;
  const EventClass* length_;
  std::uint32_t name_ = 0;
  std::uint32_t other_name_ = 0;
};

struct Aggregate {
  AggregateKind kind;
  std::string argument;
};
struct Question {
  std::vector<std::string> keys;
  std::vector<Aggregate> aggregates;
  std::optional<std::uint64_t> every;  // ns
  std::size_t memory = std::size_t{24} << 20;
};

ExpressionPtr expression_of(const std::string& name) {
  if (name == "name") return path(Root::kName);
  return name == "duration" ? path(Root::kDuration) : path(Root::kAnyField, name);
}

// Groups of all `events`, by way of rows or not.
std::vector<std::string> groups_of(const Question& question, std::span<const Event> events,
                                   bool by_rows) {
  GroupingPlan plan{.keys = question.keys.size(), .memory = question.memory};
  std::vector<ExpressionPtr> expressions;
  for (const std::string& key : question.keys) expressions.push_back(expression_of(key));
  bool rate = false;
  for (const Aggregate& each : question.aggregates) {
    plan.aggregates.push_back({.kind = each.kind, .part = 0.9});
    rate = rate || each.kind == AggregateKind::kRate;
    if (each.argument.empty()) continue;
    plan.aggregates.back().argument = expressions.size();
    expressions.push_back(expression_of(each.argument));
  }
  if (question.every) plan.every = Integer::from(*question.every);
  if (rate || question.every) {
    plan.time = expressions.size();
    expressions.push_back(path(Root::kRealTime));
  }
  FieldWatch fields;
  EventProjection projection(*ExpressionList::from(std::move(expressions), ""), fields);
  std::vector<std::string> rows;
  Grouping grouping(plan, std::make_unique<CollectGroups>(rows));
  EventGrouping direct(projection, grouping);
  std::vector<Record> records;
  for (const Event& event : events) records.emplace_back(event);
  for (std::size_t i = 0; i < records.size();) {
    const std::span<const Record> batch =
        std::span(records).subspan(i, std::min<std::size_t>(100, records.size() - i));
    if (by_rows) {
      for (const Record& record : batch) EXPECT_TRUE(grouping.add(projection(record.event)));
    } else {
      EXPECT_EQ(direct.add(batch), batch.size());
    }
    i += batch.size();
  }
  EXPECT_TRUE(grouping.finish());
  return rows;
}

// The aggregates of a question, as they are asked for most and mixed at random.
std::vector<Aggregate> some_aggregates() {
  const Aggregate count{AggregateKind::kCount, ""};
  const Aggregate sum{AggregateKind::kSum, "value"};
  const Aggregate quantile{AggregateKind::kQuantile, "value"};
  const std::vector<Aggregate> all = {count,
                                      sum,
                                      quantile,
                                      {AggregateKind::kAverage, "key"},
                                      {AggregateKind::kSum, "low"},
                                      {AggregateKind::kSum, "duration"},
                                      {AggregateKind::kHistogram, "duration"},
                                      {AggregateKind::kQuantile, "key"},
                                      {AggregateKind::kMaximum, "text"},
                                      {AggregateKind::kRate, ""}};
  return *rc::gen::oneOf(
      rc::gen::just(std::vector{count, sum, quantile}), rc::gen::just(std::vector{sum, quantile}),
      rc::gen::resize(6, rc::gen::container<std::vector<Aggregate>>(rc::gen::elementOf(all))));
}

RC_GTEST_PROP(EventGrouping, GroupsAsRowsDo, ()) {
  static const std::vector<std::string> kNames = {"key", "low", "state", "text", "name", "none"};
  Question question;
  question.keys =
      *rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kNames)));
  question.aggregates = some_aggregates();
  if (*rc::gen::arbitrary<bool>()) question.every = *rc::gen::inRange<std::uint64_t>(1, 300'000);
  if (*rc::gen::arbitrary<bool>()) question.memory = 20'000;
  const auto first = *rc::gen::inRange<std::uint64_t>(0, 10'000);
  // What is read of one class must not hang on what there is of others.
  const auto classes = *rc::gen::inRange<unsigned>(1, 1U << MixedEvents::kKinds);
  MixedEvents mixed;
  std::vector<Event> events;
  for (std::uint64_t i = first; events.size() < 700; ++i) {
    if ((classes >> i % MixedEvents::kKinds & 1U) != 0) events.push_back(mixed.event(i));
  }
  const auto groups = groups_of(question, events, true);
  RC_ASSERT(!groups.empty());
  RC_ASSERT(groups_of(question, events, false) == groups);
}

TEST(EventGrouping, StopsAtWhatIsNoEvent) {
  FieldWatch fields;
  EventProjection projection(*ExpressionList::from({}, ""), fields);
  std::vector<std::string> rows;
  Grouping grouping({.aggregates = {{.kind = AggregateKind::kCount}}},
                    std::make_unique<CollectGroups>(rows));
  EventGrouping direct(projection, grouping);
  MixedEvents mixed;
  const Loss loss;
  const std::vector<Record> records = {Record(mixed.event(3)), Record(mixed.event(4)),
                                       Record(&loss), Record(mixed.event(5))};
  EXPECT_EQ(direct.add(records), 2U);
  EXPECT_EQ(direct.add(std::span(records).subspan(3)), 1U);
  EXPECT_TRUE(grouping.finish());
  std::string three;
  encode(three, Value::of(std::uint64_t{3}));
  EXPECT_EQ(rows, std::vector{three});
}

}  // namespace
}  // namespace tracedeck::query

#include "tracedeck/query/pairing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tracedeck/query/cell.hpp"
#include "tracedeck/query/parser.hpp"
#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::query {
namespace {

using render::SampleTrace;
using Rows = std::vector<std::string>;

class CollectPairs final : public RowSink {
 public:
  explicit CollectPairs(Rows& rows) : rows_(rows) {}
  Result<void> add(std::span<const Value> row) override {
    std::string text;
    for (const Value& value : row)
      text += fmt::format("{} ", static_cast<std::uint64_t>(value.integer.magnitude));
    text.pop_back();
    rows_.push_back(text);
    return {};
  }
  Result<void> finish() override { return {}; }

 private:
  Rows& rows_;
};

// Events `A` and `B` with a key each, and what comes of them: begin, end, duration, key.
class Pairs : public testing::Test {
 protected:
  Pairs() {
    for (const char* name : {"A", "B"}) {
      classes_.push_back(&trace_.add(trace_.event_class(
          classes_.size(), name, render::structure_class({{"key", render::unsigned_class()}}))));
    }
  }

  void start(PairingPlan plan, const std::string& a = "name == \"A\"",
             const std::string& b = "name == \"B\"") {
    std::vector<std::string> keys = {"key"};
    for (const auto& [index, name] : plan.scope.stream) keys.push_back("stream." + name);
    if (plan.scope.trace) keys.emplace_back("trace");
    plan.keys = keys.size();
    std::vector<ExpressionPtr> expressions;
    for (const std::string& text : {a, b}) expressions.push_back(parse_expression(text).value());
    for (int side = 0; side != 2; ++side) {
      for (const std::string& key : keys) expressions.push_back(parse_expression(key).value());
    }
    auto list = ExpressionList::from(std::move(expressions), "");
    EventProjection projection(*std::move(list), fields_);
    projection.name_traces([](const TraceDescription& trace) { return trace.input(); });
    pairing_.emplace(std::move(plan), std::move(projection), std::make_unique<CollectPairs>(rows_));
  }

  void event(char name, std::uint64_t time, std::uint64_t key = 1) {
    const EventClass& of = *classes_[name == 'A' ? 0 : 1];
    ASSERT_TRUE(pairing_->add(trace_.event(of, time, {unsigned_slot(key)})));
  }
  void event_of(const DataStream& stream, char name, std::uint64_t time, std::uint64_t key = 1) {
    Event event = trace_.event(*classes_[name == 'A' ? 0 : 1], time, {unsigned_slot(key)});
    event.stream = &stream;
    ASSERT_TRUE(pairing_->add(event));
  }
  void see(const Record& record) { ASSERT_TRUE(pairing_->see(record)); }
  void lose(std::optional<std::uint64_t> begin, std::optional<std::uint64_t> end,
            const DataStream* stream = nullptr) {
    Loss loss{.stream = stream};
    if (begin) loss.begin = Nanoseconds::from_unsigned(*begin);
    if (end) loss.end = Nanoseconds::from_unsigned(*end);
    ASSERT_TRUE(pairing_->add(loss));
  }
  const PairCounts& finish() {
    EXPECT_TRUE(pairing_->close() && pairing_->finish());
    return pairing_->counts();
  }

  SampleTrace trace_;
  std::vector<const EventClass*> classes_;
  FieldWatch fields_;
  Rows rows_;
  std::optional<Pairing> pairing_;
};

TEST_F(Pairs, AreOfEqualKeys) {
  start({});
  event('A', 10, 1);
  event('A', 11, 2);
  event('B', 15, 2);
  event('B', 16, 3);
  event('B', 20, 1);
  event('A', 21, 1);
  const PairCounts& counts = finish();
  EXPECT_EQ(rows_, (Rows{"11 15 4 2", "10 20 10 1"}));
  EXPECT_EQ(counts.without_begin, 1U);
  EXPECT_EQ(counts.without_end, 1U);
}

TEST_F(Pairs, BeginAgainUnlessTheyAreNested) {
  for (const bool nested : {false, true}) {
    rows_.clear();
    start({.nested = nested});
    for (const std::uint64_t time : {1U, 2U, 3U}) event('A', time);
    for (const std::uint64_t time : {10U, 20U}) event('B', time);
    const PairCounts& counts = finish();
    EXPECT_EQ(rows_, nested ? (Rows{"3 10 7 1", "2 20 18 1"}) : Rows{"3 10 7 1"});
    EXPECT_EQ(counts.replaced, nested ? 0U : 2U);
    EXPECT_EQ(counts.without_end, nested ? 1U : 0U);
    EXPECT_EQ(counts.without_begin, nested ? 0U : 1U);
  }
}

TEST_F(Pairs, OfManyThatAreNestedEndWithoutRecursion) {
  start({.nested = true});
  for (std::uint64_t time = 0; time < 1'000'000; ++time) event('A', time);
  EXPECT_EQ(finish().without_end, 1'000'000U);
}

TEST_F(Pairs, OneEventEndsOneAndBeginsTheNext) {
  start({}, "name == \"A\"", "name == \"A\"");
  for (const std::uint64_t time : {1U, 4U, 9U}) event('A', time);
  const PairCounts& counts = finish();
  EXPECT_EQ(rows_, (Rows{"1 4 3 1", "4 9 5 1"}));
  EXPECT_EQ(counts.without_begin, 1U);
  EXPECT_EQ(counts.without_end, 1U);
}

TEST_F(Pairs, LongerThanAllowedAreCounted) {
  start({.within = Integer::from_signed(5)});
  event('A', 1);
  event('B', 6);
  event('A', 10);
  event('B', 16);
  EXPECT_EQ(finish().too_long, 1U);
  EXPECT_EQ(rows_, Rows{"1 6 5 1"});
}

TEST_F(Pairs, DoNotLieAcrossAStepBackOfTheClock) {
  const DataStream stream;
  const DataStream other;
  for (const bool deferred : {false, true}) {
    rows_.clear();
    start(
        {.least_step = Nanoseconds(), .memory = deferred ? std::size_t{0} : std::size_t{1} << 20U});
    event_of(other, 'A', 100, 3);
    event_of(stream, 'A', 200, 1);
    event_of(stream, 'B', 210, 1);
    event_of(stream, 'A', 220, 1);
    event_of(other, 'B', 220, 3);
    event_of(stream, 'A', 215, 2);
    event_of(stream, 'B', 230, 1);
    event_of(stream, 'B', 240, 2);
    event_of(stream, 'A', 250, 4);
    event_of(other, 'B', 260, 4);
    const PairCounts& counts = finish();
    EXPECT_EQ(rows_, (Rows{"200 210 10 1", "100 220 120 3", "215 240 25 2"}));
    EXPECT_EQ(counts.across_step, 2U);
    EXPECT_EQ(counts.pairs, 3U);
  }
}

TEST_F(Pairs, AreVoidWhenBytesMeanwhileCouldNotBeRead) {
  for (const bool deferred : {false, true}) {
    rows_.clear();
    start({.memory = deferred ? std::size_t{0} : std::size_t{1} << 20U});
    const Notice problem{.input = trace_.description.input(), .finding = {}, .trace = {}};
    event('A', 1, 1);
    event('A', 2, 2);
    event('B', 3, 1);
    ASSERT_TRUE(pairing_->see(Record(RecordKind::kProblem, &problem)));
    event('B', 4, 2);
    event('A', 5, 3);
    event('B', 6, 3);
    const PairCounts& counts = finish();
    EXPECT_EQ(rows_, (Rows{"1 3 2 1", "5 6 1 3"}));
    EXPECT_EQ(counts.void_by_loss, 1U);
  }
}

TEST_F(Pairs, AreVoidBehindDamageUntilAllPartsHaveEnded) {
  trace_.stream_class.streams_are_parts = true;
  const DataStream part = trace_.stream;
  const Notice problem{.input = trace_.description.input(), .finding = {}, .trace = {}};
  for (const bool before_all : {false, true}) {
    for (const bool deferred : {false, true}) {
      rows_.clear();
      start({.memory = deferred ? std::size_t{0} : std::size_t{1} << 20U});
      if (before_all) see(Record(RecordKind::kProblem, &problem));
      see(Record(RecordKind::kStreamBegin, &part));
      event('A', 1, 1);
      if (!before_all) see(Record(RecordKind::kProblem, &problem));
      event('B', 4, 1);
      event('A', 5, 2);
      event('B', 6, 2);
      event('A', 7, 3);
      see(Record(RecordKind::kStreamEnd, &part));
      event('B', 8, 3);
      event('A', 9, 4);
      event('B', 10, 4);
      const PairCounts& counts = finish();
      EXPECT_EQ(rows_, Rows{"9 10 1 4"});
      EXPECT_EQ(counts.void_by_loss, 3U);
    }
  }
}

TEST_F(Pairs, AreVoidBehindDamageUntilAFileWasBegun) {
  trace_.stream_class.streams_are_parts = true;
  const DataStream part = trace_.stream;
  DataStream next = trace_.stream;
  next.damage_end = 20;
  const Notice problem{.input = trace_.description.input(), .finding = {}, .trace = {}};
  start({});
  ASSERT_TRUE(pairing_->see(Record(RecordKind::kStreamBegin, &part)));
  ASSERT_TRUE(pairing_->see(Record(RecordKind::kProblem, &problem)));
  ASSERT_TRUE(pairing_->see(Record(RecordKind::kStreamBegin, &next)));
  event('A', 18, 1);
  event('B', 19, 1);
  event('A', 20, 2);
  event('B', 21, 2);
  EXPECT_EQ(finish().void_by_loss, 1U);
  EXPECT_EQ(rows_, Rows{"20 21 1 2"});
}

TEST_F(Pairs, AreVoidWhenEventsWereLostMeanwhile) {
  start({});
  event('A', 10, 1);
  event('A', 30, 2);
  lose(20, 25);
  event('B', 40, 1);
  event('B', 41, 2);
  // Before it was lost all had ended.
  event('A', 50, 1);
  lose(60, 70);
  event('B', 55, 1);
  event('A', 65, 1);
  event('B', 80, 1);
  EXPECT_EQ(finish().void_by_loss, 2U);
  EXPECT_EQ(rows_, (Rows{"30 41 11 2", "50 55 5 1"}));
}

TEST_F(Pairs, LossesWithoutTimesConcernWhatWaits) {
  start({});
  event('A', 10, 1);
  lose({}, {});
  event('A', 20, 2);
  event('B', 30, 1);
  event('B', 31, 2);
  event('A', 40, 1);
  EXPECT_EQ(finish().void_by_loss, 1U);
  EXPECT_EQ(rows_, Rows{"20 31 11 2"});
}

TEST_F(Pairs, LossesOfStreamsWithOtherKeysDoNotCount) {
  const auto void_by = [&](const ScopeKeys& scope, std::vector<StreamKey> keys) {
    const DataStream stream{.entity = trace_.description.next_stream(),
                            .stream_class = &trace_.stream_class,
                            .keys = std::move(keys),
                            .file = {}};
    start({.scope = scope});
    event('A', 10);
    lose(12, 14, &stream);
    event('B', 20);
    return finish().void_by_loss;
  };
  for (const std::uint64_t segment : {0U, 1U}) {
    EXPECT_EQ(void_by({}, {{"segment", segment}}), 1U);
    EXPECT_EQ(void_by({.stream = {{1, "segment"}}}, {{"segment", segment}}), 1U - segment);
  }
  // What does not say whose it is may be of any.
  EXPECT_EQ(void_by({.stream = {{1, "segment"}}}, {{"id", 1}}), 1U);
  EXPECT_EQ(void_by({.stream = {{1, "segment"}}}, {}), 1U);
}

TEST_F(Pairs, LossesAndDamageOfOtherTracesDoNotCountWhereTheTraceIsAKey) {
  SampleTrace other("other.bin");
  for (const bool of_other : {false, true}) {
    for (const bool by_trace : {false, true}) {
      for (const bool in_parts : {false, true}) {
        for (const bool deferred : {false, true}) {
          trace_.stream_class.streams_are_parts = in_parts;
          other.stream_class.streams_are_parts = in_parts;
          SampleTrace& damaged = of_other ? other : trace_;
          const Notice problem{.input = damaged.description.input(), .finding = {}, .trace = {}};
          ScopeKeys scope;
          if (by_trace) scope.trace = 1;
          start({.scope = scope, .memory = deferred ? std::size_t{0} : std::size_t{1} << 20U});
          see(Record(RecordKind::kStreamBegin, &trace_.stream));
          see(Record(RecordKind::kStreamBegin, &other.stream));
          event('A', 10);
          lose(12, 14, &damaged.stream);
          event('B', 20);
          event('A', 30);
          see(Record(RecordKind::kProblem, &problem));
          event('B', 40);
          event('A', 50);
          event('B', 60);
          const std::uint64_t any = in_parts ? 3 : 2;
          EXPECT_EQ(finish().void_by_loss, of_other && by_trace ? 0U : any);
        }
      }
    }
  }
}

TEST_F(Pairs, DamageOfATraceThatIsNotKnownMayBeOfAny) {
  const Notice problem{.input = "unknown.bin", .finding = {}, .trace = {}};
  start({.scope = {.trace = 1}});
  event('A', 1);
  see(Record(RecordKind::kProblem, &problem));
  event('B', 2);
  EXPECT_EQ(finish().void_by_loss, 1U);
}

TEST(PairScopes, AreOneBeyondTheMost) {
  PairScopes scopes({.stream = {{0, "id"}}});
  const auto of = [&](std::uint64_t id) { return scopes.of(std::vector<Value>{Value::of(id)}); };
  const PairScope first = of(0);
  for (std::uint64_t id = 1; id < 5000; ++id) EXPECT_NE(of(id), first);
  EXPECT_EQ(of(10'000), of(20'000));
  EXPECT_EQ(of(0), first);
}

TEST_F(Pairs, WhatEndedLeavesItsRoom) {
  start({.memory = 10'000});
  for (std::uint64_t round = 0; round < 100; ++round) {
    for (std::uint64_t key = 0; key < 20; ++key) event('A', round * 100 + key, key);
    for (std::uint64_t key = 0; key < 20; ++key) event('B', round * 100 + 50, key);
  }
  EXPECT_EQ(finish().without_end, 0U);
  EXPECT_EQ(rows_.size(), 2000U);
}

TEST_F(Pairs, AreNotBegunWhereNestedOnesOfOneKeyHaveNoRoom) {
  for (const bool one_key : {false, true}) {
    start({.nested = true, .memory = 1000});
    for (std::uint64_t key = 0; key < 10'000; ++key) event('A', key, one_key ? 0 : key);
    const PairCounts& counts = finish();
    EXPECT_EQ(counts.not_held > 5000, one_key);
    EXPECT_EQ(counts.not_held + counts.without_end, 10'000U);
  }
}

// Events and losses at random: the same comes of them whether some are written down or none.
TEST_F(Pairs, AreTheSameWhereMemoryDoesNotHoldThem) {
  const DataStream other{.entity = trace_.description.next_stream(),
                         .stream_class = &trace_.stream_class,
                         .keys = {{"segment", 1}},
                         .file = {}};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rows want;
    PairCounts want_counts;
    for (const std::size_t memory : {std::size_t{1} << 24, std::size_t{3000}, std::size_t{0}}) {
      rows_.clear();
      std::mt19937_64 random(seed);
      start({.nested = seed % 2 == 1,
             .within = seed % 3 == 0 ? std::optional(Integer::from_signed(4000)) : std::nullopt,
             .scope = seed % 5 < 2 ? ScopeKeys{.stream = {{1, "segment"}}} : ScopeKeys(),
             .memory = memory},
            "name == \"A\"", seed % 7 == 0 ? "name ~ \"*\"" : "name == \"B\"");
      for (std::uint64_t time = 0; time < 4000; ++time) {
        const std::uint64_t key = random() % 300 * (random() % 50 == 0 ? 1'000'003 : 1);
        event(random() % 100 < 53 ? 'A' : 'B', time * 3, key);
        if (random() % 500 != 0) continue;
        const auto begin = random() % 2 == 0 ? std::optional(time * 3 - time % 20) : std::nullopt;
        const auto end = random() % 3 != 0 ? std::optional(time * 3 + 5) : std::nullopt;
        lose(end ? begin : std::nullopt, end, random() % 2 == 0 ? &other : nullptr);
      }
      const PairCounts counts = finish();
      if (memory > 3000) {
        want = rows_;
        want_counts = counts;
      }
      EXPECT_EQ(rows_, want) << seed;
      EXPECT_EQ(counts, want_counts) << seed;
    }
    EXPECT_GT(want.size(), 10U);
  }
}

}  // namespace
}  // namespace tracedeck::query

#include "tracedeck/query/aggregate.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace tracedeck::query {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<AggregateKind> kinds() {
  std::vector<AggregateKind> kinds;
  for (const AggregateInfo& info : aggregate_table()) kinds.push_back(info.kind);
  return kinds;
}

std::vector<Value> values() {
  std::vector<Value> values = {Value{}};
  for (int i = -40; i < 400; ++i) values.push_back(Value::of(Integer::from_signed(i * i * i)));
  values.push_back(Value::of(true));
  values.push_back(Value::of(~std::uint64_t{0}));
  values.push_back(Value::of(Integer::of(~Uint128{0} / 1000, true)));
  values.push_back(Value{});
  return values;
}

AggregateState state_of(AggregateKind kind, std::span<const Value> values) {
  AggregateState state(kind);
  for (const Value& value : values) state.add(value);
  return state;
}

std::string bytes_of(const Cell& cell) {
  std::string bytes;
  encode(bytes, cell);
  for (const Histogram::Bucket& each : cell.buckets)
    bytes += std::to_string(each.lower) + " " + std::to_string(each.count) + ";";
  return bytes;
}

Cell result_of(AggregateKind kind, const std::vector<Value>& values) {
  return state_of(kind, values).result(0.5, 2);
}

TEST(Aggregates, OfPartsAreThoseOfAll) {
  const std::vector<Value> all = values();
  for (const AggregateKind kind : kinds()) {
    const std::string whole = bytes_of(state_of(kind, all).result(0.5, 2));
    for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{33}, all.size()}) {
      AggregateState state = state_of(kind, std::span(all).first(cut));
      state.merge(state_of(kind, std::span(all).subspan(cut)));
      EXPECT_EQ(bytes_of(state.result(0.5, 2)), whole) << static_cast<int>(kind) << " " << cut;
    }
  }
}

TEST(Aggregates, ComeBackFromAllOfTheirBytesAlone) {
  for (const AggregateKind kind : kinds()) {
    const AggregateState state = state_of(kind, values());
    std::string text;
    state.encode(text);
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()),
                                              text.size());
    auto left = bytes;
    const auto back = AggregateState::decode(kind, left);
    ASSERT_TRUE(back) << static_cast<int>(kind);
    EXPECT_TRUE(left.empty());
    EXPECT_EQ(bytes_of(back->result(0.5, 2)), bytes_of(state.result(0.5, 2)));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      left = bytes.first(size);
      EXPECT_FALSE(AggregateState::decode(kind, left)) << static_cast<int>(kind) << " " << size;
    }
  }
}

TEST(Aggregates, SumsAreExact) {
  const Value most = Value::of(~std::uint64_t{0});
  EXPECT_EQ(result_of(AggregateKind::kSum, {most, most}).integer,
            Integer::of(Uint128{~std::uint64_t{0}} * 2, false));
  EXPECT_EQ(
      result_of(AggregateKind::kSum, {Value::of(1e100), Value::of(1.0), Value::of(-1e100)}).real,
      1);
  EXPECT_EQ(result_of(AggregateKind::kSum, {Value::of(true), Value::of(true)}).integer,
            Integer::from(std::uint64_t{2}));
  EXPECT_EQ(result_of(AggregateKind::kSum, {Value{}, Value::of(std::string_view("5"))}).kind,
            Cell::Kind::kUnknown);
}

TEST(Aggregates, ExtremesDoNotDependOnTheOrder) {
  const std::vector<Value> all = {Value::of(kNan), Value::of(2.5), Value::of(std::string_view("a")),
                                  Value::of(std::uint64_t{2})};
  for (std::size_t shift = 0; shift < all.size(); ++shift) {
    std::vector<Value> turned(all.begin() + static_cast<std::ptrdiff_t>(shift), all.end());
    turned.insert(turned.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shift));
    EXPECT_EQ(result_of(AggregateKind::kMinimum, turned).integer, Integer::from(std::uint64_t{2}));
    EXPECT_EQ(result_of(AggregateKind::kMaximum, turned).text, "a");
  }
  EXPECT_NE(result_of(AggregateKind::kMaximum, {Value::of(kNan)}).kind, Cell::Kind::kUnknown);
}

TEST(Aggregates, WhatIsNoNumberIsNotInHistograms) {
  const std::vector<Value> none = {Value::of(kNan), Value::of(std::string_view("a")), Value{}};
  EXPECT_EQ(result_of(AggregateKind::kQuantile, none).kind, Cell::Kind::kUnknown);
  EXPECT_TRUE(result_of(AggregateKind::kHistogram, none).buckets.empty());
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(result_of(AggregateKind::kQuantile, {Value::of(infinity)}).real, infinity);
  EXPECT_EQ(result_of(AggregateKind::kHistogram, {Value::of(-infinity)}).buckets.size(), 1U);
}

// A name that the trace gives a number after events had it.
TEST(Aggregates, ANumberIsOneValueWithAndWithoutItsName) {
  const std::vector<std::string> labels = {"sensor"};
  Value named = Value::of(std::uint64_t{2});
  named.names = &labels;
  EXPECT_EQ(result_of(AggregateKind::kDistinct, {named, Value::of(std::uint64_t{2})}).integer,
            Integer::from(std::uint64_t{1}));
}

TEST(Aggregates, HaveWords) {
  double part = 0;
  ASSERT_NE(find_aggregate("p99.9", part), nullptr);
  EXPECT_DOUBLE_EQ(part, 0.999);
  for (const char* word : {"p0", "p100", "p07", "max"})
    EXPECT_NE(find_aggregate(word, part), nullptr) << word;
  for (const char* word : {"p", "p-1", "p100.1", "p1e1", "pnan", "p5x", "", "Max", "p 5"})
    EXPECT_EQ(find_aggregate(word, part), nullptr) << word;
}

}  // namespace
}  // namespace tracedeck::query

#include "tracedeck/timeline/span_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/timeline/latency.hpp"
#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {
namespace {

// Keeps what it is given, as texts.
class Kept final : public query::RowSink {
 public:
  explicit Kept(std::vector<std::string>& rows) : rows_(rows) {}
  Result<void> add(std::span<const query::Value> row) override {
    std::string text;
    for (const query::Value& value : row) {
      if (!text.empty()) text += ' ';
      text += value.kind == query::Value::Kind::kText ? std::string(value.text)
              : value.kind == query::Value::Kind::kInteger
                  ? std::to_string(value.integer.to_signed().value_or(-1))
                  : "-";
    }
    rows_.push_back(text);
    return {};
  }
  Result<void> finish() override { return {}; }

 private:
  std::vector<std::string>& rows_;
};

TEST(SpanRows, HaveTheColumnsOfLatency) {
  const std::vector<query::Column>& of_latency = slice_columns();
  ASSERT_LE(of_latency.size(), query::span_columns().size());
  for (std::size_t i = 0; i < of_latency.size(); ++i) {
    EXPECT_EQ(of_latency[i].name, query::span_columns()[i].name);
    EXPECT_EQ(of_latency[i].unit, query::span_columns()[i].unit);
  }
  EXPECT_EQ(query::span_columns().size(), query::kSpanColumns);
}

// 300 slices on one track, of which each begins and ends a little later than the one before: there
// are 256 lanes, and the last 44 are on none.
TEST(SpanRows, AreAllThatLatencyMeasures) {
  Timeline timeline;
  Marking marking(timeline);
  const TrackId track = marking.add_track({.kind = TrackKind::kLanes, .name = "requests"});
  const NameId name = marking.add_name("", "request");
  std::uint64_t number = 0;
  const auto at = [&](std::int64_t time) { return Moment{.time = time, .number = ++number}; };
  std::vector<OpenId> open;
  for (std::int64_t i = 0; i < 300; ++i)
    open.push_back(marking.begin(track, name, at(i), nullptr, 0));
  for (std::int64_t i = 0; i < 299; ++i)
    marking.end(open[static_cast<std::size_t>(i)], at(1000 + 2 * i), nullptr);
  marking.wait(track, marking.add_name("", "wait"), at(2000), 1990, nullptr, 0);
  marking.finish(3000);
  timeline.mutable_counts().events = number;

  auto latency = Latency::make({}).value();
  ASSERT_TRUE(latency->take(timeline, marking.marks()));
  auto query = query::Query::parse("spans | select label, duration, missing").value();
  std::vector<std::string> kept;
  query->answer_to(std::make_unique<Kept>(kept));
  SpanRows rows(*query);
  ASSERT_TRUE(rows.take(timeline, marking.marks()));
  ASSERT_TRUE(rows.finish(timeline));
  EXPECT_EQ(timeline.counts().without_lane, 44U);
  ASSERT_EQ(kept.size(), 300U);
  EXPECT_EQ(kept.front(), "request 1000 -");
  EXPECT_EQ(kept.back(), "wait 10 -");
  std::uint64_t measured = 0;
  for (const LatencyRow& row : latency->rows()) measured += row.count();
  EXPECT_EQ(measured, kept.size());
  EXPECT_EQ(query->counts().spans->whole, 300U);
  EXPECT_EQ(query->counts().spans->open, 1U);
  EXPECT_THAT(rows.notices(),
              testing::ElementsAre("no span has `missing`",
                                   testing::HasSubstr("of 44 slices are not known")));
}

}  // namespace
}  // namespace tracedeck::timeline

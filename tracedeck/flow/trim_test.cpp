#include "tracedeck/flow/trim.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tracedeck/flow/limit.hpp"
#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::flow {
namespace {

using What = PlannedRecord::What;

std::vector<std::uint64_t> serials(const std::vector<SeenRecord>& records) {
  std::vector<std::uint64_t> result;
  for (const SeenRecord& record : records) result.push_back(record.serial);
  return result;
}

Result<std::vector<SeenRecord>> trimmed(const std::vector<BatchPtr>& batches,
                                        const TrimRange& range, TrimOptions options = {}) {
  return see_all(*trim(std::make_unique<FakeSource>(batches), range, std::move(options)));
}

TEST(Trim, KeepsWhatLiesBetweenBeginAndEndBothIncluded) {
  const MadeUpTrace trace;
  const auto batches =
      trace.batches({{.time = 9}, {.time = 10}, {.time = 15}, {.time = 20}, {.time = 21}}, 2);
  EXPECT_EQ(serials(*trimmed(batches, {.begin = 10, .end = 20})),
            (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(serials(*trimmed(batches, {.begin = 10})), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(serials(*trimmed(batches, {.end = 20})), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(serials(*trimmed(batches, {.end = -1})), (std::vector<std::uint64_t>{}));
}

TEST(Trim, GoesByTheBeginOfEventsThatHaveAnEnd) {
  const MadeUpTrace trace;
  const auto batches = trace.batches({{.what = What::kDuration, .time = 9, .duration = 5},
                                      {.what = What::kDuration, .time = 10, .duration = 5}},
                                     2);
  EXPECT_EQ(serials(*trimmed(batches, {.begin = 10, .end = 12})), (std::vector<std::uint64_t>{1}));
}

TEST(Trim, TimelessEventsGoWithTheTimedOneBeforeInTheirStream) {
  const MadeUpTrace trace;
  const auto batches = trace.batches(
      {
          {.what = What::kTimeless, .stream = 0},  // 0: before everything
          {.time = 10, .stream = 0},               // 1
          {.time = 99, .stream = 1},               // 2
          {.what = What::kTimeless, .stream = 0},  // 3: with 1
          {.what = What::kTimeless, .stream = 1},  // 4: with 2
          {.what = What::kTimeless, .stream = 2},  // 5: before everything
      },
      4);
  EXPECT_EQ(serials(*trimmed(batches, {.begin = 5, .end = 20})),
            (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(serials(*trimmed(batches, {.begin = 20})), (std::vector<std::uint64_t>{2, 4}));
  EXPECT_EQ(serials(*trimmed(batches, {.end = 20})), (std::vector<std::uint64_t>{0, 1, 3, 5}));
}

TEST(Trim, EventsThatDescribeOthersPassWhereTheResultStandsAlone) {
  const MadeUpTrace trace;
  const auto batches = trace.batches({{.what = What::kDescribing, .time = 1},
                                      {.time = 2},
                                      {.time = 10},
                                      {.what = What::kDescribing, .time = 30}},
                                     4);
  const TrimRange range{.begin = 5, .end = 20};
  EXPECT_EQ(serials(*trimmed(batches, range, {.keeps_describing = true})),
            (std::vector<std::uint64_t>{0, 2, 3}));
  EXPECT_EQ(serials(*trimmed(batches, range)), (std::vector<std::uint64_t>{2}));
}

TEST(Trim, AStreamThatEndedIsForgotten) {
  const MadeUpTrace trace;
  const auto batches =
      trace.batches({{.time = 10}, {.what = What::kStreamEnd}, {.what = What::kTimeless}}, 4);
  const auto seen = trimmed(batches, {.begin = 5});
  ASSERT_EQ(seen->size(), 2U);
  EXPECT_EQ((*seen)[1].kind, RecordKind::kStreamEnd);
}

TEST(Trim, LossesThatLieOutsideAreLeftOut) {
  const auto left = [](const Loss& loss, const TrimRange& range) {
    const auto batch = std::make_shared<Batch>(std::size_t{0});
    batch->add_loss(loss);
    return see_all(*trim(std::make_unique<FakeSource>(std::vector<BatchPtr>{batch}), range))
        ->size();
  };
  const Loss loss{.events = 1, .begin = 10, .end = 20};
  EXPECT_EQ(left(loss, {.begin = 20, .end = 30}), 1U);
  EXPECT_EQ(left(loss, {.begin = 0, .end = 10}), 1U);
  EXPECT_EQ(left(loss, {.begin = 21}), 0U);
  EXPECT_EQ(left(loss, {.end = 9}), 0U);
  EXPECT_EQ(left({.events = 1}, {.begin = 21}), 1U);
}

TEST(Trim, WithoutRangeIsTheSourceItself) {
  auto source = std::make_unique<FakeSource>(std::vector<BatchPtr>{});
  const RecordSource* const before = source.get();
  EXPECT_EQ(trim(std::move(source), {}).get(), before);
}

RC_GTEST_PROP(Trim, IsThatOfANaiveTrim, ()) {
  const auto plan = *gen_plan(30);
  const auto begin = *rc::gen::inRange<std::int64_t>(-5, 30);
  const auto end = *rc::gen::inRange<std::int64_t>(begin, 30);
  const MadeUpTrace trace;
  const auto batches = trace.batches(plan, *rc::gen::inRange<std::size_t>(1, 8));

  std::vector<SeenRecord> expected;
  std::map<const DataStream*, bool> inside;
  for (const BatchPtr& batch : batches) {
    for (const Record& record : batch->records()) {
      if (record.kind == RecordKind::kStreamEnd) inside.erase(record.stream);
      if (record.kind == RecordKind::kEvent) {
        const Event& event = record.event;
        if (event.has_time()) {
          inside[event.stream] =
              event.began_at() >= Nanoseconds(begin) && event.began_at() <= Nanoseconds(end);
        }
        if (!inside[event.stream]) continue;
      }
      expected.push_back(see(record));
    }
  }
  const auto seen = trimmed(batches, {.begin = begin, .end = end});
  RC_ASSERT(seen.has_value());
  RC_ASSERT(*seen == expected);
}

RC_GTEST_PROP(Limit, EndsAfterTheLastEvent, ()) {
  const auto plan = *gen_plan(30);
  const auto events = *rc::gen::inRange<std::uint64_t>(0, 20);
  const MadeUpTrace trace;
  const auto batches = trace.batches(plan, *rc::gen::inRange<std::size_t>(1, 8));
  std::vector<SeenRecord> expected;
  std::uint64_t left = events;
  for (const BatchPtr& batch : batches) {
    for (const Record& record : batch->records()) {
      if (left == 0) break;
      expected.push_back(see(record));
      if (record.kind == RecordKind::kEvent) --left;
    }
  }
  const auto seen = see_all(*limit(std::make_unique<FakeSource>(batches), events));
  RC_ASSERT(seen.has_value());
  RC_ASSERT(*seen == expected);
}

TEST(Limit, ReadsOnForEventsThatDescribeOthers) {
  const MadeUpTrace trace;
  const auto batches =
      trace.batches({{.what = What::kStreamBegin, .stream = 0},
                     {.what = What::kDescribing, .stream = 0},  // 1
                     {.stream = 0},                             // 2
                     {.stream = 0},
                     {.what = What::kDescribing, .stream = 0},  // 4
                     {.what = What::kStreamEnd, .stream = 0},   // 5
                     {.what = What::kStreamBegin, .stream = 1},
                     {.what = What::kStreamEnd, .stream = 1},
                     {.what = What::kStreamBegin, .stream = 2},
                     {.what = What::kDescribing, .stream = 2},  // 9, behind a begin of its stream
                     {.stream = 2},
                     {.what = What::kStreamEnd, .stream = 2}},
                    3);
  const auto limited = limit(std::make_unique<FakeSource>(batches), 1,
                             {.counts_describing = false, .reads_on = true});
  const auto seen = see_all(*limited);
  std::vector<RecordKind> kinds;
  for (const SeenRecord& record : *seen) kinds.push_back(record.kind);
  using enum RecordKind;
  EXPECT_EQ(kinds, (std::vector<RecordKind>{kStreamBegin, kEvent, kEvent, kEvent, kStreamEnd,
                                            kStreamBegin, kEvent, kStreamEnd}));
}

TEST(Limit, DoesNotReadOn) {
  const MadeUpTrace trace;
  const auto limited =
      limit(std::make_unique<FakeSource>(trace.batches({{}, {}}, 2),
                                         Error{.code = ErrorCode::kReadFailed, .message = "Gone."}),
            2);
  EXPECT_TRUE(limited->next().has_value());
  const Result<BatchPtr> end = limited->next();
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(*end, nullptr);
}

}  // namespace
}  // namespace tracedeck::flow

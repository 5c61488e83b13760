#include "tracedeck/flow/tail.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::flow {
namespace {

constexpr std::size_t kMemory = std::size_t{8} << 20;

// All records but the events that are none of the last.
std::vector<SeenRecord> expected(const std::vector<BatchPtr>& batches, std::uint64_t events) {
  std::vector<SeenRecord> all = *see_all(*std::make_unique<FakeSource>(batches));
  const auto is_event = [](const SeenRecord& each) { return each.kind == RecordKind::kEvent; };
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(all, is_event));
  std::uint64_t left_out = count - std::min(count, events);
  std::vector<SeenRecord> last;
  for (SeenRecord& each : all) {
    if (is_event(each) && left_out != 0) {
      --left_out;
    } else {
      last.push_back(std::move(each));
    }
  }
  return last;
}

RC_GTEST_PROP(Tail, IsTheLastEventsAndEverythingElse, ()) {
  const MadeUpTrace trace;
  const auto batches = trace.batches(*gen_plan(100), *rc::gen::inRange<std::size_t>(1, 9));
  const auto events = *rc::gen::inRange<std::uint64_t>(0, 40);
  RC_ASSERT(*see_all(*tail(std::make_unique<FakeSource>(batches), events, kMemory)) ==
            expected(batches, events));
}

TEST(Tail, PacksWhatIsSpreadOverManyBatches) {
  const MadeUpTrace trace;
  const auto plan = plan_nearly_sorted(20'000, 50, 7);
  const auto batches = trace.batches(plan, 3);
  constexpr std::uint64_t kEvents[] = {1, 150, 191, 192, 193, 5000, 19999, 20000, 30000};
  for (const std::uint64_t events : kEvents) {
    EXPECT_EQ(*see_all(*tail(std::make_unique<FakeSource>(batches), events, kMemory)),
              expected(batches, events))
        << events;
  }
}

TEST(Tail, RefusesWhatDoesNotFit) {
  const MadeUpTrace trace;
  const auto batches = trace.batches(plan_nearly_sorted(200'000, 0, 7), 1'000);
  const auto seen =
      see_all(*tail(std::make_unique<FakeSource>(batches), 150'000, std::size_t{2} << 20));
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, ErrorCode::kLimitExceeded);
  EXPECT_NE(seen.error().message.find("150000 events"), std::string::npos);
  EXPECT_TRUE(see_all(*tail(std::make_unique<FakeSource>(batches), 10'000, std::size_t{2} << 20)));
}

TEST(Tail, AnErrorComesBehindWhatPrecededIt) {
  const MadeUpTrace trace;
  const Error error{.code = ErrorCode::kReadFailed, .message = "gone"};
  const auto source =
      tail(std::make_unique<FakeSource>(trace.batches({{}, {}, {}}, 2), error), 2, kMemory);
  std::size_t records = 0;
  for (;;) {
    const auto batch = source->next();
    if (!batch) {
      EXPECT_EQ(batch.error().message, "gone");
      break;
    }
    ASSERT_NE(*batch, nullptr);
    records += (*batch)->records().size();
  }
  EXPECT_EQ(records, 2);
}

}  // namespace
}  // namespace tracedeck::flow

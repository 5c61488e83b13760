#include "tracedeck/flow/sort.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <map>

#include "tracedeck/flow/select.hpp"
#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::flow {
namespace {

using Plan = std::vector<PlannedRecord>;
using What = PlannedRecord::What;
using Batches = std::vector<BatchPtr>;

constexpr const char* kNoDirectory = "/nonexistent/directory";

// Of what belongs to a data stream but is no event.
const DataStream* stream_of(const Record& record) {
  if (record.kind == RecordKind::kStreamBegin || record.kind == RecordKind::kStreamEnd)
    return record.stream;
  if (record.kind == RecordKind::kPacketBegin) return record.packet->stream;
  return record.kind == RecordKind::kLoss ? record.loss->stream : nullptr;
}

// What sorting should give: every record with the time that it goes by, sorted by that and stably.
std::vector<SeenRecord> naive_sort(const std::vector<Batches>& inputs) {
  struct Placed {
    std::optional<Nanoseconds> time;  // nothing: before everything
    SeenRecord record;
  };
  std::vector<Placed> placed;
  for (const Batches& batches : inputs) {
    std::map<const DataStream*, std::optional<Nanoseconds>> in_stream;
    std::optional<Nanoseconds> current;
    std::optional<Nanoseconds> highest;
    for (const BatchPtr& batch : batches) {
      for (const Record& record : batch->records()) {
        const DataStream* const stream = stream_of(record);
        if (stream != nullptr && !stream->file.empty()) current = in_stream[stream];
        if (record.kind == RecordKind::kStreamEnd) in_stream.erase(record.stream);
        if (record.kind == RecordKind::kEvent) {
          std::optional<Nanoseconds>& time = in_stream[record.event.stream];
          if (record.event.has_time()) time = record.event.began_at();
          current = time;
          if (time && (!highest || *highest < *time)) highest = time;
        }
        const bool is_last = record.kind == RecordKind::kStreamEnd && stream->file.empty();
        placed.push_back({is_last ? highest : current, see(record)});
      }
    }
  }
  sort_stably(placed, [](const Placed& a, const Placed& b) {
    return a.time && b.time ? *a.time < *b.time : !a.time && b.time;
  });
  std::vector<SeenRecord> sorted;
  for (Placed& record : placed) sorted.push_back(std::move(record.record));
  return sorted;
}

std::vector<std::unique_ptr<RecordSource>> one_source(std::unique_ptr<RecordSource> source) {
  std::vector<std::unique_ptr<RecordSource>> sources;
  sources.push_back(std::move(source));
  return sources;
}

// An input of `batches`, of which `bare` are the same without values. Counts how often it is
// opened.
SortInput input_of(const Batches& batches, const Batches& bare, int* opened = nullptr) {
  return {.open = [=](bool values) -> Result<std::vector<std::unique_ptr<RecordSource>>> {
            if (opened != nullptr) ++*opened;
            return one_source(std::make_unique<FakeSource>(values ? batches : bare));
          },
          .reopens = true};
}

// Inputs made from plans, whose records are numbered from one input to the next.
struct MadeUpInputs {
  MadeUpInputs(const MadeUpTrace& trace, const std::vector<Plan>& plans, std::size_t batch_size) {
    std::uint64_t serial = 0;
    for (const Plan& plan : plans) {
      batches.push_back(trace.batches(plan, batch_size, serial));
      bare.push_back(trace.batches(plan, batch_size + 3, serial, false));
      serial += plan.size();
    }
  }
  [[nodiscard]] std::vector<SortInput> inputs(bool reopen = true, int* opened = nullptr) const {
    std::vector<SortInput> result;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      result.push_back(input_of(batches[i], bare[i], opened));
      result.back().reopens = reopen;
    }
    return result;
  }

  std::vector<Batches> batches;
  std::vector<Batches> bare;
};

// Events far from their place, at the begin, in the middle and at the end of a nearly sorted plan.
Plan with_strays(Plan plan) {
  plan[plan.size() / 2].time = 1;
  plan[plan.size() / 2 + 1].what = What::kFinding;
  plan[plan.size() / 2 + 2].what = What::kTimeless;
  for (std::size_t i = 1; i <= 50; ++i) plan[plan.size() - i] = {.time = 0};
  return plan;
}

RC_GTEST_PROP(Sort, IsThatOfTheNaiveSort, ()) {
  const auto times = *rc::gen::element<std::uint64_t>(2, 20, 1000);
  const auto plans = *rc::gen::container<std::vector<Plan>>(gen_plan(times));
  const MadeUpTrace trace;
  const MadeUpInputs made(trace, plans, *rc::gen::inRange<std::size_t>(1, 10));
  const auto memory = *rc::gen::element<std::size_t>(100, 1000, 20'000'000);
  const auto sorted = see_all(*sort(made.inputs(*rc::gen::arbitrary<bool>()), {.memory = memory}));
  RC_ASSERT(sorted.has_value());
  RC_ASSERT(*sorted == naive_sort(made.batches));
}

// Several inputs as the sources of one.
SortInput joined(std::vector<SortInput> inputs) {
  const bool reopens = inputs.front().reopens;
  return {.open = [inputs = std::move(inputs)](
                      bool values) -> Result<std::vector<std::unique_ptr<RecordSource>>> {
            std::vector<std::unique_ptr<RecordSource>> sources;
            for (const SortInput& input : inputs)
              std::ranges::move(*input.open(values), std::back_inserter(sources));
            return sources;
          },
          .reopens = reopens};
}

// Files and pipes, data streams in order and not, those sorted by chunks beside those sorted
// externally.
RC_GTEST_PROP(Sort, OfDataStreamsIsThatOfTheNaiveSort, ()) {
  const auto times = *rc::gen::element<std::uint64_t>(2, 20, 1000);
  auto plans = *rc::gen::nonEmpty(rc::gen::container<std::vector<Plan>>(gen_plan(times)));
  const auto steps_back = *rc::gen::container<std::vector<std::size_t>>(
      plans.size(), rc::gen::element<std::size_t>(0, 0, 1, 3, 1000));
  // In order but for the last few.
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Plan& plan = plans[i];
    const auto end = plan.size() - std::min(plan.size(), steps_back[i]);
    std::uint64_t time = 0;
    for (std::size_t j = 0; j < end; ++j) plan[j].time = time = std::max(time, plan[j].time);
  }
  const MadeUpTrace trace;
  const MadeUpInputs made(trace, plans, *rc::gen::inRange<std::size_t>(1, 10));
  std::vector<SortInput> inputs = made.inputs(*rc::gen::arbitrary<bool>());
  const auto middle = inputs.begin() + *rc::gen::inRange<std::ptrdiff_t>(
                                           0, static_cast<std::ptrdiff_t>(inputs.size()));
  std::vector<SortInput> grouped(inputs.begin(), middle);
  grouped.push_back(joined({middle, inputs.end()}));
  const auto memory = *rc::gen::element<std::size_t>(100, 1000, 1'000'000, 20'000'000);
  const auto sorted = see_all(*sort(std::move(grouped), {.memory = memory}));
  RC_ASSERT(sorted.has_value());
  RC_ASSERT(*sorted == naive_sort(made.batches));
}

// Lets every third event pass, and all that is no event.
class EveryThird final : public RecordFilter {
 public:
  static bool passes(const SeenRecord& record) {
    return record.kind != RecordKind::kEvent || record.serial % 3 == 0;
  }
  std::size_t select(std::span<const Record> records, std::span<const Record*> passing) override {
    std::size_t count = 0;
    for (const Record& record : records) {
      if (passes(see(record))) passing[count++] = &record;
    }
    return count;
  }
};

RC_GTEST_PROP(Sort, LossesStayWhereTheyAreAmongAllEvents, ()) {
  const auto plans = *rc::gen::container<std::vector<Plan>>(gen_plan(20));
  const MadeUpTrace trace;
  const MadeUpInputs made(trace, plans, *rc::gen::inRange<std::size_t>(1, 10));
  std::vector<SortInput> inputs;
  for (SortInput& input : made.inputs(*rc::gen::arbitrary<bool>())) {
    inputs.push_back({.open = [open = input.open](bool values)
                          -> Result<std::vector<std::unique_ptr<RecordSource>>> {
                        std::vector<std::unique_ptr<RecordSource>> sources = *open(values);
                        for (auto& source : sources)
                          source = select(std::move(source), std::make_unique<EveryThird>(), true);
                        return sources;
                      },
                      .reopens = input.reopens});
  }
  // Other records without a time go by what passed.
  const auto losses_and_times = [](const std::vector<SeenRecord>& records) {
    std::vector<SeenRecord> kept;
    for (const SeenRecord& record : records) {
      const bool has_time = record.kind == RecordKind::kEvent && record.time != 0;
      if (record.kind == RecordKind::kLoss || (has_time && EveryThird::passes(record)))
        kept.push_back(record);
    }
    return kept;
  };
  const auto sorted = see_all(*sort(std::move(inputs)));
  RC_ASSERT(sorted.has_value());
  RC_ASSERT(losses_and_times(*sorted) == losses_and_times(naive_sort(made.batches)));
}

TEST(Sort, AStreamWithAFileBeginsBeforeItsEvents) {
  // The files of a trace come one after the other, the second far from its place.
  Plan plan{{.what = What::kStreamBegin, .stream = 0}};
  for (std::uint64_t i = 0; i < 5000; ++i) plan.push_back({.time = 10 + i, .stream = 0});
  plan.push_back({.what = What::kStreamEnd, .stream = 0});
  plan.push_back({.what = What::kStreamBegin, .stream = 1});
  for (std::uint64_t i = 0; i < 50; ++i) plan.push_back({.time = 5 + i, .stream = 1});
  plan.push_back({.what = What::kStreamEnd, .stream = 1});
  const MadeUpTrace trace;
  const MadeUpInputs made(trace, {plan}, 700);
  for (const bool reopens : {false, true}) {
    const auto sorted = see_all(*sort(made.inputs(reopens)));
    ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
    ASSERT_EQ(sorted->size(), plan.size());
    EXPECT_EQ((*sorted)[0].kind, RecordKind::kStreamBegin);
    EXPECT_EQ((*sorted)[1].kind, RecordKind::kStreamBegin);
    EXPECT_EQ((*sorted)[2].time, 5U);
    EXPECT_EQ(sorted->back().kind, RecordKind::kStreamEnd);
    EXPECT_TRUE(*sorted == naive_sort(made.batches));
  }
}

TEST(Sort, OfNearlySortedInputsTakesNoTemporaryFile) {
  for (const std::uint64_t disorder : {0U, 1U, 100U, 1500U, 10'000U}) {
    const MadeUpTrace trace;
    const MadeUpInputs made(
        trace,
        {plan_nearly_sorted(15'000, disorder, disorder), plan_nearly_sorted(3000, disorder, 7)},
        700);
    int opened = 0;
    const auto sorted = see_all(*sort(
        made.inputs(true, &opened), {.memory = 600'000'000, .temporary_directory = kNoDirectory}));
    ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
    EXPECT_TRUE(*sorted == naive_sort(made.batches)) << "disorder " << disorder;
    EXPECT_EQ(opened, 4);
  }
}

TEST(Sort, OfNearlySortedInputsWithStraysTakesNoTemporaryFile) {
  for (const std::uint64_t disorder : {0U, 100U, 1500U}) {
    const MadeUpTrace trace;
    const MadeUpInputs made(trace, {with_strays(plan_nearly_sorted(15'000, disorder, disorder))},
                            700);
    int opened = 0;
    const auto sorted = see_all(*sort(made.inputs(true, &opened),
                                      {.memory = 60'000'000, .temporary_directory = kNoDirectory}));
    ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
    EXPECT_TRUE(*sorted == naive_sort(made.batches)) << "disorder " << disorder;
    EXPECT_EQ(opened, 3);
  }
}

TEST(Sort, OfAnyOrderGoesThroughTemporaryFiles) {
  Plan plan = plan_nearly_sorted(10'000, 1'000'000, 5);
  const MadeUpTrace trace;
  const MadeUpInputs made(trace, {plan, with_strays(plan_nearly_sorted(5000, 10, 6))}, 700);
  // With the least memory the runs are merged two by two, in several passes.
  for (const std::size_t memory : {30'000U, 300'000U, 100'000'000U}) {
    int opened = 0;
    const auto sorted = see_all(*sort(made.inputs(false, &opened), {.memory = memory}));
    ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
    EXPECT_TRUE(*sorted == naive_sort(made.batches)) << memory << " bytes";
    EXPECT_EQ(opened, 2);
  }
}

TEST(Sort, OfAnUnorderedInputFallsBackAfterTheSurvey) {
  const MadeUpTrace trace;
  const MadeUpInputs made(trace, {plan_nearly_sorted(10'000, 1'000'000, 5)}, 700);
  const auto sorted = see_all(*sort(made.inputs(), {.memory = 1'000'000}));
  ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
  EXPECT_TRUE(*sorted == naive_sort(made.batches));
}

TEST(Sort, KeepsARecordThatIsLargerThanTheMemory) {
  const MadeUpTrace trace;
  const auto text = std::make_shared<std::string>(1'000'000, 'x');
  Batches batches;
  for (const std::uint64_t time : {3U, 1U, 2U}) {
    auto batch = std::make_shared<Batch>();
    Slot* const slot = batch->tape_position();
    *slot = bytes_slot(SlotKind::kString, as_bytes(*text).data(),
                       static_cast<std::uint32_t>(text->size() - time));
    batch->commit_tape(slot + 1);
    batch->add_event({.event_class = &trace.timed(),
                      .time = time,
                      .end_time = time,
                      .offset = time,
                      .slots = slot,
                      .slot_count = 1});
    batch->pin(text);
    batch->pin(trace.description());
    batches.push_back(std::move(batch));
  }
  const auto sorted = see_all(*sort({input_of(batches, batches)}, {.memory = 1000}));
  ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
  EXPECT_TRUE(*sorted == naive_sort({batches}));
}

TEST(Sort, DistinguishesTimesThatNeedMoreThan64Bits) {
  TraceDescription description("far", "made-up", "1");
  EventClass event_class;
  event_class.clock =
      &description.add_clock({.id = "slow", .tick = {1'000'000'000, 1}, .offset_seconds = -10});
  const EventClass& timed = description.add_event_class(std::move(event_class));
  constexpr std::uint64_t kFar = std::uint64_t{1} << 63;
  auto batch = std::make_shared<Batch>();
  for (const std::uint64_t value : {kFar + 2, std::uint64_t{4}, kFar, std::uint64_t{0},
                                    ~std::uint64_t{0}, std::uint64_t{3}, kFar + 1}) {
    batch->add_event({.event_class = &timed, .time = value, .end_time = value, .offset = value});
  }
  for (const std::size_t memory : {300U, 100'000'000U}) {
    SortInput input = input_of({batch}, {batch});
    input.reopens = memory > 1000;
    const auto sorted = see_all(*sort({input}, {.memory = memory}));
    ASSERT_TRUE(sorted.has_value());
    EXPECT_EQ(sorted->size(), 7U);
    EXPECT_TRUE(std::ranges::is_sorted(*sorted, {}, &SeenRecord::serial));
  }
}

TEST(Sort, OfNothingIsEmpty) {
  EXPECT_EQ(*sort({})->next(), nullptr);
  EXPECT_EQ(*sort({input_of({}, {})})->next(), nullptr);
  SortInput once = input_of({}, {});
  once.reopens = false;
  EXPECT_EQ(*sort({once})->next(), nullptr);
}

TEST(Sort, DeliversWhatCameBeforeAnError) {
  const MadeUpTrace trace;
  const Batches batches = trace.batches({{.time = 9}, {.time = 8}, {.time = 7}}, 1);
  for (const bool reopens : {true, false}) {
    const auto open = [&](bool) -> Result<std::vector<std::unique_ptr<RecordSource>>> {
      return one_source(std::make_unique<FakeSource>(
          batches, Error{.code = ErrorCode::kReadFailed, .message = "Gone."}));
    };
    const SortInput input = {.open = open, .reopens = reopens};
    const auto sorted = sort({input});
    const Result<BatchPtr> batch = sorted->next();
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ((*batch)->records().size(), 3U);
    const Result<BatchPtr> failed = sorted->next();
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().message, "Gone.");
  }
}

TEST(Sort, HandsOnTheErrorOfAnInputThatCannotBeOpened) {
  const SortInput input = {.open = [](bool) -> Result<std::vector<std::unique_ptr<RecordSource>>> {
    return fail(ErrorCode::kCannotOpen, "Not there.");
  }};
  EXPECT_EQ(sort({input})->next().error().code, ErrorCode::kCannotOpen);
}

TEST(Sort, ReadsAGrowingInputAsFarAsTheFirstTime) {
  const MadeUpTrace trace;
  const Plan plan = plan_nearly_sorted(5000, 10, 1);
  Plan grown = plan;
  grown.push_back({.what = What::kFinding});
  grown.push_back({.time = 0});
  const Batches batches = trace.batches(plan, 100);
  const auto sorted = see_all(*sort({input_of(trace.batches(grown, 100), batches)}));
  ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
  EXPECT_EQ(sorted->size(), 5001U);
}

TEST(Sort, NoticesAnInputThatChanged) {
  const MadeUpTrace trace;
  Plan plan = plan_nearly_sorted(5000, 10, 1);
  const Batches before = trace.batches(plan, 100);
  plan[4000] = {.time = 0};
  const auto sorted = see_all(*sort({input_of(trace.batches(plan, 100), before)}));
  ASSERT_FALSE(sorted.has_value());
  EXPECT_EQ(sorted.error().code, ErrorCode::kReadFailed);
}

// One whose records are in order already.
Plan plan_in_order(std::size_t events) {
  Plan plan(events);
  for (std::size_t i = 0; i < plan.size(); ++i) plan[i] = {.time = 100 + i / 2};
  return plan;
}

TEST(Sort, HandsOnTheBatchesOfAnInputInOrder) {
  const MadeUpTrace trace;
  const Batches batches = trace.batches(plan_in_order(1000), 100);
  const auto sorted = sort({input_of(batches, batches)}, {.memory = 100});
  for (const BatchPtr& expected : batches) {
    const auto batch = sorted->next();
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(*batch, expected);
  }
  EXPECT_EQ(*sorted->next(), nullptr);
}

TEST(Sort, ReadsAGrowingInputInOrderAsFarAsTheFirstTime) {
  const MadeUpTrace trace;
  const Plan plan = plan_in_order(1000);
  Plan grown = plan;
  grown.push_back({.what = What::kFinding});
  grown.push_back({.time = 0});
  grown.push_back({.what = What::kFinding});
  const auto sorted =
      see_all(*sort({input_of(trace.batches(grown, 300), trace.batches(plan, 100))}));
  ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
  EXPECT_EQ(sorted->size(), 1002U);
}

TEST(Sort, NoticesAnInputThatIsInOrderNoMore) {
  const MadeUpTrace trace;
  Plan plan = plan_in_order(1000);
  const Batches before = trace.batches(plan, 100);
  plan[700] = {.time = 0};
  const auto sorted = see_all(*sort({input_of(trace.batches(plan, 100), before)}));
  ASSERT_FALSE(sorted.has_value());
  EXPECT_EQ(sorted.error().code, ErrorCode::kReadFailed);
}

TEST(Sort, NoticesAnInputThatBecameShorter) {
  const MadeUpTrace trace;
  Plan unordered = plan_in_order(5000);
  for (std::size_t i = 0; i < unordered.size(); ++i) unordered[i].time = 100 + (i * 7919) % 5000;
  for (const Plan& plan : {plan_in_order(5000), plan_nearly_sorted(5000, 10, 1), unordered}) {
    const Batches before = trace.batches(plan, 100);
    Plan shorter = plan;
    shorter.resize(4990);
    const auto input = [&] { return input_of(trace.batches(shorter, 100), before); };
    const auto sorted = see_all(*sort({input()}, {.memory = 100'000}));
    ASSERT_FALSE(sorted.has_value());
    EXPECT_EQ(sorted.error().code, ErrorCode::kReadFailed);
    // A stop ends inputs early.
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = see_all(*sort({input()}, {.memory = 100'000, .stop = stop.get_token()}));
    ASSERT_TRUE(stopped.has_value()) << stopped.error().to_string();
    EXPECT_EQ(stopped->size(), 4990U);
  }
}

TEST(Sort, OfSourcesInOrderMergesThemWithoutMemory) {
  const MadeUpTrace trace;
  const MadeUpInputs made(
      trace, {plan_in_order(5000), plan_in_order(3000), plan_in_order(1), plan_in_order(9000)},
      100);
  const auto sorted =
      see_all(*sort({joined(made.inputs())}, {.memory = 100, .temporary_directory = kNoDirectory}));
  ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
  EXPECT_TRUE(*sorted == naive_sort(made.batches));
}

// Nothing but what is behind the first step back goes through a temporary file.
TEST(Sort, HandsOnWhatIsBeforeTheFirstStepBack) {
  const MadeUpTrace trace;
  Plan plan = plan_in_order(20'000);
  for (std::size_t i = 15'000; i < plan.size(); ++i) plan[i].time = 7000 + (i * 7919) % 5000;
  const MadeUpInputs made(trace, {plan_in_order(20'000), plan, plan_in_order(100)}, 100);
  const auto sorted =
      sort({joined(made.inputs())}, {.memory = 100'000, .temporary_directory = kNoDirectory});
  std::size_t before = 0;
  Result<BatchPtr> batch = sorted->next();
  for (; batch && *batch != nullptr; batch = sorted->next()) before += (*batch)->size();
  EXPECT_EQ(batch.error().code, ErrorCode::kWriteFailed);
  EXPECT_GT(before, 2 * 2 * (7000 - 100) - 2000U);
  const auto whole = see_all(*sort({joined(made.inputs())}, {.memory = 100'000}));
  ASSERT_TRUE(whole.has_value()) << whole.error().to_string();
  EXPECT_TRUE(*whole == naive_sort(made.batches));
}

// After a stop was requested an input has no sources when it is opened again.
TEST(Sort, KeepsWhatIsSortedExternallyBesideAnInputThatIsGone) {
  const MadeUpTrace trace;
  Plan plan = plan_in_order(20'000);
  for (std::size_t i = 0; i < plan.size(); ++i) plan[i].time = 100 + (i * 7919) % 5000;
  const MadeUpInputs made(trace, {plan, plan}, 100);
  std::vector<SortInput> inputs = made.inputs();
  inputs.back().open = [open = inputs.back().open](bool values) {
    return values ? Result<std::vector<std::unique_ptr<RecordSource>>>() : open(values);
  };
  const auto sorted = see_all(*sort(std::move(inputs), {.memory = 100'000}));
  ASSERT_TRUE(sorted.has_value()) << sorted.error().to_string();
  EXPECT_TRUE(*sorted == naive_sort({made.batches.front()}));
}

TEST(Sort, WithoutATemporaryDirectoryIsAnError) {
  const MadeUpTrace trace;
  const MadeUpInputs made(trace, {plan_nearly_sorted(10'000, 1'000'000, 5)}, 700);
  const auto sorted =
      see_all(*sort(made.inputs(), {.memory = 1'000'000, .temporary_directory = kNoDirectory}));
  ASSERT_FALSE(sorted.has_value());
  EXPECT_EQ(sorted.error().code, ErrorCode::kWriteFailed);
  EXPECT_EQ(sorted.error().input, kNoDirectory);
}

// Files that the process writes cannot grow beyond `size` bytes, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = size;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Sort, AFullDiskIsAnError) {
  const MadeUpTrace trace;
  const MadeUpInputs made(trace, {plan_nearly_sorted(10'000, 1'000'000, 5)}, 700);
  const FileSizeLimit limit(200'000);
  const auto sorted = see_all(*sort(made.inputs(), {.memory = 100'000}));
  ASSERT_FALSE(sorted.has_value());
  EXPECT_EQ(sorted.error().code, ErrorCode::kWriteFailed);
}

}  // namespace
}  // namespace tracedeck::flow

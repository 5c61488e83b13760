#include "tracedeck/spill/external_sorter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "tracedeck/format/made_up_trace_test.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck {
namespace {

// What `sorter` gives back.
std::vector<SeenRecord> take_all(ExternalSorter& sorter) {
  std::vector<SeenRecord> seen;
  OutputBatch output;
  const auto hand_on = [&] {
    const BatchPtr batch = output.take();
    for (const Record& record : batch->records()) seen.push_back(see(record));
  };
  while (!sorter.ended()) {
    if (output.full() || !sorter.unpack(output)) {
      hand_on();
    } else {
      EXPECT_TRUE(sorter.advance().has_value());
    }
  }
  if (!output.empty()) hand_on();
  return seen;
}

struct Keyed {
  OrderKey key;
  SeenRecord record;
};

// Adds all records of `batches` with random keys, a few of them beyond 64 bits.
std::vector<Keyed> add_all(ExternalSorter& sorter, const std::vector<BatchPtr>& batches,
                           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Keyed> added;
  for (const BatchPtr& batch : batches) {
    sorter.take_over(*batch);
    for (const Record& record : batch->records()) {
      const Nanoseconds time =
          random() % 10 == 0
              ? Nanoseconds::from_unsigned(Uint128{random() % 3} << 64, random() % 2 == 0)
              : Nanoseconds(static_cast<std::int64_t>(random() % 1000));
      added.push_back({OrderKey::from(time), see(record)});
      EXPECT_TRUE(sorter.add(added.back().key, record).has_value());
    }
  }
  return added;
}

std::vector<SeenRecord> naively_sorted(std::vector<Keyed> records) {
  sort_stably(records, [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  std::vector<SeenRecord> sorted;
  for (Keyed& record : records) sorted.push_back(std::move(record.record));
  return sorted;
}

RC_GTEST_PROP(ExternalSorter, GivesBackEveryRecordInOrder, ()) {
  const auto plan = *gen_plan(1000);
  const auto memory = *rc::gen::inRange<std::size_t>(0, 3000);
  const MadeUpTrace trace;
  ExternalSorter sorter(memory, "");
  const std::vector<Keyed> added = add_all(sorter, trace.batches(plan, 5, 1000), plan.size());
  RC_ASSERT(sorter.finish().has_value());
  RC_ASSERT(take_all(sorter) == naively_sorted(added));
}

TEST(ExternalSorter, SpillsOnlyWhatDoesNotFit) {
  const MadeUpTrace trace;
  const std::vector<BatchPtr> batches = trace.batches(plan_nearly_sorted(2000, 5, 1), 100);
  for (const std::size_t memory : {5'000U, 50'000U, 10'000'000U}) {
    ExternalSorter sorter(memory, "");
    const std::vector<Keyed> added = add_all(sorter, batches, memory);
    ASSERT_TRUE(sorter.finish().has_value());
    EXPECT_TRUE(take_all(sorter) == naively_sorted(added)) << memory;
    EXPECT_EQ(sorter.spilled() == 0, memory > 1'000'000);
  }
}

TEST(ExternalSorter, RecordsOutliveIt) {
  const auto trace = std::make_unique<MadeUpTrace>();
  for (const std::size_t memory : {2'000U, 10'000'000U}) {
    OutputBatch output;
    std::vector<BatchPtr> taken;
    std::vector<SeenRecord> expected;
    {
      ExternalSorter sorter(memory, "");
      auto batches = trace->batches(plan_nearly_sorted(300, 0, 1), 100);
      std::uint64_t key = 1;
      for (const BatchPtr& batch : batches) {
        sorter.take_over(*batch);
        for (const Record& record : batch->records()) {
          expected.push_back(see(record));
          ASSERT_TRUE(sorter.add(OrderKey::from(key++), record).has_value());
        }
      }
      ASSERT_TRUE(sorter.finish().has_value());
      while (!sorter.ended()) {
        if (output.full() || !sorter.unpack(output)) {
          taken.push_back(output.take());
        } else {
          ASSERT_TRUE(sorter.advance().has_value());
        }
      }
      taken.push_back(output.take());
    }
    std::vector<SeenRecord> seen;
    for (const BatchPtr& batch : taken) {
      for (const Record& record : batch->records()) seen.push_back(see(record));
    }
    EXPECT_TRUE(seen == expected);
  }
}

TEST(ExternalSorter, KeepsNestedValues) {
  const MadeUpTrace trace;
  const std::vector<Slot> slots = {
      head_slot(SlotKind::kMap, 1, 5),
      bytes_slot(SlotKind::kString, as_bytes("key").data(), 3, kSlotInterned),
      head_slot(SlotKind::kArray, 2, 3),
      head_slot(SlotKind::kOptional, 1, 1),
      packed_slot(PackedElement::kU64Be, as_bytes("01234567").data(), 8,
                  kSlotAddress | kSlotInterned),
      head_slot(SlotKind::kOptional, 0, 0),
      signed_slot(-1),
      real_slot(-0.0),
      unresolved_slot(77),
  };
  Event event;
  event.event_class = &trace.timed();
  event.slots = slots.data();
  event.slot_count = static_cast<std::uint32_t>(slots.size());
  for (const std::size_t memory : {0U, 100'000U}) {
    ExternalSorter sorter(memory, "");
    ASSERT_TRUE(sorter.add(OrderKey::from(1), Record(event)).has_value());
    ASSERT_TRUE(sorter.finish().has_value());
    OutputBatch output;
    ASSERT_TRUE(sorter.unpack(output));
    const BatchPtr batch = output.take();
    const Event& back = batch->records()[0].event;
    EXPECT_TRUE(same_values(back.payload(), event.payload()));
    EXPECT_EQ(back.slots[1].flags, kSlotInterned);
    EXPECT_EQ(back.slots[4].flags, kSlotAddress | kSlotInterned);
    EXPECT_EQ(back.slots[4].detail, slots[4].detail);
  }
}

SortedRun run_of(std::uint64_t first, std::uint64_t last) {
  return {.begin = 0, .end = 0, .first = OrderKey::from(first), .last = OrderKey::from(last)};
}

TEST(MergedRuns, KnowHowManyRunsOverlap) {
  EXPECT_EQ(most_overlapping({}), 0U);
  EXPECT_EQ(most_overlapping({run_of(1, 5)}), 1U);
  EXPECT_EQ(most_overlapping({run_of(6, 9), run_of(1, 5)}), 1U);
  EXPECT_EQ(most_overlapping({run_of(1, 5), run_of(5, 9)}), 2U);
  EXPECT_EQ(most_overlapping({run_of(1, 100), run_of(2, 3), run_of(4, 5), run_of(6, 7)}), 2U);
  EXPECT_EQ(most_overlapping({run_of(1, 4), run_of(2, 5), run_of(3, 6), run_of(7, 7)}), 3U);
}

TEST(MergedRuns, MergeDownInSeveralPasses) {
  auto file = std::move(SpillFile::create("").value());
  std::vector<SortedRun> runs;
  constexpr std::uint64_t kRuns = 20;
  constexpr std::uint64_t kRecords = 50;
  {
    RunWriter writer(*file, 64);
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      for (std::uint64_t i = 0; i < kRecords; ++i) {
        // All runs have the same keys: ties keep the order of the runs.
        const std::string text = std::to_string(i) + " of " + std::to_string(run);
        ASSERT_TRUE(writer.add(OrderKey::from(i / 2), as_bytes(text)).has_value());
      }
      runs.push_back(writer.finish_run().value());
    }
  }
  ASSERT_TRUE(merge_down(file, runs, 2, 1000, "").has_value());
  EXPECT_EQ(runs.size(), 2U);
  MergedRuns merged(*file, runs, 1000);
  ASSERT_TRUE(merged.open().has_value());
  for (std::uint64_t pair = 0; pair < kRecords / 2; ++pair) {
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      for (const std::uint64_t i : {2 * pair, 2 * pair + 1}) {
        ASSERT_FALSE(merged.ended());
        EXPECT_EQ(as_text(merged.packed()), std::to_string(i) + " of " + std::to_string(run));
        ASSERT_TRUE(merged.advance().has_value());
      }
    }
  }
  EXPECT_TRUE(merged.ended());
}

}  // namespace
}  // namespace tracedeck

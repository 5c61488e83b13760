#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tracedeck/comparison/equal_traces.hpp"
#include "tracedeck/flow/random_trace_test.hpp"
#include "tracedeck/format/made_up_trace_test.hpp"

namespace tracedeck::comparison {
namespace {

using namespace flow;  // made-up traces

Comparison compare_plans(const TracePlan& left, const TracePlan& right, std::size_t batch_size) {
  const MadeTrace a(left);
  const MadeTrace b(right, batch_size);
  FakeSource first(a.batches());
  FakeSource second(b.batches());
  auto compared = equal_traces({first, a.description()}, {second, b.description()});
  RC_ASSERT(compared.has_value());
  return std::move(*compared);
}

RC_GTEST_PROP(EqualTracesProperty, EveryTraceIsEqualToItselfLaidOutOtherwise, ()) {
  const RandomTrace random = *gen_trace();
  const TracePlan plan = plan_of(random);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Comparison compared = compare_plans(plan, laid_out_otherwise(plan, seed), 1 + seed % 20);
  for (const Difference& each : compared.differences.found()) {
    RC_LOG() << kind_name(each.key.kind) << ' ' << each.key.class_name << ' ' << each.key.path
             << ' ' << each.key.what << ": " << each.left << " | " << each.right << '\n';
  }
  RC_ASSERT(compared.equal());
}

RC_GTEST_PROP(EqualTracesProperty, NoTraceIsEqualToAChangedOne, ()) {
  const RandomTrace random = *gen_trace();
  const TracePlan plan = plan_of(random);
  TracePlan changed = plan_of(random);
  const std::string what = change_something(changed, *rc::gen::arbitrary<std::uint64_t>());
  RC_PRE(!what.empty());
  RC_TAG(what);
  RC_ASSERT(!compare_plans(plan, changed, 7).equal());
}

// What the generator is there for: each kind of class, value and record comes up.
TEST(RandomTraces, HaveEveryKindOfSlotAndRecord) {
  std::array<std::uint64_t, 17> slots{};
  std::uint64_t losses = 0;
  std::uint64_t timeless = 0;
  std::uint64_t back = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TracePlan plan =
        plan_of({.seed = seed, .event_classes = 6, .streams = 3, .records = 40, .depth = 3});
    std::vector<std::uint64_t> last(plan.streams.size(), 0);
    for (const TracePlan::PlannedRecord& record : plan.records) {
      const auto* const event = std::get_if<TracePlan::PlannedEvent>(&record.what);
      if (event == nullptr) {
        ++losses;
        continue;
      }
      for (const Slot& slot : event->payload.slots) ++slots[std::to_underlying(slot.kind)];
      if (!plan.event_classes[event->event_class].clock) ++timeless;
      if (event->time < last[record.stream]) ++back;
      last[record.stream] = event->time;
    }
  }
  for (std::size_t kind = 0; kind < slots.size(); ++kind) {
    // Ids of pool entries that are not known are no values that a class has.
    if (kind == std::to_underlying(SlotKind::kUnresolved)) continue;
    EXPECT_GT(slots[kind], 20U) << kind;
  }
  EXPECT_GT(losses, 100U);
  EXPECT_GT(timeless, 100U);
  EXPECT_GT(back, 100U);
}

}  // namespace
}  // namespace tracedeck::comparison

#include "tracedeck/lower/slot_run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace tracedeck::lower {
namespace {

constexpr std::size_t kCount = 6;

std::array<Slot, kCount> numbers() {
  std::array<Slot, kCount> slots;
  for (std::size_t i = 0; i < kCount; ++i) slots[i] = unsigned_slot(i);
  return slots;
}

std::string text(std::span<const Slot> slots) {
  std::string text;
  for (const Slot& slot : slots) text += std::to_string(slot.bits) + " ";
  return text;
}

TEST(SlotRun, WhatStaysInOnePieceIsNotCopied) {
  const auto source = numbers();
  std::vector<Slot> made;
  SlotRun run(made);
  run.keep(source.data() + 1, source.data() + 3);
  run.keep(source.data() + 3, source.data() + 3);
  run.keep(source.data() + 3, source.data() + 5);
  EXPECT_EQ(run.size(), 4U);
  EXPECT_EQ(run.slots().data(), source.data() + 1);
  EXPECT_EQ(text(run.slots()), "1 2 3 4 ");
  EXPECT_TRUE(made.empty());
  EXPECT_EQ(text(run.settled()), "1 2 3 4 ");
  EXPECT_EQ(made.size(), 4U);
}

TEST(SlotRun, PiecesAndSlotsThatAreMadeAreInTheirOrder) {
  const auto source = numbers();
  std::vector<Slot> made;
  SlotRun run(made);
  run.keep(source.data() + 4, source.data() + 5);
  run.keep(source.data(), source.data() + 2);
  run.add(unsigned_slot(77));
  run.keep(source.data() + 2, source.data() + 3);
  EXPECT_EQ(run.size(), 5U);
  EXPECT_EQ(text(run.slots()), "4 0 1 77 2 ");
}

TEST(SlotRun, AHeadKnowsWhatBelongsToIt) {
  const auto source = numbers();
  std::vector<Slot> made;
  SlotRun run(made);
  run.add(unsigned_slot(9));
  const std::size_t outer = run.open(head_slot(SlotKind::kStructure, 0, 0));
  const std::size_t inner = run.open(head_slot(SlotKind::kArray, 2, 0));
  run.keep(source.data(), source.data() + 2);
  run.close(inner);
  run.keep(source.data() + 2, source.data() + 3);
  run.close(outer);
  const std::span<const Slot> slots = run.slots();
  ASSERT_EQ(slots.size(), 6U);
  EXPECT_EQ(slots[1].length, 4U);
  EXPECT_EQ(slots[2].length, 2U);
}

TEST(SlotRun, NothingIsNothing) {
  std::vector<Slot> made;
  SlotRun run(made);
  run.keep(nullptr, nullptr);
  EXPECT_EQ(run.size(), 0U);
  EXPECT_TRUE(run.slots().empty());
}

}  // namespace
}  // namespace tracedeck::lower

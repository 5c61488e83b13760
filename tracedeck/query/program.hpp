// Whether an event passes a condition, as a flat run of tests.
//
// Negations are pushed down to the comparisons, where an unknown value is neither true nor false;
// what is left is `&&` and `||`, which say *true* exactly when they do with every unknown
// comparison taken for false. So two outcomes of a test are enough, and each names the test that
// comes next. Tests of integers, times and texts at fixed places are a few instructions; others
// evaluate a tree.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tracedeck/query/bound.hpp"

namespace tracedeck::query {

class Program {
 public:
  Program(BoundNode condition, const EventClass& event_class);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  enum class Verdict : std::uint8_t { kNever, kAlways, kDepends };
  // What is known of every event of the class.
  [[nodiscard]] Verdict verdict() const { return verdict_; }

  // Whether an event of the class passes. Texts that were kept of the event before are forgotten.
  [[nodiscard]] bool passes(const EventValues& values) const {
    const Event& event = *values.event;
    const Test* test = first_test_;
    while (test->kind == Test::Kind::kInteger) {
      const Slot& slot = test->slot.in(event);
      if (slot.kind != test->slot_kind) [[unlikely]]
        break;
      test = test->next[slot.bits - test->low <= test->extent ? 1 : 0];
    }
    if (test->kind >= Test::Kind::kPass) [[likely]]
      return test->kind == Test::Kind::kPass;
    return passes_from(test, values);
  }

 private:
  // A test, or where the run of tests ends.
  using Target = std::uint32_t;
  static constexpr Target kPass = 0;
  static constexpr Target kReject = 1;

  struct Test {
    enum class Kind : std::uint8_t {
      kInteger,  // the bits of a slot of `slot_kind` lie in [low, low + extent]
      kTime,     // the same of the clock value of its begin
      kText,     // a slot's text is that of `tree`
      kTree,     // as `tree` says
      kPass,
      kReject,
    };
    Kind kind = Kind::kTree;
    SlotKind slot_kind = SlotKind::kUnresolved;
    DirectSlot slot = {};
    // Where it goes on if that does not hold, and if it does.
    std::array<const Test*, 2> next = {};
    std::uint64_t low = 0;
    std::uint64_t extent = 0;
  };
  // The same as a tree, for values that are not as the class has them: whether it is true, or, if
  // `inverted`, false.
  struct Tree {
    const BoundNode* node = nullptr;
    bool inverted = false;
    std::string_view text = {};
    std::array<Target, 2> next = {kReject, kPass};
    bool swapped = false;  // the test goes on the other way round
  };

  [[nodiscard]] Target add(const BoundNode& node, bool inverted, Target on_true, Target on_false);
  [[nodiscard]] Target add_joined(const BoundNode& node, bool conjunction, bool inverted,
                                  Target on_true, Target on_false);
  [[nodiscard]] Target add_comparison(const BoundNode& node, bool inverted, Target on_true,
                                      Target on_false);
  [[nodiscard]] Target add(const Test& test, const Tree& tree);
  void connect();
  [[nodiscard]] bool passes_from(const Test* test, const EventValues& values) const;
  [[nodiscard]] const Test* next_of(const Test& test, const EventValues& values) const;

  BoundNode condition_;
  const EventClass* event_class_;  // while it is made
  std::vector<Test> tests_;
  std::vector<Tree> trees_;  // of each test
  Target first_ = kReject;
  const Test* first_test_ = nullptr;
  Verdict verdict_ = Verdict::kDepends;
};

}  // namespace tracedeck::query

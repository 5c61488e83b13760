// Whether an event passes a condition, as a flat run of tests.
//
// Negations are pushed down to the comparisons, where an unknown value is neither true nor false;
// what is left is `&&` and `||`, which say *true* exactly when they do with every unknown
// comparison taken for false. So two outcomes of a test are enough, and each names the test that
// comes next. Tests of integers, times and texts at fixed places are a few instructions; others
// evaluate a tree.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>

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

  // Whether an event of the class passes; `values` are used for what is not tested in place. Texts
  // that were kept of the event before are forgotten.
  [[nodiscard]] bool passes(const Event& event, EventValues& values) const {
    const Test* test = first_;
    if (test->kind != Test::Kind::kInteger) return passes_from(test, event, values);
    // Whatever comes behind an integer, there is a slot to look at.
    for (;;) {
      const Slot& slot = test->slot.in(event);
      if (slot.kind != test->slot_kind) break;
      if (slot.bits - test->low > test->extent) {
        test = test->otherwise;
        if (test == kReject) return false;
      } else {
        test = test->then;
      }
    }
    return test->kind == Test::Kind::kPass || passes_from(test, event, values);
  }

 private:
  static constexpr auto kNoKind = static_cast<SlotKind>(0xFF);

  struct Test {
    enum class Kind : std::uint8_t {
      kPass,     // none: here the run of tests ends
      kInteger,  // the bits of a slot of `slot_kind` lie in [low, low + extent], modulo 2^64
      kTime,     // the same of the clock value of its begin
      kText,     // a slot's text is `text`, or is not if `inverted_text`
      kTree,     // `node` is true, or false if `inverted`
    };
    Kind kind = Kind::kTree;
    SlotKind slot_kind = kNoKind;  // of kInteger; of the others no slot has that
    DirectSlot slot = {};
    // Where it goes on if that holds, and if it does not.
    const Test* then = nullptr;
    const Test* otherwise = nullptr;
    std::uint64_t low = 0;
    std::uint64_t extent = 0;
    // The same as a tree, for values that are not as the class has them.
    const BoundNode* node = nullptr;
    bool inverted = false;
    bool inverted_text = false;
    std::string_view text = {};
  };
  // Where it goes on if the event does not pass.
  static constexpr const Test* kReject = nullptr;

  // A test, where it goes on if it is true, and if it is not.
  struct Targets {
    const Test* then;
    const Test* otherwise;
  };
  [[nodiscard]] const Test* add(const BoundNode& node, bool inverted, Targets targets);
  [[nodiscard]] const Test* add_joined(const BoundNode& node, bool inverted, Targets targets);
  [[nodiscard]] const Test* add_comparison(const BoundNode& node, bool inverted, Targets targets);
  [[nodiscard]] const Test* add(const Test& test);
  [[nodiscard]] bool passes_from(const Test* test, const Event& event, EventValues& values) const;
  [[nodiscard]] static bool holds(const Test& test, const EventValues& values);

  BoundNode condition_;
  const EventClass* event_class_;  // while it is made
  std::deque<Test> tests_;
  const Test* first_ = kReject;
  Verdict verdict_ = Verdict::kDepends;
};

}  // namespace tracedeck::query

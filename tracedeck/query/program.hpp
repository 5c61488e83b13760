// Whether an event passes a condition, as a flat run of tests.
//
// Negations are pushed down to the comparisons, where an unknown value is neither true nor false;
// what is left is `&&` and `||`, which say *true* exactly when they do with every unknown
// comparison taken for false. So two outcomes of a test are enough, and each names the test that
// comes next. Tests of integers, times and texts at fixed places are a few instructions; others
// evaluate a tree.
#pragma once

#include <cstdint>
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

  // Whether an event of the class passes.
  [[nodiscard]] bool passes(const EventValues& values) const;

 private:
  using Target = std::uint32_t;
  static constexpr Target kPass = ~Target{0};
  static constexpr Target kReject = kPass - 1;

  struct Test {
    enum class Kind : std::uint8_t {
      kUnsigned,  // a slot's value lies in [low, low + extent]; or it does not, when `inverted`
      kSigned,
      kTime,  // the same of the clock value of its begin
      kText,  // a slot's text is `text`
      kTree,  // `node` is true, or false when `inverted`
    };
    Kind kind = Kind::kTree;
    bool inverted = false;
    DirectSlot slot = {};
    Target on_true = kPass;
    Target on_false = kReject;
    std::uint64_t low = 0;
    std::uint64_t extent = 0;
    std::string_view text = {};
    const BoundNode* node = nullptr;
  };

  [[nodiscard]] Target add(const BoundNode& node, bool inverted, Target on_true, Target on_false);
  [[nodiscard]] Target add_joined(const BoundNode& node, bool conjunction, bool inverted,
                                  Target on_true, Target on_false);
  [[nodiscard]] Target add_comparison(const BoundNode& node, bool inverted, Target on_true,
                                      Target on_false);
  [[nodiscard]] static bool holds(const Test& test, const EventValues& values);
  [[nodiscard]] static bool tree_holds(const Test& test, const EventValues& values);

  BoundNode condition_;
  const EventClass* event_class_;  // while it is made
  std::vector<Test> tests_;
  Target first_ = kReject;
  Verdict verdict_ = Verdict::kDepends;
};

}  // namespace tracedeck::query

// Rules about what later events mean: the current thread, names.
#pragma once

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

class SetCurrent final : public Action {
 public:
  struct Set {
    std::size_t member = 0;
    BoundValue value;
  };
  SetCurrent(std::size_t current, std::vector<BoundValue> of, std::vector<Set> set,
             std::size_t members, const std::optional<RuleValue>& when,
             const EventClass& event_class, RuleContext& context)
      : context_(context),
        current_(current),
        of_(std::move(of)),
        set_(std::move(set)),
        members_(members),
        when_(when, event_class, context) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    Words words = {};
    if (!read_key(of_, *now.event, context_.scope, words.data())) return;
    RuleMemory::Current& current = context_.memory.currents[current_];
    std::uint64_t& place = current.keys.place(words.data());
    if (place == 0) {
      if (current.values.size() >= RuleMemory::kMostKeys) {
        current.keys.erase(words.data());
        ++context_.marking.timeline().mutable_counts().not_held;
        return;
      }
      current.values.emplace_back(members_);
      place = current.values.size();
    }
    std::vector<RuleMemory::Kept>& values = current.values[place - 1];
    for (const Set& each : set_) {
      const query::Value value = each.value.read(*now.event, context_.scope);
      RuleMemory::Kept& kept = values[each.member];
      kept.value = value;
      // What points into the event does not outlive it.
      kept.value.labels = nullptr;
      kept.value.slot = nullptr;
      kept.value.field_class = nullptr;
      if (!value.text.empty()) {
        kept.text = value.text;
        kept.value.text = kept.text;
      }
    }
  }

 private:
  RuleContext& context_;
  std::size_t current_;
  std::vector<BoundValue> of_;
  std::vector<Set> set_;
  std::size_t members_;
  BoundWhen when_;
};

class SetLookup final : public Action {
 public:
  SetLookup(std::size_t lookup, const std::vector<RuleValue>& key, const RuleTemplate& value,
            const std::optional<RuleValue>& when, const EventClass& event_class,
            RuleContext& context)
      : context_(context),
        lookup_(lookup),
        key_(bind_all(key, event_class)),
        value_(value, event_class),
        when_(when, event_class, context) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    Words words = {};
    if (!read_key(key_, *now.event, context_.scope, words.data())) return;
    RuleMemory::Lookup& lookup = context_.memory.lookups[lookup_];
    std::uint64_t& place = lookup.keys.place(words.data());
    if (place == 0) {
      if (lookup.texts.size() >= RuleMemory::kMostKeys) {
        lookup.keys.erase(words.data());
        ++context_.marking.timeline().mutable_counts().not_held;
        return;
      }
      lookup.texts.emplace_back();
      place = lookup.texts.size();
    }
    lookup.texts[place - 1] = value_.text(*now.event, context_.scope);
  }

 private:
  RuleContext& context_;
  std::size_t lookup_;
  std::vector<BoundValue> key_;
  BoundTemplate value_;
  BoundWhen when_;
};

struct CurrentState {
  struct Set {
    std::size_t member = 0;
    RuleValue value = {};
  };
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  std::size_t current = 0;
  std::vector<RuleValue> of = {};
  std::vector<Set> set = {};
};

struct LookupState {
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  std::size_t lookup = 0;
  std::vector<RuleValue> key = {};
  RuleTemplate value = {};
};

}  // namespace tracedeck::timeline

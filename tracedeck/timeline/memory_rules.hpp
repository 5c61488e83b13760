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
        when_(when, event_class, context),
        trace_(trace_of(event_class)) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    Words words = {};
    if (!read_key(of_, *now.event, context_.scope, words.data())) return;
    words[of_.size()] = trace_;
    RuleMemory::Current& current = context_.memory.currents[current_];
    std::uint64_t& place = current.keys.place(words.data());
    if (place == 0) {
      if (current.values.size() >= RuleMemory::kMostKeys) {
        current.keys.give_up_place();
        ++context_.marking.timeline().mutable_counts().not_held;
        return;
      }
      current.values.emplace_back().values.resize(members_);
      place = current.values.size();
    }
    current.values[place - 1].number = now.number;
    current.values[place - 1].stream = now.stream;
    std::vector<RuleMemory::Kept>& values = current.values[place - 1].values;
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
  std::uint64_t trace_;
};

// A text that is kept for long, cut where no name is that long.
[[nodiscard]] inline std::string kept_text(std::string text) {
  constexpr std::size_t kLongest = 512;
  if (text.size() > kLongest) text.resize(kLongest);
  return text;
}

class SetLookup final : public Action {
 public:
  SetLookup(std::size_t lookup, const std::vector<RuleValue>& key, const RuleTemplate& value,
            const std::optional<RuleValue>& when, bool first, const std::vector<RuleValue>& range,
            const EventClass& event_class, RuleContext& context)
      : context_(context),
        lookup_(lookup),
        first_(first),
        range_(bind_all(range, event_class)),
        key_(bind_all(key, event_class)),
        value_(value, event_class),
        when_(when, event_class, context),
        trace_(trace_of(event_class)) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    Words words = {};
    if (!read_key(key_, *now.event, context_.scope, words.data())) return;
    words[key_.size()] = trace_;
    RuleMemory::Lookup& lookup = context_.memory.lookups[lookup_];
    if (first_ && lookup.keys.find(words.data()) != 0) return;
    if (!value_.is_known(*now.event, context_.scope)) return;
    // Too many: what is said from now on is more likely to be asked for.
    if (lookup.texts.size() >= RuleMemory::kMostKeys || lookup.bytes > RuleMemory::kMostBytes)
      lookup.forget();
    std::uint64_t& place = lookup.keys.place(words.data());
    if (place == 0) {
      lookup.texts.emplace_back();
      if (!range_.empty()) lookup.ranges.emplace_back();
      place = lookup.texts.size();
    }
    std::string text = kept_text(value_.text(*now.event, context_.scope).text);
    lookup.bytes += text.size();
    if (range_.empty()) {
      lookup.texts[place - 1] = std::move(text);
    } else {
      add_range(*now.event, lookup.ranges[place - 1], std::move(text));
    }
  }

 private:
  void add_range(const Event& event, std::deque<RuleMemory::Lookup::Range>& ranges,
                 std::string text) {
    Words words = {};
    if (!read_key(range_, event, context_.scope, words.data())) return;
    if (ranges.size() >= RuleMemory::Lookup::kMostRanges) ranges.pop_front();
    ranges.push_back({words[0], words[1], std::move(text)});
  }

  RuleContext& context_;
  std::size_t lookup_;
  bool first_;
  std::vector<BoundValue> range_;
  std::vector<BoundValue> key_;
  BoundTemplate value_;
  BoundWhen when_;
  std::uint64_t trace_;
};

struct CurrentState {
  struct Set {
    std::size_t member = 0;
    std::optional<RuleValue> value = {};  // none: from then on it is unknown
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
  bool first = false;
  std::vector<RuleValue> range = {};
};

}  // namespace tracedeck::timeline

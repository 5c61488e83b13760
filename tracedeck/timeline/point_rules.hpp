// Rules about instants, counters and states.
#pragma once

#include <limits>
#include <unordered_map>

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

struct InstantState {
  const InstantRule* rule = nullptr;
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  RuleTemplate name = {};
  TrackSpace* track = nullptr;
};

struct CounterState {
  const CounterRule* rule = nullptr;
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  RuleValue value = {};
  TrackSpace* track = nullptr;
};
// What was added up on each track, by whichever rules.
using CounterSums = std::unordered_map<TrackId, std::int64_t>;

struct StateState {
  const StateRule* rule = nullptr;
  ClassMatcher event = {};
  std::optional<RuleValue> when = {};
  std::optional<RuleValue> spent = {};
  RuleTemplate name = {};
  TrackSpace* track = nullptr;
};

class MarkInstant final : public Action {
 public:
  MarkInstant(const InstantRule& rule, const RuleTemplate& name,
              const std::optional<RuleValue>& when, BoundTrack track, const EventClass& event_class,
              RuleContext& context, const Arguments* arguments)
      : context_(context),
        track_(std::move(track)),
        when_(when, event_class, context),
        name_(name, rule.category, event_class, context),
        arguments_(arguments) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = track_.find(*now.event);
    if (track != kNoTrack) context_.marking.instant(track, name_(*now.event), now, arguments_);
  }

 private:
  RuleContext& context_;
  BoundTrack track_;
  BoundWhen when_;
  NameMaker name_;
  const Arguments* arguments_;
};

class MarkCounter final : public Action {
 public:
  MarkCounter(bool sum, const RuleValue& value, const std::optional<RuleValue>& when,
              BoundTrack track, const EventClass& event_class, RuleContext& context,
              CounterSums& sums)
      : context_(context),
        track_(std::move(track)),
        when_(when, event_class, context),
        value_(value, event_class),
        sums_(sum ? &sums : nullptr) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = track_.find(*now.event);
    if (track == kNoTrack) return;
    const query::Value value = value_.read(*now.event, context_.scope);
    if (value.kind == query::Value::Kind::kReal)
      return context_.marking.counter(track, now, value.real);
    if (value.kind != query::Value::Kind::kInteger) return;
    const auto number = value.integer.to_signed();
    if (!number) return context_.marking.counter(track, now, value.integer.to_real());
    std::int64_t sum = *number;
    if (sums_ != nullptr) {
      std::int64_t& of_track = (*sums_)[track];
      if (__builtin_add_overflow(of_track, *number, &of_track))
        of_track = *number < 0 ? std::numeric_limits<std::int64_t>::min()
                               : std::numeric_limits<std::int64_t>::max();
      sum = of_track;
    }
    context_.marking.counter(track, now, sum);
  }

 private:
  RuleContext& context_;
  BoundTrack track_;
  BoundWhen when_;
  BoundValue value_;
  CounterSums* sums_;
};

class MarkState final : public Action {
 public:
  MarkState(const StateRule& rule, const RuleTemplate& name, const std::optional<RuleValue>& when,
            const std::optional<RuleValue>& spent, BoundTrack track, const EventClass& event_class,
            RuleContext& context, std::unordered_map<TrackId, std::int64_t>& before)
      : context_(context),
        track_(std::move(track)),
        when_(when, event_class, context),
        name_(name, "", event_class, context),
        is_unknown_(rule.name.empty()),
        unless_(rule.unless.empty() ? kNoName : context.marking.add_name("", rule.unless)),
        before_(before) {
    if (spent) spent_ = BoundValue(*spent, event_class);
  }

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = track_.find(*now.event);
    if (track == kNoTrack) return;
    const NameId before = context_.marking.state_of(track);
    if (unless_ != kNoName && before == unless_) return;
    const NameId name = is_unknown_ ? kNoName : name_(*now.event);
    std::int64_t spent = 0;
    if (spent_.possible()) {
      const query::Value value = spent_.read(*now.event, context_.scope);
      const auto number =
          value.kind == query::Value::Kind::kInteger ? value.integer.to_signed() : std::nullopt;
      if (number) {
        const auto [place, is_new] = before_.try_emplace(track, *number);
        if (!is_new && before != kNoName)
          (void)__builtin_sub_overflow(*number, place->second, &spent);
        place->second = *number;
      }
    }
    context_.marking.state(track, name, now, kNoCpu, spent);
  }

 private:
  RuleContext& context_;
  BoundTrack track_;
  BoundWhen when_;
  NameMaker name_;
  bool is_unknown_;
  NameId unless_;
  BoundValue spent_;
  std::unordered_map<TrackId, std::int64_t>& before_;
};

}  // namespace tracedeck::timeline

// Rules about instants, counters and states.
#pragma once

#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

// A number of each track that has one.
class TrackNumbers {
 public:
  struct Place {
    std::int64_t number = 0;
    bool known = false;
  };
  [[nodiscard]] Place& operator[](TrackId track) {
    if (!has(track)) {
      room_.resize(std::bit_ceil(std::size_t{track} + 1));
      places_ = room_;
    }
    return places_[track];
  }
  // Null if there is none yet.
  [[nodiscard, gnu::always_inline]] Place* find(TrackId track) {
    return has(track) ? places_.data() + track : nullptr;
  }

 private:
  [[nodiscard]] bool has(TrackId track) const { return track < places_.size(); }

  std::vector<Place> room_;
  std::span<Place> places_;  // the same, by TrackId
};

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
              TrackNumbers& sums)
      : context_(context),
        track_(std::move(track)),
        when_(when, event_class, context),
        value_(value, event_class),
        sums_(sum ? &sums : nullptr) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = track_.find(*now.event);
    if (track == kNoTrack) return;
    if (std::int64_t number = 0; value_.plain_integer(*now.event, number)) [[likely]]
      return mark(track, now, number);
    const query::Value value = value_.read(*now.event, context_.scope);
    if (value.kind == query::Value::Kind::kReal)
      return context_.marking.counter(track, now, value.real);
    if (value.kind != query::Value::Kind::kInteger) return;
    const auto number = value.integer.to_signed();
    if (!number) return context_.marking.counter(track, now, value.integer.to_real());
    mark(track, now, *number);
  }

 private:
  void mark(TrackId track, const Moment& now, std::int64_t number) {
    if (sums_ != nullptr) {
      std::int64_t& of_track = (*sums_)[track].number;
      if (__builtin_add_overflow(of_track, number, &of_track))
        of_track = number < 0 ? std::numeric_limits<std::int64_t>::min()
                              : std::numeric_limits<std::int64_t>::max();
      number = of_track;
    }
    context_.marking.counter(track, now, number);
  }

  RuleContext& context_;
  BoundTrack track_;
  BoundWhen when_;
  BoundValue value_;
  TrackNumbers* sums_;
};

class MarkState final : public Action {
 public:
  MarkState(const StateRule& rule, const RuleTemplate& name, const std::optional<RuleValue>& when,
            const std::optional<RuleValue>& spent, BoundTrack track, const EventClass& event_class,
            RuleContext& context, TrackNumbers& before)
      : context_(context),
        track_(std::move(track)),
        when_(when, event_class, context),
        name_(name, "", event_class, context),
        is_unknown_(rule.name.empty()),
        unless_(rule.unless.empty() ? kNoName : context.marking.add_name("", rule.unless)),
        before_(before) {
    if (!spent) return;
    spent_ = BoundValue(*spent, event_class);
    spent_word_ = DirectWord(spent_);
  }

  [[nodiscard]] Run usual_run(bool counts) const override {
    const bool is_plain = !when_.any() && track_.is_direct() && !is_unknown_ &&
                          spent_.possible() == spent_word_.possible();
    return is_plain ? usual_run_of<MarkState>(counts) : Action::usual_run(counts);
  }
  // Not the first on its track.
  template <bool kCounts>
  [[gnu::always_inline]] void run_usual(const Moment& now) {
    const Event& event = *now.event;
    std::uint64_t word = 0;
    if (!track_.word().read_usual(event, word)) return run(now);
    const TrackId track = track_.find_near(word);
    if (track == kNoTrack || !marking_.is_usual(track, now)) return run(now);
    const NameId before = marking_.known_state(track);
    NameId name = kNoName;
    if (before == kNoName || !name_.find(event, name)) return run(now);
    if (before == unless_) return;
    std::int64_t spent = 0;
    if (spent_word_.possible()) {
      TrackNumbers::Place* const so_far = before_.find(track);
      std::uint64_t bits = 0;
      if (so_far == nullptr || !so_far->known || !spent_word_.read_usual(event, bits))
        return run(now);
      const auto number = static_cast<std::int64_t>(bits);
      if (number < 0 || __builtin_sub_overflow(number, so_far->number, &spent)) return run(now);
      so_far->number = number;
    }
    marking_.state_usual(track, name, now, spent);
  }
  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = track_.find(*now.event);
    if (track != kNoTrack) mark(track, now);
  }

 private:
  void mark(TrackId track, const Moment& now) {
    const NameId before = context_.marking.state_of(track, now.time);
    if (unless_ != kNoName && before == unless_) return;
    const NameId name = is_unknown_ ? kNoName : name_(*now.event);
    std::int64_t spent = 0;
    if (spent_.possible()) {
      std::int64_t number = 0;
      if (spent_so_far(*now.event, number)) {
        TrackNumbers::Place& so_far = before_[track];
        if (so_far.known && before != kNoName)
          (void)__builtin_sub_overflow(number, so_far.number, &spent);
        so_far = {.number = number, .known = true};
      }
    }
    context_.marking.state(track, name, now, kNoCpu, spent);
  }
  [[nodiscard]] bool spent_so_far(const Event& event, std::int64_t& into) {
    if (std::uint64_t bits = 0; spent_word_.possible() && spent_word_.read(event, bits)) {
      into = static_cast<std::int64_t>(bits);
      if (into >= 0) return true;
    }
    const query::Value value = spent_.read(event, context_.scope);
    const auto number =
        value.kind == query::Value::Kind::kInteger ? value.integer.to_signed() : std::nullopt;
    into = number.value_or(0);
    return number.has_value();
  }

  RuleContext& context_;
  Marking& marking_ = context_.marking;
  BoundTrack track_;
  BoundWhen when_;
  NameMaker name_;
  bool is_unknown_;
  NameId unless_;
  BoundValue spent_;
  DirectWord spent_word_;
  TrackNumbers& before_;
};

}  // namespace tracedeck::timeline

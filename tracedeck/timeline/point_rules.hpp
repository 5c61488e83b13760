// Rules about instants, counters and states.
#pragma once

#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

// A number of each track.
class TrackNumbers {
 public:
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();

  explicit TrackNumbers(std::int64_t first) : first_(first) {}

  [[nodiscard]] std::int64_t& operator[](TrackId track) {
    if (!has(track)) {
      room_.resize(std::bit_ceil(std::size_t{track} + 1), first_);
      numbers_ = room_;
    }
    return numbers_[track];
  }
  // Null if there is none yet.
  [[nodiscard, gnu::always_inline]] std::int64_t* find(TrackId track) {
    return has(track) ? numbers_.data() + track : nullptr;
  }

 private:
  [[nodiscard]] bool has(TrackId track) const { return track < numbers_.size(); }

  std::int64_t first_;
  std::vector<std::int64_t> room_;
  std::span<std::int64_t> numbers_;  // the same, by TrackId
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
      std::int64_t& of_track = (*sums_)[track];
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
    if (!is_plain) return Action::usual_run(counts);
    return spent_word_.possible() ? usual_run_of<MarkState, true>(counts)
                                  : usual_run_of<MarkState, false>(counts);
  }
  // Not the first on its track. `kSpends`: `spent_word_` is possible.
  template <bool kCounts, bool kSpends>
  [[gnu::always_inline]] void run_usual(const Moment& now) {
    const Event& event = *now.event;
    std::uint64_t word = 0;
    if (!track_.word().read_usual(event, word)) return run(now);
    const TrackId track = track_.find_near(word);
    if (track == kNoTrack) return run(now);
    std::int64_t* const so_far = kSpends ? before_.find(track) : nullptr;
    if ((kSpends && so_far == nullptr) || !marking_.is_usual(track, now)) return run(now);
    const NameId before = marking_.known_state(track);
    NameId name = kNoName;
    if (before == kNoName || !name_.find(event, name)) return run(now);
    if (before == unless_) return;
    std::int64_t spent = 0;
    if constexpr (kSpends) {
      std::uint64_t bits = 0;
      if (!spent_word_.read_usual(event, bits)) return run(now);
      const auto number = static_cast<std::int64_t>(bits);
      // Less what is unknown it is too much.
      static_assert(TrackNumbers::kUnknown == std::numeric_limits<std::int64_t>::min());
      if (number < 0 || __builtin_sub_overflow(number, *so_far, &spent)) return run(now);
      *so_far = number;
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
        std::int64_t& so_far = before_[track];
        if (so_far != TrackNumbers::kUnknown && before != kNoName)
          (void)__builtin_sub_overflow(number, so_far, &spent);
        so_far = number;
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

// Rules about what is added to a counter by one event and taken off by another: live bytes.
#pragma once

#include <limits>
#include <unordered_map>

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

// What was added and not taken off yet, by key.
class Balance {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 17U;

  explicit Balance(std::size_t keys) : words_(keys + 1), keys_(words_) {}

  struct Change {
    TrackId track = kNoTrack;  // kNoTrack: there is nothing to change
    std::int64_t sum = 0;
  };

  // False when it is not held: there are too many already.
  [[nodiscard]] bool add(const std::uint64_t* key, TrackId track, std::int64_t value) {
    std::uint64_t& place = keys_.place(key);
    if (place == 0) {
      if (unused_.empty() && parts_.size() >= kMost) {
        keys_.give_up_place();
        return false;
      }
      if (unused_.empty()) {
        parts_.emplace_back();
        place = parts_.size();
      } else {
        place = unused_.back();
        unused_.pop_back();
      }
    } else {
      // What took it off was not recorded.
      change(parts_[place - 1], -parts_[place - 1].value);
    }
    parts_[place - 1] = {track, value};
    change(parts_[place - 1], value);
    return true;
  }
  [[nodiscard]] Change take_off(const std::uint64_t* key) {
    const std::uint32_t number = keys_.find(key);
    if (number == 0) return {};
    keys_.erase(key);
    unused_.push_back(number);
    const Part& part = parts_[number - 1];
    change(part, -part.value);
    return {part.track, sums_[part.track]};
  }
  [[nodiscard]] std::int64_t sum_of(TrackId track) const {
    const auto found = sums_.find(track);
    return found == sums_.end() ? 0 : found->second;
  }
  void forget_all() {
    keys_.clear();
    parts_.clear();
    unused_.clear();
    sums_.clear();
  }

 private:
  struct Part {
    TrackId track = kNoTrack;
    std::int64_t value = 0;  // not the least there is
  };
  void change(const Part& part, std::int64_t by) {
    std::int64_t& sum = sums_[part.track];
    if (__builtin_add_overflow(sum, by, &sum))
      sum = by < 0 ? std::numeric_limits<std::int64_t>::min()
                   : std::numeric_limits<std::int64_t>::max();
  }

  std::size_t words_;
  KeyTable keys_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> unused_;
  std::unordered_map<TrackId, std::int64_t> sums_;
};

struct BalanceState {
  explicit BalanceState(const CounterRule& of) : rule(&of), balance(of.match.size()) {}

  const CounterRule* rule;
  ClassMatcher event = {};
  ClassMatcher until = {};
  std::optional<RuleValue> when = {};
  RuleValue value = {};
  std::vector<RuleValue> key_a = {};
  std::vector<RuleValue> key_b = {};
  TrackSpace* track = nullptr;
  Balance balance;
};

class AddToBalance final : public Action {
 public:
  AddToBalance(BalanceState& state, BoundTrack track, const EventClass& event_class,
               RuleContext& context, std::uint64_t trace)
      : context_(context),
        balance_(state.balance),
        track_(std::move(track)),
        when_(state.when, event_class, context),
        value_(state.value, event_class),
        key_(state.key_a, event_class, trace) {}

  [[nodiscard]] bool possible() const {
    return track_.possible() && value_.possible() && key_.possible();
  }

  void run(const Moment& now) override {
    const Event& event = *now.event;
    if (!when_(event)) return;
    const TrackId track = track_.find(event);
    if (track == kNoTrack || !key_.read(event, context_.scope)) return;
    const query::Value value = value_.read(event, context_.scope);
    const auto number =
        value.kind == query::Value::Kind::kInteger ? value.integer.to_signed() : std::nullopt;
    if (!number || *number == std::numeric_limits<std::int64_t>::min()) return;
    if (!balance_.add(key_.words(), track, *number)) {
      ++context_.marking.timeline().mutable_counts().not_held;
      return;
    }
    context_.marking.counter(track, now, balance_.sum_of(track));
  }

 private:
  RuleContext& context_;
  Balance& balance_;
  BoundTrack track_;
  BoundWhen when_;
  BoundValue value_;
  BoundKey key_;
};

class TakeOffBalance final : public Action {
 public:
  TakeOffBalance(BalanceState& state, const EventClass& event_class, RuleContext& context,
                 std::uint64_t trace)
      : context_(context), balance_(state.balance), key_(state.key_b, event_class, trace) {}

  [[nodiscard]] bool possible() const { return key_.possible(); }

  void run(const Moment& now) override {
    if (!key_.read(*now.event, context_.scope)) return;
    const Balance::Change change = balance_.take_off(key_.words());
    if (change.track != kNoTrack) context_.marking.counter(change.track, now, change.sum);
  }

 private:
  RuleContext& context_;
  Balance& balance_;
  BoundKey key_;
};

}  // namespace tracedeck::timeline

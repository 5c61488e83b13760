// Rules about what one event leads to.
#pragma once

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

// Begins of flows that are remembered.
inline constexpr std::size_t kMostFlows = std::size_t{1} << 16U;

struct FlowState {
  explicit FlowState(const FlowRule& of) : rule(&of), begun(of.match.size() + 1) {}

  struct Begin {
    TrackId track = kNoTrack;
    std::int64_t time = 0;
    Check check = {};
  };
  void forget_all() {
    begun.clear();
    slab.clear();
    unused.clear();
  }

  const FlowRule* rule;
  ClassMatcher from = {};
  ClassMatcher to = {};
  std::optional<RuleValue> when = {};
  std::vector<RuleValue> key_a = {};
  std::vector<RuleValue> key_b = {};
  std::optional<RuleValue> check_a = {};
  std::optional<RuleValue> check_b = {};
  TrackSpace* from_track = nullptr;
  TrackSpace* to_track = nullptr;
  std::int64_t minimum = 0;
  KeyTable begun;
  std::vector<Begin> slab = {};
  std::vector<std::uint32_t> unused = {};
};

class BeginFlow final : public Action {
 public:
  BeginFlow(FlowState& state, BoundTrack track, const EventClass& event_class, RuleContext& context,
            std::uint64_t trace)
      : context_(context),
        state_(state),
        track_(std::move(track)),
        when_(state.when, event_class, context),
        key_(state.key_a, event_class, trace),
        check_(state.check_a, event_class) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    const TrackId track = track_.find(*now.event);
    if (track == kNoTrack || !key_.read(*now.event, context_.scope)) return;
    std::uint64_t& place = state_.begun.place(key_.words());
    if (place == 0) {
      if (state_.unused.empty() && state_.slab.size() >= kMostFlows) {
        state_.begun.give_up_place();
        ++context_.marking.timeline().mutable_counts().not_held;
        return;
      }
      if (state_.unused.empty()) {
        state_.slab.emplace_back();
        place = state_.slab.size();
      } else {
        place = state_.unused.back();
        state_.unused.pop_back();
      }
    }
    state_.slab[place - 1] = {track, now.time, check_.of(*now.event, context_.scope)};
  }

 private:
  RuleContext& context_;
  FlowState& state_;
  BoundTrack track_;
  BoundWhen when_;
  BoundKey key_;
  BoundCheck check_;
};

class EndFlow final : public Action {
 public:
  EndFlow(FlowState& state, BoundTrack track, const EventClass& event_class, RuleContext& context,
          std::uint64_t trace)
      : context_(context),
        state_(state),
        track_(std::move(track)),
        key_(state.key_b, event_class, trace),
        check_(state.check_b, event_class) {}

  void run(const Moment& now) override {
    if (!key_.read(*now.event, context_.scope)) return;
    const std::uint32_t number = state_.begun.find(key_.words());
    if (number == 0) return;
    const FlowState::Begin begin = state_.slab[number - 1];
    if (begin.check.differs(check_.of(*now.event, context_.scope))) return;
    state_.begun.erase(key_.words());
    state_.unused.push_back(number);
    const TrackId track = track_.find(*now.event);
    if (track != kNoTrack && now.time - begin.time >= state_.minimum)
      context_.marking.flow(begin.track, begin.time, track, now);
  }

 private:
  RuleContext& context_;
  FlowState& state_;
  BoundTrack track_;
  BoundKey key_;
  BoundCheck check_;
};

}  // namespace tracedeck::timeline

// Rules about what one event asks for and another serves, and what one leads to.
#pragma once

#include "tracedeck/timeline/slice_rules.hpp"

namespace tracedeck::timeline {

// Of requests, and of flows, that are remembered.
inline constexpr std::size_t kMostEntries = std::size_t{1} << 20U;

// Requests that wait to be served, by key.
class WaitState final : public SliceObserver {
 public:
  WaitState(const WaitRule& of, RuleContext& context)
      : rule(&of), entries(of.match.size() + 1), context_(context) {}

  struct Entry {
    std::int64_t requested = 0;
    std::uint64_t number = 0;  // of the event
    StreamState* stream = nullptr;
    bool pending = false;
  };

  [[nodiscard]] Entry* entry(const std::uint64_t* key) {
    std::uint64_t& place = entries.place(key);
    if (place == 0) {
      if (slab.size() >= kMostEntries) {
        entries.erase(key);
        ++context_.marking.timeline().mutable_counts().not_held;
        return nullptr;
      }
      slab.emplace_back();
      place = slab.size();
    }
    return &slab[place - 1];
  }
  [[nodiscard]] std::uint32_t number_of(const std::uint64_t* key) const {
    return entries.find(key);
  }

  void slice_ended(std::uint32_t number, std::int64_t time) override {
    Entry& entry = slab[number - 1];
    if (entry.pending) entry.requested = time;
  }

  const WaitRule* rule;
  ClassMatcher from = {};
  ClassMatcher to = {};
  std::optional<RuleValue> when = {};
  std::optional<RuleValue> to_when = {};
  std::vector<RuleValue> key_a = {};
  std::vector<RuleValue> key_b = {};
  TrackSpace* track = nullptr;
  SliceState* during = nullptr;
  NameId name = kNoName;
  KeyTable entries;
  std::vector<Entry> slab;

 private:
  RuleContext& context_;
};

class RequestWait final : public Action {
 public:
  RequestWait(WaitState& state, const EventClass& event_class, RuleContext& context,
              std::uint64_t trace)
      : context_(context),
        state_(state),
        when_(state.when, event_class, context),
        key_(bind_all(state.key_a, event_class)),
        trace_(trace) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    Words words = {};
    if (!read_key(key_, *now.event, context_.scope, words.data())) return;
    words[key_.size()] = trace_;
    WaitState::Entry* const entry = state_.entry(words.data());
    if (entry == nullptr || (entry->pending && !state_.rule->last)) return;
    entry->number = now.number;
    entry->stream = now.stream;
    entry->pending = true;
    entry->requested = now.time;
  }

 private:
  RuleContext& context_;
  WaitState& state_;
  BoundWhen when_;
  std::vector<BoundValue> key_;
  std::uint64_t trace_;
};

class ServeWait final : public Action {
 public:
  ServeWait(WaitState& state, BoundTrack track, const EventClass& event_class, RuleContext& context,
            const Arguments* arguments, std::uint64_t trace)
      : context_(context),
        state_(state),
        track_(std::move(track)),
        when_(state.to_when, event_class, context),
        key_(bind_all(state.key_b, event_class)),
        arguments_(arguments),
        trace_(trace) {}

  void run(const Moment& now) override {
    if (!when_(*now.event)) return;
    Words words = {};
    if (!read_key(key_, *now.event, context_.scope, words.data())) return;
    words[key_.size()] = trace_;
    WaitState::Entry* const entry = state_.entry(words.data());
    if (entry == nullptr) return;
    if (entry->pending) {
      const bool lost = (entry->stream != nullptr && entry->stream->lost_at > entry->number) ||
                        (now.stream != nullptr && now.stream->lost_at > entry->number);
      const TrackId track = track_.find(*now.event);
      if (track != kNoTrack)
        context_.marking.wait(track, state_.name, now, entry->requested, arguments_,
                              lost ? kAcrossLoss : 0);
    }
    entry->pending = false;
    if (state_.during == nullptr || state_.during->last_number != now.number ||
        state_.during->last == 0)
      return;
    OpenSlice& slice = context_.marking.open(state_.during->last);
    slice.observer = &state_;
    slice.observed = state_.number_of(words.data());
  }

 private:
  RuleContext& context_;
  WaitState& state_;
  BoundTrack track_;
  BoundWhen when_;
  std::vector<BoundValue> key_;
  const Arguments* arguments_;
  std::uint64_t trace_;
};

struct FlowState {
  explicit FlowState(const FlowRule& of) : rule(&of), begun(of.match.size() + 1) {}

  struct Begin {
    TrackId track = kNoTrack;
    std::int64_t time = 0;
  };
  const FlowRule* rule;
  ClassMatcher from = {};
  ClassMatcher to = {};
  std::vector<RuleValue> key_a = {};
  std::vector<RuleValue> key_b = {};
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
        key_(bind_all(state.key_a, event_class)),
        trace_(trace) {}

  void run(const Moment& now) override {
    Words words = {};
    const TrackId track = track_.find(*now.event);
    if (track == kNoTrack || !read_key(key_, *now.event, context_.scope, words.data())) return;
    words[key_.size()] = trace_;
    std::uint64_t& place = state_.begun.place(words.data());
    if (place == 0) {
      if (state_.unused.empty() && state_.slab.size() >= kMostEntries) {
        state_.begun.erase(words.data());
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
    state_.slab[place - 1] = {track, now.time};
  }

 private:
  RuleContext& context_;
  FlowState& state_;
  BoundTrack track_;
  std::vector<BoundValue> key_;
  std::uint64_t trace_;
};

class EndFlow final : public Action {
 public:
  EndFlow(FlowState& state, BoundTrack track, const EventClass& event_class, RuleContext& context,
          std::uint64_t trace)
      : context_(context),
        state_(state),
        track_(std::move(track)),
        key_(bind_all(state.key_b, event_class)),
        trace_(trace) {}

  void run(const Moment& now) override {
    Words words = {};
    if (!read_key(key_, *now.event, context_.scope, words.data())) return;
    words[key_.size()] = trace_;
    const std::uint32_t number = state_.begun.find(words.data());
    if (number == 0) return;
    const FlowState::Begin begin = state_.slab[number - 1];
    state_.begun.erase(words.data());
    state_.unused.push_back(number);
    const TrackId track = track_.find(*now.event);
    if (track != kNoTrack && now.time - begin.time >= state_.minimum)
      context_.marking.flow(begin.track, begin.time, track, now);
  }

 private:
  RuleContext& context_;
  FlowState& state_;
  BoundTrack track_;
  std::vector<BoundValue> key_;
  std::uint64_t trace_;
};

}  // namespace tracedeck::timeline

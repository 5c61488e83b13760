#include "tracedeck/comparison/equal_traces.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tracedeck/comparison/event_differences.hpp"
#include "tracedeck/comparison/event_pairing.hpp"
#include "tracedeck/comparison/property_differences.hpp"
#include "tracedeck/comparison/stream_pairs.hpp"

namespace tracedeck::comparison {
namespace {

class TraceComparison {
 public:
  TraceComparison(const ComparedTrace& left, const ComparedTrace& right,
                  const EqualityOptions& options)
      : inputs_{Input{left}, Input{right}},
        most_waiting_(options.most_waiting),
        result_{.differences = Differences(options.most_kinds)} {}

  Result<Comparison> run() {
    for (;;) {
      // The one that is behind, as far as what waits says so.
      Input& left = inputs_[0];
      Input& right = inputs_[1];
      if (left.ended && right.ended) break;
      const bool reads_left = !left.ended && (right.ended || left.waiting <= right.waiting);
      const Side side = reads_left ? Side::kLeft : Side::kRight;
      Result<BatchPtr> batch = input(side).trace.source.next();
      if (!batch) return std::unexpected(std::move(batch.error()));
      if (*batch == nullptr) {
        input(side).ended = true;
        continue;
      }
      for (const Record& record : (*batch)->records()) take(side, *batch, record);
      while (left.waiting + right.waiting > most_waiting_) give_up_one();
    }
    finish();
    return std::move(result_);
  }

 private:
  struct Input {
    ComparedTrace trace;
    std::size_t waiting = 0;
    bool ended = false;
  };

  Input& input(Side side) { return inputs_[std::to_underlying(side)]; }

  void take(Side side, const BatchPtr& batch, const Record& record) {
    switch (record.kind) {
      case RecordKind::kEvent:
        return take_event(side, batch, record.event);
      case RecordKind::kLoss:
        return take_loss(side, *record.loss);
      case RecordKind::kStreamEnd:
        return streams_.end(side, record.stream);
      default:
        return;
    }
  }

  void take_event(Side side, const BatchPtr& batch, const Event& event) {
    StreamPair& pair = streams_.find(side, event.stream);
    ++pair.half(side).event_count;
    if (pair.given_up) return;
    pair.half(side).events.push_back({batch, &event});
    ++input(side).waiting;
    pair_events(pair, false);
  }

  // `last`: no more events come.
  void pair_events(StreamPair& pair, bool last) {
    WaitingQueue<WaitingEvent>& left = pair.half(Side::kLeft).events;
    WaitingQueue<WaitingEvent>& right = pair.half(Side::kRight).events;
    const auto is_enough = [&] {
      return last || (left.size() > kLookAhead && right.size() > kLookAhead);
    };
    if (pair.undecided && !is_enough()) return;
    while (!left.empty() && !right.empty()) {
      const std::optional<Skipped> skipped = next_match(left, right);
      pair.undecided = !skipped && !is_enough();
      if (pair.undecided) return;
      for (std::size_t i = 0; skipped && i < skipped->left; ++i)
        events_.add_missing(take_first(Side::kLeft, left).event, nullptr);
      for (std::size_t i = 0; skipped && i < skipped->right; ++i)
        events_.add_missing(nullptr, take_first(Side::kRight, right).event);
      const WaitingEvent a = take_first(Side::kLeft, left);
      const WaitingEvent b = take_first(Side::kRight, right);
      ++result_.events;
      events_.compare(a.batch, *a.event, b.batch, *b.event);
    }
  }

  WaitingEvent take_first(Side side, WaitingQueue<WaitingEvent>& events) {
    --input(side).waiting;
    return events.take_first();
  }

  void take_loss(Side side, const Loss& loss) {
    StreamPair& pair = streams_.find(side, loss.stream);
    WaitingQueue<Loss>& partners = pair.half(other(side)).losses;
    if (partners.empty()) {
      pair.half(side).losses.push_back(loss);
      return;
    }
    const Loss partner = partners.take_first();
    compare_losses(side == Side::kLeft ? &loss : &partner, side == Side::kLeft ? &partner : &loss);
  }

  // One of them may be null.
  void compare_losses(const Loss* left, const Loss* right) {
    const PropertyDifferences properties(result_.differences, DifferenceKind::kLoss, "", "");
    if (left == nullptr || right == nullptr) {
      const Loss& there = left != nullptr ? *left : *right;
      const std::string words =
          "loss of " + in_words(there.events) + " events, " + in_words(there.packets) + " packets";
      return properties.add("missing", left != nullptr ? words : "", right != nullptr ? words : "");
    }
    const auto time = [](const std::optional<Nanoseconds>& when) {
      return when ? when->to_string() : std::string();
    };
    properties.compare("events", left->events, right->events);
    properties.compare("packets", left->packets, right->packets);
    properties.compare("taken back", left->taken_back, right->taken_back);
    properties.compare("begin", time(left->begin), time(right->begin));
    properties.compare("end", time(left->end), time(right->end));
  }

  void give_up_one() {
    StreamPair& pair = *std::ranges::max_element(streams_.all(), {}, [](const StreamPair& each) {
      return each.halves[0].events.size() + each.halves[1].events.size();
    });
    pair.given_up = true;
    let_go(pair);
  }

  void let_go(StreamPair& pair) {
    for (const Side side : {Side::kLeft, Side::kRight}) {
      input(side).waiting -= pair.half(side).events.size();
      pair.half(side).events.clear();
    }
  }

  void finish() {
    streams_.pair_the_rest();
    for (StreamPair& pair : streams_.all()) finish(pair);
    events_.compare_the_rest(*inputs_[0].trace.description, *inputs_[1].trace.description);
  }

  void finish(StreamPair& pair) {
    StreamPair::Half& left = pair.half(Side::kLeft);
    StreamPair::Half& right = pair.half(Side::kRight);
    if (!left.exists && !right.exists) return;
    const DataStreamClass* const stream_class =
        left.exists ? left.stream_class : right.stream_class;
    const PropertyDifferences properties(
        result_.differences, DifferenceKind::kStream,
        stream_class != nullptr ? stream_class->name.value_or(in_words(stream_class->id)) : "", "");
    if (pair.given_up) {
      properties.add("too far apart", in_words(left.event_count) + " events",
                     in_words(right.event_count) + " events");
    }
    if (!pair.paired()) {
      const auto words = [](const StreamPair::Half& half) {
        if (!half.exists) return std::string();
        return "{" + half.keys + "} with " + in_words(half.event_count) + " events";
      };
      properties.add("missing", words(left), words(right));
      return let_go(pair);
    }
    properties.compare("keys", left.keys, right.keys);
    events_.compare(left.stream_class, right.stream_class);
    if (!pair.given_up) finish_events(pair);
    finish_losses(left, right);
  }

  void finish_events(StreamPair& pair) {
    pair_events(pair, true);
    const StreamPair::Half& left = pair.half(Side::kLeft);
    const StreamPair::Half& right = pair.half(Side::kRight);
    for (std::size_t i = 0; i < left.events.size(); ++i)
      events_.add_missing(left.events[i].event, nullptr);
    for (std::size_t i = 0; i < right.events.size(); ++i)
      events_.add_missing(nullptr, right.events[i].event);
    let_go(pair);
  }

  void finish_losses(StreamPair::Half& left, StreamPair::Half& right) {
    for (std::size_t i = 0; i < std::max(left.losses.size(), right.losses.size()); ++i) {
      compare_losses(i < left.losses.size() ? &left.losses[i] : nullptr,
                     i < right.losses.size() ? &right.losses[i] : nullptr);
    }
  }

  std::array<Input, 2> inputs_;
  std::size_t most_waiting_;
  Comparison result_;
  StreamPairs streams_;
  EventDifferences events_{result_.differences};
};

}  // namespace

Result<Comparison> equal_traces(const ComparedTrace& left, const ComparedTrace& right,
                                const EqualityOptions& options) {
  return TraceComparison(left, right, options).run();
}

Result<Comparison> equal_traces(Reader& left, Reader& right, const EqualityOptions& options) {
  return equal_traces({left, left.description()}, {right, right.description()}, options);
}

}  // namespace tracedeck::comparison

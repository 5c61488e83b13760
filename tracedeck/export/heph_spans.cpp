#include "tracedeck/export/heph_spans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/export/argument.hpp"
#include "tracedeck/export/mark_exporter.hpp"
#include "tracedeck/heph/encoder.hpp"
#include "tracedeck/heph/wire.hpp"
#include "tracedeck/timeline/arguments.hpp"

namespace tracedeck::exporting {
namespace {

using timeline::Mark;
using timeline::Timeline;
using timeline::TrackId;

constexpr std::size_t kMostHeld = std::size_t{16} << 20;

// An argument of a slice that is open, with the text that it points to.
struct HeldArgument {
  std::string name;
  Argument value;
  std::string text;

  [[nodiscard]] std::size_t memory() const {
    return sizeof(HeldArgument) + name.capacity() + text.capacity();
  }
};
using HeldArguments = std::vector<HeldArgument>;

class HephSpans final : public MarkExporter<HephSpans> {
 public:
  explicit HephSpans(io::Output& output)
      : encoder_([&output](ByteSpan bytes) { return output.write(bytes); }) {}

  Result<void> finish(const Timeline& timeline) override {
    start(timeline, timeline.begin());
    const auto finished = encoder_.finish();
    if (!status_) return status_;
    return finished ? Result<void>() : std::unexpected(finished.error());
  }
  [[nodiscard]] Receipt receipt() const override;

 private:
  friend class MarkExporter<HephSpans>;

  struct TrackState {
    std::vector<HeldArguments> open = {};  // of its slices, innermost last
    bool named = false;
    std::uint32_t counter = 0;
  };

  [[nodiscard]] Result<void> status() { return status_; }
  void begin_trace(const Timeline& timeline, std::int64_t first);
  void before(const Timeline&, const Mark&) {}
  void begin_slice(const Timeline& timeline, const Mark& mark);
  void end_slice(const Timeline& timeline, const Mark& mark);
  void put_instant(const Timeline&, const Mark&) { ++counts_.others; }
  void put_state(const Timeline&, const Mark&) { ++counts_.others; }
  void put_counter(const Timeline&, const Mark&) { ++counts_.others; }
  void put_flow(const Timeline&, const Mark&) { ++counts_.others; }
  void put_wait(const Timeline&, const Mark&) { ++counts_.others; }
  void put_gap(const Timeline&, const Mark&) { ++counts_.others; }

  void keep(Result<void> done) {
    if (status_) status_ = std::move(done);
  }
  void add_arguments(HeldArguments& arguments, const Mark& mark);
  void put(const Timeline& timeline, const Mark& mark, const HeldArguments& arguments);
  [[nodiscard]] heph::AttributeValue value_of(const HeldArgument& argument);
  [[nodiscard]] std::string_view fitting(std::string_view text);
  TrackState& state_of(const Timeline& timeline, TrackId track) {
    if (track > states_.size()) states_.resize(timeline.track_count());
    return states_[track - 1];
  }
  [[nodiscard]] std::uint64_t time_of(std::int64_t time) {
    if (time < epoch_) ++counts_.early;
    return time < epoch_ ? 0
                         : static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(epoch_);
  }

  heph::Encoder encoder_;
  Result<void> status_ = {};
  std::int64_t epoch_ = 0;
  std::vector<TrackState> states_;     // by TrackId
  std::vector<HeldArguments> moving_;  // to another lane, outermost last
  std::size_t held_ = 0;               // bytes of arguments
  ArgumentReader reader_;
  std::vector<heph::Attribute> attributes_;
  struct Counts {
    std::uint64_t unfinished = 0;
    std::uint64_t others = 0;
    std::uint64_t early = 0;
    std::uint64_t without_epoch = 0;
    std::uint64_t cut = 0;
    std::uint64_t not_held = 0;
  };
  Counts counts_;
};

void HephSpans::begin_trace(const Timeline& timeline, std::int64_t first) {
  const ClockClass* const clock = timeline.clock();
  if (clock == nullptr || clock->origin != ClockOrigin::kUnixEpoch) return;
  const std::int64_t begin = std::min(first, timeline.begin());
  epoch_ = timeline.base() == 0 ? std::max<std::int64_t>(0, begin) : begin;
  const Uint128 epoch = timeline.absolute(epoch_).magnitude();
  if (epoch > ~std::uint64_t{0}) {
    ++counts_.without_epoch;
    return;
  }
  keep(encoder_.set_epoch(static_cast<std::uint64_t>(epoch)));
}

void HephSpans::add_arguments(HeldArguments& arguments, const Mark& mark) {
  if (mark.arguments == nullptr) return;
  timeline::visit_arguments(mark, [&](std::string_view name, const query::Value& value) {
    const bool known =
        std::ranges::any_of(arguments, [&](const HeldArgument& each) { return each.name == name; });
    if (known) return;
    const Argument read = reader_.read(value);
    if (read.kind == Argument::Kind::kNone) return;
    arguments.push_back({std::string(name), read, std::string(read.text)});
  });
}

void HephSpans::begin_slice(const Timeline& timeline, const Mark& mark) {
  std::vector<HeldArguments>& open = state_of(timeline, mark.track).open;
  if (mark.has(timeline::kMoved) && !moving_.empty()) {
    open.push_back(std::move(moving_.back()));
    return moving_.pop_back();
  }
  HeldArguments& arguments = open.emplace_back();
  if (held_ > kMostHeld) {
    counts_.not_held += mark.arguments == nullptr ? 0 : 1;
    return;
  }
  add_arguments(arguments, mark);
  for (const HeldArgument& each : arguments) held_ += each.memory();
}

void HephSpans::end_slice(const Timeline& timeline, const Mark& mark) {
  std::vector<HeldArguments>& open = state_of(timeline, mark.track).open;
  HeldArguments arguments;
  if (!open.empty()) {
    arguments = std::move(open.back());
    open.pop_back();
  }
  if (mark.has(timeline::kMoved)) return moving_.push_back(std::move(arguments));
  for (const HeldArgument& each : arguments) held_ -= std::min(held_, each.memory());
  if (!mark.has_duration()) {
    ++counts_.unfinished;
    return;
  }
  add_arguments(arguments, mark);
  put(timeline, mark, arguments);
}

heph::AttributeValue HephSpans::value_of(const HeldArgument& argument) {
  switch (argument.value.kind) {
    case Argument::Kind::kSigned:
      return argument.value.integer;
    case Argument::Kind::kReal:
      return argument.value.real;
    case Argument::Kind::kText:
      return fitting(argument.text);
    case Argument::Kind::kBoolean:
      return std::uint64_t{argument.value.boolean ? 1U : 0U};
    default:
      return argument.value.natural;
  }
}

std::string_view HephSpans::fitting(std::string_view text) {
  if (text.size() <= heph::kMaxLength) return text;
  ++counts_.cut;
  return text.substr(0, heph::kMaxLength);
}

void HephSpans::put(const Timeline& timeline, const Mark& mark, const HeldArguments& arguments) {
  const timeline::Track& track = timeline.track(mark.track);
  const TrackId stream = track.lane == 0 ? mark.track : track.first_lane;
  TrackState& state = state_of(timeline, stream);
  if (!std::exchange(state.named, true)) {
    const std::string_view name = fitting(timeline.track(stream).name);
    keep(encoder_.set_option(fmt::format("stream.{}", stream), as_bytes(name)));
  }
  attributes_.clear();
  for (const HeldArgument& each : arguments)
    attributes_.push_back({fitting(each.name), value_of(each)});
  const std::string label = timeline.name(mark.name).label();
  keep(encoder_.write({.stream = stream,
                       .counter = state.counter++,
                       .substream = track.lane,
                       .start = time_of(mark.begin),
                       .end = time_of(mark.time)},
                      fitting(label), attributes_));
}

Receipt HephSpans::receipt() const {
  Receipt receipt = {
      {"slice without a begin, an end or a known duration", "left out", counts_.unfinished},
      {"state, counter, instant, wait, arrow or gap", "left out", counts_.others},
      {"time before the trace's begin", "moved there", counts_.early},
      {"trace that begins 2^64 ns after its clock's origin, or later",
       "its times count from its begin", counts_.without_epoch},
      {"text of more than 65,535 bytes", "cut", counts_.cut},
      {"arguments of a slice beyond what memory holds", "left out", counts_.not_held},
  };
  std::erase_if(receipt, [](const ReceiptEntry& entry) { return entry.count == 0; });
  return receipt;
}

}  // namespace

std::unique_ptr<Exporter> make_heph_spans(io::Output& output) {
  return std::make_unique<HephSpans>(output);
}

}  // namespace tracedeck::exporting

#include "tracedeck/export/folded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tracedeck/export/mark_exporter.hpp"
#include "tracedeck/export/sample_stack.hpp"
#include "tracedeck/export/stack_tree.hpp"
#include "tracedeck/export/track_depth.hpp"
#include "tracedeck/timeline/arguments.hpp"
#include "tracedeck/timeline/heap_samples.hpp"

namespace tracedeck::exporting {
namespace {

using timeline::HeapSample;
using timeline::HeapSamples;
using timeline::Mark;
using timeline::Timeline;
using timeline::TrackId;

constexpr std::size_t kMostAddresses = std::size_t{1} << 20;  // whose names are kept

// Stacks of slices, by their nesting.
class SliceStacks {
 public:
  void begin(const Timeline& timeline, const Mark& mark);
  void end(const Timeline& timeline, const Mark& mark);

  StackTree tree;
  // Slices whose duration is not known: counted as far as it is, and not counted.
  std::uint64_t unsure = 0;
  std::uint64_t left_out = 0;

 private:
  struct Open {
    StackTree::Node node;
    std::uint64_t inside = 0;  // ns of the slices in it
  };
  struct TrackStack {
    StackTree::Node root = StackTree::kRoot;  // of its name; kRoot: not made yet
    std::vector<Open> open;
    std::size_t too_deep = 0;     // of those that are open
    std::uint64_t outermost = 0;  // ns of slices that were in no other
  };

  [[nodiscard]] TrackStack& stack_of(const Timeline& timeline, TrackId track);
  [[nodiscard]] StackTree::Node child(const Timeline& timeline, const Mark& mark,
                                      TrackStack& stack);

  std::vector<TrackStack> stacks_;                       // by TrackId
  std::vector<std::optional<StackTree::Frame>> frames_;  // by NameId
};

SliceStacks::TrackStack& SliceStacks::stack_of(const Timeline& timeline, TrackId track) {
  if (track > stacks_.size()) stacks_.resize(timeline.track_count());
  return stacks_[track - 1];
}

StackTree::Node SliceStacks::child(const Timeline& timeline, const Mark& mark, TrackStack& stack) {
  if (stack.root == StackTree::kRoot) [[unlikely]] {
    const timeline::Track& track = timeline.track(mark.track);
    stack.root = tree.child(StackTree::kRoot, tree.frame(timeline.track(track.first_lane).name));
  }
  if (mark.name >= frames_.size()) frames_.resize(timeline.name_count() + 1);
  std::optional<StackTree::Frame>& frame = frames_[mark.name];
  if (!frame) {
    frame = tree.frame(mark.name == timeline::kNoName
                           ? std::string_view()
                           : std::string_view(timeline.name(mark.name).text));
  }
  return tree.child(stack.open.empty() ? stack.root : stack.open.back().node, *frame);
}

void SliceStacks::begin(const Timeline& timeline, const Mark& mark) {
  TrackStack& stack = stack_of(timeline, mark.track);
  if (stack.open.size() == kMostDepth) {
    ++stack.too_deep;
  } else {
    stack.open.push_back({.node = child(timeline, mark, stack)});
  }
}

void SliceStacks::end(const Timeline& timeline, const Mark& mark) {
  TrackStack& stack = stack_of(timeline, mark.track);
  // What is too deep counts for the slice around it.
  if (stack.too_deep != 0) {
    --stack.too_deep;
    return;
  }
  auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(mark.duration(), 0));
  if ((mark.flags & timeline::kNoDuration) != 0) {
    // A thread is in what it has not left. A request that nothing ends may be over long since.
    const bool counts = timeline.track(mark.track).kind != timeline::TrackKind::kLanes;
    ++(counts ? unsure : left_out);
    if (!counts) length = 0;
  }
  Open closed{};
  if (stack.open.empty()) {
    // It began before all others there, which are inside.
    closed = {.node = child(timeline, mark, stack), .inside = std::exchange(stack.outermost, 0)};
  } else {
    closed = stack.open.back();
    stack.open.pop_back();
  }
  tree.add(closed.node, length - std::min(length, closed.inside));
  (stack.open.empty() ? stack.outermost : stack.open.back().inside) += length;
}

// Stacks of samples, by the names of addresses.
class SampleStacks {
 public:
  SampleStacks()
      : visit_([this](std::string_view name, const query::Value& value) {
          if (query::is_stack(name, value)) add(value);
        }) {}
  SampleStacks(const SampleStacks&) = delete;
  SampleStacks& operator=(const SampleStacks&) = delete;

  void take(const Timeline& timeline, const Mark& mark);
  // The stack of a list of addresses below `node`; that itself where it has none.
  [[nodiscard]] StackTree::Node below(StackTree::Node node, const TraceDescription* trace,
                                      const query::Value& value);

  StackTree tree;
  std::uint64_t count = 0;
  std::uint64_t nameless = 0;  // addresses in stacks that have no name

 private:
  void add(const query::Value& value);
  // The frames of an address, the innermost first.
  [[nodiscard]] const std::vector<StackTree::Frame>& frames_of(std::uint64_t address);

  timeline::Arguments::Visit visit_;
  const TraceDescription* trace_ = nullptr;  // of the mark at hand
  std::string_view kind_;                    // what it is called
  std::vector<StackTree::Frame> frames_;     // of its stack, the leaf first
  struct Name {
    std::vector<StackTree::Frame> frames;
    bool is_known;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Name> names_;  // by trace and address
};

void SampleStacks::take(const Timeline& timeline, const Mark& mark) {
  if (mark.arguments == nullptr || mark.event == nullptr) return;
  trace_ = trace_of(mark);
  kind_ = mark.name == timeline::kNoName ? std::string_view("sample")
                                         : std::string_view(timeline.name(mark.name).text);
  timeline::visit_arguments(mark, visit_);
}

StackTree::Node SampleStacks::below(StackTree::Node node, const TraceDescription* trace,
                                    const query::Value& value) {
  trace_ = trace;
  frames_.clear();
  (void)query::for_each_address(*value.slot, [this](std::uint64_t address) {
    for (const StackTree::Frame frame : frames_of(address)) {
      if (frames_.size() < kMostDepth) frames_.push_back(frame);
    }
  });
  for (std::size_t i = frames_.size(); i-- != 0;) node = tree.child(node, frames_[i]);
  return node;
}

void SampleStacks::add(const query::Value& value) {
  bool is_empty = true;
  (void)query::for_each_address(*value.slot, [&](std::uint64_t) { is_empty = false; });
  if (is_empty) return;
  // Samples of different kinds, as of what runs and of what waits, do not add up.
  const StackTree::Node kind = tree.child(StackTree::kRoot, tree.frame(kind_));
  tree.add(below(kind, trace_, value), 1);
  ++count;
}

const std::vector<StackTree::Frame>& SampleStacks::frames_of(std::uint64_t address) {
  const std::pair key{trace_ == nullptr ? 0 : trace_->number(), address};
  auto known = names_.find(key);
  if (known == names_.end()) {
    const std::span<const Function> functions = query::functions_at(address, trace_);
    if (names_.size() == kMostAddresses) names_.clear();
    Name name{.frames = {}, .is_known = !functions.empty()};
    for (const Function& each : functions) name.frames.push_back(tree.frame(each.name));
    if (functions.empty()) name.frames.push_back(tree.frame(fmt::format("{:#x}", address)));
    known = names_.emplace(key, std::move(name)).first;
  }
  if (!known->second.is_known) ++nameless;
  return known->second.frames;
}

// Stacks of allocations, and the bytes that those stand for.
class AllocationStacks {
 public:
  AllocationStacks(SampleStacks& stacks, bool only_live)
      : stacks_(stacks),
        only_live_(only_live),
        heap_([this](const Event& event, const Slot* stack) { return node_of(event, stack); },
              [this](const HeapSample& sample) {
                if (!only_live_) add(sample);
              }) {}
  AllocationStacks(const AllocationStacks&) = delete;
  AllocationStacks& operator=(const AllocationStacks&) = delete;

  void see(const Event& event) { heap_.see(event); }
  // Adds what was found to the stacks.
  void finish();
  [[nodiscard]] const HeapSamples& heap() const { return heap_; }

 private:
  [[nodiscard]] std::uint32_t node_of(const Event& event, const Slot* stack);
  void add(const HeapSample& sample) {
    if (sample.tag >= bytes_.size()) bytes_.resize(std::size_t{sample.tag} + 1);
    bytes_[sample.tag] += sample.bytes;
  }

  SampleStacks& stacks_;
  bool only_live_;
  std::vector<double> bytes_;  // by node
  HeapSamples heap_;
};

std::uint32_t AllocationStacks::node_of(const Event& event, const Slot* stack) {
  query::Value value;
  value.kind = query::Value::Kind::kCompound;
  value.slot = stack;
  const DataStreamClass* const stream_class = event.event_class->stream_class;
  const TraceDescription* const trace = stream_class == nullptr ? nullptr : stream_class->trace;
  const StackTree::Node node =
      stack == nullptr ? StackTree::kRoot : stacks_.below(StackTree::kRoot, trace, value);
  if (node != StackTree::kRoot) return node;
  return stacks_.tree.child(StackTree::kRoot, stacks_.tree.frame("(no stack)"));
}

void AllocationStacks::finish() {
  if (only_live_ && heap_.knows_frees())
    heap_.for_each_live([this](const HeapSample& sample) { add(sample); });
  for (std::size_t node = 0; node < bytes_.size(); ++node) {
    const auto bytes = std::llround(bytes_[node]);
    if (bytes > 0)
      stacks_.tree.add(static_cast<StackTree::Node>(node), static_cast<std::uint64_t>(bytes));
  }
}

class Folded final : public MarkExporter<Folded> {
 public:
  Folded(io::Output& output, FoldedStacks stacks) : out_(&output), stacks_(stacks) {
    if (is_of_memory()) memory_.emplace(samples_, stacks == FoldedStacks::kLiveBytes);
  }

  void see(const Timeline&, const Batch& batch) override {
    if (!memory_) return;
    for (const Record& record : batch.records()) {
      if (record.kind == RecordKind::kEvent) memory_->see(record.event);
    }
  }
  Result<void> finish(const Timeline& timeline) override;
  [[nodiscard]] Receipt receipt() const override;

 private:
  friend class MarkExporter<Folded>;

  [[nodiscard]] Result<void> status() const { return {}; }
  void begin_trace(const Timeline&, std::int64_t) {}
  void before(const Timeline&, const Mark&) {}
  void begin_slice(const Timeline& timeline, const Mark& mark) {
    if (!writes_samples()) slices_.begin(timeline, mark);
  }
  void end_slice(const Timeline& timeline, const Mark& mark) {
    ++slice_count_;
    if (!writes_samples()) slices_.end(timeline, mark);
  }
  void put_instant(const Timeline& timeline, const Mark& mark) {
    if (stacks_ != FoldedStacks::kSlices && !memory_) samples_.take(timeline, mark);
  }
  // Neither has a stack.
  void put_state(const Timeline&, const Mark&) {}
  void put_counter(const Timeline&, const Mark&) {}
  void put_flow(const Timeline&, const Mark&) {}
  void put_wait(const Timeline&, const Mark&) {}
  void put_gap(const Timeline&, const Mark&) { ++gaps_; }

  [[nodiscard]] bool is_of_memory() const { return stacks_ > FoldedStacks::kAuto; }
  [[nodiscard]] bool writes_samples() const {
    return stacks_ == FoldedStacks::kSamples || is_of_memory() ||
           (stacks_ == FoldedStacks::kAuto && !samples_.tree.empty());
  }

  TextBuffer out_;
  FoldedStacks stacks_;
  SliceStacks slices_;
  SampleStacks samples_;
  std::optional<AllocationStacks> memory_;
  std::uint64_t slice_count_ = 0;
  std::uint64_t gaps_ = 0;
};

Result<void> Folded::finish(const Timeline&) {
  if (memory_) {
    memory_->finish();
    samples_.tree.write(out_, 0);
  } else if (writes_samples()) {
    // One kind needs no frame of its own.
    samples_.tree.write(out_, samples_.tree.root_count() > 1 ? 0 : 1);
  } else {
    slices_.tree.write(out_, 0);
  }
  return out_.drain();
}

Receipt Folded::receipt() const {
  const bool samples = writes_samples();
  Receipt receipt = {
      {"sample with a stack",
       fmt::format("the stacks are of these; the slices, {}, are in none", slice_count_),
       samples && slice_count_ != 0 ? samples_.count : 0, false},
      {"slice whose duration is not known", "counted as far as it is",
       samples ? 0 : slices_.unsure},
      {"slice that may overlap others, whose duration is not known", "counted as 0ns",
       samples ? 0 : slices_.left_out},
      {"address without a name", "written as a number", samples ? samples_.nameless : 0, false},
      {"stack or frame beyond a million others", "counted for a shorter one, or as (other)",
       samples ? samples_.tree.cut() : slices_.tree.cut()},
      {"allocation whose sample rate is not recorded", "counted once, as it was sampled",
       memory_ ? memory_->heap().unscaled() : 0},
      {"allocation whose free is not tracked", "what is in use is not known, and in no stack",
       stacks_ == FoldedStacks::kLiveBytes ? memory_->heap().untracked() : 0},
      {"allocation beyond a million in use", "what is in use is not known, and in no stack",
       stacks_ == FoldedStacks::kLiveBytes ? memory_->heap().not_held() : 0},
      {"loss", "left out: what happened in it is in no stack", gaps_},
  };
  std::erase_if(receipt, [](const ReceiptEntry& entry) { return entry.count == 0; });
  return receipt;
}

}  // namespace

std::unique_ptr<Exporter> make_folded(io::Output& output, FoldedStacks stacks) {
  return std::make_unique<Folded>(output, stacks);
}

}  // namespace tracedeck::exporting

#include "tracedeck/timeline/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/timeline/chance.hpp"
#include "tracedeck/timeline/marking.hpp"

namespace tracedeck::timeline {
namespace {

// Of the histograms in blocks, of one trace. Before they take more, blocks become longer.
constexpr std::size_t kMostMemory = std::size_t{24} << 20U;

constexpr std::size_t kEntry = sizeof(PerBlock<Histogram>::Entry);

constexpr std::string_view kUnnamed = "event id ";

std::size_t memory_of(const ComparedTrace::RowBlocks& blocks) {
  std::size_t memory = 0;
  for (const auto& [number, durations] : blocks.durations.entries())
    memory += kEntry + durations.memory();
  return memory;
}

void add_count(std::uint64_t& into, std::uint64_t from) { into += from; }

std::string row_key(const LatencyRow& row) {
  std::string key(1, row.is_wait ? 'w' : 's');
  for (const std::string* const part : {&row.category, &row.name, &row.by}) {
    key += *part;
    key += '\0';
  }
  return key;
}

// What is of A and B together, in the order of A and then of B.
template <class Pair, class Of, class Key>
std::vector<Pair> matched(const std::deque<Of>& a, const std::deque<Of>& b, const Key& key) {
  std::vector<Pair> pairs;
  TextMap<std::size_t> places;
  for (const Of& each : a) {
    places.emplace(key(each), pairs.size());
    pairs.emplace_back().a = &each;
  }
  for (const Of& each : b) {
    const auto found = places.find(key(each));
    if (found == places.end()) pairs.emplace_back();
    (found == places.end() ? pairs.back() : pairs[found->second]).b = &each;
  }
  return pairs;
}

// Durations that are not known, taken for longer or for shorter than all others.
struct Assumed {
  double longer = 0;
  double shorter = 0;
};

// The bound that divides the values of both as nearly as possible at a quantile: those of buckets
// from there on are above it.
double threshold_of(const Histogram& both, const Assumed& assumed, double part) {
  const double all = static_cast<double>(both.count()) + assumed.longer + assumed.shorter;
  const auto off = [&](double above) { return std::fabs(above / all - (1 - part)); };
  double above = static_cast<double>(both.count()) + assumed.longer;
  double best = std::numeric_limits<double>::infinity();
  double least = assumed.longer != 0 ? off(assumed.longer) : 1;
  for (const Histogram::Bucket& bucket : both.buckets()) {
    if (off(above) < least) {
      least = off(above);
      best = bucket.lower;
    }
    above -= static_cast<double>(bucket.count);
  }
  return best;
}

std::vector<ChanceBlock> blocks_above(const ComparedTrace::RowBlocks& blocks, double threshold) {
  std::vector<ChanceBlock> list;
  for (const auto& [number, durations] : blocks.durations.entries()) {
    ChanceBlock& block = list.emplace_back();
    block.size = static_cast<double>(durations.count());
    for (const Histogram::Bucket& bucket : durations.buckets()) {
      if (bucket.lower >= threshold) block.hits += static_cast<double>(bucket.count);
    }
  }
  return list;
}

double share_of(const std::vector<ChanceBlock>& blocks, double more_hits, double more_misses) {
  double hits = more_hits;
  double size = more_hits + more_misses;
  for (const ChanceBlock& block : blocks) {
    hits += block.hits;
    size += block.size;
  }
  return hits / size;
}

// Durations that are not known are taken for what makes the difference smallest.
std::optional<double> quantile_chance(const ComparedTrace& a, const LatencyRow& of_a,
                                      const ComparedTrace& b, const LatencyRow& of_b, double part) {
  if (of_a.count() == 0 || of_b.count() == 0) return std::nullopt;
  Histogram both;
  both.merge(of_a.durations);
  both.merge(of_b.durations);
  ChanceSide side_a;
  ChanceSide side_b;
  std::vector<ChanceBlock> blocks_a;
  std::vector<ChanceBlock> blocks_b;
  const auto a_has_more = [&](double threshold) {
    blocks_a = blocks_above(a.blocks_of(of_a), threshold);
    blocks_b = blocks_above(b.blocks_of(of_b), threshold);
    return share_of(blocks_a, side_a.more_hits, side_a.more_misses) >
           share_of(blocks_b, side_b.more_hits, side_b.more_misses);
  };
  const bool known_more = a_has_more(threshold_of(both, {}, part));
  if (of_a.left_out + of_b.left_out != 0) {
    ChanceSide& longer = known_more ? side_a : side_b;
    ChanceSide& shorter = known_more ? side_b : side_a;
    longer.more_misses = static_cast<double>(known_more ? of_a.left_out : of_b.left_out);
    shorter.more_hits = static_cast<double>(known_more ? of_b.left_out : of_a.left_out);
    const Assumed assumed{.longer = shorter.more_hits, .shorter = longer.more_misses};
    if (a_has_more(threshold_of(both, assumed, part)) != known_more) return 1;
  }
  side_a.blocks = blocks_a;
  side_b.blocks = blocks_b;
  return chance_of_shares(side_a, side_b);
}

// How many there are in each block from the trace's begin to its end. `counts` may be null.
std::vector<ChanceBlock> rate_blocks(const ComparedTrace& trace, const TimeBlocks& grid,
                                     const PerBlock<std::uint64_t>* counts) {
  std::vector<ChanceBlock> list;
  if (grid.empty()) return list;
  for (std::int64_t number = grid.first(); number <= grid.last(); ++number)
    list.push_back({.size = grid.seconds(number, trace.begin(), trace.end())});
  if (counts == nullptr) return list;
  for (const auto& [number, value] : counts->entries()) {
    ChanceBlock& block = list[static_cast<std::size_t>(number - grid.first())];
    // What lies beside the trace's times has no rate.
    if (block.size > 0) block.hits = static_cast<double>(value);
  }
  return list;
}

std::optional<double> rate_chance(const std::vector<ChanceBlock>& a,
                                  const std::vector<ChanceBlock>& b) {
  return chance_of_rates({.blocks = a}, {.blocks = b});
}

// How much greater that of B is, or smaller, as a logarithm.
double change_of_rate(std::uint64_t a, const ComparedTrace& trace_a, std::uint64_t b,
                      const ComparedTrace& trace_b) {
  return std::fabs(std::log((static_cast<double>(b) + 0.5) / trace_b.seconds()) -
                   std::log((static_cast<double>(a) + 0.5) / trace_a.seconds()));
}
double change_of_quantile(const ComparedRow& row, double part) {
  return std::fabs(
      std::log((row.b->durations.quantile(part) + 1) / (row.a->durations.quantile(part) + 1)));
}

// 0: both have it; 1: only A; 2: only B.
template <class Pair>
int side_of(const Pair& pair) {
  return pair.b == nullptr ? 1 : pair.a == nullptr ? 2 : 0;
}

struct QuantileFigure {
  ComparedFigure figure;
  double part;
};
constexpr auto kQuantileFigures =
    std::to_array<QuantileFigure>({{ComparedFigure::kMedian, 0.5}, {ComparedFigure::kP99, 0.99}});

}  // namespace

// What comes first among compared rows.
struct RowOrder {
  int side;
  bool is_usual;  // nothing of it is beyond chance
  double weight;  // negative: the greatest comes first
  auto operator<=>(const RowOrder&) const = default;
};

Result<std::unique_ptr<ComparedTrace>> ComparedTrace::make(LatencyOptions options) {
  const auto from = options.begin;
  auto latency = Latency::make(std::move(options));
  if (!latency) return std::unexpected(latency.error());
  auto trace = std::unique_ptr<ComparedTrace>(new ComparedTrace(*std::move(latency)));
  trace->from_ = from;
  return trace;
}

void ComparedTrace::begin_at(std::int64_t time) {
  from_ = time;
  latency_->begin_at(time);
}

Result<void> ComparedTrace::take(const Timeline& timeline, std::span<const Mark> marks) {
  for (const Mark& mark : marks) {
    const bool is_wait = mark.kind == MarkKind::kWait;
    if (mark.kind == MarkKind::kSliceBegin) latency_->see_begin(mark);
    if (!is_wait && mark.kind != MarkKind::kSliceEnd) continue;
    const LatencyRow* const row = latency_->count_end(timeline, mark, is_wait);
    if (row != nullptr) count_in_block(*row, mark);
  }
  return {};
}

void ComparedTrace::count_in_block(const LatencyRow& row, const Mark& mark) {
  const auto [place, is_new] = row_blocks_.try_emplace(&row);
  RowBlocks& blocks = place->second;
  if (is_new) blocks.grid.limit(most_blocks_);
  if (!mark.has_duration()) return;
  cover_rows(mark.time);
  ++blocks.counts.at(row_grid_.number_of(mark.time));
  const unsigned shift = blocks.grid.shift();
  if (blocks.grid.cover(mark.time)) [[unlikely]]
    lengthen(blocks, shift);
  const std::size_t before = blocks.durations.entries().size();
  Histogram& durations = blocks.durations.at(blocks.grid.number_of(mark.time));
  memory_ += durations.add_unsigned(static_cast<std::uint64_t>(mark.duration()));
  memory_ += (blocks.durations.entries().size() - before) * kEntry;
  if (memory_ > kMostMemory) [[unlikely]]
    save_memory();
}

void ComparedTrace::lengthen(RowBlocks& blocks, unsigned shift_before) {
  memory_ -= memory_of(blocks);
  blocks.durations.lengthen(blocks.grid, shift_before,
                            [](Histogram& into, const Histogram& from) { into.merge(from); });
  memory_ += memory_of(blocks);
}

void ComparedTrace::save_memory() {
  constexpr std::int64_t kFewest = 2;
  while (memory_ > kMostMemory && most_blocks_ > kFewest) {
    most_blocks_ /= 2;
    for (auto& [row, blocks] : row_blocks_) {
      const unsigned shift = blocks.grid.shift();
      blocks.grid.limit(most_blocks_);
      lengthen(blocks, shift);
    }
  }
}

void ComparedTrace::cover_rows(std::int64_t time) {
  const unsigned shift = row_grid_.shift();
  if (!row_grid_.cover(time)) [[likely]]
    return;
  for (auto& [row, blocks] : row_blocks_) blocks.counts.lengthen(row_grid_, shift, add_count);
}

void ComparedTrace::cover_events(std::int64_t time) {
  const unsigned shift = event_grid_.shift();
  if (!event_grid_.cover(time)) [[likely]]
    return;
  for (EventCount& each : events_) each.blocks.lengthen(event_grid_, shift, add_count);
}

EventCount& ComparedTrace::count_of(const EventClass& event_class) {
  const bool is_named = event_class.name && !event_class.name->empty();
  std::string name = is_named         ? *event_class.name
                     : event_class.id ? fmt::format("{}{}", kUnnamed, *event_class.id)
                                      : std::string("event");
  EventCount*& count = events_by_name_[name];
  if (count == nullptr) count = &events_.emplace_back(EventCount{.name = std::move(name)});
  return *count;
}

void ComparedTrace::see(const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) continue;
    const EventClass& event_class = *record.event.event_class;
    const bool has_time = event_class.has_real_time();
    const std::int64_t time = has_time ? saturated(record.event.recorded_at()) : 0;
    if (has_time && from_ && time < *from_) continue;
    CountedClass& counted = classes_[event_class];
    if (counted.count == nullptr) [[unlikely]]
      counted.count = &count_of(event_class);
    ++counted.count->count;
    if (!has_time) continue;
    // Names and the like are kept where a trace is cut, and say nothing of when it was recorded.
    if (!event_class.describes_others) {
      first_event_ = any_event_ ? std::min(first_event_, time) : time;
      last_event_ = any_event_ ? std::max(last_event_, time) : time;
      any_event_ = true;
    }
    cover_events(time);
    ++counted.count->blocks.at(event_grid_.number_of(time));
  }
}

Result<void> ComparedTrace::finish(const Timeline& timeline) {
  begin_ = timeline.begin();
  end_ = timeline.end();
  if (any_event_) {
    const bool has_line = begin_ < end_;
    begin_ = has_line ? std::max(begin_, first_event_) : first_event_;
    end_ = has_line ? std::min(end_, last_event_) : last_event_;
  }
  if (from_) begin_ = std::max(begin_, *from_);
  end_ = std::max(begin_, end_);
  // Rates are of the whole trace.
  for (const std::int64_t time : {begin_, end_}) {
    cover_rows(time);
    cover_events(time);
  }
  gaps_ = timeline.counts().gaps;
  return {};
}

bool ComparedRow::is_beyond() const {
  return std::ranges::any_of(differences, &Difference::is_beyond);
}

bool ComparedRow::is_untold() const {
  return std::ranges::none_of(differences,
                              [](const Difference& each) { return each.chance.has_value(); });
}

bool ComparedRow::is_slower() const {
  return std::ranges::any_of(kQuantileFigures, [this](const QuantileFigure& each) {
    return of(each.figure).is_beyond &&
           b->durations.quantile(each.part) > a->durations.quantile(each.part);
  });
}

Comparison::Comparison(const ComparedTrace& a, const ComparedTrace& b) : a_(a), b_(b) {
  rows_ = matched<ComparedRow>(a.rows(), b.rows(), row_key);
  events_ = matched<ComparedEvents>(a.events(), b.events(),
                                    [](const EventCount& each) { return each.name; });
  for (ComparedRow& each : rows_) measure(each);
  for (ComparedEvents& each : events_) measure(each);
  tell_beyond();
  sort(rows_);
  sort(events_);
}

void Comparison::measure(ComparedRow& row) const {
  // What was lost has no rate.
  if (!a_.has_gaps() && !b_.has_gaps()) {
    const auto* const blocks_a = row.a == nullptr ? nullptr : &a_.blocks_of(*row.a).counts;
    const auto* const blocks_b = row.b == nullptr ? nullptr : &b_.blocks_of(*row.b).counts;
    row.of(ComparedFigure::kRate).chance = rate_chance(rate_blocks(a_, a_.row_grid(), blocks_a),
                                                       rate_blocks(b_, b_.row_grid(), blocks_b));
  }
  if (row.a == nullptr || row.b == nullptr) return;
  for (const auto& [figure, part] : kQuantileFigures)
    row.of(figure).chance = quantile_chance(a_, *row.a, b_, *row.b, part);
}

void Comparison::measure(ComparedEvents& events) const {
  if (a_.has_gaps() || b_.has_gaps()) return;
  events.rate.chance = rate_chance(
      rate_blocks(a_, a_.event_grid(), events.a == nullptr ? nullptr : &events.a->blocks),
      rate_blocks(b_, b_.event_grid(), events.b == nullptr ? nullptr : &events.b->blocks));
}

// Holm's method: a difference is beyond chance if all that are less probable are, and if it were
// improbable enough as the least probable of the rest.
void Comparison::tell_beyond() {
  std::vector<Difference*> told;
  for (ComparedRow& row : rows_) {
    for (Difference& each : row.differences) told.push_back(&each);
  }
  for (ComparedEvents& each : events_) told.push_back(&each.rate);
  std::erase_if(told, [](const Difference* each) { return !each->chance; });
  std::ranges::stable_sort(told, {}, [](const Difference* each) { return *each->chance; });
  tests_ = told.size();
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (*told[i]->chance > kChanceLevel / static_cast<double>(told.size() - i)) break;
    told[i]->is_beyond = true;
  }
  // Where many values are equal, shares may differ and the quantile not.
  for (ComparedRow& row : rows_) {
    if (row.a == nullptr || row.b == nullptr) continue;
    for (const auto& [figure, part] : kQuantileFigures) {
      if (row.a->durations.quantile(part) == row.b->durations.quantile(part))
        row.of(figure).is_beyond = false;
    }
  }
}

RowOrder Comparison::order_of(const ComparedRow& row) const {
  RowOrder order{side_of(row), !row.is_beyond(), 0};
  if (order.is_usual || order.side != 0) {
    const auto total = [](const LatencyRow* each) {
      return each == nullptr ? 0.0 : static_cast<double>(each->total);
    };
    order.weight = -std::max(total(row.a), total(row.b));
    return order;
  }
  if (row.of(ComparedFigure::kRate).is_beyond)
    order.weight = -change_of_rate(row.a->count(), a_, row.b->count(), b_);
  for (const auto& [figure, part] : kQuantileFigures) {
    if (row.of(figure).is_beyond)
      order.weight = std::min(order.weight, -change_of_quantile(row, part));
  }
  return order;
}

RowOrder Comparison::order_of(const ComparedEvents& events) const {
  const std::uint64_t a = events.a == nullptr ? 0 : events.a->count;
  const std::uint64_t b = events.b == nullptr ? 0 : events.b->count;
  RowOrder order{side_of(events), !events.rate.is_beyond, -static_cast<double>(std::max(a, b))};
  if (events.rate.is_beyond && order.side == 0) order.weight = -change_of_rate(a, a_, b, b_);
  return order;
}

template <class Pair>
void Comparison::sort(std::vector<Pair>& pairs) const {
  std::vector<std::pair<RowOrder, const Pair*>> places;
  for (const Pair& each : pairs) places.emplace_back(order_of(each), &each);
  std::ranges::stable_sort(places, {}, [](const auto& place) { return place.first; });
  std::vector<Pair> sorted;
  for (const auto& place : places) sorted.push_back(*place.second);
  pairs = std::move(sorted);
}

}  // namespace tracedeck::timeline

#include "tracedeck/timeline/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/timeline/chance.hpp"
#include "tracedeck/timeline/marking.hpp"
#include "tracedeck/timeline/moved_places.hpp"

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

// Hosts tell rows apart where a trace has several; else the same was done on another machine.
std::string row_key(const LatencyRow& row, std::string_view identity) {
  std::string key(1, row.is_wait ? 'w' : 's');
  if (row.name.shows_host) key += row.name.host;
  key += '\0';
  for (const std::string_view part :
       {std::string_view(row.name.category), identity, std::string_view(row.by)}) {
    key += part;
    key += '\0';
  }
  return key;
}

std::string key_of(const LatencyRow& row) { return row_key(row, row.name.identity()); }
std::string key_of(const EventCount& events) { return events.name; }

// Nothing: it is no place in a file.
std::optional<LinedName> lined_name(const LatencyRow& row) {
  const std::string_view full = row.name.identity();
  const auto lined = lined_place(full.substr(row.name.place.begin, row.name.place.size));
  if (!lined) return std::nullopt;
  std::string identity(full);
  identity.replace(row.name.place.begin, row.name.place.size, lined->path);
  return LinedName{.key = key_of(row), .group = row_key(row, identity), .line = lined->at};
}

std::optional<LinedName> lined_name(const EventCount& events) {
  const auto lined = lined_place(events.name);
  if (!lined) return std::nullopt;
  return LinedName{.key = events.name, .group = std::string(lined->path), .line = lined->at};
}

template <class Of>
std::vector<LinedName> lined_names(const std::deque<Of>& all) {
  std::vector<LinedName> names;
  for (const Of& each : all) {
    if (auto name = lined_name(each)) names.push_back(*std::move(name));
  }
  return names;
}

const std::string& moved_name(const LatencyRow& row) { return row.name.identity(); }
const std::string& moved_name(const EventCount& events) { return events.name; }

// What is of A and B together, in the order of A and then of B.
template <class Pair, class Of>
std::vector<Pair> matched(const std::deque<Of>& a, const std::deque<Of>& b) {
  std::vector<Pair> pairs;
  TextMap<std::size_t> places;
  const TextMap<std::string> moved = moved_places(lined_names(a), lined_names(b));
  for (const Of& each : a) {
    places.emplace(key_of(each), pairs.size());
    pairs.emplace_back().a = &each;
  }
  // Places of A that are elsewhere in B are not what is in B where they were.
  TextMap<bool> moved_away;
  for (const auto& [in_b, in_a] : moved) moved_away.emplace(in_a, true);
  for (const Of& each : b) {
    const std::string key = key_of(each);
    const auto from = moved.find(key);
    const auto found = places.find(from == moved.end() ? key : from->second);
    const bool is_new = found == places.end() || (from == moved.end() && moved_away.contains(key));
    Pair& pair = is_new ? pairs.emplace_back() : pairs[found->second];
    pair.b = &each;
    if (from != moved.end()) pair.moved_from = moved_name(*pair.a);
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

// The ranks of values among all of a histogram, 0 to 1, those of one bucket alike.
class Ranks {
 public:
  explicit Ranks(const Histogram& all) {
    const auto count = static_cast<double>(all.count());
    double below = 0;
    double squares = 0;
    for (const Histogram::Bucket& bucket : all.buckets()) {
      const auto here = static_cast<double>(bucket.count);
      const double rank = (below + here / 2) / count;
      bounds_.push_back({bucket.lower, rank});
      squares += here * (rank - kMiddle) * (rank - kMiddle);
      below += here;
    }
    variance_ = squares / count;
  }

  [[nodiscard]] double variance() const { return variance_; }
  // The sums of those in each block.
  [[nodiscard]] std::vector<ChanceBlock> in(const ComparedTrace::RowBlocks& blocks) const {
    std::vector<ChanceBlock> list;
    for (const auto& [number, durations] : blocks.durations.entries()) {
      ChanceBlock& block = list.emplace_back();
      block.size = static_cast<double>(durations.count());
      auto place = bounds_.begin();
      for (const Histogram::Bucket& bucket : durations.buckets()) {
        while (place->lower < bucket.lower) ++place;
        block.hits += static_cast<double>(bucket.count) * place->rank;
      }
    }
    return list;
  }

 private:
  static constexpr double kMiddle = 0.5;
  struct Bound {
    double lower;
    double rank;
  };
  std::vector<Bound> bounds_;  // of each bucket
  double variance_ = 0;
};

Dependence dependence_of(const ComparedTrace::RowBlocks& a, const LatencyRow& of_a,
                         const ComparedTrace::RowBlocks& b, const LatencyRow& of_b) {
  const Ranks ranks_a(of_a.durations);
  const Ranks ranks_b(of_b.durations);
  return dependence_of(ranks_a.in(a), ranks_a.variance(), ranks_b.in(b), ranks_b.variance());
}

double share_of(const ChanceSide& side) {
  double hits = side.more_hits;
  double size = side.more_hits + side.more_misses;
  for (const ChanceBlock& block : side.blocks) {
    hits += block.hits;
    size += block.size;
  }
  return hits / size;
}

// The durations of one name in A and in B, side by side. Those that are not known are taken for
// what makes the difference smallest.
class BothDurations {
 public:
  BothDurations(const ComparedTrace& a, const LatencyRow& of_a, const ComparedTrace& b,
                const LatencyRow& of_b)
      : a_(a.blocks_of(of_a)), b_(b.blocks_of(of_b)) {
    left_out_a_ = static_cast<double>(of_a.left_out);
    left_out_b_ = static_cast<double>(of_b.left_out);
    both_.merge(of_a.durations);
    both_.merge(of_b.durations);
    dependence_ = dependence_of(a_, of_a, b_, of_b);
  }

  // Of the shares above a quantile of both together.
  [[nodiscard]] std::optional<Chance> quantile(double part) const {
    return chance(
        [&](const Assumed& assumed) {
          const double threshold = threshold_of(both_, assumed, part);
          return Blocks{blocks_above(a_, threshold), blocks_above(b_, threshold)};
        },
        [&](const ChanceSide& a, const ChanceSide& b) {
          return chance_of_shares(a, b, dependence_);
        });
  }
  // Of the ranks. It finds what is greater altogether far better than shares above one bound do.
  [[nodiscard]] std::optional<Chance> ranks() const {
    const Ranks ranks(both_);
    return chance([&](const Assumed&) { return Blocks{ranks.in(a_), ranks.in(b_)}; },
                  [&](const ChanceSide& a, const ChanceSide& b) {
                    return chance_of_ranks(a, b, ranks.variance(), dependence_);
                  });
  }

 private:
  struct Blocks {
    std::vector<ChanceBlock> a;
    std::vector<ChanceBlock> b;
  };

  template <class Make, class Measure>
  [[nodiscard]] std::optional<Chance> chance(const Make& make, const Measure& measure) const {
    Blocks blocks = make({});
    ChanceSide a{.blocks = blocks.a};
    ChanceSide b{.blocks = blocks.b};
    if (left_out_a_ + left_out_b_ == 0) return measure(a, b);
    const bool a_is_more = share_of(a) > share_of(b);
    (a_is_more ? a.more_misses : a.more_hits) = left_out_a_;
    (a_is_more ? b.more_hits : b.more_misses) = left_out_b_;
    blocks = make({.longer = a.more_hits + b.more_hits, .shorter = a.more_misses + b.more_misses});
    a.blocks = blocks.a;
    b.blocks = blocks.b;
    if ((share_of(a) > share_of(b)) != a_is_more) return Chance{.value = 1};
    return measure(a, b);
  }

  const ComparedTrace::RowBlocks& a_;
  const ComparedTrace::RowBlocks& b_;
  double left_out_a_;
  double left_out_b_;
  Histogram both_;
  Dependence dependence_;
};

// Medians differ where values are greater altogether and more of them are above the median of both.
std::optional<Chance> median_chance(const BothDurations& both) {
  constexpr double kConfirmed = 0.025;
  const std::optional<Chance> ranks = both.ranks();
  const std::optional<Chance> shares = both.quantile(0.5);
  if (!ranks || !shares) return std::nullopt;
  if (ranks->is_dependent || shares->is_dependent) return Chance{.is_dependent = true};
  return shares->value <= kConfirmed ? *ranks
                                     : Chance{.value = std::max(ranks->value, shares->value)};
}

// How many there are in each block from the trace's begin to its end. `counts` may be null.
std::vector<ChanceBlock> rate_blocks(const ComparedTrace& trace, const TimeBlocks& grid,
                                     const PerBlock<std::uint64_t>* counts) {
  std::vector<ChanceBlock> list;
  if (grid.empty()) return list;
  const std::int64_t count = grid.last() - grid.first() + 1;
  for (std::int64_t i = 0; i < count; ++i)
    list.push_back({.size = grid.seconds(grid.first() + i, trace.begin(), trace.end())});
  if (counts == nullptr) return list;
  for (const auto& [number, value] : counts->entries()) {
    ChanceBlock& block = list[static_cast<std::size_t>(number - grid.first())];
    // What lies beside the trace's times has no rate.
    if (block.size > 0) block.hits = static_cast<double>(value);
  }
  return list;
}

std::optional<Chance> rate_chance(const std::vector<ChanceBlock>& a,
                                  const std::vector<ChanceBlock>& b) {
  return chance_of_rates({.blocks = a}, {.blocks = b});
}

void tell(Difference& difference, const std::optional<Chance>& chance) {
  if (!chance) return;
  difference.is_dependent = chance->is_dependent;
  if (!chance->is_dependent) difference.chance = chance->value;
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

void ComparedTrace::see(const Timeline& timeline, const Batch& batch) {
  for (const Record& record : batch.records()) {
    if (record.kind != RecordKind::kEvent) continue;
    const EventClass& event_class = *record.event.event_class;
    const bool has_time = event_class.has_real_time();
    const std::int64_t time = has_time ? timeline.time_of(record.event.recorded_at()) : 0;
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
  latency_->name_rows(timeline);
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
  has_gaps_ = timeline.counts().has_losses();
  return {};
}

bool ComparedRow::is_beyond() const {
  return std::ranges::any_of(differences, &Difference::is_beyond);
}

bool ComparedRow::is_untold() const {
  return std::ranges::none_of(differences, [](const Difference& each) {
    return each.chance.has_value() || each.is_dependent;
  });
}

bool ComparedRow::is_slower() const {
  return std::ranges::any_of(kQuantileFigures, [this](const QuantileFigure& each) {
    return of(each.figure).is_beyond &&
           b->durations.quantile(each.part) > a->durations.quantile(each.part);
  });
}

Comparison::Comparison(const ComparedTrace& a, const ComparedTrace& b) : a_(a), b_(b) {
  rows_ = matched<ComparedRow>(a.rows(), b.rows());
  events_ = matched<ComparedEvents>(a.events(), b.events());
  name_rows();
  for (ComparedRow& each : rows_) measure(each);
  for (ComparedEvents& each : events_) measure(each);
  tell_beyond();
  sort(rows_);
  sort(events_);
}

// What is shown tells a name from those of both traces.
void Comparison::name_rows() {
  Timeline names;
  for (ComparedRow& each : rows_) {
    const MarkName& name = each.latest().name;
    each.id = names.add_name(name.category, name.identity(), name.place, name.host);
  }
  names.settle_names();
  for (ComparedRow& each : rows_) {
    each.name = names.name(each.id);
    each.name.shows_host = each.latest().name.shows_host;
    each.name.of_process = each.latest().name.of_process;
  }
}

void Comparison::measure(ComparedRow& row) const {
  // What was lost has no rate.
  if (!a_.has_gaps() && !b_.has_gaps()) {
    const auto* const blocks_a = row.a == nullptr ? nullptr : &a_.blocks_of(*row.a).counts;
    const auto* const blocks_b = row.b == nullptr ? nullptr : &b_.blocks_of(*row.b).counts;
    tell(row.of(ComparedFigure::kRate), rate_chance(rate_blocks(a_, a_.row_grid(), blocks_a),
                                                    rate_blocks(b_, b_.row_grid(), blocks_b)));
  }
  if (row.a == nullptr || row.b == nullptr || row.a->count() == 0 || row.b->count() == 0) return;
  const BothDurations both(a_, *row.a, b_, *row.b);
  tell(row.of(ComparedFigure::kMedian), median_chance(both));
  tell(row.of(ComparedFigure::kP99), both.quantile(0.99));
}

void Comparison::measure(ComparedEvents& events) const {
  if (a_.has_gaps() || b_.has_gaps()) return;
  tell(events.rate,
       rate_chance(
           rate_blocks(a_, a_.event_grid(), events.a == nullptr ? nullptr : &events.a->blocks),
           rate_blocks(b_, b_.event_grid(), events.b == nullptr ? nullptr : &events.b->blocks)));
}

// Holm's method with weights: a difference is beyond chance if all that are less probable are, and
// if it were improbable enough as the least probable of the rest.
void Comparison::tell_beyond() {
  struct Told {
    Difference* difference;
    double weight;
    [[nodiscard]] double weighed() const { return *difference->chance / weight; }
  };
  constexpr double kOfMedian = 1;
  constexpr double kOfOther = 0.2;
  std::vector<Told> told;
  for (ComparedRow& row : rows_) {
    for (Difference& each : row.differences) {
      const bool is_median = &each == &row.of(ComparedFigure::kMedian);
      told.push_back({&each, is_median ? kOfMedian : kOfOther});
    }
  }
  for (ComparedEvents& each : events_) told.push_back({&each.rate, kOfOther});
  std::erase_if(told, [](const Told& each) { return !each.difference->chance; });
  std::ranges::stable_sort(told, {}, &Told::weighed);
  tests_ = told.size();
  double rest = 0;
  for (const Told& each : told) rest += each.weight;
  for (const Told& each : told) {
    if (each.weighed() > kChanceLevel / rest) break;
    each.difference->is_beyond = true;
    rest -= each.weight;
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

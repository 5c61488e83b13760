#include "tracedeck/query/aggregate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::query {
namespace {

constexpr std::array kAggregates = {
    AggregateInfo{"count", AggregateKind::kCount, false, "how many there are"},
    AggregateInfo{"sum", AggregateKind::kSum, true, "the sum: exact of integers"},
    AggregateInfo{"min", AggregateKind::kMinimum, true, "the least value"},
    AggregateInfo{"max", AggregateKind::kMaximum, true, "the greatest value"},
    AggregateInfo{"avg", AggregateKind::kAverage, true, "the mean"},
    AggregateInfo{"first", AggregateKind::kFirst, true, "the value of the first that has one"},
    AggregateInfo{"last", AggregateKind::kLast, true, "the value of the last that has one"},
    AggregateInfo{"rate", AggregateKind::kRate, false,
                  "how many there are a second, of the time that all take together"},
    AggregateInfo{"hist", AggregateKind::kHistogram, true, "how many values lie where"},
    AggregateInfo{"distinct", AggregateKind::kDistinct, true,
                  "how many different values: exact up to 1,024, beyond about 2 % off"},
    AggregateInfo{
        "p", AggregateKind::kQuantile, true,
        "p50, p99, p99.9: what so many per cent of the values do not exceed, within 0.4 %"},
};

std::optional<double> number_of(const Value& value) {
  if (value.kind == Value::Kind::kInteger) return value.integer.to_real();
  if (value.kind == Value::Kind::kReal) return value.real;
  if (value.kind == Value::Kind::kBoolean) return value.boolean ? 1 : 0;
  return std::nullopt;
}

void add_to(Sum& sum, const Value& value) {
  if (value.kind == Value::Kind::kInteger) sum.add(value.integer);
  if (value.kind == Value::Kind::kReal) sum.add(value.real);
  if (value.kind == Value::Kind::kBoolean) sum.add(Integer::from(std::uint64_t{value.boolean}));
}

std::size_t add_to(Histogram& histogram, const Value& value) {
  const auto number = number_of(value);
  if (!number) return 0;
  return value.kind == Value::Kind::kReal ? histogram.add(*number) : histogram.add_whole(*number);
}

// Whether a value is less, or greater, than the least or greatest so far. Kinds that do not compare
// go in the order of a sort. NaN counts where there is nothing else.
bool replaces_extreme(const Value& value, const Cell& extreme, bool least) {
  if (extreme.kind == Cell::Kind::kUnknown) return true;
  const auto order = compare(value, extreme.value());
  if (!order) {
    const auto sorted = order_of(Cell::of(value), extreme);
    return least ? sorted < 0 : sorted > 0;
  }
  if (*order == std::partial_ordering::unordered)
    return extreme.kind == Cell::Kind::kReal && extreme.real != extreme.real;
  return least ? *order < 0 : *order > 0;
}

// What a result of a histogram is: an integer where it is one.
Cell cell_of_quantile(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (value != std::floor(value) || std::fabs(value) > kExact) return Cell::of(value);
  return Cell::of(Integer::from_signed(static_cast<std::int64_t>(value)));
}

void put_integer(std::string& into, const Integer& value) { encode(into, Value::of(value)); }

std::optional<Integer> take_integer(std::span<const std::uint8_t>& bytes) {
  const auto cell = decode_cell(bytes);
  if (!cell || cell->kind != Cell::Kind::kInteger) return std::nullopt;
  return cell->integer;
}

std::optional<Sum> decode_sum(std::span<const std::uint8_t>& bytes) {
  Sum sum;
  const auto flags = take_varint(bytes);
  const auto whole = take_integer(bytes);
  const auto real = take_real(bytes);
  const auto rest = take_real(bytes);
  const auto count = take_varint(bytes);
  if (!flags || !whole || !real || !rest || !count) return std::nullopt;
  sum.too_large = (*flags & 1) != 0;
  sum.has_reals = (*flags & 2) != 0;
  sum.whole = *whole;
  sum.real = *real;
  sum.rest = *rest;
  sum.count = *count;
  return sum;
}

void encode_sum(std::string& into, const Sum& sum) {
  put_varint(into, (sum.too_large ? 1U : 0U) | (sum.has_reals ? 2U : 0U));
  put_integer(into, sum.whole);
  put_real(into, sum.real);
  put_real(into, sum.rest);
  put_varint(into, sum.count);
}

}  // namespace

std::span<const AggregateInfo> aggregate_table() { return kAggregates; }

const AggregateInfo* find_aggregate(std::string_view word, double& part) {
  const auto found = std::ranges::find(kAggregates, word, &AggregateInfo::word);
  if (found != kAggregates.end() && found->kind != AggregateKind::kQuantile) return &*found;
  if (!word.starts_with('p') || word.size() == 1) return nullptr;
  double percent = 0;
  const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), percent,
                                            std::chars_format::fixed);
  if (error != std::errc() || end != word.data() + word.size() || !(percent >= 0 && percent <= 100))
    return nullptr;
  part = percent / 100;
  return &kAggregates.back();
}

void Sum::add(const Integer& value) {
  ++count;
  if (const auto sum = tracedeck::add(whole, value)) {
    whole = *sum;
    return;
  }
  too_large = true;
  --count;
  add(value.to_real());
}

// By Neumaier: the parts that rounding takes off are summed beside.
void Sum::add(double value) {
  ++count;
  has_reals = true;
  const double sum = real + value;
  if (std::isfinite(sum)) {
    rest += std::fabs(real) >= std::fabs(value) ? (real - sum) + value : (value - sum) + real;
  }
  real = sum;
}

void Sum::merge(const Sum& other) {
  const std::uint64_t together = count + other.count;
  if (const auto sum = tracedeck::add(whole, other.whole)) {
    whole = *sum;
  } else {
    too_large = true;
    add(other.whole.to_real());
  }
  if (other.has_reals) {
    add(other.real);
    rest += other.rest;
  }
  too_large = too_large || other.too_large;
  count = together;
}

Cell Sum::total() const {
  if (count == 0) return {};
  if (!has_reals) return Cell::of(whole);
  return Cell::of(whole.to_real() + (real + rest));
}

Cell Sum::average() const {
  if (count == 0) return {};
  return Cell::of((whole.to_real() + (real + rest)) / static_cast<double>(count));
}

AggregateState::AggregateState(AggregateKind kind, const HashKey& key) : kind_(kind) {
  switch (kind) {
    case AggregateKind::kCount:
    case AggregateKind::kRate:
      break;
    case AggregateKind::kSum:
    case AggregateKind::kAverage:
      state_.emplace<Sum>();
      break;
    case AggregateKind::kQuantile:
    case AggregateKind::kHistogram:
      state_.emplace<Histogram>();
      break;
    case AggregateKind::kDistinct:
      state_.emplace<DistinctCounter>(key);
      break;
    default:
      state_.emplace<Cell>();
  }
}

std::size_t AggregateState::add(const Value& value) {
  if (auto* const count = std::get_if<std::uint64_t>(&state_)) {
    ++*count;
    return 0;
  }
  if (!value.known()) return 0;
  if (auto* const histogram = std::get_if<Histogram>(&state_)) return add_to(*histogram, value);
  if (auto* const sum = std::get_if<Sum>(&state_)) {
    add_to(*sum, value);
    return 0;
  }
  const std::size_t before = memory();
  if (auto* const distinct = std::get_if<DistinctCounter>(&state_)) {
    std::string bytes;
    // A number is one value with and without its name.
    encode_plain(bytes, value);
    distinct->add(bytes);
  } else if (auto& cell = std::get<Cell>(state_); replaces(value, cell)) {
    cell = Cell::of(value);
  }
  return memory() - before;
}

// Of those that are one of the values: whether that is this one, and not the one before.
bool AggregateState::replaces(const Value& value, const Cell& before) const {
  if (kind_ == AggregateKind::kFirst) return before.kind == Cell::Kind::kUnknown;
  return kind_ == AggregateKind::kLast ||
         replaces_extreme(value, before, kind_ == AggregateKind::kMinimum);
}

std::size_t AggregateState::merge(const AggregateState& other) {
  const std::size_t before = memory();
  if (auto* const count = std::get_if<std::uint64_t>(&state_)) {
    *count += std::get<std::uint64_t>(other.state_);
  } else if (auto* const sum = std::get_if<Sum>(&state_)) {
    sum->merge(std::get<Sum>(other.state_));
  } else if (auto* const histogram = std::get_if<Histogram>(&state_)) {
    histogram->merge(std::get<Histogram>(other.state_));
  } else if (auto* const distinct = std::get_if<DistinctCounter>(&state_)) {
    distinct->merge(std::get<DistinctCounter>(other.state_));
  } else {
    add(std::get<Cell>(other.state_).value());
  }
  return memory() - before;
}

Cell AggregateState::result(double part, double seconds) const {
  switch (kind_) {
    case AggregateKind::kCount:
      return Cell::of(std::get<std::uint64_t>(state_));
    case AggregateKind::kRate:
      if (!(seconds > 0)) return {};
      return Cell::of(static_cast<double>(std::get<std::uint64_t>(state_)) / seconds);
    case AggregateKind::kSum:
      return std::get<Sum>(state_).total();
    case AggregateKind::kAverage:
      return std::get<Sum>(state_).average();
    case AggregateKind::kQuantile: {
      const auto& histogram = std::get<Histogram>(state_);
      return histogram.count() == 0 ? Cell() : cell_of_quantile(histogram.quantile(part));
    }
    case AggregateKind::kHistogram:
      return {.kind = Cell::Kind::kBuckets, .buckets = std::get<Histogram>(state_).buckets()};
    case AggregateKind::kDistinct: {
      const auto& distinct = std::get<DistinctCounter>(state_);
      Cell cell = Cell::of(distinct.count());
      cell.is_estimate = !distinct.exact();
      return cell;
    }
    default:
      return std::get<Cell>(state_);
  }
}

void AggregateState::encode(std::string& into) const {
  if (const auto* const count = std::get_if<std::uint64_t>(&state_)) {
    put_varint(into, *count);
  } else if (const auto* const sum = std::get_if<Sum>(&state_)) {
    encode_sum(into, *sum);
  } else if (const auto* const histogram = std::get_if<Histogram>(&state_)) {
    histogram->encode(into);
  } else if (const auto* const distinct = std::get_if<DistinctCounter>(&state_)) {
    distinct->encode(into);
  } else {
    query::encode(into, std::get<Cell>(state_));
  }
}

std::optional<AggregateState> AggregateState::decode(AggregateKind kind,
                                                     std::span<const std::uint8_t>& bytes) {
  AggregateState state(kind);
  const auto take = [&](auto part) -> bool {
    if (!part) return false;
    state.state_ = *std::move(part);
    return true;
  };
  bool taken = false;
  if (std::holds_alternative<std::uint64_t>(state.state_)) {
    taken = take(take_varint(bytes));
  } else if (std::holds_alternative<Sum>(state.state_)) {
    taken = take(decode_sum(bytes));
  } else if (std::holds_alternative<Histogram>(state.state_)) {
    taken = take(Histogram::decode(bytes));
  } else if (std::holds_alternative<DistinctCounter>(state.state_)) {
    taken = take(DistinctCounter::decode(bytes));
  } else {
    taken = take(decode_cell(bytes));
  }
  if (!taken) return std::nullopt;
  return state;
}

std::size_t AggregateState::memory() const {
  if (const auto* const histogram = std::get_if<Histogram>(&state_)) return histogram->memory();
  if (const auto* const distinct = std::get_if<DistinctCounter>(&state_)) return distinct->memory();
  if (const auto* const cell = std::get_if<Cell>(&state_)) return cell->text.capacity();
  return 0;
}

}  // namespace tracedeck::query

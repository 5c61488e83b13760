#include "tracedeck/query/pairing.hpp"

#include <algorithm>
#include <utility>

#include "tracedeck/base/distinct_counter.hpp"
#include "tracedeck/query/cell.hpp"

namespace tracedeck::query {
namespace {

// What an entry of the table takes besides its key and what it keeps.
constexpr std::size_t kOpenEntry = 64;
// Of texts that are not kept where the object is.
std::size_t heap_of(std::size_t size) { return size < 16 ? 0 : size + 16; }

bool is_true(const Value& value) { return value.kind == Value::Kind::kBoolean && value.boolean; }

}  // namespace

void Pairing::DeleteOpen::operator()(Open* open) const {
  while (open != nullptr) delete std::exchange(open, open->outer.release());
}

void LostTimes::add(const Loss& loss, std::uint64_t begun) {
  if (!loss.end) {
    first_ = begun;
    return;
  }
  Interval lost{.begin = loss.begin, .end = *loss.end};
  const auto begins_before = [](const Interval& a, const Interval& b) {
    return b.begin && (!a.begin || *a.begin <= *b.begin);
  };
  auto place = std::ranges::lower_bound(intervals_, lost.end, {}, &Interval::end);
  if (place != intervals_.end() && (begins_before(*place, lost) || !place->begin)) return;
  const auto within = [&](const Interval& each) {
    return !lost.begin || begins_before(lost, each);
  };
  auto first = place;
  while (first != intervals_.begin() && within(*std::prev(first))) --first;
  // One that ends at the same time.
  if (place != intervals_.end() && place->end == lost.end) ++place;
  intervals_.insert(intervals_.erase(first, place), lost);
  if (intervals_.size() <= kMost) return;
  // Two of the oldest become one, with the time between them.
  intervals_[1].begin = intervals_[0].begin;
  intervals_.erase(intervals_.begin());
}

bool LostTimes::concern(std::uint64_t number, Nanoseconds begin, Nanoseconds end) const {
  if (number < first_) return true;
  const auto lost = std::ranges::lower_bound(intervals_, begin, {}, &Interval::end);
  return lost != intervals_.end() && (!lost->begin || *lost->begin <= end);
}

std::size_t Pairing::KeyHash::operator()(const std::string& key) const { return hash_of(key); }

Pairing::Pairing(PairingPlan plan, EventProjection projection, std::unique_ptr<RowSink> next)
    : plan_(std::move(plan)), projection_(std::move(projection)), next_(std::move(next)) {}

std::size_t Pairing::memory_of(const Open& open, std::size_t key) {
  return kOpenEntry + sizeof(Open) + heap_of(key) + heap_of(open.kept.size());
}

bool Pairing::take_key(std::span<const Value> keys) {
  key_.clear();
  for (const Value& key : keys) {
    if (!encode_equal(key_, key)) return false;
  }
  return true;
}

Result<void> Pairing::add(const Event& event) {
  if (event.event_class->clock == nullptr) return {};
  const std::span<const Value> values = projection_(event);
  last_ = event.began_at();
  // An event may end a pair and begin the next.
  if (is_true(values[1])) {
    if (auto ended = end(event, values); !ended) return ended;
  }
  if (is_true(values[0])) begin(event, values);
  return {};
}

void Pairing::begin(const Event& event, std::span<const Value> values) {
  if (!take_key(values.subspan(2, plan_.keys))) return;
  Open open{.begin = event.began_at(),
            .number = begun_,
            .stream = event.stream == nullptr ? EntityId::none() : event.stream->entity};
  for (const Value& value : values.subspan(2 + 2 * plan_.keys, plan_.kept_of_a))
    encode(open.kept, value);
  const auto known = open_.find(key_);
  const bool replaces = known != open_.end() && !plan_.nested;
  const std::size_t freed = replaces ? memory_of(known->second, key_.size()) : 0;
  const std::size_t memory = memory_ - freed + memory_of(open, key_.size());
  if (memory > plan_.memory && memory > memory_) {
    ++counts_.not_held;
    return;
  }
  memory_ = memory;
  ++begun_;
  if (known == open_.end()) {
    open_.emplace(key_, std::move(open));
    return;
  }
  if (plan_.nested) {
    open.outer.reset(new Open(std::move(known->second)));
  } else {
    ++counts_.replaced;
  }
  known->second = std::move(open);
}

Result<void> Pairing::end(const Event& event, std::span<const Value> values) {
  if (!take_key(values.subspan(2 + plan_.keys, plan_.keys))) return {};
  const auto known = open_.find(key_);
  if (known == open_.end()) {
    ++counts_.without_begin;
    return {};
  }
  Open open = std::move(known->second);
  memory_ -= memory_of(open, key_.size());
  if (open.outer != nullptr) {
    Open outer = std::move(*open.outer);
    known->second = std::move(outer);
  } else {
    open_.erase(known);
  }
  if (is_void(open, event.began_at())) {
    ++counts_.void_by_loss;
    return {};
  }
  const Nanoseconds end = event.began_at();
  const Integer duration = Integer::from(end - open.begin);
  if (plan_.within && duration > *plan_.within) {
    ++counts_.too_long;
    return {};
  }
  ++counts_.pairs;
  std::vector<Cell> kept;
  std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(open.kept.data()),
                                      open.kept.size());
  for (std::size_t i = 0; i < plan_.kept_of_a; ++i)
    kept.push_back(decode_cell(bytes).value_or(Cell()));
  std::vector<Value> row = {Value::of(Integer::from(open.begin)), Value::of(Integer::from(end)),
                            Value::of(duration)};
  std::ranges::copy(values.subspan(2 + plan_.keys, plan_.keys), std::back_inserter(row));
  for (const Cell& cell : kept) row.push_back(cell.value());
  std::ranges::copy(values.last(plan_.kept_of_b), std::back_inserter(row));
  return next_->add(row);
}

bool Pairing::is_void(const Open& open, Nanoseconds end) const {
  if (lost_.concern(open.number, open.begin, end)) return true;
  if (lost_of_.empty()) return false;
  const auto lost = lost_of_.find(open.stream);
  return lost != lost_of_.end() && lost->second.concern(open.number, open.begin, end);
}

void Pairing::add(const Loss& loss) {
  if (loss.taken_back) return;
  const bool of_all = !plan_.by_stream || loss.stream == nullptr;
  (of_all ? lost_ : lost_of_[loss.stream->entity]).add(loss, begun_);
}

Result<void> Pairing::close() {
  for (const auto& [key, open] : open_) {
    for (const Open* each = &open; each != nullptr; each = each->outer.get())
      ++(is_void(*each, last_) ? counts_.void_by_loss : counts_.without_end);
  }
  open_.clear();
  return {};
}

}  // namespace tracedeck::query

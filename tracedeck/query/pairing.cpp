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

std::size_t Pairing::KeyHash::operator()(const std::string& key) const { return hash_of(key); }

Pairing::Pairing(PairingPlan plan, EventProjection projection, std::unique_ptr<RowSink> next)
    : plan_(std::move(plan)), projection_(std::move(projection)), next_(std::move(next)) {}

std::size_t Pairing::memory_of(const Open& open, std::size_t key) {
  return kOpenEntry + sizeof(Open) + heap_of(key) + heap_of(open.kept.size());
}

bool Pairing::take_key(std::span<const Value> keys) {
  key_.clear();
  for (const Value& key : keys) {
    if (!key.known()) return false;
    encode(key_, key);
  }
  return true;
}

Result<void> Pairing::add(const Event& event) {
  if (event.event_class->clock == nullptr) return {};
  const std::span<const Value> values = projection_(event);
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
            .stream = event.stream == nullptr ? EntityId::none() : event.stream->entity};
  for (const Value& value : values.subspan(2 + 2 * plan_.keys, plan_.kept_of_a))
    encode(open.kept, value);
  const auto known = open_.find(key_);
  if (known == open_.end() || plan_.nested) {
    const std::size_t more = memory_of(open, key_.size());
    if (memory_ + more > plan_.memory) {
      ++counts_.not_held;
      return;
    }
    memory_ += more;
  }
  if (known == open_.end()) {
    open_.emplace(key_, std::move(open));
  } else if (plan_.nested) {
    open.outer = std::make_unique<Open>(std::move(known->second));
    known->second = std::move(open);
  } else {
    ++counts_.replaced;
    known->second = std::move(open);
  }
}

Result<void> Pairing::end(const Event& event, std::span<const Value> values) {
  if (!take_key(values.subspan(2 + plan_.keys, plan_.keys))) return {};
  const auto known = open_.find(key_);
  if (known == open_.end()) {
    ++counts_.without_begin;
    return {};
  }
  Open open = std::move(known->second);
  memory_ -= std::min(memory_, memory_of(open, key_.size()));
  if (open.outer != nullptr) {
    Open outer = std::move(*open.outer);
    known->second = std::move(outer);
  } else {
    open_.erase(known);
  }
  if (is_void(open)) {
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

bool Pairing::is_void(const Open& open) const {
  if (open.is_void || (lost_until_ && open.begin <= *lost_until_)) return true;
  if (lost_until_of_.empty()) return false;
  const auto lost = lost_until_of_.find(open.stream);
  return lost != lost_until_of_.end() && open.begin <= lost->second;
}

void Pairing::add(const Loss& loss) {
  if (loss.taken_back) return;
  if (!loss.end) {
    // What begins later is not concerned.
    for (auto& [key, open] : open_) {
      for (Open* each = &open; each != nullptr; each = each->outer.get()) {
        const bool concerned =
            !plan_.by_stream || loss.stream == nullptr || each->stream == loss.stream->entity;
        each->is_void = each->is_void || concerned;
      }
    }
    return;
  }
  const Nanoseconds until = *loss.end;
  if (!plan_.by_stream || loss.stream == nullptr) {
    lost_until_ = std::max(lost_until_.value_or(until), until);
    return;
  }
  Nanoseconds& of_stream = lost_until_of_.try_emplace(loss.stream->entity, until).first->second;
  of_stream = std::max(of_stream, until);
}

Result<void> Pairing::finish() {
  for (const auto& [key, open] : open_) {
    for (const Open* each = &open; each != nullptr; each = each->outer.get())
      ++(is_void(*each) ? counts_.void_by_loss : counts_.without_end);
  }
  open_.clear();
  return next_->finish();
}

}  // namespace tracedeck::query

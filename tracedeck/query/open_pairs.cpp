#include "tracedeck/query/open_pairs.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/spill/spill_bytes.hpp"

namespace tracedeck::query {
namespace {

// A time as a varint: 1 and all of it, or twice its zigzag where that fits.
void put_time(std::string& into, Nanoseconds time) {
  constexpr Uint128 kShort = Uint128{1} << 61;
  if (time.magnitude() < kShort) {
    const auto size = static_cast<std::int64_t>(time.magnitude());
    return put_varint(into, zigzag(time.negative() ? -size : size) << 1);
  }
  std::array<std::uint8_t, kExactTimeSize> exact{};
  put_exact_time(exact.data(), time);
  put_varint(into, 1);
  into.append(reinterpret_cast<const char*>(exact.data()), exact.size());
}

Nanoseconds take_time(const std::uint8_t*& from) {
  const std::uint64_t first = take_varint(from);
  if (first == 1) return take_exact_time(from);
  return {unzigzag(first >> 1)};
}

std::string_view take_counted(const std::uint8_t*& from) {
  const auto size = static_cast<std::size_t>(take_varint(from));
  const std::string_view text(reinterpret_cast<const char*>(from), size);
  from += size;
  return text;
}

}  // namespace

OpenPairs::Read OpenPairs::read(const Entry& entry) const {
  const auto* from = reinterpret_cast<const std::uint8_t*>(&entry + 1);
  Read read;
  read.key = take_counted(from);
  read.pair.kept = take_counted(from);
  read.pair.begin = *base_ + take_time(from);
  read.pair.number = take_varint(from);
  if (const std::uint64_t stream = take_varint(from); stream != 0) {
    read.pair.scope = {.trace = take_varint(from), .stream = stream - 1};
    read.pair.section = take_varint(from);
  }
  const auto size = static_cast<std::size_t>(from - reinterpret_cast<const std::uint8_t*>(&entry));
  read.size = (size + kUnit - 1) / kUnit * kUnit;
  return read;
}

std::uint64_t OpenPairs::hash_of_key(const Entry& entry) const {
  const auto* from = reinterpret_cast<const std::uint8_t*>(&entry + 1);
  return hash_(take_counted(from));
}

std::size_t OpenPairs::slot_of(std::string_view key) const {
  std::size_t slot = hash_(key) & (slots_.size() - 1);
  while (slots_[slot] != nullptr) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(slots_[slot] + 1);
    if (take_counted(from) == key) break;
    slot = next(slot);
  }
  return slot;
}

std::size_t OpenPairs::needs(std::size_t size) const {
  // Four in five slots are used at most.
  const std::size_t grows = (used_ + 1) * 5 > slots_.size() * 4 ? slots_.size() : 0;
  const bool is_there = size <= kLargest && free_[size / kUnit] != nullptr;
  return grows * sizeof(Entry*) + (is_there ? 0 : size);
}

bool OpenPairs::add(std::string_view key, const OpenPair& pair) {
  encoded_.clear();
  put_text(encoded_, key);
  put_text(encoded_, pair.kept);
  if (!base_) base_ = pair.begin;
  put_time(encoded_, pair.begin - *base_);
  put_varint(encoded_, pair.number);
  if (pair.scope == PairScope() && pair.section == 0) {
    put_varint(encoded_, 0);
  } else {
    put_varint(encoded_, pair.scope.stream + 1);
    put_varint(encoded_, pair.scope.trace);
    put_varint(encoded_, pair.section);
  }
  if (taken_ != nullptr) release(std::exchange(taken_, nullptr), taken_size_);
  const std::size_t size = (sizeof(Entry) + encoded_.size() + kUnit - 1) / kUnit * kUnit;
  if (memory_ + needs(size) > most_) return false;
  if ((used_ + 1) * 5 > slots_.size() * 4) grow();
  const std::size_t slot = slot_of(key);
  auto* const entry = new (allocate(size)) Entry{.outer = slots_[slot]};
  std::memcpy(entry + 1, encoded_.data(), encoded_.size());
  used_ += slots_[slot] == nullptr ? 1 : 0;
  slots_[slot] = entry;
  return true;
}

std::optional<OpenPair> OpenPairs::take(std::string_view key) {
  if (slots_.empty()) return std::nullopt;
  const std::size_t slot = slot_of(key);
  Entry* const entry = slots_[slot];
  if (entry == nullptr) return std::nullopt;
  if (entry->outer != nullptr) {
    slots_[slot] = entry->outer;
  } else {
    empty_slot(slot);
  }
  if (taken_ != nullptr) release(taken_, taken_size_);
  const Read taken = read(*entry);
  taken_ = entry;
  taken_size_ = taken.size;
  return taken.pair;
}

// Those behind it that could not lie where they belong move forward.
void OpenPairs::empty_slot(std::size_t slot) {
  --used_;
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = slot;
  for (std::size_t at = next(slot); slots_[at] != nullptr; at = next(at)) {
    const std::size_t home = hash_of_key(*slots_[at]) & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = nullptr;
}

void OpenPairs::grow() {
  constexpr std::size_t kFirst = 16;
  std::vector<Entry*> before(slots_.empty() ? kFirst : slots_.size() * 2);
  std::swap(before, slots_);
  memory_ += (slots_.size() - before.size()) * sizeof(Entry*);
  for (Entry* const entry : before) {
    if (entry == nullptr) continue;
    std::size_t slot = hash_of_key(*entry) & (slots_.size() - 1);
    while (slots_[slot] != nullptr) slot = next(slot);
    slots_[slot] = entry;
  }
}

void* OpenPairs::allocate(std::size_t size) {
  if (size > kLargest) {
    memory_ += size;
    return ::operator new(size);
  }
  if (Entry*& free = free_[size / kUnit]; free != nullptr) return std::exchange(free, free->outer);
  if (left_ < size) {
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlock));
    left_ = kBlock;
  }
  memory_ += size;
  left_ -= size;
  return blocks_.back().get() + left_;
}

void OpenPairs::release(Entry* entry, std::size_t size) {
  if (size > kLargest) {
    memory_ -= size;
    return ::operator delete(entry);
  }
  entry->outer = free_[size / kUnit];
  free_[size / kUnit] = entry;
}

void OpenPairs::clear() {
  if (taken_ != nullptr) release(std::exchange(taken_, nullptr), taken_size_);
  for (Entry* entry : slots_) {
    while (entry != nullptr) {
      Entry* const each = std::exchange(entry, entry->outer);
      if (const std::size_t size = read(*each).size; size > kLargest) release(each, size);
    }
  }
  slots_ = {};
  blocks_.clear();
  free_ = {};
  used_ = left_ = memory_ = 0;
}

}  // namespace tracedeck::query

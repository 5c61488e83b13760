#include "tracedeck/base/distinct_counter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck {

void DistinctCounter::add(std::uint64_t hash) {
  if (registers_ != nullptr) return add_to_registers(hash);
  const auto place = std::ranges::lower_bound(few_, hash);
  if (place != few_.end() && *place == hash) return;
  if (few_.size() < kFew) {
    few_.insert(place, hash);
    return;
  }
  registers_ = std::make_unique<Registers>();
  for (const std::uint64_t each : few_) add_to_registers(each);
  few_ = {};
  add_to_registers(hash);
}

void DistinctCounter::add_to_registers(std::uint64_t hash) {
  const std::uint64_t rest = hash << kBits;
  const auto rank =
      static_cast<std::uint8_t>(1 + std::min(std::countl_zero(rest), static_cast<int>(64 - kBits)));
  std::uint8_t& most = (*registers_)[hash >> (64 - kBits)];
  most = std::max(most, rank);
}

void DistinctCounter::merge(const DistinctCounter& other) {
  for (const std::uint64_t hash : other.few_) add(hash);
  if (other.registers_ == nullptr) return;
  if (registers_ == nullptr) {
    registers_ = std::make_unique<Registers>();
    for (const std::uint64_t hash : few_) add_to_registers(hash);
    few_ = {};
  }
  for (std::size_t i = 0; i < kRegisters; ++i)
    (*registers_)[i] = std::max((*registers_)[i], (*other.registers_)[i]);
}

std::uint64_t DistinctCounter::count() const {
  if (registers_ == nullptr) return few_.size();
  constexpr auto kCount = static_cast<double>(kRegisters);
  double sum = 0;
  double empty = 0;
  for (const std::uint8_t rank : *registers_) {
    sum += std::ldexp(1.0, -rank);
    empty += rank == 0 ? 1 : 0;
  }
  const double estimate = 0.7213 / (1 + 1.079 / kCount) * kCount * kCount / sum;
  const bool is_small = estimate <= 2.5 * kCount && empty != 0;
  return static_cast<std::uint64_t>(
      std::llround(is_small ? kCount * std::log(kCount / empty) : estimate));
}

void DistinctCounter::encode(std::string& into) const {
  put_varint(into, registers_ == nullptr ? few_.size() : kFew + 1);
  if (registers_ != nullptr) {
    into.append(reinterpret_cast<const char*>(registers_->data()), kRegisters);
    return;
  }
  std::uint64_t before = 0;
  for (const std::uint64_t hash : few_) {
    put_varint(into, hash - before);
    before = hash;
  }
}

std::optional<DistinctCounter> DistinctCounter::decode(std::span<const std::uint8_t>& bytes) {
  DistinctCounter counter;
  const auto count = take_varint(bytes);
  if (!count || *count > kFew + 1) return std::nullopt;
  if (*count == kFew + 1) {
    if (bytes.size() < kRegisters) return std::nullopt;
    counter.registers_ = std::make_unique<Registers>();
    for (std::size_t i = 0; i < kRegisters; ++i) {
      if (bytes[i] > 65 - kBits) return std::nullopt;
      (*counter.registers_)[i] = bytes[i];
    }
    bytes = bytes.subspan(kRegisters);
    return counter;
  }
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto step = take_varint(bytes);
    if (!step || (i != 0 && *step == 0) || hash + *step < hash) return std::nullopt;
    hash += *step;
    counter.few_.push_back(hash);
  }
  return counter;
}

std::size_t DistinctCounter::memory() const {
  return few_.capacity() * sizeof(std::uint64_t) + (registers_ == nullptr ? 0 : kRegisters);
}

}  // namespace tracedeck

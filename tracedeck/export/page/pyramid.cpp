#include "tracedeck/export/page/pyramid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/export/page/elapsed.hpp"

namespace tracedeck::page {
namespace {

unsigned exponent_of(std::uint64_t span, std::uint64_t count) {
  const std::uint64_t wanted = std::max<std::uint64_t>(1, count / kSlicesPerBin);
  unsigned exponent = 0;
  while ((span >> exponent) >= wanted) ++exponent;
  return exponent;
}

std::size_t bins_of(std::int64_t first, std::int64_t last, unsigned exponent) {
  return static_cast<std::size_t>(elapsed(first, last) >> exponent) + 1;
}

template <class Bin>
void put_sizes(std::string& into, const BinLevels<Bin>& levels) {
  put_varint(into, levels.count());
  for (std::size_t level = 0; level < levels.count(); ++level) put_varint(into, levels.size(level));
}

// The column is not needed any longer.
void take_over(std::string& into, std::string& column) {
  into.append(column);
  std::string().swap(column);
}

// `steps` numbers for each doubling, from 1 on; 0 for nothing.
std::uint8_t logarithm(std::uint64_t value, double steps, std::uint32_t most) {
  if (value == 0) return 0;
  const double place = std::log2(static_cast<double>(value)) * steps;
  return static_cast<std::uint8_t>(std::min(most, 1 + static_cast<std::uint32_t>(place)));
}

// In 255ths, rounded up so that nothing vanishes.
std::uint8_t share(std::uint64_t busy, unsigned exponent) {
  const double part = static_cast<double>(busy) / std::ldexp(1.0, static_cast<int>(exponent));
  return static_cast<std::uint8_t>(std::min(255.0, std::ceil(part * 255.0)));
}

}  // namespace

Pyramid::Pyramid(std::int64_t first, std::int64_t last, std::uint64_t count)
    : first_(first),
      exponent_(exponent_of(elapsed(first, last), count)),
      bins_(bins_of(first, last, exponent_)),
      columns_(bins_.count()) {}

void Pyramid::Bin::add(const Bin& other) {
  if (!other.any) return;
  several = several || other.several || (any && name != other.name);
  if (!any || other.longest > longest) {
    longest = other.longest;
    name = other.name;
  }
  any = true;
  busy += other.busy;
  count += other.count;
}

void Pyramid::add(std::int64_t begin, std::uint64_t duration, timeline::NameId name) {
  const auto done = [this](std::size_t level, const Bin& bin) { put(level, bin); };
  share_out(elapsed(first_, begin), duration, name, exponent_,
            [&](std::size_t bin, const Bin& part) { bins_.add(bin, part, done); });
}

void Pyramid::put(std::size_t level, const Bin& bin) {
  constexpr std::uint8_t kSeveral = 0x80;
  Columns& columns = columns_[level];
  const std::uint8_t busy = share(bin.busy, exponent_ + 2 * static_cast<unsigned>(level));
  columns.busy.push_back(static_cast<char>(bin.any ? std::max<std::uint8_t>(busy, 1) : 0));
  columns.counts.push_back(
      static_cast<char>(logarithm(bin.count, 4, 127) | (bin.several ? kSeveral : 0)));
  columns.longest.push_back(static_cast<char>(logarithm(bin.longest, 4, 255)));
  std::size_t place = 0;
  if (bin.any) {
    const auto [known, is_new] = places_.try_emplace(bin.name, names_.size());
    if (is_new) names_.push_back(bin.name);
    place = known->second;
  }
  columns.names.push_back(static_cast<char>(place & 0xFF));
  columns.high_names.push_back(static_cast<char>(place >> 8));
}

std::string Pyramid::encode() {
  bins_.finish([this](std::size_t level, const Bin& bin) { put(level, bin); });
  constexpr std::size_t kNarrow = 256;
  const bool wide = names_.size() > kNarrow;
  std::string bytes;
  put_sizes(bytes, bins_);
  put_varint(bytes, wide ? 1 : 0);
  put_varint(bytes, names_.size());
  for (const timeline::NameId name : names_) put_varint(bytes, name);
  for (Columns& columns : columns_) {
    for (std::string* column : {&columns.busy, &columns.counts, &columns.longest})
      take_over(bytes, *column);
    if (!wide) {
      take_over(bytes, columns.names);
      continue;
    }
    for (std::size_t i = 0; i < columns.names.size(); ++i)
      bytes.append({columns.names[i], columns.high_names[i]});
  }
  return bytes;
}

CounterPyramid::CounterPyramid(std::int64_t first, std::int64_t last, std::uint64_t count)
    : first_(first),
      exponent_(exponent_of(elapsed(first, last), count)),
      bins_(bins_of(first, last, exponent_)),
      columns_(bins_.count()) {}

void CounterPyramid::Bin::add(const Bin& other) {
  if (!other.any) return;
  least = any ? std::min(least, other.least) : other.least;
  largest = any ? std::max(largest, other.largest) : other.largest;
  last = other.last;
  any = true;
}

void CounterPyramid::add(std::int64_t time, double value) {
  bins_.add(static_cast<std::size_t>(elapsed(first_, time) >> exponent_),
            {.least = value, .largest = value, .last = value, .any = true},
            [this](std::size_t level, const Bin& bin) { put(level, bin); });
}

void CounterPyramid::put(std::size_t level, const Bin& bin) {
  Columns& columns = columns_[level];
  columns.any.push_back(bin.any ? 1 : 0);
  const std::array values = {bin.least, bin.largest, bin.last};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(values[i]));
    for (unsigned shift = 0; shift < 32; shift += 8)
      columns.values[i].push_back(static_cast<char>(bits >> shift & 0xFF));
  }
}

std::string CounterPyramid::encode() {
  bins_.finish([this](std::size_t level, const Bin& bin) { put(level, bin); });
  std::string bytes;
  put_sizes(bytes, bins_);
  for (Columns& columns : columns_) {
    take_over(bytes, columns.any);
    for (std::string& values : columns.values) take_over(bytes, values);
  }
  return bytes;
}

}  // namespace tracedeck::page

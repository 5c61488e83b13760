#include "tracedeck/export/page/pyramid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/export/page/elapsed.hpp"

namespace tracedeck::page {
namespace {

constexpr std::size_t kTop = 64;  // bins of the highest level, at most

unsigned exponent_of(std::uint64_t span, std::uint64_t count) {
  const std::uint64_t wanted = std::max<std::uint64_t>(1, count / kSlicesPerBin);
  unsigned exponent = 0;
  while ((span >> exponent) >= wanted) ++exponent;
  return exponent;
}

// Levels from the lowest up, each made of the one below.
template <class Bin>
std::vector<std::vector<Bin>> levels_of(const std::vector<Bin>& lowest) {
  std::vector<std::vector<Bin>> levels = {lowest};
  while (levels.back().size() > kTop) {
    const std::vector<Bin>& below = levels.back();
    std::vector<Bin> level((below.size() + 3) / 4);
    for (std::size_t i = 0; i < below.size(); ++i) level[i / 4].add(below[i]);
    levels.push_back(std::move(level));
  }
  return levels;
}

template <class Bin>
void put_sizes(std::string& into, const std::vector<std::vector<Bin>>& levels) {
  put_varint(into, levels.size());
  for (const std::vector<Bin>& level : levels) put_varint(into, level.size());
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
    : first_(first), exponent_(exponent_of(elapsed(first, last), count)) {
  bins_.resize(static_cast<std::size_t>(elapsed(first, last) >> exponent_) + 1);
}

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
  const std::uint64_t from = elapsed(first_, begin);
  const std::uint64_t to = from + duration;
  const std::uint64_t first_bin = from >> exponent_;
  // What ends at a border has no part of the bin behind it.
  const std::uint64_t last_bin = duration == 0 ? first_bin : (to - 1) >> exponent_;
  for (std::uint64_t bin = first_bin; bin <= last_bin; ++bin) {
    const std::uint64_t begins = bin == first_bin ? from : bin << exponent_;
    const std::uint64_t ends = bin == last_bin ? to : (bin + 1) << exponent_;
    const std::uint64_t part = ends - begins;
    bins_[static_cast<std::size_t>(bin)].add({.busy = part,
                                              .longest = duration,
                                              .count = bin == first_bin ? 1U : 0U,
                                              .name = name,
                                              .any = true});
  }
}

std::string Pyramid::encode() const {
  const auto levels = levels_of(bins_);
  std::unordered_map<timeline::NameId, std::size_t> places;
  std::vector<timeline::NameId> names;
  for (const Bin& bin : bins_) {
    if (bin.any && places.try_emplace(bin.name, names.size()).second) names.push_back(bin.name);
  }
  constexpr std::size_t kNarrow = 256;
  const bool wide = names.size() > kNarrow;
  std::string bytes;
  put_sizes(bytes, levels);
  put_varint(bytes, wide ? 1 : 0);
  put_varint(bytes, names.size());
  for (const timeline::NameId name : names) put_varint(bytes, name);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const auto exponent = exponent_ + 2 * static_cast<unsigned>(level);
    for (const Bin& bin : levels[level]) {
      const std::uint8_t busy = share(bin.busy, exponent);
      bytes.push_back(static_cast<char>(bin.any ? std::max<std::uint8_t>(busy, 1) : 0));
    }
    for (const Bin& bin : levels[level]) {
      constexpr std::uint8_t kSeveral = 0x80;
      bytes.push_back(
          static_cast<char>(logarithm(bin.count, 4, 127) | (bin.several ? kSeveral : 0)));
    }
    for (const Bin& bin : levels[level])
      bytes.push_back(static_cast<char>(logarithm(bin.longest, 4, 255)));
    for (const Bin& bin : levels[level]) {
      const std::size_t place = bin.any ? places.at(bin.name) : 0;
      bytes.push_back(static_cast<char>(place & 0xFF));
      if (wide) bytes.push_back(static_cast<char>(place >> 8));
    }
  }
  return bytes;
}

CounterPyramid::CounterPyramid(std::int64_t first, std::int64_t last, std::uint64_t count)
    : first_(first), exponent_(exponent_of(elapsed(first, last), count)) {
  bins_.resize(static_cast<std::size_t>(elapsed(first, last) >> exponent_) + 1);
}

void CounterPyramid::Bin::add(const Bin& other) {
  if (!other.any) return;
  least = any ? std::min(least, other.least) : other.least;
  largest = any ? std::max(largest, other.largest) : other.largest;
  last = other.last;
  any = true;
}

void CounterPyramid::add(std::int64_t time, double value) {
  bins_[static_cast<std::size_t>(elapsed(first_, time) >> exponent_)].add(
      {.least = value, .largest = value, .last = value, .any = true});
}

std::string CounterPyramid::encode() const {
  const auto levels = levels_of(bins_);
  std::string bytes;
  put_sizes(bytes, levels);
  for (const std::vector<Bin>& level : levels) {
    for (const Bin& bin : level) bytes.push_back(bin.any ? 1 : 0);
    for (double Bin::* part : {&Bin::least, &Bin::largest, &Bin::last}) {
      for (const Bin& bin : level) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(bin.*part));
        for (unsigned shift = 0; shift < 32; shift += 8)
          bytes.push_back(static_cast<char>(bits >> shift & 0xFF));
      }
    }
  }
  return bytes;
}

}  // namespace tracedeck::page

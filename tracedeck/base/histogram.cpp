#include "tracedeck/base/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck {

std::size_t Histogram::add_elsewhere(std::uint32_t index) {
  const std::size_t before = memory();
  add_slowly(index, 1);
  return memory() - before;
}

void Histogram::add_all(std::span<const std::int64_t> values) {
  // Of the page of the last value: the rank of its first bucket.
  std::uint32_t first = kPages * kPage;  // beyond all
  std::uint32_t* counts = nullptr;
  std::uint64_t counted = values.size();
  double least = kInfinity;
  double most = -kInfinity;
  for (const std::int64_t value : values) {
    const auto real = static_cast<double>(value);
    const std::uint32_t rank = rank_of(real);
    if (const std::uint32_t place = rank - first; place < kPage) [[likely]] {
      least = std::min(real, least);
      most = std::max(real, most);
      if (++counts[place] != 0) [[likely]]
        continue;
      // 32 bits do not count it.
      --counts[place];
    }
    --counted;
    const std::uint32_t index = positive_index_of(real);
    add_number(real, index);
    if (recent_ == nullptr) continue;
    first = rank / kPage * kPage;
    counts = recent_->counts[index / kPage % Recent::kPlaces];
  }
  if (counted == 0) return;
  count_ += counted;
  minimum_ = std::min(minimum_, least);
  maximum_ = std::max(maximum_, most);
}

void Histogram::add_slowly(std::uint32_t index, std::uint64_t count) {
  if (pages_.empty()) {
    if (few_ == nullptr) few_ = std::make_unique<Few>();
    if (count == 1 && few_->count < kFew) {
      few_->indexes[few_->count++] = index;
      return;
    }
    const std::unique_ptr<Few> few = std::move(few_);
    for (std::size_t i = 0; i < few->count; ++i) add_to_page(few->indexes[i], 1);
  }
  add_to_page(index, count);
}

void Histogram::add_to_page(std::uint32_t index, std::uint64_t count) {
  const std::uint32_t number = index / kPage;
  auto page = std::ranges::lower_bound(pages_, number, {}, &Page::number);
  if (page == pages_.end() || page->number != number) {
    page =
        pages_.insert(page, {.number = number, .counts = std::make_unique<std::uint32_t[]>(kPage)});
  }
  if (recent_ == nullptr) recent_ = std::make_unique<Recent>();
  recent_->numbers[number % Recent::kPlaces] = number;
  recent_->counts[number % Recent::kPlaces] = page->counts.get();
  std::uint32_t& counter = page->counts[index % kPage];
  const std::uint64_t sum = std::uint64_t{counter} + count;
  counter = static_cast<std::uint32_t>(sum);
  if (sum != counter) note_many(index, sum - counter);
}

void Histogram::note_many(std::uint32_t index, std::uint64_t count) {
  const auto place = std::ranges::lower_bound(many_, index, {}, &Counts::value_type::first);
  if (place != many_.end() && place->first == index) {
    place->second += count;
  } else {
    many_.insert(place, {index, count});
  }
}

Histogram::Counts Histogram::counts() const {
  Counts counts;
  if (few_ != nullptr) {
    std::vector<std::uint32_t> indexes(
        few_->indexes.begin(), few_->indexes.begin() + static_cast<std::ptrdiff_t>(few_->count));
    std::ranges::sort(indexes);
    for (const std::uint32_t index : indexes) {
      if (counts.empty() || counts.back().first != index) counts.emplace_back(index, 0);
      ++counts.back().second;
    }
  }
  auto many = many_.begin();
  for (const Page& page : pages_) {
    for (std::uint32_t i = 0; i < kPage; ++i) {
      const std::uint32_t index = page.number * kPage + i;
      std::uint64_t count = page.counts[i];
      if (many != many_.end() && many->first == index) count += (many++)->second;
      if (count != 0) counts.emplace_back(index, count);
    }
  }
  return counts;
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  count_ += other.count_;
  whole_ = whole_ && other.whole_;
  minimum_ = std::min(minimum_, other.minimum_);
  maximum_ = std::max(maximum_, other.maximum_);
  for (const auto& [index, count] : other.counts()) add_slowly(index, count);
}

Histogram::Bucket Histogram::bucket_of(std::uint32_t index) {
  constexpr std::uint32_t kSign = kPages / 2 * kPage;
  const auto value_of = [](std::uint32_t top) {
    return std::bit_cast<double>(std::uint64_t{top} << (52U - kFractionBits));
  };
  constexpr std::uint32_t kInfinite = 0x7FFU << kFractionBits;
  if (index >= kSign) {
    const std::uint32_t top = index - kSign;
    return {value_of(top), top >= kInfinite ? kInfinity : value_of(top + 1)};
  }
  const std::uint32_t top = kSign - 1 - index;
  return {top >= kInfinite ? -kInfinity : -value_of(top + 1), -value_of(top)};
}

// Of a bucket that holds one integer, that; of those beside zero, zero.
double Histogram::middle_of(std::uint32_t index) const {
  const Bucket bucket = bucket_of(index);
  if (std::isinf(bucket.lower) || std::isinf(bucket.upper))
    return std::isinf(bucket.lower) ? bucket.lower : bucket.upper;
  const bool negative = bucket.upper <= 0;
  const double near = negative ? bucket.upper : bucket.lower;
  if (near == 0) return 0;
  if (whole_ && near == std::floor(near) && bucket.upper - bucket.lower <= 1) return near;
  return bucket.lower + (bucket.upper - bucket.lower) / 2;
}

double Histogram::quantile(double part) const {
  if (count_ == 0) return 0;
  // What rounding makes of 0.999 * 1000 is not the rank behind it.
  constexpr double kRounding = 1e-12;
  const double place = std::clamp(part, 0.0, 1.0) * static_cast<double>(count_);
  const double wanted = std::ceil(place - place * kRounding);
  const auto rank =
      std::max(std::uint64_t{1}, std::min(count_, static_cast<std::uint64_t>(wanted)));
  if (rank == 1) return minimum_;
  if (rank == count_) return maximum_;
  std::uint64_t passed = 0;
  for (const auto& [index, count] : counts()) {
    passed += count;
    if (passed >= rank) return std::clamp(middle_of(index), minimum_, maximum_);
  }
  return maximum_;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> buckets;
  for (const auto& [index, count] : counts()) {
    buckets.push_back(bucket_of(index));
    buckets.back().count = count;
  }
  return buckets;
}

void Histogram::encode(std::string& into) const {
  put_varint(into, count_);
  if (count_ == 0) return;
  into.push_back(whole_ ? 1 : 0);
  put_real(into, minimum_);
  put_real(into, maximum_);
  const Counts all = counts();
  put_varint(into, all.size());
  std::uint32_t before = 0;
  for (const auto& [index, count] : all) {
    put_varint(into, index - std::exchange(before, index));
    put_varint(into, count);
  }
}

std::optional<Histogram> Histogram::decode(std::span<const std::uint8_t>& bytes) {
  Histogram histogram;
  const auto count = take_varint(bytes);
  if (!count) return std::nullopt;
  if (*count == 0) return histogram;
  const auto whole = take_varint(bytes);
  const auto minimum = take_real(bytes);
  const auto maximum = take_real(bytes);
  const auto buckets = take_varint(bytes);
  if (!whole || !minimum || !maximum || !buckets || !(*minimum <= *maximum)) return std::nullopt;
  std::uint64_t index = 0;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < *buckets; ++i) {
    const auto step = take_varint(bytes);
    const auto held = take_varint(bytes);
    if (!step || !held || *held == 0 || (i != 0 && *step == 0) || *held > *count - sum)
      return std::nullopt;
    index += std::min<std::uint64_t>(*step, std::uint64_t{kPages} * kPage);
    if (index < index_of(*minimum) || index > index_of(*maximum)) return std::nullopt;
    sum += *held;
    histogram.add_slowly(static_cast<std::uint32_t>(index), *held);
  }
  if (sum != *count) return std::nullopt;
  histogram.count_ = *count;
  histogram.whole_ = *whole != 0;
  histogram.minimum_ = *minimum;
  histogram.maximum_ = *maximum;
  return histogram;
}

std::size_t Histogram::memory() const {
  return (few_ == nullptr ? 0 : sizeof(Few)) + pages_.capacity() * sizeof(Page) +
         pages_.size() * kPage * sizeof(std::uint32_t) + many_.capacity() * sizeof(many_[0]) +
         (recent_ == nullptr ? 0 : sizeof(Recent));
}

}  // namespace tracedeck

// How values are distributed, in buckets whose width grows with the values: quantiles within 0.4 %
// whatever the values are, and two histograms add up to that of all their values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tracedeck {

// Counts values as binary64, in 128 buckets for each power of two. Values near one another share
// memory: some 32 of them take what they are, more take 4 to 8 bytes a bucket. NaN is not counted.
class Histogram {
 public:
  // What lies in one bucket.
  struct Bucket {
    double lower = 0;  // the bound nearer to zero belongs to it, the other does not,
    double upper = 0;  // but for infinity
    std::uint64_t count = 0;
  };

  Histogram() = default;
  Histogram(Histogram&&) noexcept = default;
  Histogram& operator=(Histogram&&) noexcept = default;

  // A real. Returns by how much `memory` grew.
  std::size_t add(double value) {
    if (value != value) [[unlikely]]
      return 0;
    whole_ = false;
    return add_number(value + 0.0, index_of(value + 0.0));
  }
  // The same of an integer.
  std::size_t add_whole(double value) {
    return value != value ? 0 : add_number(value + 0.0, index_of(value + 0.0));
  }
  std::size_t add_unsigned(std::uint64_t value) {
    const auto number = static_cast<double>(value);
    return add_number(number, positive_index_of(number));
  }

  // Integers that are not negative, in fewer instructions than one by one.
  void add_all(std::span<const std::int64_t> values);

  // Where a value will be counted.
  class Place {
   public:
    explicit operator bool() const { return counter_ != nullptr; }

   private:
    friend Histogram;
    std::uint32_t* counter_ = nullptr;
    double value_ = 0;
  };
  // The place of an integer if it can be counted in a few instructions. For `add`, before anything
  // else is added.
  [[nodiscard]] Place place_of(std::uint64_t value) const {
    const auto number = static_cast<double>(value);
    return place_of(number, positive_index_of(number));
  }
  void add(Place place) {
    ++*place.counter_;
    note(place.value_);
  }
  void merge(const Histogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Exact. Of no values: 0.
  [[nodiscard]] double minimum() const { return count_ == 0 ? 0 : minimum_; }
  [[nodiscard]] double maximum() const { return count_ == 0 ? 0 : maximum_; }

  // The value that a part of `part`, 0 to 1, of the values does not exceed: that of rank
  // ceil(part * count). Within 0.4 %; exact of integers below 256 and at both ends. Of no values:
  // 0.
  [[nodiscard]] double quantile(double part) const;

  // The buckets that hold something, in the order of values.
  [[nodiscard]] std::vector<Bucket> buckets() const;

  // As bytes, and what bytes hold that `encode` made; nothing of others.
  void encode(std::string& into) const;
  [[nodiscard]] static std::optional<Histogram> decode(std::span<const std::uint8_t>& bytes);

  // Bytes of memory, without the object itself.
  [[nodiscard]] std::size_t memory() const;

 private:
  static constexpr unsigned kFractionBits = 7;
  static constexpr std::uint32_t kPage = 1U << kFractionBits;  // buckets, those of a power of two
  static constexpr std::size_t kFew = 32;
  static constexpr std::uint32_t kPages = 4096;  // a sign and eleven bits of exponent

  // Few values: their buckets, one by one.
  struct Few {
    std::size_t count = 0;
    std::array<std::uint32_t, kFew> indexes;
  };
  struct Page {
    std::uint32_t number = 0;
    std::unique_ptr<std::uint32_t[]> counts;  // kPage
  };
  using Counts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

  // Pages that were counted in before, by the last bits of their numbers.
  struct Recent {
    static constexpr std::size_t kPlaces = 16;
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};  // the number of no page
    Recent() { numbers.fill(kNone); }
    std::array<std::uint32_t, kPlaces> numbers;
    std::array<std::uint32_t*, kPlaces> counts = {};
  };

  // Grows with the value, which is not -0: adding 0 makes that 0.
  static std::uint32_t index_of(double value) {
    constexpr std::uint32_t kSign = kPages / 2 * kPage;
    const std::uint32_t index = positive_index_of(value);
    return index < 2 * kSign ? index : 3 * kSign - 1 - index;
  }
  // The same of a value that is not negative.
  [[gnu::always_inline]] static std::uint32_t positive_index_of(double value) {
    constexpr std::uint32_t kSign = kPages / 2 * kPage;
    return rank_of(value) + kSign;
  }
  // Grows with a value that is not negative, as its index does.
  [[gnu::always_inline]] static std::uint32_t rank_of(double value) {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> (52U - kFractionBits));
  }

  std::size_t add_number(double value, std::uint32_t index) {
    if (const Place place = place_of(value, index)) [[likely]] {
      add(place);
      return 0;
    }
    note(value);
    return add_elsewhere(index);
  }
  [[nodiscard]] Place place_of(double value, std::uint32_t index) const {
    Place place;
    if (recent_ == nullptr) [[unlikely]]
      return place;
    const std::uint32_t number = index / kPage;
    const std::size_t recent = number % Recent::kPlaces;
    if (recent_->numbers[recent] != number) [[unlikely]]
      return place;
    std::uint32_t* const counter = recent_->counts[recent] + index % kPage;
    if (*counter == std::numeric_limits<std::uint32_t>::max()) [[unlikely]]
      return place;
    place.counter_ = counter;
    place.value_ = value;
    return place;
  }
  void note(double value) {
    ++count_;
    if (value < minimum_) minimum_ = value;
    if (value > maximum_) maximum_ = value;
  }
  // Where no recent page counts it. Returns by how much `memory` grew.
  [[gnu::noinline]] std::size_t add_elsewhere(std::uint32_t index);
  [[nodiscard]] static Bucket bucket_of(std::uint32_t index);
  [[nodiscard]] double middle_of(std::uint32_t index) const;

  void add_slowly(std::uint32_t index, std::uint64_t count);
  void add_to_page(std::uint32_t index, std::uint64_t count);
  void note_many(std::uint32_t index, std::uint64_t count);
  // What is in the buckets, by index.
  [[nodiscard]] Counts counts() const;

  std::uint64_t count_ = 0;
  bool whole_ = true;  // all values are integers
  double minimum_ = kInfinity;
  double maximum_ = -kInfinity;
  std::unique_ptr<Few> few_ = {};
  std::vector<Page> pages_ = {};         // by number
  std::unique_ptr<Recent> recent_ = {};  // null while there are no pages
  Counts many_ = {};                     // what 32 bits of a page do not count, by index

  static constexpr double kInfinity = __builtin_inf();
};

}  // namespace tracedeck

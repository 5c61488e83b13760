#include "tracedeck/columns/parquet/leaf_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/columns/little_endian.hpp"
#include "tracedeck/columns/parquet/encodings.hpp"

namespace tracedeck::parquet {
namespace {

using columns::append_le;
using columns::Column;
using columns::ColumnType;

constexpr std::size_t kDictionaryEntries = 32'768;
constexpr std::size_t kDictionaryBytes = std::size_t{1} << 20;
constexpr std::size_t kPageBytes = std::size_t{1} << 20;
// Longer texts are in no statistics.
constexpr std::size_t kBoundBytes = 64;

std::size_t value_count(const Column& leaf) {
  switch (leaf.type) {
    case ColumnType::kBoolean:
      return leaf.bytes.size();
    case ColumnType::kDecimal:
      return leaf.decimals.size();
    case ColumnType::kDouble:
      return leaf.words64.size();
    case ColumnType::kInteger:
      return leaf.width == 64 ? leaf.words64.size() : leaf.words32.size();
    default:
      return leaf.words32.size();
  }
}

void append_text(std::string& out, std::string_view text) {
  append_le(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

void append_decimal_bytes(std::string& out, Int128 value) {
  const auto bits = static_cast<Uint128>(value);
  for (unsigned shift = 128; shift != 0; shift -= 8) out += static_cast<char>(bits >> (shift - 8));
}

// Bits of each eight booleans, the first one lowest.
void append_booleans(std::string& out, std::span<const std::uint8_t> values) {
  for (std::size_t at = 0; at < values.size(); at += 8) {
    unsigned byte = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, values.size() - at); ++i)
      byte |= static_cast<unsigned>(values[at + i]) << i;
    out += static_cast<char>(byte);
  }
}

template <class Value, class Stored>
Bounds integer_bounds(std::span<const Stored> values) {
  auto least = static_cast<Value>(values.front());
  auto largest = least;
#pragma GCC unroll 4
  for (const Stored each : values) {
    const auto value = static_cast<Value>(each);
    least = value < least ? value : least;
    largest = value > largest ? value : largest;
  }
  Bounds bounds{.known = true};
  append_le(bounds.least, static_cast<Stored>(least));
  append_le(bounds.largest, static_cast<Stored>(largest));
  return bounds;
}

// NaN is in no order, and zeros of both signs stand for each other.
template <class Real, class Stored>
Bounds real_bounds(std::span<const Stored> values) {
  Real least = std::numeric_limits<Real>::infinity();
  Real largest = -least;
  bool any = false;
  for (const Stored bits : values) {
    const Real value = std::bit_cast<Real>(bits);
    if (std::isnan(value)) return {};
    any = true;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  if (!any) return {};
  if (least == 0) least = -Real{0};
  if (largest == 0) largest = Real{0};
  Bounds bounds{.known = true};
  append_le(bounds.least, std::bit_cast<Stored>(least));
  append_le(bounds.largest, std::bit_cast<Stored>(largest));
  return bounds;
}

template <std::unsigned_integral Stored>
bool integer_less(const std::string& a, const std::string& b, bool is_signed) {
  const auto left = load_le<Stored>(as_bytes(a).data());
  const auto right = load_le<Stored>(as_bytes(b).data());
  using Signed = std::make_signed_t<Stored>;
  return is_signed ? static_cast<Signed>(left) < static_cast<Signed>(right) : left < right;
}

template <class Real, class Stored>
bool real_less(const std::string& a, const std::string& b) {
  return std::bit_cast<Real>(load_le<Stored>(as_bytes(a).data())) <
         std::bit_cast<Real>(load_le<Stored>(as_bytes(b).data()));
}

}  // namespace

PhysicalType physical_type(const Column& leaf) {
  switch (leaf.type) {
    case ColumnType::kBoolean:
      return PhysicalType::kBoolean;
    case ColumnType::kInteger:
      return leaf.width == 64 ? PhysicalType::kInt64 : PhysicalType::kInt32;
    case ColumnType::kDecimal:
      return PhysicalType::kFixedLenByteArray;
    case ColumnType::kFloat:
      return PhysicalType::kFloat;
    case ColumnType::kDouble:
      return PhysicalType::kDouble;
    default:
      return PhysicalType::kByteArray;
  }
}

LeafValues::LeafValues(const Column& leaf) : leaf_(leaf), size_(value_count(leaf)) {
  if (size_ == 0) return;
  if (leaf.type == ColumnType::kText || leaf.type == ColumnType::kBytes) {
    find_offsets();
    make_text_dictionary();
  } else if (leaf.type == ColumnType::kWord) {
    make_word_dictionary();
  } else if (leaf.type == ColumnType::kInteger && leaf.width == 64 && gains_from_dictionary()) {
    make_integer_dictionary();
  }
}

void LeafValues::find_offsets() {
  offsets_.reserve(size_ + 1);
  std::uint64_t offset = 0;
  offsets_.push_back(0);
  for (const std::uint32_t length : leaf_.words32) offsets_.push_back(offset += length);
}

std::string_view LeafValues::text(std::size_t index) const {
  if (leaf_.type == ColumnType::kWord) return (*leaf_.words)[leaf_.words32[index]];
  return std::string_view(leaf_.characters).substr(offsets_[index], leaf_.words32[index]);
}

void LeafValues::make_text_dictionary() {
  TextViewMap<std::uint32_t> known;
  for (std::size_t i = 0; i < size_; ++i) {
    const std::string_view value = text(i);
    const auto [found, is_new] = known.try_emplace(value, static_cast<std::uint32_t>(known.size()));
    if (is_new) append_text(dictionary_, value);
    // One that is as large as what it stands for is none.
    const bool is_useless = i + 1 >= 1024 && known.size() > (i + 1) / 2;
    if (known.size() > kDictionaryEntries || dictionary_.size() > kDictionaryBytes || is_useless) {
      numbers_ = {};
      dictionary_ = {};
      return;
    }
    numbers_.push_back(found->second);
  }
  dictionary_count_ = known.size();
}

// In the order in which words come up, so that it does not matter what was known before.
void LeafValues::make_word_dictionary() {
  const std::uint32_t first = leaf_.words32.front();
  std::uint32_t other = 0;
  for (const std::uint32_t word : leaf_.words32) other |= word ^ first;
  if (other == 0) {
    append_text(dictionary_, (*leaf_.words)[first]);
    dictionary_count_ = 1;
    return;
  }
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> renumbered(leaf_.words->size(), kNone);
  std::uint32_t* number = numbers_.grow(size_);
  for (const std::uint32_t word : leaf_.words32) {
    if (renumbered[word] == kNone) {
      renumbered[word] = static_cast<std::uint32_t>(dictionary_count_++);
      append_text(dictionary_, (*leaf_.words)[word]);
    }
    *number++ = renumbered[word];
  }
}

// Whether differences are large and values, as far as the first ones say, repeated: addresses.
bool LeafValues::gains_from_dictionary() const {
  constexpr std::size_t kSample = 1024;
  constexpr unsigned kSmallDifference = 16;  // bits
  const std::size_t count = std::min(kSample, size_);
  NumberSet<std::uint64_t> seen;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    seen.insert(leaf_.words64[i]);
    const std::uint64_t before = leaf_.words64[i == 0 ? 0 : i - 1];
    const auto difference = static_cast<std::int64_t>(leaf_.words64[i] - before);
    bits += bit_width(static_cast<std::uint64_t>(difference < 0 ? -difference : difference));
  }
  return bits > count * kSmallDifference && seen.size() <= count / 2;
}

void LeafValues::make_integer_dictionary() {
  NumberMap<std::uint64_t, std::uint32_t> known;
  for (const std::uint64_t value : leaf_.words64) {
    const auto [found, is_new] = known.try_emplace(value, static_cast<std::uint32_t>(known.size()));
    if (is_new) append_le(dictionary_, value);
    if (known.size() > kDictionaryEntries) {
      numbers_ = {};
      dictionary_ = {};
      return;
    }
    numbers_.push_back(found->second);
  }
  dictionary_count_ = known.size();
}

std::size_t LeafValues::that_fit(std::size_t from, std::size_t count) const {
  if (offsets_.empty() || has_dictionary()) return std::min(count, kPageBytes / 8);
  return that_fit_plain(from, count);
}

std::size_t LeafValues::that_fit_plain(std::size_t from, std::size_t count) const {
  std::size_t fit = std::min<std::size_t>(count, 1);
  while (fit < count && offsets_[from + fit + 1] - offsets_[from] + 4 * fit <= kPageBytes) ++fit;
  return fit;
}

Encoding LeafValues::append(std::string& out, std::size_t from, std::size_t count) {
  if (has_dictionary()) {
    // No width of 0: not every reader takes it.
    const unsigned width = std::max(1U, bit_width(dictionary_count_ - 1));
    out += static_cast<char>(width);
    if (numbers_.empty()) {
      append_run(out, 0, count, width);
      return Encoding::kRleDictionary;
    }
    append_hybrid(out, std::span(numbers_).subspan(from, count), width);
    return Encoding::kRleDictionary;
  }
  if (leaf_.type == ColumnType::kInteger && count > 1 && !is_plain_) {
    const std::size_t begin = out.size();
    if (leaf_.width == 64) {
      append_deltas(out, std::span(leaf_.words64).subspan(from, count));
    } else {
      append_deltas(out, std::span(leaf_.words32).subspan(from, count));
    }
    if (out.size() - begin < count * (leaf_.width == 64 ? 8 : 4))
      return Encoding::kDeltaBinaryPacked;
    out.resize(begin);
  }
  append_plain(out, from, count);
  return Encoding::kPlain;
}

std::string_view LeafValues::stored(std::size_t from, std::size_t count) const {
  const bool is_stored = leaf_.type == ColumnType::kDouble ||
                         (leaf_.type == ColumnType::kInteger && leaf_.width == 64 && is_plain_);
  if (std::endian::native != std::endian::little || !is_stored) return {};
  return {reinterpret_cast<const char*>(leaf_.words64.data() + from), count * 8};
}

bool LeafValues::may_be_plain() const {
  constexpr std::size_t kFew = 64;
  if (size_ < kFew) return false;
  return leaf_.type == ColumnType::kInteger || (!offsets_.empty() && has_dictionary());
}

std::size_t LeafValues::sample() const {
  constexpr std::size_t kMost = 16'384;
  const std::size_t count = std::min(size_, kMost);
  return offsets_.empty() ? count : that_fit_plain(0, count);
}

void LeafValues::make_plain() {
  is_plain_ = true;
  dictionary_ = {};
  dictionary_count_ = 0;
  numbers_ = {};
}

void LeafValues::append_plain(std::string& out, std::size_t from, std::size_t count) const {
  switch (physical_type(leaf_)) {
    case PhysicalType::kBoolean:
      return append_booleans(out, std::span(leaf_.bytes).subspan(from, count));
    case PhysicalType::kInt32:
    case PhysicalType::kFloat:
      return append_le(out, std::span(leaf_.words32).subspan(from, count));
    case PhysicalType::kInt64:
    case PhysicalType::kDouble:
      return append_le(out, std::span(leaf_.words64).subspan(from, count));
    case PhysicalType::kFixedLenByteArray:
      for (std::size_t i = from; i < from + count; ++i)
        append_decimal_bytes(out, leaf_.decimals[i]);
      return;
    case PhysicalType::kByteArray:
      for (std::size_t i = from; i < from + count; ++i) append_text(out, text(i));
      return;
  }
}

Bounds LeafValues::bounds(std::size_t from, std::size_t count) const {
  if (count == 0) return {};
  const auto words32 = [&] { return std::span(leaf_.words32).subspan(from, count); };
  const auto words64 = [&] { return std::span(leaf_.words64).subspan(from, count); };
  Bounds bounds{.known = true};
  switch (leaf_.type) {
    case ColumnType::kBoolean: {
      const auto values = std::span(leaf_.bytes).subspan(from, count);
      bounds.least += static_cast<char>(*std::ranges::min_element(values));
      bounds.largest += static_cast<char>(*std::ranges::max_element(values));
      return bounds;
    }
    case ColumnType::kInteger:
      if (leaf_.width == 64)
        return leaf_.is_signed ? integer_bounds<std::int64_t>(words64())
                               : integer_bounds<std::uint64_t>(words64());
      return leaf_.is_signed ? integer_bounds<std::int32_t>(words32())
                             : integer_bounds<std::uint32_t>(words32());
    case ColumnType::kFloat:
      return real_bounds<float>(words32());
    case ColumnType::kDouble:
      return real_bounds<double>(words64());
    case ColumnType::kDecimal: {
      const auto values = std::span(leaf_.decimals).subspan(from, count);
      append_decimal_bytes(bounds.least, *std::ranges::min_element(values));
      append_decimal_bytes(bounds.largest, *std::ranges::max_element(values));
      return bounds;
    }
    default: {
      std::string_view least = text(from);
      std::string_view largest = least;
      if (has_dictionary() && numbers_.empty()) count = 1;
      for (std::size_t i = from + 1; i < from + count; ++i) {
        // Most values are the one before: names of traces, labels.
        if (!numbers_.empty() && numbers_[i] == numbers_[i - 1]) continue;
        const std::string_view value = text(i);
        if (value < least) least = value;
        if (largest < value) largest = value;
      }
      if (least.size() > kBoundBytes || largest.size() > kBoundBytes) return {};
      bounds.least = least;
      bounds.largest = largest;
      return bounds;
    }
  }
}

bool is_less(const Column& leaf, const std::string& a, const std::string& b) {
  switch (leaf.type) {
    case ColumnType::kInteger:
      return leaf.width == 64 ? integer_less<std::uint64_t>(a, b, leaf.is_signed)
                              : integer_less<std::uint32_t>(a, b, leaf.is_signed);
    case ColumnType::kFloat:
      return real_less<float, std::uint32_t>(a, b);
    case ColumnType::kDouble:
      return real_less<double, std::uint64_t>(a, b);
    case ColumnType::kDecimal: {
      // Two's complement, the most significant byte first: the sign decides before the rest.
      const auto key = [](std::string bytes) {
        bytes.front() = static_cast<char>(static_cast<unsigned char>(bytes.front()) ^ 0x80U);
        return bytes;
      };
      return key(a) < key(b);
    }
    default:
      return a < b;
  }
}

void widen(const Column& leaf, Bounds& bounds, const Bounds& by) {
  if (is_less(leaf, by.least, bounds.least)) bounds.least = by.least;
  if (is_less(leaf, bounds.largest, by.largest)) bounds.largest = by.largest;
}

}  // namespace tracedeck::parquet

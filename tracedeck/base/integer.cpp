#include "tracedeck/base/integer.hpp"

#include <cmath>
#include <limits>

namespace tracedeck {
namespace {

constexpr Uint128 kSignBit = Uint128{1} << 127;
constexpr unsigned kBits = 128;

bool is_in_signed_range(const Integer& value) {
  return value.negative ? value.magnitude <= kSignBit : value.magnitude < kSignBit;
}

Uint128 twos_complement(const Integer& value) {
  return value.negative ? Uint128{0} - value.magnitude : value.magnitude;
}

Integer from_twos_complement(Uint128 bits) {
  return (bits & kSignBit) == 0 ? Integer::of(bits, false) : Integer::of(Uint128{0} - bits, true);
}

template <class Operation>
std::optional<Integer> bitwise(const Integer& a, const Integer& b, Operation operation) {
  if (!a.negative && !b.negative) return Integer::of(operation(a.magnitude, b.magnitude), false);
  if (!is_in_signed_range(a) || !is_in_signed_range(b)) return std::nullopt;
  return from_twos_complement(operation(twos_complement(a), twos_complement(b)));
}

}  // namespace

std::optional<std::uint64_t> Integer::to_unsigned() const {
  if (negative || magnitude > std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return static_cast<std::uint64_t>(magnitude);
}

std::optional<std::int64_t> Integer::to_signed() const {
  constexpr Uint128 kLimit = Uint128{1} << 63;
  if (negative ? magnitude > kLimit : magnitude >= kLimit) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(twos_complement(*this)));
}

std::string Integer::to_string() const {
  return Nanoseconds::from_unsigned(magnitude, negative).to_string();
}

double Integer::to_real() const {
  const auto size = static_cast<double>(magnitude);
  return negative ? -size : size;
}

std::partial_ordering compare(const Integer& integer, double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  constexpr double kBeyond = 340282366920938463463374607431768211456.0;  // 2^128
  if (real >= kBeyond) return std::partial_ordering::less;
  if (real <= -kBeyond) return std::partial_ordering::greater;
  const double whole = std::trunc(real);
  const Integer truncated = Integer::of(static_cast<Uint128>(std::fabs(whole)), real < 0);
  if (const auto order = integer <=> truncated; order != 0) return order;
  if (real == whole) return std::partial_ordering::equivalent;
  return real > whole ? std::partial_ordering::less : std::partial_ordering::greater;
}

std::optional<Integer> add(const Integer& a, const Integer& b) {
  if (a.negative == b.negative) {
    Uint128 sum = 0;
    if (__builtin_add_overflow(a.magnitude, b.magnitude, &sum)) return std::nullopt;
    return Integer::of(sum, a.negative);
  }
  if (a.magnitude >= b.magnitude) return Integer::of(a.magnitude - b.magnitude, a.negative);
  return Integer::of(b.magnitude - a.magnitude, b.negative);
}

std::optional<Integer> subtract(const Integer& a, const Integer& b) {
  return add(a, Integer::of(b.magnitude, !b.negative));
}

std::optional<Integer> multiply(const Integer& a, const Integer& b) {
  Uint128 product = 0;
  if (__builtin_mul_overflow(a.magnitude, b.magnitude, &product)) return std::nullopt;
  return Integer::of(product, a.negative != b.negative);
}

std::optional<Integer> divide(const Integer& a, const Integer& b) {
  if (b.magnitude == 0) return std::nullopt;
  return Integer::of(a.magnitude / b.magnitude, a.negative != b.negative);
}

std::optional<Integer> remainder(const Integer& a, const Integer& b) {
  if (b.magnitude == 0) return std::nullopt;
  return Integer::of(a.magnitude % b.magnitude, a.negative);
}

std::optional<Integer> bit_and(const Integer& a, const Integer& b) {
  return bitwise(a, b, [](Uint128 x, Uint128 y) { return x & y; });
}

std::optional<Integer> bit_or(const Integer& a, const Integer& b) {
  return bitwise(a, b, [](Uint128 x, Uint128 y) { return x | y; });
}

std::optional<Integer> bit_xor(const Integer& a, const Integer& b) {
  return bitwise(a, b, [](Uint128 x, Uint128 y) { return x ^ y; });
}

std::optional<Integer> complement(const Integer& a) {
  return subtract(Integer::of(a.magnitude, !a.negative), Integer::from(std::uint64_t{1}));
}

std::optional<Integer> shift_left(const Integer& a, const Integer& count) {
  if (count.negative) return std::nullopt;
  if (a.magnitude == 0) return a;
  if (count.magnitude >= kBits) return std::nullopt;
  const auto bits = static_cast<unsigned>(count.magnitude);
  const Uint128 shifted = a.magnitude << bits;
  if (shifted >> bits != a.magnitude) return std::nullopt;
  return Integer::of(shifted, a.negative);
}

std::optional<Integer> shift_right(const Integer& a, const Integer& count) {
  if (count.negative) return std::nullopt;
  const bool all = count.magnitude >= kBits;
  const auto bits = all ? 0U : static_cast<unsigned>(count.magnitude);
  const Uint128 shifted = all ? 0 : a.magnitude >> bits;
  const bool lost = all ? a.magnitude != 0 : shifted << bits != a.magnitude;
  // The magnitude of a negative number grows when it is rounded down. It has room: bits were lost.
  return Integer::of(shifted + (a.negative && lost ? 1 : 0), a.negative);
}

}  // namespace tracedeck

#include "tracedeck/text/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

namespace tracedeck {
namespace {

// The largest power of ten in 64 bits, and its number of zeros.
constexpr std::uint64_t kChunk = 10'000'000'000'000'000'000U;
constexpr int kChunkDigits = 19;

// The magnitude of a little-endian integer as 64-bit limbs, the lowest first, no zeros on top.
std::vector<std::uint64_t> limbs_of(ByteSpan little_endian, bool negative) {
  std::vector<std::uint64_t> limbs((little_endian.size() + 7) / 8,
                                   negative ? ~std::uint64_t{0} : 0);
  for (std::size_t i = 0; i < little_endian.size(); ++i) {
    const std::size_t shift = i % 8 * 8;
    std::uint64_t& limb = limbs[i / 8];
    limb = (limb & ~(std::uint64_t{0xFF} << shift)) | std::uint64_t{little_endian[i]} << shift;
  }
  if (negative) {
    bool carry = true;
    for (std::uint64_t& limb : limbs) {
      limb = ~limb + (carry ? 1 : 0);
      carry = carry && limb == 0;
    }
  }
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  return limbs;
}

bool is_negative(ByteSpan little_endian, bool is_signed) {
  return is_signed && !little_endian.empty() && (little_endian.back() & 0x80) != 0;
}

// Divides in place by `kChunk` and returns the remainder.
std::uint64_t divide_by_chunk(std::vector<std::uint64_t>& limbs) {
  std::uint64_t remainder = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    const Uint128 part = Uint128{remainder} << 64 | limbs[i];
    limbs[i] = static_cast<std::uint64_t>(part / kChunk);
    remainder = static_cast<std::uint64_t>(part) - limbs[i] * kChunk;
  }
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  return remainder;
}

// The lowest limb first, no zeros on top.
void append_prefixed_limbs(TextBuffer& out, std::span<const std::uint64_t> limbs, bool negative,
                           unsigned bits) {
  // Bits [first, first + bits), which may lie in two limbs.
  const auto digit = [&](std::size_t first) {
    const std::size_t limb = first / 64;
    std::uint64_t value = limbs[limb] >> first % 64;
    if (first % 64 + bits > 64 && limb + 1 < limbs.size())
      value |= limbs[limb + 1] << (64 - first % 64);
    return value & ((std::uint64_t{1} << bits) - 1);
  };
  if (negative) out.append('-');
  out.append(bits == 1 ? "0b" : bits == 3 ? "0o" : "0x");
  if (limbs.empty()) return out.append('0');
  const std::size_t width =
      64 * limbs.size() - static_cast<std::size_t>(std::countl_zero(limbs.back()));
  const std::size_t count = (width + bits - 1) / bits;
  char* const at = out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) at[i] = "0123456789abcdef"[digit((count - 1 - i) * bits)];
  out.commit(at + count);
}

}  // namespace

char* write_long_decimal(char* to, std::uint64_t value) {
  using namespace detail;
  const std::uint64_t high = value / kBillion;
  if (high < kBillion) {
    to = write_small(to, static_cast<std::uint32_t>(high));
  } else {
    to = write_small(to, static_cast<std::uint32_t>(high / kBillion));
    to = write_nine(to, static_cast<std::uint32_t>(high % kBillion));
  }
  return write_nine(to, static_cast<std::uint32_t>(value % kBillion));
}

char* write_decimal(char* to, Uint128 value) {
  const auto low = static_cast<std::uint64_t>(value);
  if (value == low) return write_decimal(to, low);
  // Two chunks hold 38 digits; 2^128 has 39.
  to = write_decimal(to, value / kChunk);
  return write_padded(to, static_cast<std::uint64_t>(value % kChunk), kChunkDigits);
}

char* write_decimal(char* to, Nanoseconds value) {
  if (value.negative()) *to++ = '-';
  return write_decimal(to, value.magnitude());
}

void append_wide_decimal(TextBuffer& out, ByteSpan little_endian, bool is_signed) {
  const bool negative = is_negative(little_endian, is_signed);
  std::vector<std::uint64_t> limbs = limbs_of(little_endian, negative);
  std::vector<std::uint64_t> chunks;
  do {
    chunks.push_back(divide_by_chunk(limbs));
  } while (!limbs.empty());
  if (negative) out.append('-');
  append_decimal(out, chunks.back());
  for (std::size_t i = chunks.size() - 1; i-- > 0;) {
    out.commit(write_padded(out.reserve(kChunkDigits), chunks[i], kChunkDigits));
  }
}

char* write_prefixed(char* to, std::uint64_t magnitude, bool negative, unsigned bits) {
  if (negative) *to++ = '-';
  *to++ = '0';
  *to++ = bits == 1 ? 'b' : bits == 3 ? 'o' : 'x';
  if (bits == 4) return write_hexadecimal(to, magnitude);
  const auto width = static_cast<unsigned>(std::bit_width(magnitude | 1));
  char* const end = to + (width + bits - 1) / bits;
  for (char* at = end; at != to; magnitude >>= bits)
    *--at = "01234567"[magnitude & ((1U << bits) - 1)];
  return end;
}

void append_prefixed_wide(TextBuffer& out, ByteSpan little_endian, bool is_signed, unsigned bits) {
  const bool negative = is_negative(little_endian, is_signed);
  append_prefixed_limbs(out, limbs_of(little_endian, negative), negative, bits);
}

char* write_finite_real(char* to, double value) {
  // `d.ddde+XX`, whose digits are put where they belong.
  std::array<char, kRealSize> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), std::fabs(value),
                                     std::chars_format::scientific);
  const std::string_view all(text.data(), static_cast<std::size_t>(written.ptr - text.data()));
  if (std::signbit(value)) *to++ = '-';
  const std::size_t mark = all.rfind('e');
  int exponent = 0;
  std::from_chars(all.data() + mark + 2, written.ptr, exponent);
  if (all[mark + 1] == '-') exponent = -exponent;
  if (exponent < -4 || exponent > 15) return std::ranges::copy(all, to).out;
  const std::size_t count = mark == 1 ? 1 : mark - 1;
  text[mark == 1 ? 0 : 1] = text[0];
  const char* const digits = text.data() + (mark == 1 ? 0 : 1);
  if (exponent < 0) {
    static constexpr std::string_view kZeros = "0.0000";
    to = std::copy_n(kZeros.data(), 1 - exponent, to);
    return std::copy_n(digits, count, to);
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  to = std::copy_n(digits, std::min(whole, count), to);
  if (whole > count) to = std::fill_n(to, whole - count, '0');
  *to++ = '.';
  if (whole < count) return std::copy_n(digits + whole, count - whole, to);
  *to++ = '0';
  return to;
}

}  // namespace tracedeck

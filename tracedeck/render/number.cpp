#include "tracedeck/render/number.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

namespace tracedeck::render {
namespace {

// The largest power of ten in 64 bits, and its number of zeros.
constexpr std::uint64_t kChunk = 10'000'000'000'000'000'000U;
constexpr int kChunkDigits = 19;

// 19 digits, zeros in front.
char* write_chunk(char* to, std::uint64_t value) {
  for (int i = kChunkDigits - 1; i >= 0; --i) {
    to[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return to + kChunkDigits;
}

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

char* write_decimal(char* to, Uint128 value) {
  const auto low = static_cast<std::uint64_t>(value);
  if (value == low) return write_decimal(to, low);
  // Two chunks hold 38 digits; 2^128 has 39.
  to = write_decimal(to, value / kChunk);
  return write_chunk(to, static_cast<std::uint64_t>(value % kChunk));
}

void append_decimal(TextBuffer& out, Nanoseconds value) {
  if (value.negative()) out.append('-');
  append_decimal(out, value.magnitude());
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
    out.commit(write_chunk(out.reserve(kChunkDigits), chunks[i]));
  }
}

void append_prefixed(TextBuffer& out, std::uint64_t magnitude, bool negative, unsigned bits) {
  append_prefixed_limbs(out, {&magnitude, magnitude == 0 ? 0U : 1U}, negative, bits);
}

void append_prefixed_wide(TextBuffer& out, ByteSpan little_endian, bool is_signed, unsigned bits) {
  const bool negative = is_negative(little_endian, is_signed);
  append_prefixed_limbs(out, limbs_of(little_endian, negative), negative, bits);
}

void append_finite_real(TextBuffer& out, double value) {
  char* const begin = out.reserve(kRealSize);
  char* end = fmt::format_to(begin, FMT_COMPILE("{}"), value);
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (text.find_first_of(".e") == std::string_view::npos) {
    *end++ = '.';
    *end++ = '0';
  }
  out.commit(end);
}

}  // namespace tracedeck::render

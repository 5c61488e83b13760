#include "tracedeck/columns/parquet/encodings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::parquet {
namespace {

constexpr std::size_t kBlock = 128;
constexpr std::size_t kMiniblocks = 4;
constexpr std::size_t kMiniblock = kBlock / kMiniblocks;

// Puts values of `width` bits one behind the other, the least significant bit first. `out` has room
// for all and 8 bytes more. Returns the end.
template <std::unsigned_integral T>
std::uint8_t* pack_bits(std::uint8_t* out, const T* values, std::size_t count, unsigned width) {
  std::uint64_t word = 0;
  unsigned filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = values[i];
    word |= value << filled;
    filled += width;
    if (filled < 64) continue;
    store_le(out, word);
    out += 8;
    filled -= 64;
    // What of the value did not fit; a shift by its whole width is none.
    word = filled == 0 ? 0 : value >> (width - filled);
  }
  store_le(out, word);
  return out + (filled + 7) / 8;
}

// How many values from `from` on are equal to the first.
template <class T>
std::size_t run_length(std::span<const T> values, std::size_t from) {
  // Runs are short or very long.
  constexpr std::size_t kShort = 16;
  constexpr std::size_t kStride = 256 / sizeof(T);
  const T first = values[from];
  std::size_t end = from + 1;
  const std::size_t short_end = std::min(values.size(), from + kShort);
  while (end < short_end && values[end] == first) ++end;
  if (end != short_end) return end - from;
  // Values that equal those one before are all equal.
  while (values.size() - end >= kStride &&
         std::memcmp(&values[end], &values[end - 1], kStride * sizeof(T)) == 0)
    end += kStride;
  while (end < values.size() && values[end] == first) ++end;
  return end - from;
}

template <class T>
void append_packed_groups(std::string& out, std::span<const T> values, unsigned width) {
  const std::size_t groups = (values.size() + 7) / 8;
  put_varint(out, groups << 1 | 1);
  const std::size_t begin = out.size();
  out.resize(begin + groups * width + 8);
  pack_bits(reinterpret_cast<std::uint8_t*>(out.data()) + begin, values.data(), values.size(),
            width);
  out.resize(begin + groups * width);
}

template <class T>
void append_hybrid_of(std::string& out, std::span<const T> values, unsigned width) {
  // Shorter runs take more bytes than their bits.
  constexpr std::size_t kLeastRun = 8;
  std::size_t packed = 0;  // where values begin that are in no run yet
  std::size_t at = 0;
  while (at < values.size()) {
    std::size_t run = run_length(values, at);
    // Groups are whole: the first values of a run fill the one before it.
    const std::size_t open = (at - packed) % 8;
    const std::size_t fill = open == 0 ? 0 : 8 - open;
    if (run < kLeastRun + fill && run != values.size() - packed) {
      at += run;
      continue;
    }
    at += fill;
    run -= fill;
    if (at != packed) append_packed_groups(out, values.subspan(packed, at - packed), width);
    append_run(out, values[at], run, width);
    at += run;
    packed = at;
  }
  if (packed != at) append_packed_groups(out, values.subspan(packed), width);
}

// Packs the values of a miniblock, whose width is known when this is compiled, and returns the end.
template <unsigned kWidth>
std::uint8_t* pack_miniblock(std::uint8_t* out, const std::uint64_t* values) {
  std::uint64_t word = 0;
  const auto pack = [&]<std::size_t kIndex>() {
    constexpr unsigned kFilled = kIndex * kWidth % 64;
    word |= values[kIndex] << kFilled;
    if constexpr (kFilled + kWidth >= 64) {
      store_le(out, word);
      out += 8;
      word = kFilled + kWidth == 64 ? 0 : values[kIndex] >> (64 - kFilled) % 64;
    }
  };
  [&]<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
    (pack.template operator()<kIndices>(), ...);
  }(std::make_index_sequence<kMiniblock>());
  if constexpr (kMiniblock * kWidth % 64 != 0) {
    store_le(out, static_cast<std::uint32_t>(word));
    out += 4;
  }
  return out;
}

// Packers for widths of up to 32 bits: most differences are small.
using PackMiniblock = std::uint8_t* (*)(std::uint8_t*, const std::uint64_t*);
constexpr std::array<PackMiniblock, 33> kPackers =
    []<std::size_t... kWidths>(std::index_sequence<kWidths...>) {
      return std::array<PackMiniblock, 33>{&pack_miniblock<kWidths>...};
    }(std::make_index_sequence<33>());

template <std::unsigned_integral T>
std::uint8_t* put_zigzag(std::uint8_t* out, T value) {
  const auto wide = std::int64_t{static_cast<std::make_signed_t<T>>(value)};
  auto rest = static_cast<std::uint64_t>(wide) << 1 ^ static_cast<std::uint64_t>(wide >> 63);
  for (; rest >= 0x80; rest >>= 7) *out++ = static_cast<std::uint8_t>(rest | 0x80);
  *out++ = static_cast<std::uint8_t>(rest);
  return out;
}

// Bytes that a block takes at most, what `pack_bits` writes behind it included.
template <class T>
constexpr std::size_t kBlockBytes = 10 + kMiniblocks + kBlock * sizeof(T) + 8;

// Puts the differences of `count` values, 1 to a whole block, from the ones before them; `values`
// begins with the one before the first. Returns the end.
template <std::unsigned_integral T>
std::uint8_t* put_block(std::uint8_t* out, const T* values, std::size_t count) {
  using Signed = std::make_signed_t<T>;
  std::array<T, kBlock> deltas;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  Signed least = std::numeric_limits<Signed>::max();
  for (std::size_t i = 0; i < count; ++i) {
    const auto delta = static_cast<T>(values[i + 1] - values[i]);
    deltas[i] = delta;
    least = std::min(least, static_cast<Signed>(delta));
  }
  out = put_zigzag(out, static_cast<T>(least));
  // Miniblocks are whole, but for those that are not begun.
  std::fill(deltas.begin() + static_cast<std::ptrdiff_t>(count), deltas.end(),
            static_cast<T>(least));
  std::uint8_t* widths = out;
  out += kMiniblocks;
  for (std::size_t begin = 0; begin < kBlock; begin += kMiniblock) {
    std::array<std::uint64_t, kMiniblock> above;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < kMiniblock; ++i) {
      above[i] = static_cast<T>(deltas[begin + i] - static_cast<T>(least));
      all |= above[i];
    }
    const unsigned width = bit_width(all);
    *widths++ = static_cast<std::uint8_t>(width);
    if (begin >= count) continue;
    out = width < kPackers.size() ? kPackers[width](out, above.data())
                                  : pack_bits(out, above.data(), kMiniblock, width);
  }
  return out;
}

template <std::unsigned_integral T>
void append_deltas_of(std::string& out, std::span<const T> values) {
  put_varint(out, kBlock);
  put_varint(out, kMiniblocks);
  put_varint(out, values.size());
  const std::size_t begin = out.size();
  const std::size_t blocks = values.size() / kBlock + 1;
  out.resize_and_overwrite(begin + 10 + blocks * kBlockBytes<T>, [&](char* bytes, std::size_t) {
    auto* at = reinterpret_cast<std::uint8_t*>(bytes) + begin;
    at = put_zigzag(at, values.empty() ? T{0} : values.front());
    for (std::size_t i = 1; i < values.size(); i += kBlock)
      at = put_block(at, &values[i - 1], std::min(kBlock, values.size() - i));
    return at - reinterpret_cast<std::uint8_t*>(bytes);
  });
}

}  // namespace

void append_run(std::string& out, std::uint32_t value, std::size_t count, unsigned width) {
  put_varint(out, std::uint64_t{count} << 1);
  for (unsigned i = 0; i < width; i += 8) out += static_cast<char>(value >> i);
}

void append_hybrid(std::string& out, std::span<const std::uint8_t> values, unsigned width) {
  append_hybrid_of(out, values, width);
}
void append_hybrid(std::string& out, std::span<const std::uint32_t> values, unsigned width) {
  append_hybrid_of(out, values, width);
}

void append_deltas(std::string& out, std::span<const std::uint32_t> values) {
  append_deltas_of(out, values);
}
void append_deltas(std::string& out, std::span<const std::uint64_t> values) {
  append_deltas_of(out, values);
}

unsigned bit_width(std::uint64_t largest) { return static_cast<unsigned>(std::bit_width(largest)); }

}  // namespace tracedeck::parquet

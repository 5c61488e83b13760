#include "tracedeck/columns/parquet/encodings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::parquet {
namespace {

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
  const T first = values[from];
  std::size_t end = from + 1;
  while (end < values.size() && values[end] == first) ++end;
  return end - from;
}

template <class T>
void append_packed_groups(std::string& out, std::span<const T> values, unsigned width) {
  const std::size_t groups = (values.size() + 7) / 8;
  put_varint(out, groups << 1 | 1);
  const std::size_t begin = out.size();
  out.resize(begin + groups * width + 8);
  auto* const at = reinterpret_cast<std::uint8_t*>(out.data()) + begin;
  std::fill_n(at, groups * width + 8, std::uint8_t{0});
  pack_bits(at, values.data(), values.size(), width);
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
    put_varint(out, std::uint64_t{run} << 1);
    for (unsigned i = 0; i < width; i += 8)
      out += static_cast<char>(static_cast<std::uint32_t>(values[at]) >> i);
    at += run;
    packed = at;
  }
  if (packed != at) append_packed_groups(out, values.subspan(packed), width);
}

constexpr std::size_t kBlock = 128;
constexpr std::size_t kMiniblocks = 4;
constexpr std::size_t kMiniblock = kBlock / kMiniblocks;

template <std::unsigned_integral T>
void append_zigzag(std::string& out, T value) {
  using Signed = std::make_signed_t<T>;
  const auto wide = std::int64_t{static_cast<Signed>(value)};
  put_varint(out, static_cast<std::uint64_t>(wide) << 1 ^ static_cast<std::uint64_t>(wide >> 63));
}

template <std::unsigned_integral T>
void append_block(std::string& out, std::array<T, kBlock>& deltas, std::size_t count) {
  using Signed = std::make_signed_t<T>;
  Signed least = static_cast<Signed>(deltas[0]);
  for (std::size_t i = 1; i < count; ++i) least = std::min(least, static_cast<Signed>(deltas[i]));
  append_zigzag(out, static_cast<T>(least));
  // Miniblocks are whole, but for those that are not begun.
  for (std::size_t i = 0; i < count; ++i)
    deltas[i] = static_cast<T>(deltas[i] - static_cast<T>(least));
  std::fill(deltas.begin() + static_cast<std::ptrdiff_t>(count), deltas.end(), T{0});
  std::array<unsigned, kMiniblocks> widths{};
  for (std::size_t i = 0; i < kMiniblocks; ++i) {
    T all = 0;
    for (std::size_t k = 0; k < kMiniblock; ++k) all |= deltas[i * kMiniblock + k];
    widths[i] = static_cast<unsigned>(std::bit_width(all));
    out += static_cast<char>(widths[i]);
  }
  std::array<std::uint8_t, kMiniblock * sizeof(T) + 8> packed{};
  for (std::size_t i = 0; i < kMiniblocks && i * kMiniblock < count; ++i) {
    const auto* const end =
        pack_bits(packed.data(), &deltas[i * kMiniblock], kMiniblock, widths[i]);
    out.append(reinterpret_cast<const char*>(packed.data()),
               static_cast<std::size_t>(end - packed.data()));
  }
}

template <std::unsigned_integral T>
void append_deltas_of(std::string& out, std::span<const T> values) {
  put_varint(out, kBlock);
  put_varint(out, kMiniblocks);
  put_varint(out, values.size());
  append_zigzag(out, values.empty() ? T{0} : values.front());
  std::array<T, kBlock> deltas;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  for (std::size_t at = 1; at < values.size(); at += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - at);
    for (std::size_t i = 0; i < count; ++i)
      deltas[i] = static_cast<T>(values[at + i] - values[at + i - 1]);
    append_block(out, deltas, count);
  }
}

}  // namespace

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

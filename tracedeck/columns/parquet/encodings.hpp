// The encodings of Parquet that pages here are made of.
//
// https://github.com/apache/parquet-format/blob/master/Encodings.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tracedeck::parquet {

// RLE / bit-packed hybrid: runs of equal values, and groups of eight values of `width` bits each,
// 0 to 32. No length before it.
void append_hybrid(std::string& out, std::span<const std::uint8_t> values, unsigned width);
void append_hybrid(std::string& out, std::span<const std::uint32_t> values, unsigned width);

// A run of this encoding: `value`, `count` times.
void append_run(std::string& out, std::uint32_t value, std::size_t count, unsigned width);

// DELTA_BINARY_PACKED with blocks of 128 values and miniblocks of 32. Differences wrap, as the
// encoding says.
void append_deltas(std::string& out, std::span<const std::uint32_t> values);
void append_deltas(std::string& out, std::span<const std::uint64_t> values);

// The bits that a value of up to `largest` takes.
[[nodiscard]] unsigned bit_width(std::uint64_t largest);

}  // namespace tracedeck::parquet

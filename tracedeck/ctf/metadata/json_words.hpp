// Words of CTF 2 for properties of field classes, in both directions.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

template <class T>
struct Word {
  std::string_view word;
  T value;
};

inline constexpr Word<ByteOrder> kByteOrders[] = {
    {"little-endian", ByteOrder::kLittle},
    {"big-endian", ByteOrder::kBig},
};
// Whether the first bit is the least significant one.
inline constexpr Word<bool> kBitOrders[] = {{"first-to-last", true}, {"last-to-first", false}};
inline constexpr Word<TextEncoding> kEncodings[] = {
    {"utf-8", TextEncoding::kUtf8},       {"utf-16be", TextEncoding::kUtf16Be},
    {"utf-16le", TextEncoding::kUtf16Le}, {"utf-32be", TextEncoding::kUtf32Be},
    {"utf-32le", TextEncoding::kUtf32Le},
};

template <class T, std::size_t Size>
[[nodiscard]] std::string_view word_of(const Word<T> (&words)[Size], T value) {
  return std::ranges::find(words, value, &Word<T>::value)->word;
}

}  // namespace tracedeck::ctf

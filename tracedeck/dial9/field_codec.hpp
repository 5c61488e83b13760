// Which wire type a C++ type travels as, and how it is written and read back.
//
//   bool                                           Bool
//   std::uint8_t, std::uint16_t, std::uint32_t     U8, U16, U32
//   std::uint64_t                                  Varint
//   signed integers                                I64
//   double                                         F64
//   enumerations                                   as their underlying type
//   std::string, std::string_view                  String
//   std::vector<std::uint8_t>, ByteSpan            Bytes
//   StackFrames, std::vector<std::uint64_t>        StackFrames
//   InternedString, InternedStack                  PooledString, PooledStackFrames (0.4)
//   StringMap                                      StringMap
//   DynamicList, DynamicMap                        DynamicList, DynamicMap (0.4)
//   std::optional of any of these                  the same, optional
//
// The views among them (std::string_view, ByteSpan, StackFrames) point into the trace after
// decoding.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/dial9/dynamic_value.hpp"
#include "tracedeck/dial9/value.hpp"
#include "tracedeck/dial9/wire.hpp"

namespace tracedeck::dial9 {

// Stack addresses, leaf first, as they stand on the wire: little-endian, at any alignment. A view.
class StackFrames {
 public:
  StackFrames() = default;
  // From anything contiguous of std::uint64_t. Addresses in memory are wire bytes already on
  // little-endian machines only.
  template <class Range>
    requires std::convertible_to<const Range&, std::span<const std::uint64_t>> &&
             (std::endian::native == std::endian::little)
  StackFrames(const Range& range) {  // NOLINT(google-explicit-constructor)
    const std::span<const std::uint64_t> addresses = range;
    wire_ = {reinterpret_cast<const std::uint8_t*>(addresses.data()), 8 * addresses.size()};
  }
  // `wire` is a multiple of 8 bytes.
  [[nodiscard]] static StackFrames from_wire(ByteSpan wire) {
    StackFrames frames;
    frames.wire_ = wire;
    return frames;
  }

  [[nodiscard]] std::size_t size() const { return wire_.size() / 8; }
  [[nodiscard]] std::uint64_t operator[](std::size_t index) const {
    return load_le<std::uint64_t>(wire_.data() + 8 * index);
  }
  [[nodiscard]] ByteSpan wire() const { return wire_; }

 private:
  ByteSpan wire_;
};

// What `FieldCodec::size` says of a value that has no encoding: too much for any buffer, and the
// sum over the fields of an event cannot wrap.
inline constexpr std::size_t kUnencodable = std::size_t{1} << 46;

namespace detail {

// Addresses, 8 bytes each. Most stacks are short, where a call of memcpy costs more than the copy.
[[gnu::always_inline]] inline std::uint8_t* put_words(std::uint8_t* to, const std::uint8_t* from,
                                                      std::size_t size) {
  if (size > 256) [[unlikely]] {
    std::memcpy(to, from, size);
    return to + size;
  }
  std::uint8_t* const end = to + size;
  for (; size >= 32; size -= 32, to += 32, from += 32) std::memcpy(to, from, 32);
  if ((size & 16) != 0) {
    std::memcpy(to, from, 16);
    to += 16;
    from += 16;
  }
  if ((size & 8) != 0) std::memcpy(to, from, 8);
  return end;
}

inline std::uint8_t* put_text(std::uint8_t* to, ByteSpan text) {
  store_le(to, static_cast<std::uint32_t>(text.size()));
  if (!text.empty()) std::memcpy(to + 4, text.data(), text.size());
  return to + 4 + text.size();
}

// dynamic_value.cpp. Sizes are upper bounds without the leading count, `kUnencodable` for what
// has no encoding.
[[nodiscard]] std::size_t dynamic_size(const DynamicList& list);
[[nodiscard]] std::size_t dynamic_size(const DynamicMap& map);
[[nodiscard]] std::uint8_t* put_dynamic(std::uint8_t* to, const DynamicList& list);
[[nodiscard]] std::uint8_t* put_dynamic(std::uint8_t* to, const DynamicMap& map);
[[nodiscard]] DynamicList dynamic_list(const Value& value);
[[nodiscard]] DynamicMap dynamic_map(const Value& value);

inline constexpr std::size_t kMaxLength = std::numeric_limits<std::uint32_t>::max();

}  // namespace detail

// How values of type `M` travel. Every codec has
//   kType, kOptional     what the schema says
//   kFixed               most bytes it writes, apart from `size`
//   kVariable            whether it has
//   size(value)          bytes it writes in addition, at most; `kUnencodable` when it cannot be
//   written put(to, value)       writes and returns the end; may write up to 8 bytes more than that
//   get(value, member)   from a decoded value of type kType that is present; false: not in M's
//   range
template <class M>
struct FieldCodec {
  static_assert(sizeof(M) == 0,
                "no wire type for this member: see the list in dial9/field_codec.hpp");
};

template <class M>
concept WireUnsigned =
    std::unsigned_integral<M> && !std::same_as<M, bool> && !std::same_as<M, char> &&
    !std::same_as<M, char8_t> && !std::same_as<M, char16_t> && !std::same_as<M, char32_t> &&
    !std::same_as<M, wchar_t>;
template <class M>
concept WireSigned = std::signed_integral<M> && !std::same_as<M, char> && !std::same_as<M, wchar_t>;

template <FieldType WireType, std::size_t Size>
struct FixedCodec {
  static constexpr FieldType kType = WireType;
  static constexpr bool kOptional = false;
  static constexpr std::size_t kFixed = Size;
  static constexpr bool kVariable = false;
};

template <WireUnsigned M>
  requires(sizeof(M) < 8)
struct FieldCodec<M> : FixedCodec<sizeof(M) == 1   ? FieldType::kU8
                                  : sizeof(M) == 2 ? FieldType::kU16
                                                   : FieldType::kU32,
                                  sizeof(M)> {
  static std::uint8_t* put(std::uint8_t* to, M value) {
    store_le(to, value);
    return to + sizeof value;
  }
  static bool get(const Value& value, M& member) {
    member = static_cast<M>(value.bits);
    return true;
  }
};

template <WireUnsigned M>
  requires(sizeof(M) == 8)
struct FieldCodec<M> : FixedCodec<FieldType::kVarint, kMaxVarintSize> {
  [[gnu::always_inline]] static std::uint8_t* put(std::uint8_t* to, M value) {
    return encode_leb128(to, value);
  }
  static bool get(const Value& value, M& member) {
    member = value.bits;
    return true;
  }
};

template <WireSigned M>
struct FieldCodec<M> : FixedCodec<FieldType::kI64, 8> {
  static std::uint8_t* put(std::uint8_t* to, M value) {
    store_le(to, static_cast<std::uint64_t>(std::int64_t{value}));
    return to + 8;
  }
  static bool get(const Value& value, M& member) {
    member = static_cast<M>(value.integer);
    return std::in_range<M>(value.integer);
  }
};

template <>
struct FieldCodec<double> : FixedCodec<FieldType::kF64, 8> {
  static std::uint8_t* put(std::uint8_t* to, double value) {
    store_le(to, std::bit_cast<std::uint64_t>(value));
    return to + 8;
  }
  static bool get(const Value& value, double& member) {
    member = value.real;
    return true;
  }
};

template <>
struct FieldCodec<bool> : FixedCodec<FieldType::kBool, 1> {
  static std::uint8_t* put(std::uint8_t* to, bool value) {
    *to = value ? 1 : 0;
    return to + 1;
  }
  static bool get(const Value& value, bool& member) {
    member = value.bits != 0;
    return true;
  }
};

template <class M>
  requires std::is_enum_v<M>
struct FieldCodec<M> : FieldCodec<std::underlying_type_t<M>> {
  using Underlying = FieldCodec<std::underlying_type_t<M>>;
  [[gnu::always_inline]] static std::uint8_t* put(std::uint8_t* to, M value) {
    return Underlying::put(to, static_cast<std::underlying_type_t<M>>(value));
  }
  static bool get(const Value& value, M& member) {
    std::underlying_type_t<M> number{};
    const bool fits = Underlying::get(value, number);
    member = static_cast<M>(number);
    return fits;
  }
};

template <class M, FieldType WireType>
struct PoolIdCodec : FixedCodec<WireType, 4> {
  static std::uint8_t* put(std::uint8_t* to, M value) {
    store_le(to, value.id);
    return to + 4;
  }
  static bool get(const Value& value, M& member) {
    member.id = static_cast<std::uint32_t>(value.bits);
    return true;
  }
};
template <>
struct FieldCodec<InternedString> : PoolIdCodec<InternedString, FieldType::kPooledString> {};
template <>
struct FieldCodec<InternedStack> : PoolIdCodec<InternedStack, FieldType::kPooledStackFrames> {};

// A u32 count, then what it counts.
template <FieldType WireType>
struct CountedCodec {
  static constexpr FieldType kType = WireType;
  static constexpr bool kOptional = false;
  static constexpr std::size_t kFixed = 4;
  static constexpr bool kVariable = true;
};

template <class M>
  requires std::same_as<M, std::string> || std::same_as<M, std::string_view>
struct FieldCodec<M> : CountedCodec<FieldType::kString> {
  static std::size_t size(std::string_view text) {
    return text.size() <= detail::kMaxLength ? text.size() : kUnencodable;
  }
  static std::uint8_t* put(std::uint8_t* to, std::string_view text) {
    return detail::put_text(to, as_bytes(text));
  }
  static bool get(const Value& value, M& member) {
    member = M(value.text());
    return true;
  }
};

template <class M>
  requires std::same_as<M, std::vector<std::uint8_t>> || std::same_as<M, ByteSpan>
struct FieldCodec<M> : CountedCodec<FieldType::kBytes> {
  static std::size_t size(ByteSpan bytes) {
    return bytes.size() <= detail::kMaxLength ? bytes.size() : kUnencodable;
  }
  static std::uint8_t* put(std::uint8_t* to, ByteSpan bytes) { return detail::put_text(to, bytes); }
  static bool get(const Value& value, M& member) {
    member = M(value.pointer, value.pointer + value.length);
    return true;
  }
};

template <class M>
  requires std::same_as<M, std::vector<std::uint64_t>> || std::same_as<M, StackFrames>
struct FieldCodec<M> : CountedCodec<FieldType::kStackFrames> {
  static std::size_t size(StackFrames frames) {
    return frames.size() <= detail::kMaxLength ? frames.wire().size() : kUnencodable;
  }
  [[gnu::always_inline]] static std::uint8_t* put(std::uint8_t* to, StackFrames frames) {
    store_le(to, static_cast<std::uint32_t>(frames.size()));
    return detail::put_words(to + 4, frames.wire().data(), frames.wire().size());
  }
  static bool get(const Value& value, M& member) {
    const StackFrames frames = StackFrames::from_wire(value.bytes());
    if constexpr (std::same_as<M, StackFrames>) {
      member = frames;
    } else {
      member.resize(frames.size());
      for (std::size_t i = 0; i < frames.size(); ++i) member[i] = frames[i];
    }
    return true;
  }
};

template <>
struct FieldCodec<StringMap> : CountedCodec<FieldType::kStringMap> {
  static std::size_t size(const StringMap& map);
  static std::uint8_t* put(std::uint8_t* to, const StringMap& map);
  static bool get(const Value& value, StringMap& map);
};

template <>
struct FieldCodec<DynamicList> : CountedCodec<FieldType::kDynamicList> {
  static std::size_t size(const DynamicList& list) { return detail::dynamic_size(list); }
  static std::uint8_t* put(std::uint8_t* to, const DynamicList& list) {
    return detail::put_dynamic(to, list);
  }
  static bool get(const Value& value, DynamicList& list) {
    list = detail::dynamic_list(value);
    return true;
  }
};

template <>
struct FieldCodec<DynamicMap> : CountedCodec<FieldType::kDynamicMap> {
  static std::size_t size(const DynamicMap& map) { return detail::dynamic_size(map); }
  static std::uint8_t* put(std::uint8_t* to, const DynamicMap& map) {
    return detail::put_dynamic(to, map);
  }
  static bool get(const Value& value, DynamicMap& map) {
    map = detail::dynamic_map(value);
    return true;
  }
};

// Optional Field Modifier: a presence byte in front.
template <class M>
struct FieldCodec<std::optional<M>> {
  using Inner = FieldCodec<M>;
  static_assert(!Inner::kOptional, "an optional of an optional has no wire type");
  static constexpr FieldType kType = Inner::kType;
  static constexpr bool kOptional = true;
  static constexpr std::size_t kFixed = 1 + Inner::kFixed;
  static constexpr bool kVariable = Inner::kVariable;

  static std::size_t size(const std::optional<M>& value)
    requires kVariable
  {
    return value ? Inner::size(*value) : 0;
  }
  [[gnu::always_inline]] static std::uint8_t* put(std::uint8_t* to, const std::optional<M>& value) {
    *to++ = value ? 1 : 0;
    return value ? Inner::put(to, *value) : to;
  }
  static bool get(const Value& value, std::optional<M>& member) {
    return Inner::get(value, member.emplace());
  }
};

}  // namespace tracedeck::dial9

#include "tracedeck/dial9/dynamic_value.hpp"

#include <array>
#include <concepts>
#include <utility>

#include "tracedeck/dial9/dynamic.hpp"
#include "tracedeck/dial9/field_codec.hpp"

namespace tracedeck::dial9 {
namespace {

std::size_t value_size(const DynamicValue& value, std::uint32_t depth);
std::uint8_t* put_value(std::uint8_t* to, const DynamicValue& value);

std::size_t list_size(const DynamicList& list, std::uint32_t depth) {
  if (depth > kMaxNesting || list.size() > detail::kMaxLength) return kUnencodable;
  std::size_t size = 0;
  for (const DynamicValue& element : list) {
    size += value_size(element, depth);
    if (size >= kUnencodable) return kUnencodable;  // before sums can wrap
  }
  return size;
}

std::size_t map_size(const DynamicMap& map, std::uint32_t depth) {
  if (depth > kMaxNesting || map.size() > detail::kMaxLength) return kUnencodable;
  std::size_t size = 0;
  for (const DynamicEntry& entry : map) {
    size += value_size(entry.key, depth) + value_size(entry.value, depth);
    if (size >= kUnencodable) return kUnencodable;
  }
  return size;
}

// With its tag. A container inside is one level deeper than `depth`, the one it is in.
std::size_t value_size(const DynamicValue& value, std::uint32_t depth) {
  const auto size_of = [depth]<class T>(const T& content) -> std::size_t {
    if constexpr (std::same_as<T, DynamicList>) {
      return list_size(content, depth + 1);
    } else if constexpr (std::same_as<T, DynamicMap>) {
      return map_size(content, depth + 1);
    } else if constexpr (FieldCodec<T>::kVariable) {
      return FieldCodec<T>::size(content);
    } else {
      return 0;
    }
  };
  // The fixed part of every type is at most that of a varint.
  return 1 + kMaxVarintSize + std::visit(size_of, value.variant);
}

std::uint8_t* put_value(std::uint8_t* to, const DynamicValue& value) {
  *to++ = std::to_underlying(value.type());
  return std::visit([to]<class T>(const T& content) { return FieldCodec<T>::put(to, content); },
                    value.variant);
}

template <class T>
DynamicValue get_as(const Value& value) {
  T content{};
  static_cast<void>(
      FieldCodec<T>::get(value, content));  // every alternative holds all of its wire type
  return DynamicValue(std::move(content));
}

}  // namespace

DynamicValue owned(const Value& value) {
  const auto index = static_cast<std::size_t>(value.type) - 1;
  using Make = DynamicValue (*)(const Value&);
  static constexpr auto kMake = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Make, sizeof...(I)>{
        get_as<std::variant_alternative_t<I, DynamicValue::Variant>>...};
  }(std::make_index_sequence<std::variant_size_v<DynamicValue::Variant>>{});
  return kMake[index](value);
}

namespace detail {

std::size_t dynamic_size(const DynamicList& list) { return list_size(list, 1); }
std::size_t dynamic_size(const DynamicMap& map) { return map_size(map, 1); }

std::uint8_t* put_dynamic(std::uint8_t* to, const DynamicList& list) {
  store_le(to, static_cast<std::uint32_t>(list.size()));
  to += 4;
  for (const DynamicValue& element : list) to = put_value(to, element);
  return to;
}

std::uint8_t* put_dynamic(std::uint8_t* to, const DynamicMap& map) {
  store_le(to, static_cast<std::uint32_t>(map.size()));
  to += 4;
  for (const DynamicEntry& entry : map) to = put_value(put_value(to, entry.key), entry.value);
  return to;
}

DynamicList dynamic_list(const Value& value) {
  DynamicList list;
  DynamicView view(value);
  for (Value element; view.next(element);) list.push_back(owned(element));
  return list;
}

DynamicMap dynamic_map(const Value& value) {
  DynamicMap map;
  DynamicView view(value);
  for (Value key, content; view.next(key) && view.next(content);)
    map.push_back({owned(key), owned(content)});
  return map;
}

}  // namespace detail

std::size_t FieldCodec<StringMap>::size(const StringMap& map) {
  if (map.size() > detail::kMaxLength) return kUnencodable;
  std::size_t size = 0;
  for (const auto& [key, content] : map) {
    size += 8 + FieldCodec<std::string>::size(key) + FieldCodec<std::string>::size(content);
    if (size >= kUnencodable) return kUnencodable;
  }
  return size;
}

std::uint8_t* FieldCodec<StringMap>::put(std::uint8_t* to, const StringMap& map) {
  store_le(to, static_cast<std::uint32_t>(map.size()));
  to += 4;
  for (const auto& [key, content] : map) {
    to = detail::put_text(detail::put_text(to, as_bytes(key)), as_bytes(content));
  }
  return to;
}

bool FieldCodec<StringMap>::get(const Value& value, StringMap& map) {
  map.clear();
  StringMapView view(value);
  for (std::string_view key, content; view.next(key, content);) map.emplace_back(key, content);
  return true;
}

}  // namespace tracedeck::dial9

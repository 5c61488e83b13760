// Descriptions: what an event class looks like as a C++ struct, said once and used by the encoder
// and by typed decoding alike.
//
//   struct PollStart {
//     std::uint64_t timestamp = 0;
//     std::uint64_t worker_id = 0;
//     std::optional<std::uint32_t> depth;
//   };
//   template <>
//   inline constexpr auto tracedeck::dial9::kDescription<PollStart> =
//       tracedeck::dial9::describe<PollStart>("PollStart",
//           tracedeck::dial9::timestamp(&PollStart::timestamp),
//           tracedeck::dial9::field("worker_id", &PollStart::worker_id),
//           tracedeck::dial9::field("depth", &PollStart::depth));
//
// Fields are written in the order in which they are described. field_codec.hpp lists the types
// that members may have. Without `timestamp`, events of the class carry none.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tracedeck/dial9/field_codec.hpp"
#include "tracedeck/dial9/schema.hpp"

namespace tracedeck::dial9 {

namespace detail {

// What stands for a struct that nobody described.
struct NoDescription {};

template <class Class, class Member>
struct TimestampPart {
  Member Class::* member;
};

struct AnnotationText {
  std::string_view key;
  std::string_view value;
};

template <class M>
struct WithoutOptional {
  using Type = M;
};
template <class M>
struct WithoutOptional<std::optional<M>> {
  using Type = M;
};
template <class M>
inline constexpr bool kIsOptional = !std::same_as<typename WithoutOptional<M>::Type, M>;

// Members of `interned` fields travel as ids of what stands in a pool.
template <class M>
struct InternedCodec
    : FieldCodec<
          std::conditional_t<kIsOptional<M>, std::optional<InternedString>, InternedString>> {
  static_assert(std::convertible_to<const typename WithoutOptional<M>::Type&, std::string_view>,
                "interned fields are text or stacks");
};
template <class M>
  requires std::convertible_to<const typename WithoutOptional<M>::Type&, StackFrames>
struct InternedCodec<M>
    : FieldCodec<std::conditional_t<kIsOptional<M>, std::optional<InternedStack>, InternedStack>> {
};

template <class Class, class MemberType, bool IsInterned, std::size_t AnnotationCount>
struct FieldPart {
  using Member = MemberType;
  using Codec = std::conditional_t<IsInterned, InternedCodec<Member>, FieldCodec<Member>>;
  static constexpr bool kInterned = IsInterned;

  std::string_view name;
  Member Class::* member;
  std::array<AnnotationText, AnnotationCount> annotations;
};

template <class Part>
inline constexpr bool kIsTimestamp = false;
template <class Class, class Member>
inline constexpr bool kIsTimestamp<TimestampPart<Class, Member>> = true;

}  // namespace detail
}  // namespace tracedeck::dial9

// Names in a description are looked up from where the template is: here there is no `Event`,
// `Packet` or `Schema`, so that they are those of the program.
namespace tracedeck_descriptions {

// The description of `T`; specialise it as above, at namespace scope.
template <class T>
inline constexpr tracedeck::dial9::detail::NoDescription kDescription{};

}  // namespace tracedeck_descriptions

namespace tracedeck::dial9 {

using tracedeck_descriptions::kDescription;

template <class T>
concept Described =
    !std::same_as<std::remove_cvref_t<decltype(kDescription<T>)>, detail::NoDescription>;

// Which member is the event's timestamp, in nanoseconds.
template <class Class, class Member>
constexpr auto timestamp(Member Class::* member) {
  static_assert(std::unsigned_integral<Member> && sizeof(Member) == 8,
                "a timestamp is a std::uint64_t");
  return detail::TimestampPart<Class, Member>{member};
}

// Annotates a field (0.4); the encoder must be asked to write 0.4.
constexpr detail::AnnotationText annotation(std::string_view key, std::string_view value) {
  return {key, value};
}

// A field of the given name, at most 65,535 bytes, which must outlive the description.
template <class Class, class Member, std::same_as<detail::AnnotationText>... Annotations>
constexpr auto field(std::string_view name, Member Class::* member, Annotations... annotations) {
  return detail::FieldPart<Class, Member, false, sizeof...(Annotations)>{
      name, member, {annotations...}};
}

// A field whose content, text or a stack (0.4), the encoder puts into a pool when it meets it
// first; events refer to it by id. Typed decoding resolves it.
template <class Class, class Member, std::same_as<detail::AnnotationText>... Annotations>
constexpr auto interned(std::string_view name, Member Class::* member, Annotations... annotations) {
  return detail::FieldPart<Class, Member, true, sizeof...(Annotations)>{
      name, member, {annotations...}};
}

template <class T, class Timestamp, class... Fields>
struct Description {
  static constexpr bool kHasTimestamp = !std::same_as<Timestamp, std::nullptr_t>;
  static constexpr std::size_t kFieldCount = sizeof...(Fields);
  static constexpr std::size_t kInternedCount = (std::size_t{0} + ... + Fields::kInterned);
  // Most bytes of the field values, apart from what `variable_size` says.
  static constexpr std::size_t kFixed = (std::size_t{0} + ... + Fields::Codec::kFixed);

  std::string_view name;
  Timestamp timestamp;  // a TimestampPart, or null
  std::tuple<Fields...> fields;

  // Calls `visit(field, std::integral_constant<std::size_t, index>)` for every field in order.
  template <class Visit>
  [[gnu::always_inline]] constexpr void for_each_field(Visit&& visit) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      (visit(std::get<I>(fields), std::integral_constant<std::size_t, I>{}), ...);
    }(std::make_index_sequence<kFieldCount>{});
  }
};

// Describes the event class `name` (at most 65,535 bytes, which must outlive the description): at
// most one `timestamp` and any number of `field` and `interned` parts.
template <class T, class... Parts>
constexpr auto describe(std::string_view name, Parts... parts) {
  constexpr std::size_t kTimestamps = (std::size_t{0} + ... + detail::kIsTimestamp<Parts>);
  static_assert(kTimestamps <= 1, "an event has one timestamp");
  const auto timestamps = std::tuple_cat([](auto part) {
    if constexpr (detail::kIsTimestamp<decltype(part)>) {
      return std::make_tuple(part);
    } else {
      return std::make_tuple();
    }
  }(parts)...);
  const auto fields = std::tuple_cat([](auto part) {
    if constexpr (detail::kIsTimestamp<decltype(part)>) {
      return std::make_tuple();
    } else {
      return std::make_tuple(part);
    }
  }(parts)...);
  const auto timestamp_part = [&] {
    if constexpr (kTimestamps == 1) {
      return std::get<0>(timestamps);
    } else {
      return nullptr;
    }
  }();
  return [&]<class... Fields>(const std::tuple<Fields...>&) {
    return Description<T, std::remove_const_t<decltype(timestamp_part)>, Fields...>{
        name, timestamp_part, fields};
  }(fields);
}

// The schema that events of `T` are written under.
template <Described T>
[[nodiscard]] Schema schema_of() {
  constexpr auto& description = kDescription<T>;
  Schema schema{.name = std::string(description.name),
                .has_timestamp = description.kHasTimestamp,
                .fields = {}};
  description.for_each_field([&]<class Field>(const Field& field, auto index) {
    schema.fields.push_back(
        {std::string(field.name), Field::Codec::kType, Field::Codec::kOptional});
    for (const detail::AnnotationText& text : field.annotations) {
      schema.annotations.push_back(
          {static_cast<std::uint16_t>(index), std::string(text.key), std::string(text.value)});
    }
  });
  return schema;
}

}  // namespace tracedeck::dial9

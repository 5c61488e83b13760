// Descriptions: what the payload of an event looks like as a C++ struct, said once.
//
//   struct PollStart {
//     std::uint64_t worker = 0;
//     std::string_view task;
//   };
//   template <>
//   inline constexpr auto tracedeck::ctf::kPayload<PollStart> =
//       tracedeck::ctf::describe<PollStart>("poll_start",
//           tracedeck::ctf::field("worker", &PollStart::worker),
//           tracedeck::ctf::field("task", &PollStart::task));
//
// Members may be integers of 8 to 64 bits, bool, float, double, enumerations (with their labels, or
// as plain integers), std::string and std::string_view (null-terminated on the wire: what follows a
// NUL is left out), and std::array of numbers. Fields are little-endian and begin at whole bytes,
// in the order in which they are described.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

struct EnumLabel {
  std::string_view label;
  std::int64_t value;
};

namespace detail {

struct NoPayload {};

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
inline constexpr bool kIsArray = false;
template <Number T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;

template <class T>
concept Encodable = Number<T> || kIsArray<T> || Text<T>;

template <class T>
FieldClass number_class() {
  FieldClass made{.kind = BooleanClass{}};
  constexpr FixedLayout kLayout{.width = 8 * sizeof(T)};
  if constexpr (std::floating_point<T>) {
    static_assert(sizeof(T) <= 8, "float and double");
    made.kind = RealClass{.layout = kLayout};
  } else if constexpr (!std::same_as<T, bool>) {
    made.kind =
        IntegerClass{.is_signed = std::is_enum_v<T> || std::is_signed_v<T>, .layout = kLayout};
    if constexpr (std::is_enum_v<T>)
      std::get<IntegerClass>(made.kind).is_signed = std::is_signed_v<std::underlying_type_t<T>>;
  }
  made.alignment = 8;
  return made;
}

template <class Class, class MemberType, std::size_t LabelCount>
struct PayloadField {
  using Type = MemberType;

  std::string_view name;
  MemberType Class::* member;
  std::array<EnumLabel, LabelCount> labels;

  [[nodiscard]] FieldClassPtr field_class() const {
    if constexpr (Text<MemberType>) {
      return make_field_class(StringClass{.extent = NullTerminated{}});
    } else if constexpr (kIsArray<MemberType>) {
      using Element = typename MemberType::value_type;
      return make_field_class(
          ArrayClass{.element = std::make_shared<const FieldClass>(number_class<Element>()),
                     .extent = StaticLength{std::tuple_size_v<MemberType>}});
    } else {
      FieldClass made = number_class<MemberType>();
      if constexpr (LabelCount != 0) {
        auto& integer = std::get<IntegerClass>(made.kind);
        integer.form = IntegerClass::Form::kEnumeration;
        for (const EnumLabel& each : labels)
          integer.mappings.push_back(
              {.label = std::string(each.label), .ranges = {{each.value, each.value}}});
      }
      return std::make_shared<const FieldClass>(std::move(made));
    }
  }
};

// Bytes of a string with its terminator.
[[nodiscard]] [[gnu::always_inline]] inline std::size_t text_room(std::string_view text) {
  return text.size() + 1;
}

template <class T>
[[gnu::always_inline]] inline std::uint8_t* put_field(std::uint8_t* to, const T& value) {
  if constexpr (Text<T>) {
    const std::string_view text = value;
    // Copies of a fixed size are a few instructions; the room behind allows for them.
    if (text.size() <= 16) [[likely]] {
      for (std::size_t i = 0; i < text.size(); ++i) to[i] = static_cast<std::uint8_t>(text[i]);
    } else {
      std::memcpy(to, text.data(), text.size());
    }
    to[text.size()] = 0;
    const std::size_t end =
        text.empty()
            ? 0
            : static_cast<std::size_t>(
                  static_cast<const std::uint8_t*>(std::memchr(to, 0, text.size() + 1)) - to);
    return to + end + 1;
  } else if constexpr (kIsArray<T>) {
    for (const auto& element : value) to = put_field(to, element);
    return to;
  } else {
    static_assert(std::endian::native == std::endian::little, "fields are little-endian");
    std::memcpy(to, &value, sizeof value);
    return to + sizeof value;
  }
}

}  // namespace detail
}  // namespace tracedeck::ctf

// Names in a description are looked up from where the template is: here there is no `Event`,
// `Packet` or `Loss`, so that they are those of the program.
namespace tracedeck_descriptions {

// The description of `T`; specialise it as above, at namespace scope.
template <class T>
inline constexpr tracedeck::ctf::detail::NoPayload kPayload{};

}  // namespace tracedeck_descriptions

namespace tracedeck::ctf {

using tracedeck_descriptions::kPayload;

template <class T>
concept DescribedPayload =
    !std::same_as<std::remove_cvref_t<decltype(kPayload<T>)>, detail::NoPayload>;

template <class Class, detail::Encodable Member>
constexpr auto field(std::string_view name, Member Class::* member) {
  return detail::PayloadField<Class, Member, 0>{name, member, {}};
}

// An integer or enumeration whose values have labels.
template <class Class, class Member, std::size_t Count>
  requires std::is_enum_v<Member> || std::integral<Member>
constexpr auto field(std::string_view name, Member Class::* member,
                     const EnumLabel (&labels)[Count]) {
  return detail::PayloadField<Class, Member, Count>{name, member, std::to_array(labels)};
}

template <class T, class... Fields>
struct Payload {
  // Most bytes apart from what `variable_room` says.
  static constexpr std::size_t kRoom =
      (std::size_t{0} + ... +
       (detail::Text<typename Fields::Type> ? 0 : sizeof(typename Fields::Type)));

  std::string_view name;
  std::tuple<Fields...> fields;

  [[nodiscard]] [[gnu::always_inline]] static std::size_t variable_room(const Payload& payload,
                                                                        const T& event) {
    return std::apply(
        [&](const auto&... each) { return (std::size_t{0} + ... + room(each, event)); },
        payload.fields);
  }

  [[gnu::always_inline]] static std::uint8_t* put(const Payload& payload, std::uint8_t* to,
                                                  const T& event) {
    std::apply(
        [&](const auto&... each) { ((to = detail::put_field(to, event.*each.member)), ...); },
        payload.fields);
    return to;
  }

  [[nodiscard]] FieldClassPtr field_class() const {
    StructureClass structure;
    std::apply(
        [&](const auto&... each) {
          (structure.members.push_back({.name = std::string(each.name),
                                        .field_class = each.field_class(),
                                        .attributes = {}}),
           ...);
        },
        fields);
    return make_field_class(std::move(structure));
  }

 private:
  template <class Field>
  [[gnu::always_inline]] static std::size_t room(const Field& field, const T& event) {
    if constexpr (detail::Text<typename Field::Type>) {
      return detail::text_room(event.*field.member);
    } else {
      return 0;
    }
  }
};

template <class T, class... Fields>
constexpr auto describe(std::string_view name, Fields... fields) {
  return Payload<T, Fields...>{name, std::tuple<Fields...>(fields...)};
}

}  // namespace tracedeck::ctf

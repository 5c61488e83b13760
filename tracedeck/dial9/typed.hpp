// Typed decoding: events into described structs, by field name.
//
//   TypedDecoder<PollStart> poll_starts;
//   struct Visitor {
//     void event(const EventView& event) {
//       if (poll_starts.accepts(event)) handle(poll_starts.decode(event));
//     }
//   };
//
// Fields of the event that the struct does not describe are skipped. Optional members whose field
// the event lacks are empty; any other missing field, and a field of another type, is an error.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "tracedeck/base/error.hpp"
#include "tracedeck/dial9/decoder.hpp"
#include "tracedeck/dial9/describe.hpp"

namespace tracedeck::dial9 {

// Which value of an event belongs to which described field is found out once for each event type.
//
// For the events of one decoding: a decoder's event types are distinguished by their addresses. One
// thread at a time.
template <Described T>
class TypedDecoder {
 public:
  // Whether the event is of the described class, going by its name.
  [[nodiscard]] bool accepts(const EventView& event) { return mapping(*event.type).accepted; }

  // The event as a struct, of which views point into the trace, or into the pools of its segment.
  // Errors: kInvalidArgument, with the path of the field.
  [[nodiscard]] Result<T> decode(const EventView& event) {
    T decoded{};
    if (Result<void> done = decode(event, decoded); !done)
      return std::unexpected(std::move(done.error()));
    return decoded;
  }
  // The same into an existing struct, whose strings and vectors keep their memory.
  [[nodiscard]] Result<void> decode(const EventView& event, T& into);

 private:
  static constexpr auto& kClass = kDescription<T>;
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

  struct Mapping {
    bool accepted = false;
    std::optional<Error> error;
    std::array<std::size_t, kClass.kFieldCount> positions;  // in the event's values, or kAbsent
  };

  const Mapping& mapping(const EventType& type) {
    if (&type == last_type_) [[likely]]
      return *last_;
    const auto [found, is_new] = mappings_.try_emplace(&type);
    if (is_new) found->second = map(type.schema());
    last_type_ = &type;
    last_ = &found->second;
    return *last_;
  }
  static Mapping map(const Schema& schema);
  template <class Field>
  static const char* get(const Field& field, const Value& value, const Pools& pools, T& into);
  [[gnu::cold]] static Error error_at(std::string_view field, std::string message) {
    return {.code = ErrorCode::kInvalidArgument,
            .message = std::move(message),
            .path = field.empty() ? std::string(kClass.name)
                                  : fmt::format("{}.{}", kClass.name, field)};
  }

  std::unordered_map<const EventType*, Mapping> mappings_;  // never shrinks: addresses are stable
  const EventType* last_type_ = nullptr;
  const Mapping* last_ = nullptr;
};

template <Described T>
Result<void> TypedDecoder<T>::decode(const EventView& event, T& into) {
  const Mapping& mapped = mapping(*event.type);
  if (mapped.error) [[unlikely]]
    return std::unexpected(*mapped.error);
  if constexpr (kClass.kHasTimestamp) into.*kClass.timestamp.member = event.timestamp;
  const char* fault = nullptr;
  std::string_view faulty;
  kClass.for_each_field([&](const auto& field, auto index) {
    const std::size_t position = mapped.positions[index];
    const char* found = nullptr;
    if (position == kAbsent) {
      into.*field.member = {};
    } else {
      found = get(field, event.values[position], *event.pools, into);
    }
    if (found != nullptr) {
      fault = found;
      faulty = field.name;
    }
  });
  if (fault != nullptr) [[unlikely]] {
    Error error = error_at(faulty, fault);
    error.offset = event.offset;
    return std::unexpected(std::move(error));
  }
  return {};
}

template <Described T>
template <class Field>
const char* TypedDecoder<T>::get(const Field& field, const Value& value, const Pools& pools,
                                 T& into) {
  using Codec = typename Field::Codec;
  auto& member = into.*field.member;
  if (!value.present) {
    if constexpr (Codec::kOptional) {
      member.reset();
      return nullptr;
    } else {
      return "the event has no value for a field that is not optional";
    }
  }
  if constexpr (Field::kInterned) {
    using Content = typename detail::WithoutOptional<typename Field::Member>::Type;
    constexpr bool kIsText = Codec::kType == FieldType::kPooledString;
    const Pool::Entry entry =
        (kIsText ? pools.strings : pools.stacks).find(static_cast<std::uint32_t>(value.bits));
    if (entry.data == nullptr) return "the pool has no entry of that id";
    const Value resolved{.pointer = entry.data,
                         .length = entry.size,
                         .type = kIsText ? FieldType::kString : FieldType::kStackFrames,
                         .present = true,
                         .reserved = 0};
    if constexpr (Codec::kOptional) {
      static_cast<void>(FieldCodec<Content>::get(resolved, member.emplace()));
    } else {
      static_cast<void>(FieldCodec<Content>::get(resolved, member));
    }
    return nullptr;
  } else {
    return Codec::get(value, member) ? nullptr : "the number is too large for the member";
  }
}

template <Described T>
auto TypedDecoder<T>::map(const Schema& schema) -> Mapping {
  Mapping mapping{.accepted = schema.name == kClass.name, .error = {}, .positions = {}};
  if (!mapping.accepted)
    mapping.error = error_at({}, fmt::format("the event is a `{}`", schema.name.substr(0, 64)));
  if (kClass.kHasTimestamp && !schema.has_timestamp && !mapping.error) {
    mapping.error = error_at({}, "the class has no timestamp");
  }
  kClass.for_each_field([&]<class Field>(const Field& field, auto index) {
    std::size_t& position = mapping.positions[index];
    position = 0;
    while (position < schema.fields.size() && schema.fields[position].name != field.name)
      ++position;
    if (position == schema.fields.size()) {
      position = kAbsent;
      if (!Field::Codec::kOptional && !mapping.error)
        mapping.error = error_at(field.name, "the class has no such field");
    } else if (schema.fields[position].type != Field::Codec::kType && !mapping.error) {
      mapping.error = error_at(field.name, fmt::format("the field is of type {}, not {}",
                                                       facts(schema.fields[position].type).name,
                                                       facts(Field::Codec::kType).name));
    }
  });
  return mapping;
}

}  // namespace tracedeck::dial9

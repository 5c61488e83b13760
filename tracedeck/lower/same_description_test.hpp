// Whether two descriptions say the same, for tests. Every member of every structure is named in a
// structured binding: where one is added to the model, this does not compile until it is compared.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::lower {

// Compares objects of two descriptions, one object each: field classes must be shared within one
// object as they are in the other.
class SameObjects {
 public:
  bool operator()(const TraceClass& a, const TraceClass& b) {
    const auto& [uuid, name_space, name, uid, packet_header, attributes] = a;
    const auto& [uuid_b, name_space_b, name_b, uid_b, packet_header_b, attributes_b] = b;
    return uuid == uuid_b && name_space == name_space_b && name == name_b && uid == uid_b &&
           same(packet_header, packet_header_b) && attributes == attributes_b;
  }

  bool operator()(const ClockClass& a, const ClockClass& b) {
    const auto& [entity, id, tick, seconds, ticks, shift, origin, identity, origin_identity,
                 precision, accuracy, description, attributes] = a;
    const auto& [entity_b, id_b, tick_b, seconds_b, ticks_b, shift_b, origin_b, identity_b,
                 origin_identity_b, precision_b, accuracy_b, description_b, attributes_b] = b;
    return entity.ordinal == entity_b.ordinal && id == id_b && tick == tick_b &&
           seconds == seconds_b && ticks == ticks_b && shift == shift_b && origin == origin_b &&
           identity == identity_b && origin_identity == origin_identity_b &&
           precision == precision_b && accuracy == accuracy_b && description == description_b &&
           attributes == attributes_b;
  }

  bool operator()(const DataStreamClass& a, const DataStreamClass& b) {
    const auto& [entity, id, name, name_space, uid, clock, packet_context, event_header,
                 common_context, identifies, parts, describing, attributes, trace] = a;
    const auto& [entity_b, id_b, name_b, name_space_b, uid_b, clock_b, packet_context_b,
                 event_header_b, common_context_b, identifies_b, parts_b, describing_b,
                 attributes_b, trace_b] = b;
    return entity.ordinal == entity_b.ordinal && id == id_b && name == name_b &&
           name_space == name_space_b && uid == uid_b && same_entity(clock, clock_b) &&
           same(packet_context, packet_context_b) && same(event_header, event_header_b) &&
           same(common_context, common_context_b) && identifies == identifies_b &&
           parts == parts_b && describing == describing_b && attributes == attributes_b &&
           (trace == nullptr) == (trace_b == nullptr);
  }

  bool operator()(const EventClass& a, const EventClass& b) {
    const auto& [entity, id, name, name_space, uid, stream_class, clock, duration, nominal,
                 describes, self_described, specific_context, payload, attributes] = a;
    const auto& [entity_b, id_b, name_b, name_space_b, uid_b, stream_class_b, clock_b, duration_b,
                 nominal_b, describes_b, self_described_b, specific_context_b, payload_b,
                 attributes_b] = b;
    return entity.ordinal == entity_b.ordinal && id == id_b && name == name_b &&
           name_space == name_space_b && uid == uid_b &&
           same_entity(stream_class, stream_class_b) && same_entity(clock, clock_b) &&
           duration == duration_b && nominal == nominal_b && describes == describes_b &&
           self_described == self_described_b && same(specific_context, specific_context_b) &&
           same(payload, payload_b) && attributes == attributes_b;
  }

  bool operator()(const DataStream& a, const DataStream& b) {
    const auto& [entity, stream_class, keys, file, damage_end] = a;
    const auto& [entity_b, stream_class_b, keys_b, file_b, damage_end_b] = b;
    return entity.ordinal == entity_b.ordinal && same_entity(stream_class, stream_class_b) &&
           same(keys, keys_b) && file == file_b && damage_end == damage_end_b;
  }

  bool same(const FieldClassPtr& a, const FieldClassPtr& b) {
    if (a == nullptr || b == nullptr) return a == b;
    const auto known = known_.find(a.get());
    if (known != known_.end()) return known->second == b.get();
    if (!taken_.emplace(b.get(), a.get()).second) return false;
    const auto& [kind, alignment, roles, attributes] = *a;
    const auto& [kind_b, alignment_b, roles_b, attributes_b] = *b;
    const bool is_same = alignment == alignment_b && roles == roles_b &&
                         attributes == attributes_b && same_alternative(kind, kind_b);
    known_.emplace(a.get(), b.get());
    return is_same;
  }

 private:
  template <class Pointer>
  static bool same_entity(const Pointer* a, const Pointer* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return a->entity.ordinal == b->entity.ordinal;
  }
  template <class T>
  bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(a, b, [&](const T& x, const T& y) { return same(x, y); });
  }
  template <class T>
  bool same(const std::optional<T>& a, const std::optional<T>& b) {
    return a && b ? same(*a, *b) : a.has_value() == b.has_value();
  }
  template <class... T>
  bool same_alternative(const std::variant<T...>& a, const std::variant<T...>& b) {
    return a.index() == b.index() &&
           std::visit(
               [&](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); }, a);
  }

  static bool same(const StreamKey& a, const StreamKey& b) {
    const auto& [name, value, digits] = a;
    const auto& [name_b, value_b, digits_b] = b;
    return name == name_b && value == value_b && digits == digits_b;
  }
  static bool same(const FieldLocation& a, const FieldLocation& b) {
    const auto& [root, path] = a;
    const auto& [root_b, path_b] = b;
    return root == root_b && path == path_b;
  }
  static bool same(const FixedLayout& a, const FixedLayout& b) {
    const auto& [width, byte_order, reversed] = a;
    const auto& [width_b, byte_order_b, reversed_b] = b;
    return width == width_b && byte_order == byte_order_b && reversed == reversed_b;
  }
  static bool same(const Leb128Layout& /*a*/, const Leb128Layout& /*b*/) { return true; }
  static bool same(const NullTerminated& /*a*/, const NullTerminated& /*b*/) { return true; }
  static bool same(const RestOfRecord& /*a*/, const RestOfRecord& /*b*/) { return true; }
  static bool same(const DynamicClass& /*a*/, const DynamicClass& /*b*/) { return true; }
  static bool same(const StaticLength& a, const StaticLength& b) {
    const auto& [length] = a;
    const auto& [length_b] = b;
    return length == length_b;
  }
  static bool same(const LengthPrefixed& a, const LengthPrefixed& b) {
    const auto& [width, byte_order] = a;
    const auto& [width_b, byte_order_b] = b;
    return width == width_b && byte_order == byte_order_b;
  }
  static bool same(const LengthField& a, const LengthField& b) {
    const auto& [location] = a;
    const auto& [location_b] = b;
    return same(location, location_b);
  }
  static bool same(const Mapping& a, const Mapping& b) {
    const auto& [label, ranges] = a;
    const auto& [label_b, ranges_b] = b;
    return label == label_b && ranges == ranges_b;
  }
  static bool same(const BooleanClass& a, const BooleanClass& b) {
    const auto& [layout] = a;
    const auto& [layout_b] = b;
    return same(layout, layout_b);
  }
  bool same(const IntegerClass& a, const IntegerClass& b) {
    const auto& [is_signed, layout, form, base, mappings] = a;
    const auto& [is_signed_b, layout_b, form_b, base_b, mappings_b] = b;
    return is_signed == is_signed_b && same_alternative(layout, layout_b) && form == form_b &&
           base == base_b && same(mappings, mappings_b);
  }
  static bool same(const RealClass& a, const RealClass& b) {
    const auto& [layout] = a;
    const auto& [layout_b] = b;
    return same(layout, layout_b);
  }
  bool same(const StringClass& a, const StringClass& b) {
    const auto& [extent, encoding, interned] = a;
    const auto& [extent_b, encoding_b, interned_b] = b;
    return same_alternative(extent, extent_b) && encoding == encoding_b && interned == interned_b;
  }
  bool same(const BlobClass& a, const BlobClass& b) {
    const auto& [extent, media_type] = a;
    const auto& [extent_b, media_type_b] = b;
    return same_alternative(extent, extent_b) && media_type == media_type_b;
  }
  bool same(const ArrayClass& a, const ArrayClass& b) {
    const auto& [element, extent, alignment, interned] = a;
    const auto& [element_b, extent_b, alignment_b, interned_b] = b;
    return same(element, element_b) && same_alternative(extent, extent_b) &&
           alignment == alignment_b && interned == interned_b;
  }
  bool same(const Member& a, const Member& b) {
    const auto& [name, field_class, attributes] = a;
    const auto& [name_b, field_class_b, attributes_b] = b;
    return name == name_b && same(field_class, field_class_b) && attributes == attributes_b;
  }
  bool same(const StructureClass& a, const StructureClass& b) {
    const auto& [members, alignment] = a;
    const auto& [members_b, alignment_b] = b;
    return same(members, members_b) && alignment == alignment_b;
  }
  bool same(const MapClass& a, const MapClass& b) {
    const auto& [key, value] = a;
    const auto& [key_b, value_b] = b;
    return same(key, key_b) && same(value, value_b);
  }
  bool same(const SelectorRanges& a, const SelectorRanges& b) {
    const auto& [selector, ranges] = a;
    const auto& [selector_b, ranges_b] = b;
    return same(selector, selector_b) && ranges == ranges_b;
  }
  bool same(const OptionalClass& a, const OptionalClass& b) {
    const auto& [value, presence] = a;
    const auto& [value_b, presence_b] = b;
    return same(value, value_b) && same(presence, presence_b);
  }
  bool same(const VariantOption& a, const VariantOption& b) {
    const auto& [name, field_class, ranges, attributes] = a;
    const auto& [name_b, field_class_b, ranges_b, attributes_b] = b;
    return name == name_b && same(field_class, field_class_b) && ranges == ranges_b &&
           attributes == attributes_b;
  }
  bool same(const VariantClass& a, const VariantClass& b) {
    const auto& [options, selector] = a;
    const auto& [options_b, selector_b] = b;
    return same(options, options_b) && same(selector, selector_b);
  }

  std::map<const FieldClass*, const FieldClass*> known_;  // of the first object, in the second
  std::map<const FieldClass*, const FieldClass*> taken_;  // the other way around
};

template <class T>
[[nodiscard]] bool same_object(const T& a, const T& b) {
  return SameObjects()(a, b);
}

[[nodiscard]] inline bool same_description(const TraceDescription& a, const TraceDescription& b) {
  const auto same_objects = [](const auto& one, const auto& other) {
    return same_object(one, other);
  };
  return a.format() == b.format() && a.version() == b.version() &&
         a.name_among_others() == b.name_among_others() &&
         same_object(a.trace_class(), b.trace_class()) && a.environment() == b.environment() &&
         std::ranges::equal(a.clocks(), b.clocks(), same_objects) &&
         std::ranges::equal(a.stream_classes(), b.stream_classes(), same_objects) &&
         std::ranges::equal(a.event_classes(), b.event_classes(), same_objects);
}

}  // namespace tracedeck::lower

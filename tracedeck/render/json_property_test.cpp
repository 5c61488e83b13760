// Random values off the tape, written as JSON, are read back by an independent parser and compared.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <simdjson.h>

#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/render/json.hpp"
#include "tracedeck/render/sample_trace_test.hpp"

namespace tracedeck::render {
namespace {

using simdjson::ondemand::json_type;
using simdjson::ondemand::value;

// A random value as slots, with the class and the texts that they need.
struct RandomValue {
  Slots slots;
  FieldClassPtr field_class;
  std::deque<std::string> texts;
};

class Maker {
 public:
  explicit Maker(RandomValue& into) : into_(into) {}

  // Appends the slots of a value and returns its class.
  FieldClassPtr make(int depth) {
    switch (pick(depth > 0 ? 12 : 7)) {
      case 0:
        into_.slots.push_back(boolean_slot(*rc::gen::arbitrary<bool>()));
        return make_field_class(BooleanClass{});
      case 1:
        into_.slots.push_back(unsigned_slot(scaled()));
        return unsigned_class();
      case 2:
        into_.slots.push_back(signed_slot(static_cast<std::int64_t>(scaled())));
        return make_field_class(IntegerClass{.is_signed = true});
      case 3:
        into_.slots.push_back(
            real_slot(std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>())));
        return make_field_class(RealClass{});
      case 4:
        into_.slots.push_back(text());
        return string_class();
      case 5:
        into_.slots.push_back(unsigned_slot(static_cast<std::uint64_t>(pick(4))));
        return enumeration_class(
            {{.label = "low", .ranges = {{0, 1}}}, {.label = "odd", .ranges = {{1, 1}, {3, 3}}}});
      case 6:
        into_.slots.push_back(unresolved_slot(scaled()));
        return string_class();
      case 7:
        return array(depth);
      case 8:
        return structure(depth);
      case 9:
        return string_map(depth);
      case 10:
        return map(depth);
      default:
        return optional(depth);
    }
  }

 private:
  // As likely the last as the first, also where rapidcheck begins small.
  static int pick(int count) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, count));
  }
  static std::uint64_t scaled() { return *rc::gen::arbitrary<std::uint64_t>() >> pick(64); }
  static std::size_t count() { return static_cast<std::size_t>(pick(4)); }

  Slot text() {
    const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    return text_slot(into_.texts.emplace_back(bytes));
  }

  // Appends a head, what `body` appends, and sets the head's extent.
  template <class Body>
  void compound(SlotKind kind, std::uint64_t bits, Body body) {
    const std::size_t head = into_.slots.size();
    into_.slots.push_back(head_slot(kind, bits, 0));
    body();
    into_.slots[head].length = static_cast<std::uint32_t>(into_.slots.size() - head - 1);
  }

  // All elements have the class of the first: the same random choices are not made again, so
  // elements are copies.
  FieldClassPtr array(int depth) {
    const std::size_t elements = count();
    FieldClassPtr element = unsigned_class();
    compound(SlotKind::kArray, elements, [&] {
      if (elements == 0) return;
      const std::size_t begin = into_.slots.size();
      element = make(depth - 1);
      const Slots first(into_.slots.begin() + static_cast<std::ptrdiff_t>(begin),
                        into_.slots.end());
      for (std::size_t i = 1; i < elements; ++i)
        into_.slots.insert(into_.slots.end(), first.begin(), first.end());
    });
    return array_class(element);
  }

  FieldClassPtr structure(int depth) {
    StructureClass structure;
    const std::size_t members = count();
    compound(SlotKind::kStructure, 0, [&] {
      for (std::size_t i = 0; i < members; ++i) {
        const auto name = *rc::gen::element<std::string>("a", "b", "long name", "\"", "");
        structure.members.push_back(
            {.name = name, .field_class = make(depth - 1), .attributes = {}});
      }
    });
    return make_field_class(std::move(structure));
  }

  FieldClassPtr string_map(int depth) {
    const std::size_t pairs = count();
    compound(SlotKind::kStringMap, pairs, [&] {
      for (std::size_t i = 0; i < pairs; ++i) {
        into_.slots.push_back(text());
        untyped(depth - 1);
      }
    });
    return make_field_class(
        MapClass{.key = string_class(), .value = make_field_class(DynamicClass{})});
  }

  FieldClassPtr map(int depth) {
    const std::size_t pairs = count();
    const FieldClassPtr any = make_field_class(DynamicClass{});
    compound(SlotKind::kMap, pairs, [&] {
      for (std::size_t i = 0; i < 2 * pairs; ++i) untyped(depth - 1);
    });
    return make_field_class(MapClass{.key = any, .value = any});
  }

  FieldClassPtr optional(int depth) {
    const bool present = *rc::gen::arbitrary<bool>();
    FieldClassPtr inner = unsigned_class();
    compound(SlotKind::kOptional, present ? 1 : 0, [&] {
      if (present) inner = make(depth - 1);
    });
    return make_field_class(OptionalClass{.value = inner});
  }

  // A value whose class the parent does not know, so nothing that needs one.
  void untyped(int depth) {
    if (depth > 0 && *rc::gen::arbitrary<bool>()) {
      map(depth);
    } else {
      into_.slots.push_back(*rc::gen::arbitrary<bool>() ? text() : unsigned_slot(scaled()));
    }
  }

  RandomValue& into_;
};

// Compares a parsed value with slots: a second, recursive reading of what the tape means.
class Comparer {
 public:
  // Returns the slot after the value, or null when they differ.
  const Slot* compare(value json, const Slot* slot, const FieldClass* field_class) {
    switch (slot->kind) {
      case SlotKind::kBoolean:
        return ended(bool(json.get_bool()) == (slot->bits != 0), slot);
      case SlotKind::kUnsigned:
        return ended(unsigned_number(json, slot->bits, field_class), slot);
      case SlotKind::kSigned:
        return ended(token(json) == std::to_string(slot->integer), slot);
      case SlotKind::kReal:
        return ended(real(json, slot->real), slot);
      case SlotKind::kString:
        return ended(std::string_view(json.get_string()) == repaired_utf8(slot->text()), slot);
      case SlotKind::kUnresolved:
        return ended(token(json.get_object()["unresolved"]) == std::to_string(slot->bits), slot);
      case SlotKind::kArray:
        return array(json, slot, field_class);
      case SlotKind::kStructure:
        return structure(json, slot, field_class);
      case SlotKind::kStringMap:
        return string_map(json, slot);
      case SlotKind::kMap:
        return map(json, slot);
      case SlotKind::kOptional:
        if (slot->bits == 0) return ended(json.is_null(), slot);
        return compare(json, slot + 1, field_class->as<OptionalClass>()->value.get());
      default:
        return nullptr;
    }
  }

 private:
  static const Slot* ended(bool same, const Slot* slot) { return same ? slot + 1 : nullptr; }

  static std::string token(value json) {
    std::string_view text = json.raw_json_token();
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return std::string(text);
  }

  static bool unsigned_number(value json, std::uint64_t bits, const FieldClass* field_class) {
    const auto* const integer = field_class == nullptr ? nullptr : field_class->as<IntegerClass>();
    if (integer == nullptr || integer->form != IntegerClass::Form::kEnumeration) {
      return token(json) == std::to_string(bits);
    }
    simdjson::ondemand::object object = json.get_object();
    if (token(object["value"]) != std::to_string(bits)) return false;
    std::string labels;
    for (auto label : object["labels"].get_array())
      labels += fmt::format("{},", std::string_view(label.get_string()));
    const std::vector<std::string> expected = {"low,", "low,odd,", "", "odd,"};
    return labels == expected[bits];
  }

  static bool real(value json, double expected) {
    if (std::isnan(expected)) return std::string_view(json.get_string()) == "NaN";
    if (std::isinf(expected)) {
      return std::string_view(json.get_string()) == (expected < 0 ? "-Infinity" : "Infinity");
    }
    const std::string text = token(json);
    return text.find_first_of(".e") != std::string::npos &&
           std::bit_cast<std::uint64_t>(double(json.get_double())) ==
               std::bit_cast<std::uint64_t>(expected);
  }

  const Slot* array(value json, const Slot* slot, const FieldClass* field_class) {
    const Slot* at = slot + 1;
    std::size_t count = 0;
    for (auto element : json.get_array()) {
      at = compare(element.value(), at, field_class->as<ArrayClass>()->element.get());
      if (at == nullptr) return nullptr;
      ++count;
    }
    return count == slot->bits && at == slot->next() ? at : nullptr;
  }

  const Slot* structure(value json, const Slot* slot, const FieldClass* field_class) {
    const auto& members = field_class->as<StructureClass>()->members;
    const Slot* at = slot + 1;
    std::size_t index = 0;
    for (auto field : json.get_object()) {
      if (index == members.size()) return nullptr;
      const Member& member = members[index++];
      if (std::string_view(field.unescaped_key()) != member.name) return nullptr;
      at = compare(field.value(), at, member.field_class.get());
      if (at == nullptr) return nullptr;
    }
    return index == members.size() && at == slot->next() ? at : nullptr;
  }

  const Slot* string_map(value json, const Slot* slot) {
    const Slot* at = slot + 1;
    std::size_t count = 0;
    for (auto field : json.get_object()) {
      if (std::string_view(field.unescaped_key()) != repaired_utf8(at->text())) return nullptr;
      at = compare(field.value(), at + 1, nullptr);
      if (at == nullptr) return nullptr;
      ++count;
    }
    return count == slot->bits && at == slot->next() ? at : nullptr;
  }

  const Slot* map(value json, const Slot* slot) {
    const Slot* at = slot + 1;
    std::size_t count = 0;
    for (auto pair : json.get_array()) {
      std::size_t parts = 0;
      for (auto part : pair.get_array()) {
        at = compare(part.value(), at, nullptr);
        if (at == nullptr) return nullptr;
        ++parts;
      }
      if (parts != 2) return nullptr;
      ++count;
    }
    return count == slot->bits && at == slot->next() ? at : nullptr;
  }
};

RC_GTEST_PROP(JsonProperty, ParsedJsonIsTheValueOnTheTape, ()) {
  constexpr int kMembers = 8;
  RandomValue random;
  Maker maker(random);
  StructureClass structure;
  for (int i = 0; i < kMembers; ++i) {
    structure.members.push_back({.name = "member", .field_class = maker.make(4), .attributes = {}});
  }
  random.field_class = make_field_class(std::move(structure));
  random.slots.insert(
      random.slots.begin(),
      head_slot(SlotKind::kStructure, 0, static_cast<std::uint32_t>(random.slots.size())));
  TextBuffer out;
  JsonValues values;
  values.append(out, random.slots.data(), random.field_class.get());

  simdjson::padded_string padded(out.view());
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document = parser.iterate(padded);
  RC_LOG() << out.view();
  const Slot* const end =
      Comparer().compare(document.get_value(), random.slots.data(), random.field_class.get());
  RC_ASSERT(end == random.slots.data() + random.slots.size());
}

}  // namespace
}  // namespace tracedeck::render

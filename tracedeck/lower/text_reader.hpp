// Reads the text of one object of a description, by the tables of text_members.hpp.
//
// Texts are what anybody may have written: everything is checked, and what is wrong ends the
// reading with one error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/lower/text_members.hpp"
#include "tracedeck/text/json_access.hpp"

namespace tracedeck::lower {

// What texts may refer to, by the ordinals that they gave.
struct TextReferences {
  std::map<std::uint64_t, const ClockClass*> clocks = {};
  std::map<std::uint64_t, const DataStreamClass*> stream_classes = {};
};

// The members of a JSON object, each to be taken once.
class JsonMembers {
 public:
  static constexpr std::size_t kMost = 32;

  // Returns false if `value` is no object or has more than `kMost` members.
  [[nodiscard]] bool open(JsonRef value);
  [[nodiscard]] JsonRef object() const { return object_; }
  // No value if there is none of that key.
  [[nodiscard]] JsonRef take(std::string_view key);
  // The first that was not taken, if any.
  [[nodiscard]] JsonRef left() const;

 private:
  JsonRef object_;
  std::array<JsonRef, kMost> values_ = {};
  std::array<bool, kMost> taken_ = {};
  std::size_t count_ = 0;
};

class TextReader {
 public:
  // `references` must outlive it.
  explicit TextReader(const TextReferences& references) : references_(references) {}

  // Reads what is left of an entity's object. Returns false for a fault.
  template <class Entity>
  [[nodiscard]] bool entity(JsonMembers& object, Entity& value) {
    return field_classes(object.take("fields")) && members(object, value) && nothing_left(object);
  }
  [[nodiscard]] bool get(JsonRef from, std::uint64_t& value);
  [[nodiscard]] bool get(JsonRef from, std::string& text);

  // Whether a value that says so is JSON, as short as it can be written.
  [[nodiscard]] bool sound(JsonRef at, const Attribute& attribute);

  // Notes that something else was expected, and returns false.
  bool expected(JsonRef at, std::string_view what);
  bool fault(JsonRef at, std::string text, ErrorCode code = ErrorCode::kInvalidArgument);
  // After false was returned; `path` says where in the text.
  [[nodiscard]] Error& error() { return error_; }

 private:
  struct BuiltClass {
    FieldClassPtr field_class;
    std::size_t depth;  // classes within each other, from 1
  };

  template <class T>
  bool members(JsonMembers& object, T& value) {
    return std::apply([&](const auto&... each) { return (member(object, value, each) && ...); },
                      TextMembers<T>::kAll);
  }
  template <class T, class Value>
  bool member(JsonMembers& object, T& value, const TextMember<T, Value>& member) {
    const JsonRef from = object.take(member.key);
    if (from && !get(from, value.*member.member)) return false;
    if (member.holds == nullptr || member.holds(value.*member.member)) return true;
    return from ? expected(from, member.expected)
                : lacks(object.object(), member.key, member.expected);
  }
  template <class T, class Value>
  bool member(JsonMembers& object, T& value, const InlineMember<T, Value>& member) {
    if (!members(object, value.*member.member)) return false;
    if (member.holds == nullptr || member.holds(value.*member.member)) return true;
    return expected(object.object(), member.expected);
  }
  bool members(JsonMembers& object, IntegerLayout& layout);
  bool lacks(JsonRef object, std::string_view key, std::string_view what);
  bool nothing_left(const JsonMembers& object);

  template <class T>
  bool whole_object(JsonRef from, T& value) {
    JsonMembers object;
    if (!object.open(from)) return expected(from, "an object with few members");
    return members(object, value) && nothing_left(object);
  }

  bool field_classes(JsonRef list);
  bool field_class(JsonRef from);

  bool get(JsonRef from, bool& value);
  bool get(JsonRef from, std::uint32_t& value);
  bool get(JsonRef from, std::int64_t& value);
  bool get(JsonRef from, Integer& value);
  template <class Text>
  bool get_text(JsonRef from, Text& text) {
    std::string copy;
    if (!get(from, copy)) return false;
    text = copy;
    return true;
  }
  bool get(JsonRef from, Name& text);
  bool get(JsonRef from, RareName& text);
  template <class T>
  bool get(JsonRef from, std::optional<T>& value) {
    return get(from, value.emplace());
  }
  template <class Enum>
    requires requires { TextWords<Enum>::kAll; }
  bool get(JsonRef from, Enum& value) {
    std::string known;
    for (const auto& [word, enumerator] : TextWords<Enum>::kAll) {
      if (from.is(JsonKind::kString) && from.string() == word) {
        value = enumerator;
        return true;
      }
      known.append(known.empty() ? "" : ", ").append(word);
    }
    return expected(from, "one of: " + known);
  }
  bool get(JsonRef from, Uuid& uuid);
  bool get(JsonRef from, Tick& tick);
  bool get(JsonRef from, Identity& identity) { return whole_object(from, identity); }
  bool get(JsonRef from, FieldClassPtr& field_class);
  bool get(JsonRef from, const ClockClass*& clock);
  bool get(JsonRef from, const DataStreamClass*& stream_class);
  bool get(JsonRef from, RareList<std::string>& roles);
  bool get(JsonRef from, Attributes& attributes);
  bool get(JsonRef from, Attribute& attribute);
  bool get(JsonRef from, std::vector<Mapping>& mappings);
  bool get(JsonRef from, Mapping& mapping);
  bool get(JsonRef from, IntegerRanges& ranges);
  bool get(JsonRef from, FieldLocation& location);
  bool get(JsonRef from, Extent& extent);
  bool get(JsonRef from, std::vector<Member>& members);
  bool get(JsonRef from, Member& member);
  bool get(JsonRef from, std::vector<VariantOption>& options);
  bool get(JsonRef from, VariantOption& option);
  bool get(JsonRef from, std::vector<StreamKey>& keys);
  bool get(JsonRef from, StreamKey& key);

  template <class T>
  bool refer(JsonRef from, const std::map<std::uint64_t, const T*>& known, const T*& value,
             std::string_view what);
  template <class List>
  bool list(JsonRef from, List& values);
  // Bounds from `first` to the end of its array.
  bool bounds(JsonRef array, JsonRef first, IntegerRanges& ranges);

  const TextReferences& references_;
  std::vector<BuiltClass> classes_;  // of this text, by number
  std::size_t inside_ = 0;           // the depth of the deepest that was referred to
  JsonParser parser_;                // of attributes
  Error error_;
};

}  // namespace tracedeck::lower

// Writes the text of one object of a description: a JSON object, by the tables of text_members.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tracedeck/lower/text_members.hpp"
#include "tracedeck/text/json_out.hpp"

namespace tracedeck::lower {

// Field classes, each once and behind those inside of it. Nesting of any depth will do.
class ClassOrder {
 public:
  // Adds a class with all inside; it may be null.
  void add(const FieldClass* root);
  [[nodiscard]] const std::vector<const FieldClass*>& classes() const { return classes_; }
  // Where a class stands; nothing for null.
  [[nodiscard]] std::optional<std::size_t> find(const FieldClass* field_class) const;

 private:
  std::vector<const FieldClass*> classes_;
  std::unordered_map<const FieldClass*, std::size_t> places_;
};

class TextWriter {
 public:
  // Appends to `text`, which must outlive it.
  explicit TextWriter(std::string& text) : out_(text) {}

  // Once.
  template <class Entity>
  void entity(std::string_view word, std::optional<std::uint64_t> ordinal, const Entity& value) {
    out_.begin_object();
    out_.key("entity").string(word);
    if (ordinal) out_.key("ordinal").integer(Integer::from(*ordinal));
    add_roots(value);
    if (!order_.classes().empty()) field_classes();
    members(value, Entity{});
    out_.end_object();
  }

 private:
  // The field classes that are members of `value`, and of what is inline in it.
  template <class T>
  void add_roots(const T& value) {
    std::apply([&](const auto&... each) { (add_root(value.*each.member, each), ...); },
               TextMembers<T>::kAll);
  }
  template <class T, class Value>
  void add_root(const Value& value, const TextMember<T, Value>& /*member*/) {
    if constexpr (std::same_as<Value, FieldClassPtr>) order_.add(value.get());
  }
  template <class T, class Value>
  void add_root(const Value& value, const InlineMember<T, Value>& /*member*/) {
    add_roots(value);
  }

  template <class T>
  void members(const T& value, const T& usual) {
    std::apply([&](const auto&... each) { (member(value, usual, each), ...); },
               TextMembers<T>::kAll);
  }
  template <class T, class Value>
  void member(const T& value, const T& usual, const TextMember<T, Value>& member) {
    if (is_usual(value.*member.member, usual.*member.member)) return;
    out_.key(member.key);
    put(value.*member.member);
  }
  template <class T, class Value>
  void member(const T& value, const T& usual, const InlineMember<T, Value>& member) {
    members(value.*member.member, usual.*member.member);
  }
  void members(const IntegerLayout& layout, const IntegerLayout& usual);

  // Lists, locations and extents are usual where there are none.
  template <class T>
  static bool is_usual(const T& value, const T& usual) {
    if constexpr (std::same_as<T, Extent>) {
      return value.index() == usual.index();
    } else if constexpr (std::same_as<T, std::optional<FieldLocation>>) {
      return !value;
    } else if constexpr (requires { value.begin(); } && !std::convertible_to<T, std::string_view>) {
      return value.empty();
    } else {
      return value == usual;
    }
  }

  void field_classes();
  void put(const FieldClass& field_class);

  void put(const bool& value) { out_.boolean(value); }
  void put(const std::uint32_t& value) { out_.integer(value); }
  void put(const std::uint64_t& value) { out_.integer(Integer::from(value)); }
  void put(const std::int64_t& value) { out_.integer(value); }
  void put(const Integer& value) { out_.integer(value); }
  void put(std::string_view text);
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(const Name& text) { put(text.view()); }
  void put(const RareName& text) { put(text.view()); }
  template <class T>
  void put(const std::optional<T>& value) {
    put(*value);
  }
  template <class Enum>
    requires requires { TextWords<Enum>::kAll; }
  void put(const Enum& value) {
    for (const auto& [word, enumerator] : TextWords<Enum>::kAll)
      if (enumerator == value) return out_.string(word);
    out_.integer(static_cast<std::uint64_t>(value));  // none of the enumerators: not read back
  }
  void put(const Uuid& uuid);
  void put(const Tick& tick);
  void put(const Identity& identity);
  void put(const FieldClassPtr& field_class);
  void put(const ClockClass* const& clock) { put(clock->entity.ordinal); }
  void put(const DataStreamClass* const& of) { put(of->entity.ordinal); }
  void put(const RareList<std::string>& roles);
  void put(const Attributes& attributes);
  void put(const std::vector<Mapping>& mappings);
  void put(const IntegerRanges& ranges);
  void put(const FieldLocation& location);
  void put(const Extent& extent);
  void put(const std::vector<Member>& members);
  void put(const std::vector<VariantOption>& options);
  void put(const std::vector<StreamKey>& keys);

  // Lower bound, upper bound, lower bound ...; of one value alone, that.
  void bounds(const IntegerRanges& ranges);

  JsonOut out_;
  ClassOrder order_;
};

}  // namespace tracedeck::lower

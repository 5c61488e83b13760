// From types of TSDL to field classes (CTF 1.8.3, section 4, 7.2 and 7.3).
//
// A named type whose fields refer to nothing outside of it becomes one node, shared by all that use
// it. One that refers outwards (an array whose length is a field of the structure that it is used
// in) is made anew for each use; how much that may add is limited in proportion to the text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/ctf/metadata/tsdl_nodes.hpp"
#include "tracedeck/ctf/metadata/tsdl_scope.hpp"
#include "tracedeck/ctf/metadata/tsdl_values.hpp"

namespace tracedeck::ctf::tsdl {

// The classes of the root fields around a type, by FieldLocation::Root; null: none.
using RootClasses = std::array<FieldClassPtr, 7>;
constexpr std::size_t index_of(FieldLocation::Root root) { return static_cast<std::size_t>(root); }

class TypeBuilder {
 public:
  TypeBuilder(TextFindings& findings, NodeTable& nodes)
      : findings_(findings), values_(findings), nodes_(nodes) {}

  // What `native` means from now on.
  void set_byte_order(ByteOrder order) { native_ = order; }
  // An entry of the environment from now on; if it is an integer, lengths may refer to it.
  void set_environment(const std::string& name, std::optional<Integer> value) {
    if (value) {
      environment_.insert_or_assign(name, *value);
    } else {
      environment_.erase(name);
    }
  }

  // Adds the named types of a declaration outside of structures to a scope. The declaration must
  // outlive the scope.
  void declare(const Declaration& declaration, TypeScope& scope);

  // Forgets the recent nodes of the table but for `kept`.
  void forget_recent(const NodeSet& kept);

  // The class of root field `root`, a structure; null, with findings, when it is none.
  [[nodiscard]] FieldClassPtr root_class(const TypeSpecifier& type, TypeScope& scope,
                                         FieldLocation::Root root, const RootClasses& roots);

 private:
  // How far out the fields of a class refer: the depth of the outermost structure among them;
  // kOutside: out of all, so that it depends on where it is used.
  static constexpr std::ptrdiff_t kNowhere = PTRDIFF_MAX;
  static constexpr std::ptrdiff_t kOutside = -1;
  struct Built {
    FieldClassPtr field_class = nullptr;  // null: faulty, and reported
    std::ptrdiff_t outermost = kNowhere;
  };
  struct Reference {
    FieldLocation location = {};
    FieldClassPtr target = nullptr;  // null: not known
    std::ptrdiff_t outermost = kOutside;
  };
  class Recursion;

  void declare(const Declaration& declaration, const Site& site);
  // Declares a name; returns the class, if it has one by itself.
  Built add_entry(const std::string& name, Place place, TypeEntry entry, const Site& site);
  [[nodiscard]] TypeEntry* find_entry(const std::string& name, const std::string& fallback,
                                      Place place, const Site& site);
  [[nodiscard]] Built entry_class(TypeEntry& entry, const Site& site);
  [[nodiscard]] Site entry_site(const TypeEntry& entry, const Site& site) const;

  [[nodiscard]] Built type_class(const TypeSpecifier& type, const Site& site);
  [[nodiscard]] Built declared_class(const TypeSpecifier& type, const Declarator& declarator,
                                     const Site& site);
  [[nodiscard]] Built bit_field_class(const Built& unit, const Declarator& declarator,
                                      Frame* frame);
  [[nodiscard]] Built array_class(Built element, const Expression& length, Place place,
                                  const Site& site);
  [[nodiscard]] Built named_class(const TypeSpecifier& type, const Site& site);
  [[nodiscard]] Built body_class(const TypeSpecifier& type, const Site& site);
  [[nodiscard]] Built integer_class(const TypeSpecifier& type);
  [[nodiscard]] Built real_class(const TypeSpecifier& type);
  [[nodiscard]] Built string_class(const TypeSpecifier& type);
  [[nodiscard]] Built enumeration_class(const TypeSpecifier& type, const Site& site);
  [[nodiscard]] std::optional<std::vector<Mapping>> mappings(const TypeSpecifier& type);
  void check_ranges(const TypeSpecifier& type, const IntegerClass& integer);
  [[nodiscard]] Built structure_class(const TypeSpecifier& type, const Site& site);
  void structure_fields(const Declaration& declaration, const Site& inner, Built& result);
  [[nodiscard]] Built variant_class(const TypeSpecifier& type, const Expression& tag,
                                    const Site& site, const Site& tag_site);
  [[nodiscard]] bool variant_options(const TypeSpecifier& type, const Site& site,
                                     const FieldClassPtr& tag, VariantClass& variant,
                                     Built& result);
  [[nodiscard]] const Mapping* label_of(const FieldClassPtr& tag, const std::string& name);
  [[nodiscard]] bool selects(const Reference& tag, Place place);

  [[nodiscard]] Reference refer(const Expression& to, const Site& site);
  [[nodiscard]] Reference refer_to_root(FieldLocation::Root root, const Expression& to,
                                        std::size_t from, const Site& site);
  [[nodiscard]] Reference refer_to_frame(const Frame& frame, std::size_t field,
                                         const Expression& to, const Site& site);
  [[nodiscard]] FieldClassPtr walk(FieldClassPtr at, const Expression& to, std::size_t from,
                                   FieldLocation& location);
  [[nodiscard]] std::optional<std::uint64_t> constant_length(const Expression& length);
  [[nodiscard]] std::size_t member_of(const FieldClassPtr& structure, const std::string& name);

  [[nodiscard]] FieldClassPtr add_node(FieldClass field_class, NodeInfo info);
  [[nodiscard]] bool spend(std::size_t nodes, Place at);

  TextFindings& findings_;
  ValueReader values_;
  NodeTable& nodes_;
  BitFields bit_fields_;
  ByteOrder native_ = ByteOrder::kLittle;
  std::map<std::string, Integer> environment_;
  std::size_t declarations_ = 0;
  std::uint64_t spent_ = 0;
  std::size_t recursion_ = 0;

  // While a root class is made.
  const RootClasses* roots_ = nullptr;
  FieldLocation::Root root_ = FieldLocation::Root::kRelative;
};

}  // namespace tracedeck::ctf::tsdl

// The scopes of TSDL (CTF 1.8.3, 7.3): which types and which fields a place can refer to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/metadata/tsdl_bit_fields.hpp"
#include "tracedeck/ctf/metadata/tsdl_syntax.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf::tsdl {

inline constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

// For a `NameIndex` of a list of names.
struct NameOf {
  const std::vector<Name>& names;

  std::string_view operator()(std::size_t index) const { return names[index]; }
};

// The fields so far of a structure whose class is being made (static scope, 7.3.2).
struct Frame {
  const Frame* parent = nullptr;   // the structure that contains it
  const Frame* lexical = nullptr;  // where the text of its type stands; null: in none
  std::size_t lexical_fields = 0;  // how many fields that one had there
  std::size_t depth = 0;           // structures around it
  std::string pending = {};        // the field whose class is being made
  BitPosition position = {};       // behind the first `passed` fields
  std::size_t passed = 0;
  std::size_t paddings = 0;          // bit fields without a name
  std::uint32_t unit_alignment = 1;  // that its bit fields demand
  std::vector<FieldClassPtr> classes = {};
  std::vector<Name> texts = {};  // as the text calls them
  std::vector<Name> names = {};  // as members are called in the model
  NameIndex by_text = {};
  NameIndex by_name = {};

  void reserve(std::size_t fields) {
    classes.reserve(fields);
    texts.reserve(fields);
    names.reserve(fields);
  }
  void add(std::string_view text, std::string_view name, FieldClassPtr field_class) {
    classes.push_back(std::move(field_class));
    by_text.add((texts.emplace_back(text), texts.size() - 1), NameOf{texts});
    by_name.add((names.emplace_back(name), names.size() - 1), NameOf{names});
  }
  [[nodiscard]] bool has_text(std::string_view text) const {
    return by_text.find(text, NameOf{texts}) != NameIndex::kNone;
  }
  [[nodiscard]] bool has_name(std::string_view name) const {
    return by_name.find(name, NameOf{names}) != NameIndex::kNone;
  }
  // The field of a name among the first `limit`; kEverything: none.
  [[nodiscard]] std::size_t find(std::string_view name, std::size_t limit) const {
    const std::size_t as_text = by_text.find(name, NameOf{texts});
    if (as_text < limit) return as_text;
    const std::size_t as_name = by_name.find(name, NameOf{names});
    return as_name < limit ? as_name : kEverything;
  }
};

struct TypeScope;

// A named type.
struct TypeEntry {
  const TypeSpecifier* type = nullptr;     // lives as long as the entry's scope
  const Declarator* declarator = nullptr;  // null: the type alone
  TypeScope* scope = nullptr;              // where it is declared
  std::size_t order = 0;                   // among all declarations
  const Frame* frame = nullptr;            // the structure it is declared in; null: none
  std::size_t frame_fields = 0;            // and how many fields that had there
  FieldClassPtr field_class = nullptr;     // set when it is the same wherever it is used
  bool faulty = false;                     // a finding says so
};

// The named types of a block, structure or variant (lexical scope, 7.3.1).
struct TypeScope {
  TypeScope* parent = nullptr;
  std::size_t parent_limit = kEverything;  // only types declared before that are seen there
  TextMap<TypeEntry> entries = {};

  // The entry that a name means here, declared before `limit`, or null.
  [[nodiscard]] TypeEntry* find(const std::string& name, std::size_t limit) {
    for (TypeScope* scope = this; scope != nullptr;
         limit = scope->parent_limit, scope = scope->parent) {
      const auto found = scope->entries.find(name);
      if (found != scope->entries.end() && found->second.order < limit) return &found->second;
    }
    return nullptr;
  }
};

// Where a type is being used.
struct Site {
  TypeScope* scope = nullptr;
  std::size_t limit = kEverything;  // of `scope`, see TypeScope::parent_limit
  Frame* frame = nullptr;           // the structure that will contain it; null: none
  const Frame* lexical = nullptr;   // where its text stands
  std::size_t lexical_fields = 0;
};

}  // namespace tracedeck::ctf::tsdl

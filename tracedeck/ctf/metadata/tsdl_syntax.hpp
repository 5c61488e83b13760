// The syntax tree of TSDL (CTF 1.8.3, C.2): what is written, with nothing looked up.
//
// Types are nested at most `kClassNesting` deep, in a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/ctf/metadata/tsdl_text.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf::tsdl {

// A unary or postfix expression: an integer with its sign, a string, or names joined by dots.
struct Expression {
  enum class Kind : std::uint8_t { kInteger, kString, kPath };
  Kind kind = Kind::kInteger;
  Place place = {};
  Integer value = 0;
  Name text = {};
  RareList<std::string> path = {};
};

// Most places that may have an expression have none, and metadata have many of them.
using ExpressionPtr = std::unique_ptr<Expression>;

struct TypeSpecifier;
using TypeSpecifierPtr = std::unique_ptr<TypeSpecifier>;

// What stands around a name: `*name[3][length]`, `name : 5`.
struct Declarator {
  Place place = {};
  std::string name = {};                 // empty: abstract
  std::string pointers = {};             // " *", " * const *", " ( * ) [2]", ... empty: none
  std::vector<Expression> extents = {};  // in the order in which they are written, outermost first
  ExpressionPtr bits = {};               // of a bit field, whose name may be empty
};

// A field, `typedef` or `typealias`, or a type that is declared for its name alone.
struct Declaration {
  enum class Kind : std::uint8_t { kField, kTypedef, kTypealias, kType };
  Kind kind = Kind::kField;
  TypeSpecifierPtr type = {};
  std::vector<Declarator> declarators = {};  // kTypealias: one, of what is on the left
  std::string alias = {};                    // kTypealias: the name on the right
  Place place = {};                          // kTypealias: of that name; else of the type
};

// `key = value;` or `key := type;`
struct Assignment {
  std::string key = {};  // dots included: "packet.header"
  Place place = {};
  Expression value = {};
  TypeSpecifierPtr type = {};  // null: `value` counts
};

struct Enumerator {
  Name label = {};
  Place place = {};
  IntegerRanges range = {};  // one, which may be upside down; none: what follows the one before
  ExpressionPtr wrong = {};  // in place of an integer
};

// The declarations in a structure or variant, in order. There may be a million, and nearly all are
// a word for the type and a name: those are kept as the two words.
class DeclarationList {
 public:
  void add(Declaration declaration);
  // How many there are at least: a declaration may have several names.
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  // Calls `visit(const Declaration&)` for each while it returns true. What declares a type lives as
  // long as the list; a field, no longer than the call.
  template <class Visit>
  void for_each(Visit visit) const;

 private:
  struct Entry {
    Name type = {};  // empty: what is no plain field
    Name name = {};
    std::uint64_t type_offset = 0;  // in the text
    std::uint64_t name_offset = 0;  // of what is no plain field: its index
  };

  [[nodiscard]] static bool is_plain(const Declaration& declaration);
  [[nodiscard]] static Declaration field(const Entry& entry);

  std::deque<Entry> entries_;
  std::deque<Declaration> others_;
};

struct TypeSpecifier {
  enum class Kind : std::uint8_t {
    kNamed,  // `name` of a typedef, or words of C: "unsigned long"
    kInteger,
    kReal,
    kString,
    kEnumeration,
    kStructure,
    kVariant,
  };
  Kind kind = Kind::kNamed;
  Place place = {};
  std::string name =
      {};  // of a type or tag, as it is looked up: "uint8_t", "struct page"; or empty
  bool has_body = false;   // of an enumeration, structure or variant
  std::string shown = {};  // kNamed: with its qualifiers, "const char", which are tried first
  std::vector<Assignment> attributes = {};
  TypeSpecifierPtr container = {};                           // of an enumeration
  std::unique_ptr<std::deque<Enumerator>> enumerators = {};  // of an enumeration with a body
  std::unique_ptr<DeclarationList> declarations = {};        // of another type with one
  ExpressionPtr alignment = {};
  ExpressionPtr tag = {};
};

// Behind the type that declarations own.
template <class Visit>
void DeclarationList::for_each(Visit visit) const {
  for (const Entry& entry : entries_)
    if (!(entry.type.empty() ? visit(others_[entry.name_offset]) : visit(field(entry)))) return;
}

// `trace { ... };` and its like.
struct Block {
  enum class Kind : std::uint8_t { kTrace, kEnvironment, kClock, kStream, kEvent, kCallsite };
  Kind kind = Kind::kTrace;
  Place place = {};
  std::vector<Assignment> assignments = {};
  std::vector<Declaration> declarations = {};
  std::string mark = {};  // that the environment has of it: JSON
};

// One of the two.
struct TopLevel {
  std::optional<Block> block = {};
  std::optional<Declaration> declaration = {};
};

}  // namespace tracedeck::ctf::tsdl

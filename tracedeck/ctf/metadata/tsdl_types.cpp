#include "tracedeck/ctf/metadata/tsdl_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/model/class_nesting.hpp"

namespace tracedeck::ctf::tsdl {
namespace {

using Kind = TypeSpecifier::Kind;

// Types within types and names for names, together; four of them take less than 16 KiB of stack.
constexpr std::size_t kMostRecursion = 2 * kClassNesting;

// What types may add beyond one node for each few bytes of text.
constexpr std::uint64_t kFreeNodes = 65'536;

// `const` taken out of the words of a type.
std::string without_const(const std::string& name) {
  std::string result;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find(' ', at), name.size());
    const std::string word = name.substr(at, end - at);
    if (word != "const") result += (result.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return result;
}

}  // namespace

class TypeBuilder::Recursion {
 public:
  explicit Recursion(TypeBuilder& builder) : builder_(builder) { ++builder_.recursion_; }
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;
  ~Recursion() { --builder_.recursion_; }
  [[nodiscard]] bool too_deep(Place at) const {
    if (builder_.recursion_ <= kMostRecursion) return false;
    builder_.findings_.report(TsdlRule::kNesting, at,
                              fmt::format("this type is nested deeper than {}", kClassNesting));
    return true;
  }

 private:
  TypeBuilder& builder_;
};

bool TypeBuilder::spend(std::size_t nodes, Place at) {
  spent_ += nodes;
  if (spent_ <= kFreeNodes + findings_.text_size()) return true;
  findings_.report(TsdlRule::kLimit, at,
                   "types that depend on where they are used are used too often up to here");
  return false;
}

FieldClassPtr TypeBuilder::add_node(FieldClass field_class, NodeInfo info) {
  if (!spend(1, info.place)) return nullptr;
  return nodes_.add(std::move(field_class), std::move(info));
}

FieldClassPtr TypeBuilder::root_class(const TypeSpecifier& type, TypeScope& scope,
                                      FieldLocation::Root root, const RootClasses& roots) {
  roots_ = &roots;
  root_ = root;
  Built built = type_class(type, {.scope = &scope});
  roots_ = nullptr;
  root_ = FieldLocation::Root::kRelative;
  if (built.field_class == nullptr) return nullptr;
  if (built.field_class->as<StructureClass>() == nullptr) {
    findings_.report(TsdlRule::kStructure, type.place,
                     fmt::format("this is a type of class {}; a structure was expected",
                                 kind_name(*built.field_class)));
    return nullptr;
  }
  return built.field_class;
}

void TypeBuilder::forget_recent(const NodeSet& kept) {
  for (const FieldClass* const node : nodes_.recent())
    if (!kept.contains(node)) bit_fields_.forget(*node);
  nodes_.forget_recent(kept);
}

void TypeBuilder::declare(const Declaration& declaration, TypeScope& scope) {
  declare(declaration, Site{.scope = &scope});
}

void TypeBuilder::declare(const Declaration& declaration, const Site& site) {
  const TypeSpecifier& type = *declaration.type;
  if (declaration.kind == Declaration::Kind::kType) {
    // Its name is declared as its class is made; a variant without a tag has none.
    static_cast<void>(type.kind == Kind::kVariant && !type.tag
                          ? add_entry(type.name, type.place, {.type = &type}, site)
                          : type_class(type, site));
    return;
  }
  for (const Declarator& each : declaration.declarators) {
    const bool is_alias = declaration.kind == Declaration::Kind::kTypealias;
    static_cast<void>(add_entry(is_alias ? declaration.alias : each.name,
                                is_alias ? declaration.place : each.place,
                                {.type = &type, .declarator = &each}, site));
  }
}

TypeBuilder::Built TypeBuilder::add_entry(const std::string& name, Place place, TypeEntry entry,
                                          const Site& site) {
  entry.scope = site.scope;
  entry.frame = site.frame;
  entry.frame_fields = site.frame == nullptr ? 0 : site.frame->classes.size();
  entry.order = declarations_++;
  Built built;
  const TypeSpecifier& type = *entry.type;
  if (type.kind != Kind::kVariant || type.tag || entry.declarator != nullptr) {
    const std::ptrdiff_t inside =
        site.frame == nullptr ? 0 : static_cast<std::ptrdiff_t>(site.frame->depth) + 1;
    built = entry.declarator == nullptr ? body_class(type, site)
                                        : declared_class(type, *entry.declarator, site);
    entry.faulty = built.field_class == nullptr;
    if (built.outermost >= inside) entry.field_class = built.field_class;
    // What its class needed is declared before it.
    entry.order = declarations_++;
  }
  if (!site.scope->entries.emplace(name, entry).second) {
    findings_.report(TsdlRule::kTypeRedefined, place,
                     fmt::format("type `{}` is declared already in this scope", name));
  }
  return built;
}

TypeEntry* TypeBuilder::find_entry(const std::string& name, const std::string& fallback,
                                   Place place, const Site& site) {
  TypeEntry* entry = site.scope->find(name, site.limit);
  if (entry == nullptr && fallback != name) entry = site.scope->find(fallback, site.limit);
  if (entry == nullptr) {
    findings_.report(TsdlRule::kTypeUnknown, place,
                     fmt::format("there is no type `{}` here", name));
  }
  return entry;
}

Site TypeBuilder::entry_site(const TypeEntry& entry, const Site& site) const {
  return {.scope = entry.scope,
          .limit = entry.order,
          .frame = site.frame,
          .lexical = entry.frame,
          .lexical_fields = entry.frame_fields};
}

TypeBuilder::Built TypeBuilder::entry_class(TypeEntry& entry, const Site& site) {
  if (entry.faulty) return {};
  if (entry.field_class != nullptr) return {.field_class = entry.field_class};
  if (!spend(0, entry.type->place)) return {};
  const Site there = entry_site(entry, site);
  if (entry.declarator != nullptr) return declared_class(*entry.type, *entry.declarator, there);
  if (entry.type->kind == Kind::kVariant && !entry.type->tag) {
    findings_.report(TsdlRule::kVariant, entry.type->place,
                     "this variant is used without a tag; `<tag>` was expected behind its name");
    return {};
  }
  return body_class(*entry.type, there);
}

// A type as a field or declaration names it: its tag, if it has one, becomes known.
TypeBuilder::Built TypeBuilder::type_class(const TypeSpecifier& type, const Site& site) {
  const Recursion recursion(*this);
  if (recursion.too_deep(type.place)) return {};
  if (type.kind == Kind::kNamed) return named_class(type, site);
  if (type.kind < Kind::kEnumeration) return body_class(type, site);
  if (type.has_body && type.name.empty()) return body_class(type, site);
  if (type.has_body && !type.name.empty()) {
    // Several declarators, or a type that is looked at again, declare its name once.
    const auto known = site.scope->entries.find(type.name);
    if (known == site.scope->entries.end() || known->second.type != &type)
      return add_entry(type.name, type.place, {.type = &type}, site);
    return entry_class(known->second, site);
  }
  TypeEntry* const entry = find_entry(type.name, type.name, type.place, site);
  if (entry == nullptr) return {};
  if (type.kind == Kind::kVariant && type.tag) {
    if (entry->faulty) return {};
    return variant_class(*entry->type, *type.tag, entry_site(*entry, site), site);
  }
  Built built = entry_class(*entry, site);
  if (!type.alignment || built.field_class == nullptr) return built;
  // `struct name align(32)`: another alignment than that of the name.
  const auto alignment = values_.alignment(*type.alignment);
  if (!alignment) return {};
  FieldClass other = *built.field_class;
  auto& structure = std::get<StructureClass>(other.kind);
  structure.minimum_alignment = std::max(structure.minimum_alignment, *alignment);
  if (!spend(structure.members.size(), type.place)) return {};
  built.field_class = add_node(std::move(other), {.place = type.place});
  return built;
}

TypeBuilder::Built TypeBuilder::named_class(const TypeSpecifier& type, const Site& site) {
  TypeEntry* const entry = find_entry(type.shown, type.name, type.place, site);
  return entry == nullptr ? Built{} : entry_class(*entry, site);
}

TypeBuilder::Built TypeBuilder::body_class(const TypeSpecifier& type, const Site& site) {
  switch (type.kind) {
    case Kind::kNamed:
      return named_class(type, site);
    case Kind::kInteger:
      return integer_class(type);
    case Kind::kReal:
      return real_class(type);
    case Kind::kString:
      return string_class(type);
    case Kind::kEnumeration:
      return enumeration_class(type, site);
    case Kind::kStructure:
      return structure_class(type, site);
    case Kind::kVariant:
      break;
  }
  if (type.tag) return variant_class(type, *type.tag, site, site);
  findings_.report(TsdlRule::kVariant, type.place,
                   "this variant has no tag; `<tag>` was expected before `{`");
  return {};
}

TypeBuilder::Built TypeBuilder::declared_class(const TypeSpecifier& type,
                                               const Declarator& declarator, const Site& site) {
  Built result;
  if (declarator.pointers.empty()) {
    result = type_class(type, site);
  } else {
    if (type.has_body && !type.name.empty()) static_cast<void>(type_class(type, site));
    const std::string name =
        (type.kind == Kind::kNamed ? type.shown : type.name) + declarator.pointers;
    TypeEntry* const entry = find_entry(name, without_const(name), declarator.place, site);
    if (entry != nullptr) result = entry_class(*entry, site);
  }
  for (auto extent = declarator.extents.rbegin(); extent != declarator.extents.rend(); ++extent)
    result = array_class(std::move(result), *extent, type.place, site);
  return result;
}

// `frame`: the structure that it is a field of; null: an option of a variant, which begins a unit.
TypeBuilder::Built TypeBuilder::bit_field_class(const Built& unit, const Declarator& declarator,
                                                Frame* frame) {
  if (unit.field_class == nullptr) return {};
  const FieldClass& of = *unit.field_class;
  const auto* const integer = of.as<IntegerClass>();
  if (integer == nullptr) {
    findings_.report(
        TsdlRule::kInteger, declarator.place,
        fmt::format("this bit field is of class {}; an integer was expected", kind_name(of)));
    return {};
  }
  FieldClass made = of;
  auto& layout = std::get<FixedLayout>(std::get<IntegerClass>(made.kind).layout);
  const auto width = values_.number(*declarator.bits, "the size of a bit field", 1, layout.width,
                                    TsdlRule::kInteger);
  if (!width) return {};
  layout.width = static_cast<std::uint32_t>(*width);
  if (frame != nullptr) {
    for (; frame->passed < frame->classes.size(); ++frame->passed) {
      const FieldClassPtr& field = frame->classes[frame->passed];
      if (field == nullptr) return {};
      bit_fields_.pass(*field, frame->position);
    }
    const auto place = BitFields::place(of, layout.width, frame->position);
    if (place == BitFields::Place::kUnknown) {
      findings_.report(TsdlRule::kUnsupported, declarator.place,
                       "where this bit field lies does not follow from its unit and the fields "
                       "before it");
      return {};
    }
    if (place == BitFields::Place::kBehind) made.alignment = 1;
    frame->unit_alignment = std::max(frame->unit_alignment, of.alignment);
  }
  NodeInfo info{.place = declarator.place, .clock = nodes_.info(&of).clock};
  return {.field_class = add_node(std::move(made), std::move(info)), .outermost = unit.outermost};
}

TypeBuilder::Built TypeBuilder::array_class(Built element, const Expression& length, Place place,
                                            const Site& site) {
  if (element.field_class == nullptr) return {};
  Extent extent;
  if (const auto constant = constant_length(length)) {
    extent = StaticLength{*constant};
  } else if (length.kind == Expression::Kind::kPath && length.path.front() != "env") {
    Reference reference = refer(length, site);
    element.outermost = std::min(element.outermost, reference.outermost);
    extent = LengthField{std::move(reference.location)};
  } else {
    findings_.report(
        TsdlRule::kLength, length.place,
        fmt::format("`{}` is no length; an integer from 0 on, also of the environment, "
                    "or the name of a field was expected",
                    plain_text(length)));
    return {};
  }
  const FieldClass& of = *element.field_class;
  const NodeInfo& info = nodes_.info(&of);
  const auto* const integer = of.as<IntegerClass>();
  const bool is_text = info.is_character && integer->form == IntegerClass::Form::kNumber &&
                       std::get<FixedLayout>(integer->layout).width == 8 && of.alignment == 8;
  FieldClass array;
  if (is_text) {
    array = {.kind = StringClass{.extent = std::move(extent)}, .alignment = 8};
  } else {
    array.kind = ArrayClass{.element = element.field_class, .extent = std::move(extent)};
  }
  return {.field_class = add_node(std::move(array), {.place = place}),
          .outermost = element.outermost};
}

}  // namespace tracedeck::ctf::tsdl

#include "tracedeck/ctf/metadata/tsdl_syntax.hpp"

#include <utility>

namespace tracedeck::ctf::tsdl {
namespace {

Place word_at(std::uint64_t offset, const Name& word) {
  return {offset, static_cast<std::uint32_t>(word.size())};
}

bool is_word_at(Place place, std::string_view word) {
  return !word.empty() && place.length == word.size();
}

}  // namespace

bool DeclarationList::is_plain(const Declaration& declaration) {
  if (declaration.kind != Declaration::Kind::kField || declaration.declarators.size() != 1)
    return false;
  const TypeSpecifier& type = *declaration.type;
  const Declarator& declarator = declaration.declarators.front();
  return type.kind == TypeSpecifier::Kind::kNamed && type.shown == type.name &&
         is_word_at(type.place, type.name) && declaration.place.offset == type.place.offset &&
         declaration.place.length == type.place.length && declarator.pointers.empty() &&
         declarator.extents.empty() && declarator.bits == nullptr &&
         is_word_at(declarator.place, declarator.name);
}

void DeclarationList::add(Declaration declaration) {
  if (is_plain(declaration)) {
    const Declarator& declarator = declaration.declarators.front();
    entries_.push_back({.type = declaration.type->name,
                        .name = declarator.name,
                        .type_offset = declaration.place.offset,
                        .name_offset = declarator.place.offset});
  } else {
    entries_.push_back({.name_offset = others_.size()});
    others_.push_back(std::move(declaration));
  }
}

Declaration DeclarationList::field(const Entry& entry) {
  Declaration made{.place = word_at(entry.type_offset, entry.type)};
  made.type = std::make_unique<TypeSpecifier>();
  made.type->place = made.place;
  made.type->name = made.type->shown = entry.type.str();
  made.declarators.push_back(
      {.place = word_at(entry.name_offset, entry.name), .name = entry.name.str()});
  return made;
}

}  // namespace tracedeck::ctf::tsdl

// Field classes as lines for people.
#pragma once

#include <string>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/text/text_table.hpp"

namespace tracedeck::render {

// "array of address, 64 bits; length before it, 32 bits": the class without what is inside its
// structures and variants.
[[nodiscard]] std::string field_class_text(const FieldClass& field_class);

// Adds a line of two cells, the name and the class, for each member of a structure and for all
// that is inside. `indent` spaces stand before the names.
void add_members(TextTable& table, const FieldClass& structure, std::size_t indent);

}  // namespace tracedeck::render

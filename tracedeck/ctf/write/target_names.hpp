// What members are called in the target.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tracedeck/ctf/write/mapper_options.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// Names for the members of a structure: their own, but each once and in UTF-8, and CTF 1.8 has
// identifiers. `is_root`: the structure is root field class `root` itself, else it lies in it.
[[nodiscard]] std::vector<std::string> target_names(const StructureClass& source,
                                                    FieldLocation::Root root, bool is_root,
                                                    const MapperOptions& options);

// How many members cannot have their name in CTF 2 either, by which CTF 1.8 keeps them: it is
// another's, or no UTF-8.
[[nodiscard]] std::size_t count_renamed(const StructureClass& source);

// Whether CTF 1.8 can spell all names inside as they are. `keeps_roles`: fields with roles have the
// names that it reserves for them, and no others have. Null is no class.
[[nodiscard]] bool has_plain_names(const FieldClassPtr& field_class, FieldLocation::Root root,
                                   bool keeps_roles);

}  // namespace tracedeck::ctf

// What members are called in the target.
#pragma once

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

}  // namespace tracedeck::ctf

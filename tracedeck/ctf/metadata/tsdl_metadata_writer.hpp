// Metadata as TSDL (CTF 1.8.3, 7), in plain text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/ctf/metadata/metadata_text.hpp"

namespace tracedeck::ctf {

[[nodiscard]] std::unique_ptr<MetadataWriter> tsdl_metadata_writer(MetadataText::Sink sink);

// Whether `name` can stand in TSDL as it is: an identifier that is no keyword.
[[nodiscard]] bool is_tsdl_name(std::string_view name);

// A name for a member in place of `name`: what cannot stand in an identifier becomes `_`.
[[nodiscard]] std::string tsdl_identifier(std::string_view name);

// How the members of a structure are spelt. Readers of TSDL take one leading underscore away, so
// each gets one; a field with a role gets the name that CTF 1.8 reserves for it. Names that are the
// same as identifiers, or reserved for other fields, are numbered.
[[nodiscard]] std::vector<std::string> tsdl_member_names(FieldLocation::Root root,
                                                         const StructureClass& structure);

}  // namespace tracedeck::ctf

// Words of metadata that depend on where a class stands.
#pragma once

#include <optional>
#include <string_view>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/roles.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf {

// The root of a field location in CTF 2, "event-record-payload"; empty for kRelative.
[[nodiscard]] std::string_view root_word(FieldLocation::Root root);

// Nothing: no root has that word.
[[nodiscard]] std::optional<FieldLocation::Root> root_of_word(std::string_view word);

// The same in TSDL, "event.fields".
[[nodiscard]] std::string_view dynamic_scope(FieldLocation::Root root);
[[nodiscard]] std::optional<FieldLocation::Root> root_of_scope(std::string_view scope);

// The word of `dialect` for a role that is given as a word of any; empty: it has none there. The
// begin of a packet is given by `packet-beginning-default-clock-timestamp` in CTF2-SPECRC-3.0, by
// `default-clock-timestamp` in the packet context in CTF2-SPEC-2.0.
[[nodiscard]] std::string_view role_in(FieldLocation::Root root, std::string_view word,
                                       Dialect dialect);

// The reserved member name of CTF 1.8 for a role; empty: it has none.
[[nodiscard]] std::string_view reserved_name(FieldLocation::Root root, std::string_view word);

// The same for the first role of a field that has one.
[[nodiscard]] std::string_view reserved_name(FieldLocation::Root root,
                                             const FieldClass& field_class);

// The role that CTF 1.8 reserves the name of a member in a root for.
[[nodiscard]] std::optional<Role> reserved_role(FieldLocation::Root root, std::string_view name);

}  // namespace tracedeck::ctf

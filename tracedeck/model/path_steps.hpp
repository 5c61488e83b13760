// The steps of a path to a value, and where they lead: one language for events of the library,
// conditions, queries and tables.
//
// A path is names of members, with a dot between them, and elements in brackets: `label`,
// `header.flags[2]`, `list[-1]` from the end, `map["odd key"]`. A member may itself be called
// `http.status` or `q[0]`: where steps written without quotes spell the names of several members,
// the longest name that leads on is meant. A name in quotes stands for itself alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/tape.hpp"

namespace tracedeck {

struct PathStep {
  enum class Kind : std::uint8_t {
    kMember,  // .name, ["name"]
    kIndex,   // [index], from the end when negative
    kEach,    // [*], in any() and all() of conditions
  };
  Kind kind = Kind::kMember;
  std::string name = {};
  std::int64_t index = 0;
  bool quoted = false;
};

// Any text is a path: a bracket around no index and no quoted name belongs to a name.
[[nodiscard]] std::vector<PathStep> parse_path(std::string_view path);

// How many of the first steps spell `name`: two of `http.status.code` spell "http.status". 0: they
// spell another.
[[nodiscard]] std::size_t steps_that_spell(std::string_view name, std::span<const PathStep> steps);

// Whether a value of that class, which may be null (then anything goes), can have what `steps` lead
// to.
[[nodiscard]] bool can_have(const FieldClass* field_class, std::span<const PathStep> steps);

// The member that steps lead to, and how many of them spell its name.
struct MemberStep {
  std::size_t member = 0;
  std::size_t steps = 0;
};
// The longest name first, of those that lead on if there are any.
[[nodiscard]] std::optional<MemberStep> find_member(const StructureClass& structure,
                                                    std::span<const PathStep> steps);
// Whether steps mean one of several members, or of several inside of the one that they mean.
[[nodiscard]] bool is_ambiguous(const StructureClass& structure, std::span<const PathStep> steps);

// A place on a tape with its class, which may be null.
struct Located {
  const Slot* slot = nullptr;  // null: there is no such value
  const FieldClass* field_class = nullptr;
};

// What an optional or a variant holds, at any depth; nothing for an optional without a value.
[[nodiscard]] Located unwrapped(Located from);

// Takes `steps`, none of which is [*], as far as they lead to a slot on the tape, and takes them
// off: the one that is left may be the index of an element of a packed array.
[[nodiscard]] Located follow(Located from, std::span<const PathStep>& steps);

// The index from the beginning, unless it lies outside.
[[nodiscard]] std::optional<std::uint64_t> element_index(std::int64_t index, std::uint64_t count);

}  // namespace tracedeck

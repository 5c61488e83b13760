// What the heads of a source (packet headers, packet contexts and event record headers) say by
// their roles, and whether readers of another dialect understand them.
#pragma once

#include <cstddef>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/placed_role.hpp"
#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::ctf {

// What roles the fields of heads have.
struct HeadRoles {
  RoleSet roles = 0;
  bool plain = true;  // all with roles are what CTF 1.8 has: integers of up to 64 bits
  bool has_begin = false;
  bool has_clock = false;
  bool has_narrow_clock = false;  // of less than 64 bits
  bool has_wide_id = false;       // of event classes, of more than 32 bits
  bool has_array = false;         // arrays have none in any dialect

  // Adds those of a root field class and what is inside. Null is no class.
  void collect(const FieldClassPtr& field_class, FieldLocation::Root root, std::size_t depth = 0);
  // Adds those of all heads of a data stream.
  void collect(const FieldClassPtr& packet_header, const DataStreamClass& stream_class);

  // Whether readers of the target understand the heads as they are. `from_ctf1`: they were written
  // for readers of CTF 1.8. `has_clock_class`: their data stream has a clock.
  [[nodiscard]] bool serve(bool from_ctf1, bool to_ctf1, bool has_clock_class) const;
};

}  // namespace tracedeck::ctf

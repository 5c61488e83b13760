// What the classes of a source are mapped for.
#pragma once

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/head_selectors.hpp"

namespace tracedeck::ctf {

struct MapperOptions {
  Dialect dialect = Dialect::kFinal;
  // Roles stay, and a packet context stands by itself. Else fields with roles are plain, and the
  // members of a packet context follow those of the packet layout.
  bool keep_roles = false;
  // Fields that say how long packets are get 64 bits: what is written may take more room than it
  // did.
  bool widen_sizes = false;
  // What is selected by: fields in headers that CTF 2 does not allow there select something from
  // now on, or are left out where they cannot. Null: all stay as they are.
  const HeadSelectors* head_selectors = nullptr;
};

}  // namespace tracedeck::ctf

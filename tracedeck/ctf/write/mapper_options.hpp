// What the classes of a source are mapped for.
#pragma once

#include <string_view>

#include "tracedeck/ctf/dialect.hpp"
#include "tracedeck/ctf/write/head_selectors.hpp"

namespace tracedeck::ctf {

struct MapperOptions {
  Dialect dialect = Dialect::kFinal;
  // The values come as CTF 1.8 has them by our conventions, and the classes are those from before.
  bool restoring = false;
  // Roles stay, and a packet context stands by itself. Else fields with roles are plain, and the
  // members of a packet context follow those of the packet layout.
  bool keep_roles = false;
  // Fields that say how long packets are get 64 bits: what is written may take more room than it
  // did.
  bool widen_sizes = false;
  // The classes are those that CTF 1.8 keeps in its environment: strings that are not UTF-8 have no
  // lengths added there, so they have none here.
  bool keeping = false;
  // What is selected by: fields in headers that CTF 2 does not allow there select something from
  // now on, or are left out where they cannot. Null: all stay as they are.
  const HeadSelectors* head_selectors = nullptr;
};

// What marks members that were added to classes which CTF 1.8 keeps, in our attribute: JSON.
inline constexpr std::string_view kAddedHere = "\"here\"";

}  // namespace tracedeck::ctf

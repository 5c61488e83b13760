// How deep field classes may be nested (docs/formats/ctf.md, limits).
#pragma once

#include <cstddef>

namespace tracedeck {

// Field classes within each other, at most.
inline constexpr std::size_t kClassNesting = 256;

}  // namespace tracedeck

// How deep the Common Trace Format may nest field classes here (docs/formats/ctf.md, limits).
#pragma once

#include <cstddef>

namespace tracedeck::ctf {

// Field classes within each other, at most.
inline constexpr std::size_t kClassNesting = 256;

}  // namespace tracedeck::ctf

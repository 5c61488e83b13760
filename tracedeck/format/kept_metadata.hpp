// What our CTF 1.8 traces keep in their environment, for whoever reads such traces as something
// else.
#pragma once

#include <string_view>

namespace tracedeck {

// How the keys of such entries begin, which hold classes that CTF 1.8 cannot say
// (docs/formats/ctf.md, "What a dialect lacks"). They are none of the trace's own.
inline constexpr std::string_view kMetadataEntry = "tracedeck_metadata_";

}  // namespace tracedeck

// Metadata as a JSON text sequence, in either spelling of CTF 2.
#pragma once

#include <memory>

#include "tracedeck/ctf/metadata/metadata_text.hpp"

namespace tracedeck::ctf {

// `dialect`: kRc3 or kFinal.
[[nodiscard]] std::unique_ptr<MetadataWriter> json_metadata_writer(Dialect dialect,
                                                                   MetadataText::Sink sink);

}  // namespace tracedeck::ctf

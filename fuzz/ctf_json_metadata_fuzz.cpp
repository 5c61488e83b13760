// Any bytes as metadata that is a JSON text sequence, of either document.

#include <cstddef>
#include <cstdint>

#include "fuzz/ctf_metadata.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tracedeck::ctf::check_metadata({data, size}, tracedeck::ctf::json_metadata_reader);
  return 0;
}

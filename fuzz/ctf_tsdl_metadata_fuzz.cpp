// Any bytes as metadata in TSDL, plain or in packets.

#include <cstddef>
#include <cstdint>

#include "fuzz/ctf_metadata.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tracedeck::ctf::check_metadata({data, size}, tracedeck::ctf::tsdl_metadata_reader);
  return 0;
}

#include "tracedeck/ctf/metadata/metadata_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tracedeck::ctf {
namespace {

// Of a packet of TSDL text, in the byte order of the packet (CTF 1.8.3, 7.1 "Metadata, transport").
constexpr std::uint32_t kPacketMagic = 0x75D11D57;

bool is_tsdl(ByteSpan head) {
  if (head.size() >= sizeof kPacketMagic && (load_le<std::uint32_t>(head.data()) == kPacketMagic ||
                                             load_be<std::uint32_t>(head.data()) == kPacketMagic))
    return true;
  const std::string_view text = as_text(head);
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.substr(start).starts_with("/*");
}

}  // namespace

std::unique_ptr<MetadataReader> metadata_reader(ByteSpan head, Metadata& metadata) {
  return is_tsdl(head) ? tsdl_metadata_reader(metadata) : json_metadata_reader(metadata);
}

}  // namespace tracedeck::ctf

#include "tracedeck/ctf/metadata/metadata_reader.hpp"

#include <string_view>

namespace tracedeck::ctf {
namespace {

// LTTng 2.14 wrote metadata of the kernel without the comment that all others begin with: what does
// not begin like JSON is text of TSDL, or packets of it.
bool is_tsdl(ByteSpan head) {
  constexpr std::string_view kJson = "\x1e{[";
  const std::string_view text = as_text(head);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && kJson.find(text[start]) == std::string_view::npos;
}

}  // namespace

std::unique_ptr<MetadataReader> metadata_reader(ByteSpan head, Metadata& metadata) {
  return is_tsdl(head) ? tsdl_metadata_reader(metadata) : json_metadata_reader(metadata);
}

}  // namespace tracedeck::ctf

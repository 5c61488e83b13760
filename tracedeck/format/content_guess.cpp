#include "tracedeck/format/content_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view bytes;
  std::string_view what;
  std::string_view advice = {};
  std::size_t offset = 0;
};

constexpr std::string_view kUnpack = "; unpack it first";
constexpr std::string_view kDecompress = "; decompress it first";
constexpr std::string_view kNeedsMetadata = "; give its metadata with --metadata FILE";
constexpr std::string_view kOnce = "; decompress it once first";

constexpr auto kSignatures = std::to_array<Signature>({
    // gzip and zstd are seen through once, so here they are the inner layer.
    {"\x1F\x8B"sv, "gzip data that was compressed once more", kOnce},
    {"\x28\xB5\x2F\xFD"sv, "zstd data that was compressed once more", kOnce},
    {"\xFD\x37\x7A\x58\x5A\x00"sv, "xz data", kDecompress},
    {"BZh"sv, "bzip2 data", kDecompress},
    {"\x04\x22\x4D\x18"sv, "lz4 data", kDecompress},
    {"PK\x03\x04"sv, "a zip archive", kUnpack},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive", kUnpack},
    {"ustar"sv, "a tar archive", kUnpack, 257},
    {"\x7F"
     "ELF"sv,
     "an ELF program or library"},
    {"\xCF\xFA\xED\xFE"sv, "a Mach-O program or library"},
    {"MZ"sv, "a Windows program or library"},
    {"SQLite format 3\x00"sv, "an SQLite database"},
    {"PAR1"sv, "a Parquet table"},
    {"%PDF"sv, "a PDF document"},
    {"\x89PNG"sv, "a PNG image"},
    {"\xC1\x1F\xFC\xC1"sv, "a data stream of CTF", kNeedsMetadata},
    {"\xC1\xFC\x1F\xC1"sv, "a data stream of CTF", kNeedsMetadata},
    {"\xD4\xC3\xB2\xA1"sv, "a packet capture (pcap)"},
    {"\x0A\x0D\x0D\x0A"sv, "a packet capture (pcapng)"},
});

bool carries(ByteSpan head, const Signature& signature) {
  return as_text(head.subspan(std::min(head.size(), signature.offset)))
      .starts_with(signature.bytes);
}

// Readable characters only; the last one may be cut.
bool is_text(ByteSpan head) {
  constexpr std::size_t kLongestCut = 3;
  if (head.size() - utf8_valid_prefix(head) > kLongestCut) return false;
  return std::ranges::none_of(head, [](std::uint8_t byte) {
    return byte == 0x7F || (byte < 0x20 && (byte < '\t' || byte > '\r') && byte != 0x1B);
  });
}

std::string_view kind_of_text(ByteSpan head) {
  const std::string_view text = as_text(head);
  const std::size_t begin = text.find_first_not_of(" \t\r\n\v\f");
  if (begin == std::string_view::npos) return "blank text";
  if (text[begin] == '{' || text[begin] == '[') return "JSON";
  if (text[begin] == '<') return "XML or HTML";
  if (text.substr(begin).starts_with("#!")) return "a script";
  return "text";
}

}  // namespace

std::string guess_content(ByteSpan head) {
  const auto signature =
      std::ranges::find_if(kSignatures, [&](const Signature& each) { return carries(head, each); });
  if (signature != kSignatures.end()) {
    return fmt::format("looks like {}{}", signature->what, signature->advice);
  }
  // A few letters do not make a text.
  if (head.size() >= 8 && is_text(head)) return fmt::format("looks like {}", kind_of_text(head));
  if (std::ranges::all_of(head, [](std::uint8_t byte) { return byte == 0; })) {
    return "begins with zero bytes only";
  }
  return fmt::format("begins with the byte{} {:02X}", head.size() == 1 ? "" : "s",
                     fmt::join(head.first(std::min<std::size_t>(head.size(), 8)), " "));
}

}  // namespace tracedeck

#include "tracedeck/io/compression.hpp"

#include <array>
#include <utility>
#include <vector>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/prefix_input.hpp"

namespace tracedeck::io {
namespace {

constexpr std::size_t kLongestMagic = 4;

// `mask` says which bits of each byte are fixed.
struct Magic {
  std::array<std::uint8_t, kLongestMagic> bytes;
  std::array<std::uint8_t, kLongestMagic> mask;
  std::size_t size;
  std::size_t least;  // bytes that are enough when the input ends after them
  Compression compression;
};

constexpr std::array<Magic, 3> kMagics = {{
    // RFC 1952, 2.3.1: identification and the one method in use, deflate.
    {{0x1F, 0x8B, 0x08}, {0xFF, 0xFF, 0xFF}, 3, 2, Compression::kGzip},
    // RFC 8878, 3.1.1 and 3.1.2: little-endian 0xFD2FB528, 0x184D2A50 to 0x184D2A5F.
    {{0x28, 0xB5, 0x2F, 0xFD}, {0xFF, 0xFF, 0xFF, 0xFF}, 4, 3, Compression::kZstd},
    {{0x50, 0x2A, 0x4D, 0x18}, {0xF0, 0xFF, 0xFF, 0xFF}, 4, 4, Compression::kZstd},
}};

// Whether `head` and `magic` agree as far as the shorter of them goes.
bool agrees(const Magic& magic, ByteSpan head) {
  for (std::size_t i = 0; i < magic.size && i < head.size(); ++i) {
    if ((head[i] & magic.mask[i]) != magic.bytes[i]) return false;
  }
  return true;
}

}  // namespace

Compression compression_of(ByteSpan head, bool whole) {
  for (const Magic& magic : kMagics) {
    if (!agrees(magic, head)) continue;
    if (head.size() >= (whole ? magic.least : magic.size)) return magic.compression;
    if (!whole) return Compression::kUndecided;
  }
  return Compression::kNone;
}

Result<std::unique_ptr<Input>> see_through_compression(std::unique_ptr<Input> input) {
  std::vector<std::uint8_t> head;
  Compression compression = Compression::kUndecided;
  while ((compression = compression_of(head, false)) == Compression::kUndecided) {
    const std::size_t had = head.size();
    head.resize(kLongestMagic);
    const Result<std::size_t> got = input->read(head.data() + had, kLongestMagic - had);
    if (!got) return std::unexpected(got.error());
    head.resize(had + *got);
    if (*got == 0) {
      compression = compression_of(head, true);
      break;
    }
  }
  Result<std::unique_ptr<Input>> whole = unread(std::move(head), std::move(input));
  if (!whole || compression == Compression::kNone) return whole;
  return compression == Compression::kGzip ? gzip_input(std::move(*whole))
                                           : zstd_input(std::move(*whole));
}

Result<std::unique_ptr<Input>> open_input(const std::string& path, std::stop_token stop) {
  Result<std::unique_ptr<Input>> file = open_file(path, std::move(stop));
  if (!file) return file;
  return see_through_compression(std::move(*file));
}

}  // namespace tracedeck::io

// What the tests of inputs and outputs share.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

using Bytes = std::vector<std::uint8_t>;

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Bytes that compress by about half and in which every place can be distinguished from its
// neighbours.
inline Bytes made_up(std::size_t size, std::uint64_t seed = 1) {
  Bytes bytes(size);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    bytes[i] = static_cast<std::uint8_t>((state >> 60) + i / 7 % 3 * 16);
  }
  return bytes;
}

inline Bytes gzipped(const Bytes& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  Bytes out(deflateBound(&stream, bytes.size()) + 64);
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::logic_error("deflate did not finish");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// One frame with a checksum; `window_log` 0: as the level has it.
inline Bytes zstandard(const Bytes& bytes, int window_log = 0) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  // A known size would let the frame do with a window as small as itself.
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  Bytes out(ZSTD_compressBound(bytes.size()) + 64);
  ZSTD_inBuffer source{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer target{out.data(), out.size(), 0};
  std::size_t left = 0;
  do {
    left = ZSTD_compressStream2(context, &target, &source, ZSTD_e_end);
  } while (left != 0 && !ZSTD_isError(left));
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(left)) throw std::logic_error(ZSTD_getErrorName(left));
  out.resize(target.pos);
  return out;
}

struct ReadAll {
  Bytes bytes;
  std::optional<Error> error;
};

inline ReadAll read_all(Input& input, std::size_t portion = 4096) {
  ReadAll all;
  Bytes buffer(portion);
  for (;;) {
    const Result<std::size_t> got = input.read(buffer.data(), buffer.size());
    if (!got) {
      all.error = got.error();
      return all;
    }
    if (*got == 0) return all;
    if (*got > portion) throw std::logic_error("read more than asked for");
    all.bytes.insert(all.bytes.end(), buffer.begin(),
                     buffer.begin() + static_cast<std::ptrdiff_t>(*got));
  }
}

// A folder of its own that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tracedeck-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string file(const std::string& name, const Bytes& bytes) const {
    std::ofstream(file(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace tracedeck::io

#include "tracedeck/io/compressing_output.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tracedeck::io {
namespace {

// Of both, what their commands use by default: below, traces grow by a tenth and more;
// above, time doubles for some percent.
constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 3;

constexpr std::size_t kRoom = std::size_t{128} << 10;

enum class Until : std::uint8_t { kMore, kFlush, kEnd };

// What both have in common. `Codec` has
//   bool step(ByteSpan& in, std::uint8_t*& out, std::uint8_t* end, Until until)
// which takes from `in`, puts at `out` and returns whether nothing is left to be put.
template <class Codec>
class CompressingOutput final : public Output {
 public:
  explicit CompressingOutput(std::unique_ptr<Output> into) : into_(std::move(into)), room_(kRoom) {}

  const std::string& name() const override { return into_->name(); }
  Result<void> write(ByteSpan bytes) override {
    unflushed_ = unflushed_ || !bytes.empty();
    return put(bytes, Until::kMore);
  }
  Result<void> flush() override {
    if (std::exchange(unflushed_, false)) {
      if (auto written = put({}, Until::kFlush); !written) return written;
    }
    return into_->flush();
  }
  Result<void> finish() override {
    if (!std::exchange(finished_, true)) {
      if (auto written = put({}, Until::kEnd); !written) return written;
    }
    return into_->finish();
  }
  void discard() override { into_->discard(); }

 private:
  Result<void> put(ByteSpan in, Until until) {
    for (bool done = false; !done;) {
      std::uint8_t* out = room_.data();
      done = codec_.step(in, out, out + room_.size(), until) && in.empty();
      const auto made = static_cast<std::size_t>(out - room_.data());
      if (auto written = into_->write(ByteSpan(room_).first(made)); !written) return written;
    }
    return {};
  }

  std::unique_ptr<Output> into_;
  std::vector<std::uint8_t> room_;
  Codec codec_;
  bool unflushed_ = false;
  bool finished_ = false;
};

class GzipCodec {
 public:
  GzipCodec() {
    constexpr int kWindowBits = 15;
    constexpr int kGzipHeader = 16;
    constexpr int kMemory = 8;
    if (::deflateInit2(&stream_, kGzipLevel, Z_DEFLATED, kWindowBits + kGzipHeader, kMemory,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipCodec() { ::deflateEnd(&stream_); }
  GzipCodec(const GzipCodec&) = delete;
  GzipCodec& operator=(const GzipCodec&) = delete;

  bool step(ByteSpan& in, std::uint8_t*& out, std::uint8_t* end, Until until) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const auto portion = static_cast<uInt>(std::min(in.size(), kMost));
    stream_.next_in = const_cast<Bytef*>(in.data());  // zlib reads it only
    stream_.avail_in = portion;
    stream_.next_out = out;
    stream_.avail_out = static_cast<uInt>(end - out);
    const int how = until == Until::kEnd     ? Z_FINISH
                    : until == Until::kFlush ? Z_SYNC_FLUSH
                                             : Z_NO_FLUSH;
    (void)::deflate(&stream_, how);
    in = in.subspan(portion - stream_.avail_in);
    out = stream_.next_out;
    return stream_.avail_out != 0;
  }

 private:
  z_stream stream_{};
};

class ZstdCodec {
 public:
  ZstdCodec() : context_(::ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    (void)::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    (void)::ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  bool step(ByteSpan& in, std::uint8_t*& out, std::uint8_t* end, Until until) {
    ZSTD_inBuffer from{.src = in.data(), .size = in.size(), .pos = 0};
    ZSTD_outBuffer to{.dst = out, .size = static_cast<std::size_t>(end - out), .pos = 0};
    const ZSTD_EndDirective how = until == Until::kEnd     ? ZSTD_e_end
                                  : until == Until::kFlush ? ZSTD_e_flush
                                                           : ZSTD_e_continue;
    const std::size_t left = ::ZSTD_compressStream2(context_.get(), &to, &from, how);
    // The parameters are fixed and the buffers sound: it can only lack memory.
    if (::ZSTD_isError(left) != 0) throw std::bad_alloc();
    in = in.subspan(from.pos);
    out += to.pos;
    return until == Until::kMore ? in.empty() : left == 0;
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ::ZSTD_freeCCtx(context); }
  };

  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

}  // namespace

Compression compression_named(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::kGzip;
  return path.ends_with(".zst") ? Compression::kZstd : Compression::kNone;
}

std::unique_ptr<Output> compress(std::unique_ptr<Output> into, Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return std::make_unique<CompressingOutput<GzipCodec>>(std::move(into));
    case Compression::kZstd:
      return std::make_unique<CompressingOutput<ZstdCodec>>(std::move(into));
    default:
      return into;
  }
}

}  // namespace tracedeck::io

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/io/compression.hpp"
#include "tracedeck/io/decompressing_input.hpp"

namespace tracedeck::io {
namespace {

constexpr int kLargestWindowLog = 27;
constexpr std::size_t kBlockHeaderSize = 3;
// What the decoder asks for before it knows a frame: the magic and one byte.
constexpr std::size_t kFrameBeginSize = 5;

class ZstdInput final : public DecompressingInput {
 public:
  explicit ZstdInput(std::unique_ptr<Input> compressed)
      : DecompressingInput(std::move(compressed), "zstd"), context_(::ZSTD_createDCtx()) {
    if (context_ == nullptr || ::ZSTD_isError(::ZSTD_DCtx_setParameter(
                                   context_.get(), ZSTD_d_windowLogMax, kLargestWindowLog))) {
      throw std::bad_alloc();
    }
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ::ZSTD_freeDCtx(context); }
  };

  Turn decode(ByteSpan in, bool last, std::uint8_t* into, std::size_t size) override;
  bool complete() const override { return wanted_ == 0; }
  void reset() override {
    (void)::ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    wanted_ = 0;
    flushing_ = false;
  }

  // How many bytes to hand over at once. No more than reach to the end of a block, because a call
  // that puts out bytes and then meets damage forgets to say what it has put out; the decoder wants
  // a block together with the next block's header. No fewer either, because it passes the parts of
  // a stored block on as they come, but keeps a whole one back when it finds the block wrong.
  std::size_t next_piece() const {
    if (wanted_ == 0) return kFrameBeginSize;
    const std::size_t piece = wanted_ > kBlockHeaderSize ? wanted_ - kBlockHeaderSize : wanted_;
    return std::min(piece, kLargestPiece);
  }

  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::size_t wanted_ = 0;  // bytes that the frame lacks at least; 0 between frames
  bool flushing_ = false;   // what is decoded comes out before anything else goes in
};

constexpr std::string_view kNoZstd = "what follows is no zstd; cut the file off there";

bool may_be_zstd(ByteSpan head) {
  const Compression compression = compression_of(head, false);
  return compression == Compression::kZstd || compression == Compression::kUndecided;
}

std::string describe(std::size_t code) {
  switch (::ZSTD_getErrorCode(code)) {
    case ZSTD_error_prefix_unknown:
      return std::string(kNoZstd);
    case ZSTD_error_frameParameter_windowTooLarge:
      return "the frame needs a window of more than 128 MiB (decompress it beforehand with zstd -d "
             "--long=31)";
    case ZSTD_error_memory_allocation:
      throw std::bad_alloc();
    default:
      return ::ZSTD_getErrorName(code) + std::string("; fetch the file again from its origin");
  }
}

DecompressingInput::Turn ZstdInput::decode(ByteSpan in, bool last, std::uint8_t* into,
                                           std::size_t size) {
  const std::size_t piece = flushing_ ? 0 : next_piece();
  if (in.size() < piece && !last) return {.starved = true};
  // The decoder may have been built to know formats older than RFC 8878 too.
  if (wanted_ == 0 && !may_be_zstd(in)) return {.fault = std::string(kNoZstd)};
  ZSTD_inBuffer source{in.data(), std::min(in.size(), piece), 0};
  ZSTD_outBuffer target{into, size, 0};
  const std::size_t code = ::ZSTD_decompressStream(context_.get(), &target, &source);
  if (::ZSTD_isError(code)) return {.fault = describe(code)};
  wanted_ = code;
  flushing_ = code != 0 && target.pos == target.size;
  return {.made = target.pos, .used = source.pos, .more = flushing_};
}

}  // namespace

std::unique_ptr<Input> zstd_input(std::unique_ptr<Input> compressed) {
  return std::make_unique<ZstdInput>(std::move(compressed));
}

}  // namespace tracedeck::io

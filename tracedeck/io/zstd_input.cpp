#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
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

  Turn decode(ByteSpan in, std::uint8_t* into, std::size_t size) override;
  bool complete() const override { return wanted_ == 0; }
  void reset() override {
    (void)::ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    wanted_ = 0;
  }

  // How many bytes to hand over at once: no more than reach to the end of a block, because a call
  // that decodes a block and then meets damage forgets to say what it has put out. The decoder
  // wants a block together with the next block's header.
  std::size_t portion() const {
    if (wanted_ == 0) return kFrameBeginSize;
    return wanted_ > kBlockHeaderSize ? wanted_ - kBlockHeaderSize : wanted_;
  }

  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::size_t wanted_ = 0;  // bytes that the frame lacks at least; 0 between frames
};

std::string describe(std::size_t code) {
  switch (::ZSTD_getErrorCode(code)) {
    case ZSTD_error_prefix_unknown:
      return "what follows is no zstd; cut the file off there";
    case ZSTD_error_frameParameter_windowTooLarge:
      return "the frame needs a window of more than 128 MiB (decompress it beforehand with zstd -d "
             "--long=31)";
    case ZSTD_error_memory_allocation:
      throw std::bad_alloc();
    default:
      return ::ZSTD_getErrorName(code) + std::string("; fetch the file again from its origin");
  }
}

DecompressingInput::Turn ZstdInput::decode(ByteSpan in, std::uint8_t* into, std::size_t size) {
  ZSTD_inBuffer source{in.data(), std::min(in.size(), portion()), 0};
  ZSTD_outBuffer target{into, size, 0};
  const std::size_t code = ::ZSTD_decompressStream(context_.get(), &target, &source);
  if (::ZSTD_isError(code)) return {.fault = describe(code)};
  wanted_ = code;
  return {.made = target.pos, .used = source.pos, .more = code != 0 && target.pos == target.size};
}

}  // namespace

std::unique_ptr<Input> zstd_input(std::unique_ptr<Input> compressed) {
  return std::make_unique<ZstdInput>(std::move(compressed));
}

}  // namespace tracedeck::io

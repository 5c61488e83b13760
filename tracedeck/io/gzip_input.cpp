#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "tracedeck/io/compression.hpp"
#include "tracedeck/io/decompressing_input.hpp"

namespace tracedeck::io {
namespace {

// Adding 16 to the window bits makes zlib expect a gzip header and check the trailer.
constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::uint8_t kMemberBegin = 0x1F;

class GzipInput final : public DecompressingInput {
 public:
  explicit GzipInput(std::unique_ptr<Input> compressed)
      : DecompressingInput(std::move(compressed), "gzip") {
    if (::inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipInput() override { ::inflateEnd(&stream_); }
  GzipInput(const GzipInput&) = delete;
  GzipInput& operator=(const GzipInput&) = delete;

 private:
  Turn decode(ByteSpan in, bool /*last*/, std::uint8_t* into, std::size_t size) override {
    return between_ ? enter_member(in) : inflate_some(in, into, size);
  }
  bool complete() const override { return between_; }
  void reset() override {
    ::inflateReset(&stream_);
    between_ = true;
  }

  Turn enter_member(ByteSpan in);
  Turn inflate_some(ByteSpan in, std::uint8_t* into, std::size_t size);

  z_stream stream_{};
  bool between_ = true;  // members
};

DecompressingInput::Turn GzipInput::enter_member(ByteSpan in) {
  const auto other = std::ranges::find_if(in, [](std::uint8_t byte) { return byte != 0; });
  Turn turn{.used = static_cast<std::size_t>(other - in.begin())};
  if (other == in.end()) return turn;
  if (*other != kMemberBegin) {
    turn.fault = "what follows is no gzip; cut the file off there";
    return turn;
  }
  ::inflateReset(&stream_);
  between_ = false;
  return turn;
}

DecompressingInput::Turn GzipInput::inflate_some(ByteSpan in, std::uint8_t* into,
                                                 std::size_t size) {
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  const auto available = static_cast<uInt>(std::min(in.size(), kMost));
  const auto room = static_cast<uInt>(std::min(size, kMost));
  stream_.next_in = const_cast<Bytef*>(in.data());  // zlib reads it only
  stream_.avail_in = available;
  stream_.next_out = into;
  stream_.avail_out = room;
  const int code = ::inflate(&stream_, Z_NO_FLUSH);
  Turn turn{.made = room - stream_.avail_out,
            .used = available - stream_.avail_in,
            .more = stream_.avail_out == 0};
  if (code == Z_STREAM_END) {
    between_ = true;
    turn.more = false;
  } else if (code == Z_MEM_ERROR) {
    throw std::bad_alloc();
  } else if (code != Z_OK && code != Z_BUF_ERROR) {
    turn.fault = stream_.msg != nullptr ? stream_.msg : "it cannot be decompressed";
    turn.fault += "; fetch the file again from its origin";
  }
  return turn;
}

}  // namespace

std::unique_ptr<Input> gzip_input(std::unique_ptr<Input> compressed) {
  return std::make_unique<GzipInput>(std::move(compressed));
}

}  // namespace tracedeck::io

#include "tracedeck/io/decompressing_input.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace tracedeck::io {
namespace {

// Not only the largest piece, so that few pieces straddle its end and must be moved.
constexpr std::size_t kCompressedBuffer = std::size_t{160} << 10;

}  // namespace

DecompressingInput::DecompressingInput(std::unique_ptr<Input> compressed, std::string_view what)
    : compressed_(std::move(compressed)), what_(what), buffer_(kCompressedBuffer) {
  static_assert(kCompressedBuffer > kLargestPiece);
}

Result<std::size_t> DecompressingInput::read(std::uint8_t* into, std::size_t size) {
  while (!ended_ && size != 0) {
    if (starved_ && !refill()) break;
    const Turn turn = decode(unread(), last_, into, size);
    begin_ += turn.used;
    position_ += turn.used;
    delivered_ += turn.made;
    starved_ = turn.starved || (begin_ == end_ && !turn.more);
    if (!turn.fault.empty()) end_damaged(turn.fault);
    if (turn.made != 0) return turn.made;
  }
  if (ended_ && failure_) return std::unexpected(*failure_);
  return std::size_t{0};
}

bool DecompressingInput::refill() {
  if (!last_) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    const Result<std::size_t> got = compressed_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += got.value_or(0);
    last_ = got.value_or(0) == 0;
    if (!got) failure_ = got.error();
    if (end_ != 0) return true;
  }
  ended_ = true;
  if (failure_) {
    failure_->offset = delivered_;
  } else if (!compressed_->stopped() && !complete()) {
    end_damaged("it is cut short there; it was copied in part, or is still being written");
  }
  return false;
}

void DecompressingInput::end_damaged(const std::string& fault) {
  ended_ = true;
  failure_ = Error{
      .code = ErrorCode::kCompressedDamaged,
      .message = fmt::format("the {} data is damaged at byte {} of the compressed input: {}", what_,
                             position_, fault),
      .input = name(),
      .offset = delivered_,
  };
}

Result<void> DecompressingInput::rewind() {
  if (Result<void> rewound = compressed_->rewind(); !rewound) return rewound;
  begin_ = end_ = 0;
  position_ = delivered_ = 0;
  starved_ = true;
  last_ = ended_ = false;
  failure_.reset();
  reset();
  return {};
}

}  // namespace tracedeck::io

// What the gzip and zstd inputs share: the buffer of compressed bytes, where it stands, and how an
// early end is reported. A decoder only turns bytes into bytes.
//
// Bytes that were decompressed before damage are delivered first; the error follows at the next
// read and stays. A read asks for more compressed bytes only when it has nothing to deliver, so
// that a live stream is passed on as it comes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/io/input.hpp"

namespace tracedeck::io {

class DecompressingInput : public Input {
 public:
  const std::string& name() const final { return compressed_->name(); }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) final;
  bool seekable() const final { return compressed_->seekable(); }
  bool live() const final { return compressed_->live(); }
  // What is compressed can be there without being enough for a byte: then a read waits all the
  // same.
  bool ready(std::chrono::milliseconds patience) final {
    return ended_ || !starved_ || compressed_->ready(patience);
  }
  Result<void> rewind() final;
  std::optional<std::uint64_t> size() const final { return {}; }
  std::optional<std::uint64_t> stored_size() const final { return compressed_->stored_size(); }
  std::uint64_t stored_position() const final { return position_; }
  // Before the first byte a head is at hand.
  void set_midway(bool midway) final { compressed_->set_midway(midway || delivered_ == 0); }
  bool stopped() const final { return ended_ && compressed_->stopped(); }

 protected:
  // What one turn of a decoder did.
  struct Turn {
    std::size_t made = 0;    // bytes put out, also when `fault` is set
    std::size_t used = 0;    // bytes taken from `in`
    bool more = false;       // it may have more to put out without further bytes
    bool starved = false;    // it did nothing, for want of bytes behind those of `in`
    std::string fault = {};  // what is wrong with the bytes and what to do; empty: nothing
  };

  // A decoder may want so many bytes in one piece: a block of zstd.
  static constexpr std::size_t kLargestPiece = std::size_t{128} << 10;

  // `what`: "gzip" or "zstd", static.
  DecompressingInput(std::unique_ptr<Input> compressed, std::string_view what);

  // Decodes some of `in`, which is empty only after a turn that had `more`. `last`: nothing comes
  // behind it, so no turn is starved. `size` is not 0.
  virtual Turn decode(ByteSpan in, bool last, std::uint8_t* into, std::size_t size) = 0;
  // Whether the compressed bytes may end here: between members or frames.
  [[nodiscard]] virtual bool complete() const = 0;
  // Forgets everything, for a second pass.
  virtual void reset() = 0;

 private:
  ByteSpan unread() const { return ByteSpan(buffer_).subspan(begin_, end_ - begin_); }
  // Reads more compressed bytes behind those that are left. False when there is nothing to decode
  // any more, however the end came.
  bool refill();
  void end_damaged(const std::string& fault);

  std::unique_ptr<Input> compressed_;
  std::string_view what_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // unread bytes of the buffer
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;   // compressed bytes used
  std::uint64_t delivered_ = 0;  // decompressed bytes
  bool starved_ = true;          // nothing can be decoded from what is unread
  bool last_ = false;            // the buffer holds the last compressed bytes
  bool ended_ = false;
  std::optional<Error> failure_;
};

}  // namespace tracedeck::io

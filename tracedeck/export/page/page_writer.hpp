// The page's bytes: blocks of data as script elements that no browser runs, and what stands around.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/io/output.hpp"
#include "tracedeck/render/text_buffer.hpp"

namespace tracedeck::page {

// Raw deflate (RFC 1951). One at a time.
class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Replaces what is in `into`.
  void deflate(std::string_view bytes, std::string& into);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

class PageWriter {
 public:
  // Errors of all that follows: those of `output`, and kLimitExceeded beyond `largest` bytes.
  PageWriter(io::Output& output, std::uint64_t largest) : output_(output), largest_(largest) {}

  // Up to where data goes.
  [[nodiscard]] Result<void> begin();
  // A block of data; returns its number, from 1 on.
  [[nodiscard]] Result<std::uint32_t> block(std::string_view bytes);
  // `index`: JSON.
  [[nodiscard]] Result<void> finish(std::string_view index);

 private:
  [[nodiscard]] Result<void> write(std::string_view text);

  io::Output& output_;
  std::uint64_t largest_;
  std::uint64_t written_ = 0;
  std::uint32_t blocks_ = 0;
  Deflater deflater_;
  std::string deflated_;
  render::TextBuffer text_;
};

}  // namespace tracedeck::page

// The page's bytes: blocks of data as script elements that no browser runs, and what stands around.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/io/output.hpp"
#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::page {

// Raw deflate (RFC 1951). One at a time.
class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // Bytes of each piece but the last.
  static constexpr std::size_t kPiece = std::size_t{48} << 10;
  using Take = std::function<Result<void>(ByteSpan piece)>;
  // Hands what becomes of `bytes` to `take`, piece by piece. Errors: those of `take`.
  [[nodiscard]] Result<void> deflate(std::string_view bytes, const Take& take);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::vector<std::uint8_t> piece_ = std::vector<std::uint8_t>(kPiece);
};

class PageWriter {
 public:
  // Errors of all that follows: those of `output`, and kLimitExceeded beyond `largest` bytes.
  PageWriter(io::Output& output, std::uint64_t largest) : output_(output), largest_(largest) {}
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  // Up to where data goes.
  [[nodiscard]] Result<void> begin();
  // A block of data; returns its number, from 1 on.
  [[nodiscard]] Result<std::uint32_t> block(std::string_view bytes);
  // No more blocks come.
  [[nodiscard]] Result<void> begin_index();
  // Takes the index, as JSON.
  [[nodiscard]] io::Output& index() { return index_; }
  [[nodiscard]] Result<void> finish();

 private:
  // JSON within an element of HTML.
  class Index final : public io::Output {
   public:
    explicit Index(PageWriter& page) : page_(page) {}
    [[nodiscard]] const std::string& name() const override { return page_.output_.name(); }
    [[nodiscard]] Result<void> write(ByteSpan bytes) override;
    [[nodiscard]] Result<void> flush() override { return {}; }
    [[nodiscard]] Result<void> finish() override { return {}; }

   private:
    PageWriter& page_;
  };

  [[nodiscard]] Result<void> write(std::string_view text);

  io::Output& output_;
  std::uint64_t largest_;
  std::uint64_t written_ = 0;
  std::uint32_t blocks_ = 0;
  Deflater deflater_;
  TextBuffer text_;
  TextBuffer quoted_;
  Index index_{*this};
};

}  // namespace tracedeck::page

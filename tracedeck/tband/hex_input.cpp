#include "tracedeck/tband/hex_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tracedeck::tband {
namespace {

int digit_of(std::uint8_t character) {
  if (character >= '0' && character <= '9') return character - '0';
  const auto lower = static_cast<std::uint8_t>(character | 0x20U);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool separates(std::uint8_t character) {
  return character == ' ' || (character >= '\t' && character <= '\r') || character == ',' ||
         character == ':' || character == '-';
}

class HexInput final : public io::Input {
 public:
  explicit HexInput(std::unique_ptr<io::Input> text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& name() const override { return text_->name(); }

  [[nodiscard]] Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    if (failure_) return std::unexpected(*failure_);
    // Text is read until it has brought a byte.
    for (;;) {
      buffer_.resize(std::clamp<std::size_t>(2 * size, 2, kMostRead));
      const Result<std::size_t> got = text_->read(buffer_.data(), buffer_.size());
      if (!got) return got;
      if (*got == 0) {
        // A stop may come between two digits.
        if (first_digit_ && !text_->stopped())
          return refuse("the text ends in the middle of a byte");
        return std::size_t{0};
      }
      const std::size_t decoded = decode(*got, into);
      if (decoded != 0) return decoded;
      if (failure_) return std::unexpected(*failure_);
    }
  }

  [[nodiscard]] bool seekable() const override { return text_->seekable(); }
  [[nodiscard]] bool live() const override { return text_->live(); }
  [[nodiscard]] bool ready(std::chrono::milliseconds patience) override {
    return failure_.has_value() || text_->ready(patience);
  }
  [[nodiscard]] Result<void> rewind() override {
    first_digit_.reset();
    failure_.reset();
    position_ = 0;
    return text_->rewind();
  }
  // Nobody knows how much of the text is white space.
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return std::nullopt; }
  [[nodiscard]] std::optional<std::uint64_t> stored_size() const override {
    return text_->stored_size();
  }
  [[nodiscard]] std::uint64_t stored_position() const override { return text_->stored_position(); }
  void set_midway(bool midway) override { text_->set_midway(midway || first_digit_.has_value()); }
  [[nodiscard]] bool stopped() const override { return text_->stopped(); }

 private:
  static constexpr std::size_t kMostRead = std::size_t{128} << 10;

  // Decodes the first bytes of the buffer, up to what is no hexadecimal text.
  std::size_t decode(std::size_t size, std::uint8_t* into) {
    std::size_t decoded = 0;
    for (std::size_t i = 0; i < size; ++i, ++position_) {
      const std::uint8_t character = buffer_[i];
      const int digit = digit_of(character);
      if (digit >= 0) {
        if (!first_digit_) {
          first_digit_ = digit;
        } else {
          into[decoded++] = static_cast<std::uint8_t>(*first_digit_ * 16 + digit);
          first_digit_.reset();
        }
      } else if ((character | 0x20) == 'x' && first_digit_ == 0) {
        first_digit_.reset();
      } else if (!separates(character) || first_digit_) {
        (void)refuse(first_digit_ ? "a byte has one digit only" : "this is no hexadecimal digit");
        break;
      }
    }
    return decoded;
  }

  std::unexpected<Error> refuse(std::string_view why) {
    failure_ =
        Error{.code = ErrorCode::kReadFailed,
              .message = fmt::format("{}, at byte {} of the hexadecimal text", why, position_),
              .input = name()};
    return std::unexpected(*failure_);
  }

  std::unique_ptr<io::Input> text_;
  std::vector<std::uint8_t> buffer_;
  std::optional<int> first_digit_;
  std::uint64_t position_ = 0;  // in the text
  std::optional<Error> failure_;
};

}  // namespace

std::unique_ptr<io::Input> hex_input(std::unique_ptr<io::Input> input) {
  return std::make_unique<HexInput>(std::move(input));
}

std::unique_ptr<io::Input> decoded(std::unique_ptr<io::Input> input, bool hexadecimal) {
  return hexadecimal ? hex_input(std::move(input)) : std::move(input);
}

}  // namespace tracedeck::tband

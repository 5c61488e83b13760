#include "tracedeck/text/terminal_output.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/text/visible.hpp"

namespace tracedeck {
namespace {

class TerminalOutput final : public io::Output {
 public:
  TerminalOutput(io::Output& into, std::span<const std::string_view> allowed)
      : into_(into), allowed_(allowed) {}

  [[nodiscard]] const std::string& name() const override { return into_.name(); }
  [[nodiscard]] Result<void> write(ByteSpan bytes) override {
    held_ += as_text(bytes);
    return hand_on(false);
  }
  [[nodiscard]] Result<void> flush() override { return into_.flush(); }
  [[nodiscard]] Result<void> finish() override {
    if (auto written = hand_on(true); !written) return written;
    return into_.flush();
  }

 private:
  // Keeps back what may be the beginning of a longer character or sequence, unless it is the end.
  Result<void> hand_on(bool end) {
    std::string_view rest = held_;
    while (!rest.empty()) {
      const std::size_t plain = plain_prefix(rest);
      append(rest.substr(0, plain), false);
      rest.remove_prefix(plain);
      if (rest.empty()) break;
      const std::size_t size = special_size(rest, end);
      if (size == 0) break;
      rest.remove_prefix(size);
    }
    held_.erase(0, held_.size() - rest.size());
    const std::string text = std::exchange(escaped_, {});
    return text.empty() ? Result<void>{} : into_.write(text);
  }

  static bool is_plain(char c) {
    return (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F) ||
           c == '\n' || c == '\t';
  }
  static std::size_t plain_prefix(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
  }

  // Appends the character or sequence that `text` begins with and returns its size. 0: more of it
  // may be to come.
  std::size_t special_size(std::string_view text, bool end) {
    for (const std::string_view sequence : allowed_) {
      if (text.starts_with(sequence)) {
        append(sequence, false);
        return sequence.size();
      }
      if (!end && sequence.starts_with(text)) return 0;
    }
    constexpr std::size_t kLongestCharacter = 4;
    const ByteSpan bytes = as_bytes(text.substr(0, kLongestCharacter));
    const Utf8Step step = utf8_step(bytes.data(), bytes.data() + bytes.size());
    if (!step.valid && !end && step.length == text.size() && bytes[0] >= 0xC2) return 0;
    append(text.substr(0, step.length), true);
    return step.length;
  }

  void append(std::string_view text, bool escape) {
    if (escape) {
      escaped_ += visible(text);
    } else {
      escaped_ += text;
    }
  }

  io::Output& into_;
  std::span<const std::string_view> allowed_;
  std::string held_;
  std::string escaped_;
};

}  // namespace

std::unique_ptr<io::Output> terminal_output(io::Output& into,
                                            std::span<const std::string_view> allowed) {
  return std::make_unique<TerminalOutput>(into, allowed);
}

}  // namespace tracedeck

// The colours of babeltrace2, or none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

enum class BabeltracePaint : std::uint8_t { kTime, kEvent, kUnknown, kFieldName, kName, kValue };

class BabeltracePalette {
 public:
  static constexpr std::string_view kReset = "\x1b[0m";
  // All that is ever put before and behind text.
  static constexpr std::array<std::string_view, 6> kSequences = {
      kReset, "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[35m", "\x1b[36m"};

  explicit BabeltracePalette(bool color) : color_(color) {}

  [[nodiscard]] bool color() const { return color_; }

  void begin(TextBuffer& out, BabeltracePaint paint) const {
    if (color_) out.append(sequence(paint));
  }
  void end(TextBuffer& out) const {
    if (color_) out.append(kReset);
  }
  void text(TextBuffer& out, BabeltracePaint paint, std::string_view text) const {
    begin(out, paint);
    out.append(text);
    end(out);
  }
  // `delta = `: a name before what is no field.
  void name(TextBuffer& out, std::string_view name) const {
    text(out, BabeltracePaint::kName, name);
    out.append(" = ");
  }

 private:
  static constexpr std::string_view sequence(BabeltracePaint paint) {
    switch (paint) {
      case BabeltracePaint::kTime:
        return "\x1b[1m\x1b[1m\x1b[33m";
      case BabeltracePaint::kEvent:
        return "\x1b[1m\x1b[1m\x1b[35m";
      case BabeltracePaint::kUnknown:
        return "\x1b[1m\x1b[1m\x1b[31m";
      case BabeltracePaint::kFieldName:
        return "\x1b[36m";
      case BabeltracePaint::kName:
      case BabeltracePaint::kValue:
        break;
    }
    return "\x1b[1m";
  }

  bool color_;
};

}  // namespace tracedeck::render

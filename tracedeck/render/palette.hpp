// The few colours of text output.
#pragma once

#include <string_view>

#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck::render {

enum class Paint : unsigned char {
  kPlain,
  kFaint,  // what is there on every line: deltas, streams, contexts' names
  kTime,
  kName,  // event classes
  kText,  // strings
  kAddress,
  kLabel,    // enumerations
  kWarning,  // losses, what could not be resolved
  kError,    // problems
};

// ANSI escape sequences, or none.
class Palette {
 public:
  explicit Palette(bool color) : color_(color) {}

  [[nodiscard]] bool color() const { return color_; }

  void begin(TextBuffer& out, Paint paint) const {
    if (color_ && paint != Paint::kPlain) out.append(sequence(paint));
  }
  void end(TextBuffer& out, Paint paint) const {
    if (color_ && paint != Paint::kPlain) out.append("\x1b[0m");
  }

 private:
  static std::string_view sequence(Paint paint) {
    switch (paint) {
      case Paint::kPlain:
        break;
      case Paint::kFaint:
        return "\x1b[2m";
      case Paint::kTime:
        return "\x1b[36m";
      case Paint::kName:
        return "\x1b[1m";
      case Paint::kText:
        return "\x1b[32m";
      case Paint::kAddress:
      case Paint::kWarning:
        return "\x1b[33m";
      case Paint::kLabel:
        return "\x1b[35m";
      case Paint::kError:
        return "\x1b[31m";
    }
    return "";
  }

  bool color_;
};

}  // namespace tracedeck::render

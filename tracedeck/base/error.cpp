#include "tracedeck/base/error.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tracedeck {

std::string_view code_name(ErrorCode code) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "cannot-open",        "read-failed",    "write-failed", "broken-pipe",
      "compressed-damaged", "unrecognised",   "must-reject",  "unsupported",
      "invalid-argument",   "limit-exceeded", "strict",
  };
  return kNames[std::to_underlying(code)];
}

std::string Error::to_string() const {
  std::string text = input;
  if (offset) {
    text += fmt::format("{}{}", text.empty() ? "byte " : ":", *offset);
    if (bit != 0) text += fmt::format(".{}", bit);
  }
  if (!text.empty()) text += ": ";
  if (!path.empty()) text += path + ": ";
  return text + message;
}

std::unexpected<Error> fail(ErrorCode code, std::string message, std::string input,
                            std::optional<std::uint64_t> offset) {
  return std::unexpected(Error{
      .code = code, .message = std::move(message), .input = std::move(input), .offset = offset});
}

}  // namespace tracedeck

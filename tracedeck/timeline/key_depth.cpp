#include "tracedeck/timeline/key_depth.hpp"

#include <algorithm>

namespace tracedeck::timeline {
namespace {

constexpr auto kNone = std::string_view::npos;

// The offset behind the text of a basic or literal string that begins at `at`.
std::size_t behind_string(std::string_view toml, std::size_t at) {
  const char quote = toml[at];
  const bool escapes = quote == '"';
  const bool several_lines = toml.substr(at).starts_with(escapes ? R"(""")" : "'''");
  at += several_lines ? 3 : 1;
  for (; at < toml.size(); ++at) {
    if (escapes && toml[at] == '\\') {
      ++at;
      continue;
    }
    if (toml[at] == '\n' && !several_lines) return at;
    if (toml[at] != quote) continue;
    if (!several_lines) return at + 1;
    // Up to two quotes may stand right before the closing three.
    const std::size_t quotes = std::min(toml.find_first_not_of(quote, at), toml.size()) - at;
    if (quotes >= 3) return at + std::min<std::size_t>(quotes, 5);
    at += quotes - 1;
  }
  return toml.size();
}

}  // namespace

std::optional<std::size_t> find_deep_key(std::string_view toml, std::size_t most) {
  constexpr std::string_view kEnds = "\n\r=[]{},#";
  std::size_t begin = kNone;  // of the key, or value, at hand
  std::size_t parts = 1;
  for (std::size_t at = 0; at < toml.size();) {
    const char character = toml[at];
    if (kEnds.contains(character)) {
      begin = kNone;
      parts = 1;
      if (character == '#') at = std::min(toml.find('\n', at), toml.size());
      if (character != '#') ++at;
      continue;
    }
    if (begin == kNone && character != ' ' && character != '\t') begin = at;
    if (character == '.' && ++parts > most) return begin;
    at = character == '"' || character == '\'' ? behind_string(toml, at) : at + 1;
  }
  return std::nullopt;
}

}  // namespace tracedeck::timeline

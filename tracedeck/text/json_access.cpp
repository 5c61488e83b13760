#include "tracedeck/text/json_access.hpp"

#include <fmt/format.h>

#include <limits>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck {
namespace {

constexpr std::size_t kMostQuoted = 60;

}  // namespace

JsonRef find_child(JsonRef object, std::string_view name) {
  for (const JsonRef value : JsonChildren(object)) {
    if (value.key() == name) return value;
  }
  return {};
}

std::size_t count_children(JsonRef value) {
  std::size_t count = 0;
  for ([[maybe_unused]] const JsonRef each : JsonChildren(value)) ++count;
  return count;
}

bool is_json_integer(JsonRef value) {
  return value.is(JsonKind::kNumber) && value.raw().find_first_of(".eE") == std::string_view::npos;
}

std::optional<Integer> json_integer(JsonRef value) {
  std::string_view digits = value.raw();
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  constexpr std::size_t kMostDigits = 39;
  if (digits.size() > kMostDigits) return {};
  Uint128 magnitude = 0;
  for (const char digit : digits) {
    const auto add = static_cast<Uint128>(digit - '0');
    if (magnitude > (std::numeric_limits<Uint128>::max() - add) / 10) return {};
    magnitude = magnitude * 10 + add;
  }
  if (negative && magnitude > (Uint128{1} << 127U)) return {};
  return Integer::of(magnitude, negative);
}

std::string quoted(JsonRef value) {
  if (value.is(JsonKind::kArray) || value.is(JsonKind::kObject))
    return std::string(kind_words(value.kind()));
  const std::string_view raw = value.raw();
  if (raw.size() <= kMostQuoted) return std::string(raw);
  const std::string_view start = raw.substr(0, kMostQuoted);
  return fmt::format("{}...", start.substr(0, utf8_valid_prefix(as_bytes(start))));
}

}  // namespace tracedeck

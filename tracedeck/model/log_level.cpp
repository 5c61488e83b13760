#include "tracedeck/model/log_level.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/text/json_access.hpp"
#include "tracedeck/text/json_text.hpp"

namespace tracedeck {
namespace {

constexpr std::string_view kTsdlKey = "loglevel";
constexpr std::string_view kBabeltraceNamespace = "babeltrace.org,2020";

// The words of Babeltrace 2 that are not LTTng's with `:` for `_`.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOtherWords = {
    {{"EMERGENCY", "EMERG"}, {"CRITICAL", "CRIT"}, {"ERROR", "ERR"}, {"WARN", "WARNING"}}};

std::optional<std::size_t> level_of_number(std::string_view number) {
  std::size_t level = kLogLevels.size();
  const char* const end = number.data() + number.size();
  if (std::from_chars(number.data(), end, level).ptr != end || level >= kLogLevels.size())
    return std::nullopt;
  return level;
}

std::optional<std::size_t> level_in(const std::string& json) {
  JsonParser parser;
  const auto parsed = parser.parse(as_bytes(json), 0, 1);
  if (!parsed || !(*parsed)->root().is(JsonKind::kObject)) return std::nullopt;
  const JsonRef level = find_child((*parsed)->root(), "log-level");
  if (!level || !level.is(JsonKind::kString)) return std::nullopt;
  return log_level_of_name(level.string());
}

}  // namespace

std::optional<std::size_t> log_level_of_name(std::string_view name) {
  std::string word(name);
  std::ranges::transform(word, word.begin(), [](unsigned char each) {
    return each == ':' ? '_' : static_cast<char>(std::toupper(each));
  });
  constexpr std::string_view kPrefix = "TRACE_";
  if (word.starts_with(kPrefix)) word.erase(0, kPrefix.size());
  const auto other =
      std::ranges::find(kOtherWords, word, &std::pair<std::string_view, std::string_view>::first);
  if (other != kOtherWords.end()) word = other->second;
  const auto found = std::ranges::find(kLogLevels, word);
  if (found == kLogLevels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kLogLevels.begin());
}

std::optional<std::size_t> log_level(const EventClass& event_class) {
  for (const Attribute& each : event_class.attributes) {
    if (each.key == kTsdlKey) return level_of_number(each.value);
    if (each.key == kBabeltraceNamespace && each.is_json) return level_in(each.value);
  }
  return std::nullopt;
}

}  // namespace tracedeck

#include "cli/babeltrace_habits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>

namespace tracedeck::cli {
namespace {

using render::BabeltraceFields;
using render::BabeltraceNames;

template <class Shown>
struct Word {
  std::string_view text;
  bool Shown::* member;  // null: nothing that could be shown
};

constexpr std::array kNames = {
    Word{"payload", &BabeltraceNames::payload}, Word{"arg", &BabeltraceNames::payload},
    Word{"args", &BabeltraceNames::payload},    Word{"context", &BabeltraceNames::context},
    Word{"ctx", &BabeltraceNames::context},     Word{"scope", &BabeltraceNames::scope},
    Word{"header", &BabeltraceNames::header},
};
constexpr std::array kFields = {
    Word{"trace", &BabeltraceFields::trace},
    Word{"trace:hostname", &BabeltraceFields::hostname},
    Word{"trace:domain", &BabeltraceFields::domain},
    Word{"trace:procname", &BabeltraceFields::procname},
    Word{"trace:vpid", &BabeltraceFields::vpid},
    Word{"loglevel", &BabeltraceFields::loglevel},
    Word{"emf", &BabeltraceFields::emf},
    Word<BabeltraceFields>{"callsite", nullptr},
};

template <class Shown>
std::span<const Word<Shown>> words_for();
template <>
std::span<const Word<BabeltraceNames>> words_for() {
  return kNames;
}
template <>
std::span<const Word<BabeltraceFields>> words_for() {
  return kFields;
}

// Fields are never all left out.
template <class Shown>
constexpr bool kKnowsNone = std::same_as<Shown, BabeltraceNames>;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// Reads one time from the front to the back.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // `least` to `most` digits.
  std::optional<std::int64_t> number(std::size_t least, std::size_t most) {
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits < least || digits > most) return std::nullopt;
    std::int64_t value = 0;
    for (const char digit : rest_.substr(0, digits)) value = 10 * value + (digit - '0');
    rest_.remove_prefix(digits);
    return value;
  }
  // ns behind a point, if there is one.
  std::optional<std::int64_t> fraction() {
    if (!take('.')) return 0;
    const std::size_t before = rest_.size();
    auto value = number(1, 9);
    for (std::size_t digits = before - rest_.size(); value && digits < 9; ++digits) *value *= 10;
    return value;
  }

 private:
  std::string_view rest_;
};

constexpr std::int64_t kSecond = 1'000'000'000;

// HH:MM, HH:MM:SS, HH:MM:SS.NANO in ns.
std::optional<std::int64_t> time_of_day(TimeScanner& scan) {
  const auto hours = scan.number(2, 2);
  if (!hours || *hours > 23 || !scan.take(':')) return std::nullopt;
  const auto minutes = scan.number(2, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  const std::int64_t seconds = (*hours * 60 + *minutes) * 60;
  if (!scan.take(':')) return seconds * kSecond;
  const auto second = scan.number(2, 2);
  const auto fraction = scan.fraction();
  if (!second || *second > 59 || !fraction) return std::nullopt;
  return (seconds + *second) * kSecond + *fraction;
}

std::optional<TimePoint> date(TimeScanner& scan, bool gmt) {
  const auto year = scan.number(4, 4);
  const bool has_month = year && scan.take('-');
  const auto month = has_month ? scan.number(2, 2) : std::nullopt;
  const bool has_day = month && *month >= 1 && *month <= 12 && scan.take('-');
  const auto day = has_day ? scan.number(2, 2) : std::nullopt;
  if (!day || *day < 1 || *day > 31) return std::nullopt;
  std::int64_t of_day = 0;
  if (scan.take(' ')) {
    const auto time = time_of_day(scan);
    if (!time) return std::nullopt;
    of_day = *time;
  }
  const auto second_of_day = static_cast<int>(of_day / kSecond);
  std::tm parts{};
  parts.tm_year = static_cast<int>(*year - 1900);
  parts.tm_mon = static_cast<int>(*month - 1);
  parts.tm_mday = static_cast<int>(*day);
  parts.tm_hour = second_of_day / 3600;
  parts.tm_min = second_of_day / 60 % 60;
  parts.tm_sec = second_of_day % 60;
  parts.tm_isdst = -1;
  const std::time_t since = gmt ? ::timegm(&parts) : std::mktime(&parts);
  return TimePoint{.value = Nanoseconds(std::int64_t{since} * kSecond + of_day % kSecond),
                   .from = TimePoint::From::kUnixEpoch};
}

std::optional<TimePoint> seconds(TimeScanner& scan) {
  constexpr std::size_t kDigits = 10;
  const bool negative = scan.take('-');
  const auto whole = scan.number(1, kDigits);
  const auto fraction = scan.fraction();
  if (!whole || !fraction) return std::nullopt;
  const std::int64_t time = *whole * kSecond + *fraction;
  return TimePoint{.value = Nanoseconds(negative ? -time : time)};
}

std::expected<TimePoint, std::string> parse_time(std::string_view text, bool gmt) {
  TimeScanner scan(text);
  std::optional<TimePoint> time;
  if (text.size() > 4 && text[4] == '-') {
    time = date(scan, gmt);
  } else if (text.contains(':')) {
    if (const auto of_day = time_of_day(scan)) {
      time = {.value = Nanoseconds(*of_day),
              .from = gmt ? TimePoint::From::kMidnight : TimePoint::From::kLocalMidnight};
    }
  } else {
    time = seconds(scan);
  }
  if (time && scan.at_end()) return *time;
  return std::unexpected(fmt::format(
      "'{}' is no time as babeltrace2 takes it: 1566849473.5 (seconds), 19:57, 19:57:53.5, "
      "2019-08-26 19:57:53.5 are",
      text));
}

}  // namespace

template <class Shown>
std::string BabeltraceList<Shown>::add(std::string_view words) {
  const std::span<const Word<Shown>> table = words_for<Shown>();
  bool all = false;
  bool none = false;
  std::vector<std::string> named;
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    const std::string_view word = trimmed(words.substr(0, comma));
    words.remove_prefix(std::min(comma + 1, words.size()));
    all = all || word == "all";
    none = none || (kKnowsNone<Shown> && word == "none");
    if (std::ranges::find(table, word, &Word<Shown>::text) != table.end()) {
      named.emplace_back(word);
    } else if (!word.empty() && word != "all" && !(kKnowsNone<Shown> && word == "none")) {
      std::vector<std::string_view> known;
      for (const Word<Shown>& each : table) known.push_back(each.text);
      return fmt::format("'{}' is none of {}, all{}", word, fmt::join(known, ", "),
                         kKnowsNone<Shown> ? ", none" : "");
    }
  }
  if (all && none) return "'all' and 'none' exclude each other";
  if (!all && !none && named.empty()) return {};
  given_ = true;
  all_ = all;
  words_.insert(words_.end(), named.begin(), named.end());
  return {};
}

template <class Shown>
Shown BabeltraceList<Shown>::shown() const {
  Shown result;
  if (!given_) return result;
  for (const Word<Shown>& each : words_for<Shown>()) {
    if (each.member != nullptr) result.*each.member = all_;
  }
  // Several words may stand for one member.
  for (const Word<Shown>& each : words_for<Shown>()) {
    if (each.member != nullptr && std::ranges::find(words_, each.text) != words_.end())
      result.*each.member = true;
  }
  return result;
}

template class BabeltraceList<BabeltraceNames>;
template class BabeltraceList<BabeltraceFields>;

std::expected<std::pair<TimePoint, TimePoint>, std::string> parse_babeltrace_range(
    std::string_view text, bool gmt) {
  std::string_view inside = text;
  if (inside.starts_with('[')) inside.remove_prefix(1);
  if (inside.ends_with(']')) inside.remove_suffix(1);
  const std::size_t comma = inside.find(',');
  if (comma == std::string_view::npos)
    return std::unexpected(fmt::format("'{}' is no BEGIN,END", text));
  auto begin = parse_time(inside.substr(0, comma), gmt);
  if (!begin) return std::unexpected(std::move(begin.error()));
  auto end = parse_time(inside.substr(comma + 1), gmt);
  if (!end) return std::unexpected(std::move(end.error()));
  if (begin->from == end->from && begin->value > end->value)
    return std::unexpected(fmt::format("'{}' ends before it begins", text));
  return std::pair(*begin, *end);
}

}  // namespace tracedeck::cli

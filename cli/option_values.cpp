#include "cli/option_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "tracedeck/io/read_file.hpp"
#include "tracedeck/query/expression.hpp"

namespace tracedeck::cli {
namespace {

// All of `text` as a decimal integer of type T.
template <class T>
std::errc parse_whole(std::string_view text, T& value) {
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return error;
  return stopped == text.data() + text.size() ? std::errc{} : std::errc::invalid_argument;
}

// How far a size's unit shifts it, or -1.
int unit_shift(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit.size() != 1 && unit.substr(1) != "iB") return -1;
  switch (unit.front()) {
    case 'k':
    case 'K':
      return 10;
    case 'M':
      return 20;
    case 'G':
      return 30;
    case 'T':
      return 40;
    default:
      return -1;
  }
}

// A path has 4096 bytes at most, and a command line no more of them than a few megabytes.
constexpr std::uint64_t kMaxListSize = std::uint64_t{256} << 20;

// What the file of that name holds. `what` it is, which has `most` bytes at most.
std::expected<std::string, std::string> read_text(const std::string& path, std::uint64_t most,
                                                  std::string_view what) {
  const auto bytes = io::read_file(path, most, {});
  if (bytes) return std::string(bytes->begin(), bytes->end());
  if (bytes.error().code != ErrorCode::kLimitExceeded)
    return std::unexpected(bytes.error().to_string());
  return std::unexpected(fmt::format("{}: {} has {} bytes at most", path, what, most));
}

// What is wrong with a TRACE that stands in a list, or "".
std::string_view wrong_in_list(std::string_view trace) {
  if (trace.empty()) return "a TRACE needs a name, and this line is empty";
  if (trace == "-") return "standard input is a TRACE on the command line only: '-'";
  return {};
}

}  // namespace

std::expected<std::uint64_t, std::string> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const std::errc error = parse_whole(text, value);
  if (error == std::errc{}) return value;
  if (error == std::errc::result_out_of_range) {
    return std::unexpected(fmt::format("'{}' is more than 64 bits hold", text));
  }
  return std::unexpected(fmt::format("'{}' is no number", text));
}

std::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const int shift = unit_shift(text.substr(digits));
  if (digits == 0 || shift < 0) {
    return std::unexpected(fmt::format("'{}' is no size such as 4096, 64M or 1G", text));
  }
  const auto count = parse_count(text.substr(0, digits));
  if (!count || *count > std::numeric_limits<std::uint64_t>::max() >> shift) {
    return std::unexpected(fmt::format("'{}' is more bytes than 64 bits count", text));
  }
  if (*count == 0) return std::unexpected("a size of 0 bytes leaves no room to read anything");
  return *count << shift;
}

std::expected<flow::ClockOffset, std::string> parse_clock_offset(std::string_view text) {
  flow::ClockOffset offset;
  const std::size_t equals = text.rfind('=');
  std::string_view number = text;
  if (equals != std::string_view::npos) {
    offset.trace = std::string(text.substr(0, equals));
    number = text.substr(equals + 1);
  }
  std::string_view digits = number;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  const auto time = parse_time_point(digits);
  // A number with a point and no unit would be of seconds elsewhere, and one without is of ns.
  const bool has_unit = digits.find_first_not_of("0123456789.-") != std::string_view::npos;
  const bool is_offset =
      time && time->from == TimePoint::From::kOrigin && (has_unit || !digits.contains('.'));
  if (!is_offset) {
    return std::unexpected(
        fmt::format("'{}' is no offset such as -1500 (ns), 5us, 0.25s or 2h", number));
  }
  if (time->value > Nanoseconds(std::numeric_limits<std::int64_t>::max()) ||
      time->value < Nanoseconds(std::numeric_limits<std::int64_t>::min()))
    return std::unexpected(fmt::format("'{}' is more nanoseconds than 63 bits hold", number));
  const auto magnitude = static_cast<std::uint64_t>(time->value.magnitude());
  offset.nanoseconds =
      static_cast<std::int64_t>(time->value.negative() ? 0 - magnitude : magnitude);
  return offset;
}

std::expected<std::string, std::string> expression_of(const std::string& value,
                                                      std::vector<std::string>& read) {
  if (!value.starts_with('@')) return value;
  read.push_back(value.substr(1));
  return read_text(read.back(), query::kMaxTextSize, "an expression");
}

std::expected<HashKey, std::string> read_hash_key(const std::string& value) {
  if (const auto key = parse_hash_key(value)) return *key;
  constexpr std::uint64_t kMost = 4096;
  const auto text = read_text(value, kMost, "a file of a key");
  if (!text) return std::unexpected(text.error());
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  std::string digits = *text;
  std::erase_if(digits, is_space);
  if (const auto key = parse_hash_key(digits)) return *key;
  return std::unexpected(
      fmt::format("{}: a key is of 32 hexadecimal digits, or a file that holds them", value));
}

std::expected<std::vector<std::string>, std::string> read_traces(const std::string& path) {
  const auto text = read_text(path, kMaxListSize, "a list of TRACEs");
  if (!text) return std::unexpected(text.error());
  const char divider = text->contains('\0') ? '\0' : '\n';
  std::vector<std::string> traces;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = std::min(text->find(divider, begin), text->size());
    std::string trace = text->substr(begin, end - begin);
    if (const std::string_view wrong = wrong_in_list(trace); !wrong.empty()) {
      return std::unexpected(fmt::format("{}:{}: {}", path == "-" ? "standard input" : path,
                                         traces.size() + 1, wrong));
    }
    traces.push_back(std::move(trace));
    begin = end + 1;
  }
  return traces;
}

}  // namespace tracedeck::cli

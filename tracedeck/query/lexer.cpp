#include "tracedeck/query/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/model/units.hpp"

namespace tracedeck::query {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return begins_name(c) || is_digit(c); }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// Longest first, so that the first that fits is the one that is meant.
constexpr std::array<std::string_view, 34> kPunctuation = {
    "||", "&&", "==", "!=", "<=", ">=", "=~", "!~", "<<", ">>", "??", "..",
    "<",  ">",  "=",  "!",  "~",  "+",  "-",  "|",  "^",  "*",  "/",  "%",
    "&",  "(",  ")",  "[",  "]",  ",",  ".",  ":",  ";",  "@"};

// A decimal number as digits without its point, and how many of them stand behind it.
struct Decimal {
  Uint128 digits = 0;
  unsigned places = 0;
  bool too_long = false;
};

Decimal parse_decimal(std::string_view text) {
  Decimal result;
  bool behind_point = false;
  for (const char c : text) {
    if (c == '_') continue;
    if (c == '.') {
      behind_point = true;
      continue;
    }
    const auto digit = static_cast<Uint128>(c - '0');
    result.too_long = result.too_long ||
                      __builtin_mul_overflow(result.digits, Uint128{10}, &result.digits) ||
                      __builtin_add_overflow(result.digits, digit, &result.digits);
    result.places += behind_point ? 1 : 0;
  }
  return result;
}

}  // namespace

Error syntax_error(std::string_view text, Place place, std::string sentence) {
  const std::size_t begin = std::min<std::size_t>(place.begin, text.size());
  const std::size_t line_begin = text.rfind('\n', begin == 0 ? 0 : begin - 1);
  const std::size_t from = line_begin == std::string_view::npos || begin == 0 ? 0 : line_begin + 1;
  const std::size_t to = std::min(text.find('\n', begin), text.size());
  // A long line is shown in part.
  constexpr std::size_t kAround = 60;
  const std::size_t first = begin - from > kAround ? begin - kAround : from;
  const std::size_t last = std::min(to, begin + kAround);
  constexpr std::string_view kCut = "...";
  const std::string_view before = first == from ? "" : kCut;
  std::string shown = fmt::format("{}{}{}", before, repaired_utf8(text.substr(first, last - first)),
                                  last == to ? "" : kCut);
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  const auto characters = [](std::string_view of) {
    return std::ranges::count_if(
        of, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; });
  };
  const auto column =
      before.size() +
      static_cast<std::size_t>(characters(repaired_utf8(text.substr(first, begin - first))));
  const std::size_t width = std::clamp<std::size_t>(
      static_cast<std::size_t>(
          characters(text.substr(begin, std::min<std::size_t>(place.end, last) -
                                            std::min<std::size_t>(begin, place.end)))),
      1, kAround);
  return {.code = ErrorCode::kInvalidArgument,
          .message = fmt::format("{}\n    {}\n    {:>{}}{}", std::move(sentence), shown, "", column,
                                 std::string(width, '^'))};
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && begins_name(text.front()) && std::ranges::all_of(text, continues_name);
}

bool is_plain_path(std::string_view text) {
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    if (!is_plain_name(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_plain_name(text);
}

void Lexer::finish(Token::Kind kind) {
  token_.kind = kind;
  token_.place = {begin_, at_};
  token_.text = text_.substr(begin_, at_ - begin_);
}

Result<void> Lexer::read(bool operand_expected) {
  last_end_ = at_;
  while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r')))
    ++at_;
  begin_ = at_;
  if (at_ == text_.size()) {
    finish(Token::Kind::kEnd);
    return {};
  }
  const char c = text_[at_];
  if (is_digit(c)) return read_number();
  if (c == '"' || c == '\'') return read_string(c);
  if (c == '/' && operand_expected) return read_pattern();
  if (begins_name(c)) {
    read_name();
    return {};
  }
  const std::string_view rest = text_.substr(at_);
  const auto found = std::ranges::find_if(
      kPunctuation, [&](std::string_view each) { return rest.starts_with(each); });
  if (found == kPunctuation.end())
    return error({begin_, begin_ + 1}, "an expression has no such character");
  at_ += static_cast<std::uint32_t>(found->size());
  finish(Token::Kind::kPunctuation);
  return {};
}

void Lexer::read_name() {
  while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
  finish(Token::Kind::kName);
}

void Lexer::extend(std::string_view also) {
  while (at_ < text_.size() && (continues_name(text_[at_]) || also.contains(text_[at_]))) ++at_;
  finish(Token::Kind::kName);
}

Result<void> Lexer::read_number() {
  token_.quantity.reset();
  const auto skip_while = [&](auto belongs) {
    const std::uint32_t from = at_;
    while (at_ < text_.size() && (belongs(text_[at_]) || text_[at_] == '_')) ++at_;
    return text_.substr(from, at_ - from);
  };
  if (text_[at_] == '0' && at_ + 1 < text_.size() &&
      (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'b' || text_[at_ + 1] == 'o')) {
    const char kind = text_[at_ + 1];
    const unsigned shift = kind == 'x' ? 4 : kind == 'o' ? 3 : 1;
    at_ += 2;
    const std::string_view digits =
        skip_while([&](char c) { return digit_value(c) < (1 << shift); });
    Uint128 value = 0;
    for (const char c : digits) {
      if (c == '_') continue;
      if (value >> (128 - shift) != 0) return error({begin_, at_}, "numbers are at most 2^128-1");
      value = value << shift | static_cast<Uint128>(digit_value(c));
    }
    if (digits.empty() || (at_ < text_.size() && continues_name(text_[at_])))
      return error({begin_, at_ + 1}, fmt::format("digits are wanted after `0{}`", kind));
    token_.value = Integer::of(value, false);
    finish(Token::Kind::kNumber);
    return {};
  }
  skip_while(is_digit);
  // Two points are a range: `1..5`.
  if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
    ++at_;
    skip_while(is_digit);
  }
  const std::string_view mantissa = text_.substr(begin_, at_ - begin_);
  std::uint32_t number_end = at_;
  bool has_exponent = false;
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    std::uint32_t digits = at_ + 1;
    if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
    if (digits < text_.size() && is_digit(text_[digits])) {
      has_exponent = true;
      at_ = digits;
      skip_while(is_digit);
      number_end = at_;
    }
  }
  const std::string_view unit_name = skip_while(continues_name);
  std::uint64_t factor = 1;
  if (!unit_name.empty()) {
    const auto unit = scale_of_unit(unit_name == "m" ? "min" : unit_name);
    if (!unit) {
      return error(
          {number_end, at_},
          fmt::format("`{}` is no unit; there are ns us ms s m min h and B kB MB GB KiB MiB GiB",
                      repaired_utf8(unit_name)));
    }
    factor = unit->factor;
    token_.quantity = unit->quantity;
  }
  Decimal decimal = parse_decimal(mantissa);
  // What unit and places have in common must not overflow.
  std::uint64_t scale = factor;
  for (; decimal.places > 0 && scale % 10 == 0; --decimal.places) scale /= 10;
  Uint128 scaled = 0;
  if (!has_exponent && !decimal.too_long &&
      !__builtin_mul_overflow(decimal.digits, Uint128{scale}, &scaled)) {
    unsigned places = decimal.places;
    while (places > 0 && scaled % 10 == 0) {
      scaled /= 10;
      --places;
    }
    // `1.0` is a real, `1.0s` a count of nanoseconds.
    if (places == 0 && (decimal.places == 0 || !unit_name.empty())) {
      token_.value = Integer::of(scaled, false);
      finish(Token::Kind::kNumber);
      return {};
    }
  } else if (!has_exponent && decimal.places == 0) {
    return error({begin_, at_}, "numbers are at most 2^128-1");
  }
  std::string digits(text_.substr(begin_, number_end - begin_));
  std::erase(digits, '_');
  double real = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), real);
  if (parsed.ec != std::errc{})
    return error({begin_, at_}, "the number is beyond the range of reals");
  token_.value = real * static_cast<double>(factor);
  finish(Token::Kind::kNumber);
  return {};
}

Result<void> Lexer::read_string(char quote) {
  std::string value;
  ++at_;
  while (at_ < text_.size() && text_[at_] != quote) {
    if (text_[at_] == '\\') {
      if (auto read = read_escape(value); !read) return read;
    } else {
      value.push_back(text_[at_++]);
    }
  }
  if (at_ == text_.size()) return error({begin_, begin_ + 1}, "the text has no closing quote");
  ++at_;
  token_.value = std::move(value);
  finish(Token::Kind::kString);
  return {};
}

Result<void> Lexer::read_escape(std::string& into) {
  const std::uint32_t from = at_++;
  const char c = at_ < text_.size() ? text_[at_++] : ' ';
  constexpr std::pair<char, char> kEscapes[] = {{'n', '\n'},  {'t', '\t'}, {'r', '\r'}, {'0', '\0'},
                                                {'\\', '\\'}, {'"', '"'},  {'\'', '\''}};
  for (const auto& [letter, meaning] : kEscapes) {
    if (letter == c) {
      into.push_back(meaning);
      return {};
    }
  }
  if (c == 'x' && at_ + 1 < text_.size()) {
    const int high = digit_value(text_[at_]);
    const int low = digit_value(text_[at_ + 1]);
    if (high < 16 && low < 16) {
      at_ += 2;
      into.push_back(static_cast<char>(high << 4 | low));
      return {};
    }
  }
  return error(
      {from, at_},
      R"(no such escape; there are \n \t \r \0 \\ \" \' and \x with two hexadecimal digits)");
}

Result<void> Lexer::read_pattern() {
  Pattern pattern;
  ++at_;
  while (at_ < text_.size() && text_[at_] != '/') {
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
      if (text_[at_ + 1] != '/') pattern.text.push_back('\\');
      ++at_;
    }
    pattern.text.push_back(text_[at_++]);
  }
  if (at_ == text_.size()) return error({begin_, begin_ + 1}, "the pattern has no closing `/`");
  ++at_;
  if (at_ < text_.size() && text_[at_] == 'i') {
    pattern.ignores_case = true;
    ++at_;
  }
  if (at_ < text_.size() && continues_name(text_[at_]))
    return error({at_, at_ + 1}, "behind a pattern only `i` may stand: ignore case");
  token_.value = std::move(pattern);
  finish(Token::Kind::kPattern);
  return {};
}

std::unexpected<Error> Lexer::unclosed(std::uint32_t begin, char wanted) const {
  return error({begin, begin + 1}, fmt::format("no `{}` closes what begins here", wanted));
}

}  // namespace tracedeck::query

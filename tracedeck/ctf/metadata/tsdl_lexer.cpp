#include "tracedeck/ctf/metadata/tsdl_lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tracedeck::ctf::tsdl {
namespace {

constexpr std::array<std::string_view, 28> kKeywords = {
    "_Bool",  "_Complex", "_Imaginary", "align",   "callsite", "char",    "clock",
    "const",  "double",   "enum",       "env",     "event",    "float",   "floating_point",
    "int",    "integer",  "long",       "short",   "signed",   "stream",  "string",
    "struct", "trace",    "typealias",  "typedef", "unsigned", "variant", "void"};
static_assert(std::ranges::is_sorted(kKeywords));

// Longer ones first.
constexpr std::array<std::string_view, 18> kPunctuators = {
    "...", ":=", "->", "[", "]", "(", ")", "{", "}", ".", "*", "+", "-", "<", ">", ":", ";", "="};

constexpr std::array<std::pair<char, char>, 11> kSimpleEscapes = {{{'\'', '\''},
                                                                   {'"', '"'},
                                                                   {'?', '?'},
                                                                   {'\\', '\\'},
                                                                   {'a', '\a'},
                                                                   {'b', '\b'},
                                                                   {'f', '\f'},
                                                                   {'n', '\n'},
                                                                   {'r', '\r'},
                                                                   {'t', '\t'},
                                                                   {'v', '\v'}}};

constexpr Uint128 kMostInteger = ~Uint128{0};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_word(char c) { return begins_word(c) || is_digit(c); }

// The value of a digit of base up to 16; 16 for what is none.
unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

void append_utf8(std::string& into, std::uint32_t code_point) {
  const auto add = [&](std::uint32_t byte) { into += static_cast<char>(byte); };
  if (code_point < 0x80) {
    add(code_point);
    return;
  }
  if (code_point < 0x800) {
    add(0xC0 | code_point >> 6);
  } else {
    if (code_point < 0x10000) {
      add(0xE0 | code_point >> 12);
    } else {
      add(0xF0 | code_point >> 18);
      add(0x80 | (code_point >> 12 & 0x3F));
    }
    add(0x80 | (code_point >> 6 & 0x3F));
  }
  add(0x80 | (code_point & 0x3F));
}

// A byte of the text as a message shows it.
std::string show(char c) {
  if (c >= ' ' && c <= '~') return fmt::format("`{}`", c);
  return fmt::format("byte {:02X}", static_cast<unsigned char>(c));
}

}  // namespace

bool is_keyword(std::string_view word) { return std::ranges::binary_search(kKeywords, word); }

Token Lexer::token(TokenKind kind, std::size_t begin, std::string text) {
  const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(at_ - begin, UINT32_MAX));
  return {.kind = kind, .place = {offset_ + begin, length}, .text = std::move(text)};
}

void Lexer::report(std::size_t begin, std::string_view text) {
  findings_.report(TsdlRule::kLexical, token(TokenKind::kBroken, begin, {}).place, text);
}

bool Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (peek() == '/' && peek(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (peek() == '/' && peek(1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) {
        report(at_, "this comment does not end; `*/` was expected");
        at_ = text_.size();
        return false;
      }
      at_ = end + 2;
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!skip_blanks()) return token(TokenKind::kBroken, at_, {});
  const std::size_t begin = at_;
  if (at_ == text_.size()) return token(TokenKind::kEnd, begin, {});
  const char c = text_[at_];
  if (c == '"' || c == '\'') return quoted(begin);
  if (c == 'L' && (peek(1) == '"' || peek(1) == '\'')) {
    ++at_;
    return quoted(begin);
  }
  if (begins_word(c) || c == '\\') return word(begin);
  if (is_digit(c)) return number(begin);
  if (c == ',') {
    ++at_;
    return token(TokenKind::kPunctuator, begin, ",");
  }
  const std::string_view rest = text_.substr(at_);
  const auto found = std::ranges::find_if(
      kPunctuators, [&](std::string_view punctuator) { return rest.starts_with(punctuator); });
  if (found == kPunctuators.end()) {
    ++at_;
    report(begin, fmt::format("{} begins no token", show(c)));
    return token(TokenKind::kBroken, begin, {});
  }
  at_ += found->size();
  return token(TokenKind::kPunctuator, begin, std::string(*found));
}

Token Lexer::word(std::size_t begin) {
  std::string text;
  while (at_ < text_.size()) {
    if (continues_word(text_[at_])) {
      text += text_[at_++];
    } else if (text_[at_] == '\\' && (peek(1) == 'u' || peek(1) == 'U')) {
      const std::size_t digits = peek(1) == 'u' ? 4 : 8;
      at_ += 2;
      if (!universal(digits, text)) return token(TokenKind::kBroken, begin, {});
    } else {
      break;
    }
  }
  if (at_ == begin) {
    ++at_;
    report(begin, "`\\` begins no token");
    return token(TokenKind::kBroken, begin, {});
  }
  return token(TokenKind::kWord, begin, std::move(text));
}

Token Lexer::number(std::size_t begin) {
  unsigned base = 10;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    base = 16;
    at_ += 2;
  } else if (peek() == '0') {
    base = 8;
  }
  const std::size_t digits = at_;
  Uint128 value = 0;
  bool fits = true;
  for (; at_ < text_.size() && digit_value(text_[at_]) < base; ++at_) {
    const auto digit = static_cast<Uint128>(digit_value(text_[at_]));
    fits = fits && value <= (kMostInteger - digit) / base;
    if (fits) value = value * base + digit;
  }
  bool valid = at_ != digits;
  const std::size_t suffix = at_;
  while (continues_word(peek())) ++at_;
  std::string letters(text_.substr(suffix, at_ - suffix));
  std::ranges::transform(letters, letters.begin(), [](char c) { return c == 'U' ? 'u' : c; });
  constexpr std::array<std::string_view, 14> kSuffixes = {
      "", "u", "l", "L", "ul", "uL", "lu", "Lu", "ll", "LL", "ull", "uLL", "llu", "LLu"};
  valid = valid && std::ranges::find(kSuffixes, letters) != kSuffixes.end();
  if (!valid || !fits) {
    report(begin,
           valid ? "this integer does not fit in 128 bits"
                 : fmt::format("`{}` is not an integer of base {}",
                               text_.substr(begin, std::min<std::size_t>(at_ - begin, 40)), base));
    return token(TokenKind::kBroken, begin, {});
  }
  Token result = token(TokenKind::kInteger, begin, {});
  result.value = Integer(value, false);
  return result;
}

Token Lexer::quoted(std::size_t begin) {
  const char quote = text_[at_++];
  std::string text;
  bool valid = true;
  while (peek() != quote || at_ >= text_.size()) {
    if (at_ >= text_.size() || text_[at_] == '\n') {
      report(begin, "this string does not end on its line");
      return token(TokenKind::kBroken, begin, {});
    }
    if (text_[at_] == '\\') {
      valid = escape(text) && valid;
    } else if (text_[at_] == '\0') {
      report(at_, "a string must not hold the byte 00");
      valid = false;
      ++at_;
    } else {
      text += text_[at_++];
    }
  }
  ++at_;
  if (!valid) return token(TokenKind::kBroken, begin, {});
  return token(TokenKind::kString, begin, std::move(text));
}

bool Lexer::escape(std::string& into) {
  const std::size_t begin = at_++;
  const char c = peek();
  const auto* const simple = std::ranges::find(kSimpleEscapes, c, &std::pair<char, char>::first);
  if (simple != kSimpleEscapes.end()) {
    ++at_;
    into += simple->second;
    return true;
  }
  if (c == 'u' || c == 'U') {
    ++at_;
    return universal(c == 'u' ? 4 : 8, into);
  }
  // Three digits at most, and of what they come to the lowest 8 bits, as babeltrace2 has it.
  constexpr std::size_t kMostDigits = 3;
  const bool hexadecimal = c == 'x';
  if (hexadecimal) ++at_;
  const unsigned base = hexadecimal ? 16 : 8;
  const std::size_t digits = at_;
  unsigned value = 0;
  while (digit_value(peek()) < base && at_ - digits < kMostDigits)
    value = value * base + digit_value(text_[at_++]);
  if (at_ == digits) {
    if (!hexadecimal && at_ < text_.size() && text_[at_] != '\n') ++at_;
    report(begin, fmt::format("`{}` is not an escape sequence of a byte",
                              text_.substr(begin, at_ - begin)));
    return false;
  }
  into += static_cast<char>(value & 0xFF);
  return true;
}

bool Lexer::universal(std::size_t digits, std::string& into) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const unsigned digit = digit_value(peek());
    if (digit > 15) {
      report(at_, fmt::format("a universal character name has {} hexadecimal digits", digits));
      return false;
    }
    value = value << 4 | digit;
    ++at_;
  }
  if (value == 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
    report(at_ - digits, fmt::format("{:X} is not a Unicode character", value));
    return false;
  }
  append_utf8(into, value);
  return true;
}

std::optional<std::size_t> DeclarationSplitter::find_end(std::string_view text) {
  while (at_ < text.size()) {
    const std::size_t taken = step(text.substr(at_));
    if (taken == 0) return std::nullopt;
    at_ += taken;
    if (ended_) {
      const std::size_t length = at_;
      *this = DeclarationSplitter();
      return length;
    }
  }
  return std::nullopt;
}

std::size_t DeclarationSplitter::step(std::string_view rest) {
  const char c = rest[0];
  switch (state_) {
    case State::kLineComment:
      if (c == '\n') state_ = State::kCode;
      return 1;
    case State::kBlockComment: {
      const std::size_t star = rest.find('*');
      if (star != 0) return std::min(star, rest.size());
      if (rest.size() < 2) return 0;
      if (rest[1] != '/') return 1;
      state_ = State::kCode;
      return 2;
    }
    case State::kString:
    case State::kCharacter:
      if (c == '\\') return rest.size() < 2 ? 0 : (rest[1] == '\n' ? 1 : 2);
      if (c == '\n' || c == (state_ == State::kString ? '"' : '\'')) state_ = State::kCode;
      return 1;
    case State::kCode:
      break;
  }
  if (c == '/') {
    if (rest.size() < 2) return 0;
    if (rest[1] != '/' && rest[1] != '*') return 1;
    state_ = rest[1] == '/' ? State::kLineComment : State::kBlockComment;
    return 2;
  }
  if (c == '"') state_ = State::kString;
  if (c == '\'') state_ = State::kCharacter;
  if (c == '{') ++depth_;
  if (c == '}' && depth_ > 0) --depth_;
  ended_ = c == ';' && depth_ == 0;
  return 1;
}

}  // namespace tracedeck::ctf::tsdl

// The tokens of TSDL (CTF 1.8.3, C.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tracedeck/ctf/metadata/tsdl_text.hpp"
#include "tracedeck/model/field_class.hpp"

namespace tracedeck::ctf::tsdl {

enum class TokenKind : std::uint8_t {
  kWord,        // identifier or keyword
  kInteger,     // `value`
  kString,      // string literal or character constant: `text` is what it stands for
  kPunctuator,  // `text`
  kEnd,         // the text ends
  kBroken,      // no token; a finding says so already
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Place place = {};
  std::string text = {};
  Integer value = 0;

  [[nodiscard]] bool is(std::string_view punctuator) const {
    return kind == TokenKind::kPunctuator && text == punctuator;
  }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return kind == TokenKind::kWord && text == word;
  }
};

[[nodiscard]] bool is_keyword(std::string_view word);

// Tokens of one piece of text, front to back. Not owning.
class Lexer {
 public:
  // `offset`: of `text` in the whole text.
  Lexer(std::string_view text, std::uint64_t offset, TextFindings& findings)
      : text_(text), offset_(offset), findings_(findings) {}

  [[nodiscard]] Token next();

 private:
  [[nodiscard]] bool skip_blanks();
  [[nodiscard]] Token word(std::size_t begin);
  [[nodiscard]] Token number(std::size_t begin);
  [[nodiscard]] Token quoted(std::size_t begin);
  [[nodiscard]] bool escape(std::string& into);
  [[nodiscard]] bool universal(std::size_t digits, std::string& into);
  [[nodiscard]] Token token(TokenKind kind, std::size_t begin, std::string text);
  void report(std::size_t begin, std::string_view text);
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  std::string_view text_;
  std::uint64_t offset_;
  TextFindings& findings_;
  std::size_t at_ = 0;
};

// Finds where top-level declarations end, as text arrives.
class DeclarationSplitter {
 public:
  // Goes on in `text`, which begins where the declaration at hand begins; what was looked at before
  // is not looked at again. Returns the length of the declaration with its `;`, or nothing if it
  // goes on behind `text`. Then the next call is about the text behind it.
  [[nodiscard]] std::optional<std::size_t> find_end(std::string_view text);

 private:
  enum class State : std::uint8_t { kCode, kLineComment, kBlockComment, kString, kCharacter };

  // Returns how many bytes it took, 0 for more text.
  [[nodiscard]] std::size_t step(std::string_view rest);

  std::size_t at_ = 0;
  std::size_t depth_ = 0;  // of braces
  State state_ = State::kCode;
  bool ended_ = false;
};

}  // namespace tracedeck::ctf::tsdl

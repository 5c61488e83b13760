// Words of an expression: names, numbers with units, strings, patterns, and punctuation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/base/error.hpp"
#include "tracedeck/model/units.hpp"
#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

struct Token {
  enum class Kind : std::uint8_t { kEnd, kName, kNumber, kString, kPattern, kPunctuation };
  Kind kind = Kind::kEnd;
  Place place = {};
  std::string_view text = {};             // as it is written
  Literal value = false;                  // of numbers, strings and patterns
  std::optional<Quantity> quantity = {};  // of a number with a unit: ns or bytes

  [[nodiscard]] bool is(std::string_view punctuation) const {
    return kind == Kind::kPunctuation && text == punctuation;
  }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return kind == Kind::kName && text == word;
  }
};

// An error about a place in `text`: the sentence, the line with that place, and a caret under it.
[[nodiscard]] Error syntax_error(std::string_view text, Place place, std::string sentence);

// Reads the words of a text one by one, the next of them always in view. The text must outlive it.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // The word at the front. `/` begins a pattern where an operand is expected, and divides
  // elsewhere; likewise a quote, a digit or a name are what they are everywhere.
  [[nodiscard]] Result<void> read(bool operand_expected);
  [[nodiscard]] const Token& token() const { return token_; }
  // Makes the word at the front a name, together with what touches it from behind: letters, digits
  // and the characters of `also`.
  void extend(std::string_view also);
  // Where the word before the one at the front ended.
  [[nodiscard]] std::uint32_t last_end() const { return last_end_; }
  [[nodiscard]] std::string_view text() const { return text_; }

  [[nodiscard]] std::unexpected<Error> error(Place place, std::string sentence) const {
    return std::unexpected(syntax_error(text_, place, std::move(sentence)));
  }
  // That `wanted`, a bracket, does not follow the one at `begin`.
  [[nodiscard]] std::unexpected<Error> unclosed(std::uint32_t begin, char wanted = ')') const;

 private:
  Result<void> read_number();
  Result<void> read_string(char quote);
  Result<void> read_pattern();
  Result<void> read_escape(std::string& into);
  void read_name();
  void finish(Token::Kind kind);

  std::string_view text_;
  std::uint32_t begin_ = 0;  // of the token at the front
  std::uint32_t at_ = 0;     // behind it
  std::uint32_t last_end_ = 0;
  Token token_;
};

// Whether `text` can stand in an expression as a bare name.
[[nodiscard]] bool is_plain_name(std::string_view text);
// Whether it can, taken apart at its dots: `http.status`.
[[nodiscard]] bool is_plain_path(std::string_view text);

}  // namespace tracedeck::query

// Paths: from the words of an expression that name a field, and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/lexer.hpp"

namespace tracedeck::query {

// Reads the paths of one expression. The lexer must outlive it. Errors: kInvalidArgument, with a
// caret under the place.
class PathParser {
 public:
  explicit PathParser(Lexer& lexer) : lexer_(lexer) {}

  // The path that begins with the word at the front.
  [[nodiscard]] Result<Path> path();
  // What follows of a path whose first name was read.
  [[nodiscard]] Result<void> read_steps(Path& path);

  // The paths up to `end_each` stand in a call of any() or all(), and those with [*] go through one
  // array. Returns whether they do not in one already.
  [[nodiscard]] bool begin_each();
  // Returns whether one of them had a [*].
  [[nodiscard]] bool end_each();

 private:
  [[nodiscard]] const Token& front() const { return lexer_.token(); }
  [[nodiscard]] Result<void> advance(bool operand_expected) {
    return lexer_.read(operand_expected);
  }
  [[nodiscard]] Result<void> begin_path(Path& path, std::string_view name);
  [[nodiscard]] Result<Root> part_of_context(bool any);
  [[nodiscard]] Result<void> read_member(Path& path);
  [[nodiscard]] Result<void> read_bracket(Path& path);
  [[nodiscard]] Result<void> note_each(const Path& array);

  Lexer& lexer_;
  bool in_each_ = false;
  std::size_t each_paths_ = 0;  // in the call at hand
  std::string each_array_ = {};
};

// As it is written in an expression.
[[nodiscard]] std::string to_string(const Path& path);

}  // namespace tracedeck::query

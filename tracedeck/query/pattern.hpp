// Texts that an expression looks for: globs and regular expressions.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

// Matches in time proportional to the text. May be used by several threads.
class TextMatcher {
 public:
  virtual ~TextMatcher() = default;
  [[nodiscard]] virtual bool matches(std::string_view text) const = 0;
  // Bytes that a regular expression may take, its states included.
  [[nodiscard]] virtual std::size_t memory() const { return 0; }
};
using TextMatcherPtr = std::shared_ptr<const TextMatcher>;

// The whole text, where `*` stands for any bytes, `?` for one character, and a backslash takes the
// meaning off what follows.
[[nodiscard]] Result<TextMatcherPtr> glob_matcher(std::string_view glob);

// Any part of the text: a regular expression in the syntax of RE2. Errors: kInvalidArgument with
// what RE2 has against it, also that it takes more than 8 MiB.
[[nodiscard]] Result<TextMatcherPtr> pattern_matcher(const Pattern& pattern);

}  // namespace tracedeck::query

#include "tracedeck/query/pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "tracedeck/base/utf8.hpp"

namespace tracedeck::query {
namespace {

// A glob without `?`: pieces of text in this order, with anything between them.
class PiecesMatcher final : public TextMatcher {
 public:
  explicit PiecesMatcher(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}

  [[nodiscard]] bool matches(std::string_view text) const override {
    if (pieces_.size() == 1) return text == pieces_.front();
    if (!text.starts_with(pieces_.front())) return false;
    text.remove_prefix(pieces_.front().size());
    if (!text.ends_with(pieces_.back())) return false;
    text.remove_suffix(pieces_.back().size());
    for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
      const std::size_t found = text.find(pieces_[i]);
      if (found == std::string_view::npos) return false;
      text.remove_prefix(found + pieces_[i].size());
    }
    return true;
  }

 private:
  std::vector<std::string> pieces_;  // never empty
};

class PartMatcher final : public TextMatcher {
 public:
  explicit PartMatcher(std::string part) : part_(std::move(part)) {}
  [[nodiscard]] bool matches(std::string_view text) const override { return text.contains(part_); }

 private:
  std::string part_;
};

class RegularExpression final : public TextMatcher {
 public:
  RegularExpression(std::string_view pattern, const RE2::Options& options, bool whole)
      : expression_(re2::StringPiece(pattern.data(), pattern.size()), options), whole_(whole) {}

  [[nodiscard]] const RE2& expression() const { return expression_; }
  [[nodiscard]] std::size_t memory() const override {
    return static_cast<std::size_t>(expression_.options().max_mem());
  }
  [[nodiscard]] bool matches(std::string_view text) const override {
    const re2::StringPiece piece(text.data(), text.size());
    return whole_ ? RE2::FullMatch(piece, expression_) : RE2::PartialMatch(piece, expression_);
  }

 private:
  RE2 expression_;
  bool whole_;
};

constexpr std::int64_t kLeastMemory = std::int64_t{256} << 10;
constexpr std::int64_t kMostMemory = std::int64_t{8} << 20;

Result<TextMatcherPtr> regular_expression(std::string_view pattern, bool ignores_case, bool whole) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!ignores_case);
  if (whole) options.set_dot_nl(true);
  // Of a glob that is no UTF-8 each byte is a character.
  if (whole && !is_valid_utf8(pattern)) options.set_encoding(RE2::Options::EncodingLatin1);
  // As little as it can do with: what several may take is limited.
  for (std::int64_t memory = kLeastMemory;; memory *= 2) {
    options.set_max_mem(memory);
    auto made = std::make_shared<RegularExpression>(pattern, options, whole);
    if (made->expression().ok()) return made;
    if (memory == kMostMemory || made->expression().error_code() != RE2::ErrorPatternTooLarge)
      return fail(ErrorCode::kInvalidArgument,
                  "the regular expression is not understood: " + made->expression().error());
  }
}

bool is_literal(std::string_view pattern) {
  return pattern.find_first_of("\\^$.|?*+()[]{}") == std::string_view::npos;
}

}  // namespace

Result<TextMatcherPtr> glob_matcher(std::string_view glob) {
  std::vector<std::string> pieces(1);
  std::string pattern;
  bool has_single = false;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '*') {
      // Several stars mean what one does.
      if (pieces.size() == 1 || !pieces.back().empty()) pieces.emplace_back();
      pattern += ".*";
      continue;
    }
    if (glob[i] == '?') {
      has_single = true;
      pattern += '.';
      continue;
    }
    if (glob[i] == '\\' && i + 1 < glob.size()) ++i;
    pieces.back() += glob[i];
    pattern += RE2::QuoteMeta(re2::StringPiece(&glob[i], 1));
  }
  if (has_single) return regular_expression(pattern, false, true);
  return std::make_shared<PiecesMatcher>(std::move(pieces));
}

Result<TextMatcherPtr> pattern_matcher(const Pattern& pattern) {
  if (!pattern.ignores_case && is_literal(pattern.text))
    return std::make_shared<PartMatcher>(pattern.text);
  return regular_expression(pattern.text, pattern.ignores_case, false);
}

}  // namespace tracedeck::query

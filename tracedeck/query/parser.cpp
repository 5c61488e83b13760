#include "tracedeck/query/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "tracedeck/model/log_level.hpp"
#include "tracedeck/query/aggregate.hpp"
#include "tracedeck/query/path_parser.hpp"
#include "tracedeck/query/vocabulary.hpp"

namespace tracedeck::query {
namespace {

// Whether the value may be true or false: of a field only an event class knows.
bool may_be_truth(const Expression& expression) {
  const Operator operation = expression.operation;
  if (operation == Operator::kLiteral) return std::holds_alternative<bool>(expression.literal);
  if (operation == Operator::kPath) return expression.path.root < Root::kStream;
  if (operation == Operator::kCoalesce)
    return std::ranges::any_of(expression.operands,
                               [](const ExpressionPtr& each) { return may_be_truth(*each); });
  return operation <= Operator::kIn || operation == Operator::kHas || operation == Operator::kAny ||
         operation == Operator::kAll;
}

// A number or a text, or a range of them.
bool is_literal(const Expression& expression) {
  const Operator operation = expression.operation;
  if (operation == Operator::kNegate || operation == Operator::kRange)
    return std::ranges::all_of(expression.operands,
                               [](const ExpressionPtr& each) { return is_literal(*each); });
  return operation == Operator::kLiteral;
}

// Beside `loglevel` the name of a level, as a word or a text, is its number.
void name_level(const Expression& beside, ExpressionPtr& named) {
  if (beside.operation != Operator::kPath || beside.path.root != Root::kLogLevel) return;
  std::string_view name;
  if (named->operation == Operator::kPath) {
    const Path& path = named->path;
    if (path.root == Root::kAnyField && path.steps.size() == 1) name = path.steps.front().name;
  } else if (const auto* const text = std::get_if<std::string>(&named->literal)) {
    name = *text;
  }
  const auto level = log_level_of_name(name);
  if (!level) return;
  named = std::make_unique<const Expression>(
      Expression{.place = named->place, .literal = Integer::from(std::uint64_t{*level})});
}

template <std::size_t N>
const Word* find(const std::array<Word, N>& words, const Token& token) {
  if (token.kind != Token::Kind::kPunctuation && token.kind != Token::Kind::kName) return nullptr;
  const auto found = std::ranges::find(words, token.text, &Word::text);
  return found == words.end() ? nullptr : &*found;
}

class Parser {
 public:
  Parser(Lexer& lexer, ParserOptions options) : lexer_(lexer), options_(options) {}

  Result<ExpressionPtr> expression() {
    return chain("||", "or", Operator::kOr, &Parser::conjunction);
  }

  Result<ExpressionPtr> condition(Result<ExpressionPtr> parsed) {
    if (!parsed || may_be_truth(**parsed)) return parsed;
    return lexer_.error((*parsed)->place,
                        "a condition is wanted, and this is never true or false; compare it, as in "
                        "`len(name) != 0`");
  }

 private:
  using Level = Result<ExpressionPtr> (Parser::*)();

  [[nodiscard]] const Token& front() const { return lexer_.token(); }
  [[nodiscard]] Result<void> advance(bool operand_expected) {
    return lexer_.read(operand_expected);
  }

  [[nodiscard]] Result<ExpressionPtr> make(Expression expression, std::uint32_t begin) {
    expression.place = {begin, lexer_.last_end()};
    for (const ExpressionPtr& operand : expression.operands) {
      expression.depth = std::max(expression.depth, operand->depth + 1);
    }
    if (++parts_ > kMaxParts)
      return lexer_.error(expression.place,
                          fmt::format("the expression has more than {} parts; many values to "
                                      "compare with stand in a list, `x in [1, 2, 3]`",
                                      kMaxParts));
    if (expression.depth > kMaxDepth) {
      return lexer_.error(expression.place,
                          fmt::format("the expression is nested more than {} deep", kMaxDepth));
    }
    return std::make_unique<const Expression>(std::move(expression));
  }

  [[nodiscard]] Result<ExpressionPtr> make(Operator operation, std::uint32_t begin,
                                           ExpressionPtr first, ExpressionPtr second = nullptr) {
    Expression expression{.operation = operation};
    expression.operands.push_back(std::move(first));
    if (second != nullptr) expression.operands.push_back(std::move(second));
    return make(std::move(expression), begin);
  }

  // Operands joined by one operator any number of times, as one level of the tree.
  Result<ExpressionPtr> chain(std::string_view sign, std::string_view word, Operator operation,
                              Level level) {
    const std::uint32_t begin = front().place.begin;
    auto first = (this->*level)();
    if (!first || !(front().is(sign) || front().is_word(word))) return first;
    const auto checked = [&](Result<ExpressionPtr> operand) {
      return operation == Operator::kCoalesce ? std::move(operand) : condition(std::move(operand));
    };
    first = checked(std::move(first));
    if (!first) return first;
    Expression joined{.operation = operation};
    joined.operands.push_back(*std::move(first));
    while (front().is(sign) || front().is_word(word)) {
      if (auto read = advance(true); !read) return std::unexpected(read.error());
      auto next = checked((this->*level)());
      if (!next) return next;
      joined.operands.push_back(*std::move(next));
    }
    return make(std::move(joined), begin);
  }

  Result<ExpressionPtr> conjunction() {
    return chain("&&", "and", Operator::kAnd, &Parser::negation);
  }

  // Every way back into the grammar passes here or through `unary`: the nesting of both is bounded
  // before the stack is used up.
  Result<ExpressionPtr> negation() {
    const std::uint32_t begin = front().place.begin;
    if (!front().is("!") && !front().is_word("not")) return comparison();
    const Nested nested(*this);
    if (nested.too_deep()) return too_deep();
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto operand = condition(negation());
    if (!operand) return operand;
    return make(Operator::kNot, begin, *std::move(operand));
  }

  Result<ExpressionPtr> comparison() {
    const std::uint32_t begin = front().place.begin;
    auto left = sum();
    if (!left) return left;
    if (front().is("=")) return lexer_.error(front().place, "`=` is no comparison; write `==`");
    if (front().is_word("in") || front().is_word("not")) return membership(begin, *std::move(left));
    const Word* const word = find(kComparisons, front());
    if (word == nullptr) return left;
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    // `!~` is the opposite of both.
    const bool is_glob = word->text == "!~" && front().kind == Token::Kind::kString;
    const Operator operation = is_glob ? Operator::kGlob : word->operation;
    auto right = operation == Operator::kMatches ? pattern(word->text) : sum();
    if (!right) return right;
    if (find(kComparisons, front()) != nullptr || front().is_word("in"))
      return lexer_.error(front().place, "comparisons do not chain; join them by `&&`");
    if (operation <= Operator::kGreaterOrEqual) {
      name_level(**left, *right);
      name_level(**right, *left);
    }
    auto result = make(operation, begin, *std::move(left), *std::move(right));
    if (result && word->text == "!~") return make(Operator::kNot, begin, *std::move(result));
    return result;
  }

  Result<ExpressionPtr> pattern(std::string_view sign) {
    if (front().kind == Token::Kind::kPattern) return literal(front().value);
    return lexer_.error(
        front().place,
        sign == "=~" ? "behind `=~` a pattern is wanted: /regular expression/; a glob, \"ab*\", "
                       "stands behind `~`"
                     : "behind `!~` a pattern is wanted: /regular expression/, or a glob: \"ab*\"");
  }

  Result<ExpressionPtr> membership(std::uint32_t begin, ExpressionPtr left) {
    const bool negated = front().is_word("not");
    if (negated) {
      if (auto read = advance(false); !read) return std::unexpected(read.error());
      if (!front().is_word("in"))
        return lexer_.error(front().place, "`in` is wanted behind `not` here");
    }
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    if (!front().is("["))
      return lexer_.error(front().place, "a list is wanted behind `in`: [1, 5..9]");
    Expression result{.operation = Operator::kIn};
    result.operands.push_back(std::move(left));
    const Inside inside(*this);
    do {
      if (auto read = advance(true); !read) return std::unexpected(read.error());
      const std::size_t parts = parts_;
      auto item = list_item(*result.operands.front());
      if (!item) return item;
      if (is_literal(**item)) {
        parts_ = parts;
        if (++list_items_ > kMaxListItems)
          return lexer_.error((*item)->place, fmt::format("the lists of an expression have more "
                                                          "than {} items",
                                                          kMaxListItems));
      }
      result.operands.push_back(*std::move(item));
    } while (front().is(","));
    if (!front().is("]")) return lexer_.error(front().place, "`,` or `]` is wanted");
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    auto made = make(std::move(result), begin);
    if (made && negated) return make(Operator::kNot, begin, *std::move(made));
    return made;
  }

  // Of a list in which `wanted` is looked for.
  Result<ExpressionPtr> list_item(const Expression& wanted) {
    const std::uint32_t begin = front().place.begin;
    auto first = sum();
    if (first) name_level(wanted, *first);
    if (!first || !front().is("..")) return first;
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto last = sum();
    if (!last) return last;
    name_level(wanted, *last);
    return make(Operator::kRange, begin, *std::move(first), *std::move(last));
  }

  template <std::size_t N>
  Result<ExpressionPtr> operations(const std::array<Word, N>& words, Level level) {
    const std::uint32_t begin = front().place.begin;
    auto left = (this->*level)();
    while (left) {
      const Word* const word = find(words, front());
      if (word == nullptr || (word->operation == Operator::kBitOr && parentheses_ == 0)) break;
      if (auto read = advance(true); !read) return std::unexpected(read.error());
      auto right = (this->*level)();
      if (!right) return right;
      left = make(word->operation, begin, *std::move(left), *std::move(right));
    }
    return left;
  }

  Result<ExpressionPtr> sum() { return operations(kSums, &Parser::product); }
  Result<ExpressionPtr> product() { return operations(kProducts, &Parser::unary); }

  Result<ExpressionPtr> unary() {
    const std::uint32_t begin = front().place.begin;
    const bool negates = front().is("-");
    if (!negates && !front().is("~")) return coalesced();
    const Nested nested(*this);
    if (nested.too_deep()) return too_deep();
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto operand = unary();
    if (!operand) return operand;
    return make(negates ? Operator::kNegate : Operator::kComplement, begin, *std::move(operand));
  }

  Result<ExpressionPtr> coalesced() {
    return chain("??", {}, Operator::kCoalesce, &Parser::primary);
  }

  Result<ExpressionPtr> primary() {
    const std::uint32_t begin = front().place.begin;
    switch (front().kind) {
      case Token::Kind::kNumber:
        return literal(front().value, front().quantity);
      case Token::Kind::kString:
        return literal(front().value);
      case Token::Kind::kPattern:
        return lexer_.error(front().place, "a pattern stands behind `=~` or `!~` only");
      case Token::Kind::kName:
        if (front().text == "true" || front().text == "false")
          return literal(front().text == "true");
        return name();
      case Token::Kind::kPunctuation:
        if (front().is("(")) return parenthesis();
        if (front().is(".")) return field(begin);
        if (front().is("@"))
          return lexer_.error(front().place, "`@FILE` stands for a whole expression");
        break;
      case Token::Kind::kEnd:
        return lexer_.error(front().place, "the expression ends where a value is wanted");
    }
    return lexer_.error(front().place, fmt::format("a value is wanted, not `{}`", front().text));
  }

  Result<ExpressionPtr> literal(Literal value, std::optional<Quantity> quantity = {}) {
    const std::uint32_t begin = front().place.begin;
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    return make(Expression{.literal = std::move(value), .quantity = quantity}, begin);
  }

  Result<ExpressionPtr> parenthesis() {
    const std::uint32_t begin = front().place.begin;
    const Nested nested(*this);
    if (nested.too_deep()) return too_deep();
    const Inside inside(*this);
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto result = expression();
    if (!result) return result;
    if (!front().is(")")) return lexer_.unclosed(begin);
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    return result;
  }

  // A call, or a path that begins with a name.
  Result<ExpressionPtr> name() {
    const Token token = front();
    const Word* const function = find(kFunctions, token);
    if (function == nullptr) return column_or_field(token);
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    if (front().is("(")) return call(*function, token.place.begin);
    // Fields may be called so too.
    Path path;
    path.steps.push_back({.name = std::string(token.text)});
    if (auto steps = paths_.read_steps(path); !steps) return std::unexpected(steps.error());
    return make(Expression{.operation = Operator::kPath, .path = std::move(path)},
                token.place.begin);
  }

  // A field, or the column of an aggregate: `p99(duration)`.
  Result<ExpressionPtr> column_or_field(const Token& token) {
    double part = 0;
    const AggregateInfo* const aggregate = find_aggregate(token.text, part);
    const Lexer begin = lexer_;
    if (aggregate == nullptr) return plain_field(token);
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    // `p99.9` is a name and, behind its point, a number.
    if (aggregate->kind == AggregateKind::kQuantile && front().is(".")) {
      if (auto read = advance(false); !read) return std::unexpected(read.error());
      if (front().kind == Token::Kind::kNumber) {
        if (auto read = advance(false); !read) return std::unexpected(read.error());
      }
    }
    const bool is_called = front().is("(");
    if (is_called && !options_.aggregates_are_columns) {
      return lexer_.error({token.place.begin, lexer_.last_end()},
                          fmt::format("`{0}` is an aggregate, and stands at the front of a stage: "
                                      "{0}{1}; stages behind may calculate with it",
                                      token.text, aggregate->takes_argument ? "(x)" : ""));
    }
    if (!is_called) {
      lexer_ = begin;
      return plain_field(token);
    }
    return column(token.place.begin);
  }

  // What an aggregate of the stage before is of; the column is called as the whole is written.
  Result<ExpressionPtr> column(std::uint32_t begin) {
    const std::uint32_t parenthesis = front().place.begin;
    const Nested nested(*this);
    if (nested.too_deep()) return too_deep();
    const Inside inside(*this);
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    if (!front().is(")")) {
      if (auto argument = expression(); !argument) return argument;
      if (!front().is(")")) return lexer_.unclosed(parenthesis);
    }
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    Path path;
    path.steps.push_back(
        {.name = std::string(lexer_.text().substr(begin, lexer_.last_end() - begin))});
    return make(Expression{.operation = Operator::kPath, .path = std::move(path)}, begin);
  }

  Result<ExpressionPtr> plain_field(const Token& token) {
    auto parsed = field(token.place.begin);
    if (!parsed || !front().is("(")) return parsed;
    return lexer_.error(
        {token.place.begin, lexer_.last_end()},
        fmt::format("`{}` is no function; there are {}",
                    lexer_.text().substr(token.place.begin, lexer_.last_end() - token.place.begin),
                    fmt::join(std::views::transform(kFunctions, &Word::text), ", ")));
  }

  Result<ExpressionPtr> call(const Word& function, std::uint32_t begin) {
    const Nested nested(*this);
    if (nested.too_deep()) return too_deep();
    const Inside inside(*this);
    const bool is_each =
        function.operation == Operator::kAny || function.operation == Operator::kAll;
    if (is_each && !paths_.begin_each())
      return lexer_.error({begin, front().place.begin}, "any() and all() do not nest");
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto argument = expression();
    if (is_each) argument = condition(std::move(argument));
    if (!argument) return argument;
    if (!front().is(")")) return lexer_.unclosed(begin);
    if (auto read = advance(false); !read) return std::unexpected(read.error());
    if (is_each && !paths_.end_each()) {
      return lexer_.error(
          {begin, lexer_.last_end()},
          fmt::format("{0}() wants a path with [*]: {0}(sizes[*] > 4096)", function.text));
    }
    if (function.operation == Operator::kHas && (*argument)->operation != Operator::kPath)
      return lexer_.error((*argument)->place, "has() asks for one field: has(queue.depth)");
    if (function.operation == Operator::kEqual) return inside_of(*std::move(argument), begin);
    return make(function.operation, begin, *std::move(argument));
  }

  // What the column `inside` of samples is compared with.
  Result<ExpressionPtr> inside_of(ExpressionPtr name, std::uint32_t begin) {
    if (!std::holds_alternative<std::string>(name->literal))
      return lexer_.error(name->place, "inside() wants a text: inside(\"poll\")");
    Path path;
    path.steps.push_back({.name = "inside"});
    auto column = make(Expression{.operation = Operator::kPath, .path = std::move(path)}, begin);
    if (!column) return column;
    return make(Operator::kEqual, begin, *std::move(column), std::move(name));
  }

  Result<ExpressionPtr> field(std::uint32_t begin) {
    auto read = paths_.path();
    if (!read) return std::unexpected(read.error());
    return make(Expression{.operation = Operator::kPath, .path = *std::move(read)}, begin);
  }

  std::unexpected<Error> too_deep() {
    return lexer_.error(front().place,
                        fmt::format("the expression is nested more than {} deep", kMaxDepth));
  }

  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) { ++parser_.nesting_; }
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    [[nodiscard]] bool too_deep() const { return parser_.nesting_ > kMaxDepth; }

   private:
    Parser& parser_;
  };
  // Inside brackets `|` is an operator and does not end a stage.
  class Inside {
   public:
    explicit Inside(Parser& parser) : parser_(parser) { ++parser_.parentheses_; }
    ~Inside() { --parser_.parentheses_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Parser& parser_;
  };

  Lexer& lexer_;
  ParserOptions options_;
  std::uint32_t nesting_ = 0;
  std::uint32_t parentheses_ = 0;
  std::size_t parts_ = 0;       // literals of lists aside
  std::size_t list_items_ = 0;  // those
  PathParser paths_{lexer_};
};

}  // namespace

Result<ExpressionPtr> parse_expression(Lexer& lexer, ParserOptions options) {
  return Parser(lexer, options).expression();
}

Result<ExpressionPtr> parse_condition(Lexer& lexer, ParserOptions options) {
  Parser parser(lexer, options);
  return parser.condition(parser.expression());
}

namespace {

Result<ExpressionPtr> parse_whole(std::string_view text,
                                  Result<ExpressionPtr> (*parse)(Lexer&, ParserOptions)) {
  if (text.size() > kMaxTextSize) {
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("an expression has at most {} bytes", kMaxTextSize));
  }
  Lexer lexer(text);
  if (auto read = lexer.read(true); !read) return std::unexpected(read.error());
  if (lexer.token().kind == Token::Kind::kEnd)
    return lexer.error({0, 0}, "the expression is empty");
  auto parsed = parse(lexer, {});
  if (!parsed || lexer.token().kind == Token::Kind::kEnd) return parsed;
  const Token& rest = lexer.token();
  return lexer.error(rest.place,
                     rest.is("|")
                         ? "`|` is bitwise-or inside parentheses only; write `||`, or parentheses"
                         : fmt::format("an operator is wanted, not `{}`", rest.text));
}

}  // namespace

Result<ExpressionPtr> parse_expression(std::string_view text) {
  return parse_whole(text, parse_expression);
}

Result<ExpressionPtr> parse_condition(std::string_view text) {
  return parse_whole(text, parse_condition);
}

}  // namespace tracedeck::query

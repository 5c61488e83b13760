#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tracedeck/base/nearest.hpp"
#include "tracedeck/query/parser.hpp"
#include "tracedeck/query/rewriting.hpp"
#include "tracedeck/query/stages.hpp"

namespace tracedeck::query {
namespace {

constexpr std::array<std::string_view, 11> kStageWords = {
    "where",       "let",     "select", "limit", "pair", "spans",
    "allocations", "samples", "sort",   "top",   "by"};

// Stages work on one another, and columns are looked for among all of a stage.
constexpr std::size_t kMostStages = 200;
constexpr std::size_t kMostColumns = 1000;

// What other languages say, and what is said here.
struct OtherWord {
  std::string_view word;
  std::string_view hint;
};
constexpr std::array kOtherWords = {
    OtherWord{"mean", "the mean is `avg`: avg(duration)"},
    OtherWord{"average", "the mean is `avg`: avg(duration)"},
    OtherWord{"median", "the median is `p50`: p50(duration)"},
    OtherWord{"stddev", "there is none; `p50`, `p99` and `hist` show how values spread"},
    OtherWord{"stdev", "there is none; `p50`, `p99` and `hist` show how values spread"},
    OtherWord{"group", "groups are written `AGGREGATES by KEYS`: count by name"},
    OtherWord{"order", "that is the stage `sort`: sort count desc"},
    OtherWord{"head", "that is the stage `limit`: limit 10"},
    OtherWord{"take", "that is the stage `limit`: limit 10"},
    OtherWord{"having", "that is a stage `where` behind the aggregates: where count > 5"},
    OtherWord{"filter", "that is the stage `where`: where depth > 3"},
    OtherWord{"uniq", "different values are counted by `distinct`: distinct(worker_id)"},
    OtherWord{"unique", "different values are counted by `distinct`: distinct(worker_id)"},
};

std::string_view hint_for(const Token& token) {
  const auto found = std::ranges::find(kOtherWords, token.text, &OtherWord::word);
  return found == kOtherWords.end() ? "" : found->hint;
}

class StageParser {
 public:
  explicit StageParser(std::string_view text) : text_(text), lexer_(text) {}

  Result<std::vector<StageSyntax>> stages() {
    std::vector<StageSyntax> stages;
    do {
      if (auto read = lexer_.read(true); !read) return std::unexpected(read.error());
      const std::uint32_t begin = front().place.begin;
      if (stages.size() == kMostStages)
        return lexer_.error(front().place, fmt::format("there are at most {} stages", kMostStages));
      auto parsed = stage();
      if (!parsed) return std::unexpected(parsed.error());
      parsed->place = {begin, lexer_.last_end()};
      stages.push_back(*std::move(parsed));
    } while (front().is("|"));
    if (front().kind == Token::Kind::kEnd) return stages;
    if (const std::string_view hint = hint_for(front()); !hint.empty())
      return lexer_.error(front().place, fmt::format("`{}`: {}", front().text, hint));
    return lexer_.error(front().place,
                        fmt::format("`|` and the next stage are wanted, not `{}`", front().text));
  }

 private:
  using Parsed = Result<StageSyntax>;

  [[nodiscard]] const Token& front() const { return lexer_.token(); }
  [[nodiscard]] Result<void> advance(bool operand_expected = false) {
    return lexer_.read(operand_expected);
  }
  [[nodiscard]] std::string text_of(Place place) const {
    return std::string(text_.substr(place.begin, place.end - place.begin));
  }

  Parsed stage() {
    if (front().kind == Token::Kind::kEnd)
      return lexer_.error(
          front().place,
          "a stage is wanted: where, select, pair, spans, allocations, samples, count, ...");
    if (front().is_word("where")) return where();
    if (front().is_word("let")) return let();
    if (front().is_word("select")) return select();
    if (front().is_word("limit")) return limit();
    if (front().is_word("sort")) return sort();
    if (front().is_word("top")) return top();
    if (front().is_word("pair")) return pair();
    if (front().is_word("spans")) return spans();
    if (front().is_word("allocations")) return source(RowSource::kAllocations);
    if (front().is_word("samples")) return source(RowSource::kSamples);
    return group();
  }

  Parsed where() {
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto condition = parse_condition(lexer_, options());
    if (!condition) return std::unexpected(condition.error());
    return made(WhereStage{.condition = *std::move(condition)});
  }

  Parsed let() {
    LetStage let;
    if (auto read = advance(); !read) return std::unexpected(read.error());
    auto name = read_name("a name is wanted behind `let`");
    if (!name) return std::unexpected(name.error());
    let.name = *std::move(name);
    if (!front().is("=")) return lexer_.error(front().place, "`=` is wanted behind the name");
    auto expression = next_expression();
    if (!expression) return std::unexpected(expression.error());
    let.expression = *std::move(expression);
    return made(std::move(let));
  }

  Parsed select() {
    auto columns = named_expressions(true);
    if (!columns) return std::unexpected(columns.error());
    return made(SelectStage{.columns = *std::move(columns)});
  }

  Parsed limit() {
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto rows = read_count();
    if (!rows) return std::unexpected(rows.error());
    return made(LimitStage{.rows = *rows});
  }

  Parsed sort() {
    SortStage sort;
    do {
      auto expression = next_expression();
      if (!expression) return std::unexpected(expression.error());
      SortStage::Key key{.expression = *std::move(expression)};
      if (front().is_word("desc") || front().is_word("asc")) {
        key.descending = front().is_word("desc");
        if (auto read = advance(); !read) return std::unexpected(read.error());
      }
      sort.keys.push_back(std::move(key));
      if (sort.keys.size() > kMostColumns) return too_many_columns();
    } while (front().is(","));
    return made(std::move(sort));
  }

  Parsed top() {
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto rows = read_count();
    if (!rows) return std::unexpected(rows.error());
    SortStage sort{.most = *rows};
    if (!front().is_word("by")) return made(std::move(sort));
    auto expression = next_expression();
    if (!expression) return std::unexpected(expression.error());
    sort.keys.push_back({.expression = *std::move(expression), .descending = true});
    return made(std::move(sort));
  }

  Parsed pair() {
    PairStage pair;
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    auto begins = event_condition();
    if (!begins) return std::unexpected(begins.error());
    auto ends = event_condition();
    if (!ends) return std::unexpected(ends.error());
    pair.begins = *std::move(begins);
    pair.ends = *std::move(ends);
    if (front().is_word("on")) {
      do {
        auto key = pair_key();
        if (!key) return std::unexpected(key.error());
        pair.keys.push_back(*std::move(key));
        if (pair.keys.size() > kMostColumns) return too_many_columns();
      } while (front().is(","));
    }
    if (front().is_word("nested")) {
      pair.nested = true;
      if (auto read = advance(); !read) return std::unexpected(read.error());
    }
    if (front().is_word("within")) {
      auto interval = read_interval("within");
      if (!interval) return std::unexpected(interval.error());
      pair.within = *interval;
    }
    return made(std::move(pair));
  }

  Parsed spans() {
    if (auto read = advance(); !read) return std::unexpected(read.error());
    const bool all = front().is_word("all");
    if (all) {
      if (auto read = advance(); !read) return std::unexpected(read.error());
    }
    return made(SpansStage{.all = all});
  }

  Parsed source(RowSource source) {
    if (auto read = advance(); !read) return std::unexpected(read.error());
    return made(SourceStage{.source = source});
  }

  // An event's name, a glob of names, or a condition in parentheses.
  Result<ExpressionPtr> event_condition() {
    const Place place = front().place;
    if (front().is("(")) {
      if (auto read = advance(true); !read) return std::unexpected(read.error());
      auto condition = parse_condition(lexer_);
      if (!condition) return condition;
      if (!front().is(")"))
        return lexer_.error({place.begin, place.begin + 1}, "no `)` closes what begins here");
      if (auto read = advance(true); !read) return std::unexpected(read.error());
      return condition;
    }
    // Names such as `ros2:callback_start` and globs, which nothing else here begins with.
    if (front().kind == Token::Kind::kName || front().is("*")) lexer_.extend(":*.");
    const Place name_place = front().place;
    std::string name;
    if (front().kind == Token::Kind::kString) {
      name = std::get<std::string>(front().value);
    } else if (front().kind == Token::Kind::kName) {
      name = front().text;
    } else {
      return lexer_.error(place,
                          "the name of an event is wanted, or a condition in parentheses: "
                          "pair PollStart PollEnd on worker_id");
    }
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    Expression comparison{.operation = name.contains('*') ? Operator::kGlob : Operator::kEqual,
                          .place = name_place,
                          .depth = 2};
    comparison.operands.push_back(std::make_unique<const Expression>(Expression{
        .operation = Operator::kPath, .place = name_place, .path = {.root = Root::kName}}));
    comparison.operands.push_back(std::make_unique<const Expression>(
        Expression{.place = name_place, .literal = std::move(name)}));
    return std::make_unique<const Expression>(std::move(comparison));
  }

  // `worker_id`, the same of both, or `a.tid == b.next_tid`.
  Result<PairStage::Key> pair_key() {
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    const std::uint32_t begin = front().place.begin;
    auto expression = parse_expression(lexer_);
    if (!expression) return std::unexpected(expression.error());
    const Place place{begin, lexer_.last_end()};
    PairStage::Key key{.name = text_of(place)};
    const Expression& written = **expression;
    if (written.operation != Operator::kEqual) {
      key.a = clone(written);
      key.b = *std::move(expression);
      return key;
    }
    for (const ExpressionPtr& operand : written.operands) {
      const auto side = side_of(*operand);
      if (side == 'a' && key.a == nullptr)
        key.a = without_side(*operand);
      else if (side == 'b' && key.b == nullptr)
        key.b = without_side(*operand);
    }
    if (key.a == nullptr || key.b == nullptr)
      return lexer_.error(place,
                          "one side begins with `a.`, the other with `b.`: a.tid == b.next_tid");
    key.name = text_of(written.operands.front()->place);
    return key;
  }

  Parsed group() {
    GroupStage group;
    if (front().is_word("by")) {
      auto keys = named_expressions();
      if (!keys) return std::unexpected(keys.error());
      group.keys = *std::move(keys);
      // `by k | AGGREGATES`.
      if (front().is("|")) {
        if (auto read = advance(true); !read) return std::unexpected(read.error());
      }
    }
    for (;;) {
      const std::uint32_t begin = front().place.begin;
      auto aggregate = this->aggregate();
      if (!aggregate) return std::unexpected(aggregate.error());
      if (may_calculate(front()) || may_compare(front()))
        return calculated(text_of({begin, lexer_.last_end()}), aggregate->name);
      group.aggregates.push_back(*std::move(aggregate));
      if (group.aggregates.size() > kMostColumns) return too_many_columns();
      if (!front().is(",")) break;
      if (auto read = advance(true); !read) return std::unexpected(read.error());
    }
    if (front().is_word("by") && group.keys.empty()) {
      auto keys = named_expressions();
      if (!keys) return std::unexpected(keys.error());
      group.keys = *std::move(keys);
    }
    if (front().is(",") || front().is_word("every")) {
      if (front().is(",")) {
        if (auto read = advance(); !read) return std::unexpected(read.error());
      }
      if (!front().is_word("every"))
        return lexer_.error(front().place, "`every` and an interval are wanted here: every 10ms");
      auto interval = read_interval("every");
      if (!interval) return std::unexpected(interval.error());
      group.every = *interval;
    }
    behind_aggregates_ = true;
    return made(std::move(group));
  }

  // `max(time) - min(time)`, `count > 5`: `written` is what stands before the operator.
  std::unexpected<Error> calculated(const std::string& written, const std::string& name) {
    const bool has_name = name != written || is_plain_name(written);
    const bool calculates = may_calculate(front());
    return lexer_.error(
        front().place,
        fmt::format("aggregates are {} in a stage behind theirs: `{}{} | {} {} {} ...`",
                    calculates ? "calculated with" : "compared", written, has_name ? "" : " as x",
                    calculates ? "select" : "where", has_name ? name : "x", front().text));
  }
  static bool may_calculate(const Token& token) {
    constexpr std::array<std::string_view, 5> kSigns = {"+", "-", "*", "/", "%"};
    return std::ranges::any_of(kSigns, [&](std::string_view sign) { return token.is(sign); });
  }
  static bool may_compare(const Token& token) {
    constexpr std::array<std::string_view, 6> kSigns = {"==", "!=", "<", "<=", ">", ">="};
    return std::ranges::any_of(kSigns, [&](std::string_view sign) { return token.is(sign); });
  }

  Result<GroupStage::Aggregate> aggregate() {
    const Token word = front();
    GroupStage::Aggregate aggregate;
    const AggregateInfo* const info =
        word.kind == Token::Kind::kName ? find_aggregate(word.text, aggregate.part) : nullptr;
    if (info == nullptr) return unknown_stage(word);
    aggregate.kind = info->kind;
    if (auto read = advance(); !read) return std::unexpected(read.error());
    // `p99.9` is a name and, behind its point, a number.
    if (info->kind == AggregateKind::kQuantile && front().is(".")) {
      if (auto read = advance(true); !read) return std::unexpected(read.error());
      const std::string whole = text_of({word.place.begin, front().place.end});
      if (find_aggregate(whole, aggregate.part) == nullptr)
        return lexer_.error({word.place.begin, front().place.end},
                            "there is p50, p99, p99.9 and so on");
      if (auto read = advance(); !read) return std::unexpected(read.error());
    }
    if (front().is("(")) {
      if (auto read = advance(true); !read) return std::unexpected(read.error());
      if (!front().is(")")) {
        auto argument = parse_expression(lexer_, options());
        if (!argument) return std::unexpected(argument.error());
        aggregate.argument = *std::move(argument);
      }
      if (!front().is(")")) return lexer_.error(front().place, "`)` is wanted");
      if (auto read = advance(); !read) return std::unexpected(read.error());
    }
    const Place place{word.place.begin, lexer_.last_end()};
    if (info->takes_argument != (aggregate.argument != nullptr)) {
      return lexer_.error(place, info->takes_argument
                                     ? fmt::format("{0} of what? {0}(duration)", word.text)
                                     : fmt::format("{} takes no argument", word.text));
    }
    aggregate.name = text_of(place);
    if (auto named = read_as(aggregate.name); !named) return std::unexpected(named.error());
    return aggregate;
  }

  std::unexpected<Error> too_many_columns() {
    return lexer_.error(front().place, fmt::format("a stage has at most {} columns", kMostColumns));
  }

  std::unexpected<Error> unknown_stage(const Token& word) {
    if (word.is_word("every"))
      return lexer_.error(word.place, "`every` stands behind what is computed: count every 10ms");
    std::string sentence = fmt::format("`{}` is no stage and no aggregate", word.text);
    if (const std::string_view hint = hint_for(word); !hint.empty())
      return lexer_.error(word.place, fmt::format("{}; {}", sentence, hint));
    std::vector<std::string_view> known(kStageWords.begin(), kStageWords.end());
    for (const AggregateInfo& info : aggregate_table()) known.push_back(info.word);
    const std::string_view meant = nearest(word.text, known);
    if (!meant.empty()) sentence += fmt::format("; did you mean `{}`?", meant);
    return lexer_.error(word.place, std::move(sentence));
  }

  // Behind `by` or `select`.
  Result<std::vector<NamedExpression>> named_expressions(bool takes_all = false) {
    std::vector<NamedExpression> result;
    do {
      if (auto read = advance(true); !read) return std::unexpected(read.error());
      // `by k, every 10ms`.
      if (front().is_word("every") && !result.empty()) break;
      const std::uint32_t begin = front().place.begin;
      if (takes_all && front().is("*")) {
        if (auto read = advance(); !read) return std::unexpected(read.error());
        result.push_back({.name = "*", .expression = nullptr});
        continue;
      }
      auto expression = parse_expression(lexer_, options());
      if (!expression) return std::unexpected(expression.error());
      NamedExpression named{.name = text_of({begin, lexer_.last_end()}),
                            .expression = *std::move(expression)};
      if (auto as = read_as(named.name); !as) return std::unexpected(as.error());
      result.push_back(std::move(named));
      if (result.size() > kMostColumns) return too_many_columns();
    } while (front().is(","));
    return result;
  }

  Result<void> read_as(std::string& name) {
    if (!front().is_word("as")) return {};
    if (auto read = advance(); !read) return read;
    auto given = read_name("a name is wanted behind `as`");
    if (!given) return std::unexpected(given.error());
    name = *std::move(given);
    return {};
  }

  Result<std::string> read_name(std::string_view wanted) {
    if (front().kind != Token::Kind::kName && front().kind != Token::Kind::kString)
      return lexer_.error(front().place, std::string(wanted));
    std::string name = front().kind == Token::Kind::kName ? std::string(front().text)
                                                          : std::get<std::string>(front().value);
    if (auto read = advance(); !read) return std::unexpected(read.error());
    return name;
  }

  Result<std::uint64_t> read_count() {
    const auto* const integer = std::get_if<Integer>(&front().value);
    const auto count = front().kind == Token::Kind::kNumber && integer != nullptr
                           ? integer->to_unsigned()
                           : std::nullopt;
    if (!count) return lexer_.error(front().place, "a number is wanted here");
    if (auto read = advance(); !read) return std::unexpected(read.error());
    return *count;
  }

  Result<Integer> read_interval(std::string_view word) {
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    const auto* const integer = std::get_if<Integer>(&front().value);
    const bool usable = front().kind == Token::Kind::kNumber && integer != nullptr &&
                        integer->magnitude != 0 && integer->to_signed();
    if (!usable)
      return lexer_.error(front().place, fmt::format("an interval is wanted: {} 10ms", word));
    const Integer interval = *integer;
    if (auto read = advance(); !read) return std::unexpected(read.error());
    return interval;
  }

  Result<ExpressionPtr> next_expression() {
    if (auto read = advance(true); !read) return std::unexpected(read.error());
    return parse_expression(lexer_, options());
  }
  [[nodiscard]] ParserOptions options() const {
    return {.aggregates_are_columns = behind_aggregates_};
  }

  template <class Stage>
  static StageSyntax made(Stage stage) {
    return {.what = std::move(stage)};
  }

  // The side of a pair that all paths of an expression are of, or 0.
  static char side_of(const Expression& expression) {
    if (expression.operation == Operator::kPath) {
      const Path& path = expression.path;
      const bool has_side = path.root == Root::kAnyField && path.steps.size() > 1;
      if (has_side && path.steps.front().name == "a") return 'a';
      if (has_side && path.steps.front().name == "b") return 'b';
      return 0;
    }
    char side = 0;
    for (const ExpressionPtr& operand : expression.operands) {
      const char of = side_of(*operand);
      if (operand->operation == Operator::kLiteral) continue;
      if (of == 0 || (side != 0 && side != of)) return 0;
      side = of;
    }
    return side;
  }

  static ExpressionPtr without_side(const Expression& expression) {
    return rewritten(expression, [](const Path& path) -> ExpressionPtr {
      return std::make_unique<const Expression>(
          Expression{.operation = Operator::kPath, .path = path_of_side(path)});
    });
  }

  std::string_view text_;
  Lexer lexer_;
  bool behind_aggregates_ = false;
};

}  // namespace

std::span<const std::string_view> stage_keywords() { return kStageWords; }

Result<std::vector<StageSyntax>> parse_stages(std::string_view text) {
  if (text.size() > kMaxTextSize)
    return fail(ErrorCode::kLimitExceeded,
                fmt::format("a query has at most {} bytes", kMaxTextSize));
  return StageParser(text).stages();
}

}  // namespace tracedeck::query

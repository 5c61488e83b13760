// What a query says, stage after stage: the result of parsing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/aggregate.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/rows.hpp"

namespace tracedeck::query {

// A value with a name, of `select`, and of what is grouped by.
struct NamedExpression {
  std::string name;
  ExpressionPtr expression;
};

struct WhereStage {
  ExpressionPtr condition;
};
struct LetStage {
  std::string name;
  ExpressionPtr expression;
};
struct SelectStage {
  std::vector<NamedExpression> columns;  // without an expression: all that there are
};
struct LimitStage {
  std::uint64_t rows = 0;
};
// `sort`, and `top`, which is a sort and a limit.
struct SortStage {
  struct Key {
    ExpressionPtr expression;
    bool descending = false;
  };
  std::vector<Key> keys = {};
  std::optional<std::uint64_t> most = {};  // rows
};
// From each event that `begins` is true for to the next one of equal keys that `ends` is true for.
struct PairStage {
  struct Key {
    std::string name;
    ExpressionPtr a = {};  // of the first event
    ExpressionPtr b = {};  // of the second
  };
  ExpressionPtr begins;
  ExpressionPtr ends;
  std::vector<Key> keys;
  bool nested = false;
  std::optional<Integer> within = {};  // ns
};
// Slices and waits instead of events (`span_rows.hpp`): the first stage.
struct SpansStage {
  bool all = false;  // also those whose duration is not known
};
// What has no options instead of events: the first stage.
struct SourceStage {
  RowSource source = RowSource::kAllocations;
};
struct GroupStage {
  struct Aggregate {
    std::string name;
    AggregateKind kind = AggregateKind::kCount;
    double part = 0;                   // of a quantile
    ExpressionPtr argument = nullptr;  // null of those that take none
  };
  std::vector<Aggregate> aggregates;
  std::vector<NamedExpression> keys;
  std::optional<Integer> every = {};  // ns
};

struct StageSyntax {
  Place place = {};
  std::variant<WhereStage, LetStage, SelectStage, LimitStage, SortStage, PairStage, SpansStage,
               SourceStage, GroupStage>
      what;
};

// The words that stages begin with, and those within them.
[[nodiscard]] std::span<const std::string_view> stage_keywords();

// The stages of a query. Errors: kInvalidArgument with a caret under the place, kLimitExceeded.
[[nodiscard]] Result<std::vector<StageSyntax>> parse_stages(std::string_view text);

}  // namespace tracedeck::query

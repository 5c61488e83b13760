// What the stages behind a pair, `spans` and the like name of these.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "tracedeck/query/rows.hpp"
#include "tracedeck/query/stages.hpp"

namespace tracedeck::query {

// Adds what `stages` name of the events of a pair, by its text: `a.x` and `b.x`.
void collect_sides(std::span<const StageSyntax> stages, std::map<std::string, Path>& a,
                   std::map<std::string, Path>& b);

// What `stages` name of spans that these do not have as such (`span_columns`), up to the first
// stage that makes other rows: names of their arguments, as columns are called.
[[nodiscard]] std::set<std::string> arguments_of_spans(std::span<const StageSyntax> stages);
// The same of expressions about spans that have only those columns.
[[nodiscard]] std::set<std::string> arguments_of_spans(std::span<const ExpressionPtr> expressions,
                                                       std::span<const Column> columns);

// Whether `stages` name the functions that rows have among `columns` up to the first one that makes
// other rows, or all that there is of those.
[[nodiscard]] bool names_functions(std::span<const StageSyntax> stages,
                                   std::span<const Column> columns);

}  // namespace tracedeck::query

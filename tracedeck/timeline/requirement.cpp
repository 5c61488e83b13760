#include "tracedeck/timeline/requirement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/query/lexer.hpp"
#include "tracedeck/timeline/latency_report.hpp"

namespace tracedeck::timeline {

Result<Requirement> Requirement::parse(std::string_view text) {
  struct NamedMeasure {
    std::string_view name;
    Measure measure;
    double part;
  };
  static constexpr auto kMeasures = std::to_array<NamedMeasure>({
      {"count", Measure::kCount, 0},
      {"min", Measure::kMinimum, 0},
      {"max", Measure::kMaximum, 0},
      {"avg", Measure::kAverage, 0},
      {"total", Measure::kTotal, 0},
      {"p50", Measure::kQuantile, 0.5},
      {"p90", Measure::kQuantile, 0.9},
      {"p95", Measure::kQuantile, 0.95},
      {"p99", Measure::kQuantile, 0.99},
      {"p99.9", Measure::kQuantile, 0.999},
      {"open", Measure::kOpen, 0},
      {"left_out", Measure::kLeftOut, 0},
  });
  static constexpr std::string_view kForm =
      "is to be like p99(\"wake -> poll\") < 1ms, with one of count, min, max, avg, total, p50, "
      "p90, p95, p99, p99.9, open, left_out";
  Requirement requirement;
  requirement.text_ = text;
  query::Lexer lexer(text);
  const auto read = [&](bool operand) { return lexer.read(operand); };
  if (const auto done = read(true); !done) return std::unexpected(done.error());
  lexer.extend(".");
  const auto measure = std::ranges::find(kMeasures, lexer.token().text, &NamedMeasure::name);
  if (measure == kMeasures.end())
    return lexer.error(lexer.token().place, fmt::format("a requirement {}", kForm));
  requirement.measure_ = measure->measure;
  requirement.part_ = measure->part;
  if (const auto done = read(false); !done) return std::unexpected(done.error());
  if (!lexer.token().is("("))
    return lexer.error(lexer.token().place, fmt::format("a requirement {}", kForm));
  if (const auto done = read(true); !done) return std::unexpected(done.error());
  if (lexer.token().kind != query::Token::Kind::kString)
    return lexer.error(lexer.token().place, "the name of a row or a category is to be in quotes");
  requirement.name_ = std::get<std::string>(lexer.token().value);
  auto names = query::glob_matcher(requirement.name_);
  if (!names) return std::unexpected(names.error());
  requirement.names_ = *std::move(names);
  if (const auto done = read(false); !done) return std::unexpected(done.error());
  if (!lexer.token().is(")"))
    return lexer.error(lexer.token().place, "`)` is to close what the measure is of");
  if (const auto done = read(false); !done) return std::unexpected(done.error());
  static constexpr auto kComparisons =
      std::to_array<std::string_view>({"<", "<=", ">", ">=", "==", "!="});
  if (std::ranges::find(kComparisons, lexer.token().text) == kComparisons.end())
    return lexer.error(lexer.token().place, "a comparison is to follow: < <= > >= == !=");
  requirement.comparison_ = lexer.token().text;
  if (const auto done = read(true); !done) return std::unexpected(done.error());
  if (lexer.token().kind != query::Token::Kind::kNumber)
    return lexer.error(lexer.token().place, "a duration or a number is to follow: 1ms");
  const query::Literal& bound = lexer.token().value;
  requirement.bound_ = std::holds_alternative<double>(bound) ? std::get<double>(bound)
                                                             : std::get<Integer>(bound).to_real();
  if (const auto done = read(false); !done) return std::unexpected(done.error());
  if (lexer.token().kind != query::Token::Kind::kEnd)
    return lexer.error(lexer.token().place, "nothing is to follow; repeat --require for more");
  return requirement;
}

double Requirement::value_of(const LatencyRow& row) const {
  switch (measure_) {
    case Measure::kCount:
      return static_cast<double>(row.count());
    case Measure::kMinimum:
      return row.durations.minimum();
    case Measure::kMaximum:
      return row.durations.maximum();
    case Measure::kAverage:
      return row.count() == 0 ? 0
                              : static_cast<double>(row.total) / static_cast<double>(row.count());
    case Measure::kTotal:
      return static_cast<double>(row.total);
    case Measure::kQuantile:
      return row.durations.quantile(part_);
    case Measure::kOpen:
      return static_cast<double>(row.open);
    case Measure::kLeftOut:
      return static_cast<double>(row.left_out);
  }
  return 0;
}

bool Requirement::compare(double value) const {
  if (comparison_ == "<") return value < bound_;
  if (comparison_ == "<=") return value <= bound_;
  if (comparison_ == ">") return value > bound_;
  if (comparison_ == ">=") return value >= bound_;
  return (value == bound_) == (comparison_ == "==");
}

Requirement::Verdict Requirement::check(const Latency& latency) const {
  LatencyRow all;
  bool any = false;
  for (const LatencyRow& row : latency.rows()) {
    if (!names_->matches(row.label()) && !names_->matches(row.category)) continue;
    any = true;
    all.durations.merge(row.durations);
    all.total += row.total;
    all.open += row.open;
    all.left_out += row.left_out;
    all.across_loss += row.across_loss;
  }
  const bool counts =
      measure_ == Measure::kCount || measure_ == Measure::kOpen || measure_ == Measure::kLeftOut;
  if (!any && !counts) return {false, fmt::format("nothing is called \"{}\"", name_)};
  if (all.count() == 0 && !counts)
    return {false, fmt::format("no duration of \"{}\" is known", name_)};
  if (all.across_loss != 0) {
    return {false, fmt::format("it is not known: events were lost within {} of \"{}\"",
                               all.across_loss, name_)};
  }
  const double value = value_of(all);
  if (compare(value)) return {true, {}};
  return {false,
          fmt::format("it is {}", counts ? fmt::format("{:.0f}", value) : short_duration(value))};
}

}  // namespace tracedeck::timeline

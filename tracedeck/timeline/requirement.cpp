#include "tracedeck/timeline/requirement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tracedeck/base/nearest.hpp"
#include "tracedeck/render/sentences.hpp"
#include "tracedeck/timeline/latency_report.hpp"

namespace tracedeck::timeline {
namespace {

// What tells a row from all others.
std::string full_title(const LatencyRow& row) {
  const MarkName& name = row.name;
  std::string title = name.with_category(name.identity());
  if (name.shows_host && !name.host.empty()) title = fmt::format("{}: {}", name.host, title);
  return row.by.empty() ? title : fmt::format("{} ({})", title, row.by);
}

}  // namespace

std::span<const Requirement::NamedMeasure> Requirement::measures() {
  static constexpr auto kMeasures = std::to_array<NamedMeasure>({
      {"count", Measure::kCount, 0, Of::kOneTrace},
      {"min", Measure::kMinimum, 0, Of::kOneTrace},
      {"max", Measure::kMaximum, 0, Of::kOneTrace},
      {"avg", Measure::kAverage, 0, Of::kOneTrace},
      {"total", Measure::kTotal, 0, Of::kOneTrace},
      {"p50", Measure::kQuantile, 0.5, Of::kOneTrace},
      {"p90", Measure::kQuantile, 0.9, Of::kOneTrace},
      {"p95", Measure::kQuantile, 0.95, Of::kOneTrace},
      {"p99", Measure::kQuantile, 0.99, Of::kOneTrace},
      {"p99.9", Measure::kQuantile, 0.999, Of::kOneTrace},
      {"open", Measure::kOpen, 0, Of::kOneTrace},
      {"left_out", Measure::kLeftOut, 0, Of::kOneTrace},
      {"absent", Measure::kAbsent, 0, Of::kOneTrace},
      {"rate", Measure::kRate, 0, Of::kTwoTraces},
      {"slower", Measure::kSlower, 0, Of::kTwoTraces},
  });
  return kMeasures;
}

Result<Requirement> Requirement::parse(std::string_view text, Of of) {
  const auto offered = [of](const NamedMeasure& each) {
    return each.of == Of::kOneTrace || of == Of::kTwoTraces;
  };
  const auto wrong_form = [&](const query::Lexer& lexer) {
    std::vector<std::string_view> words;
    for (const NamedMeasure& each : measures()) {
      if (offered(each)) words.push_back(each.name);
    }
    return lexer.error(
        lexer.token().place,
        fmt::format("a requirement is to be like p99(\"wake -> poll\") {}, with one "
                    "of {}",
                    of == Of::kOneTrace ? "< 1ms" : "<= 1.1 * A", fmt::join(words, ", ")));
  };
  Requirement requirement;
  requirement.text_ = text;
  query::Lexer lexer(text);
  const auto read = [&](bool operand) { return lexer.read(operand); };
  if (const auto done = read(true); !done) return std::unexpected(done.error());
  lexer.extend(".");
  const auto measure = std::ranges::find(measures(), lexer.token().text, &NamedMeasure::name);
  if (measure == measures().end() || !offered(*measure)) return wrong_form(lexer);
  requirement.measure_ = measure->measure;
  requirement.part_ = measure->part;
  if (const auto done = read(false); !done) return std::unexpected(done.error());
  if (!lexer.token().is("(")) return wrong_form(lexer);
  if (const auto done = read(true); !done) return std::unexpected(done.error());
  if (lexer.token().kind != query::Token::Kind::kString)
    return lexer.error(lexer.token().place, "the name of a row or a category is to be in quotes");
  requirement.name_ = std::get<std::string>(lexer.token().value);
  auto names = NamePattern::from(requirement.name_);
  if (!names) return std::unexpected(names.error());
  requirement.names_ = *std::move(names);
  if (const auto done = read(false); !done) return std::unexpected(done.error());
  if (!lexer.token().is(")"))
    return lexer.error(lexer.token().place, "`)` is to close what the measure is of");
  if (const auto done = read(false); !done) return std::unexpected(done.error());
  if (requirement.measure_ == Measure::kAbsent) {
    if (lexer.token().kind == query::Token::Kind::kEnd) return requirement;
    return lexer.error(lexer.token().place, "nothing is to follow absent(\"NAME\")");
  }
  static constexpr auto kComparisons =
      std::to_array<std::string_view>({"<", "<=", ">", ">=", "==", "!="});
  if (std::ranges::find(kComparisons, lexer.token().text) == kComparisons.end())
    return lexer.error(lexer.token().place, "a comparison is to follow: < <= > >= == !=");
  requirement.comparison_ = lexer.token().text;
  if (const auto done = read(true); !done) return std::unexpected(done.error());
  if (const auto done = requirement.parse_bound(lexer, of); !done)
    return std::unexpected(done.error());
  if (lexer.token().kind != query::Token::Kind::kEnd)
    return lexer.error(lexer.token().place, "nothing is to follow; repeat --require for more");
  return requirement;
}

// `1ms`, `A` or `1.1 * A`.
Result<void> Requirement::parse_bound(query::Lexer& lexer, Of of) {
  const bool has_a = of == Of::kTwoTraces && measure_ != Measure::kSlower;
  const std::string_view wanted =
      has_a ? "a duration, a number or a multiple of A is to follow: 1ms, 1.1 * A"
            : "a duration or a number is to follow: 1ms";
  const auto is_a = [&] {
    return has_a && (lexer.token().is_word("A") || lexer.token().is_word("a"));
  };
  bound_ = 1;
  if (!is_a()) {
    if (lexer.token().kind != query::Token::Kind::kNumber)
      return lexer.error(lexer.token().place, std::string(wanted));
    const query::Literal& bound = lexer.token().value;
    bound_ = std::holds_alternative<double>(bound) ? std::get<double>(bound)
                                                   : std::get<Integer>(bound).to_real();
    const bool is_plain = std::string_view("0123456789.").contains(lexer.token().text.back());
    if (const auto done = lexer.read(false); !done) return done;
    if (!has_a || !lexer.token().is("*")) return {};
    if (!is_plain)
      return lexer.error(lexer.token().place, "a number without a unit multiplies A: 1.1 * A");
    if (const auto done = lexer.read(true); !done) return done;
    if (!is_a())
      return lexer.error(lexer.token().place, "A, the first trace, is to follow: 1.1 * A");
  }
  times_a_ = true;
  return lexer.read(false);
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
    case Measure::kAbsent:
    case Measure::kRate:
    case Measure::kSlower:
      break;
  }
  return 0;
}

bool Requirement::compare(double value, double bound) const {
  if (comparison_ == "<") return value < bound;
  if (comparison_ == "<=") return value <= bound;
  if (comparison_ == ">") return value > bound;
  if (comparison_ == ">=") return value >= bound;
  return (value == bound) == (comparison_ == "==");
}

bool Requirement::is_count() const {
  return measure_ == Measure::kCount || measure_ == Measure::kOpen ||
         measure_ == Measure::kLeftOut || measure_ == Measure::kAbsent ||
         measure_ == Measure::kRate || measure_ == Measure::kSlower;
}

std::string Requirement::shown(double value) const {
  if (measure_ == Measure::kRate) return fmt::format("{:.6g} a second", value);
  return is_count() ? fmt::format("{:.0f}", value) : short_duration(value);
}

std::string Requirement::nothing_text(const std::set<std::string>& names) const {
  const std::vector<std::string_view> words(names.begin(), names.end());
  const std::string_view near = nearest(name_, words);
  return render::say<"require/nothing">(
      name_, near.empty() ? "" : fmt::format("; is \"{}\" meant?", near));
}

Requirement::Finding Requirement::find(const LatencyRow& row, bool has_gaps) const {
  if (row.count() == 0 && !is_count()) return {.doubt = render::say<"require/none-known">(name_)};
  if (row.across_loss != 0)
    return {.doubt = render::say<"require/lost-within">(render::Plain(row.across_loss), name_)};
  const bool is_of_all = is_count() || measure_ == Measure::kTotal ||
                         measure_ == Measure::kMinimum || measure_ == Measure::kMaximum;
  const bool is_of_open = measure_ == Measure::kOpen || measure_ == Measure::kLeftOut;
  if (row.unclear != 0 && is_of_all && !is_of_open)
    return {.doubt = render::say<"require/unclear">(std::uint64_t{row.unclear}, name_)};
  if (has_gaps && is_of_all) return {.doubt = render::say<"require/lost">()};
  return {.value = measure_ == Measure::kRate ? static_cast<double>(row.count()) : value_of(row)};
}

Requirement::Verdict Requirement::verdict_of(const Finding& found) const {
  if (!found.doubt.empty()) return {false, found.doubt};
  return {compare(found.value, bound_), render::say<"require/is">(shown(found.value))};
}

Requirement::Verdict Requirement::check_absent(bool any, bool has_gaps) const {
  if (!any && has_gaps) return {false, render::say<"require/lost">()};
  return {!any, render::say<"require/exists">(name_)};
}

template <class Row, class NameOf, class CheckOne>
Requirement::Verdict Requirement::check_each(const std::vector<const Row*>& rows,
                                             const NameOf& row_of, const CheckOne& check_one) {
  for (const Row* const each : rows) {
    Verdict verdict = check_one(each);
    if (verdict.holds) continue;
    if (rows.size() > 1)
      verdict.reason = fmt::format("of \"{}\", {}", full_title(*row_of(each)), verdict.reason);
    return verdict;
  }
  return {.holds = true};
}

Requirement::Verdict Requirement::check(const Latency& latency,
                                        const TimelineCounts& counts) const {
  const bool has_gaps = counts.has_losses();
  std::vector<const LatencyRow*> meant;
  std::set<std::string> others;
  for (const LatencyRow& row : latency.rows()) {
    if (names_.matches(row.name)) {
      meant.push_back(&row);
    } else {
      others.insert({row.label(), row.name.category});
    }
  }
  if (measure_ == Measure::kAbsent) return check_absent(!meant.empty(), has_gaps);
  if (meant.empty()) return {false, nothing_text(others)};
  if (tells_nothing_of_some(meant))
    std::erase_if(meant, [](const LatencyRow* row) { return is_without_durations(row); });
  return check_each(
      meant, [](const LatencyRow* row) { return row; },
      [&](const LatencyRow* row) { return verdict_of(find(*row, has_gaps)); });
}

// Of several rows those that never ended say nothing of durations.
bool Requirement::tells_nothing_of_some(const std::vector<const LatencyRow*>& rows) const {
  return !is_count() && !std::ranges::all_of(rows, is_without_durations);
}

bool Requirement::is_without_durations(const LatencyRow* row) {
  return row == nullptr || (row->count() == 0 && row->across_loss == 0);
}

Requirement::Finding Requirement::find(const LatencyRow* row, const ComparedTrace& trace,
                                       std::string_view name) const {
  Finding found;
  if (row != nullptr) {
    found = find(*row, trace.has_gaps());
  } else if (!is_count()) {
    found.doubt = render::say<"require/nothing">(name_, "");
  } else if (trace.has_gaps()) {
    found.doubt = render::say<"require/lost">();
  }
  if (found.doubt.empty() && measure_ == Measure::kRate) {
    if (trace.seconds() <= 0) {
      found.doubt = render::say<"require/one-time">();
    } else {
      found.value /= trace.seconds();
    }
  }
  if (!found.doubt.empty()) found.doubt = fmt::format("in {}, {}", name, found.doubt);
  return found;
}

// By its name in either trace.
bool Requirement::is_meant(const ComparedRow& row) const {
  return names_.matches(row.latest().name) || names_.matches(row.either().name);
}

Requirement::Finding Requirement::count_slower(const Comparison& comparison) const {
  Finding found;
  bool any = false;
  std::set<std::string> others;
  for (const ComparedRow& row : comparison.rows()) {
    if (!is_meant(row)) {
      others.insert({row.name.label(), row.name.category});
      continue;
    }
    any = true;
    const std::uint64_t lost =
        (row.a == nullptr ? 0 : row.a->across_loss) + (row.b == nullptr ? 0 : row.b->across_loss);
    if (lost != 0 && found.doubt.empty()) {
      found.doubt = render::say<"require/lost-within">(render::Plain(lost), row.name.label());
    }
    if (row.b == nullptr && comparison.b().has_gaps() && found.doubt.empty())
      found.doubt = render::say<"require/lost">();
    if (row.is_slower()) ++found.value;
  }
  if (!any) found.doubt = nothing_text(others);
  return found;
}

Requirement::Verdict Requirement::check(const Comparison& comparison) const {
  if (measure_ == Measure::kSlower) return verdict_of(count_slower(comparison));
  std::vector<const ComparedRow*> meant;
  std::set<std::string> others;
  for (const ComparedRow& row : comparison.rows()) {
    if (is_meant(row)) {
      meant.push_back(&row);
    } else {
      others.insert({row.name.label(), row.name.category});
    }
  }
  if (measure_ == Measure::kAbsent) {
    const bool any = std::ranges::any_of(meant, [](const auto* row) { return row->b != nullptr; });
    return check_absent(any, comparison.b().has_gaps());
  }
  if (meant.empty()) return {false, fmt::format("in B, {}", nothing_text(others))};
  const auto tells_nothing = [this](const ComparedRow* row) {
    return !is_count() &&
           (is_without_durations(row->b) || (times_a_ && is_without_durations(row->a)));
  };
  if (!std::ranges::all_of(meant, tells_nothing)) std::erase_if(meant, tells_nothing);
  return check_each(
      meant, [](const ComparedRow* row) { return &row->latest(); },
      [&](const ComparedRow* row) { return check_one(comparison, *row); });
}

Requirement::Verdict Requirement::check_one(const Comparison& comparison,
                                            const ComparedRow& row) const {
  const Finding found = find(row.b, comparison.b(), "B");
  if (!times_a_ || !found.doubt.empty()) return verdict_of(found);
  const Finding of_a = find(row.a, comparison.a(), "A");
  if (!of_a.doubt.empty()) return {false, of_a.doubt};
  return {compare(found.value, bound_ * of_a.value),
          render::say<"require/is-and-was">(shown(found.value), shown(of_a.value))};
}

}  // namespace tracedeck::timeline

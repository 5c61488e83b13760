// Literals with units, and what stands beside them: `latency > 10ms`.
//
// A literal with a unit counts ns or bytes. Beside a field with a unit it is compared as so many of
// that; beside one without, or with another kind of unit, it is not compared. What is calculated
// are numbers as they stand.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/model/units.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/rows.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

// What an expression without paths counts, if literals in it have units: `2 * 5ms`.
[[nodiscard]] std::optional<Quantity> quantity_of(const Expression& expression);

// A comparison of something with literals that have units.
struct MeasuredComparison {
  const Expression* side = nullptr;           // what they are compared with
  std::vector<const Expression*> quantities;  // each has a `quantity_of`
};
// Nothing: it is none. The result points into `comparison`.
[[nodiscard]] std::optional<MeasuredComparison> measured_comparison(const Expression& comparison);

// What the numbers of an expression count in events of a class; empty: nothing says it. Nothing
// where they are calculated, or events of the class have no such field. As long as the class.
[[nodiscard]] std::optional<std::string_view> unit_in(const Expression& expression,
                                                      const EventClass& event_class);

// The number of `quantity` in a unit; unknown where the unit is none of that, or empty.
[[nodiscard]] Value in_unit(const Value& number, Quantity quantity, std::string_view unit);

// Whether events of the class can be compared so; nothing where no unit is asked for, as they have
// no such field.
[[nodiscard]] std::optional<bool> compares(const MeasuredComparison& comparison,
                                           const EventClass& event_class);

// Why not: `latency` has no unit, ... `unit`: what it counts, or empty.
[[nodiscard]] std::string sentence_about_unit(const MeasuredComparison& comparison,
                                              std::string_view unit);

// The columns of rows: what they count as far as it is known before any row, or nothing where they
// are calculated.
struct RowUnit {
  std::string_view unit = {};      // empty: nothing says it
  const SeenUnit* seen = nullptr;  // where events say it
  std::size_t column = 0;          // with `seen`: whose values may say it each for itself
};
[[nodiscard]] std::optional<RowUnit> unit_in(const Expression& expression,
                                             std::span<const Column> columns);

// Columns that are compared with literals of some unit, where fields say what they count.
class ComparedColumns {
 public:
  // All comparisons within an expression on rows. Behind a sort, values do not say their unit.
  void add(const Expression& expression, std::span<const Column> columns, bool is_sorted);
  // What could not be compared, as sentences. `row`: what each row is, if values of it say their
  // units; else empty.
  [[nodiscard]] std::vector<std::string> sentences(std::string_view row) const;

 private:
  struct Compared {
    const SeenUnit* seen = nullptr;
    Quantity quantity = Quantity::kTime;
    bool is_sorted = false;
    std::string name;       // of the column
    std::string otherwise;  // what is to be said if it does not count that
  };

  std::vector<Compared> compared_;
};

}  // namespace tracedeck::query

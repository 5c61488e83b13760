// Comparisons with literals that have units, and which event classes have a field that goes with
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

class UnitWatch {
 public:
  // All comparisons within an expression on events.
  void add(const Expression& expression);
  void see(const EventClass& event_class);

  [[nodiscard]] bool empty() const { return comparisons_.empty(); }
  // Whether no event of the class can be compared with a literal as an expression says, since what
  // they count has no unit, or another.
  [[nodiscard]] bool lacks(const EventClass& event_class) const;
  // Sentences about fields that are compared with literals of a unit that no class has for them.
  [[nodiscard]] std::vector<std::string> sentences() const;
  // The same about one that some classes have, and others have not.
  [[nodiscard]] std::optional<std::string> sentence_of_others() const;

 private:
  struct Use {
    ExpressionPtr comparison;
    bool compared = false;                  // by some class
    std::optional<std::string> other = {};  // of a class with which it is not: what it counts

    [[nodiscard]] std::string sentence() const;
  };

  std::vector<Use> comparisons_;
};

}  // namespace tracedeck::query

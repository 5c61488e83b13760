// What `let` gave names to.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tracedeck/base/error.hpp"
#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

class GivenNames {
 public:
  // Errors: those of `check`.
  [[nodiscard]] Result<void> add(const std::string& name, const Expression& expression);

  // The expression with what its names stand for; of no use if `check` fails then.
  [[nodiscard]] ExpressionPtr resolved(const Expression& expression);
  // Errors: kLimitExceeded, the names of a query stand for more operations than are accepted, or
  // nest them deeper.
  [[nodiscard]] Result<void> check() const;

  // The names mean nothing from here on, but they were given.
  void forget();
  [[nodiscard]] bool forgot(std::string_view name) const { return forgotten_.contains(name); }

 private:
  struct Named {
    ExpressionPtr expression;
    std::size_t size = 0;  // operations
  };

  std::map<std::string, Named, std::less<>> names_;
  std::set<std::string, std::less<>> forgotten_;
  std::size_t named_ = 0;  // operations that names stood for so far
  bool too_much_ = false;
};

}  // namespace tracedeck::query

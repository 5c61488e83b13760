// The literals of `x in [...]`, found in a few steps however many there are.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

class ConstantList {
 public:
  // `items`: of the list, which must outlive it.
  explicit ConstantList(std::span<const ExpressionPtr> items);

  // The items that are neither numbers nor texts nor ranges of either: it has none of them.
  [[nodiscard]] const std::vector<const Expression*>& others() const { return others_; }
  // Whether all are such.
  [[nodiscard]] bool empty() const { return is_empty_; }
  // Whether the value is equal to an item, as `equals` has it, or in a range; of a list that is not
  // empty.
  [[nodiscard]] std::optional<bool> has(const Value& value) const;

 private:
  struct Range {
    Value low;
    Value high;
  };
  using Ranges = std::vector<Range>;

  [[nodiscard]] bool add(const Expression& item);
  [[nodiscard]] bool add_range(const Expression& low, const Expression& high);
  [[nodiscard]] std::optional<bool> has_number(const Value& value) const;

  TextSet numbers_;  // as `encode_equal` has them
  TextViewSet texts_;
  // Sorted, none touches another.
  Ranges number_ranges_;
  Ranges text_ranges_;
  std::vector<const Expression*> others_;
  bool is_empty_ = true;
  bool has_number_ranges_ = false;
  bool has_text_ranges_ = false;
  bool has_reals_ = false;
};

using ConstantListPtr = std::shared_ptr<const ConstantList>;

// The value of a literal, or of a number with a sign; unknown of what is none.
[[nodiscard]] Value value_of_literal(const Expression& expression);

}  // namespace tracedeck::query

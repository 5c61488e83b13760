#include "tracedeck/query/given_names.hpp"

#include <utility>

#include "tracedeck/query/rewriting.hpp"

namespace tracedeck::query {
namespace {

// Operations that names of one query may stand for, all together.
constexpr std::size_t kMostNamed = std::size_t{1} << 16;

std::size_t size_of(const Expression& expression) {
  std::size_t size = 1;
  for (const ExpressionPtr& each : expression.operands) size += size_of(*each);
  return size;
}

}  // namespace

Result<void> GivenNames::add(const std::string& name, const Expression& expression) {
  ExpressionPtr made = resolved(expression);
  if (auto small = check(); !small) return small;
  const std::size_t size = size_of(*made);
  names_[name] = {.expression = std::move(made), .size = size};
  return {};
}

ExpressionPtr GivenNames::resolved(const Expression& expression) {
  ExpressionPtr made = rewritten(expression, [this](const Path& path) -> ExpressionPtr {
    if (path.root != Root::kAnyField || path.steps.size() != 1) return nullptr;
    const auto known = names_.find(path.steps.front().name);
    if (known == names_.end()) return nullptr;
    named_ += known->second.size;
    return named_ > kMostNamed ? nullptr : clone(*known->second.expression);
  });
  too_much_ = too_much_ || named_ > kMostNamed || made->depth > kMaxDepth;
  return made;
}

Result<void> GivenNames::check() const {
  if (!too_much_) return {};
  return fail(ErrorCode::kLimitExceeded, "the names that `let` gives stand for too much");
}

void GivenNames::forget() {
  for (const auto& [name, what] : names_) forgotten_.insert(name);
  names_.clear();
}

}  // namespace tracedeck::query

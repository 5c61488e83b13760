#include "tracedeck/query/unit_watch.hpp"

#include <algorithm>

#include "tracedeck/query/measures.hpp"
#include "tracedeck/query/rewriting.hpp"

namespace tracedeck::query {

std::string UnitWatch::Use::sentence() const {
  return sentence_about_unit(*measured_comparison(*comparison), *other);
}

void UnitWatch::add(const Expression& expression) {
  if (measured_comparison(expression)) comparisons_.push_back({.comparison = clone(expression)});
  for (const ExpressionPtr& operand : expression.operands) add(*operand);
}

void UnitWatch::see(const EventClass& event_class) {
  for (Use& use : comparisons_) {
    const auto measured = measured_comparison(*use.comparison);
    const auto compared = compares(*measured, event_class);
    use.compared = use.compared || compared == true;
    if (compared == false && (!use.other || use.other->empty()))
      use.other = *unit_in(*measured->side, event_class);
  }
}

bool UnitWatch::lacks(const EventClass& event_class) const {
  return std::ranges::any_of(comparisons_, [&](const Use& use) {
    return compares(*measured_comparison(*use.comparison), event_class) == false;
  });
}

std::vector<std::string> UnitWatch::sentences() const {
  std::vector<std::string> sentences;
  for (const Use& use : comparisons_) {
    if (use.compared || !use.other) continue;
    std::string sentence = use.sentence();
    if (std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::optional<std::string> UnitWatch::sentence_of_others() const {
  const auto use = std::ranges::find_if(
      comparisons_, [](const Use& each) { return each.compared && each.other.has_value(); });
  return use == comparisons_.end() ? std::nullopt : std::optional(use->sentence());
}

}  // namespace tracedeck::query

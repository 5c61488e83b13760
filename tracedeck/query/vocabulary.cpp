#include "tracedeck/query/vocabulary.hpp"

#include <algorithm>
#include <span>

namespace tracedeck::query {

std::string_view event_value_name(Root root) {
  return std::ranges::find(kEventValues, root, &RootWord::root)->text;
}

std::vector<std::string_view> event_value_words() {
  std::vector<std::string_view> words;
  for (const RootWord& each : kEventValues) words.push_back(each.text);
  return words;
}

std::vector<std::string_view> function_words() {
  std::vector<std::string_view> words;
  for (const Word& each : kFunctions) words.push_back(each.text);
  return words;
}

std::vector<WordMeaning> operator_meanings() {
  std::vector<WordMeaning> result(kWordOperators.begin(), kWordOperators.end());
  const auto append = [&](std::span<const Word> words) {
    for (const Word& each : words) result.push_back({each.text, each.meaning});
  };
  append(kComparisons);
  append(kSums);
  append(kProducts);
  return result;
}

std::vector<WordMeaning> function_meanings() {
  std::vector<WordMeaning> result;
  for (const Word& each : kFunctions) result.push_back({each.text, each.meaning});
  return result;
}

std::vector<WordMeaning> event_value_meanings() {
  std::vector<WordMeaning> result;
  for (const RootWord& each : kEventValues) result.push_back({each.text, each.meaning});
  return result;
}

std::vector<WordMeaning> root_meanings() {
  std::vector<WordMeaning> result;
  for (const RootWord& each : kRoots) result.push_back({each.text, each.meaning});
  return result;
}

}  // namespace tracedeck::query

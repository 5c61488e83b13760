#include "tracedeck/query/vocabulary.hpp"

#include <algorithm>

namespace tracedeck::query {
namespace {

template <class Table>
void append_meanings(std::vector<WordMeaning>& into, const Table& table) {
  for (const auto& each : table) into.push_back({each.text, each.meaning});
}

template <class Table>
std::vector<WordMeaning> meanings_of(const Table& table) {
  std::vector<WordMeaning> result;
  append_meanings(result, table);
  return result;
}

}  // namespace

std::string_view event_value_name(Root root) {
  return std::ranges::find(kEventValues, root, &RootWord::root)->text;
}

std::vector<WordMeaning> operator_meanings() {
  std::vector<WordMeaning> result(kWordOperators.begin(), kWordOperators.end());
  append_meanings(result, kComparisons);
  append_meanings(result, kSums);
  append_meanings(result, kProducts);
  return result;
}

std::vector<WordMeaning> function_meanings() { return meanings_of(kFunctions); }
std::vector<WordMeaning> event_value_meanings() { return meanings_of(kEventValues); }
std::vector<WordMeaning> root_meanings() { return meanings_of(kRoots); }

}  // namespace tracedeck::query

#include "tracedeck/comparison/property_differences.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace tracedeck::comparison {
namespace {

std::string attribute_in_words(const Attribute* attribute) {
  if (attribute == nullptr) return "";
  return attribute->is_json ? "JSON " + attribute->value : attribute->value;
}

// Attributes of one key, in their order.
using ByKey = std::map<std::string_view, std::vector<const Attribute*>>;

ByKey by_key(const Attributes& attributes) {
  ByKey result;
  for (const Attribute& each : attributes) result[each.key].push_back(&each);
  return result;
}

const Attribute* at(const ByKey& attributes, std::string_view key, std::size_t index) {
  const auto found = attributes.find(key);
  if (found == attributes.end() || index >= found->second.size()) return nullptr;
  return found->second[index];
}

}  // namespace

void PropertyDifferences::compare(const Attributes& left, const Attributes& right) const {
  if (std::ranges::equal(left, right)) return;
  const ByKey a = by_key(left);
  const ByKey b = by_key(right);
  bool same_but_for_order = true;
  const auto compare_key = [&](std::string_view key, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const Attribute* const x = at(a, key, i);
      const Attribute* const y = at(b, key, i);
      if (x != nullptr && y != nullptr && *x == *y) continue;
      same_but_for_order = false;
      add("attribute " + std::string(key), attribute_in_words(x), attribute_in_words(y));
    }
  };
  for (const auto& [key, values] : a) {
    const auto other = b.find(key);
    compare_key(key, std::max(values.size(), other == b.end() ? 0 : other->second.size()));
  }
  for (const auto& [key, values] : b) {
    if (!a.contains(key)) compare_key(key, values.size());
  }
  if (same_but_for_order) add("order of attributes", "", "");
}

}  // namespace tracedeck::comparison

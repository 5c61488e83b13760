#include "tracedeck/base/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tracedeck {
namespace {

constexpr std::size_t kLongest = 256;

// Edits that turn one word into the other: insertions, deletions, replacements, and neighbours that
// change places.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i + 1;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t replaced = last[k] + (a[i] == b[k] ? 0 : 1);
      row[k + 1] = std::min({replaced, row[k] + 1, last[k + 1] + 1});
      if (i > 0 && k > 0 && a[i] == b[k - 1] && a[i - 1] == b[k])
        row[k + 1] = std::min(row[k + 1], before_last[k - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> words) {
  std::string_view best;
  std::size_t best_distance = 3;  // more edits than two are another word
  if (word.size() > kLongest) return best;
  for (const std::string_view candidate : words) {
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (std::max(word.size(), candidate.size()) - shorter >= best_distance) continue;
    const std::size_t edits = distance(word, candidate);
    if (edits < best_distance && 2 * edits <= shorter) {
      best = candidate;
      best_distance = edits;
    }
  }
  return best;
}

}  // namespace tracedeck

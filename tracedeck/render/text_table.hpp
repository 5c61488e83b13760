// Rows of cells in aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tracedeck::render {

class TextTable {
 public:
  enum class Side : unsigned char { kLeft, kRight };

  // On which side of its column each cell stands. The last column is not padded on its right.
  explicit TextTable(std::vector<Side> sides) : sides_(std::move(sides)) {}

  // As many cells as there are columns, without control characters.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // The rows, each a line that begins with `indent` spaces and ends in none.
  [[nodiscard]] std::string to_string(std::size_t indent = 0) const;

 private:
  std::vector<Side> sides_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tracedeck::render

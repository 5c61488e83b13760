#include "tracedeck/render/text_table.hpp"

#include <algorithm>

#include "tracedeck/render/visible.hpp"

namespace tracedeck::render {

std::string TextTable::to_string(std::size_t indent) const {
  std::vector<std::size_t> widths(sides_.size());
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows_) {
    std::size_t spaces = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t padding = widths[i] - columns_of(row[i]);
      if (sides_[i] == Side::kRight) spaces += padding;
      if (!row[i].empty()) {
        text.append(spaces, ' ');
        spaces = 0;
      }
      text += row[i];
      spaces += (sides_[i] == Side::kLeft ? padding : 0) + 2;
    }
    text += '\n';
  }
  return text;
}

}  // namespace tracedeck::render

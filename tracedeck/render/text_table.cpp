#include "tracedeck/render/text_table.hpp"

#include <algorithm>

#include "tracedeck/render/visible.hpp"

namespace tracedeck::render {

void TextTable::widen(std::vector<std::size_t>& widths, const Cells& row) {
  for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
}

void TextTable::append_line(TextBuffer& out, const std::vector<Side>& sides,
                            const std::vector<std::size_t>& widths, const Cells& row,
                            std::size_t indent) {
  std::size_t spaces = indent;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t padding = widths[i] - columns_of(row[i]);
    if (sides[i] == Side::kRight) spaces += padding;
    if (!row[i].empty()) out.append(std::exchange(spaces, 0), ' ');
    out.append(row[i]);
    spaces += (sides[i] == Side::kLeft ? padding : 0) + 2;
  }
  out.append('\n');
}

void TextTable::append_to(TextBuffer& out, std::size_t indent) const {
  std::vector<std::size_t> widths(sides_.size());
  for (const Cells& row : rows_) widen(widths, row);
  for (const Cells& row : rows_) append_line(out, sides_, widths, row, indent);
}

std::string TextTable::to_string(std::size_t indent) const {
  constexpr std::size_t kUsual = 4096;
  TextBuffer out(nullptr, kUsual);
  append_to(out, indent);
  return std::string(out.view());
}

}  // namespace tracedeck::render

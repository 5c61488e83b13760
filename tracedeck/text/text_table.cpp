#include "tracedeck/text/text_table.hpp"

#include <algorithm>

#include "tracedeck/text/visible.hpp"

namespace tracedeck {

void TextTable::widen(std::size_t& width, std::string_view cell) {
  width = std::max(width, columns_of(cell));
}

template <class Cell>
void TextTable::append_line(TextBuffer& out, const std::vector<Side>& sides,
                            const std::vector<std::size_t>& widths, const std::vector<Cell>& row,
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

template void TextTable::append_line(TextBuffer&, const std::vector<Side>&,
                                     const std::vector<std::size_t>&, const Cells&, std::size_t);

void TextTable::add(std::initializer_list<std::string_view> cells) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  std::size_t size = 0;
  std::size_t column = 0;
  for (const std::string_view cell : cells) {
    widen(widths_[column++], cell);
    size += cell.size() + 1;
  }
  if (blocks_.empty()) blocks_.emplace_back();
  if (blocks_.back().size() + size > kBlock && !blocks_.back().empty()) blocks_.emplace_back();
  // Of a million labels in one cell there should be no second copy.
  if (size > kBlock) blocks_.back().reserve(size);
  for (const std::string_view cell : cells) blocks_.back().append(cell).push_back('\n');
}

void TextTable::append_to(TextBuffer& out, std::size_t indent) const {
  std::vector<std::string_view> row;
  for (const std::string_view block : blocks_) {
    for (std::size_t at = 0; at < block.size();) {
      const std::size_t end = block.find('\n', at);
      row.push_back(block.substr(at, end - at));
      at = end + 1;
      if (row.size() < sides_.size()) continue;
      append_line(out, sides_, widths_, row, indent);
      row.clear();
    }
  }
}

std::string TextTable::to_string(std::size_t indent) const {
  constexpr std::size_t kFirstRoom = 4096;
  TextBuffer out(nullptr, kFirstRoom);
  append_to(out, indent);
  return std::string(out.view());
}

}  // namespace tracedeck

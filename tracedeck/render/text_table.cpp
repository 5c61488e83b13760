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

void TextTable::add(const Cells& cells) {
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  widen(widths_, cells);
  std::size_t size = 0;
  for (const std::string& cell : cells) size += cell.size() + 1;
  if (blocks_.empty()) blocks_.emplace_back();
  if (blocks_.back().size() + size > kBlock && !blocks_.back().empty()) blocks_.emplace_back();
  for (const std::string& cell : cells) blocks_.back().append(cell).push_back('\n');
}

void TextTable::append_to(TextBuffer& out, std::size_t indent) const {
  Cells row;
  for (const std::string& block : blocks_) {
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
  constexpr std::size_t kUsual = 4096;
  TextBuffer out(nullptr, kUsual);
  append_to(out, indent);
  return std::string(out.view());
}

}  // namespace tracedeck::render

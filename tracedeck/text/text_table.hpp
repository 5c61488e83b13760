// Rows of cells in aligned columns.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/text/text_buffer.hpp"

namespace tracedeck {

class TextTable {
 public:
  enum class Side : unsigned char { kLeft, kRight };

  // On which side of its column each cell stands. The last column is not padded on its right.
  explicit TextTable(std::vector<Side> sides) : sides_(std::move(sides)), widths_(sides_.size()) {}

  // As many cells as there are columns, without control characters.
  void add(std::initializer_list<std::string_view> cells);
  [[nodiscard]] bool empty() const { return blocks_.empty(); }

  // The rows, each a line that begins with `indent` spaces and ends in none.
  [[nodiscard]] std::string to_string(std::size_t indent = 0) const;
  void append_to(TextBuffer& out, std::size_t indent = 0) const;

  // The same for `count` rows that are not kept: `row(index)` is called twice for each.
  template <class Row>
  static void append_rows(TextBuffer& out, const std::vector<Side>& sides, std::size_t count,
                          const Row& row, std::size_t indent) {
    std::vector<std::size_t> widths(sides.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Cells cells = row(i);
      for (std::size_t j = 0; j < cells.size(); ++j) widen(widths[j], cells[j]);
    }
    for (std::size_t i = 0; i < count; ++i) append_line(out, sides, widths, row(i), indent);
  }

 private:
  using Cells = std::vector<std::string>;

  static void widen(std::size_t& width, std::string_view cell);
  // `Cell`: a string or a view of one.
  template <class Cell>
  static void append_line(TextBuffer& out, const std::vector<Side>& sides,
                          const std::vector<std::size_t>& widths, const std::vector<Cell>& row,
                          std::size_t indent);

  std::vector<Side> sides_;
  std::vector<std::size_t> widths_;
  // The cells, each with a line feed behind it: there may be a row for each of a million labels.
  // Rows are whole in a block.
  std::vector<std::string> blocks_;
};

}  // namespace tracedeck

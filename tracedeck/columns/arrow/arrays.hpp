// Columns as Arrow's arrays: bitmaps of what is there, offsets, and values with room for each null.
//
// https://arrow.apache.org/docs/format/Columnar.html
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/columns/arrow/messages.hpp"
#include "tracedeck/columns/column.hpp"
#include "tracedeck/columns/places.hpp"

namespace tracedeck::arrow {

// How the numbers of words are written.
enum class WordNumbers : std::uint8_t {
  kOfColumn,  // those that the column gave them
  kOfBatch,   // from 0 on in each batch, in the order in which they come
};

// Goes through the rows of a table from the first to the last, batch after batch.
class ArrayEncoder {
 public:
  // `root`: must outlive it, and stay as it is.
  explicit ArrayEncoder(const columns::Column& root, WordNumbers numbers);

  // The next rows, of which there are as many.
  [[nodiscard]] Arrays next(std::size_t rows);

  // The words of the last batch for each column of words, by the numbers that stand for them; of
  // WordNumbers::kOfBatch.
  [[nodiscard]] std::span<const std::vector<std::uint32_t>> words() const { return words_; }

 private:
  // What of a column was written.
  struct Cursor {
    std::size_t instances = 0;
    std::size_t values = 0;
    std::size_t characters = 0;
  };

  void column(const columns::Column& column, const columns::Places& outer);
  std::uint32_t ends(const columns::Column& column, const columns::Places& places, Cursor& cursor);
  void leaf(const columns::Column& column, const columns::Places& places, Cursor& cursor);
  void words(const columns::Column& column, const columns::Places& places, Cursor& cursor);

  const columns::Column& root_;
  WordNumbers numbers_;
  std::vector<Cursor> cursors_;  // in the order of columns
  std::size_t next_cursor_ = 0;
  std::vector<std::vector<std::uint32_t>> words_;
  std::size_t next_words_ = 0;
  Arrays arrays_;
};

// Words as an array.
[[nodiscard]] Arrays word_arrays(const columns::Words& words,
                                 std::optional<std::span<const std::uint32_t>> chosen);

}  // namespace tracedeck::arrow

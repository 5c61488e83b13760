// What the pages of a column are encoded from: the values of a leaf, part by part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/columns/parquet/column_chunk.hpp"

namespace tracedeck::parquet {

// The values of a leaf, numbered from 0; parts are asked for from the first to the last. The column
// must outlive it.
class LeafValues {
 public:
  explicit LeafValues(const columns::Column& leaf);

  [[nodiscard]] std::size_t size() const { return size_; }

  // How many of the values from `from` on, at most `count`, a page should hold that is not to
  // become larger than some bytes; at least 1 if `count` is.
  [[nodiscard]] std::size_t that_fit(std::size_t from, std::size_t count) const;

  // Whether values stand as numbers of a dictionary, and that dictionary as PLAIN.
  [[nodiscard]] bool has_dictionary() const { return dictionary_count_ != 0; }
  [[nodiscard]] std::size_t dictionary_count() const { return dictionary_count_; }
  [[nodiscard]] const std::string& dictionary() const { return dictionary_; }

  // Appends values in the encoding that takes the least, and says which that is.
  Encoding append(std::string& out, std::size_t from, std::size_t count);

  // The values where the column has them as `append` would write them; else nothing.
  [[nodiscard]] std::string_view stored(std::size_t from, std::size_t count) const;

  // Whether PLAIN may take less than that once both are compressed: of texts of which half are
  // repeated, of integers of which neighbours repeat bytes.
  [[nodiscard]] bool may_be_plain() const;
  // How many values `append_plain` should be tried with.
  [[nodiscard]] std::size_t sample() const;
  void append_plain(std::string& out, std::size_t from, std::size_t count) const;
  // From now on all are.
  void make_plain();

  [[nodiscard]] Bounds bounds(std::size_t from, std::size_t count) const;

 private:
  void find_offsets();
  void make_text_dictionary();
  void make_word_dictionary();
  void make_integer_dictionary();
  bool gains_from_dictionary() const;
  [[nodiscard]] std::size_t that_fit_plain(std::size_t from, std::size_t count) const;
  [[nodiscard]] std::string_view text(std::size_t index) const;

  const columns::Column& leaf_;
  std::size_t size_;
  std::vector<std::uint64_t> offsets_;  // of texts in `characters`, and the end
  bool is_plain_ = false;
  std::string dictionary_;
  std::size_t dictionary_count_ = 0;
  // Of the values in the dictionary; empty where all are its only one.
  columns::Values<std::uint32_t> numbers_;
};

// The smaller of both where they are of the same leaf, and the larger.
void widen(const columns::Column& leaf, Bounds& bounds, const Bounds& by);

// Whether `a` is less than `b` in the order of the leaf's values.
[[nodiscard]] bool is_less(const columns::Column& leaf, const std::string& a, const std::string& b);

}  // namespace tracedeck::parquet

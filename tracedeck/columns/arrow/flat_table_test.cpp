#include "tracedeck/columns/arrow/flat_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::arrow {
namespace {

// Reads what was encoded, by the rules of https://flatbuffers.dev/internals/.
class Reading {
 public:
  explicit Reading(std::string bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] std::size_t root() const { return follow(0); }
  // Where a field of a table stands; 0: it is not there.
  [[nodiscard]] std::size_t field(std::size_t table, unsigned number) const {
    const std::size_t offsets = table - load<std::uint32_t>(table);
    if (4 + 2 * number >= load<std::uint16_t>(offsets)) return 0;
    const std::size_t offset = load<std::uint16_t>(offsets + 4 + 2 * number);
    EXPECT_LT(offset, load<std::uint16_t>(offsets + 2));
    return offset == 0 ? 0 : table + offset;
  }
  [[nodiscard]] std::size_t follow(std::size_t at) const { return at + load<std::uint32_t>(at); }
  [[nodiscard]] std::string text(std::size_t table, unsigned number) const {
    const std::size_t begin = follow(field(table, number));
    const std::size_t size = load<std::uint32_t>(begin);
    EXPECT_EQ(bytes_[begin + 4 + size], '\0');
    return bytes_.substr(begin + 4, size);
  }
  template <class Number>
  [[nodiscard]] Number load(std::size_t at) const {
    EXPECT_EQ(at % sizeof(Number), 0U);
    return load_le<Number>(as_bytes(bytes_).data() + at);
  }

 private:
  std::string bytes_;
};

TEST(FlatTable, FieldsAreFoundByTheirNumbers) {
  FlatTable inner;
  inner.text(0, "inner");
  FlatTable table;
  table.boolean(1, true);
  table.i64(2, -2);
  table.i16(3, 7);
  table.text(5, "abc");
  table.table(6, inner);
  table.i32(8, 9);
  const Reading read(table.encode());
  const std::size_t root = read.root();
  EXPECT_EQ(read.load<std::uint8_t>(read.field(root, 1)), 1);
  EXPECT_EQ(read.load<std::uint64_t>(read.field(root, 2)), ~std::uint64_t{1});
  EXPECT_EQ(read.load<std::uint16_t>(read.field(root, 3)), 7);
  EXPECT_EQ(read.text(root, 5), "abc");
  EXPECT_EQ(read.text(read.follow(read.field(root, 6)), 0), "inner");
  EXPECT_EQ(read.load<std::uint32_t>(read.field(root, 8)), 9U);
  for (const unsigned absent : {0U, 4U, 7U, 9U, 100U}) EXPECT_EQ(read.field(root, absent), 0U);
}

TEST(FlatTable, VectorsHoldTablesOrStructures) {
  FlatTable one;
  one.text(0, "one");
  FlatTable two;
  two.text(0, "two");
  FlatTable table;
  table.text(0, "x");  // moves what comes behind off the multiples of 8
  table.tables(1, {one, two});
  table.structures(2, 2, {1, 2, 3, 4});
  table.structures(3, 3, {});
  const Reading read(table.encode());
  const std::size_t tables = read.follow(read.field(read.root(), 1));
  ASSERT_EQ(read.load<std::uint32_t>(tables), 2U);
  EXPECT_EQ(read.text(read.follow(tables + 8), 0), "two");
  const std::size_t structures = read.follow(read.field(read.root(), 2));
  ASSERT_EQ(read.load<std::uint32_t>(structures), 2U);
  EXPECT_EQ(read.load<std::uint64_t>(structures + 4 + 24), 4U);
  EXPECT_EQ(read.load<std::uint32_t>(read.follow(read.field(read.root(), 3))), 0U);
}

}  // namespace
}  // namespace tracedeck::arrow

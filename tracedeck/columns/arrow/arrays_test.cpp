#include "tracedeck/columns/arrow/arrays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::arrow {
namespace {

using columns::Column;
using columns::ColumnType;
using testing::ElementsAre;

Column column(ColumnType type, bool is_nullable, std::vector<Column> children = {}) {
  Column made{.name = "x", .type = type};
  made.nullable = is_nullable;
  made.children = std::move(children);
  return made;
}

// The bytes of a buffer.
std::string buffer(const Arrays& arrays, std::size_t number) {
  EXPECT_EQ(arrays.buffers[2 * number] % kBodyAlignment, 0U);
  return arrays.body.substr(arrays.buffers[2 * number], arrays.buffers[2 * number + 1]);
}
std::vector<std::uint32_t> numbers(const Arrays& arrays, std::size_t number) {
  const std::string bytes = buffer(arrays, number);
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4)
    values.push_back(load_le<std::uint32_t>(as_bytes(bytes).data() + i));
  return values;
}

TEST(Arrays, NullsTakeRoomAndAreCounted) {
  Column value = column(ColumnType::kInteger, true);
  value.width = 16;
  value.valid = {1, 0, 1};
  value.words32 = {0x0102, 0xFFFF};
  const Column root = column(ColumnType::kGroup, false, {value});
  ArrayEncoder encoder(root, WordNumbers::kOfColumn);
  const Arrays arrays = encoder.next(3);
  EXPECT_THAT(arrays.nodes, ElementsAre(3, 1));
  EXPECT_EQ(buffer(arrays, 0), "\x05");
  EXPECT_EQ(buffer(arrays, 1), std::string("\x02\x01\0\0\xFF\xFF", 6));
  EXPECT_EQ(arrays.body.size(), 2 * kBodyAlignment);
}

// [{"a"}, null], null, [{"bc"}] | [], [null, {"d"}]
TEST(Arrays, BatchesGoOnWhereTheLastEnded) {
  Column text = column(ColumnType::kText, false);
  text.words32 = {1, 2, 1};
  text.characters = "abcd";
  Column group = column(ColumnType::kGroup, true, {text});
  group.valid = {1, 0, 1, 0, 1};
  Column list = column(ColumnType::kList, true, {group});
  list.valid = {1, 0, 1, 1, 1};
  list.words32 = {2, 1, 0, 2};
  const Column root = column(ColumnType::kGroup, false, {list});

  ArrayEncoder encoder(root, WordNumbers::kOfColumn);
  const Arrays first = encoder.next(3);
  // List, group, text.
  EXPECT_THAT(first.nodes, ElementsAre(3, 1, 3, 1, 3, 0));
  EXPECT_EQ(buffer(first, 0), "\x05");
  EXPECT_THAT(numbers(first, 1), ElementsAre(0, 2, 2, 3));
  EXPECT_EQ(buffer(first, 2), "\x05");
  EXPECT_EQ(buffer(first, 3), "");
  EXPECT_THAT(numbers(first, 4), ElementsAre(0, 1, 1, 3));
  EXPECT_EQ(buffer(first, 5), "abc");

  const Arrays second = encoder.next(2);
  EXPECT_THAT(second.nodes, ElementsAre(2, 0, 2, 1, 2, 0));
  EXPECT_THAT(numbers(second, 1), ElementsAre(0, 0, 2));
  EXPECT_EQ(buffer(second, 2), "\x02");
  EXPECT_THAT(numbers(second, 4), ElementsAre(0, 0, 1));
  EXPECT_EQ(buffer(second, 5), "d");
}

TEST(Arrays, WordsOfABatchAreNumberedAsTheyCome) {
  Column word = column(ColumnType::kWord, false);
  word.words = std::make_shared<columns::Words>();
  for (const char* const each : {"a", "b", "c"}) word.words->add(each);
  word.words32 = {2, 0, 2, 1};
  const Column root = column(ColumnType::kGroup, false, {word});
  ArrayEncoder encoder(root, WordNumbers::kOfBatch);
  EXPECT_THAT(numbers(encoder.next(3), 1), ElementsAre(0, 1, 0));
  EXPECT_THAT(encoder.words().front(), ElementsAre(2, 0));
  const Arrays dictionary = word_arrays(*word.words, encoder.words().front());
  EXPECT_THAT(dictionary.nodes, ElementsAre(2, 0));
  EXPECT_EQ(buffer(dictionary, 2), "ca");
  EXPECT_THAT(numbers(encoder.next(1), 1), ElementsAre(0));
  EXPECT_THAT(encoder.words().front(), ElementsAre(1));
}

}  // namespace
}  // namespace tracedeck::arrow

#include "tracedeck/query/cell.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tracedeck::query {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// One of each kind, in the order of a sort.
std::vector<Cell> cells() {
  const Uint128 wide = Uint128{1} << 100;
  return {Cell{},
          Cell::of(kNotANumber),
          Cell::of(-kInfinity),
          Cell::of(Integer::of(wide, true)),
          Cell::of(Integer::from_signed(-1)),
          Cell{.kind = Cell::Kind::kBoolean, .boolean = false},
          Cell::of(0.5),
          Cell{.kind = Cell::Kind::kBoolean, .boolean = true},
          Cell{.kind = Cell::Kind::kInteger,
               .integer = Integer::from(std::uint64_t{3}),
               .labels = {"busy", "late"}},
          Cell::of(~std::uint64_t{0}),
          Cell::of(Integer::of(wide, false)),
          Cell::of(kInfinity),
          Cell{.kind = Cell::Kind::kText, .text = ""},
          Cell{.kind = Cell::Kind::kBlob, .text = std::string("\0a", 2)},
          Cell{.kind = Cell::Kind::kJson, .text = "[1,2]"},
          Cell{.kind = Cell::Kind::kText, .text = "a"}};
}

TEST(Cell, ComesBackFromBytes) {
  std::string bytes;
  for (const Cell& cell : cells()) encode(bytes, cell);
  auto left = bytes_of(bytes);
  for (const Cell& cell : cells()) {
    const auto back = decode_cell(left);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->kind, cell.kind);
    EXPECT_EQ(back->boolean, cell.boolean);
    EXPECT_EQ(back->integer, cell.integer);
    EXPECT_TRUE(back->real == cell.real || std::isnan(cell.real));
    EXPECT_EQ(back->text, cell.text);
    EXPECT_EQ(back->labels, cell.labels);
  }
  EXPECT_TRUE(left.empty());
}

TEST(Cell, NothingComesBackFromLessBytes) {
  for (const Cell& cell : cells()) {
    std::string bytes;
    encode(bytes, cell);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      auto left = bytes_of(bytes).first(size);
      EXPECT_FALSE(decode_cell(left)) << size;
    }
  }
}

TEST(Cell, HasAnOrder) {
  const std::vector<Cell> all = cells();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j)
      EXPECT_EQ(order_of(all[i], all[j]), i <=> j) << i << " " << j;
  }
}

std::string equal_bytes(const Value& value) {
  std::string bytes;
  return encode_equal(bytes, value) ? bytes : "nothing";
}

TEST(Cell, BytesForEqualityAreThoseOfEqualValues) {
  const std::string three = equal_bytes(Value::of(std::uint64_t{3}));
  EXPECT_EQ(equal_bytes(Value::of(3.0)), three);
  EXPECT_EQ(equal_bytes(cells()[8].value()), three);
  EXPECT_NE(equal_bytes(Value::of(-3.0)), three);
  EXPECT_NE(equal_bytes(Value::of(std::string_view("3"))), three);
  EXPECT_EQ(equal_bytes(Value::of(true)), equal_bytes(Value::of(1.0)));
  EXPECT_EQ(equal_bytes(Value::of(-0.0)), equal_bytes(Value::of(std::uint64_t{0})));
  EXPECT_EQ(equal_bytes(Value::of(0x1p100)), equal_bytes(cells()[10].value()));
  EXPECT_NE(equal_bytes(Value::of(0x1p130)), equal_bytes(Value::of(0x1p131)));
  EXPECT_EQ(equal_bytes(cells()[13].value()), equal_bytes(Value::of(std::string_view("\0a", 2))));
  EXPECT_EQ(equal_bytes(Value{}), "nothing");
  EXPECT_EQ(equal_bytes(Value::of(kNotANumber)), "nothing");
}

TEST(Cell, EstimatesStaySuch) {
  Cell cell = Cell::of(std::uint64_t{3000});
  cell.is_estimate = true;
  std::string bytes;
  encode(bytes, cell);
  std::string exact;
  encode(exact, Cell::of(std::uint64_t{3000}));
  const auto span = [](const std::string& of) {
    return std::span(reinterpret_cast<const std::uint8_t*>(of.data()), of.size());
  };
  auto rest = span(bytes);
  const auto back = decode_cell(rest);
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->is_estimate);
  EXPECT_EQ(back->integer, Integer::from(std::uint64_t{3000}));
  EXPECT_TRUE(rest.empty());
  auto a = span(bytes);
  auto b = span(exact);
  EXPECT_EQ(rank_of(a), rank_of(b));
  EXPECT_EQ(order_of(a, b), std::weak_ordering::equivalent);
  EXPECT_TRUE(a.empty() && b.empty());
}

TEST(Cell, PlainBytesAreWithoutLabels) {
  std::string labelled;
  std::string plain;
  encode_plain(labelled, cells()[8].value());
  encode_plain(plain, Value::of(std::uint64_t{3}));
  EXPECT_EQ(labelled, plain);
}

}  // namespace
}  // namespace tracedeck::query

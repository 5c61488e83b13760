#include "tracedeck/model/symbols.hpp"

#include <gtest/gtest.h>

namespace tracedeck {
namespace {

TEST(SymbolTable, NamesAddressesAndRanges) {
  SymbolTable table;
  table.add(0x2000, 0x10, 0, "range");
  table.add(0x1000, 0, 0, "alone");
  table.add(0xFFFFFFFFFFFFFFF0, 0x100, 0, "last");
  table.finish();
  EXPECT_EQ(table.name_of(0x1000), "alone");
  EXPECT_EQ(table.name_of(0x1001), "");
  EXPECT_EQ(table.name_of(0xFFF), "");
  EXPECT_EQ(table.name_of(0x2000), "range");
  EXPECT_EQ(table.name_of(0x200F), "range");
  EXPECT_EQ(table.name_of(0x2010), "");
  EXPECT_EQ(table.name_of(0xFFFFFFFFFFFFFFFF), "last");
}

TEST(SymbolTable, TheFunctionItselfCountsBeforeWhatIsInlinedIntoIt) {
  SymbolTable table;
  table.add(5, 0, 1, "inlined");
  table.add(5, 0, 0, "function");
  table.add(5, 0, 0, "again");
  table.add(7, 0, 2, "deepest");
  table.add(7, 0, 1, "deep");
  table.finish();
  EXPECT_EQ(table.name_of(5), "function");
  EXPECT_EQ(table.name_of(7), "deep");
}

TEST(SymbolTable, IsBounded) {
  SymbolTable table(100);
  table.add(1, 0, 0, "one");
  table.add(2, 0, 0, std::string(100, 'x'));
  table.finish();
  EXPECT_EQ(table.name_of(1), "one");
  EXPECT_EQ(table.name_of(2), "");
  EXPECT_EQ(table.left_out(), 1);
}

TEST(Symbols, AreReadOnceAndWhenAskedFor) {
  int reads = 0;
  const Symbols symbols([&] {
    ++reads;
    SymbolTable table;
    table.add(1, 0, 0, "one");
    table.finish();
    return table;
  });
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(symbols.name_of(1), "one");
  EXPECT_EQ(symbols.name_of(2), "");
  EXPECT_EQ(reads, 1);
}

}  // namespace
}  // namespace tracedeck

#include "tracedeck/model/symbols.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>

namespace tracedeck {
namespace {

std::string names(std::span<const Function> functions) {
  std::string text;
  for (const Function& each : functions) {
    if (!text.empty()) text += " < ";
    text += each.name;
  }
  return text;
}

TEST(SymbolTable, NamesAddressesAndRanges) {
  SymbolTable table;
  table.add(0x2000, 0x10, 0, {.name = "range"});
  table.add(0x1000, 0, 0, {.name = "alone"});
  table.add(0xFFFFFFFFFFFFFFF0, 0x100, 0, {.name = "last"});
  table.finish();
  EXPECT_EQ(names(table.functions_at(0x1000)), "alone");
  EXPECT_EQ(names(table.functions_at(0x1001)), "");
  EXPECT_EQ(names(table.functions_at(0xFFF)), "");
  EXPECT_EQ(names(table.functions_at(0x2000)), "range");
  EXPECT_EQ(names(table.functions_at(0x200F)), "range");
  EXPECT_EQ(names(table.functions_at(0x2010)), "");
  EXPECT_EQ(names(table.functions_at(0xFFFFFFFFFFFFFFFF)), "last");
}

TEST(SymbolTable, WhatIsInlinedStandsBeforeTheFunctionThatItIsIn) {
  SymbolTable table;
  table.add(5, 0, 1, {.name = "inlined"});
  table.add(5, 0, 0, {.name = "function"});
  table.add(5, 0, 0, {.name = "again"});
  table.add(7, 0, 2, {.name = "deepest"});
  table.add(7, 0, 1, {.name = "deep"});
  table.finish();
  EXPECT_EQ(names(table.functions_at(5)), "inlined < function");
  EXPECT_EQ(names(table.functions_at(7)), "deepest < deep");
}

TEST(SymbolTable, InlinedFunctionsReachAsFarAsTheySay) {
  SymbolTable table;
  table.add(0x10, 0x20, 0, {.name = "function"});
  table.add(0x10, 0x8, 1, {.name = "inlined"});
  table.add(0x10, 0, 2, {.name = "at its begin"});
  table.finish();
  EXPECT_EQ(names(table.functions_at(0x10)), "at its begin < inlined < function");
  EXPECT_EQ(names(table.functions_at(0x17)), "inlined < function");
  EXPECT_EQ(names(table.functions_at(0x18)), "function");
  EXPECT_EQ(names(table.functions_at(0x30)), "");
}

TEST(SymbolTable, PlacesAreTheEndsOfPaths) {
  SymbolTable table;
  table.add(1, 0, 0, {.name = "f", .file = "/home/me/app/src/main.rs", .line = 7});
  table.add(2, 0, 0, {.name = "g", .file = "main.rs"});
  table.add(3, 0, 0, {.name = "h", .line = 7});
  table.add(4, 0, 0, {.name = "w", .file = "C:\\app\\main.rs", .line = 1});
  table.finish();
  EXPECT_EQ(table.functions_at(1).front().with_place(), "f (src/main.rs:7)");
  EXPECT_EQ(table.functions_at(1).front().file, "/home/me/app/src/main.rs");
  EXPECT_EQ(table.functions_at(2).front().with_place(), "g (main.rs)");
  EXPECT_EQ(table.functions_at(3).front().with_place(), "h");
  EXPECT_EQ(table.functions_at(4).front().place(), "app\\main.rs:1");
}

TEST(SymbolTable, IsBounded) {
  const std::string kLong(300, 'x');
  SymbolTable table(400);
  table.add(1, 0, 0, {.name = "one"});
  table.add(2, 0, 0, {.name = kLong});
  table.finish();
  EXPECT_EQ(names(table.functions_at(1)), "one");
  EXPECT_EQ(names(table.functions_at(2)), "");
  EXPECT_EQ(table.left_out(), 1);
}

TEST(Symbols, AreReadOnceAndWhenAskedFor) {
  int reads = 0;
  const Symbols symbols([&] {
    ++reads;
    SymbolTable table;
    table.add(1, 0, 0, {.name = "one"});
    table.finish();
    return table;
  });
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(names(symbols.functions_at(1)), "one");
  EXPECT_EQ(names(symbols.functions_at(2)), "");
  EXPECT_EQ(reads, 1);
}

}  // namespace
}  // namespace tracedeck

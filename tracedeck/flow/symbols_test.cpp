#include "tracedeck/flow/symbols.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace tracedeck::flow {
namespace {

bool mentions_name(const std::string& content, std::size_t chunk = 0) {
  const auto input = io::memory_input("memory", as_bytes(content), chunk);
  return mentions(*input, "SymbolTableEntry").value();
}

TEST(Symbols, ANameIsFoundWhereverItBegins) {
  const std::string name = "SymbolTableEntry";
  EXPECT_TRUE(mentions_name(name));
  EXPECT_TRUE(mentions_name("S" + name + "x"));
  EXPECT_FALSE(mentions_name(""));
  EXPECT_FALSE(mentions_name(name.substr(1)));
  EXPECT_FALSE(mentions_name("SymbolTable Entry"));
  // Wherever it is cut.
  for (std::size_t chunk = 1; chunk < 20; ++chunk)
    EXPECT_TRUE(mentions_name("SymbolTable" + name, chunk)) << chunk;
  constexpr std::size_t kBuffer = std::size_t{256} << 10;
  for (std::size_t before = kBuffer - 20; before < kBuffer + 40; ++before)
    EXPECT_TRUE(mentions_name(std::string(before, 'S') + name)) << before;
}

}  // namespace
}  // namespace tracedeck::flow

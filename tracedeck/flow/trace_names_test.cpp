#include "tracedeck/flow/trace_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tracedeck::flow {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<std::string>& paths) {
  return shortest_endings(paths);
}

TEST(TraceNames, AreTheShortestEndingsThatNoOtherHas) {
  EXPECT_THAT(names({"/x/a.bin", "/x/b.bin"}), ElementsAre("a.bin", "b.bin"));
  EXPECT_THAT(names({"/x/one/t.bin", "/x/two/t.bin", "/x/u.bin"}),
              ElementsAre("one/t.bin", "two/t.bin", "u.bin"));
  EXPECT_THAT(names({"/a/s/t", "/b/s/t", "/b/r/t"}), ElementsAre("a/s/t", "b/s/t", "r/t"));
}

TEST(TraceNames, OneThatIsTheEndingOfAnotherGetsMore) {
  EXPECT_THAT(names({"/t", "/x/t"}), ElementsAre("t", "x/t"));
}

TEST(TraceNames, SpellingsOfOnePathAreOne) {
  EXPECT_THAT(names({"/x/./a/", "/y/../x/b"}), ElementsAre("a", "b"));
}

TEST(TraceNames, TheSameTraceTwiceKeepsItsWholePath) {
  EXPECT_THAT(names({"/x/a", "/x/a"}), ElementsAre("x/a", "x/a"));
}

TEST(TraceNames, StandardInput) { EXPECT_THAT(names({"-", "/x/a"}), ElementsAre("-", "a")); }

}  // namespace
}  // namespace tracedeck::flow

#include "tracedeck/convert/measured_output.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck {
namespace {

TEST(MeasuredOutput, TakesSoMuchAndCountsTheRest) {
  std::string into;
  const auto output = io::memory_output(into);
  MeasuredOutput measured(*output, 5);
  ASSERT_TRUE(measured.write("abc"));
  ASSERT_TRUE(measured.write("de"));
  ASSERT_TRUE(measured.write("fgh"));
  ASSERT_TRUE(measured.finish());
  EXPECT_EQ(into, "abcde");
  EXPECT_EQ(measured.size(), 8U);
}

TEST(MeasuredOutput, SaysOnceThatASizeIsReached) {
  std::string into;
  const auto output = io::memory_output(into);
  MeasuredOutput measured(*output, 1000);
  unsigned times = 0;
  measured.watch(0, [&] { ++times; });
  ASSERT_TRUE(measured.write("abc"));
  EXPECT_EQ(times, 0U);
  // It may be asked to watch on.
  measured.watch(5, [&] {
    ++times;
    measured.watch(8, [&] { ++times; });
  });
  ASSERT_TRUE(measured.write("d"));
  EXPECT_EQ(times, 0U);
  ASSERT_TRUE(measured.write("e"));
  EXPECT_EQ(times, 1U);
  ASSERT_TRUE(measured.write("fgh"));
  ASSERT_TRUE(measured.write("i"));
  EXPECT_EQ(times, 2U);
}

}  // namespace
}  // namespace tracedeck

#include "tracedeck/timeline/linux_states.hpp"

#include <gtest/gtest.h>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::timeline {
namespace {

class LinuxStatesTest : public testing::Test {
 protected:
  [[nodiscard]] static LinuxStates of(const std::string& key, const std::string& release) {
    TraceDescription trace("trace", "ctf", "1.8");
    trace.add_environment({.key = key, .value = release});
    return LinuxStates(&trace);
  }
  [[nodiscard]] static LinuxStates of(const std::string& release) {
    return of("kernel_release", release);
  }
};

TEST_F(LinuxStatesTest, AreAlikeInAllKernels) {
  for (const char* const release : {"2.6.38", "4.4.0-1-amd64", "6.8.0-rc1", "unknown"}) {
    LinuxStates states = of(release);
    EXPECT_EQ(states.name("0"), "runnable");
    EXPECT_EQ(states.name("1"), "sleeping");
    EXPECT_EQ(states.name("2"), "uninterruptible");
    EXPECT_EQ(states.name("1026"), "idle");
    EXPECT_EQ(states.name("4"), "stopped");
    EXPECT_EQ(states.name("16"), "exited");
    EXPECT_EQ(states.name("TASK_DEAD"), "TASK_DEAD");
  }
}

TEST_F(LinuxStatesTest, OfOldKernels) {
  EXPECT_EQ(of("2.6.38").name("64"), "exited");
  EXPECT_EQ(of("3.10.0").name("512"), "parked");
  EXPECT_EQ(of("4.9.0").name("64"), "exited");
  EXPECT_EQ(of("4.9.0").name("4096"), "runnable");
  EXPECT_EQ(of("4.9.0").name("128"), "not running (128)");
}

TEST_F(LinuxStatesTest, BitsAreRawWhereAValueHasSeveralOrHighOnes) {
  LinuxStates states = of("5.15.0");
  EXPECT_EQ(states.name("128"), "not running (128)");
  EXPECT_EQ(states.name("64"), "parked");
  EXPECT_EQ(states.name("8193"), "sleeping");
  EXPECT_EQ(states.name("128"), "exited");
  EXPECT_EQ(states.name("32768"), "uninterruptible");
}

TEST_F(LinuxStatesTest, BitsAreReportedWhereOneIsThatOnlyThoseHave) {
  LinuxStates states = of("6.1.0");
  EXPECT_EQ(states.name("128"), "not running (128)");
  EXPECT_EQ(states.name("256"), "runnable");
  EXPECT_EQ(states.name("128"), "idle");
  EXPECT_EQ(of("release", "6.1.0").name("128"), "idle");
}

TEST_F(LinuxStatesTest, OfAnUnknownKernelSayWhatIsSureOnly) {
  LinuxStates states(nullptr);
  EXPECT_EQ(states.name("256"), "runnable");
  EXPECT_EQ(states.name("64"), "not running (64)");
  EXPECT_EQ(states.name("128"), "not running (128)");
}

}  // namespace
}  // namespace tracedeck::timeline

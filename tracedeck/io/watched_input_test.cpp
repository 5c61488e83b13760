#include "tracedeck/io/watched_input.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tracedeck/io/file_input.hpp"
#include "tracedeck/io/support_test.hpp"

namespace tracedeck::io {
namespace {

TEST(WatchPauses, ReportsOnceBeforeItWaits) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  FileDescriptor writing(ends[1]);
  auto pipe = descriptor_input("pipe", FileDescriptor(ends[0]));
  ASSERT_TRUE(pipe);
  int pauses = 0;
  const auto input = watch_pauses(std::move(*pipe), [&] { ++pauses; });
  std::jthread writer([&] {
    std::this_thread::sleep_for(kShowPause * 2);
    EXPECT_EQ(::write(writing.get(), "ab", 2), 2);
    std::this_thread::sleep_for(kShowPause * 4);
    EXPECT_EQ(::write(writing.get(), "c", 1), 1);
  });
  std::array<std::uint8_t, 1> byte{};
  ASSERT_EQ(input->read(byte.data(), 1).value_or(0), 1U);
  EXPECT_EQ(pauses, 0);  // nothing had been read that could be shown
  ASSERT_EQ(input->read(byte.data(), 1).value_or(0), 1U);
  EXPECT_EQ(pauses, 0);  // it did not wait
  ASSERT_EQ(input->read(byte.data(), 1).value_or(0), 1U);
  EXPECT_EQ(pauses, 1);
}

}  // namespace
}  // namespace tracedeck::io

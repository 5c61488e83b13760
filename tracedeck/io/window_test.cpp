#include "tracedeck/io/window.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tracedeck/io/support_test.hpp"

namespace tracedeck::io {
namespace {

// Delivers portions as asked, keeps account of what it was asked for, and fails at the end if
// asked.
class ScriptedInput final : public Input {
 public:
  ScriptedInput(Bytes bytes, std::vector<std::size_t> portions, bool live,
                std::optional<Error> failure = {})
      : bytes_(std::move(bytes)),
        portions_(std::move(portions)),
        live_(live),
        failure_(std::move(failure)) {}

  const std::string& name() const override { return name_; }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    ++reads;
    largest = std::max(largest, size);
    std::size_t portion = std::min(size, bytes_.size() - position_);
    if (portion == 0 && failure_) return std::unexpected(*failure_);
    if (!portions_.empty()) portion = std::min(portion, portions_[reads % portions_.size()]);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(position_), portion, into);
    position_ += portion;
    return portion;
  }
  bool seekable() const override { return true; }
  bool live() const override { return live_; }
  Result<void> rewind() override {
    position_ = 0;
    return {};
  }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return position_; }

  std::size_t reads = 0;
  std::size_t largest = 0;

 private:
  std::string name_ = "script";
  Bytes bytes_;
  std::vector<std::size_t> portions_;
  bool live_;
  std::optional<Error> failure_;
  std::size_t position_ = 0;
};

Bytes copy(const Window& window) {
  const ByteSpan bytes = window.view().span();
  return {bytes.begin(), bytes.end()};
}

bool padded(const Window& window) {
  const PaddedView view = window.view();
  return std::all_of(view.data + view.size, view.data + view.size + kPadding,
                     [](std::uint8_t byte) { return byte == 0; });
}

std::uint64_t end_of(const Window& window) { return window.offset() + window.size(); }

TEST(WindowReader, BeginsEmptyAndPadded) {
  const WindowReader reader(memory_input("x", made_up(10)));
  ASSERT_TRUE(reader.current());
  EXPECT_EQ(reader.current()->size(), 0U);
  EXPECT_EQ(reader.current()->offset(), 0U);
  EXPECT_TRUE(padded(*reader.current()));
  EXPECT_FALSE(reader.at_end());
}

TEST(WindowReader, SmallInputIsOneWindowThatKnowsItsEnd) {
  const Bytes bytes = made_up(1000);
  WindowReader reader(memory_input("x", bytes));
  ASSERT_TRUE(reader.advance(0, 1));
  EXPECT_EQ(copy(*reader.current()), bytes);
  EXPECT_TRUE(padded(*reader.current()));
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.failure());
  EXPECT_FALSE(reader.advance(1000, 1));
  EXPECT_EQ(copy(*reader.current()), bytes);
}

TEST(WindowReader, EmptyInput) {
  WindowReader reader(memory_input("x", {}));
  EXPECT_FALSE(reader.advance(0, 1));
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.failure());
  EXPECT_EQ(reader.current()->size(), 0U);
}

TEST(WindowReader, FillsWindowsAndCarriesTheTail) {
  const Bytes bytes = made_up(1000);
  WindowReader reader(std::make_unique<ScriptedInput>(bytes, std::vector<std::size_t>{7}, false),
                      {.window_size = 100});
  ASSERT_TRUE(reader.advance(0, 1));
  EXPECT_EQ(reader.current()->size(), 100U);
  ASSERT_TRUE(reader.advance(90, 20));
  EXPECT_EQ(reader.current()->offset(), 90U);
  EXPECT_EQ(reader.current()->size(), 100U);
  EXPECT_TRUE(std::equal(bytes.begin() + 90, bytes.begin() + 190, copy(*reader.current()).begin()));
  EXPECT_TRUE(padded(*reader.current()));
}

TEST(WindowReader, AWindowMayBeSmallerThanUsual) {
  auto input = std::make_unique<ScriptedInput>(Bytes(1000), std::vector<std::size_t>{}, false);
  ScriptedInput& script = *input;
  WindowReader windows(std::move(input), {.window_size = 256});
  ASSERT_TRUE(windows.advance(0, 4, 16));
  EXPECT_EQ(windows.current()->size(), 16);
  EXPECT_EQ(script.largest, 16);
  ASSERT_TRUE(windows.advance(16, 20, 16));
  EXPECT_GE(windows.current()->size(), 20) << "what is needed comes";
  ASSERT_TRUE(windows.skip_to(500));
  ASSERT_TRUE(windows.advance(500, 4));
  EXPECT_EQ(windows.current()->size(), 256);
}

TEST(WindowReader, AnEndAtTheEndOfAWindowIsFoundOneStepLater) {
  WindowReader reader(
      std::make_unique<ScriptedInput>(made_up(100), std::vector<std::size_t>{}, false),
      {.window_size = 100});
  ASSERT_TRUE(reader.advance(0, 1));
  EXPECT_EQ(reader.current()->size(), 100U);
  EXPECT_FALSE(reader.at_end());
  const WindowPtr before = reader.current();
  EXPECT_FALSE(reader.advance(60, 100));
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(reader.current(), before) << "without new bytes the window stays";
  EXPECT_EQ(reader.current()->offset(), 0U);
}

TEST(WindowReader, GrowsForANeedAndForATail) {
  const Bytes bytes = made_up(10'000);
  for (const bool live : {false, true}) {
    WindowReader reader(
        std::make_unique<ScriptedInput>(bytes, std::vector<std::size_t>{64, 1}, live),
        {.window_size = 100});
    ASSERT_TRUE(reader.advance(0, 3000));
    EXPECT_GE(reader.current()->size(), 3000U);
    EXPECT_EQ(reader.current()->offset(), 0U);
    const std::uint64_t end = end_of(*reader.current());
    ASSERT_TRUE(reader.advance(1, 0));
    EXPECT_GT(end_of(*reader.current()), end);
    ASSERT_TRUE(reader.advance(1, 9999));
    EXPECT_EQ(copy(*reader.current()), Bytes(bytes.begin() + 1, bytes.end()));
  }
}

TEST(WindowReader, ANeedThatTheInputCannotMeetGivesTheRest) {
  const Bytes bytes = made_up(500);
  auto input = std::make_unique<ScriptedInput>(bytes, std::vector<std::size_t>{}, false);
  const ScriptedInput& script = *input;
  WindowReader reader(std::move(input), {.window_size = 100});
  ASSERT_TRUE(reader.advance(0, 1'000'000'000));
  EXPECT_EQ(copy(*reader.current()), bytes);
  EXPECT_TRUE(reader.at_end());
  EXPECT_LE(script.largest, 1000U) << "room is made for bytes that came, not for a claim";
}

TEST(WindowReader, TheLimitHoldsAndIsNoEnd) {
  for (const bool live : {false, true}) {
    WindowReader reader(
        std::make_unique<ScriptedInput>(made_up(5000), std::vector<std::size_t>{}, live),
        {.window_size = 100, .limit = 1000});
    EXPECT_FALSE(reader.advance(0, 1001));
    EXPECT_FALSE(reader.at_end());
    ASSERT_TRUE(reader.advance(0, 1000));
    EXPECT_EQ(reader.current()->size(), 1000U);
    EXPECT_FALSE(reader.advance(0, 1)) << "a tail of 1000 and a byte more";
    EXPECT_FALSE(reader.at_end());
    ASSERT_TRUE(reader.advance(1, 1));
    EXPECT_EQ(reader.current()->offset(), 1U);
    EXPECT_EQ(reader.current()->size(), 1000U);
  }
}

TEST(WindowReader, ALiveInputIsReadOnlyAsFarAsNeeded) {
  auto input = std::make_unique<ScriptedInput>(made_up(1000), std::vector<std::size_t>{10}, true);
  const ScriptedInput& script = *input;
  WindowReader reader(std::move(input));
  ASSERT_TRUE(reader.advance(0, 1));
  EXPECT_EQ(reader.current()->size(), 10U);
  ASSERT_TRUE(reader.advance(5, 0));
  EXPECT_EQ(reader.current()->size(), 15U);
  EXPECT_EQ(script.reads, 2U);
  ASSERT_TRUE(reader.advance(5, 36));
  EXPECT_EQ(reader.current()->size(), 45U);
  EXPECT_EQ(script.reads, 5U);
}

TEST(WindowReader, BytesStayInPlaceWhileNobodyElseHoldsTheWindow) {
  WindowReader reader(memory_input("x", made_up(1000), 10));
  ASSERT_TRUE(reader.advance(0, 1));
  const std::uint8_t* const first = reader.current()->view().data;
  ASSERT_TRUE(reader.advance(4, 1));
  EXPECT_EQ(reader.current()->view().data, first + 4);
}

TEST(WindowReader, AHeldWindowDoesNotChange) {
  const Bytes bytes = made_up(100'000);
  for (const bool live : {false, true}) {
    WindowReader reader(
        std::make_unique<ScriptedInput>(bytes, std::vector<std::size_t>{3, 50, 700}, live),
        {.window_size = 1000});
    std::vector<WindowPtr> held;
    std::uint64_t keep = 0;
    while (reader.advance(keep, 1)) {
      held.push_back(reader.current());
      keep = end_of(*reader.current()) - std::min<std::size_t>(reader.current()->size(), 5);
    }
    ASSERT_GT(held.size(), 90U);
    for (const WindowPtr& window : held) {
      EXPECT_TRUE(padded(*window));
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(window->offset());
      const ByteSpan view = window->view().span();
      EXPECT_TRUE(std::equal(view.begin(), view.end(), begin));
    }
  }
}

TEST(WindowReader, WindowsThatNobodyHoldsAreUsedAgain) {
  WindowReader reader(
      std::make_unique<ScriptedInput>(made_up(100'000), std::vector<std::size_t>{}, false),
      {.window_size = 1000});
  std::vector<const std::uint8_t*> seen;
  std::uint64_t keep = 0;
  while (reader.advance(keep, 1)) {
    seen.push_back(reader.current()->view().data);
    keep = end_of(*reader.current()) - 1;
  }
  std::ranges::sort(seen);
  const auto rest = std::ranges::unique(seen);
  EXPECT_LE(rest.begin() - seen.begin(), 3);
}

// With a held window for every few bytes, full windows would take a thousand times the input.
TEST(WindowReader, HeldWindowsOfATricklingInputAreSmall) {
  auto input = std::make_unique<ScriptedInput>(made_up(1000), std::vector<std::size_t>{1}, true);
  const ScriptedInput& script = *input;
  WindowReader reader(std::move(input));
  std::vector<WindowPtr> held;
  ASSERT_TRUE(reader.advance(0, 1));
  held.push_back(reader.current());
  EXPECT_LE(script.largest, 16U << 10);
  std::uint64_t keep = 1;
  while (reader.advance(keep, 1)) {
    held.push_back(reader.current());
    keep = end_of(*reader.current());
  }
  EXPECT_EQ(held.size(), 1000U);
  EXPECT_LE(script.largest, 16U << 10);
}

TEST(WindowReader, OneByteAtATimeIsNotQuadratic) {
  auto input = std::make_unique<ScriptedInput>(made_up(1 << 20), std::vector<std::size_t>{1}, true);
  WindowReader reader(std::move(input));
  // Everything is kept: in place, or else in windows that double.
  std::size_t moves = 0;
  const std::uint8_t* data = nullptr;
  while (reader.advance(0, 1)) {
    moves += reader.current()->view().data != data;
    data = reader.current()->view().data;
  }
  EXPECT_EQ(reader.current()->size(), 1U << 20);
  EXPECT_LE(moves, 20U);
}

TEST(WindowReader, AFailureEndsTheInputAfterItsBytes) {
  const Bytes bytes = made_up(150);
  WindowReader reader(
      std::make_unique<ScriptedInput>(bytes, std::vector<std::size_t>{}, false,
                                      Error{.code = ErrorCode::kReadFailed, .message = "lost"}),
      {.window_size = 100});
  ASSERT_TRUE(reader.advance(0, 1));
  EXPECT_FALSE(reader.failure());
  ASSERT_TRUE(reader.advance(100, 80));
  EXPECT_EQ(reader.current()->size(), 50U);
  EXPECT_TRUE(reader.at_end());
  ASSERT_TRUE(reader.failure());
  EXPECT_EQ(reader.failure()->message, "lost");
  EXPECT_FALSE(reader.advance(150, 1));
}

TEST(WindowReader, DamagedCompressionIsAFailure) {
  Bytes stored = gzipped(made_up(100'000));
  stored.resize(stored.size() / 2);
  WindowReader reader(*see_through_compression(memory_input("x", stored)), {.window_size = 1000});
  std::uint64_t keep = 0;
  while (reader.advance(keep, 1)) keep = end_of(*reader.current());
  ASSERT_TRUE(reader.failure());
  EXPECT_EQ(reader.failure()->code, ErrorCode::kCompressedDamaged);
  EXPECT_EQ(reader.failure()->offset, keep);
  EXPECT_GT(keep, 40'000U);
}

TEST(WindowReader, StartsAgain) {
  const Bytes bytes = made_up(1000);
  WindowReader reader(memory_input("x", bytes), {.window_size = 300});
  ASSERT_TRUE(reader.advance(0, 1));
  ASSERT_TRUE(reader.advance(300, 700));
  EXPECT_TRUE(reader.at_end());
  const WindowPtr held = reader.current();
  ASSERT_TRUE(reader.rewind());
  EXPECT_FALSE(reader.at_end());
  EXPECT_EQ(reader.current()->size(), 0U);
  EXPECT_EQ(held->offset(), 300U);
  ASSERT_TRUE(reader.advance(0, 1000));
  EXPECT_EQ(copy(*reader.current()), bytes);
}

TEST(WindowReader, SkipsWithoutReadingAndReadsOn) {
  const Bytes bytes = made_up(10'000);
  const TemporaryFolder folder;
  for (const bool compressed : {false, true}) {
    auto input = open_input(folder.file("t", compressed ? gzipped(bytes) : bytes));
    ASSERT_TRUE(input);
    WindowReader reader(std::move(*input), {.window_size = 100});
    ASSERT_TRUE(reader.advance(0, 1));
    const WindowPtr held = reader.current();
    ASSERT_TRUE(reader.skip_to(50));
    EXPECT_EQ(reader.current(), held);
    ASSERT_TRUE(reader.skip_to(100));
    EXPECT_EQ(reader.current(), held);
    ASSERT_TRUE(reader.skip_to(9000));
    EXPECT_EQ(reader.current()->offset(), 9000U);
    EXPECT_EQ(reader.current()->size(), 0U);
    EXPECT_FALSE(reader.at_end());
    if (!compressed) {
      EXPECT_EQ(reader.input().stored_position(), 9000U);
    }
    ASSERT_TRUE(reader.advance(9000, 40));
    EXPECT_EQ(reader.current()->offset(), 9000U);
    EXPECT_EQ(reader.current()->view().data[39], bytes[9039]);
    EXPECT_THROW((void)reader.skip_to(8999), std::out_of_range);
    EXPECT_EQ(held->view().data[99], bytes[99]);
  }
}

TEST(WindowReader, SkippingBehindTheEndSaysWhereThatIs) {
  const TemporaryFolder folder;
  auto input = open_input(folder.file("t", made_up(1000)));
  ASSERT_TRUE(input);
  WindowReader reader(std::move(*input), {.window_size = 100});
  ASSERT_TRUE(reader.skip_to(1000));
  EXPECT_FALSE(reader.advance(1000, 1));
  EXPECT_FALSE(reader.skip_to(1001));
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.failure());
  EXPECT_EQ(reader.current()->offset(), 1000U);
  ASSERT_TRUE(reader.rewind());
  EXPECT_FALSE(reader.skip_to(std::uint64_t{1} << 60));
  EXPECT_EQ(reader.current()->offset(), 1000U);
  EXPECT_FALSE(reader.advance(1000, 1));
}

TEST(WindowReader, AFailureWhileSkippingIsAtItsPlace) {
  Bytes stored = gzipped(made_up(100'000));
  stored.resize(stored.size() / 2);
  WindowReader reader(*see_through_compression(memory_input("x", stored)), {.window_size = 1000});
  EXPECT_FALSE(reader.skip_to(99'000));
  EXPECT_TRUE(reader.at_end());
  ASSERT_TRUE(reader.failure());
  EXPECT_EQ(reader.failure()->code, ErrorCode::kCompressedDamaged);
  EXPECT_EQ(reader.failure()->offset, reader.current()->offset());
  EXPECT_GT(reader.current()->offset(), 40'000U);
}

TEST(WindowReader, SkippingALiveInputWaitsForWhatItPassesOver) {
  const Bytes bytes = made_up(100);
  WindowReader reader(std::make_unique<ScriptedInput>(bytes, std::vector<std::size_t>{7}, true));
  ASSERT_TRUE(reader.skip_to(50));
  ASSERT_TRUE(reader.advance(50, 3));
  EXPECT_EQ(reader.current()->view().data[0], bytes[50]);
}

TEST(WindowReader, KeepingWhatIsNotThereBreaksTheContract) {
  WindowReader reader(memory_input("x", made_up(100)), {.window_size = 10});
  EXPECT_THROW((void)reader.advance(1, 1), std::out_of_range);
  ASSERT_TRUE(reader.advance(0, 1));
  ASSERT_TRUE(reader.advance(10, 1));
  EXPECT_THROW((void)reader.advance(9, 1), std::out_of_range);
}

TEST(WindowReader, AFileThatGrowsIsReadOn) {
  const TemporaryFolder folder;
  const std::string path = folder.file("trace", made_up(100));
  auto input = open_input(path);
  ASSERT_TRUE(input);
  std::ofstream(path, std::ios::binary | std::ios::app) << "more";
  WindowReader reader(std::move(*input));
  ASSERT_TRUE(reader.advance(0, 104));
  EXPECT_EQ(reader.current()->size(), 104U);
}

// Windows are let go on another thread while the reader looks for one to use again.
TEST(WindowReader, WindowsMayBeLetGoElsewhere) {
  const Bytes bytes = made_up(1 << 20);
  WindowReader reader(memory_input("x", bytes), {.window_size = 4096});
  std::vector<std::jthread> threads;
  std::atomic<bool> wrong = false;
  std::uint64_t keep = 0;
  while (reader.advance(keep, 1)) {
    if (threads.size() == 8) threads.erase(threads.begin());
    threads.emplace_back([window = reader.current(), &bytes, &wrong]() mutable {
      const ByteSpan view = window->view().span();
      if (!std::equal(view.begin(), view.end(),
                      bytes.begin() + static_cast<std::ptrdiff_t>(window->offset()))) {
        wrong = true;
      }
      window.reset();
    });
    keep = end_of(*reader.current());
  }
  threads.clear();
  EXPECT_FALSE(wrong);
  EXPECT_EQ(keep, bytes.size());
}

// Any portions, any needs, any tails, windows held or not: always the bytes of the input.
RC_GTEST_PROP(WindowReader, ShowsTheInput, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 5000);
  const Bytes bytes = made_up(size);
  auto portions =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 200));
  const bool live = *rc::gen::arbitrary<bool>();
  const auto window_size = *rc::gen::inRange<std::size_t>(1, 300);
  const auto limit = *rc::gen::inRange<std::uint64_t>(1, 6000);
  WindowReader reader(std::make_unique<ScriptedInput>(bytes, std::move(portions), live),
                      {.window_size = window_size, .limit = limit});
  std::vector<WindowPtr> held;
  for (int step = 0; step < 200; ++step) {
    const Window& before = *reader.current();
    const std::uint64_t end = end_of(before);
    const auto tail = *rc::gen::inRange<std::size_t>(0, before.size() + 1);
    const auto need = *rc::gen::inRange<std::size_t>(0, 400);
    const Bytes old = copy(before);
    if (*rc::gen::inRange(0, 3) == 0) held.push_back(reader.current());
    if (reader.advance(end - tail, need)) {
      const Window& now = *reader.current();
      RC_ASSERT(now.offset() == end - tail);
      RC_ASSERT(now.size() > tail);
      RC_ASSERT(now.size() >= need || reader.at_end());
      RC_ASSERT(now.size() <= limit);
    } else {
      RC_ASSERT(copy(*reader.current()) == old);
      const bool over = std::max(need, tail + 1) > limit;
      RC_ASSERT(reader.at_end() || over);
      if (reader.at_end()) RC_ASSERT(end_of(*reader.current()) == size);
    }
    held.push_back(reader.current());
    for (const WindowPtr& window : held) {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(window->offset());
      const ByteSpan view = window->view().span();
      RC_ASSERT(std::equal(view.begin(), view.end(), begin));
      RC_ASSERT(padded(*window));
    }
    held.pop_back();
    if (*rc::gen::inRange(0, 5) == 0) held.clear();
  }
}

}  // namespace
}  // namespace tracedeck::io

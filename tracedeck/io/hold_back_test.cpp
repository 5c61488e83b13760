#include "tracedeck/io/hold_back.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tracedeck/io/support_test.hpp"

namespace tracedeck::io {
namespace {

// Delivers one byte a read and pauses before some of them.
class PausingInput final : public Input {
 public:
  PausingInput(Bytes bytes, std::size_t pause_at) : bytes_(std::move(bytes)), pause_at_(pause_at) {}

  // Every byte but the first takes so long.
  void be_slow(std::chrono::milliseconds each) { each_ = each; }

  const std::string& name() const override { return name_; }
  Result<std::size_t> read(std::uint8_t* into, std::size_t) override {
    if (position_ == bytes_.size()) return std::size_t{0};
    *into = bytes_[position_++];
    return std::size_t{1};
  }
  bool seekable() const override { return false; }
  bool ready(std::chrono::milliseconds) override {
    if (position_ != 0) std::this_thread::sleep_for(each_);
    return position_ != pause_at_;
  }
  Result<void> rewind() override { return fail(ErrorCode::kUnsupported, "not here"); }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return position_; }
  std::size_t position() const { return position_; }

 private:
  std::string name_ = "pausing";
  Bytes bytes_;
  std::size_t pause_at_;
  std::size_t position_ = 0;
  std::chrono::milliseconds each_{0};
};

constexpr std::size_t kNever = 1000;

Bytes rest_of(Input& input) {
  Bytes all;
  for (std::uint8_t byte = 0;;) {
    const auto got = input.read(&byte, 1);
    if (!got || *got == 0) return all;
    all.push_back(byte);
  }
}

struct Seen {
  std::size_t looked_at;
  Bytes delivered;
};

Seen held_back(std::size_t pause_at, std::size_t limit,
               const std::function<bool(ByteSpan, bool)>& enough) {
  auto input = std::make_unique<PausingInput>(bytes_of("abcdefgh"), pause_at);
  const PausingInput& watched = *input;
  const HeldBack held = hold_back(std::move(input), {.bytes = limit}, enough);
  EXPECT_FALSE(held.took_too_long);
  const std::size_t looked_at = watched.position();
  return {looked_at, rest_of(*held.input)};
}

bool never(ByteSpan, bool) { return false; }

TEST(HoldBack, StopsAtWhatWasLookedFor) {
  const auto has_c = [](ByteSpan bytes, bool) { return !bytes.empty() && bytes.back() == 'c'; };
  const Seen held = held_back(kNever, 100, has_c);
  EXPECT_EQ(held.looked_at, 3U);
  EXPECT_EQ(held.delivered, bytes_of("abcdefgh"));
}

TEST(HoldBack, StopsAtTheFirstPause) {
  const Seen held = held_back(5, 100, never);
  EXPECT_EQ(held.looked_at, 5U);
  EXPECT_EQ(held.delivered, bytes_of("abcdefgh"));
}

TEST(HoldBack, StopsAtTheLimit) { EXPECT_EQ(held_back(kNever, 4, never).looked_at, 4U); }

TEST(HoldBack, StopsAtTheEnd) {
  const Seen held = held_back(kNever, 100, never);
  EXPECT_EQ(held.looked_at, 8U);
  EXPECT_EQ(held.delivered, bytes_of("abcdefgh"));
}

TEST(HoldBack, ReportsTheEnd) {
  std::size_t size_at_end = 0;
  held_back(kNever, 100, [&](ByteSpan bytes, bool whole) {
    if (whole) size_at_end = bytes.size();
    return false;
  });
  EXPECT_EQ(size_at_end, 8U);
}

// A pipe, a socket or a file that grows may deliver as much as there is room for at once.
TEST(HoldBack, LooksAtTheReadThatFillsItsRoom) {
  for (const std::size_t limit : {std::size_t{3}, std::size_t{8}, std::size_t{100}}) {
    std::size_t seen = 0;
    auto input = memory_input("at once", bytes_of("abcdefgh"), 8);
    const HeldBack held =
        hold_back(std::move(input), {.bytes = limit}, [&](ByteSpan bytes, bool whole) {
          if (!whole) seen = bytes.size();
          return true;
        });
    EXPECT_EQ(seen, std::min<std::size_t>(limit, 8));
    EXPECT_EQ(rest_of(*held.input), bytes_of("abcdefgh"));
  }
}

TEST(HoldBack, GivesUpWhatComesTooSlowly) {
  using std::chrono::milliseconds;
  auto input = std::make_unique<PausingInput>(Bytes(1000, 'a'), kNever);
  input->be_slow(milliseconds(5));
  const PausingInput& watched = *input;
  const auto began = std::chrono::steady_clock::now();
  const HeldBack held =
      hold_back(std::move(input), {.bytes = 1000, .time = milliseconds(50)}, never);
  EXPECT_TRUE(held.took_too_long);
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(50));
  EXPECT_LE(watched.position(), 11U);
}

}  // namespace
}  // namespace tracedeck::io

#include "tracedeck/io/hold_back.hpp"

#include <gtest/gtest.h>

#include "tracedeck/io/support_test.hpp"

namespace tracedeck::io {
namespace {

// Delivers one byte a read and pauses before some of them.
class PausingInput final : public Input {
 public:
  PausingInput(Bytes bytes, std::size_t pause_at) : bytes_(std::move(bytes)), pause_at_(pause_at) {}

  const std::string& name() const override { return name_; }
  Result<std::size_t> read(std::uint8_t* into, std::size_t) override {
    if (position_ == bytes_.size()) return std::size_t{0};
    *into = bytes_[position_++];
    return std::size_t{1};
  }
  bool seekable() const override { return false; }
  bool ready(std::chrono::milliseconds) override { return position_ != pause_at_; }
  Result<void> rewind() override { return fail(ErrorCode::kUnsupported, "not here"); }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return position_; }
  std::size_t position() const { return position_; }

 private:
  std::string name_ = "pausing";
  Bytes bytes_;
  std::size_t pause_at_;
  std::size_t position_ = 0;
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

struct HeldBack {
  std::size_t looked_at;
  Bytes delivered;
};

HeldBack held_back(std::size_t pause_at, std::size_t limit,
                   const std::function<bool(ByteSpan, bool)>& enough) {
  auto input = std::make_unique<PausingInput>(bytes_of("abcdefgh"), pause_at);
  const PausingInput& watched = *input;
  const auto whole = hold_back(std::move(input), limit, enough);
  const std::size_t looked_at = watched.position();
  return {looked_at, rest_of(*whole)};
}

bool never(ByteSpan, bool) { return false; }

TEST(HoldBack, StopsAtWhatWasLookedFor) {
  const auto has_c = [](ByteSpan bytes, bool) { return !bytes.empty() && bytes.back() == 'c'; };
  const HeldBack held = held_back(kNever, 100, has_c);
  EXPECT_EQ(held.looked_at, 3U);
  EXPECT_EQ(held.delivered, bytes_of("abcdefgh"));
}

TEST(HoldBack, StopsAtTheFirstPause) {
  const HeldBack held = held_back(5, 100, never);
  EXPECT_EQ(held.looked_at, 5U);
  EXPECT_EQ(held.delivered, bytes_of("abcdefgh"));
}

TEST(HoldBack, StopsAtTheLimit) { EXPECT_EQ(held_back(kNever, 4, never).looked_at, 4U); }

TEST(HoldBack, StopsAtTheEnd) {
  const HeldBack held = held_back(kNever, 100, never);
  EXPECT_EQ(held.looked_at, 8U);
  EXPECT_EQ(held.delivered, bytes_of("abcdefgh"));
}

TEST(HoldBack, TellsOfTheEnd) {
  std::size_t size_at_end = 0;
  held_back(kNever, 100, [&](ByteSpan bytes, bool whole) {
    if (whole) size_at_end = bytes.size();
    return false;
  });
  EXPECT_EQ(size_at_end, 8U);
}

}  // namespace
}  // namespace tracedeck::io

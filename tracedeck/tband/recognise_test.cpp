#include "tracedeck/tband/recognise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tracedeck/io/reference_traces_test.hpp"
#include "tracedeck/tband/trace_bytes_test.hpp"

namespace tracedeck::tband {
namespace {

Bytes events(std::size_t count) {
  Bytes bytes;
  for (std::size_t i = 0; i < count; ++i)
    bytes = bytes + isr_enter(i * 1000, static_cast<std::uint32_t>(i % 5));
  return bytes;
}
Bytes as_vector(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Recognise, AFewFramesIfTheyAreAll) {
  EXPECT_FALSE(recognises(events(0), true));
  EXPECT_FALSE(recognises(events(2), true));
  EXPECT_TRUE(recognises(events(3), true));
  EXPECT_FALSE(recognises(events(7), false)) << "more may follow";
  EXPECT_TRUE(recognises(events(8), false));
  EXPECT_FALSE(recognises(events(3) + Bytes{0x01, 0x00}, true));
}

TEST(Recognise, NineInTen) {
  const Bytes bad = {0x01, 0x00};
  EXPECT_TRUE(recognises(events(9) + bad + events(9) + bad, true));
  EXPECT_FALSE(recognises(events(8) + bad + bad, true));
}

TEST(Recognise, WhereverTheBeginningAndTheEndWereCut) {
  const Bytes trace = events(20);
  for (std::size_t from = 0; from < 8; ++from) {
    for (std::size_t to = trace.size() - 8; to <= trace.size(); ++to) {
      const ByteSpan part = ByteSpan(trace).subspan(from, to - from);
      EXPECT_TRUE(recognises(part, true)) << from << " to " << to;
    }
  }
}

TEST(Recognise, NeverWhereAnotherFormatsMagicStands) {
  for (const Bytes& magic : {Bytes{0x54, 0x52, 0x43, 0x00}, Bytes{0xC1, 0xFC, 0x1F, 0xB7},
                             Bytes{0x75, 0xD1, 0x1D, 0x4D}, Bytes{0xC1, 0x1F, 0xFC, 0xC1}}) {
    EXPECT_FALSE(recognises(magic + Bytes{0} + events(20), true));
  }
  EXPECT_TRUE(recognises(Bytes{0xC2, 0xFC, 0x1F, 0xB7, 0} + events(20), true));
}

TEST(Recognise, EmptyFramesDoNotCount) {
  EXPECT_FALSE(recognises(Bytes(100'000, 0), true));
  EXPECT_TRUE(recognises(Bytes(100, 0) + events(8), true));
}

TEST(Recognise, NoText) {
  EXPECT_FALSE(recognises(as_vector(std::string(10'000, 'x')), true));
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += std::string("t\0", 2);
  EXPECT_FALSE(recognises(as_vector(wide), true)) << "UTF-16";
  std::string list;
  for (int i = 0; i < 1000; ++i) list += "a line of text" + std::string(1, '\0');
  EXPECT_FALSE(recognises(as_vector(list), true)) << "as of find -print0";
}

TEST(Recognise, NoOtherFormatsMagic) {
  const Bytes trace = events(50);
  for (const std::string_view magic :
       {std::string_view("TRC\0\1", 5), std::string_view("\xC1\x1F\xFC\xC1"),
        std::string_view("\x1F\x8B"), std::string_view("\x28\xB5\x2F\xFD")}) {
    EXPECT_FALSE(recognises(as_vector(magic) + trace, true));
  }
}

TEST(Recognise, NoNumbers) {
  Bytes counters;
  Bytes small;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    for (unsigned byte = 0; byte < 4; ++byte)
      counters.push_back(static_cast<std::uint8_t>(i >> (8 * byte)));
    small.push_back(static_cast<std::uint8_t>(i % 5));
  }
  EXPECT_FALSE(recognises(counters, true));
  EXPECT_FALSE(recognises(small, true));
}

TEST(Recognise, NoRandomBytes) {
  std::mt19937 random(4);
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes(round % 3 == 0 ? 20 : 2000);
    // Every byte alike, many zeros, or small numbers with zeros.
    for (std::uint8_t& byte : bytes) {
      const auto drawn = random();
      byte = round % 4 == 0   ? static_cast<std::uint8_t>(drawn)
             : round % 4 == 1 ? static_cast<std::uint8_t>((drawn & 3) == 0 ? 0 : drawn >> 8)
                              : static_cast<std::uint8_t>((drawn & 7) == 0 ? 0 : drawn >> 8 & 0x7F);
    }
    EXPECT_FALSE(recognises(bytes, true)) << round;
  }
}

// Every file of the reference traces of the other formats, and the valid ones of this format, their
// beginning cut off or not.
TEST(Recognise, TheReferenceTraces) {
  const std::filesystem::path traces = reference_traces("");
  if (const std::string why = missing(traces); !why.empty()) GTEST_SKIP() << why;
  std::size_t looked_at = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(traces)) {
    if (!each.is_regular_file()) continue;
    const std::string path = each.path().lexically_relative(traces).string();
    const bool ours = path.starts_with("tband/") && path.ends_with(".bin");
    if (ours && path.find("/damaged/") != std::string::npos) continue;
    std::ifstream file(each.path(), std::ios::binary);
    Bytes bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t head = std::min(bytes.size(), kRecognitionSize);
    EXPECT_EQ(recognises(ByteSpan(bytes).first(head), head == bytes.size()), ours) << path;
    if (ours) {
      for (std::size_t cut = 1; cut < 20; ++cut)
        EXPECT_TRUE(recognises(ByteSpan(bytes).subspan(cut), true)) << path << " from " << cut;
    }
    ++looked_at;
  }
  EXPECT_GT(looked_at, 100U);
}

}  // namespace
}  // namespace tracedeck::tband

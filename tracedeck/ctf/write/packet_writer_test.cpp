#include "tracedeck/ctf/write/packet_writer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tracedeck/ctf/write/written_trace_test.hpp"

namespace tracedeck::ctf {
namespace {

struct Packets {
  explicit Packets(const PacketLayout& of)
      : layout(of), writer(*directory.create_file("s"), of, 0, 0) {}

  // What a packet of one event holds behind its context.
  std::string events() {
    EXPECT_TRUE(writer.end(0, 0));
    EXPECT_TRUE(writer.finish());
    return directory.files["s"].substr(layout.size());
  }
  [[nodiscard]] std::uint64_t content_bits() {
    return load_le<std::uint64_t>(as_bytes(directory.files["s"]).data() + layout.context_begin() +
                                  8);
  }

  PacketLayout layout;
  MemoryDirectory directory;
  PacketWriter writer;
};

TEST(PacketWriter, LargeIds) {
  Packets packets({.has_clock = true, .has_wide_ids = true});
  packets.writer.begin(5);
  packets.writer.begin_event(std::uint64_t{1} << 40, 6);
  EXPECT_TRUE(packets.writer.end_event().has_value());
  packets.writer.begin_event(2, 7);
  EXPECT_TRUE(packets.writer.end_event().has_value());
  EXPECT_EQ(packets.events(), std::string("\x1F\0\0\0\0\0\1\0\0\6\0\0\0\0\0\0\0"
                                          "\xE2\0\0\0",
                                          21));
}

TEST(PacketWriter, LargeIdsWithoutAClock) {
  Packets packets({.has_wide_ids = true});
  packets.writer.begin(0);
  packets.writer.begin_event(std::uint64_t{1} << 63, 0);
  EXPECT_TRUE(packets.writer.end_event().has_value());
  EXPECT_EQ(packets.events(), std::string("\0\0\0\0\0\0\0\x80", 8));
}

TEST(PacketWriter, TheContextIsAligned) {
  const PacketLayout layout{.context_alignment = 256};
  EXPECT_EQ(layout.context_begin(), 32U);
  EXPECT_EQ(layout.size(), 64U);
}

TEST(PacketWriter, AnEventThatIsTakenBackLeavesNoPadding) {
  Packets packets({});
  packets.writer.begin(0);
  packets.writer.begin_event(1, 0);
  packets.writer.bits().put(5, 3, ByteOrder::kLittle);
  EXPECT_TRUE(packets.writer.end_event().has_value());
  packets.writer.begin_event(2, 0);
  packets.writer.abandon_event();
  EXPECT_EQ(packets.events(), std::string("\1\0\0\0\5", 5));
  EXPECT_EQ(packets.content_bits(), 8 * (packets.layout.size() + 4) + 3);
}

}  // namespace
}  // namespace tracedeck::ctf

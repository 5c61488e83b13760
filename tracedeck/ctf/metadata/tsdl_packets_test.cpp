#include "tracedeck/ctf/metadata/tsdl_packets.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tracedeck/ctf/metadata/tsdl_reading_test.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::string_view kUuid = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564";
constexpr std::string_view kUuidBytes =
    "\x2a\x64\x22\xd0\x6c\xee\x11\xe0\x8c\x08\xcb\x07\xd7\xb3\xa5\x64";

struct PacketOptions {
  bool is_big = false;
  std::uint32_t padding = 3;  // bytes
  std::string uuid = std::string(kUuidBytes);
};

std::string packet(std::string_view text, const PacketOptions& options = {}) {
  std::string bytes;
  const auto add = [&](std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i)
      bytes += static_cast<char>(value >> (options.is_big ? 24 - 8 * i : 8 * i) & 0xFF);
  };
  const auto content = static_cast<std::uint32_t>(37 + text.size());
  add(0x75D11D57);
  bytes += options.uuid;
  add(0);
  add(content * 8);
  add((content + options.padding) * 8);
  bytes += std::string("\0\0\0\1\10", 5);
  bytes += text;
  bytes.append(options.padding, '\0');
  return bytes;
}

std::string trace_block() {
  return fmt::format(
      "typealias integer {{ size = 8; }} := u8;\ntrace {{ major = 1; minor = 8; byte_order = le; "
      "uuid = \"{}\"; }};\n",
      kUuid);
}

TEST(TsdlPackets, BothByteOrdersInPieces) {
  const std::string event = "event { fields := struct { u8 a; }; };";
  for (const bool is_big : {false, true}) {
    const std::string bytes = packet(trace_block() + event.substr(0, 20), {.is_big = is_big}) +
                              packet(event.substr(20), {.is_big = is_big});
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
      TsdlReading reading;
      for (std::size_t at = 0; at < bytes.size(); at += piece)
        reading.read(std::string_view(bytes).substr(at, piece), at + piece >= bytes.size());
      EXPECT_EQ(reading.faults(), std::vector<std::string>{});
      EXPECT_NE(reading.field({"a"}), nullptr);
    }
  }
}

TEST(TsdlPackets, FindingsHaveOffsetsOfTheFileAndLinesOfTheText) {
  const std::string first = packet(trace_block());
  const TsdlReading reading(first + packet("\n env { a = b c; };"));
  ASSERT_EQ(reading.findings.size(), 1U);
  EXPECT_EQ(reading.findings[0].offset, first.size() + 37 + 14);
  EXPECT_TRUE(reading.findings[0].text.starts_with("line 4, column 14: identifier `c`"))
      << reading.findings[0].text;
}

TEST(TsdlPackets, AnotherUuidThanTheTrace) {
  const std::string first = packet(trace_block());
  const TsdlReading reading(first + packet("env { };", {.uuid = std::string(16, 'x')}));
  ASSERT_EQ(reading.faults(), (std::vector<std::string>{"ctf/tsdl-packet-uuid -"}));
  EXPECT_EQ(reading.findings[0].offset, first.size());
}

TEST(TsdlPackets, ZerosBehindTheLast) {
  const std::string event = "event { fields := struct { u8 a; }; };";
  for (const std::size_t zeros : {1U, 36U, 37U, 500U}) {
    for (const std::size_t piece : {std::size_t{7}, std::size_t{1'000}}) {
      const std::string bytes = packet(trace_block() + event) + std::string(zeros, '\0');
      TsdlReading reading;
      for (std::size_t at = 0; at < bytes.size(); at += piece)
        reading.read(std::string_view(bytes).substr(at, piece), at + piece >= bytes.size());
      EXPECT_EQ(reading.faults(), std::vector<std::string>{"ctf/tsdl-packet-zeros -"}) << zeros;
      EXPECT_NE(reading.field({"a"}), nullptr);
    }
  }
}

TEST(TsdlPackets, FaultyHeaders) {
  struct Case {
    std::size_t at;
    char byte;
    std::string_view rule;
  };
  // Magic, content size (not bytes, too small, more than the packet), schemes, version.
  for (const Case& each : {Case{.at = 37 + 200, .byte = 'x', .rule = "ctf/tsdl-packet-header"},
                           Case{.at = 24, .byte = 1, .rule = "ctf/tsdl-packet-sizes"},
                           Case{.at = 27, .byte = 1, .rule = "ctf/tsdl-packet-sizes"},
                           Case{.at = 28, .byte = 1, .rule = "ctf/tsdl-packet-sizes"},
                           Case{.at = 29, .byte = 0, .rule = "ctf/tsdl-packet-sizes"},
                           Case{.at = 32, .byte = 1, .rule = "ctf/tsdl-packet-scheme"},
                           Case{.at = 33, .byte = 1, .rule = "ctf/tsdl-packet-scheme"},
                           Case{.at = 34, .byte = 1, .rule = "ctf/tsdl-packet-scheme"},
                           Case{.at = 35, .byte = 2, .rule = "ctf/tsdl-packet-header"},
                           Case{.at = 36, .byte = 9, .rule = "ctf/tsdl-packet-header"}}) {
    std::string text = trace_block();
    text.resize(200, ' ');
    std::string bytes = packet(text, {.padding = 0}) + packet(" ", {.padding = 0});
    bytes[each.at] = each.byte;
    const TsdlReading reading(bytes);
    EXPECT_EQ(reading.faults(), (std::vector<std::string>{fmt::format("{} -", each.rule)}))
        << each.at;
  }
}

TEST(TsdlPackets, CutOff) {
  const std::string bytes = packet(trace_block());
  const auto faults = [&](std::size_t size) {
    return TsdlReading(std::string_view(bytes).substr(0, size)).faults();
  };
  EXPECT_EQ(faults(bytes.size() - 3), std::vector<std::string>{});
  EXPECT_EQ(faults(bytes.size() - 4), (std::vector<std::string>{"ctf/tsdl-cut -"}));
  EXPECT_EQ(faults(20).front(), "ctf/tsdl-cut -");
}

}  // namespace
}  // namespace tracedeck::ctf

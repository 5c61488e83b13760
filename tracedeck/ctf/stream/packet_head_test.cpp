#include "tracedeck/ctf/stream/packet_head.hpp"

#include <gtest/gtest.h>

#include "tracedeck/ctf/stream/decoding_test.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::uint64_t kMostState = 1 << 20;

// Decodes the head of one packet.
class Head {
 public:
  explicit Head(const Roots& roots, const Bytes& bytes, std::uint64_t clock = 0)
      : read_(read_roots(roots)), bytes_(bytes), size_(bytes.size()) {
    EXPECT_FALSE(read_.has_errors()) << read_.listing();
    bytes_.resize(size_ + kPadding, 0xA5);
    PacketHeadDecoder decoder(state);
    status = decoder.header(*read_.metadata->schema(), view(), kMostState, head);
    if (status == RunStatus::kDone && head.stream != nullptr)
      status = decoder.context(view(), kMostState, clock, head);
    if (status == RunStatus::kDone) decoder.own(view(), head);
    // The slots point into copies from here on.
    bytes_.assign(bytes_.size(), 0x5A);
  }

  [[nodiscard]] std::string header() const { return text(head.packet->header); }
  [[nodiscard]] std::string context() const { return text(head.packet->context); }

  DecodeState state;
  PacketHead head;
  RunStatus status = RunStatus::kDone;

 private:
  [[nodiscard]] PaddedView view() const { return {bytes_.data(), size_}; }
  static std::string text(const std::vector<Slot>& slots) {
    return show(slots.data(), slots.data() + slots.size());
  }

  ReadStream read_;
  Bytes bytes_;
  std::size_t size_;
};

constexpr std::string_view kUuidProperty = R"(,"uuid":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15])";

// A packet header with everything that can be in one.
const Roots kWhole = {
    .packet_context =
        structure({u_le(32, role("packet-total-size")), u_le(32, role("packet-content-size")),
                   u_le(64, role("packet-beginning-default-clock-timestamp")),
                   u_le(64, role("packet-end-default-clock-timestamp")),
                   u_le(16, role("discarded-event-record-counter-snapshot")),
                   u_le(16, role("packet-sequence-number")), std::string(kString)}),
    .packet_header =
        structure({u_le(32, role("packet-magic-number")),
                   R"({"type":"static-length-blob","length":16,"roles":["trace-class-uuid"]})",
                   u_le(8, role("data-stream-class-id")), u_le(8, role("data-stream-id"))}),
    .more_of_trace_class = std::string(kUuidProperty),
    .clock = true,
};
const Bytes kHeader = {0xC1, 0x1F, 0xFC, 0xC1, 0,  1,  2,  3,  4,  5, 6,
                       7,    8,    9,    10,   11, 12, 13, 14, 15, 0, 9};
const Bytes kContext = {0x00, 0x04, 0, 0, 0xE8, 0x03, 0,   0,  // 1,024 and 1,000 bits
                        0x10, 0x27, 0, 0, 0,    0,    0,   0,  // 10,000
                        0x20, 0x4E, 0, 0, 0,    0,    0,   0,  // 20,000
                        3,    0,    7, 0, 'c',  'p',  'u', '1', 0};

TEST(PacketHead, Whole) {
  const Head whole(kWhole, kHeader + kContext, 555);
  ASSERT_EQ(whole.status, RunStatus::kDone);
  const PacketRoles& roles = whole.head.roles;
  EXPECT_FALSE(roles.wrong_magic);
  EXPECT_FALSE(roles.wrong_uuid);
  EXPECT_EQ(roles.stream_class_id, 0U);
  EXPECT_EQ(roles.stream_id, 9U);
  EXPECT_EQ(whole.head.total_bits(), 1'024U);
  EXPECT_EQ(whole.head.content_bits(), 1'000U);
  EXPECT_EQ(whole.head.clock, 10'000U);
  EXPECT_TRUE(whole.head.complete);
  EXPECT_EQ(whole.head.bits, (kHeader.size() + kContext.size()) * 8);
  EXPECT_TRUE(whole.head.has_plausible_size());
  EXPECT_FALSE(check_sizes(whole.head));

  const Packet& packet = *whole.head.packet;
  EXPECT_EQ(packet.begin, 10'000U);
  EXPECT_EQ(packet.end, 20'000U);
  EXPECT_EQ(packet.discarded, 3U);
  EXPECT_EQ(packet.sequence, 7U);
  EXPECT_EQ(packet.total_size, 128U);
  EXPECT_EQ(packet.content_size, 1'000U);
}

TEST(PacketHead, KeepsItsValues) {
  const Head whole(kWhole, kHeader + kContext);
  ASSERT_EQ(whole.status, RunStatus::kDone);
  EXPECT_EQ(whole.header(), "3254525889 blob:000102030405060708090a0b0c0d0e0f 0 9");
  EXPECT_EQ(whole.context(), R"(1024 1000 10000 20000 3 7 "cpu1")");
}

TEST(PacketHead, OtherMagicAndUuid) {
  Bytes bytes = kHeader + kContext;
  bytes[0] = 0xC0;
  bytes[19] = 16;
  const Head wrong(kWhole, bytes);
  EXPECT_EQ(wrong.status, RunStatus::kDone);
  EXPECT_TRUE(wrong.head.roles.wrong_magic);
  EXPECT_TRUE(wrong.head.roles.wrong_uuid);
  // Its size is known all the same.
  EXPECT_TRUE(wrong.head.has_plausible_size());
}

TEST(PacketHead, BigEndianMagic) {
  const Roots roots = {.packet_header = structure({u_be(32, role("packet-magic-number"))})};
  EXPECT_FALSE(Head(roots, {0xC1, 0xFC, 0x1F, 0xC1}).head.roles.wrong_magic);
  EXPECT_TRUE(Head(roots, {0xC1, 0x1F, 0xFC, 0xC1}).head.roles.wrong_magic);
}

TEST(PacketHead, OfAnUnknownStreamClass) {
  Bytes bytes = kHeader + kContext;
  bytes[20] = 4;
  const Head unknown(kWhole, bytes);
  EXPECT_EQ(unknown.status, RunStatus::kDone);
  EXPECT_EQ(unknown.head.stream, nullptr);
  EXPECT_EQ(unknown.head.class_id(), 4U);
  EXPECT_FALSE(unknown.head.complete);
}

TEST(PacketHead, WithoutClasses) {
  const Head none({}, {1, 2, 3}, 42);
  EXPECT_EQ(none.status, RunStatus::kDone);
  EXPECT_EQ(none.head.bits, 0U);
  EXPECT_EQ(none.head.clock, 42U);
  EXPECT_EQ(none.head.total_bits(), DecodeState::kEndless);
  EXPECT_EQ(none.head.content_bits(), DecodeState::kEndless);
  EXPECT_FALSE(none.head.has_plausible_size());
  EXPECT_FALSE(check_sizes(none.head));
}

TEST(PacketHead, TheLastOfSeveralIdsCounts) {
  const std::string id = u_le(8, role("data-stream-id"));
  const Roots roots = {.packet_header = structure({id, id, id})};
  EXPECT_EQ(Head(roots, {1, 2, 3}).head.roles.stream_id, 3U);
}

TEST(PacketHead, SizesStandForEachOther) {
  const Roots total = {.packet_context = structure({u_le(8, role("packet-total-size"))})};
  EXPECT_EQ(Head(total, {64}).head.content_bits(), 64U);
  const Roots content = {.packet_context = structure({u_le(8, role("packet-content-size"))})};
  EXPECT_EQ(Head(content, {64}).head.total_bits(), 64U);
}

TEST(PacketHead, SizesAreChecked) {
  const Roots roots = {.packet_context = structure({u_le(8, role("packet-total-size")),
                                                    u_le(8, role("packet-content-size"))})};
  const auto fault = [&](std::uint8_t total, std::uint8_t content) {
    const auto found = check_sizes(Head(roots, {total, content}).head);
    return found ? std::string(stream_rule(found->rule, Dialect::kRc3).id) + ": " + found->text
                 : "";
  };
  EXPECT_EQ(fault(16, 16), "");
  EXPECT_EQ(fault(24, 17), "");
  EXPECT_EQ(fault(0, 0), "ctf/packet-empty: the packet's size is 0; it has at least a byte");
  EXPECT_EQ(fault(17, 16),
            "ctf/packet-size: the packet's total size is 17 bits, which are no whole bytes");
  EXPECT_EQ(fault(16, 17),
            "ctf/packet-size: the packet's content size, 17 bits, is more than its total size, 16");
  EXPECT_EQ(
      fault(16, 15),
      "ctf/content-size: the packet's content size is 15 bits, its header and context take 16");
}

// Sizes and ids wider than 64 bits: what no data stream can have stays that.
TEST(PacketHead, WideFields) {
  const std::string leb =
      R"({"type":"variable-length-unsigned-integer","roles":["packet-total-size"]})";
  const Head far({.packet_context = structure({leb})}, Bytes(10, 0x80) + Bytes{0x01});
  EXPECT_EQ(far.head.total_bits(), std::uint64_t{1} << 62);
  const Head narrow({.packet_context = structure({leb})},
                    Bytes{0x88, 0x81} + Bytes(9, 0x80) + Bytes{0x00});
  EXPECT_EQ(narrow.head.total_bits(), 136U);
  const Roots id = {.packet_header = structure({u_le(72, role("data-stream-class-id"))})};
  EXPECT_EQ(Head(id, Bytes(9, 0)).head.class_id(), 0U);
  EXPECT_EQ(Head(id, Bytes(8, 0) + Bytes{1}).head.class_id(), ~std::uint64_t{0});
}

TEST(PacketHead, OfTheFinalDocumentUpdatesTheClock) {
  const Roots roots = {.packet_context = structure({u_le(8, role("default-clock-timestamp"))}),
                       .clock = true,
                       .final = true};
  EXPECT_EQ(Head(roots, {7}).head.clock, 7U);
  EXPECT_EQ(Head(roots, {7}).head.packet->begin, 7U);
  // The rest of a clock that goes on: CTF 1.8 is decoded with it.
  EXPECT_EQ(Head(roots, {7}, 300).head.clock, 519U);
}

TEST(PacketHead, ContextsReferToTheHeader) {
  const Roots roots = {
      .packet_context = structure({dynamic_array(R"(["packet-header","a"])", u_le(8))}),
      .packet_header = structure({u_le(8, role("data-stream-id"))})};
  EXPECT_EQ(Head(roots, {2, 7, 8}).context(), "<7 8>");
}

TEST(PacketHead, NeedsAllItsBytes) {
  const Bytes whole = kHeader + kContext;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Head cut(kWhole, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(cut.status, RunStatus::kNeedBytes) << size;
    EXPECT_GT(cut.state.needed, size * 8) << size;
    EXPECT_EQ(cut.state.fault.rule, StreamRule::kPacketCut) << size;
  }
}

TEST(PacketHead, IsBounded) {
  const Roots roots = {
      .packet_context = structure({u_le(32), dynamic_array(R"(["packet-context","a"])", u_le(4))})};
  const Head large(roots, Bytes{0x00, 0x00, 0x02, 0x00} + Bytes(65'536, 0x21));
  EXPECT_EQ(large.status, RunStatus::kFault);
  EXPECT_EQ(large.state.fault.rule, StreamRule::kLimitState);
}

}  // namespace
}  // namespace tracedeck::ctf

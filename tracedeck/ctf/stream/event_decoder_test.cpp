#include "tracedeck/ctf/stream/event_decoder.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tracedeck/ctf/stream/decoding_test.hpp"

namespace tracedeck::ctf {
namespace {

using Stop = EventDecoder::Stop;

// The event records of one packet, whose header and context take `head_bits` of `bytes`.
class EventsOf {
 public:
  EventsOf(const Roots& roots, Bytes bytes, PacketHead head = {}, std::size_t tape = 64)
      : read_(read_roots(roots)),
        schema_(read_.metadata->schema()),
        bytes_(std::move(bytes)),
        size_(bytes_.size()),
        head_(std::move(head)),
        batch_(std::make_shared<Batch>(tape)) {
    EXPECT_FALSE(read_.has_errors()) << read_.listing();
    bytes_.resize(size_ + kPadding, 0xA5);
    batch_->reserve(16);
    decoder.state().registers.resize(schema_->register_count);
    packet_.begin = head_.roles.begin;
    packet_.end = head_.roles.end;
    decoder.begin(*schema_->streams.at(0), head_, packet_, 1'000, {});
  }

  // With `size` bytes at hand, from byte `first` of the packet on.
  Stop run(std::size_t first, std::size_t size, bool last) {
    return decoder.run(*batch_, {bytes_.data() + first, size - first}, first, last);
  }
  Stop run() { return run(0, size_, true); }

  // Each event record: "time: values"; contexts and payload apart by |.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Record& record : batch_->records()) {
      if (!text.empty()) text += "; ";
      const Event& event = record.event;
      if (event.has_time()) text += fmt::format("{}: ", event.time);
      const Slot* const specific = event.slots + event.common_count;
      const Slot* const payload = specific + event.specific_count;
      text += show(event.slots, specific);
      if (event.common_count != 0) text += " | ";
      text += show(specific, payload);
      if (event.specific_count != 0) text += " | ";
      text += show(payload, event.slots + event.slot_count);
    }
    return text;
  }
  [[nodiscard]] const Event& event(std::size_t index) const {
    return batch_->records()[index].event;
  }
  [[nodiscard]] std::string fault() const {
    return fmt::format("{} at {}: {}", stream_rule(decoder.fault().rule, Dialect::kRc3).id,
                       decoder.fault().position, decoder.fault().text);
  }
  void next_batch() {
    batch_ = std::make_shared<Batch>(std::size_t{64});
    batch_->reserve(16);
  }

  EventDecoder decoder{true, false, true};

 private:
  ReadStream read_;
  std::shared_ptr<const TraceSchema> schema_;
  Bytes bytes_;
  std::size_t size_;
  PacketHead head_;
  Packet packet_;
  std::shared_ptr<Batch> batch_;
};

PacketHead content_of(std::uint64_t bits, std::uint64_t head_bits = 0) {
  PacketHead head;
  head.roles.content_bits = bits;
  head.bits = head_bits;
  return head;
}

const std::string kId = u_le(8, R"(,"roles":["event-record-class-id"])");

TEST(Events, UpToTheEndOfTheContent) {
  EventsOf events({.payload = structure({u_le(8), std::string(kString)})},
                  {0xEE, 1, 'a', 0, 2, 0, 0xEE, 0xEE}, content_of(48, 8));
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), R"(1 "a"; 2 "")");
  EXPECT_EQ(events.decoder.position(), 48U);
  EXPECT_EQ(events.event(0).offset, 1'001U);
  EXPECT_EQ(events.event(0).size, 3U);
  EXPECT_EQ(events.event(1).offset, 1'004U);
  EXPECT_EQ(events.event(1).size, 2U);
  EXPECT_FALSE(events.event(0).has_time());
}

TEST(Events, UpToTheEndOfTheDataStream) {
  EventsOf events({.payload = structure({u_le(8)})}, {1, 2, 3});
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), "1; 2; 3");
}

TEST(Events, OfPartsOfBytes) {
  EventsOf events({.payload = structure({u_be(3), u_be(9)})},
                  {0b001'00000, 0b0010'010'0, 0b00000011, 0xFF}, content_of(24));
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), "1 2; 2 3");
  EXPECT_EQ(events.event(1).offset, 1'001U);
  EXPECT_EQ(events.event(1).size, 2U);
}

TEST(Events, WithContexts) {
  EventsOf events({.payload = structure({optional(R"(["event-record-header","b"])", u_le(8))}),
                   .specific_context = structure({u_le(8)}),
                   .common_context = structure({u_le(8)}),
                   .event_header = structure({kId, fixed("boolean", 8, "little")})},
                  {0, 1, 3, 4, 5, 0, 0, 3, 4});
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), "3 | 4 | ?5; 3 | 4 | ?");
}

TEST(Events, OfAnUnknownClass) {
  EventsOf events({.payload = structure({u_le(8)}), .event_header = structure({kId})},
                  {0, 7, 5, 8});
  EXPECT_EQ(events.run(), Stop::kUnknownClass);
  EXPECT_EQ(events.text(), "7");
  EXPECT_EQ(events.decoder.unknown_class(), 5U);
  EXPECT_EQ(events.decoder.position(), 16U);
}

TEST(Events, TheLastOfSeveralIdsCounts) {
  EventsOf events({.payload = structure({u_le(8)}), .event_header = structure({kId, kId})},
                  {9, 0, 7, 0, 9, 7});
  EXPECT_EQ(events.run(), Stop::kUnknownClass);
  EXPECT_EQ(events.text(), "7");
  EXPECT_EQ(events.decoder.unknown_class(), 9U);
}

TEST(Events, TakeAtLeastABit) {
  EventsOf events({.payload = structure({})}, {0, 0}, content_of(16));
  EXPECT_EQ(events.run(), Stop::kFault);
  EXPECT_EQ(events.fault(), "ctf/event-empty at 0: the event record takes no bits");
}

TEST(Events, EndWithinTheContent) {
  EventsOf events({.payload = structure({u_le(16)})}, {1, 0, 2, 0}, content_of(24));
  EXPECT_EQ(events.run(), Stop::kFault);
  EXPECT_EQ(events.text(), "1");
  EXPECT_EQ(events.decoder.position(), 16U);
  EXPECT_EQ(
      events.fault(),
      "ctf/event-cut at 16: event-record-payload.a: 16 bits are wanted, and 8 are left in the "
      "packet's content");
  // Alignment at the end takes the event record out of it, too.
  EventsOf aligned({.payload = structure({u_le(8), dynamic_array(in_payload("a"), u_le(4)),
                                          structure({}, R"(,"minimum-alignment":8)")})},
                   {1, 0x07}, content_of(12));
  EXPECT_EQ(aligned.run(), Stop::kFault);
  EXPECT_EQ(aligned.fault(),
            "ctf/event-cut at 0: the event record ends behind the packet's content");
}

TEST(Events, OfACutDataStream) {
  EventsOf events({.payload = structure({u_le(16)})}, {1, 0, 2}, content_of(64));
  EXPECT_EQ(events.run(), Stop::kFault);
  EXPECT_EQ(events.text(), "1");
  EXPECT_EQ(events.fault(),
            "ctf/packet-cut at 16: event-record-payload.a: the data stream ends "
            "within it");
  EventsOf between({.payload = structure({u_le(16)})}, {1, 0}, content_of(64));
  EXPECT_EQ(between.run(), Stop::kFault);
  EXPECT_EQ(between.fault(), "ctf/packet-cut at 16: the data stream ends before the packet does");
}

// Bytes that come in portions make no difference, wherever they are cut.
TEST(Events, InPortions) {
  const Roots roots = {
      .payload = structure({u_be(3), u_be(9), u_be(4), u_le(8, kAtByte), std::string(kString),
                            dynamic_array(in_payload("a"), u_le(8))}),
      .event_header = structure({u_le(8, role("default-clock-timestamp"))}),
      .clock = true};
  const Bytes bytes = {200, 0b010'00000, 0b0010'0101, 9,           'a', 'b', 0, 7,
                       8,   100,         0b001'00000, 0b0011'0101, 9,   0,   6};
  const std::string expected = R"(200: 2 2 5 9 "ab" <7 8>; 356: 1 3 5 9 "" <6>)";
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EventsOf events(roots, bytes, content_of(bytes.size() * 8));
    const Stop stop = events.run(0, cut, false);
    ASSERT_EQ(stop, Stop::kNeedBytes) << cut;
    EXPECT_GT(events.decoder.needed(), cut * 8);
    EXPECT_LE(events.decoder.needed(), bytes.size() * 8);
    // From where the event record at hand begins.
    EXPECT_EQ(events.run(events.decoder.position() / 8, bytes.size(), true), Stop::kPacketEnd);
    EXPECT_EQ(events.text(), expected) << cut;
  }
}

TEST(Events, WantRoomForTheirSlots) {
  EventsOf events({.payload = structure({u_le(8), dynamic_array(in_payload("a"), u_le(4))})},
                  {4, 0x21, 0x43}, {}, 4);
  EXPECT_EQ(events.run(), Stop::kNeedSlots);
  EXPECT_GE(events.decoder.needed(), 6U);
  EXPECT_LE(events.decoder.needed(), 8U);
  EXPECT_EQ(events.decoder.position(), 0U);
  events.next_batch();
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), "4 [1 2 3 4]");
}

TEST(Events, StopWhenTheBatchIsFull) {
  Bytes bytes(40);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  EventsOf events({.payload = structure({u_le(8)})}, bytes);
  std::size_t count = 0;
  for (Stop stop = Stop::kBatchFull; stop == Stop::kBatchFull;) {
    stop = events.run();
    for (const char c : events.text()) count += c == ';' ? 1 : 0;
    ++count;
    if (stop == Stop::kBatchFull) events.next_batch();
  }
  EXPECT_EQ(count, 40U);
}

// "Clock value update procedure": 27 bits of a time stamp, as LTTng's compact event header.
TEST(Clock, NarrowFieldsCarry) {
  const Roots roots = {.payload = structure({u_le(8)}),
                       .event_header = structure({u_le(5, role("event-record-class-id")),
                                                  u_le(27, role("default-clock-timestamp"))}),
                       .clock = true};
  PacketHead head;
  head.clock = 0x1'27FF'FFF0;
  // 7FFFFFF and 0, shifted by the 5 bits of the id.
  EventsOf events(roots, {0xE0, 0xFF, 0xFF, 0xFF, 1, 0x00, 0x00, 0x00, 0x00, 2}, head);
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), fmt::format("{}: 1; {}: 2", 0x1'27FF'FFFF, 0x1'2800'0000));
  EXPECT_EQ(events.decoder.clock(), 0x1'2800'0000U);
}

TEST(Clock, WholeFieldsSet) {
  const Roots roots = {.payload = structure({u_le(8)}),
                       .event_header = structure({u_le(64, role("default-clock-timestamp"))}),
                       .clock = true};
  EventsOf events(roots, {9, 0, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 2});
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), "9: 1; 8: 2");
}

// 7 bits a byte that the field takes.
TEST(Clock, VariableLengthFieldsCarry) {
  const Roots roots = {
      .payload = structure({u_le(8)}),
      .event_header = structure(
          {R"({"type":"variable-length-unsigned-integer","roles":["default-clock-timestamp"]})"}),
      .clock = true};
  PacketHead head;
  head.clock = 1'000;  // 7 times 128 and 104
  EventsOf events(roots, {105, 1, 3, 2, 0xAC, 0x02, 3}, head);
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), "1001: 1; 1027: 2; 16684: 3");
}

TEST(Clock, ATimeWithoutAClockIsNone) {
  EventsOf events({.payload = structure({u_le(8)}), .event_header = structure({kId})}, {0, 1});
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_FALSE(events.event(0).has_time());
}

TEST(Oddities, OfTimes) {
  const Roots roots = {.payload = structure({u_le(8)}),
                       .event_header = structure({u_le(64, role("default-clock-timestamp"))}),
                       .clock = true};
  const auto event_at = [](std::uint8_t time) { return Bytes{time, 0, 0, 0, 0, 0, 0, 0, 1}; };
  PacketHead head;
  head.roles.begin = 10;
  head.roles.end = 20;
  head.clock = 10;
  EventsOf events(roots, event_at(9) + event_at(15) + event_at(12) + event_at(11) + event_at(21),
                  head);
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  const std::vector<Oddity> oddities = events.decoder.take_oddities();
  // Of each kind at most one a packet.
  ASSERT_EQ(oddities.size(), 2U);
  EXPECT_EQ(oddities[0].rule, StreamRule::kEventTime);
  EXPECT_EQ(oddities[0].position, 0U);
  EXPECT_EQ(oddities[0].text, "the event record's clock value, 9, is before its packet begins, 10");
  EXPECT_EQ(oddities[1].rule, StreamRule::kEventOrder);
  EXPECT_EQ(oddities[1].position, 144U);
  EXPECT_EQ(oddities[1].text,
            "the event record's clock value, 12, is less than the one before it, 15");
  EXPECT_TRUE(events.decoder.take_oddities().empty());
  EXPECT_EQ(events.decoder.previous(), 21U);
}

// The byte order of what precedes an event record's first field is known across roots and records.
TEST(Events, DoNotShareAByteInTwoByteOrders) {
  EventsOf events({.payload = structure({u_le(4), u_le(8)})}, {0x21, 0x43, 0x65}, content_of(24));
  EXPECT_EQ(events.run(), Stop::kPacketEnd);
  EXPECT_EQ(events.text(), "1 50; 4 101");
  EventsOf mixed({.payload = structure({u_be(8)}), .event_header = structure({u_le(4)})},
                 {0x21, 0x43}, content_of(16));
  EXPECT_EQ(mixed.run(), Stop::kFault);
  EXPECT_EQ(mixed.fault(),
            "ctf/byte-order at 4: event-record-payload.a: the byte order changes within a byte; "
            "align the field to 8 bits");
}

}  // namespace
}  // namespace tracedeck::ctf

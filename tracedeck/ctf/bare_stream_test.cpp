#include "tracedeck/ctf/bare_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/ctf/trace.hpp"
#include "tracedeck/io/prefix_input.hpp"

namespace tracedeck::ctf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Packets with a magic number and both sizes, and events of a byte. 'z' is of no class.
constexpr std::string_view kMetadata = R"(/* CTF 1.8 */
typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 8; align = 8; encoding = ASCII; } := letter;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
stream {
  packet.context := struct { u32 content_size; u32 packet_size; u32 packet_seq_num; };
  event.header := struct { letter id; };
};
event { id = 97; name = "a"; };
event { id = 98; name = "b"; };
event { id = 99; name = "c"; };
event { id = 100; name = "d"; };
)";
constexpr std::size_t kHeadSize = 16;

// The same without a magic number and without sizes.
constexpr std::string_view kBareMetadata = R"(/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := letter;
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { letter id; }; };
event { id = 97; name = "a"; };
event { id = 98; name = "b"; };
)";

void put_u32(std::string& to, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) to += static_cast<char>(value >> 8 * i & 0xFF);
}

struct SentPacket {
  std::size_t padding = 0;
  std::uint32_t sequence = 0;
  std::uint32_t more = 0;  // bytes that its size is too large by
};

std::string packet(std::string_view events, const SentPacket& facts = {}) {
  std::string bytes;
  put_u32(bytes, 0xC1FC1FC1);
  put_u32(bytes, static_cast<std::uint32_t>((kHeadSize + events.size()) * 8));
  put_u32(bytes,
          static_cast<std::uint32_t>((kHeadSize + events.size() + facts.padding + facts.more) * 8));
  put_u32(bytes, facts.sequence);
  return bytes + std::string(events) + std::string(facts.padding, '\0');
}

struct Seen {
  std::string events = {};                 // their names
  std::vector<std::string> problems = {};  // rule, offset and length of each
  std::vector<std::string> texts = {};     // of the problems
  std::uint64_t lost_packets = 0;
  std::size_t streams_ended = 0;
};

void look_at(const Batch& batch, Seen& seen) {
  for (const Record& record : batch.records()) {
    if (record.kind == RecordKind::kEvent)
      seen.events += record.event.event_class->name.value_or("");
    if (record.kind == RecordKind::kLoss) seen.lost_packets += record.loss->packets.value_or(0);
    if (record.kind == RecordKind::kStreamEnd) ++seen.streams_ended;
    if (record.kind != RecordKind::kProblem) continue;
    const Finding& finding = record.notice->finding;
    seen.problems.push_back(std::string(finding.rule->id) + " " + std::to_string(finding.offset) +
                            "+" + std::to_string(finding.length));
    seen.texts.push_back(finding.text);
  }
}

ReadOptions options_of(std::string_view metadata) {
  ReadOptions options;
  options.metadata = std::make_shared<const GivenMetadata>("the metadata", std::string(metadata));
  return options;
}

std::unique_ptr<Reader> reader_of(std::unique_ptr<io::Input> input,
                                  std::string_view metadata = kMetadata) {
  auto reader = open_bare_stream(std::move(input), options_of(metadata));
  EXPECT_TRUE(reader);
  return *std::move(reader);
}

// `chunk`: how many bytes come at a time; 0: it is a file.
std::unique_ptr<Reader> reader_of(std::string_view stream, std::size_t chunk,
                                  std::string_view metadata = kMetadata) {
  return reader_of(io::memory_input("stream", as_bytes(stream), chunk), metadata);
}

Seen read_all(Reader& reader) {
  Seen seen;
  for (auto batch = reader.next(); batch && *batch != nullptr; batch = reader.next())
    look_at(**batch, seen);
  return seen;
}

// What a file with these bytes shows, which does not depend on how they come.
Seen read_all(std::string_view stream, std::string_view metadata = kMetadata) {
  const Seen file = read_all(*reader_of(stream, 0, metadata));
  for (const std::size_t chunk : {1U, 5U, 1000U}) {
    const Seen live = read_all(*reader_of(stream, chunk, metadata));
    EXPECT_EQ(live.events, file.events) << chunk;
    EXPECT_EQ(live.problems, file.problems) << chunk;
    EXPECT_EQ(live.texts, file.texts) << chunk;
    EXPECT_EQ(live.lost_packets, file.lost_packets) << chunk;
  }
  ReadOptions options = options_of(metadata);
  options.jobs = 3;
  const auto reader = open_bare_stream(io::memory_input("stream", as_bytes(stream)), options);
  const Seen ahead = read_all(**reader);
  EXPECT_EQ(ahead.events, file.events);
  EXPECT_EQ(ahead.problems, file.problems);
  return file;
}

Seen read_datagrams(const std::vector<std::string>& datagrams,
                    std::string_view metadata = kMetadata) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::size_t> ends;
  for (const std::string& each : datagrams) {
    bytes.insert(bytes.end(), each.begin(), each.end());
    ends.push_back(bytes.size());
  }
  return read_all(*reader_of(
      io::prefix_input(std::move(bytes), io::memory_input("datagrams", {}, 1), std::move(ends)),
      metadata));
}

// Bytes behind which the input pauses once, and then ends by a stop request.
class Stopped final : public io::Input {
 public:
  explicit Stopped(std::string_view bytes)
      : bytes_(io::memory_input("wire", as_bytes(bytes), bytes.size())) {}

  const std::string& name() const override { return bytes_->name(); }
  Result<std::size_t> read(std::uint8_t* into, std::size_t size) override {
    const auto got = bytes_->read(into, size);
    stopped_ = *got == 0;
    return got;
  }
  bool seekable() const override { return false; }
  bool ready(std::chrono::milliseconds) override {
    return bytes_->stored_position() != *bytes_->size();
  }
  Result<void> rewind() override { return bytes_->rewind(); }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::uint64_t stored_position() const override { return bytes_->stored_position(); }
  bool stopped() const override { return stopped_; }

 private:
  std::unique_ptr<io::Input> bytes_;
  bool stopped_ = false;
};

TEST(BareStream, IsReadByTheMetadataThatAreGiven) {
  const std::string stream =
      packet("abc", {.padding = 4}) + packet("", {.sequence = 1}) + packet("db", {.sequence = 2});
  const Seen seen = read_all(stream);
  EXPECT_EQ(seen.events, "abcdb");
  EXPECT_THAT(seen.problems, IsEmpty());
  EXPECT_EQ(seen.streams_ended, 1U);
  const auto reader = reader_of(stream, 0);
  (void)read_all(*reader);
  EXPECT_EQ(reader->target(), "ctf1");
  EXPECT_EQ(reader->bytes_read(), stream.size());
  EXPECT_EQ(reader->progress(), 1);
  EXPECT_THAT(read_all("").problems, IsEmpty());
}

TEST(BareStream, EventsAreHandedOnBeforeMoreIsWaitedFor) {
  // The packet is not complete, its padding is not there, the next head is not: each time what was
  // decoded comes before the next read.
  for (const std::size_t chunk : {kHeadSize + 2, kHeadSize + 4, kHeadSize + 6, kHeadSize + 14}) {
    const auto reader =
        reader_of(packet("abcd", {.padding = 4}) + packet("a", {.sequence = 1}), chunk);
    Seen seen;
    while (seen.events.empty()) look_at(**reader->next(), seen);
    EXPECT_EQ(seen.events, std::string("abcd").substr(0, std::min<std::size_t>(chunk, 20) - 16));
  }
}

TEST(BareStream, GoesOnAtTheNextMagicNumber) {
  const Seen seen =
      read_all("xyz" + packet("ab") + "garbage" + packet("c", {.sequence = 1}) + "\xC1\xFC");
  EXPECT_EQ(seen.events, "abc");
  EXPECT_THAT(seen.problems,
              ElementsAre("ctf/packet-magic 0+3", "ctf/packet-magic 21+7", "ctf/packet-cut 45+2"));
  EXPECT_THAT(seen.texts[1], HasSubstr("reading goes on at the next packet"));
}

TEST(BareStream, WhatOnlyBeginsLikeAPacketIsOneDamage) {
  std::string likely;
  for (int i = 0; i < 1000; ++i) put_u32(likely, 0xC1FC1FC1);
  const Seen seen = read_all(packet("a") + likely + packet("b"));
  EXPECT_EQ(seen.events, "ab");
  EXPECT_THAT(seen.problems, ElementsAre("ctf/packet-size 17+4000"));
  // A stop within what may still become a packet.
  const Seen stopped =
      read_all(*reader_of(std::make_unique<Stopped>("xyz" + packet("a").substr(0, 9))));
  EXPECT_THAT(stopped.problems, ElementsAre("ctf/packet-magic 0+3"));
}

TEST(BareStream, ASizeIsBelievedWhereAPacketFollows) {
  // The letter z is of no class; the magic number behind it is of the packet's own content.
  std::string inside = "az";
  put_u32(inside, 0xC1FC1FC1);
  const Seen sized = read_all(packet(inside) + packet("b", {.sequence = 1}));
  EXPECT_EQ(sized.events, "ab");
  EXPECT_THAT(sized.problems, ElementsAre("ctf/event-class 17+5"));
  // Bytes are missing, or the size is damaged.
  const Seen too_large = read_all(packet("az", {.more = 10}) + packet("b") + packet("c"));
  EXPECT_EQ(too_large.events, "abc");
  EXPECT_THAT(too_large.problems, ElementsAre("ctf/event-class 17+1"));
  const Seen huge = read_all(packet("az", {.more = 0x10000000}) + packet("b"));
  EXPECT_EQ(huge.events, "ab");
}

TEST(BareStream, TheSizeInWhatIsNoPacketIsNotBelieved) {
  std::string no_packet = packet("abc", {.more = 200});
  no_packet[0] = 'x';
  const Seen seen = read_all(no_packet + packet("b"));
  EXPECT_EQ(seen.events, "b");
  EXPECT_THAT(seen.problems, ElementsAre("ctf/packet-magic 0+19"));
}

TEST(BareStream, WhatIsCutIsDamage) {
  const std::string stream = packet("abc");
  const Seen seen = read_all(std::string_view(stream).substr(0, stream.size() - 1));
  EXPECT_EQ(seen.events, "ab");
  EXPECT_THAT(seen.problems, ElementsAre("ctf/packet-cut 18+0"));
}

TEST(BareStream, WhatAStopCutsOffIsNoDamage) {
  for (const std::string& whole : {packet("abc"), packet("abc", {.padding = 3})}) {
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      const Seen seen =
          read_all(*reader_of(std::make_unique<Stopped>(std::string_view(whole).substr(0, size))));
      EXPECT_THAT(seen.problems, IsEmpty()) << size;
      const std::size_t events = std::min<std::size_t>(3, size - std::min(size, kHeadSize));
      EXPECT_EQ(seen.events, std::string("abc").substr(0, events));
    }
  }
}

TEST(BareStream, DamageIsAnnouncedWhereItsEndIsWaitedFor) {
  std::vector<std::string> notices;
  ReadOptions options = options_of(kMetadata);
  options.notice = [&](const std::string& sentence) { notices.push_back(sentence); };
  auto reader = open_bare_stream(std::make_unique<Stopped>(packet("a") + "garbage"), options);
  const Seen seen = read_all(**reader);
  EXPECT_EQ(seen.events, "a");
  EXPECT_THAT(seen.problems, ElementsAre("ctf/packet-magic 17+7"));
  EXPECT_THAT(notices, ElementsAre("wire: byte 17: the packet does not begin with the magic number "
                                   "C1FC1FC1; the next packet is looked for"));
}

TEST(BareStream, WithoutMagicNumbersNothingBehindDamageIsRead) {
  const Seen seen = read_all("abz", kBareMetadata);
  EXPECT_EQ(seen.events, "ab");
  EXPECT_THAT(seen.problems, ElementsAre("ctf/event-class 2+1"));
  EXPECT_THAT(seen.texts[0], HasSubstr("nothing behind it can be read"));
  const auto reader = reader_of("abzzzzzzzzz", 3, kBareMetadata);
  Seen first;
  while (first.events.empty()) look_at(**reader->next(), first);
  EXPECT_EQ(first.events, "ab");
  EXPECT_THAT(first.problems, IsEmpty());
}

TEST(BareStream, EachDatagramBeginsWithAPacket) {
  const Seen seen = read_datagrams({packet("ab") + packet("c", {.sequence = 1}), "garbage",
                                    packet("abc", {.sequence = 2}).substr(0, kHeadSize + 1),
                                    packet("d", {.padding = 5, .sequence = 3}).substr(0, 18),
                                    packet("a", {.sequence = 4})});
  EXPECT_EQ(seen.events, "abcada");
  EXPECT_THAT(seen.problems,
              ElementsAre("ctf/packet-magic 35+7", "ctf/packet-cut 59+0", "ctf/packet-cut 59+18"));
  EXPECT_THAT(seen.texts[0], HasSubstr("reading goes on at the next packet"));
  EXPECT_THAT(seen.texts[2], HasSubstr("the datagram ends within the packet, 4 bytes"));
  EXPECT_EQ(seen.lost_packets, 0U);
}

TEST(BareStream, ADatagramMayBeAPacketWithoutSizes) {
  const Seen seen = read_datagrams({"ab", "az", "b"}, kBareMetadata);
  EXPECT_EQ(seen.events, "abab");
  EXPECT_THAT(seen.problems, ElementsAre("ctf/event-class 3+1"));
}

TEST(BareStream, DatagramsThatAreMissingAreLosses) {
  const Seen seen =
      read_datagrams({packet("a"), packet("b", {.sequence = 1}), packet("c", {.sequence = 5})});
  EXPECT_EQ(seen.events, "abc");
  EXPECT_EQ(seen.lost_packets, 3U);
}

TEST(BareStream, FaultsOfTheMetadataRejectIt) {
  for (const std::string_view metadata :
       {"/* CTF 1.8 */ trace { major = 1 };", "", "{", "\x1E{}"}) {
    const auto reader = reader_of(packet("a"), 0, metadata);
    Result<BatchPtr> batch = reader->next();
    while (batch && *batch != nullptr) batch = reader->next();
    ASSERT_FALSE(batch) << metadata;
    EXPECT_EQ(batch.error().code, ErrorCode::kMustReject);
    EXPECT_EQ(batch.error().input, "the metadata");
  }
}

TEST(BareStream, NeedsMetadata) {
  const auto without = open_bare_stream(io::memory_input("stream", {}), {});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(without.error().message, HasSubstr("--metadata FILE"));
  ReadOptions options = options_of(kMetadata);
  options.max_state = kMetadata.size() - 1;
  const auto small = open_bare_stream(io::memory_input("stream", {}), options);
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, ErrorCode::kLimitExceeded);
}

// Each magic number might begin a packet whose header reaches to the end.
TEST(BareStream, HostileHeadsTakeLinearTime) {
  constexpr std::string_view kText = R"(/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le;
  packet.header := struct { integer { size = 32; align = 8; } magic; string name; }; };
stream { event.header := struct { integer { size = 8; align = 8; } id; }; };
event { id = 97; name = "a"; };
)";
  std::string stream;
  while (stream.size() < (std::size_t{2} << 20)) put_u32(stream, 0xC1FC1FC1);
  for (const std::size_t chunk : {std::size_t{0}, std::size_t{1400}}) {
    const Seen seen = read_all(*reader_of(stream, chunk, kText));
    EXPECT_EQ(seen.events, "");
    EXPECT_EQ(seen.problems.size(), 1U);
  }
}

TEST(BareStream, SendersCannotMakeDataStreamsWithoutEnd) {
  constexpr std::string_view kText = R"(/* CTF 1.8 */
typealias integer { size = 32; align = 8; } := u32;
trace { major = 1; minor = 8; byte_order = le;
  packet.header := struct { u32 magic; u32 stream_id; u32 stream_instance_id; }; };
stream { id = 0; packet.context := struct { u32 packet_size; }; };
event { name = "a"; fields := struct { integer { size = 8; align = 8; } n; }; };
)";
  std::string stream;
  for (std::uint32_t id = 0; id < Trace::kMostGivenStreams + 3; ++id) {
    put_u32(stream, 0xC1FC1FC1);
    put_u32(stream, 0);
    put_u32(stream, id == Trace::kMostGivenStreams + 2 ? 7 : id);
    put_u32(stream, 17 * 8);
    stream += 'n';
  }
  const Seen seen = read_all(*reader_of(stream, 0, kText));
  EXPECT_EQ(seen.events.size(), Trace::kMostGivenStreams + 1);
  EXPECT_THAT(seen.problems, ElementsAre(testing::StartsWith("ctf/limit-state ")));
  EXPECT_EQ(seen.streams_ended, Trace::kMostGivenStreams);
}

}  // namespace
}  // namespace tracedeck::ctf

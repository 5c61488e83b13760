#include "tracedeck/ctf/reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/base/bytes.hpp"

namespace tracedeck::ctf {
namespace {

// 1 GHz; packets: magic, stream id, sizes in bits, begin, end, discarded, sequence; events: 8-bit
// id, 32-bit time, 8-bit value.
constexpr std::string_view kField =
    R"({"type": "fixed-length-unsigned-integer", "byte-order": "little-endian", "alignment": 8, )";

std::string member(std::string_view name, unsigned bits, std::string_view role) {
  const std::string roles = role.empty() ? "" : fmt::format(R"(, "roles": ["{}"])", role);
  return fmt::format(R"({{"name": "{}", "field-class": {}"length": {}{}}}}})", name, kField, bits,
                     roles);
}

std::string structure(const std::vector<std::string>& members) {
  std::string text = R"({"type": "structure", "member-classes": [)";
  for (std::size_t i = 0; i < members.size(); ++i) text += (i == 0 ? "" : ", ") + members[i];
  return text + "]}";
}

std::string fragment(const std::string& json) { return "\x1e" + json + "\n"; }

std::string event_class(unsigned id) {
  return fragment(R"({"type": "event-record-class", "id": )" + std::to_string(id) +
                  R"(, "name": "event", "payload-field-class": )" +
                  structure({member("value", 8, "")}) + "}");
}

std::string metadata() {
  return fragment(R"({"type": "preamble", "version": 2})") +
         fragment(R"({"type": "trace-class", "packet-header-field-class": )" +
                  structure({member("magic", 32, "packet-magic-number"),
                             member("stream", 8, "data-stream-id")}) +
                  "}") +
         fragment(R"({"type": "clock-class", "name": "c", "frequency": 1000000000})") +
         fragment(
             R"({"type": "data-stream-class", "default-clock-class-name": "c", "packet-context-field-class": )" +
             structure({member("total", 32, "packet-total-size"),
                        member("content", 32, "packet-content-size"),
                        member("begin", 64, "packet-beginning-default-clock-timestamp"),
                        member("end", 64, "packet-end-default-clock-timestamp"),
                        member("discarded", 32, "discarded-event-record-counter-snapshot"),
                        member("sequence", 32, "packet-sequence-number")}) +
             R"(, "event-record-header-field-class": )" +
             structure({member("id", 8, "event-record-class-id"),
                        member("time", 32, "default-clock-timestamp")}) +
             "}") +
         event_class(0);
}

struct PacketOf {
  std::uint8_t stream = 0;
  std::uint32_t begin = 0;
  unsigned events = 3;  // one every 10 ns
  std::uint32_t discarded = 0;
  std::uint32_t sequence = 0;
  std::uint8_t id = 0;
  std::optional<std::uint32_t> end = {};

  [[nodiscard]] std::string bytes() const {
    std::string text;
    const auto put = [&](auto value) {
      std::uint8_t raw[sizeof value];
      store_le(raw, value);
      text += as_text(ByteSpan(raw));
    };
    const std::uint32_t content = (37 + events * 6) * 8;
    put(std::uint32_t{0xC1FC1FC1});
    put(stream);
    put(content + 64);
    put(content);
    put(std::uint64_t{begin});
    put(std::uint64_t{end.value_or(begin + events * 10)});
    put(discarded);
    put(sequence);
    for (unsigned i = 0; i < events; ++i) {
      put(id);
      put(begin + i * 10);
      put(static_cast<std::uint8_t>(i));
    }
    return text + std::string(8, '\x55');
  }
};

class CtfReader : public testing::Test {
 protected:
  CtfReader() {
    std::string pattern = std::filesystem::temp_directory_path() / "tracedeck-reader-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    directory_ = pattern;
    write("metadata", metadata());
  }
  ~CtfReader() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  void write(const std::string& name, const std::string& bytes, bool append = false) {
    std::ofstream(directory_ + "/" + name,
                  append ? std::ios::binary | std::ios::app : std::ios::binary)
        << bytes;
  }

  [[nodiscard]] std::unique_ptr<Reader> open(const ReadOptions& options = {}) const {
    const std::string directories[] = {directory_};
    auto reader = open_reader(directories, options, {});
    EXPECT_TRUE(reader.has_value());
    return *std::move(reader);
  }

  // What a source yields, a word for each record.
  static std::vector<std::string> words(RecordSource& source) {
    std::vector<std::string> result;
    for (auto batch = source.next(); batch && *batch != nullptr; batch = source.next()) {
      for (const Record& record : (*batch)->records()) result.push_back(word(record));
    }
    return result;
  }

  static std::string word(const Record& record) {
    switch (record.kind) {
      case RecordKind::kEvent:
        return "event " + std::to_string(record.event.time) + " " +
               std::to_string(record.event.payload().empty() ? 0 : record.event.payload()[0].bits);
      case RecordKind::kStreamBegin:
        return "stream";
      case RecordKind::kStreamEnd:
        return "end of stream";
      case RecordKind::kPacketBegin:
        return "packet " + std::to_string(record.packet->sequence.value_or(0));
      case RecordKind::kPacketEnd:
        return "end of packet";
      case RecordKind::kDescription:
        return "class";
      case RecordKind::kLoss:
        return "loss " + std::to_string(record.loss->events.value_or(0)) + " " +
               std::to_string(record.loss->packets.value_or(0));
      case RecordKind::kProblem:
        return "problem " + std::string(record.notice->finding.rule->id) + " " +
               std::to_string(record.notice->finding.offset) + " " +
               std::to_string(record.notice->finding.length);
      case RecordKind::kFinding:
        return "finding " + std::string(record.notice->finding.rule->id);
    }
    return {};
  }

  std::string directory_;
};

using Words = std::vector<std::string>;

TEST_F(CtfReader, YieldsPacketsEventsAndLosses) {
  write("a", PacketOf{.events = 1, .discarded = 2, .sequence = 4}.bytes() +
                 PacketOf{.begin = 100, .events = 2, .discarded = 7, .sequence = 6}.bytes());
  EXPECT_EQ(words(*open()),
            (Words{"class", "stream", "loss 0 0", "finding ctf/first-packet", "packet 4",
                   "event 0 0", "end of packet", "loss 0 1", "loss 5 0", "packet 6", "event 100 0",
                   "event 110 1", "end of packet", "end of stream"}));
}

TEST_F(CtfReader, ReadsTheSameInParallel) {
  std::string bytes;
  for (std::uint32_t i = 0; i < 200; ++i) {
    PacketOf packet{.begin = i * 1000, .events = i % 50, .sequence = i};
    if (i == 77) packet.id = 9;      // no such class
    if (i == 120) packet.begin = 5;  // before the one before it
    bytes += packet.bytes();
  }
  bytes.resize(bytes.size() - 3);  // the last packet is cut in its padding
  write("a", bytes);
  const Words alone = words(*open());
  EXPECT_EQ(std::ranges::count(alone, "finding ctf/event-order"), 1);
  EXPECT_EQ(std::ranges::count_if(
                alone, [](const auto& each) { return each[0] == 'p' && each[1] == 'r'; }),
            2);
  for (const unsigned jobs : {2U, 5U}) EXPECT_EQ(words(*open({.jobs = jobs})), alone);
}

TEST_F(CtfReader, TextThatIsNoUtf8IsReportedWhereItIs) {
  const std::string text = R"({"name": "s", "field-class": {"type": "null-terminated-string"}})";
  write("metadata",
        fragment(R"({"type": "preamble", "version": 2})") +
            fragment(R"({"type": "data-stream-class", "packet-context-field-class": )" +
                     structure({member("total", 8, "packet-total-size"),
                                member("content", 8, "packet-content-size"), text}) +
                     "}") +
            fragment(R"({"type": "event-record-class", "payload-field-class": )" +
                     structure({member("n", 8, ""), text, member("value", 16, "")}) + "}"));
  // Bad text in a context without events, in an event that is cut, and nowhere.
  const std::string context("\x20\x20\xFF\0", 4);
  const std::string cut("\x40\x40\x61\0\x07\xFF\0\x01", 8);
  const std::string good("\x48\x48\x61\0\x07\x62\0\x01\0", 9);
  write("a", context + cut + good);
  for (const unsigned jobs : {1U, 3U}) {
    EXPECT_EQ(words(*open({.jobs = jobs})),
              (Words{"class", "stream", "packet 0", "finding ctf/utf8", "end of packet", "packet 0",
                     "problem ctf/event-cut 8 4", "end of packet", "packet 0", "event 0 7",
                     "end of packet", "end of stream"}));
  }
}

TEST_F(CtfReader, ReadsMetadataOnWhenAClassIsMissing) {
  const std::string known = PacketOf{}.bytes();
  write("a", known + PacketOf{.begin = 50, .events = 1, .sequence = 1, .id = 3}.bytes() + known);
  for (const unsigned jobs : {1U, 3U}) {
    write("metadata", metadata());
    const auto reader = open({.jobs = jobs});
    write("metadata", event_class(3), true);
    const Words all = words(*reader);
    EXPECT_EQ(std::ranges::count(all, "class"), 2) << jobs;
    EXPECT_EQ(std::ranges::count(all, "event 50 0"), 1) << jobs;
  }
}

TEST_F(CtfReader, CountsLossesAcrossFilesWhicheverComesFirst) {
  write("b", PacketOf{.begin = 0, .events = 1, .sequence = 0}.bytes());
  write("c", PacketOf{.begin = 100, .events = 1, .sequence = 1}.bytes());
  write("a", PacketOf{.begin = 200, .events = 1, .discarded = 3, .sequence = 2}.bytes());
  const Words recorded = words(*open());
  EXPECT_EQ(recorded, (Words{"class", "stream", "loss 3 0", "packet 2", "event 200 0",
                             "end of packet", "packet 0", "event 0 0", "end of packet", "packet 1",
                             "event 100 0", "end of packet", "end of stream"}));
  const auto reader = open();
  auto streams = reader->take_streams();
  ASSERT_EQ(streams.size(), 2U);  // the classes, then the data stream
  EXPECT_EQ(words(*streams[1]),
            (Words{"stream", "packet 0", "event 0 0", "end of packet", "packet 1", "event 100 0",
                   "end of packet", "loss 3 0", "packet 2", "event 200 0", "end of packet",
                   "end of stream"}));
}

TEST_F(CtfReader, SkipsPacketsOutsideTheInterval) {
  write("a", PacketOf{.begin = 0, .events = 2, .sequence = 0}.bytes() +
                 PacketOf{.begin = 100, .events = 1, .sequence = 1}.bytes() +
                 PacketOf{.begin = 200, .events = 2, .sequence = 2}.bytes());
  EXPECT_EQ(
      words(*open({.begin = Nanoseconds(90), .end = Nanoseconds(150)})),
      (Words{"class", "stream", "packet 1", "event 100 0", "end of packet", "end of stream"}));
}

TEST_F(CtfReader, ReadsTimesThatCannotHold) {
  write("a", PacketOf{.begin = 50, .events = 2, .sequence = 0, .end = 40}.bytes() +
                 PacketOf{.begin = 100, .events = 2, .sequence = 1, .end = 100}.bytes());
  const Words expected = {"class", "stream", "packet 0",
                          // The packet's context.
                          "problem ctf/packet-times 5 32", "event 50 0", "event 60 1",
                          "finding ctf/event-time", "end of packet", "packet 1", "event 100 0",
                          "event 110 1", "finding ctf/event-time", "end of packet",
                          "end of stream"};
  EXPECT_EQ(words(*open()), expected);
  EXPECT_EQ(words(*open({.jobs = 3})), expected);
  Words problems_only = expected;
  std::erase(problems_only, "finding ctf/event-time");
  EXPECT_EQ(words(*open({.findings = false})), problems_only);
}

TEST_F(CtfReader, TakesTheOnlyClassOfCtf1ForThatOfPacketsThatDoNotSay) {
  const auto stream = [](int id) {
    return "stream { id = " + std::to_string(id) +
           "; event.header := struct { u8 id; }; };\nevent { id = 0; stream_id = " +
           std::to_string(id) + "; fields := struct { u8 x; }; };\n";
  };
  const std::string begin =
      "/* CTF 1.8 */\ntypealias integer { size = 8; } := u8;\n"
      "trace { major = 1; minor = 8; byte_order = le; };\n";
  write("a", std::string(1, '\0') + "\x07");
  write("metadata", begin + stream(5));
  const Words read = {"class", "stream", "packet 0", "event 0 7", "end of packet", "end of stream"};
  EXPECT_EQ(words(*open()), read);
  write("metadata", begin + stream(5) + stream(0));
  EXPECT_EQ(std::ranges::count(words(*open()), "event 0 7"), 1);
  write("metadata", begin + stream(5) + stream(6));
  EXPECT_EQ(std::ranges::count(words(*open()), "problem ctf/stream-class 0 2"), 1);
}

TEST_F(CtfReader, GoesOnBehindAPacketOfAnotherTrace) {
  std::string wrong = PacketOf{}.bytes();
  wrong[0] = 0;
  write("a", wrong + PacketOf{.begin = 100, .events = 1, .sequence = 1}.bytes());
  EXPECT_EQ(words(*open()),
            (Words{"class", "problem ctf/packet-magic 0 63", "stream", "finding ctf/first-packet",
                   "packet 1", "event 100 0", "end of packet", "end of stream"}));
}

}  // namespace
}  // namespace tracedeck::ctf

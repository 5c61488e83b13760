#include "tracedeck/ctf/write/producer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <span>
#include <system_error>
#include <thread>

#include "tracedeck/ctf/reader.hpp"
#include "tracedeck/ctf/write/written_trace_test.hpp"
#include "tracedeck/io/support_test.hpp"

namespace tracedeck::ctf {

struct Sample {
  std::uint16_t number = 0;
  std::string_view text;
};

}  // namespace tracedeck::ctf

namespace tracedeck_descriptions {
using namespace tracedeck::ctf;

template <>
inline constexpr auto kPayload<Sample> =
    describe<Sample>("sample", field("number", &Sample::number), field("text", &Sample::text));

}  // namespace tracedeck_descriptions

namespace tracedeck::ctf {

namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint64_t number_at(const std::string& file, std::size_t at) {
  return load_le<std::uint64_t>(as_bytes(file).data() + at);
}

struct Recording {
  MemoryDirectory directory;
  std::unique_ptr<Producer> producer;
  ProducerStreamClass* streams = nullptr;
  EventStream* stream = nullptr;

  explicit Recording(ProducerOptions options = {}) {
    producer = *Producer::create(directory, options);
    streams = *producer->add_stream_class({.clock = *producer->add_clock({.id = "c"})});
    stream = *producer->open_stream(*streams);
  }
  const std::string& file() { return directory.files["stream-0000"]; }
};

TEST(Producer, PacketsByteForByte) {
  Recording recording;
  const auto type = *recording.producer->add_event<Sample>(*recording.streams);
  ASSERT_TRUE(recording.stream->write(type, 1000, {.number = 0x0201, .text = "ab"}));
  ASSERT_TRUE(recording.stream->write(type, 1001 + (std::uint64_t{1} << 27), {.text = {}}));
  recording.stream->add_discarded(5);
  ASSERT_TRUE(recording.producer->finish());
  const std::string& file = recording.file();
  EXPECT_EQ(file.substr(0, 4), "\xC1\x1F\xFC\xC1");
  // stream_id, stream_instance_id, packet_size, content_size, times, sequence number, discarded
  constexpr std::uint64_t kSize = 4 + 8 * 8 + 4 + 5 + 13 + 3;
  ASSERT_EQ(file.size(), kSize);
  EXPECT_EQ(number_at(file, 4), 0U);
  EXPECT_EQ(number_at(file, 20), 8 * kSize);
  EXPECT_EQ(number_at(file, 28), 8 * kSize);
  EXPECT_EQ(number_at(file, 36), 1000U);
  EXPECT_EQ(number_at(file, 44), 1001 + (std::uint64_t{1} << 27));
  EXPECT_EQ(number_at(file, 52), 0U);
  EXPECT_EQ(number_at(file, 60), 5U);
  const ByteSpan events = as_bytes(file).subspan(68);
  // id 0 in 5 bits, 1000 in 27; the second event is too far away for that.
  EXPECT_EQ(Bytes(events.begin(), events.begin() + 9),
            (Bytes{0x00, 0x7D, 0x00, 0x00, 0x01, 0x02, 'a', 'b', 0}));
  EXPECT_EQ(Bytes(events.begin() + 9, events.end()),
            (Bytes{31, 0, 0, 0, 0, 0xE9, 0x03, 0, 0x08, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Producer, SlotsAreWrittenAsTheStructIs) {
  Recording typed;
  Recording by_slots;
  const auto type = *typed.producer->add_event<Sample>(*typed.streams);
  auto* const event_class = *by_slots.producer->add_event_class(*by_slots.streams, "sample",
                                                                kPayload<Sample>.field_class());
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Sample sample{.number = static_cast<std::uint16_t>(i), .text = "text"};
    ASSERT_TRUE(typed.stream->write(type, i, sample));
    const Slot slots[] = {unsigned_slot(i),
                          bytes_slot(SlotKind::kString, as_bytes(sample.text).data(), 4)};
    ASSERT_TRUE(by_slots.stream->write(*event_class, i, slots));
  }
  ASSERT_TRUE(typed.producer->finish());
  ASSERT_TRUE(by_slots.producer->finish());
  EXPECT_EQ(typed.file(), by_slots.file());
  EXPECT_EQ(typed.directory.files["metadata"], by_slots.directory.files["metadata"]);
}

TEST(Producer, PacketsEndWhenTheyAreFull) {
  Recording recording({.packet_size = 4096});
  const auto type = *recording.producer->add_event<Sample>(*recording.streams);
  const std::string large(10'000, 'x');
  for (std::uint64_t i = 0; i < 2000; ++i)
    ASSERT_TRUE(recording.stream->write(type, i, {.text = i == 1000 ? large : "text"}));
  ASSERT_TRUE(recording.producer->finish());
  const std::string& file = recording.file();
  std::uint64_t sequence = 0;
  std::size_t larger = 0;
  for (std::size_t at = 0; at < file.size(); ++sequence) {
    EXPECT_EQ(number_at(file, at + 52), sequence);
    const std::uint64_t size = number_at(file, at + 20) / 8;
    larger += size > 4096 ? 1 : 0;
    at += size;
  }
  EXPECT_EQ(larger, 1U);
  EXPECT_GT(sequence, 5U);
}

// Adds a class, and writes events of it, again and again until it is killed.
[[noreturn]] void record_without_end(const std::string& path) {
  const auto directory = *io::OutputDirectory::create(path);
  const auto producer = *Producer::create(*directory, {.packet_size = 4096});
  auto* const streams = *producer->add_stream_class({});
  EventStream* const stream = *producer->open_stream(*streams);
  for (std::uint64_t i = 0;; ++i) {
    auto* const added = *producer->add_event_class(*streams, fmt::format("class {}", i),
                                                   kPayload<Sample>.field_class());
    for (std::uint64_t j = 0; j < 100; ++j) {
      const Slot slots[] = {unsigned_slot(j),
                            bytes_slot(SlotKind::kString, as_bytes(std::string_view()).data(), 0)};
      if (!stream->write(*added, 0, slots)) ::_exit(1);
    }
  }
}

TEST(Producer, WhatAKillLeavesCanBeRead) {
  const io::TemporaryFolder folder;
  const std::string part = folder.file("trace.part");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) record_without_end(folder.file("trace"));
  std::error_code error;
  while (std::filesystem::file_size(part + "/stream-0000", error) < 600'000 || error) {
    ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it ended before it had written so much";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  auto reader = open_reader(std::span(&part, 1), {}, {});
  ASSERT_TRUE(reader.has_value()) << reader.error().to_string();
  std::uint64_t events = 0;
  for (;;) {
    const auto batch = (*reader)->next();
    ASSERT_TRUE(batch.has_value()) << batch.error().to_string();
    if (*batch == nullptr) break;
    for (const Record& record : (*batch)->records()) {
      if (record.kind == RecordKind::kProblem) {
        EXPECT_EQ(record.notice->finding.rule->id, "ctf/packet-cut");
      }
      if (record.kind != RecordKind::kEvent) continue;
      EXPECT_EQ(record.event.event_class->name, fmt::format("class {}", events++ / 100));
    }
  }
  EXPECT_GT(events, 50'000U);
}

TEST(Producer, ANulEndsAString) {
  Recording recording;
  const auto type = *recording.producer->add_event<Sample>(*recording.streams);
  ASSERT_TRUE(recording.stream->write(type, 0, {.text = std::string_view("a\0b", 3)}));
  ASSERT_TRUE(recording.producer->finish());
  EXPECT_EQ(recording.file().substr(72), std::string("\0\0a\0", 4));
}

}  // namespace
}  // namespace tracedeck::ctf

#include "tracedeck/io/compression.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tracedeck/io/support_test.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {
namespace {

using testing::HasSubstr;
using Sizes = std::initializer_list<std::size_t>;

// printf 'hello\n' | gzip -n
const Bytes kHelloGzip = {0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                          0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xE7, 0x02, 0x00,
                          0x20, 0x30, 0x3A, 0x36, 0x06, 0x00, 0x00, 0x00};
// printf 'hello\n' | zstd
const Bytes kHelloZstd = {0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0x31, 0x00, 0x00, 0x68,
                          0x65, 0x6C, 0x6C, 0x6F, 0x0A, 0x53, 0x88, 0xBD, 0x91};
const Bytes kHello = bytes_of("hello\n");
// RFC 8878, 3.1.2: magic, size 3, any three bytes.
const Bytes kSkippable = {0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};

ReadAll seen_through(const Bytes& bytes, std::size_t chunk = 0, std::size_t portion = 4096) {
  auto input = see_through_compression(memory_input("x.gz", bytes, chunk));
  if (!input) return {{}, input.error()};
  return read_all(**input, portion);
}

TEST(Compression, IsRecognisedByTheFirstBytes) {
  const auto of = [](Bytes head, bool whole) { return compression_of(head, whole); };
  EXPECT_EQ(of({}, false), Compression::kUndecided);
  EXPECT_EQ(of({}, true), Compression::kNone);
  EXPECT_EQ(of({0x1F}, false), Compression::kUndecided);
  EXPECT_EQ(of({0x1F}, true), Compression::kNone);
  EXPECT_EQ(of({0x1F, 0x8B}, false), Compression::kUndecided);
  EXPECT_EQ(of({0x1F, 0x8B}, true), Compression::kGzip);
  EXPECT_EQ(of({0x1F, 0x8B, 8}, false), Compression::kGzip);
  EXPECT_EQ(of({0x1F, 0x8B, 7}, false), Compression::kNone);
  EXPECT_EQ(of({0x28, 0xB5, 0x2F}, false), Compression::kUndecided);
  EXPECT_EQ(of({0x28, 0xB5, 0x2F, 0xFD}, false), Compression::kZstd);
  EXPECT_EQ(of({0x28, 0xB5, 0x2F, 0xFC}, false), Compression::kNone);
  EXPECT_EQ(of({0x50, 0x2A, 0x4D, 0x18}, false), Compression::kZstd);
  EXPECT_EQ(of({0x5F, 0x2A, 0x4D, 0x18}, false), Compression::kZstd);
  EXPECT_EQ(of({0x60, 0x2A, 0x4D, 0x18}, false), Compression::kNone);
  // The first byte of dial9's magic is that of a skippable frame, the second is not.
  EXPECT_EQ(of({'T'}, false), Compression::kUndecided);
  EXPECT_EQ(of({'T', 'R'}, false), Compression::kNone);
}

TEST(Compression, PlainBytesPassThroughUntouched) {
  for (const std::string_view text : {"", "T", "TRC", "\x1F", "(", "plain bytes of some length"}) {
    for (const std::size_t chunk : Sizes{0, 1, 3}) {
      EXPECT_EQ(seen_through(bytes_of(text), chunk).bytes, bytes_of(text));
    }
  }
}

TEST(Compression, LiteralFiles) {
  for (const std::size_t chunk : Sizes{0, 1, 2, 5}) {
    EXPECT_EQ(seen_through(kHelloGzip, chunk).bytes, kHello);
    EXPECT_EQ(seen_through(kHelloZstd, chunk).bytes, kHello);
  }
}

TEST(Compression, MembersAndFramesFollowEachOther) {
  const Bytes large = made_up(300'000);
  const Bytes twice = large + kHello;
  for (const std::size_t chunk : Sizes{0, 1, 100'000}) {
    for (const std::size_t portion : Sizes{1000, 1'000'000}) {
      const ReadAll gzip = seen_through(gzipped(large) + gzipped({}) + kHelloGzip, chunk, portion);
      EXPECT_FALSE(gzip.error);
      EXPECT_EQ(gzip.bytes, twice);
      const ReadAll zstd = seen_through(
          kSkippable + zstandard(large) + kSkippable + zstandard({}) + kHelloZstd + kSkippable,
          chunk, portion);
      EXPECT_FALSE(zstd.error);
      EXPECT_EQ(zstd.bytes, twice);
    }
  }
}

TEST(Compression, OneByteAtATimeOnBothSides) {
  const Bytes bytes = made_up(20'000);
  EXPECT_EQ(seen_through(gzipped(bytes), 1, 1).bytes, bytes);
  EXPECT_EQ(seen_through(zstandard(bytes), 1, 1).bytes, bytes);
}

TEST(Compression, StartsAgainAndKnowsItsPlace) {
  const Bytes bytes = made_up(300'000);
  for (const Bytes& stored : {gzipped(bytes), zstandard(bytes)}) {
    auto input = see_through_compression(memory_input("x", stored));
    ASSERT_TRUE(input);
    EXPECT_TRUE((*input)->seekable());
    EXPECT_FALSE((*input)->live());
    EXPECT_FALSE((*input)->size());
    EXPECT_EQ((*input)->stored_size(), stored.size());
    std::uint8_t byte = 0;
    ASSERT_EQ((*input)->read(&byte, 1), 1U);
    EXPECT_LT((*input)->stored_position(), stored.size() / 2 + 4096);
    ASSERT_TRUE((*input)->rewind());
    EXPECT_EQ(read_all(**input).bytes, bytes);
    EXPECT_EQ((*input)->stored_position(), stored.size());
    ASSERT_TRUE((*input)->rewind());
    EXPECT_EQ(read_all(**input).bytes, bytes);
  }
}

TEST(Compression, WhatIsCompressedTwiceIsSeenThroughOnce) {
  EXPECT_EQ(seen_through(gzipped(kHelloGzip)).bytes, kHelloGzip);
  EXPECT_EQ(seen_through(zstandard(kHelloGzip)).bytes, kHelloGzip);
}

TEST(Compression, CutShortAnywhereDeliversWhatThereIsAndSaysSo) {
  const Bytes bytes = made_up(900);
  for (const Bytes& stored : {gzipped(bytes), zstandard(bytes), kHelloGzip, kHelloZstd}) {
    const Bytes whole = seen_through(stored).bytes;
    std::size_t most = 0;
    for (std::size_t size = 4; size < stored.size(); ++size) {
      const ReadAll all = seen_through({stored.begin(), stored.begin() + static_cast<long>(size)});
      ASSERT_TRUE(all.error) << size;
      EXPECT_EQ(all.error->code, ErrorCode::kCompressedDamaged);
      EXPECT_EQ(all.error->offset, all.bytes.size());
      EXPECT_THAT(all.error->message, HasSubstr("cut short"));
      ASSERT_LE(all.bytes.size(), whole.size());
      EXPECT_TRUE(std::equal(all.bytes.begin(), all.bytes.end(), whole.begin()));
      EXPECT_GE(all.bytes.size(), most);
      most = all.bytes.size();
    }
    EXPECT_EQ(most, whole.size());
  }
}

TEST(Compression, CutShortDeliversAllBlocksBefore) {
  const Bytes bytes = made_up(600'000);
  for (const Bytes& stored : {gzipped(bytes), zstandard(bytes)}) {
    const ReadAll all =
        seen_through({stored.begin(), stored.begin() + static_cast<long>(stored.size() / 2)});
    ASSERT_TRUE(all.error);
    EXPECT_GT(all.bytes.size(), 600'000U / 4);
    EXPECT_TRUE(std::equal(all.bytes.begin(), all.bytes.end(), bytes.begin()));
  }
}

TEST(Compression, TheErrorStays) {
  auto input =
      see_through_compression(memory_input("x", Bytes(kHelloGzip.begin(), kHelloGzip.end() - 1)));
  EXPECT_EQ(read_all(**input).bytes, kHello);
  std::uint8_t byte = 0;
  EXPECT_EQ((*input)->read(&byte, 1).error().code, ErrorCode::kCompressedDamaged);
  EXPECT_EQ((*input)->read(&byte, 1).error().code, ErrorCode::kCompressedDamaged);
  ASSERT_TRUE((*input)->rewind());
  EXPECT_EQ(read_all(**input).bytes, kHello);
}

TEST(Compression, AFlippedByteIsNeverSilent) {
  const Bytes bytes = made_up(900);
  for (const Bytes& stored : {gzipped(bytes), zstandard(bytes)}) {
    for (std::size_t at = 0; at < stored.size(); ++at) {
      Bytes flipped = stored;
      flipped[at] ^= 0xFF;
      const ReadAll all = seen_through(flipped);
      // Bytes of the header without meaning (time, system) and another magic change nothing or all.
      if (all.error) {
        EXPECT_EQ(all.error->code, ErrorCode::kCompressedDamaged);
      } else if (all.bytes != bytes) {
        EXPECT_EQ(all.bytes, flipped) << at;
      }
    }
  }
}

TEST(Compression, DamageInALaterBlockKeepsTheBlocksBefore) {
  const Bytes bytes = made_up(600'000);
  Bytes gzip = gzipped(bytes);
  Bytes zstd = zstandard(bytes);
  for (Bytes* stored : {&gzip, &zstd}) {
    for (std::size_t i = stored->size() / 2; i < stored->size() / 2 + 64; ++i) (*stored)[i] ^= 0xFF;
    const ReadAll all = seen_through(*stored, 0, 1'000'000);
    ASSERT_TRUE(all.error);
    // gzip hears of it late; zstd gives only whole blocks, of at most 128 KiB.
    EXPECT_GT(all.bytes.size(), 150'000U);
    EXPECT_TRUE(std::equal(all.bytes.begin(), all.bytes.begin() + 150'000, bytes.begin()));
  }
}

// A block header of the reserved type directly behind a good block: the decoder meets both in one
// go.
TEST(Compression, AGoodZstdBlockBeforeABadHeaderIsDelivered) {
  const Bytes stored = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58,  // no checksum, window 2 MiB
                        0x28, 0x00, 0x00, 'f',  'i',  'v',
                        'e',  '!',          // raw block of 5, not the last
                        0x06, 0x00, 0x00};  // reserved block type
  for (const std::size_t chunk : Sizes{0, 1, 2}) {
    for (const std::size_t portion : Sizes{1, 2, 3, 4096}) {
      const ReadAll all = seen_through(stored, chunk, portion);
      EXPECT_EQ(all.bytes, bytes_of("five!"));
      ASSERT_TRUE(all.error);
      EXPECT_EQ(all.error->offset, 5U);
      EXPECT_THAT(all.error->message, HasSubstr("at byte 14 "));
    }
  }
}

// The decoder passes a stored block on in the parts that it gets, but a whole one only when the
// frame keeps its word.
TEST(Compression, WhatAZstdFrameOfAnotherSizeDeliversDoesNotDependOnPortions) {
  for (const std::uint8_t promised : Bytes{4, 6, 9}) {
    const Bytes stored = {0x28, 0xB5, 0x2F, 0xFD, 0x20, promised,        // one segment of that size
                          0x18, 0x00, 0x00, 'o',  'n',  'e',             // raw block of 3
                          0x21, 0x00, 0x00, 'f',  'o',  'u',      'r'};  // raw block of 4, the last
    const ReadAll whole = seen_through(stored);
    ASSERT_TRUE(whole.error);
    EXPECT_GE(whole.bytes.size(), 3U);
    for (const std::size_t chunk : Sizes{1, 2, 14, 17}) {
      for (const std::size_t portion : Sizes{1, 2, 5, 4096}) {
        const ReadAll all = seen_through(stored, chunk, portion);
        EXPECT_EQ(all.bytes, whole.bytes);
        ASSERT_TRUE(all.error);
        EXPECT_EQ(all.error->message, whole.error->message);
      }
    }
  }
}

TEST(Compression, AZstdFormatBeforeRfc8878IsNone) {
  const Bytes older = {0x27, 0xB5, 0x2F, 0xFD, 0x00, 0x00, 0xC0, 0x00, 0x00};  // 0.7, empty
  for (const std::size_t chunk : Sizes{0, 1}) {
    const ReadAll all = seen_through(kHelloZstd + older, chunk);
    EXPECT_EQ(all.bytes, kHello);
    ASSERT_TRUE(all.error);
    EXPECT_THAT(all.error->message, HasSubstr("at byte 19 "));
    EXPECT_THAT(all.error->message, HasSubstr("no zstd"));
  }
}

TEST(Compression, ACutStoredZstdBlockIsDeliveredAsFarAsItGoes) {
  const Bytes stored = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58,  // window 2 MiB
                        0x28, 0x00, 0x00, 'f',  'i',  'v'};  // raw block of 5
  for (const std::size_t chunk : Sizes{0, 1}) {
    for (const std::size_t portion : Sizes{1, 4096}) {
      const ReadAll all = seen_through(stored, chunk, portion);
      EXPECT_EQ(all.bytes, bytes_of("fiv"));
      ASSERT_TRUE(all.error);
      EXPECT_THAT(all.error->message, HasSubstr("at byte 12 "));
      EXPECT_THAT(all.error->message, HasSubstr("cut short"));
    }
  }
}

TEST(Compression, ZerosMayFollowAGzipMember) {
  EXPECT_EQ(seen_through(kHelloGzip + Bytes(1000)).bytes, kHello);
  EXPECT_FALSE(seen_through(kHelloGzip + Bytes(1000)).error);
  EXPECT_EQ(seen_through(kHelloGzip + Bytes(9) + kHelloGzip, 1).bytes, kHello + kHello);
}

TEST(Compression, AnythingElseAfterAMemberIsDamageAndIsNamed) {
  for (const Bytes& garbage : {bytes_of("garbage"), Bytes(3) + bytes_of("x"), kHelloZstd}) {
    const ReadAll all = seen_through(kHelloGzip + garbage);
    EXPECT_EQ(all.bytes, kHello);
    ASSERT_TRUE(all.error);
    EXPECT_EQ(all.error->code, ErrorCode::kCompressedDamaged);
    EXPECT_EQ(all.error->offset, 6U);
    EXPECT_EQ(all.error->input, "x.gz");
    EXPECT_THAT(all.error->message,
                HasSubstr("at byte " + std::string(garbage[0] == 0 ? "29" : "26")));
  }
  const ReadAll all = seen_through(kHelloZstd + bytes_of("garbage"));
  EXPECT_EQ(all.bytes, kHello);
  ASSERT_TRUE(all.error);
  EXPECT_THAT(all.error->message, HasSubstr("at byte 19"));
  EXPECT_THAT(all.error->message, HasSubstr("no zstd"));
}

TEST(Compression, AZstdWindowOver128MiBIsRefused) {
  // Frame header: no single segment, window descriptor with exponent 17 or 18 (2^27, 2^28 bytes).
  Bytes stored = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 17 << 3, 0x09, 0x00, 0x00, 'x'};
  EXPECT_EQ(seen_through(stored).bytes, bytes_of("x"));
  EXPECT_FALSE(seen_through(stored).error);
  stored[5] = 18 << 3;
  const ReadAll all = seen_through(stored);
  EXPECT_TRUE(all.bytes.empty());
  ASSERT_TRUE(all.error);
  EXPECT_THAT(all.error->message, HasSubstr("--long=31"));
}

// Each delivery of a live stream is passed on before more is asked for.
TEST(Compression, ALiveStreamIsPassedOnAsItComes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const Bytes& member : {kHelloGzip, kHelloZstd}) {
    FileDescriptor both(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::write(both.get(), member.data(), member.size()),
              static_cast<ssize_t>(member.size()));
    auto input = open_input(path);
    ASSERT_TRUE(input);
    EXPECT_TRUE((*input)->live());
    Bytes buffer(100);
    // The writer is still there, so that a read too many would wait for ever.
    const auto read_hello = [&] {
      Bytes got;
      while (got.size() < kHello.size()) {
        const std::size_t size = (*input)->read(buffer.data(), buffer.size()).value_or(0);
        if (size == 0) break;
        got.insert(got.end(), buffer.begin(), buffer.begin() + static_cast<long>(size));
      }
      EXPECT_EQ(got, kHello);
    };
    read_hello();
    ASSERT_EQ(::write(both.get(), member.data(), member.size()),
              static_cast<ssize_t>(member.size()));
    read_hello();
    (void)both.close();
    EXPECT_EQ((*input)->read(buffer.data(), buffer.size()), 0U);
  }
}

TEST(Compression, AStopInsideAMemberIsNoDamage) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const FileDescriptor both(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::write(both.get(), kHelloGzip.data(), 12), 12);
  std::stop_source stop;
  auto input = open_input(path, stop.get_token());
  ASSERT_TRUE(input);
  std::jthread stopper([&] { stop.request_stop(); });
  const ReadAll all = read_all(**input);
  EXPECT_FALSE(all.error);
  EXPECT_TRUE((*input)->stopped());
}

TEST(Compression, FilesAreSeenThroughWhateverTheirName) {
  const TemporaryFolder folder;
  auto gzip = open_input(folder.file("trace.bin", kHelloGzip));
  ASSERT_TRUE(gzip);
  EXPECT_EQ(read_all(**gzip).bytes, kHello);
  auto plain = open_input(folder.file("trace.gz", kHello));
  ASSERT_TRUE(plain);
  EXPECT_EQ((*plain)->size(), 6U);
  EXPECT_EQ(read_all(**plain).bytes, kHello);
}

RC_GTEST_PROP(Compression, RoundTrip, (const Bytes& bytes)) {
  const auto chunk = *rc::gen::inRange<std::size_t>(0, 20);
  const auto portion = *rc::gen::inRange<std::size_t>(1, 50);
  const Bytes gzip = seen_through(gzipped(bytes), chunk, portion).bytes;
  const Bytes zstd = seen_through(zstandard(bytes), chunk, portion).bytes;
  RC_ASSERT(gzip == bytes);
  RC_ASSERT(zstd == bytes);
}

}  // namespace
}  // namespace tracedeck::io

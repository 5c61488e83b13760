#include "tracedeck/formats.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "tracedeck/io/support_test.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck {
namespace {

using io::Bytes;
using io::bytes_of;
using io::FileDescriptor;
using io::gzipped;
using io::read_all;
using io::TemporaryFolder;
using testing::HasSubstr;

// A dial9 header: the magic and version 1. The empty trace.
const Bytes kDial9 = {'T', 'R', 'C', 0, 1};

// The one trace of a file.
Result<FoundTrace> find(const std::string& path, const Format* format = nullptr,
                        std::stop_token stop = {}) {
  Result<FoundTraces> found = find_traces(path, format, std::move(stop));
  if (!found) return std::unexpected(found.error());
  EXPECT_EQ(found->traces.size(), 1U);
  EXPECT_EQ(found->traces.front().name, path);
  return std::move(found->traces.front());
}

Error error_of(const std::string& path) {
  auto found = find(path);
  if (found) return {.message = "found"};
  return found.error();
}

TEST(Formats, AreFoundByTheirOwnNames) {
  std::set<std::string_view> names;
  for (const Format* const format : formats()) {
    EXPECT_EQ(find_format(format->info().name), format);
    EXPECT_TRUE(names.insert(format->info().name).second);
    // One by which files are recognised, directories, or both.
    EXPECT_TRUE(format->recognition_size() > 0 || !format->info().directory_hint.empty());
  }
  EXPECT_TRUE(names.contains("dial9"));
  EXPECT_EQ(find_format("dial"), nullptr);
  EXPECT_EQ(find_format(""), nullptr);
}

TEST(FindTraces, RecognisesAndStandsAtTheFirstByte) {
  const TemporaryFolder folder;
  Bytes bytes = kDial9;
  bytes.resize(105);
  for (const Bytes& stored : {bytes, gzipped(bytes), io::zstandard(bytes)}) {
    auto opened = find(folder.file("trace", stored));
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_EQ(opened->format, find_format("dial9"));
    EXPECT_TRUE(opened->input->seekable());
    EXPECT_EQ(read_all(*opened->input).bytes, bytes);
  }
}

TEST(FindTraces, RecognisesAPipeByWhatCameAndKeepsIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const Bytes& stored : {kDial9, gzipped(kDial9)}) {
    FileDescriptor both(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::write(both.get(), stored.data(), stored.size()),
              static_cast<ssize_t>(stored.size()));
    // The writer stays, so that waiting for more than the format wants would never end.
    auto opened = find(path);
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_FALSE(opened->input->seekable());
    (void)both.close();
    EXPECT_EQ(read_all(*opened->input).bytes, kDial9);
  }
}

TEST(FindTraces, SaysWhatTheContentLooksLike) {
  const TemporaryFolder folder;
  const auto message = [&](const Bytes& bytes) {
    const Error error = error_of(folder.file("trace", bytes));
    EXPECT_EQ(error.code, ErrorCode::kUnrecognised);
    EXPECT_EQ(error.input, folder.file("trace"));
    return error.message;
  };
  EXPECT_THAT(message({}), HasSubstr("empty"));
  EXPECT_THAT(message(gzipped({})), HasSubstr("empty"));
  EXPECT_THAT(message(bytes_of("{\"time\":1}\n")), HasSubstr("looks like JSON"));
  EXPECT_THAT(message(bytes_of("{\"time\":1}\n")), HasSubstr("--format dial9"));
  EXPECT_THAT(message(gzipped(gzipped(kDial9))), HasSubstr("decompress it once"));
  EXPECT_THAT(message(bytes_of("TRC")), HasSubstr("54 52 43"));
}

TEST(FindTraces, DamageBeforeAnythingIsRecognisedIsThatDamage) {
  const TemporaryFolder folder;
  Bytes stored = gzipped(kDial9);
  stored.resize(11);
  EXPECT_EQ(error_of(folder.file("trace", stored)).code, ErrorCode::kCompressedDamaged);
}

TEST(FindTraces, DamageAfterwardsIsTheReadersToReport) {
  const TemporaryFolder folder;
  Bytes stored = gzipped(kDial9);
  stored.resize(stored.size() - 1);
  auto opened = find(folder.file("trace", stored));
  ASSERT_TRUE(opened);
  const auto all = read_all(*opened->input);
  EXPECT_EQ(all.bytes, kDial9);
  EXPECT_TRUE(all.error);
}

TEST(FindTraces, TakesAFormatUnseen) {
  const TemporaryFolder folder;
  auto opened = find(folder.file("trace", bytes_of("anything")), find_format("dial9"));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->format, find_format("dial9"));
  EXPECT_EQ(read_all(*opened->input).bytes, bytes_of("anything"));
}

TEST(FindTraces, AStopWhileNothingComes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  const auto opened = find(path, nullptr, stop.get_token());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("stopped"));
}

TEST(OpenTrace, GivesTheFormatsReader) {
  const TemporaryFolder folder;
  auto reader = open_trace(folder.file("trace", kDial9));
  ASSERT_TRUE(reader) << reader.error().to_string();
  EXPECT_EQ((*reader)->description()->format(), "dial9");
  EXPECT_EQ((*reader)->description()->input(), folder.file("trace"));
  EXPECT_EQ(open_trace(folder.file("missing")).error().code, ErrorCode::kCannotOpen);
  // Version 9: recognised, then rejected.
  EXPECT_EQ(open_trace(folder.file("nine", {'T', 'R', 'C', 0, 9})).error().code,
            ErrorCode::kMustReject);
}

}  // namespace
}  // namespace tracedeck

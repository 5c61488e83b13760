#include "tracedeck/io/file_input.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "tracedeck/io/support_test.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// Puts a descriptor in the place of standard input while it lives.
class AsStandardInput {
 public:
  explicit AsStandardInput(int descriptor) : saved_(::dup(STDIN_FILENO)) {
    ::dup2(descriptor, STDIN_FILENO);
  }
  ~AsStandardInput() { ::dup2(saved_.get(), STDIN_FILENO); }

 private:
  FileDescriptor saved_;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    reading = FileDescriptor(ends[0]);
    writing = FileDescriptor(ends[1]);
  }
  FileDescriptor reading;
  FileDescriptor writing;
};

void put(const FileDescriptor& to, std::string_view text) {
  ASSERT_EQ(::write(to.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(FileInput, DeliversAFileAndStartsAgain) {
  const TemporaryFolder folder;
  const Bytes bytes = made_up(100'000);
  auto input = open_file(folder.file("trace", bytes));
  ASSERT_TRUE(input);
  EXPECT_TRUE((*input)->seekable());
  EXPECT_FALSE((*input)->live());
  EXPECT_EQ((*input)->size(), 100'000U);
  EXPECT_EQ((*input)->stored_size(), 100'000U);
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ((*input)->stored_position(), 0U);
    const ReadAll all = read_all(**input, 777);
    EXPECT_EQ(all.bytes, bytes);
    EXPECT_FALSE(all.error);
    EXPECT_FALSE((*input)->stopped());
    EXPECT_EQ((*input)->stored_position(), 100'000U);
    ASSERT_TRUE((*input)->rewind());
  }
}

TEST(FileInput, SkipsBySeekingAndNotBehindTheEnd) {
  const TemporaryFolder folder;
  const Bytes bytes = made_up(100'000);
  auto input = open_file(folder.file("trace", bytes));
  ASSERT_TRUE(input);
  EXPECT_EQ((*input)->skip(70'000), 70'000U);
  EXPECT_EQ((*input)->stored_position(), 70'000U);
  Bytes byte(1);
  ASSERT_EQ((*input)->read(byte.data(), 1), 1U);
  EXPECT_EQ(byte[0], bytes[70'000]);
  EXPECT_EQ((*input)->skip(1'000'000), 29'999U);
  EXPECT_EQ((*input)->skip(1), 0U);
  ASSERT_TRUE((*input)->rewind());
  EXPECT_EQ((*input)->skip(0), 0U);
  EXPECT_EQ(read_all(**input).bytes, bytes);
}

TEST(FileInput, SkipsInAPipeByReading) {
  Pipe pipe;
  put(pipe.writing, "0123456789");
  (void)pipe.writing.close();
  const AsStandardInput standard(pipe.reading.get());
  auto input = open_file("-");
  ASSERT_TRUE(input);
  EXPECT_EQ((*input)->skip(4), 4U);
  Bytes byte(1);
  ASSERT_EQ((*input)->read(byte.data(), 1), 1U);
  EXPECT_EQ(byte[0], '4');
  EXPECT_EQ((*input)->skip(100), 5U);
}

TEST(FileInput, IsNamedAsTheUserNamedIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("trace", {1});
  EXPECT_EQ((*open_file(path))->name(), path);
}

TEST(FileInput, SaysWhatToDoWhenItCannotOpen) {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) {
    const auto input = open_file(path);
    if (input) return std::string("opened");
    EXPECT_EQ(input.error().code, ErrorCode::kCannotOpen);
    EXPECT_EQ(input.error().input, path);
    return input.error().message;
  };
  EXPECT_THAT(message(folder.file("missing")), HasSubstr("no such file"));
  EXPECT_THAT(message(""), HasSubstr("no such file"));
  EXPECT_THAT(message(folder.file("")), HasSubstr("name a file in it"));
  EXPECT_THAT(message(folder.file("plain", {1}) + "/trace"), HasSubstr("not a folder"));
}

TEST(FileInput, SaysThatPermissionIsMissing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("secret", {1});
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  // Root may read everything, so it is somebody else for a moment.
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto input = open_file(path);
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().code, ErrorCode::kCannotOpen);
  EXPECT_THAT(input.error().message, HasSubstr("permission denied"));
}

TEST(FileInput, FilesThatClaimToBeEmptyHaveNoKnownSize) {
  auto input = open_file("/proc/self/status");
  if (!input) GTEST_SKIP() << "no /proc";
  EXPECT_FALSE((*input)->size());
  EXPECT_THAT(std::string(as_text(read_all(**input).bytes)), HasSubstr("Pid:"));
}

TEST(FileInput, ReadsAPipeAsItComes) {
  Pipe pipe;
  const AsStandardInput standard(pipe.reading.get());
  auto input = open_file("-");
  ASSERT_TRUE(input);
  EXPECT_EQ((*input)->name(), "standard input");
  EXPECT_FALSE((*input)->seekable());
  EXPECT_TRUE((*input)->live());
  EXPECT_FALSE((*input)->size());
  EXPECT_FALSE((*input)->stored_size());
  EXPECT_EQ((*input)->rewind().error().code, ErrorCode::kUnsupported);

  Bytes buffer(100);
  put(pipe.writing, "abc");
  EXPECT_EQ((*input)->read(buffer.data(), buffer.size()), 3U);
  put(pipe.writing, "de");
  EXPECT_EQ((*input)->read(buffer.data(), 1), 1U);
  EXPECT_EQ((*input)->read(buffer.data(), buffer.size()), 1U);
  EXPECT_EQ(buffer[0], 'e');
  (void)pipe.writing.close();
  EXPECT_EQ((*input)->read(buffer.data(), buffer.size()), 0U);
  EXPECT_FALSE((*input)->stopped());
}

TEST(FileInput, StandardInputFromAFileBeginsWhereItStands) {
  const TemporaryFolder folder;
  const FileDescriptor file(::open(folder.file("trace", bytes_of("0123456789")).c_str(), O_RDONLY));
  ASSERT_EQ(::lseek(file.get(), 4, SEEK_SET), 4);
  const AsStandardInput standard(file.get());
  auto input = open_file("-");
  ASSERT_TRUE(input);
  EXPECT_TRUE((*input)->seekable());
  EXPECT_EQ((*input)->size(), 6U);
  EXPECT_EQ(read_all(**input).bytes, bytes_of("456789"));
  ASSERT_TRUE((*input)->rewind());
  EXPECT_EQ(read_all(**input).bytes, bytes_of("456789"));
}

TEST(FileInput, StandardInputThatIsADirectoryOrClosed) {
  {
    const FileDescriptor folder(::open("/", O_RDONLY | O_DIRECTORY));
    const AsStandardInput standard(folder.get());
    EXPECT_EQ(open_file("-").error().code, ErrorCode::kCannotOpen);
  }
  const FileDescriptor any(::open("/dev/null", O_RDONLY));
  const AsStandardInput standard(any.get());
  ::close(STDIN_FILENO);
  const auto input = open_file("-");
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().code, ErrorCode::kCannotOpen);
  EXPECT_THAT(input.error().message, HasSubstr("closed"));
}

TEST(FileInput, ReadsANamedPipeWhoseWriterComesLater) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  auto input = open_file(path);
  ASSERT_TRUE(input);
  std::jthread writer([&] {
    std::this_thread::sleep_for(20ms);
    const FileDescriptor fifo(::open(path.c_str(), O_WRONLY));
    put(fifo, "late");
  });
  EXPECT_EQ(read_all(**input).bytes, bytes_of("late"));
}

TEST(FileInput, AStopRequestEndsAReadThatWaits) {
  Pipe pipe;
  const AsStandardInput standard(pipe.reading.get());
  std::stop_source stop;
  auto input = open_file("-", stop.get_token());
  ASSERT_TRUE(input);
  std::uint8_t byte = 0;
  put(pipe.writing, "x");
  EXPECT_EQ((*input)->read(&byte, 1), 1U);
  EXPECT_FALSE((*input)->stopped());

  std::jthread stopper([&] {
    std::this_thread::sleep_for(20ms);
    stop.request_stop();
  });
  EXPECT_EQ((*input)->read(&byte, 1), 0U);
  EXPECT_TRUE((*input)->stopped());
  // What came after the request is not looked at.
  put(pipe.writing, "y");
  EXPECT_EQ((*input)->read(&byte, 1), 0U);
}

TEST(FileInput, AStopRequestBeforeTheReadIsNotLost) {
  Pipe pipe;
  const AsStandardInput standard(pipe.reading.get());
  std::stop_source stop;
  auto input = open_file("-", stop.get_token());
  stop.request_stop();
  std::uint8_t byte = 0;
  EXPECT_EQ((*input)->read(&byte, 1), 0U);
  EXPECT_TRUE((*input)->stopped());
}

TEST(FileInput, AStopRequestReachesANamedPipeWithoutWriter) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::stop_source stop;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(20ms);
    stop.request_stop();
  });
  // Here it is the search for compression that waits.
  auto input = open_input(path, stop.get_token());
  ASSERT_TRUE(input);
  EXPECT_TRUE(read_all(**input).bytes.empty());
  EXPECT_TRUE((*input)->stopped());
}

TEST(FileInput, AStopRequestEndsAFileToo) {
  const TemporaryFolder folder;
  std::stop_source stop;
  auto input = open_file(folder.file("trace", made_up(1000)), stop.get_token());
  std::uint8_t byte = 0;
  EXPECT_EQ((*input)->read(&byte, 1), 1U);
  stop.request_stop();
  EXPECT_EQ((*input)->read(&byte, 1), 0U);
  EXPECT_TRUE((*input)->stopped());
}

}  // namespace
}  // namespace tracedeck::io

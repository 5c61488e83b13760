#include "tracedeck/io/output.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "tracedeck/io/support_test.hpp"
#include "tracedeck/io/system.hpp"

namespace tracedeck::io {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// Puts a descriptor in the place of standard output while it lives.
class AsStandardOutput {
 public:
  explicit AsStandardOutput(int descriptor) : saved_(::dup(STDOUT_FILENO)) {
    ::dup2(descriptor, STDOUT_FILENO);
  }
  ~AsStandardOutput() { ::dup2(saved_.get(), STDOUT_FILENO); }

 private:
  FileDescriptor saved_;
};

class WithoutSigpipe {
 public:
  WithoutSigpipe() : before_(::signal(SIGPIPE, SIG_IGN)) {}
  ~WithoutSigpipe() { ::signal(SIGPIPE, before_); }

 private:
  void (*before_)(int);
};

TEST(CreateFile, AppearsUnderItsNameOnlyWhenComplete) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  auto output = create_file(path);
  ASSERT_TRUE(output);
  EXPECT_EQ((*output)->name(), path);
  ASSERT_TRUE((*output)->write("abc"));
  ASSERT_TRUE((*output)->flush());
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(contents(path + ".part"), "abc");
  ASSERT_TRUE((*output)->write("def"));
  ASSERT_TRUE((*output)->finish());
  EXPECT_EQ(contents(path), "abcdef");
  EXPECT_FALSE(fs::exists(path + ".part"));
  EXPECT_EQ((*output)->write("late").error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE((*output)->finish());
  EXPECT_EQ(contents(path), "abcdef");
}

TEST(CreateFile, ReplacesAFileAtTheEndAndNotBefore) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out", bytes_of("old"));
  {
    auto output = create_file(path);
    ASSERT_TRUE((*output)->write("new, given up"));
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_TRUE(fs::exists(path + ".part"));
  auto output = create_file(path);
  ASSERT_TRUE((*output)->write("new"));
  ASSERT_TRUE((*output)->finish());
  EXPECT_EQ(contents(path), "new");
}

TEST(CreateFile, OverwritesAPartThatAKillLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  (void)folder.file("out.part", bytes_of("a long text of an earlier run"));
  auto output = create_file(path);
  ASSERT_TRUE((*output)->write("short"));
  ASSERT_TRUE((*output)->finish());
  EXPECT_EQ(contents(path), "short");
}

TEST(CreateFile, TwoAtOnceDoNotMix) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  auto first = create_file(path);
  ASSERT_TRUE((*first)->write("first"));
  const auto second = create_file(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kCannotOpen);
  EXPECT_THAT(second.error().message, HasSubstr("another command"));
  ASSERT_TRUE((*first)->finish());
  EXPECT_EQ(contents(path), "first");
  EXPECT_TRUE(create_file(path));
}

TEST(CreateFile, LargeAndSmallWritesKeepTheirOrder) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  const Bytes bytes = made_up(2'000'000);
  auto output = create_file(path);
  std::size_t at = 0;
  for (std::size_t size = 1; at < bytes.size(); size = size * 3 % 400'009) {
    const std::size_t portion = std::min(size, bytes.size() - at);
    ASSERT_TRUE((*output)->write(ByteSpan(bytes).subspan(at, portion)));
    at += portion;
  }
  ASSERT_TRUE((*output)->write(ByteSpan{}));
  ASSERT_TRUE((*output)->finish());
  EXPECT_EQ(bytes_of(contents(path)), bytes);
}

TEST(CreateFile, SaysWhatToDoWhenItCannot) {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) {
    const auto output = create_file(path);
    if (output) return std::string("created");
    EXPECT_EQ(output.error().code, ErrorCode::kCannotOpen);
    return output.error().message;
  };
  EXPECT_THAT(message(folder.file("")), HasSubstr("name a file in it"));
  EXPECT_THAT(message(folder.file("no/such")), HasSubstr("no such file or folder"));
  EXPECT_THAT(message(folder.file("no/")), HasSubstr("add a file name"));
  EXPECT_THAT(message(""), HasSubstr("add a file name"));
  ASSERT_TRUE(fs::create_directory(folder.file("x.part")));
  EXPECT_THAT(message(folder.file("x")), HasSubstr("directory"));
  ASSERT_EQ(::mkfifo(folder.file("y.part").c_str(), 0600), 0);
  EXPECT_NE(message(folder.file("y")), "created");
}

TEST(CreateFile, KeepsALinkAndReplacesItsTarget) {
  const TemporaryFolder folder;
  ASSERT_TRUE(fs::create_directory(folder.file("there")));
  const std::string target = folder.file("there/data", bytes_of("old"));
  fs::create_symlink("there/data", folder.file("link"));
  auto output = create_file(folder.file("link"));
  ASSERT_TRUE((*output)->write("new"));
  ASSERT_TRUE((*output)->finish());
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(contents(target), "new");
}

TEST(CreateFile, DiscardRemovesItsOwnPart) {
  const TemporaryFolder folder;
  ASSERT_TRUE(fs::create_directory(folder.file("there")));
  const std::string target = folder.file("there/data", bytes_of("old"));
  const std::string link = folder.file("link");
  fs::create_symlink("there/data", link);
  const std::string unrelated = folder.file("link.part", bytes_of("mine"));
  EXPECT_EQ(part_path(link), fs::canonical(target).string() + ".part");
  auto output = create_file(link);
  ASSERT_TRUE((*output)->write("new"));
  EXPECT_TRUE(fs::exists(part_path(link)));
  (*output)->discard();
  EXPECT_FALSE(fs::exists(part_path(link)));
  EXPECT_EQ(contents(target), "old");
  EXPECT_EQ(contents(unrelated), "mine");
}

TEST(PartPath, IsBesideAFileAndNowhereForADevice) {
  const TemporaryFolder folder;
  EXPECT_EQ(part_path(folder.file("new")), folder.file("new") + ".part");
  EXPECT_EQ(part_path("/dev/null"), "");
  EXPECT_EQ(part_path("/dev/stdout"), "");
}

TEST(CreateFile, DoesNotFollowALinkInThePlaceOfThePart) {
  const TemporaryFolder folder;
  const std::string victim = folder.file("victim", bytes_of("precious"));
  fs::create_symlink("victim", folder.file("out.part"));
  EXPECT_FALSE(create_file(folder.file("out")));
  EXPECT_EQ(contents(victim), "precious");
}

TEST(CreateFile, SaysThatTheRenameFailed) {
  const TemporaryFolder folder;
  auto output = create_file(folder.file("out"));
  ASSERT_TRUE((*output)->write("whole"));
  ASSERT_TRUE(fs::create_directories(folder.file("out/in the way")));
  const auto finished = (*output)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::kWriteFailed);
  EXPECT_THAT(finished.error().message, HasSubstr(folder.file("out.part")));
  EXPECT_EQ(contents(folder.file("out.part")), "whole");
}

TEST(CreateFile, AFullDeviceIsAnErrorThatStays) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  auto output = create_file("/dev/full");
  ASSERT_TRUE(output);
  ASSERT_TRUE((*output)->write("buffered, so not yet known"));
  const auto finished = (*output)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::kWriteFailed);
  EXPECT_THAT(finished.error().message, HasSubstr("disk is full"));
  EXPECT_EQ(finished.error().input, "/dev/full");
  EXPECT_FALSE((*output)->write("more"));
  EXPECT_FALSE((*output)->flush());
  EXPECT_FALSE((*output)->finish());
}

TEST(CreateFile, AFullDiskLeavesNoShortFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out", bytes_of("old"));
  // A limit on the file's size fails in the midst of a write, as a disk that gets full does.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 300'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  auto output = create_file(path);
  Result<void> written;
  for (int i = 0; i < 1000 && written; ++i) written = (*output)->write(made_up(1000));
  const auto finished = (*output)->finish();
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kWriteFailed);
  EXPECT_THAT(written.error().message, HasSubstr(path + ".part"));
  EXPECT_FALSE(finished);
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(fs::file_size(path + ".part"), 300'000U);
}

TEST(CreateFile, NamedPipesAndDevicesAreWrittenDirectly) {
  const TemporaryFolder folder;
  const std::string path = folder.file("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string got;
  {
    std::jthread reader([&] { got = contents(path); });
    auto output = create_file(path);
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->write("through the pipe"));
    ASSERT_TRUE((*output)->finish());
  }
  EXPECT_EQ(got, "through the pipe");
  EXPECT_FALSE(fs::exists(path + ".part"));
  auto null = create_file("/dev/null");
  ASSERT_TRUE(null);
  EXPECT_TRUE((*null)->finish());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(CreateFile, DevStdoutContinuesARedirectedFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("redirected");
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::write(file.get(), "before ", 7), 7);
  {
    const AsStandardOutput standard(file.get());
    auto output = create_file("/dev/stdout");
    ASSERT_TRUE(output);
    ASSERT_TRUE((*output)->write("after"));
    ASSERT_TRUE((*output)->finish());
  }
  EXPECT_EQ(contents(path), "before after");
  EXPECT_FALSE(fs::exists("/dev/stdout.part"));
  auto by_number = create_file("/dev/fd/" + std::to_string(file.get()));
  ASSERT_TRUE(by_number);
  ASSERT_TRUE((*by_number)->write("!"));
  ASSERT_TRUE((*by_number)->finish());
  EXPECT_EQ(contents(path), "before after!");
  EXPECT_FALSE(create_file("/dev/fd/987654"));
}

TEST(StandardOutput, FlushesAndStaysOpen) {
  const TemporaryFolder folder;
  const FileDescriptor file(::open(folder.file("out").c_str(), O_WRONLY | O_CREAT, 0600));
  const AsStandardOutput standard(file.get());
  {
    const auto output = standard_output();
    EXPECT_EQ(output->name(), "standard output");
    ASSERT_TRUE(output->write("one"));
    EXPECT_EQ(contents(folder.file("out")), "");
    ASSERT_TRUE(output->flush());
    EXPECT_EQ(contents(folder.file("out")), "one");
    ASSERT_TRUE(output->write("two"));
    ASSERT_TRUE(output->finish());
  }
  EXPECT_EQ(contents(folder.file("out")), "onetwo");
  EXPECT_NE(::fcntl(STDOUT_FILENO, F_GETFD), -1);
}

TEST(StandardOutput, AReaderThatWentAwayIsABrokenPipe) {
  const WithoutSigpipe ignored;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  FileDescriptor reading(ends[0]);
  const FileDescriptor writing(ends[1]);
  const AsStandardOutput standard(writing.get());
  const auto output = standard_output();
  ASSERT_TRUE(output->write("x"));
  (void)reading.close();
  const auto flushed = output->flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, ErrorCode::kBrokenPipe);
  EXPECT_EQ(output->write("y").error().code, ErrorCode::kBrokenPipe);
  EXPECT_EQ(output->finish().error().code, ErrorCode::kBrokenPipe);
}

TEST(StandardOutput, WaitsForASlowReaderOfANonBlockingPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const Bytes bytes = made_up(1'000'000);
  Bytes got;
  {
    std::jthread reader([&] {
      Bytes buffer(10'000);
      while (got.size() < bytes.size()) {
        const ssize_t n = ::read(reading.get(), buffer.data(), buffer.size());
        if (n > 0) got.insert(got.end(), buffer.begin(), buffer.begin() + n);
        if (n < 0) std::this_thread::yield();
      }
    });
    const AsStandardOutput standard(writing.get());
    const auto output = standard_output();
    EXPECT_TRUE(output->write(bytes));
    EXPECT_TRUE(output->finish());
  }
  EXPECT_EQ(got, bytes);
}

TEST(StandardOutput, ClosedIsAnError) {
  const FileDescriptor any(::open("/dev/null", O_WRONLY));
  const AsStandardOutput standard(any.get());
  ::close(STDOUT_FILENO);
  const auto output = standard_output();
  ASSERT_TRUE(output->write("x"));
  const auto finished = output->finish();
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message, HasSubstr("closed"));
}

TEST(MemoryOutput, Collects) {
  std::string text = "begin ";
  const auto output = memory_output(text);
  ASSERT_TRUE(output->write("middle "));
  ASSERT_TRUE(output->write(bytes_of("end")));
  ASSERT_TRUE(output->finish());
  EXPECT_EQ(text, "begin middle end");
}

}  // namespace
}  // namespace tracedeck::io

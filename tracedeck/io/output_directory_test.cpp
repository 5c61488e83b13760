#include "tracedeck/io/output_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tracedeck/io/support_test.hpp"

namespace tracedeck::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

void write_file(OutputDirectory& directory, const std::string& name, std::string_view text) {
  auto file = directory.create_file(name);
  ASSERT_TRUE(file) << file.error().to_string();
  ASSERT_TRUE((*file)->write(text));
  ASSERT_TRUE((*file)->finish());
}

TEST(OutputDirectory, AppearsUnderItsNameOnlyWhenComplete) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  auto directory = OutputDirectory::create(path);
  ASSERT_TRUE(directory) << directory.error().to_string();
  EXPECT_EQ((*directory)->name(), path);
  write_file(**directory, "metadata", "abc");
  auto stream = (*directory)->create_file("stream");
  ASSERT_TRUE(stream);
  EXPECT_EQ((*stream)->name(), path + "/stream");
  ASSERT_TRUE((*stream)->write("1234"));
  ASSERT_TRUE((*stream)->flush());
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(contents(path + ".part/metadata"), "abc");
  EXPECT_EQ(contents(path + ".part/stream"), "1234");
  ASSERT_TRUE((*stream)->finish());
  ASSERT_TRUE((*directory)->finish());
  EXPECT_FALSE(fs::exists(path + ".part"));
  EXPECT_THAT(names_in(path), ElementsAre("metadata", "stream"));
  EXPECT_EQ(contents(path + "/stream"), "1234");
  EXPECT_TRUE((*directory)->finish());
  EXPECT_TRUE(fs::exists(path));
}

TEST(OutputDirectory, AFinalSlashMeansTheSame) {
  const TemporaryFolder folder;
  auto directory = OutputDirectory::create(folder.file("out//"));
  ASSERT_TRUE(directory);
  write_file(**directory, "a", "");
  EXPECT_TRUE(fs::exists(folder.file("out.part/a")));
  EXPECT_EQ(OutputDirectory::part_path(folder.file("out//")), folder.file("out.part"));
  ASSERT_TRUE((*directory)->finish());
  EXPECT_TRUE(fs::exists(folder.file("out/a")));
}

TEST(OutputDirectory, NeverWritesOverWhatIsThere) {
  const TemporaryFolder folder;
  ASSERT_TRUE(fs::create_directory(folder.file("empty")));
  fs::create_symlink("nowhere", folder.file("dangling"));
  for (const std::string& path :
       {folder.file("file", bytes_of("x")), folder.file("empty"), folder.file("dangling"),
        folder.file("empty/"), std::string("/"), std::string()}) {
    const auto directory = OutputDirectory::create(path);
    ASSERT_FALSE(directory) << path;
    EXPECT_EQ(directory.error().code, ErrorCode::kCannotOpen);
  }
  EXPECT_THAT(names_in(folder.file("")), ElementsAre("dangling", "empty", "file"));
}

TEST(OutputDirectory, NeitherWhatAppearsMeanwhile) {
  const TemporaryFolder folder;
  auto directory = OutputDirectory::create(folder.file("out"));
  ASSERT_TRUE(directory);
  write_file(**directory, "a", "whole");
  ASSERT_TRUE(fs::create_directory(folder.file("out")));
  const auto finished = (*directory)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::kWriteFailed);
  EXPECT_THAT(finished.error().message, HasSubstr(folder.file("out.part")));
  EXPECT_EQ(contents(folder.file("out.part/a")), "whole");
  EXPECT_THAT(names_in(folder.file("out")), IsEmpty());
}

TEST(OutputDirectory, RemovesWhatAKillLeft) {
  const TemporaryFolder folder;
  for (int killed = 0; killed < 2; ++killed) {
    auto directory = OutputDirectory::create(folder.file("out"));
    ASSERT_TRUE(directory) << directory.error().to_string();
    write_file(**directory, "stream_" + std::to_string(killed), "old");
  }
  auto directory = OutputDirectory::create(folder.file("out"));
  ASSERT_TRUE(directory);
  write_file(**directory, "stream", "new");
  ASSERT_TRUE((*directory)->finish());
  EXPECT_THAT(names_in(folder.file("out")), ElementsAre("stream"));
}

TEST(OutputDirectory, FilesMayLieInFolders) {
  const TemporaryFolder folder;
  // What a kill left of it is removed as well.
  for (const bool killed : {true, false}) {
    auto directory = OutputDirectory::create(folder.file("out"));
    ASSERT_TRUE(directory) << directory.error().to_string();
    write_file(**directory, "a/b/one", "1");
    write_file(**directory, "a/two", "2");
    if (killed) continue;
    for (const char* const name : {"a/", "/a", "a//b", "../a", "a/../b", "a/.", "a/two"})
      EXPECT_FALSE((*directory)->create_file(name)) << name;
    ASSERT_TRUE((*directory)->finish());
  }
  EXPECT_EQ(contents(folder.file("out/a/b/one")), "1");
  EXPECT_THAT(names_in(folder.file("out")), ElementsAre("a"));
  EXPECT_THAT(names_in(folder.file("out/a")), ElementsAre("b", "two"));
  EXPECT_THAT(names_in(folder.file("out/a/b")), ElementsAre("one"));
}

TEST(OutputDirectory, DiscardsFolders) {
  const TemporaryFolder folder;
  auto directory = OutputDirectory::create(folder.file("out"));
  ASSERT_TRUE(directory);
  write_file(**directory, "a/b/one", "1");
  (*directory)->discard();
  EXPECT_THAT(names_in(folder.file("")), IsEmpty());
}

TEST(OutputDirectory, LeavesWhatItDidNotWrite) {
  const TemporaryFolder folder;
  const auto message = [&] {
    const auto directory = OutputDirectory::create(folder.file("out"));
    return directory ? std::string("created") : directory.error().to_string();
  };
  // A directory of somebody's that happens to have the name.
  ASSERT_TRUE(fs::create_directory(folder.file("out.part")));
  (void)folder.file("out.part/precious", bytes_of("x"));
  EXPECT_THAT(message(), HasSubstr("holds something else"));
  EXPECT_THAT(names_in(folder.file("out.part")), ElementsAre("precious"));
  fs::remove_all(folder.file("out.part"));
  // One of ours, into which somebody put a folder.
  ASSERT_TRUE(OutputDirectory::create(folder.file("out")));
  ASSERT_TRUE(fs::create_directories(folder.file("out.part/sub")));
  EXPECT_THAT(message(), HasSubstr("holds something else"));
  EXPECT_TRUE(fs::exists(folder.file("out.part/sub")));
  fs::remove_all(folder.file("out.part"));
  ASSERT_TRUE(fs::create_directory(folder.file("elsewhere")));
  fs::create_symlink("elsewhere", folder.file("out.part"));
  EXPECT_THAT(message(), HasSubstr("in the way"));
  fs::remove(folder.file("out.part"));
  (void)folder.file("out.part", bytes_of("x"));
  EXPECT_THAT(message(), HasSubstr("in the way"));
  EXPECT_THAT(names_in(folder.file("elsewhere")), IsEmpty());
}

TEST(OutputDirectory, TwoAtOnceDoNotMix) {
  const TemporaryFolder folder;
  auto first = OutputDirectory::create(folder.file("out"));
  ASSERT_TRUE(first);
  const auto second = OutputDirectory::create(folder.file("out"));
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another command"));
  ASSERT_TRUE((*first)->finish());
}

TEST(OutputDirectory, HoldsMoreFilesThanMayBeOpen) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 48;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  auto directory = OutputDirectory::create(folder.file("out"));
  ASSERT_TRUE(directory);
  std::vector<std::unique_ptr<Output>> files;
  for (int i = 0; i < 100; ++i) {
    auto file = (*directory)->create_file(std::to_string(i));
    ASSERT_TRUE(file) << file.error().to_string();
    files.push_back(std::move(*file));
  }
  for (const char* const text : {"first ", "second ", "third"}) {
    for (const auto& file : files) ASSERT_TRUE(file->write(text));
  }
  for (const auto& file : files) ASSERT_TRUE(file->finish());
  EXPECT_FALSE(files.front()->write("more"));
  ASSERT_TRUE((*directory)->finish());
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(contents(folder.file("out/" + std::to_string(i))), "first second third");
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(OutputDirectory, TakesPlainNamesOnceEach) {
  const TemporaryFolder folder;
  auto directory = OutputDirectory::create(folder.file("out"));
  ASSERT_TRUE(directory);
  for (const std::string& name : {std::string(), std::string("."), std::string(".."),
                                  std::string("a//b"), std::string("/a"), std::string("a\0b", 3)}) {
    const auto file = (*directory)->create_file(name);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error().code, ErrorCode::kCannotOpen);
  }
  write_file(**directory, "a", "");
  EXPECT_FALSE((*directory)->create_file("a"));
}

TEST(OutputDirectory, DiscardLeavesNothing) {
  const TemporaryFolder folder;
  auto directory = OutputDirectory::create(folder.file("out"));
  ASSERT_TRUE(directory);
  write_file(**directory, "a", "a");
  auto open = (*directory)->create_file("b");
  ASSERT_TRUE(open);
  (*directory)->discard();
  EXPECT_THAT(names_in(folder.file("")), IsEmpty());
}

TEST(OutputDirectory, SaysWhatToDoWhenItCannot) {
  const TemporaryFolder folder;
  const auto missing = OutputDirectory::create(folder.file("no/out"));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("no such file or folder"));
  EXPECT_EQ(missing.error().code, ErrorCode::kCannotOpen);
}

}  // namespace
}  // namespace tracedeck::io

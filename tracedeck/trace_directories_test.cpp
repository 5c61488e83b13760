// Directories as traces: the search for them, and `find_traces` on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tracedeck/folder_format_test.hpp"
#include "tracedeck/format/part_search.hpp"
#include "tracedeck/formats.hpp"
#include "tracedeck/trace_identity.hpp"

namespace tracedeck {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

const Format& kFolder = FolderFormat::format();
const Format* const kFormats[] = {&kFolder};

std::vector<std::vector<std::string>> search(const std::string& root) {
  std::vector<std::vector<std::string>> found;
  for (const JoinedTrace& trace : join_parts(find_trace_parts(root, kFormats).found)) {
    EXPECT_EQ(trace.format, &kFolder);
    found.push_back(trace.directories);
  }
  return found;
}

TEST(PartSearch, ADirectoryThatIsATraceIsOne) {
  const FolderTree tree;
  const std::string trace = tree.trace("t");
  (void)tree.trace("t/inner");
  EXPECT_THAT(search(trace), ElementsAre(ElementsAre(trace)));
  EXPECT_THAT(search(trace + "/"), ElementsAre(ElementsAre(trace + "/")));
}

TEST(PartSearch, GoesDepthFirstByName) {
  const FolderTree tree;
  for (const char* const name : {"b", "a/z", "a/B/c", "B", "a/b", "\xC3\xA9"}) {
    (void)tree.trace(name);
  }
  fs::create_directories(tree.path("empty/folders"));
  tree.stream("file", "1");
  EXPECT_THAT(search(tree.path()),
              ElementsAre(ElementsAre(tree.path("B")), ElementsAre(tree.path("a/B/c")),
                          ElementsAre(tree.path("a/b")), ElementsAre(tree.path("a/z")),
                          ElementsAre(tree.path("b")), ElementsAre(tree.path("\xC3\xA9"))));
}

TEST(PartSearch, OfOneIdentityAreOneTrace) {
  const FolderTree tree;
  const std::string a = tree.trace("a", "x");
  const std::string b = tree.trace("b", "y");
  const std::string c = tree.trace("c", "x");
  const std::string d = tree.trace("d");
  const std::string e = tree.trace("e");
  EXPECT_THAT(search(tree.path()),
              ElementsAre(ElementsAre(a, c), ElementsAre(b), ElementsAre(d), ElementsAre(e)));
}

TEST(JoinParts, DoesNotDependOnTheirOrder) {
  const FolderTree tree;
  const std::string a = tree.trace("a", "x");
  const std::string b = tree.trace("b", "x");
  const std::string c = tree.trace("c", "y");
  const auto joined = join_parts({{.format = &kFolder, .path = b},
                                  {.format = &kFolder, .path = c},
                                  {.format = &kFolder, .path = a},
                                  {.format = &kFolder, .path = b}});
  ASSERT_EQ(joined.size(), 2U);
  EXPECT_THAT(joined[0].directories, ElementsAre(a, b));
  EXPECT_THAT(joined[0].named_again, ElementsAre(b));
  EXPECT_THAT(joined[1].directories, ElementsAre(c));
  EXPECT_THAT(joined[1].named_again, IsEmpty());
}

TEST(PartSearch, PassesOverHiddenFoldersAndLoops) {
  const FolderTree tree;
  (void)tree.trace(".hidden");
  (void)tree.trace("x/.git/y");
  const std::string real = tree.trace("real");
  fs::create_symlink("..", tree.path("x/up"));
  fs::create_symlink(".", tree.path("x/self"));
  fs::create_symlink("../real", tree.path("x/again"));
  fs::create_symlink("nowhere", tree.path("x/dangling"));
  EXPECT_THAT(search(tree.path()), ElementsAre(ElementsAre(real)));
  // By the link when that is the way.
  EXPECT_THAT(search(tree.path("x/again")), ElementsAre(ElementsAre(tree.path("x/again"))));
}

TEST(PartSearch, IsBoundedInDepth) {
  const FolderTree tree;
  std::string name = "d";
  for (int depth = 1; depth < kDeepestTrace; ++depth) name += "/d";
  const std::string deep = tree.trace(name);
  EXPECT_THAT(search(tree.path()), ElementsAre(ElementsAre(deep)));
  fs::remove(deep + "/folder");
  (void)tree.trace(name + "/d");
  EXPECT_THAT(search(tree.path()), IsEmpty());
}

TEST(PartSearch, ReportsWhatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const FolderTree tree;
  (void)tree.trace("good");
  fs::create_directory(tree.path("closed"));
  fs::permissions(tree.path("closed"), fs::perms::none);
  const PartSearch found = find_trace_parts(tree.path(), kFormats);
  EXPECT_EQ(found.found.size(), 1U);
  ASSERT_EQ(found.unsearched.size(), 1U);
  EXPECT_EQ(found.unsearched[0].input, tree.path("closed"));
  EXPECT_THAT(found.unsearched[0].message, HasSubstr("permission"));
  fs::permissions(tree.path("closed"), fs::perms::owner_all);
}

TEST(PartSearch, EndsWhenStopped) {
  const FolderTree tree;
  (void)tree.trace("a");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(find_trace_parts(tree.path(), kFormats, stop.get_token()).found, IsEmpty());
  const auto found = find_traces(tree.path(), &kFolder, stop.get_token());
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("stopped"));
}

TEST(FindTraces, OfATreeAreItsDirectories) {
  const FolderTree tree;
  const std::string a = tree.trace("a", "x");
  const std::string b = tree.trace("b", "y");
  const std::string c = tree.trace("c", "x");
  auto found = find_traces(tree.path(), &kFolder);
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_THAT(found->unsearched, IsEmpty());
  ASSERT_EQ(found->traces.size(), 2U);
  const FoundTrace& first = found->traces[0];
  EXPECT_EQ(first.format, &kFolder);
  EXPECT_EQ(first.input, nullptr);
  EXPECT_EQ(first.name, a);
  EXPECT_THAT(first.directories, ElementsAre(a, c));
  auto reader = open_found(std::move(found->traces[0]));
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->description()->input(), a);
  EXPECT_EQ((*reader)->target(), "folder");
}

TEST(FindTraces, SayWhatWasLookedFor) {
  const FolderTree tree;
  fs::create_directory(tree.path("x"));
  const auto none = find_traces(tree.path(), &kFolder);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUnrecognised);
  EXPECT_EQ(none.error().input, tree.path());
  EXPECT_THAT(none.error().message, HasSubstr("a file named folder (folder)"));
  const auto files_only = find_traces(tree.path(), find_format("dial9"));
  ASSERT_FALSE(files_only);
  EXPECT_EQ(files_only.error().code, ErrorCode::kUnrecognised);
  EXPECT_THAT(files_only.error().message, HasSubstr("a file of dial9"));
}

TEST(OpenTrace, OfADirectoryIsTheOneTraceInIt) {
  const FolderTree tree;
  const std::string a = tree.trace("sub/a");
  const auto one = open_trace(tree.path(), {}, &kFolder);
  ASSERT_TRUE(one) << one.error().to_string();
  EXPECT_EQ((*one)->description()->input(), a);
  const std::string b = tree.trace("sub/b");
  const auto two = open_trace(tree.path(), {}, &kFolder);
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(two.error().message, AllOf(HasSubstr("2 traces"), HasSubstr(a), HasSubstr(b)));
}

TEST(FindTarget, KnowsTheFormat) {
  const FoundTarget found = find_target("dial9");
  EXPECT_EQ(found.format, find_format("dial9"));
  ASSERT_NE(found.target, nullptr);
  EXPECT_EQ(found.target->name, "dial9");
  EXPECT_EQ(find_target("jsonl").format, nullptr);
}

}  // namespace
}  // namespace tracedeck

#include "tracedeck/timeline/place_names.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace tracedeck::timeline {
namespace {

std::vector<std::string> shown(const std::vector<std::string>& places) {
  PlaceNames names;
  for (const std::string& each : places) names.add(each);
  std::vector<std::string> texts;
  for (const std::string& each : places) texts.push_back(names.shown(each));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(PlaceNames, ShowTheShortestEndingThatNoOtherHas) {
  EXPECT_EQ(shown({"examples/app/src/main.rs:220:14"}), (Texts{"main.rs:220"}));
  EXPECT_EQ(shown({"crates/a/src/lib.rs:10:5", "crates/b/src/lib.rs:10:5", "src/lib.rs:11:5"}),
            (Texts{"a/src/lib.rs:10", "b/src/lib.rs:10", "lib.rs:11"}));
  EXPECT_EQ(shown({"src/lib.rs:10:5", "b/src/lib.rs:10:5", "my_lib.rs:10:1"}),
            (Texts{"src/lib.rs:10", "b/src/lib.rs:10", "my_lib.rs:10"}));
  EXPECT_EQ(shown({"app::routes::get:src/routes.rs:10", "app::ddb::get:src/ddb.rs:20",
                   "app::forget:src/ddb.rs:30"}),
            (Texts{"routes::get", "ddb::get", "forget"}));
}

TEST(PlaceNames, ShowWhatIsLeftOutElseWhereOnlyThatDiffers) {
  EXPECT_EQ(shown({"src/main.rs:5:9", "src/main.rs:5:40", "src/main.rs:6:9"}),
            (Texts{"main.rs:5:9", "main.rs:5:40", "main.rs:6"}));
  EXPECT_EQ(shown({"app::run:src/a.rs:1", "app::run:src/b.rs:1"}),
            (Texts{"run:src/a.rs:1", "run:src/b.rs:1"}));
}

TEST(PlaceNames, CallCodeOfPackagesByThese) {
  const std::string util =
      source_place("/home/a/.cargo/registry/src/i-0/hyper-util-0.1.20/src/rt/tokio.rs:115:9");
  const std::string newer =
      source_place(R"(C:\u\.cargo\registry\src\i-1\hyper-util-0.1.21\src\rt\tokio.rs:115:9)");
  const std::string git = source_place("/root/.cargo/git/checkouts/dial9-0a1b/77aa/src/lib.rs:3:1");
  const std::string std = source_place("/rustc/0a1b2c/library/std/src/thread/mod.rs:97:1");
  EXPECT_EQ(shown({util, git, std}),
            (Texts{"hyper-util rt/tokio.rs:115", "dial9 lib.rs:3", "std thread/mod.rs:97"}));
  EXPECT_EQ(shown({util, newer}), (Texts{"hyper-util-0.1.20/src/rt/tokio.rs:115",
                                         "hyper-util-0.1.21/src/rt/tokio.rs:115"}));
  EXPECT_EQ(util, source_place("/root/.cargo/registry/src/i-1/hyper-util-0.1.20/src/rt/tokio.rs:"
                               "115:9"));
}

TEST(PlaceNames, NumberThoseThatHaveOneName) {
  const std::string three = numbered_place("worker", "3");
  EXPECT_EQ(shown({three, numbered_place("worker", "5"), numbered_place("io/net", "4")}),
            (Texts{"worker 3", "worker 5", "io/net"}));
  EXPECT_EQ(shown({three, numbered_place("worker 3", "9")}), (Texts{"worker", "worker 3 9"}));
  EXPECT_EQ(shown({three}), (Texts{"worker"}));
}

TEST(PlaceNames, TakeAnyText) {
  for (const char* const each : {"", ":", "::", "/", "a", ":10", "a:10:", "C:/a.rs:1:2", "::::1",
                                 "a::b:C:/x.rs:7", "/:/:1:1", "1:2:3", " 1", "1", "a 1"})
    EXPECT_LE(shown({each, "x.rs:1:1"}).front().size(), std::string_view(each).size());
  EXPECT_EQ(shown({"C:/app/src/a.rs:1:2"}), (Texts{"a.rs:1"}));
  EXPECT_EQ(shown({"app::b:C:/x.rs:7"}), (Texts{"b"}));
}

TEST(PlaceNames, CanBeSaidByAnyEnding) {
  const auto is_said = [](std::string_view text, PlaceRange place, std::string_view by) {
    return any_way_to_say(text, place, [&](std::string_view way) { return way == by; });
  };
  const std::string source = "on crates/a/src/lib.rs:10:5!";
  const PlaceRange place{.begin = 3, .size = 24};
  for (const char* const way : {"on lib.rs:10!", "on lib.rs:10:5!", "on a/src/lib.rs:10!",
                                "on crates/a/src/lib.rs:10!", "on crates/a/src/lib.rs:10:5!"})
    EXPECT_TRUE(is_said(source, place, way)) << way;
  for (const char* const way : {"on ib.rs:10!", "on !", "on 5!", "on 10:5!", "on lib.rs!",
                                "lib.rs:10", "on b/src/lib.rs:10!"})
    EXPECT_FALSE(is_said(source, place, way)) << way;
  const std::string function = "app::ddb::get:src/ddb.rs:20";
  const PlaceRange whole{.begin = 0, .size = 27};
  for (const char* const way : {"get", "ddb::get", "app::ddb::get", "get:src/ddb.rs:20",
                                "src/ddb.rs:20", "ddb.rs:20", "app::ddb::get:src/ddb.rs:20"})
    EXPECT_TRUE(is_said(function, whole, way)) << way;
  for (const char* const way : {"et", "b::get", "20", "", "ddb"})
    EXPECT_FALSE(is_said(function, whole, way)) << way;
  EXPECT_TRUE(is_said("wake -> poll", {}, "wake -> poll"));
  EXPECT_FALSE(is_said("a/b", {}, "b"));
}

}  // namespace
}  // namespace tracedeck::timeline

#include "tracedeck/timeline/moved_places.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tracedeck::timeline {
namespace {

using Lines = std::vector<std::uint64_t>;
using Moves = std::map<std::uint64_t, std::uint64_t>;

std::vector<LinedName> names(const Lines& lines, std::uint64_t column) {
  std::vector<LinedName> list;
  for (const std::uint64_t line : lines)
    list.push_back({.key = std::to_string(line), .group = "lib.rs", .line = {line, column}});
  return list;
}

// The line in A by the line in B.
Moves moves(const Lines& a, const Lines& b, std::uint64_t column_of_b = 5) {
  Moves found;
  for (const auto& [in_b, in_a] : moved_places(names(a, 5), names(b, column_of_b)))
    found[std::stoull(in_b)] = std::stoull(in_a);
  return found;
}

TEST(MovedPlaces, KeepTheirOrder) {
  EXPECT_EQ(moves({40}, {43}), (Moves{{43, 40}}));
  EXPECT_EQ(moves({40}, {43}, 9), (Moves{{43, 40}}));
  EXPECT_EQ(moves({10, 40}, {10, 43}), (Moves{{43, 40}}));
  EXPECT_EQ(moves({10, 40}, {13, 53}), (Moves{{13, 10}, {53, 40}}));
  EXPECT_EQ(moves({10, 40}, {10, 40}), Moves{});
}

TEST(MovedPlaces, MoveTogetherOverPlacesOfOthers) {
  EXPECT_EQ(moves({40, 43}, {43, 46}), (Moves{{43, 40}, {46, 43}}));
}

TEST(MovedPlaces, AreLeftWhereSeveralMayBeMeant) {
  EXPECT_EQ(moves({10, 40}, {40, 50}), Moves{});
  EXPECT_EQ(moves({40}, {43, 60}), Moves{});
  EXPECT_EQ(moves({43, 60}, {40}), Moves{});
  EXPECT_EQ(moves({10, 20}, {13, 23, 33}), Moves{});
  EXPECT_EQ(moves({}, {40}), Moves{});
}

TEST(MovedPlaces, AreFoundAmongMoreByTheirDistance) {
  EXPECT_EQ(moves({10, 40}, {13, 43, 60}), (Moves{{13, 10}, {43, 40}}));
  EXPECT_EQ(moves({10, 40, 47}, {43, 50}), (Moves{{43, 40}, {50, 47}}));
  EXPECT_EQ(moves({10, 40}, {10, 40, 60}), Moves{});
}

TEST(MovedPlaces, OfOtherGroupsAreOthers) {
  const std::vector<LinedName> a = {{.key = "a", .group = "a.rs", .line = {1, 1}}};
  const std::vector<LinedName> b = {{.key = "b", .group = "b.rs", .line = {2, 1}}};
  EXPECT_TRUE(moved_places(a, b).empty());
}

TEST(LinedPlace, IsALineOfAFile) {
  const auto lined = [](std::string_view place) {
    const auto found = lined_place(place);
    return found ? fmt::format("{} {} {}", found->path, found->at.line, found->at.column)
                 : std::string("none");
  };
  EXPECT_EQ(lined("src/main.rs:40:5"), "src/main.rs 40 5");
  EXPECT_EQ(lined("src/main.rs:40"), "src/main.rs 40 0");
  EXPECT_EQ(lined("app::h::handle:src/h.rs:40"), "app::h::handle:src/h.rs 40 0");
  EXPECT_EQ(lined("SpanEnter:app::h::handle:src/h.rs:40"),
            "SpanEnter:app::h::handle:src/h.rs 40 0");
  EXPECT_EQ(lined("src/main.rs:99999999999999999999:5"), "none");
  for (const std::string_view none :
       {"", "worker 3", "PollStartEvent", "core:1", "a::b:3", "main.rs"})
    EXPECT_EQ(lined(none), "none") << none;
}

}  // namespace
}  // namespace tracedeck::timeline

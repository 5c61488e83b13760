#include "tracedeck/query/rewriting.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tracedeck/query/parser.hpp"
#include "tracedeck/query/path_parser.hpp"

namespace tracedeck::query {
namespace {

std::string without_side(std::string_view text) {
  const auto parsed = parse_expression(text);
  return parsed ? to_string(path_of_side((*parsed)->path)) : parsed.error().message;
}

TEST(SidesOfPairs, MeanWhatTheyMeanOfAnEvent) {
  EXPECT_EQ(without_side("a.tid"), "tid");
  EXPECT_EQ(without_side("a.queue.depth"), "queue.depth");
  EXPECT_EQ(without_side("a.name"), "name");
  EXPECT_EQ(without_side("a.fields.name"), ".name");
  EXPECT_EQ(without_side("b.stream.id"), "stream.id");
  EXPECT_EQ(without_side("b.common.vtid"), "common.vtid");
  EXPECT_EQ(without_side("b.fields"), "fields");
  EXPECT_EQ(without_side("a[0].name"), "[0].name");
}

}  // namespace
}  // namespace tracedeck::query

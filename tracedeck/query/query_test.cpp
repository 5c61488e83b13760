#include "tracedeck/query/query.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tracedeck/query/stages.hpp"

namespace tracedeck::query {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  const auto query = Query::parse(text);
  return query ? "none" : query.error().message;
}

TEST(Stages, SayWhereTheyAreWrong) {
  for (const auto& [text, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"", "a stage is wanted"},
           {"count |", "a stage is wanted"},
           {"coun by name", "did you mean `count`?\n    coun by name\n    ^^^^"},
           {"count | every 1s", "`every` stands behind"},
           {"p99", "p99 of what? p99(duration)\n    p99\n    ^^^"},
           {"count(x)", "count takes no argument"},
           {"p101(x)", "`p101` is no stage"},
           {"p99.99.9(x)", "there is p50, p99"},
           {"count every 0ns", "an interval is wanted"},
           {"count every 1.5", "an interval is wanted"},
           {"limit -1", "a number is wanted"},
           {"limit 340282366920938463463374607431768211455", "a number is wanted"},
           {"limit 1 | where 5", "a condition is wanted"},
           {"top", "a number is wanted"},
           {"let = 1", "a name is wanted"},
           {"let x 1", "`=` is wanted"},
           {"count by name by id", "`|` and the next stage are wanted"},
           {"pair A", "the name of an event is wanted"},
           {"pair A (x", "no `)` closes"},
           {"pair A B on a.x == c.y", "one side begins with `a.`"},
           {"pair A B within 0s", "an interval is wanted"},
           {"count | pair A B", "`pair` makes pairs of events"},
           {"where x > 1 | spans", "`spans` comes first"},
           {"spans | spans all", "`spans` comes first"},
           {"spans x", "`|` and the next stage are wanted"},
           {"spans | pair A B", "`pair` makes pairs of events"},
           {"count | allocations", "`allocations` comes first"},
           {"count | samples", "`samples` comes first"},
           {"samples | where worker_id == 1", "`worker_id` is nothing that is known here"},
           {"samples | where inside(poll)", "inside() wants a text"},
           {"allocations all", "`|` and the next stage are wanted"},
           {"allocations | pair A B", "`pair` makes pairs of events"},
           {"allocations | where task_id == 1", "`task_id` is nothing that is known here"},
           {"allocations | select symbol(address)", "symbol() names addresses of events"},
           {"spans | where id == 1", "`id` is nothing that is known here"},
           {"spans | count by name | where x > 1", "`x` is nothing that is known here"},
           {"count | where nam > 3", "`nam` is nothing that is known here; there are count"},
           {"select duration | rate", "need a column `time`"},
           {"mean(x)", "the mean is `avg`"},
           {"median(x)", "the median is `p50`"},
           {"stddev(x)", "there is none; `p50`"},
           {"group by name", "groups are written `AGGREGATES by KEYS`"},
           {"count by name | order by count", "that is the stage `sort`"},
           {"count by name order by count", "`order`: that is the stage `sort`"},
           {"head 3", "that is the stage `limit`"},
           {"count by name having count > 5", "that is a stage `where`"},
           {"uniq(x)", "counted by `distinct`"},
           {"select hex(x)", "`hex` is no function; there are has"},
           {"select max(x)", "`max` is an aggregate, and stands at the front of a stage: max(x)"},
           {"max(time) - min(time)", "stage behind theirs: `max(time) as x | select x - ...`"},
           {"sum(x) / 500ms as idle", "calculated with in a stage behind theirs: `sum(x) as x | s"},
           {"max(x) as y / 2", "`max(x) as y | select y / ...`"},
           {"count > 5", "compared in a stage behind theirs: `count | where count > ...`"},
           {"p99(x) by k | top 3 by p98(x)", "is nothing that is known here"},
       })
    EXPECT_THAT(error_of(text), HasSubstr(sentence)) << text;
}

TEST(Stages, TakeAggregatesAsTheirColumnsAreCalled) {
  for (const std::string text :
       {"p99(x), p99.9(x), count() by k | top 3 by p99(x)", "p99.9(x) | sort p99.9(x) desc",
        "max(t), min(t) | select max(t) - min(t) as length", "max(x) by k | max(max(x))",
        "max(x) by k | where max(x) > 5", "count() by k | sort count()"})
    EXPECT_EQ(error_of(text), "none") << text;
}

TEST(Stages, TakeNamesOfEventsAsTheyAre) {
  for (const std::string text :
       {"pair ros2:callback_start ros2:callback_end on vtid", "pair * *", "pair sched_* a.b",
        "pair tokio::park *::unpark | count", "pair A B on x | count"})
    EXPECT_EQ(error_of(text), "none") << text;
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string whole;
  for (std::size_t i = 0; i < count; ++i) whole += text;
  return whole;
}

TEST(Stages, AreBounded) {
  EXPECT_EQ(error_of("count" + repeated(" | limit 1", 199)), "none");
  EXPECT_THAT(error_of("count" + repeated(" | limit 1", 100'000)), HasSubstr("at most 200 stages"));
  EXPECT_THAT(error_of("select " + repeated("name, ", 1000) + "id"), HasSubstr("at most 1000"));
  EXPECT_THAT(error_of("count" + repeated(", count", 100'000)), HasSubstr("at most 1000"));
  EXPECT_THAT(error_of("sort id" + repeated(", id", 100'000)), HasSubstr("at most 1000"));
  EXPECT_THAT(error_of("pair A B on id" + repeated(", id", 100'000)), HasSubstr("at most 1000"));
  std::string select = "select x";
  for (int i = 1; i < 1000; ++i) select += ", x" + std::to_string(i);
  EXPECT_EQ(error_of("spans | where x > 1 | " + select), "none");
  EXPECT_THAT(error_of("spans | where y > 1 | " + select), HasSubstr("at most 1000 arguments"));
  EXPECT_THAT(error_of("limit " + std::string(1 << 20, '1')), HasSubstr("at most"));
}

TEST(Stages, NamesDoNotGrowWithoutBounds) {
  EXPECT_EQ(error_of("let x = id + 1 | let y = x * x | select y"), "none");
  // Twice as much each time.
  EXPECT_THAT(error_of("let x = id" + repeated(" | let x = x + x", 60) + " | select x"),
              HasSubstr("stand for too much"));
  // One level deeper each time.
  EXPECT_EQ(error_of("let x = id" + repeated(" | let x = -x", 150) + " | select x"), "none");
  EXPECT_THAT(error_of("let x = id" + repeated(" | let x = - -x", 190) + " | select x"),
              HasSubstr("stand for too much"));
  EXPECT_THAT(
      error_of("let x = id" + repeated(" + id", 100) + " | select x" + repeated(", x", 900)),
      HasSubstr("stand for too much"));
}

}  // namespace
}  // namespace tracedeck::query

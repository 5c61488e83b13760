#include "tracedeck/model/log_level.hpp"

#include <gtest/gtest.h>

namespace tracedeck {
namespace {

std::optional<std::size_t> level_of(const Attribute& attribute) {
  EventClass event_class;
  event_class.attributes.push_back({.key = "other", .value = "3"});
  event_class.attributes.push_back(attribute);
  return log_level(event_class);
}

TEST(LogLevel, OfCtf1IsANumber) {
  EXPECT_EQ(level_of({.key = "loglevel", .value = "0"}), 0U);
  EXPECT_EQ(level_of({.key = "loglevel", .value = "14"}), 14U);
  for (const char* const wrong : {"15", "-1", "", "4x", "loud"})
    EXPECT_FALSE(level_of({.key = "loglevel", .value = wrong})) << wrong;
}

TEST(LogLevel, OfCtf2IsAWord) {
  const auto written = [](const char* json) {
    return level_of({.key = "babeltrace.org,2020", .value = json, .is_json = true});
  };
  EXPECT_EQ(written(R"({"log-level":"warning"})"), 4U);
  EXPECT_EQ(written(R"({"emf-uri":"x","log-level":"debug:line"})"), 13U);
  for (const char* const wrong : {R"({"log-level":4})", R"({"log-level":"loud"})", "{}", "[]", "{"})
    EXPECT_FALSE(written(wrong)) << wrong;
}

TEST(LogLevel, NamesAreThoseOfTracers) {
  for (std::size_t i = 0; i < kLogLevels.size(); ++i)
    EXPECT_EQ(log_level_of_name(kLogLevels[i]), i);
  EXPECT_EQ(log_level_of_name("TRACE_WARNING"), 4U);
  EXPECT_EQ(log_level_of_name("emergency"), 0U);
  EXPECT_EQ(log_level_of_name("critical"), 2U);
  EXPECT_EQ(log_level_of_name("error"), 3U);
  EXPECT_EQ(log_level_of_name("debug:function"), 12U);
  EXPECT_FALSE(log_level_of_name("LOUD"));
  EXPECT_FALSE(log_level_of_name(""));
}

}  // namespace
}  // namespace tracedeck

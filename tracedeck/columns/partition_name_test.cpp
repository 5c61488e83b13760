#include "tracedeck/columns/partition_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck::columns {
namespace {

TEST(PartitionName, EscapesWhatIsNotPlain) {
  EXPECT_EQ(partition_name("class", "Poll.Start_1-2"), "class=Poll.Start_1-2");
  EXPECT_EQ(partition_name("class", "sched/switch a"), "class=sched%2Fswitch%20a");
  EXPECT_EQ(partition_name("class", "a@b=%"), "class=a%40b%3D%25");
  EXPECT_EQ(partition_name("class", "\xC3\xA9\n"), "class=%C3%A9%0A");
}

TEST(PartitionName, NothingIsNull) {
  EXPECT_EQ(partition_name("class", ""), "class=__HIVE_DEFAULT_PARTITION__");
}

TEST(PartitionName, LongValuesStayDistinct) {
  const std::string one = partition_name("class", std::string(300, '/') + "a");
  const std::string other = partition_name("class", std::string(300, '/') + "b");
  EXPECT_LE(one.size(), 255U);
  EXPECT_NE(one, other);
  EXPECT_EQ(one, partition_name("class", std::string(300, '/') + "a"));
}

}  // namespace
}  // namespace tracedeck::columns

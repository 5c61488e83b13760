#include "tracedeck/columns/parquet/thrift_compact.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tracedeck::parquet {
namespace {

template <class Fill>
std::string written(Fill fill) {
  std::string bytes;
  ThriftWriter thrift(bytes);
  fill(thrift);
  thrift.end();
  return bytes;
}

// Field headers of thrift-compact-protocol.md: a delta of ids and a type, or the id behind the
// type.
TEST(ThriftCompact, WritesFields) {
  EXPECT_EQ(written([](ThriftWriter& thrift) { thrift.i32(1, -1); }), std::string("\x15\x01\0", 3));
  EXPECT_EQ(written([](ThriftWriter& thrift) { thrift.i64(16, 1); }),
            std::string("\x06\x20\x02\0", 4));
  EXPECT_EQ(written([](ThriftWriter& thrift) {
              thrift.boolean(1, true);
              thrift.boolean(2, false);
              thrift.byte(3, 8);
              thrift.binary(4, "ab");
            }),
            std::string("\x11\x12\x13\x08\x18\x02"
                        "ab\0",
                        9));
}

TEST(ThriftCompact, IntegersReachTheirEnds) {
  EXPECT_EQ(written([](ThriftWriter& thrift) {
              thrift.i64(1, std::numeric_limits<std::int64_t>::min());
            }),
            std::string("\x16\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\0", 12));
}

TEST(ThriftCompact, NestsStructuresAndLists) {
  EXPECT_EQ(written([](ThriftWriter& thrift) {
              thrift.begin_structure(2);
              thrift.i32(1, 0);
              thrift.end();
              thrift.begin_list(3, ThriftType::kI32, 2);
              thrift.integer_element(1);
              thrift.integer_element(2);
              thrift.begin_list(4, ThriftType::kStruct, 1);
              thrift.begin_element();
              thrift.i32(1, 3);
              thrift.end();
            }),
            std::string("\x2C\x15\x00\x00\x19\x25\x02\x04\x19\x1C\x15\x06\x00\x00", 14));
  const std::string longer = written([](ThriftWriter& thrift) {
    thrift.begin_list(1, ThriftType::kTrue, 15);
    for (int i = 0; i < 15; ++i) thrift.boolean_element(i == 0);
  });
  EXPECT_EQ(longer.substr(0, 5), std::string("\x19\xF1\x0F\x01\x02"));
}

}  // namespace
}  // namespace tracedeck::parquet

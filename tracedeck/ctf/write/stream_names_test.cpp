#include "tracedeck/ctf/write/stream_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck::ctf {
namespace {

DataStream in_file(const std::string& file) {
  DataStream stream;
  stream.file = file;
  return stream;
}

TEST(StreamNames, FilesKeepTheirNames) {
  StreamNames names;
  EXPECT_EQ(names.file_name(in_file("a/b/channel0_0")), "channel0_0");
  EXPECT_EQ(names.file_name(in_file("channel0_1")), "channel0_1");
}

TEST(StreamNames, FurtherOnesOfANameAreNumbered) {
  StreamNames names;
  EXPECT_EQ(names.file_name(in_file("a/s")), "s");
  EXPECT_EQ(names.file_name(in_file("s-1")), "s-1");
  EXPECT_EQ(names.file_name(in_file("b/s")), "s-2");
}

TEST(StreamNames, WhatReadersPassOverIsNoName) {
  StreamNames names;
  EXPECT_EQ(names.file_name(in_file("")), "stream-0000");
  EXPECT_EQ(names.file_name(in_file("a/metadata")), "stream-0001");
  EXPECT_EQ(names.file_name(in_file(".hidden")), "stream-0002");
  EXPECT_EQ(names.file_name(in_file("environment.json-seq")), "stream-0003");
  EXPECT_EQ(names.file_name(in_file("s.gz")), "stream-0004");
  EXPECT_EQ(names.file_name(in_file("stream-0005")), "stream-0005");
  EXPECT_EQ(names.file_name(in_file("index")), "stream-0006");
}

TEST(StreamNames, IdsOfAClassAreDistinct) {
  StreamNames names;
  EXPECT_EQ(names.free_id(0, 7), 7U);
  EXPECT_NE(names.free_id(0, 7), 7U);
  EXPECT_EQ(names.free_id(0, {}), 2U);
  EXPECT_EQ(names.free_id(1, 7), 7U);
}

TEST(StreamNames, TheClassIsNoId) {
  DataStream stream;
  stream.keys.push_back({.name = "class", .value = 3});
  EXPECT_FALSE(StreamNames::own_id(stream));
  stream.keys.push_back({.name = "id", .value = 5});
  EXPECT_EQ(StreamNames::own_id(stream), 5U);
}

}  // namespace
}  // namespace tracedeck::ctf

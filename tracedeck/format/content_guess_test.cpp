#include "tracedeck/format/content_guess.hpp"

#include <gtest/gtest.h>

namespace tracedeck {
namespace {

using std::string_literals::operator""s;

std::string guess(const std::string& head) { return guess_content(as_bytes(head)); }

TEST(GuessContent, KnowsFilesByTheirFirstBytes) {
  EXPECT_EQ(guess("\x1F\x8B\x08"s),
            "looks like gzip data that was compressed once more; decompress it once first");
  EXPECT_EQ(guess("\x7F"
                  "ELF\x02"s),
            "looks like an ELF program or library");
  EXPECT_EQ(guess("PK\x03\x04rest"s), "looks like a zip archive; unpack it first");
  EXPECT_EQ(guess(std::string(257, '\0').append("ustar")),
            "looks like a tar archive; unpack it first");
  EXPECT_EQ(guess("\xC1\xFC\x1F\xC1\x00"s),
            "looks like a data stream of CTF; give its metadata with --metadata FILE");
}

TEST(GuessContent, KnowsText) {
  EXPECT_EQ(guess("plain words"), "looks like text");
  EXPECT_EQ(guess("caf\xC3\xA9 au lait \xC3"), "looks like text");
  EXPECT_EQ(guess(" \n {\"time\":1}"), "looks like JSON");
  EXPECT_EQ(guess("[1, 2, 3]"), "looks like JSON");
  EXPECT_EQ(guess("<html></html>"), "looks like XML or HTML");
  EXPECT_EQ(guess("#!/bin/sh\n"), "looks like a script");
  EXPECT_EQ(guess("\n\n\n\n\n\n\n\n\n"), "looks like blank text");
}

TEST(GuessContent, ShowsBytesOtherwise) {
  EXPECT_EQ(guess("\x01\x02 some text behind"), "begins with the bytes 01 02 20 73 6F 6D 65 20");
  EXPECT_EQ(guess("latin \xE9 text, not UTF-8"), "begins with the bytes 6C 61 74 69 6E 20 E9 20");
  EXPECT_EQ(guess("TRC"), "begins with the bytes 54 52 43");
  EXPECT_EQ(guess("\xFF"), "begins with the byte FF");
  EXPECT_EQ(guess(std::string(300, '\0')), "begins with zero bytes only");
}

}  // namespace
}  // namespace tracedeck

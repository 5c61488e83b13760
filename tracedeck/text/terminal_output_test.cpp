#include "tracedeck/text/terminal_output.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace tracedeck {
namespace {

// What comes out when the text is written in pieces of `piece` bytes.
std::string shown(std::string_view text, std::size_t piece,
                  std::span<const std::string_view> allowed = {}) {
  std::string result;
  const auto into = io::memory_output(result);
  const auto output = terminal_output(*into, allowed);
  for (std::size_t at = 0; at < text.size(); at += piece)
    EXPECT_TRUE(output->write(text.substr(at, piece)));
  EXPECT_TRUE(output->finish());
  return result;
}

void expect_shown(std::string_view text, std::string_view want,
                  std::span<const std::string_view> allowed = {}) {
  for (std::size_t piece = 1; piece <= text.size(); ++piece)
    EXPECT_EQ(shown(text, piece, allowed), want) << piece;
}

TEST(TerminalOutput, LeavesPlainTextAsItIs) {
  expect_shown("a = \"\\b\"\n\tc\n", "a = \"\\b\"\n\tc\n");
  expect_shown("Tonbandger\xC3\xA4t \xF0\x9F\x98\x80", "Tonbandger\xC3\xA4t \xF0\x9F\x98\x80");
}

TEST(TerminalOutput, EscapesWhatATerminalObeys) {
  expect_shown("a\x1b]0;title\x07z", "a\\x1b]0;title\\x07z");
  expect_shown("a\r\x7f\xC2\x9Bz", "a\\r\\x7f\\u{9b}z");
  expect_shown("a\xE2\x80\xAEz", "a\\u{202e}z");
}

TEST(TerminalOutput, EscapesWhatIsNoText) {
  expect_shown("a\x9Bz\xFF", "a\\x9bz\\xff");
  expect_shown("a\xE2\x80", "a\\xe2\\x80");
}

TEST(TerminalOutput, LetsColoursOfOurOwnThrough) {
  constexpr std::array<std::string_view, 2> kOurs = {"\x1b[0m", "\x1b[31m"};
  expect_shown("\x1b[31mred\x1b[0m\x1b[2J", "\x1b[31mred\x1b[0m\\x1b[2J", kOurs);
}

}  // namespace
}  // namespace tracedeck

#include "tracedeck/text/plain_characters.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tracedeck {
namespace {

constexpr Escaped kFourMarks = {.marks = {'"', '\'', '\\', '?'}, .beyond_ascii = false};

// One by one, whether a byte is left as it is.
template <Escaped kEscaped>
bool is_plain(unsigned char byte) {
  if (byte < 0x20 || byte == 0x7F || (kEscaped.beyond_ascii && byte >= 0x80)) return false;
  return std::string_view(kEscaped.marks.data(), kEscaped.marks.size())
             .find(static_cast<char>(byte)) == std::string_view::npos;
}

// Every byte at every place of texts of every length about one and two steps.
template <Escaped kEscaped>
void try_all() {
  for (std::size_t size = 0; size <= 50; ++size) {
    const std::string plain =
        std::string("abcdefghijklmnopqrstuvwxyz ~!#0123456789AZ{}[]<>,;:=+-*").substr(0, size);
    for (std::size_t place = 0; place <= size; ++place) {
      for (unsigned value = 0; value < 0x100; ++value) {
        std::string text = plain;
        const auto byte = static_cast<unsigned char>(value);
        if (place < size) text[place] = static_cast<char>(byte);
        std::string room(size + 2, '#');
        const bool copied = copy_plain<kEscaped>(room.data() + 1, text.data(), size);
        ASSERT_EQ(copied, place == size || is_plain<kEscaped>(byte)) << size << ' ' << value;
        if (copied) {
          ASSERT_EQ(room, '#' + text + '#');
        }
        ASSERT_EQ(room.front(), '#');
        ASSERT_EQ(room.back(), '#');
      }
    }
  }
}

TEST(PlainCharacters, AreCopiedAndOthersFound) {
  try_all<kQuotesEscaped>();
  try_all<kFourMarks>();
}

TEST(PlainCharacters, InQuotationMarks) {
  std::string room(8, '#');
  char* const end = write_plain_quoted<kQuotesEscaped>(room.data(), "plain");
  EXPECT_EQ(std::string_view(room.data(), end), "\"plain\"");
  EXPECT_EQ(write_plain_quoted<kQuotesEscaped>(room.data(), "a\nb"), nullptr);
}

}  // namespace
}  // namespace tracedeck

#include "tracedeck/ctf/metadata/tsdl_lexer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tracedeck::ctf::tsdl {
namespace {

std::vector<Token> tokens(std::string_view text, TextFindings& findings) {
  findings.append(text, 0);
  Lexer lexer(text, 0, findings);
  std::vector<Token> result;
  do {
    result.push_back(lexer.next());
  } while (result.back().kind != TokenKind::kEnd && result.back().kind != TokenKind::kBroken);
  return result;
}

Token only(std::string_view text) {
  TextFindings findings;
  const std::vector<Token> all = tokens(text, findings);
  EXPECT_EQ(all.size(), 2U) << text;
  return all.front();
}

TEST(TsdlLexer, Integers) {
  EXPECT_EQ(only("0").value, 0);
  EXPECT_EQ(only("1234").value, 1234);
  EXPECT_EQ(only("06534").value, 06534);
  EXPECT_EQ(only("0xABC234").value, 0xABC234);
  EXPECT_EQ(only("0Xffffffffffffffffull").value, static_cast<Int128>(UINT64_MAX));
  for (const char* const suffix : {"u", "U", "l", "L", "ul", "LU", "ll", "LLU", "uLL"})
    EXPECT_EQ(only(std::string("10") + suffix).value, 10) << suffix;
}

TEST(TsdlLexer, BrokenIntegers) {
  for (const char* const text :
       {"0x", "08", "12ab", "1uu", "1lL", "0b1", "340282366920938463463374607431768211456"}) {
    TextFindings findings;
    EXPECT_EQ(tokens(text, findings).front().kind, TokenKind::kBroken) << text;
    EXPECT_EQ(findings.take().size(), 1U) << text;
  }
}

TEST(TsdlLexer, Strings) {
  EXPECT_EQ(only(R"("a \" \\ \n\x41\101\?")").text, "a \" \\ \nAA?");
  EXPECT_EQ(only(R"("\u00e9\U0001F600")").text, "\xC3\xA9\xF0\x9F\x98\x80");
  // As babeltrace2 reads them.
  EXPECT_EQ(only(R"("\x0231 \x41424 \1013 \501")").text,
            "#1 \x14"
            "24 A3 A");
  EXPECT_EQ(only(R"(L"wide")").text, "wide");
  EXPECT_EQ(only(R"('\n')").text, "\n");
  EXPECT_EQ(only("\"/* no comment */ // ;\"").text, "/* no comment */ // ;");
}

TEST(TsdlLexer, BrokenStrings) {
  for (const std::string& text :
       {std::string("\"no end"), std::string("\"line\nend\""), std::string(R"("\o")"),
        std::string(R"("\x")"), std::string(R"("\u12")"), std::string(R"("\uD800")"),
        std::string("\"a\0b\"", 5)}) {
    TextFindings findings;
    EXPECT_EQ(tokens(text, findings).front().kind, TokenKind::kBroken) << text;
    EXPECT_EQ(findings.take().size(), 1U) << text;
  }
}

TEST(TsdlLexer, WordsPunctuatorsAndComments) {
  TextFindings findings;
  std::string spelt;
  for (const Token& each : tokens("a/* ; */._b1//c\n:= ... -> : = 0...3 \\u00e9", findings)) {
    spelt += each.kind == TokenKind::kInteger ? "#" : each.text;
    spelt += ' ';
  }
  EXPECT_EQ(spelt, "a . _b1 := ... -> : = # ... # \xC3\xA9  ");
  EXPECT_TRUE(findings.take().empty());
}

TEST(TsdlLexer, PlacesAreLinesAndColumns) {
  TextFindings findings;
  static_cast<void>(tokens("ab\n  @", findings));
  const std::vector<Finding> found = findings.take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].offset, 5U);
  EXPECT_EQ(found[0].text, "line 2, column 3: `@` begins no token");
}

TEST(TsdlLexer, Keywords) {
  for (const char* const word : {"_Bool", "align", "void", "variant", "struct", "signed"})
    EXPECT_TRUE(is_keyword(word)) << word;
  EXPECT_FALSE(is_keyword("uint8_t"));
}

// However the text is cut, declarations end at the same places.
TEST(TsdlSplitter, EndsOfDeclarations) {
  const std::string text = "a { b; \"};\\\";\" };/* ; } */ // ;\nc ';' ;}; { { ; } } /**/ ; * / ;";
  const std::vector<std::size_t> expected = {17, 39, 41, 58, 64};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    DeclarationSplitter splitter;
    std::vector<std::size_t> ends;
    std::size_t begin = 0;
    for (std::size_t size = piece;; size += piece) {
      const std::string_view seen = std::string_view(text).substr(0, size);
      while (const auto length = splitter.find_end(seen.substr(begin))) {
        begin += *length;
        ends.push_back(begin);
      }
      if (size >= text.size()) break;
    }
    EXPECT_EQ(ends, expected) << piece;
  }
}

}  // namespace
}  // namespace tracedeck::ctf::tsdl

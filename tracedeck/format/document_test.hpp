// Looks into a document of docs/formats, for tests that it says what the code says.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/finding.hpp"

namespace tracedeck {

class Document {
 public:
  using Lines = std::vector<std::string>;

  // `name`: "dial9.md"
  explicit Document(const std::string& name) {
    std::ifstream file(std::string("docs/formats/") + name);
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
  }

  [[nodiscard]] const Lines& lines() const { return lines_; }

  static bool is_heading(std::string_view line) { return line.starts_with('#'); }

  // The lines under a heading, up to the next one.
  [[nodiscard]] Lines section(std::string_view heading) const {
    const auto found = std::ranges::find(lines_, heading);
    EXPECT_NE(found, lines_.end()) << heading << " is not there";
    if (found == lines_.end()) return {};
    return {found + 1, std::find_if(found + 1, lines_.end(), is_heading)};
  }

  // The rows of a table under a heading, without its head; the first is 0.
  [[nodiscard]] Lines table(std::string_view heading, int number = 0) const {
    const Lines lines = section(heading);
    const auto is_row = [](std::string_view line) { return line.starts_with('|'); };
    for (auto at = lines.begin();; --number) {
      at = std::find_if(at, lines.end(), is_row);
      const auto last = std::find_if_not(at, lines.end(), is_row);
      if (last - at < 2) return {};
      if (number == 0) return {at + 2, last};
      at = last;
    }
  }

  // It lists these rules, and has a heading for the section of each.
  void expect_rules(std::span<const Rule> rules) const {
    Lines expected;
    Lines headings;
    for (const Rule& rule : rules) {
      expected.push_back(fmt::format("| `{}` | {} | {} | {} |", rule.id,
                                     severity_name(rule.severity), rule.section, rule.summary));
    }
    EXPECT_THAT(table("## Rules"), testing::ElementsAreArray(expected));
    for (const std::string& line : lines_) {
      if (is_heading(line)) headings.push_back(line.substr(line.find(' ') + 1));
    }
    for (const Rule& rule : rules) {
      EXPECT_THAT(headings, testing::Contains(std::string(rule.section)))
          << "as " << rule.id << " has it";
    }
  }

  // The bytes of the dump under a heading: lines of an offset, two spaces, bytes, spaces, words.
  [[nodiscard]] std::vector<std::uint8_t> dumped_bytes(std::string_view heading) const {
    std::vector<std::uint8_t> bytes;
    bool inside = false;
    for (const std::string& line : section(heading)) {
      if (line.starts_with("```")) {
        inside = !inside;
      } else if (inside) {
        EXPECT_EQ(line.substr(0, 4), fmt::format("{:04X}", bytes.size()));
        const std::size_t end = std::min(line.find("  ", 6), line.size());
        for (std::size_t at = 6; at < end; at += 3) {
          std::uint8_t byte = 0;
          std::from_chars(line.data() + at, line.data() + at + 2, byte, 16);
          bytes.push_back(byte);
        }
      }
    }
    return bytes;
  }

 private:
  Lines lines_;
};

// 1234567 as "1,234,567".
inline std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t place = std::ssize(digits) - 3; place > 0; place -= 3)
    digits.insert(static_cast<std::size_t>(place), ",");
  return digits;
}

}  // namespace tracedeck

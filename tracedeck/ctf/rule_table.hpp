// Rules that are stated once and cited from whichever document a trace follows.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/finding.hpp"
#include "tracedeck/ctf/dialect.hpp"

namespace tracedeck::ctf {

// A rule and the sections that state it: anchors of CTF2-SPECRC-3.0 ("fl-ba-fc") and CTF2-SPEC-2.0,
// headings of CTF 1.8.3 ("4.1.2 Integers"). Empty: that document has no such rule.
struct RuleText {
  std::string_view id;  // "ctf/fixed-length"
  Severity severity;
  std::string_view rc3;
  std::string_view final;
  std::string_view ctf1;
  std::string_view summary;
  std::optional<Severity> ctf1_severity = {};  // where CTF 1.8 is not as strict
  bool lacks_classes = false;                  // as in `Rule`
};

// The rules of one part of this folder, in the words of each document. Meant for static storage:
// the rules that it hands out live as long as it does.
class RuleTable {
 public:
  // `of_metadata`: as in `Rule`, of all.
  explicit RuleTable(std::span<const RuleText> texts, bool of_metadata = false);
  RuleTable(const RuleTable&) = delete;
  RuleTable& operator=(const RuleTable&) = delete;

  // Rule `index` of the texts; its section is "CTF2-SPECRC-3.0 fl-ba-fc".
  [[nodiscard]] const Rule& rule(std::size_t index, Dialect dialect) const {
    return rules_[static_cast<std::size_t>(dialect)][index];
  }
  [[nodiscard]] std::span<const Rule> rules(Dialect dialect) const {
    return rules_[static_cast<std::size_t>(dialect)];
  }

 private:
  std::deque<std::string> sections_;
  std::array<std::vector<Rule>, kDialectCount> rules_;
};

}  // namespace tracedeck::ctf

// Which rules of a table met events, and which of their values events have: what a user is told of
// a table that does not fit.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tracedeck/timeline/rule_parts.hpp"

namespace tracedeck::timeline {

class RuleUse {
 public:
  // The rules of a table, in its order; what follows is of the last one.
  void add_rule(std::string name) { rules_.push_back({.name = std::move(name)}); }
  void add_classes(const ClassGlobs& globs, const ClassMatcher& matcher);
  void add_value(const RuleValue& value);

  // Events of that class came.
  void see(const EventClass& event_class);

  // What met nothing, as sentences without the table's name; few of many.
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  static constexpr std::size_t kMostNames = 4'096;  // kept for who misspelt one
  struct Classes {
    ClassGlobs globs = {};
    ClassMatcher matcher = {};
    bool met = false;
  };
  struct Value {
    RuleValue value = {};
    bool known = false;
  };
  struct Rule {
    std::string name = {};
    std::vector<Classes> classes = {};
    std::vector<Value> values = {};
    std::set<std::string, std::less<>> fields = {};  // of the classes that it met
  };

  void see(Rule& rule, const EventClass& event_class) const;

  std::vector<Rule> rules_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace tracedeck::timeline

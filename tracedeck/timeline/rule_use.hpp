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
  void add_track_rule(const std::string& id) {
    add_rule(track_name(id));
    rules_.back().is_track = true;
  }
  void add_classes(const ClassGlobs& globs, const ClassMatcher& matcher);
  void add_value(const RuleValue& value);
  // What a text needs of the events of the rule's classes number `classes`; of a track, of those of
  // any rule on it.
  void add_text(const RuleTemplate& text, std::size_t classes);
  // The track, or its parent, by its id: the events of the rule are those of its rule too.
  void add_track(const std::string& id);

  // Events of that class came.
  void see(const EventClass& event_class);

  // What met nothing, as sentences without the table's name; few of many.
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  static constexpr std::size_t kMostNames = 4'096;  // kept for who misspelt one

  [[nodiscard]] static std::string track_name(std::string_view id) {
    return std::string("[[track]] ").append(id);
  }
  struct Classes {
    ClassGlobs globs = {};
    ClassMatcher matcher = {};
    bool met = false;
  };
  struct Value {
    RuleValue value = {};
    bool known = false;
    query::UnitWatch units = {};  // of literals in it
    // Classes with a field whose unit does not go with those.
    std::set<std::string, std::less<>> not_compared = {};
  };
  struct Text {
    std::vector<RuleTemplate::Need> ways = {};
    std::size_t classes = 0;
    bool known = false;
    std::set<std::string, std::less<>> lacking = {};  // classes
  };
  struct Rule {
    std::string name = {};
    std::vector<Classes> classes = {};
    std::vector<Value> values = {};
    std::vector<Text> texts = {};
    std::vector<std::string> tracks = {};
    bool is_track = false;
    bool any_met = false;
    std::set<std::string, std::less<>> fields = {};  // of the classes that it met
  };

  void see(Rule& rule, const EventClass& event_class) const;
  static void append_lacking(const Rule& rule, const Text& text, std::vector<std::string>& all);
  static void append_not_found(const Rule& rule, const Text& text, std::vector<std::string>& all);
  static void append_unknown(const Rule& rule, const Value& value, std::vector<std::string>& all);
  void see_track(std::string_view id, const EventClass& event_class);

  std::vector<Rule> rules_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace tracedeck::timeline

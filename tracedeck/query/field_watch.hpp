// Which fields that expressions name the event classes at hand have, so that a misspelt name is
// found out.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/trace_description.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/field_reference.hpp"
#include "tracedeck/query/unit_watch.hpp"

namespace tracedeck::query {

// May be used by several threads once all expressions were added.
class FieldWatch {
 public:
  // The fields that an expression on events names.
  void add(const Expression& expression);

  void see(const EventClass& event_class);
  void see(const DataStream& stream);
  // All classes that are known of a trace.
  void see(const TraceDescription& description);

  // Sentences about fields that none of the classes has that were seen so far, and about keys that
  // none of the data streams has, with the nearest name. None when there were none of them.
  [[nodiscard]] std::vector<std::string> unknown_fields() const;
  // The same about fields that are compared with literals of a unit that no class has for them.
  [[nodiscard]] std::vector<std::string> without_unit() const;
  // The same about texts that `name` is compared with and no class is called.
  [[nodiscard]] std::vector<std::string> unknown_names() const;
  // All of these.
  [[nodiscard]] std::vector<std::string> unmet() const;
  // Whether no event of the class, which was seen, can be compared with a literal as an expression
  // says, since what they count has no unit, or another.
  [[nodiscard]] bool lacks_unit(const EventClass& event_class) const {
    return units_.lacks(event_class);
  }
  [[nodiscard]] bool compares_units() const { return !units_.empty(); }
  // Such events that came.
  void count_without_unit(std::uint64_t events);
  // That reading ended before all classes were seen: nothing is said of what none has then.
  void stop_early();
  // What may be meant otherwise than it was taken, by these classes.
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  // A field that is named, and where classes have it.
  struct Use {
    Path path;
    bool found = false;
    std::set<FieldReference::Part> parts = {};
    bool is_ambiguous = false;   // other fields within one another have that name
    bool names_a_field = false;  // with the word it begins with, as `packet.size`
  };

  // A text that `name` is compared with, and whether it stands for a class: then the name of the
  // event is meant, and not a field that is called so.
  struct NameTest {
    std::function<bool(std::string_view name)> holds = {};
    std::string text = {};  // as it is shown
    Operator operation = Operator::kEqual;
    bool met = false;
  };

  void add_names_of(const Expression& expression);
  void add_name_tests(const Expression& comparison);
  void add_name_test(Operator operation, const Expression& wanted);
  // Whether `name` may be meant as the field of that name.
  [[nodiscard]] bool name_is_doubtful() const;
  void find_key(std::string_view name);
  // What may be meant otherwise by a field that is named.
  void add_notices(const Use& use, std::vector<std::string>& sentences) const;
  void add_unknown_keys(std::vector<std::string>& sentences) const;
  // What a name that no class has was probably meant to be, as it is written; "": nothing.
  [[nodiscard]] std::string nearest_name(const Path& path) const;
  [[nodiscard]] std::string nearest_event(const NameTest& test) const;

  std::set<std::string_view> event_words_;  // what events have that is named
  mutable std::mutex mutex_;                // of what comes
  std::uint64_t classes_ = 0;
  std::vector<Use> uses_;
  std::uint64_t streams_ = 0;
  std::vector<Use> key_uses_;  // stream.KEY
  UnitWatch units_;
  std::uint64_t without_unit_ = 0;                  // events that were not compared
  std::set<std::string, std::less<>> names_;        // of fields of the classes, some of them
  std::set<std::string, std::less<>> stream_keys_;  // of the data streams' keys, some of them
  std::set<std::string_view> shadowing_;            // what events have and fields are called too
  std::vector<NameTest> name_tests_;
  std::set<std::string, std::less<>> events_;  // names of the classes, some of them
  bool stopped_early_ = false;
  bool asks_for_levels_ = false;
  bool has_levels_ = false;  // some class
  bool asks_for_durations_ = false;
  bool has_durations_ = false;        // some class
  bool others_have_no_name_ = false;  // a class was seen without a field `name`
};

}  // namespace tracedeck::query

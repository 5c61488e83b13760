// What may stand in expressions and queries about some traces: what completions offer.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/trace_description.hpp"

namespace tracedeck::query {

// Words of expressions: what each event has, and functions with their parenthesis, "has(".
[[nodiscard]] std::vector<std::string> expression_words();
// Words that queries have besides: of stages, and aggregates, "count", "sum(".
[[nodiscard]] std::vector<std::string> stage_words();

// The names that traces add to them, each as it is written.
class KnownNames {
 public:
  // `most`: of each kind; others are left out.
  explicit KnownNames(std::size_t most = 4096) : most_(most) {}

  // All classes that are known of a trace.
  void see(const TraceDescription& description);

  // Of event classes, without quotes; those that quotes cannot hold as they are, are left out.
  [[nodiscard]] const std::set<std::string, std::less<>>& events() const { return events_; }
  // Paths of fields, "depth", "request.size", as far as they are words.
  [[nodiscard]] const std::set<std::string, std::less<>>& fields() const { return fields_; }

 private:
  void see_members(const FieldClass* structure, const std::string& before, int depth);

  std::size_t most_;
  std::set<std::string, std::less<>> events_;
  std::set<std::string, std::less<>> fields_;
};

}  // namespace tracedeck::query

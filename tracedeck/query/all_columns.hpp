// What `select *` stands for: a column for each field of the event classes that came up.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/model/class_table.hpp"
#include "tracedeck/model/record.hpp"
#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

struct AllColumn {
  std::string name = {};
  Path path = {};
};

// Looks at the events of a first reading. One thread at a time.
class AllColumns {
 public:
  void see(const Event& event);

  // `time`, `duration` where some class has one, `name`, then fields in the order in which they
  // came up: `x` of payloads, as `fields.x` where the name is that of what stands before, and
  // members of contexts as `packet.x`, `common.x`, `specific.x`. Members of structures are `a.b`.
  [[nodiscard]] std::vector<AllColumn> columns() const;

 private:
  struct Seen {
    explicit Seen(const EventClass&) {}
    bool is_seen = false;
  };

  void add(Root root, std::string_view scope, const FieldClass* members);
  void add(const std::string& name, const Path& path, const FieldClass& field_class);

  ClassCache<Seen> classes_;
  bool has_durations_ = false;
  std::vector<AllColumn> fields_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace tracedeck::query

// The fields of an event that are worth a look beside the mark that it made.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracedeck/model/record.hpp"
#include "tracedeck/query/expression.hpp"
#include "tracedeck/query/field_reference.hpp"
#include "tracedeck/query/value.hpp"
#include "tracedeck/timeline/mark.hpp"

namespace tracedeck::timeline {

// As it is shown: of enumerations the first label, of named numbers the name, and in hexadecimal
// where its class asks for that.
[[nodiscard]] std::string argument_text(const query::Value& value);
// The same with the unit behind a number that has one: `12.5ms`, `4096 bytes`.
[[nodiscard]] std::string measured_text(const query::Value& value);

// Of the events of one class. Paths are resolved once.
class Arguments {
 public:
  Arguments() = default;
  // Marks refer to it.
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  using Visit = std::function<void(std::string_view name, const query::Value& value)>;
  // Calls `visit` for each field that the event has.
  void visit(const Event& event, const Visit& visit) const;

  [[nodiscard]] bool empty() const { return fields_.empty(); }
  void add(std::string name, query::Path path, const EventClass& event_class);
  // All members of the payload.
  void add_all(const EventClass& event_class);

 private:
  struct Field {
    std::string name = {};
    query::Path path = {};  // what `reference` refers to
    query::FieldReference reference = {};
    const StructureClass* all = nullptr;     // of all members of the payload, in place of a path
    std::vector<bool> is_address = {false};  // by its name; of all members: each
    std::vector<std::string_view> unit = {""};
  };

  void add(Field field, const EventClass& event_class);
  void visit_all(const Field& field, const Event& event, const Visit& visit) const;
  void visit_value(std::string_view name, query::Value value, const Field& field, std::size_t index,
                   const Visit& visit) const {
    if (field.is_address[index]) value.is_hexadecimal = true;
    value.unit = field.unit[index];
    if (value.known()) visit(name, value);
  }

  const ValueNames* names_ = nullptr;  // of the trace
  std::vector<Field> fields_;
};

// The same of a mark; nothing where it has none.
void visit_arguments(const Mark& mark, const Arguments::Visit& visit);

}  // namespace tracedeck::timeline

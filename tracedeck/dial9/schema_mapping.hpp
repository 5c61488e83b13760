// Event classes of the model as dial9 schemas: the inverse of `event_class`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tracedeck/dial9/schema.hpp"
#include "tracedeck/model/event_class.hpp"

namespace tracedeck::dial9 {

// The wire type that holds every value of a field class, if there is one. Without `since_0_4`
// pooled stacks become plain ones, and dynamic lists and maps have no type.
[[nodiscard]] std::optional<FieldDefinition> field_definition(const Member& member, bool since_0_4);

// A schema for an event class.
struct SchemaMapping {
  Schema schema = {};  // annotations only with `since_0_4`
  // For each member of the payload, 1 if it is a field of the schema, else 0.
  std::vector<std::uint8_t> kept = {};
  std::vector<std::size_t> plain_stacks = {};  // members of pooled stacks, written in place
};
[[nodiscard]] SchemaMapping map_schema(const EventClass& event_class, bool since_0_4);

}  // namespace tracedeck::dial9

// Schemas: what the events of one type look like (Schema Frame).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracedeck/dial9/wire.hpp"

namespace tracedeck::dial9 {

struct FieldDefinition {
  std::string name = {};  // at most kMaxNameLength bytes
  FieldType type = FieldType::kVarint;
  bool optional = false;

  friend bool operator==(const FieldDefinition&, const FieldDefinition&) = default;
};

// An annotation of a field (0.4): a key with a value that nobody here interprets.
struct Annotation {
  std::uint16_t field_index = 0;
  std::string key = {};    // at most 65,535 bytes
  std::string value = {};  // at most 2^32-1 bytes

  friend bool operator==(const Annotation&, const Annotation&) = default;
};

struct Schema {
  std::string name = {};  // at most kMaxNameLength bytes
  bool has_timestamp = true;
  std::vector<FieldDefinition> fields = {};  // at most kMaxFieldCount, without the timestamp
  std::vector<Annotation> annotations = {};

  friend bool operator==(const Schema&, const Schema&) = default;
};

}  // namespace tracedeck::dial9

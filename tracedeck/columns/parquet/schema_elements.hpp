// The columns of a table as Parquet's schema.
//
// https://github.com/apache/parquet-format: "LogicalTypes".
#pragma once

#include <cstddef>
#include <string>

#include "tracedeck/columns/column.hpp"

namespace tracedeck::parquet {

struct SchemaElements {
  std::string bytes = {};  // SchemaElements one behind the other
  std::size_t count = 0;
};

[[nodiscard]] SchemaElements schema_elements(const columns::Column& root);

// The names of groups between a list and its elements, and of these.
inline constexpr const char* kListGroup = "list";
inline constexpr const char* kListElement = "element";

// Digits of a DECIMAL, and the bytes that it takes.
inline constexpr int kDecimalDigits = 38;
inline constexpr int kDecimalBytes = 16;

}  // namespace tracedeck::parquet

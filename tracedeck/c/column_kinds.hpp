// What columns stand for where their Arrow type alone does not say it, for who makes values of
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/columns/column.hpp"
#include "tracedeck/model/event_class.hpp"

namespace tracedeck::capi {

enum class ColumnKind : std::uint8_t {
  kPlain,
  kJson,      // a text is JSON
  kDigits,    // a text is an integer in decimal
  kLabel,     // the label of the column before
  kLabelled,  // a group of a value and its label
  kEmpty,     // a group that stands for a structure without members
  kMap,       // a list of pairs
  kWrapped,   // a group of a value that may be null by itself
  kVariant,   // a group of a tag and options
  kContext,   // a group of the members of a context
};

// "" of kPlain.
[[nodiscard]] std::string_view kind_name(ColumnKind kind);

struct ColumnNote {
  ColumnKind kind = ColumnKind::kPlain;
  std::string field = {};  // the name that the field has; "" of columns that are no member's
  bool is_field = false;   // of the payload, at its top
};

// A note for each column of a class in the order of `columns::in_order`. `root`: what
// `columns::columns_of` made of the class.
[[nodiscard]] std::vector<ColumnNote> column_notes(const columns::Column& root,
                                                   const EventClass& event_class);

}  // namespace tracedeck::capi

// The columns of an event class, and the flat program that fills them from slots.
//
// docs/columns.md says which column a field becomes. Columns are made once for each class; the
// program has a step for each value, in the order of the slots, so that an event is one loop.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/columns/column.hpp"
#include "tracedeck/columns/table_options.hpp"
#include "tracedeck/model/event_class.hpp"

namespace tracedeck::columns {

// What a step does with the slot at hand. Unless it says otherwise it appends one instance to its
// column and goes on to the next slot and step.
enum class Op : std::uint8_t {
  kBoolean,
  kInteger32,  // of up to 32 bits
  kInteger64,
  kLabel,    // the first label of an integer, or null; stays at the slot
  kDecimal,  // an integer that 38 digits hold
  kDigits,   // an integer of any size as text
  kFloat,
  kDouble,
  kText,
  kBytes,
  kJson,       // any value, as JSON text
  kPresent,    // a structure without members
  kStructure,  // only steps into it
  kOptional,   // goes on behind `end` if there is no value, else steps into it
  kVariant,    // appends to its options' columns, and goes on at the chosen option's step
  kOption,     // nothing; the steps of the option follow, up to `end`
  kJump,       // goes on at `end`
  kArray,      // the steps up to `end` for each element
  kMap,        // the same for each pair
};

struct Step {
  Op op;
  bool checks = false;    // of kInteger64: the value may be larger
  bool nullable = false;  // of kArray: there may be no value, and one that is there is said to be
  std::uint32_t column = 0;  // its number in the order of `in_order`
  std::uint32_t end = 0;     // the step behind all that belong to this one
  std::uint32_t extra = 0;   // of kVariant: the first of its options in `options`; of kLabel: which
  const FieldClass* field_class = nullptr;
};

// Steps of a part of an event.
struct StepRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct Renamed {
  std::string path = {};  // of the field
  std::string column = {};
};

struct ClassColumns {
  Column root = {};
  std::vector<Step> steps = {};
  std::vector<std::uint32_t> options = {};  // first steps of options of variants
  std::uint32_t labels = 0;                 // how many kLabel steps there are
  StepRange packet = {};
  StepRange common = {};
  StepRange specific = {};
  StepRange payload = {};
  // Numbers among the children of `root`; 0: there is none.
  std::uint32_t duration = 0;
  std::uint32_t trace = 0;
  std::uint32_t stream = 0;
  std::uint32_t seq = 0;
  std::uint32_t clock = 0;  // how many follow the first, `append_clock`
  std::uint32_t first_tag = 0;
  std::uint32_t tags = 0;  // how many
  std::uint32_t packet_column = 0;
  bool wide = false;
  std::vector<Renamed> renamed = {};
  std::vector<std::string> as_json = {};  // fields that are too deep, or too many columns
  // What steps point to.
  std::vector<FieldClassPtr> kept = {};
};

// The first child of every root.
inline constexpr std::string_view kTimeColumn = "time_ns";

// `options`: tags, and which columns of times there are. `wide`: times are decimals, and integers
// of variable length texts, as an event has some that 64 bits do not hold.
[[nodiscard]] ClassColumns columns_of(const EventClass& event_class, const TableOptions& options,
                                      bool wide);

// The columns that every table of events begins with; to what they are in, `kept` and steps apart.
[[nodiscard]] ClassColumns common_columns(bool has_duration, const TableOptions& options,
                                          bool wide);

// A name that no other child of `parent` has, upper and lower case being one, as for SQL.
[[nodiscard]] std::string free_name(const Column& parent, std::string_view name);

}  // namespace tracedeck::columns

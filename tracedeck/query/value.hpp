// Values of expressions at run time, and what can be asked of them.
//
// A value is *unknown* where an event has no such field, an optional is absent, an index leads past
// the end, or an operation has no result. Operations on values of kinds that do not go together
// are unknown too.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/histogram.hpp"
#include "tracedeck/base/integer.hpp"
#include "tracedeck/model/field_class.hpp"
#include "tracedeck/model/symbols.hpp"
#include "tracedeck/model/tape.hpp"
#include "tracedeck/model/value_names.hpp"
#include "tracedeck/query/expression.hpp"

namespace tracedeck::query {

// Points into the event, or the expression, that it was made of.
struct Value {
  enum class Kind : std::uint8_t {
    kUnknown,
    kBoolean,
    kInteger,
    kWide,  // an integer of more than 128 bits, which can only be compared
    kReal,
    kText,
    kBlob,
    kCompound,  // an array, structure or map
    kBuckets,   // of a histogram
  };
  Kind kind = Kind::kUnknown;
  bool boolean = false;
  bool is_json = false;         // of a text: it was an array, structure or map
  bool is_estimate = false;     // of an integer: about so many
  bool is_hexadecimal = false;  // of an integer: its class is shown so, as addresses are
  bool has_name = false;        // of an integer that the trace has a name for: `text`
  Integer integer = {};
  double real = 0;
  std::string_view unit = {};  // of an argument of a mark: what its field counts
  std::string_view text = {};  // also the bytes of a blob; of kWide: the magnitude, little-endian
  const IntegerClass* labels = nullptr;                     // of an integer that is an enumeration
  const std::vector<Histogram::Bucket>* buckets = nullptr;  // of kBuckets
  // Of one that was put aside: its labels. Of a text: what it is equal to beside itself.
  const std::vector<std::string>* names = nullptr;
  // Of a text that names a function: those that it was inlined into, for which it stands too.
  std::span<const Function> functions = {};
  const Slot* slot = nullptr;               // of kCompound
  const FieldClass* field_class = nullptr;  // of kCompound; may be null

  [[nodiscard]] bool known() const { return kind != Kind::kUnknown; }
  // Whether it is compared as text: a text or a blob.
  [[nodiscard]] bool is_text() const { return kind == Kind::kText || kind == Kind::kBlob; }

  [[nodiscard]] static Value of(bool value) { return {.kind = Kind::kBoolean, .boolean = value}; }
  [[nodiscard]] static Value of(const Integer& value) {
    return {.kind = Kind::kInteger, .integer = value};
  }
  [[nodiscard]] static Value of(std::uint64_t value) { return of(Integer::from(value)); }
  [[nodiscard]] static Value of(double value) { return {.kind = Kind::kReal, .real = value}; }
  [[nodiscard]] static Value of(std::string_view value) {
    return {.kind = Kind::kText, .text = value};
  }
  // A text that each of `names` stands for too, if there are any.
  [[nodiscard]] static Value of(std::string_view value, const std::vector<std::string>& names) {
    return {.kind = Kind::kText, .text = value, .names = names.empty() ? nullptr : &names};
  }
  [[nodiscard]] static Value of(const char*) = delete;
  [[nodiscard]] static Value of(const std::optional<Integer>& value) {
    return value ? of(*value) : Value{};
  }
  [[nodiscard]] static Value of(const std::optional<bool>& value) {
    return value ? of(*value) : Value{};
  }
};

// The value of a slot, whose class may be null. Optionals and variants are what they hold.
// `names`: what slots with kSlotNamed refer to, or null.
[[nodiscard]] Value value_of(const Slot* slot, const FieldClass* field_class,
                             const ValueNames* names);

// Calls `visit` for each text that stands for the value (its own; the labels of an enumeration, the
// flags of a bit map; the name that the trace gives to a number) until one call returns true.
// Returns whether one did; nullopt for a value that no text can stand for.
[[nodiscard]] std::optional<bool> any_text(const Value& value,
                                           const std::function<bool(std::string_view)>& visit);

// How two values compare; nullopt when they do not (unknown, or of kinds that have no order between
// them). An enumeration beside a text is compared by `equals` alone.
[[nodiscard]] std::optional<std::partial_ordering> compare(const Value& a, const Value& b);
[[nodiscard]] std::optional<bool> equals(const Value& a, const Value& b);

// The operators and functions that take one or two known values.
[[nodiscard]] Value apply(Operator operation, const Value& a);
[[nodiscard]] Value apply(Operator operation, const Value& a, const Value& b);

}  // namespace tracedeck::query

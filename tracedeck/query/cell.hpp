// Values that stand on their own: of rows, of what is grouped by, of events that wait for another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/histogram.hpp"
#include "tracedeck/query/value.hpp"

namespace tracedeck::query {

struct Cell {
  enum class Kind : std::uint8_t {
    kUnknown,
    kBoolean,
    kInteger,
    kReal,
    kText,
    kBlob,
    kJson,     // an array, structure or map, or an integer of more than 128 bits: `text` is JSON
    kBuckets,  // of a histogram
  };
  Kind kind = Kind::kUnknown;
  bool boolean = false;
  bool is_estimate = false;  // of an integer: about so many
  Integer integer = {};
  double real = 0;
  std::string text = {};
  // Of an integer: its labels, or the name that the trace gives it. Of a text: what it is equal to
  // beside itself.
  std::vector<std::string> labels = {};
  std::vector<Histogram::Bucket> buckets = {};

  [[nodiscard]] static Cell of(const Integer& value) {
    return {.kind = Kind::kInteger, .integer = value};
  }
  [[nodiscard]] static Cell of(std::uint64_t value) { return of(Integer::from(value)); }
  [[nodiscard]] static Cell of(double value) { return {.kind = Kind::kReal, .real = value}; }

  // A copy of a value.
  [[nodiscard]] static Cell of(const Value& value);
  // The value, which points into the cell. Of labels it has the first.
  [[nodiscard]] Value value() const;
};

// Appends a value as bytes, with its labels.
void encode(std::string& into, const Value& value);
// The same without labels: as bytes that are equal for equal values of one kind, as what is grouped
// by, labels aside.
void encode_plain(std::string& into, const Value& value);
// As bytes that are equal for values of which `==` is true, whatever kinds they are of. False where
// the value is equal to nothing: unknown, NaN, a histogram.
[[nodiscard]] bool encode_equal(std::string& into, const Value& value);
// Whether a value may have labels.
[[nodiscard]] inline bool may_have_labels(const Value& value) {
  return value.labels != nullptr || value.has_name || value.names != nullptr;
}
// Whether it is an integer that has one.
[[nodiscard]] bool has_any_label(const Value& value);
void encode(std::string& into, const Cell& cell);
// Takes a cell off `bytes`; nothing where none is.
[[nodiscard]] std::optional<Cell> decode_cell(std::span<const std::uint8_t>& bytes);
// All that `encode` appended, of our own.
[[nodiscard]] std::vector<Cell> decode_cells(std::span<const std::uint8_t> bytes);

// In the order of a sort: unknown ones first, then booleans and numbers by value, then texts, then
// the rest by their bytes.
[[nodiscard]] std::weak_ordering order_of(const Cell& a, const Cell& b);
// The same of what `encode` appended, which is taken off both.
[[nodiscard]] std::weak_ordering order_of(std::span<const std::uint8_t>& a,
                                          std::span<const std::uint8_t>& b);
// Of so many values that each begins with, one after the other; what is equal so far goes by all of
// its bytes, so that only equal bytes are equivalent.
[[nodiscard]] std::weak_ordering order_of_first(std::size_t values, std::span<const std::uint8_t> a,
                                                std::span<const std::uint8_t> b);
// A number that does not fall from a value to one behind it in that order: what differs in it needs
// no further look. `bytes`: what `encode` appended.
[[nodiscard]] std::uint64_t rank_of(std::span<const std::uint8_t> bytes);

}  // namespace tracedeck::query

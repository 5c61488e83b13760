// Columns of a table: a tree of named columns, and the values of some rows in plain vectors.
//
// A column has one instance for each row, in a list one for each element, in a group one for each
// instance of the group. Storage is dense: an instance that is null, and whatever is in it, takes a
// byte of `valid` and nothing else. Writers of files turn this into levels (Parquet) or offsets and
// bitmaps (Arrow).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/integer.hpp"
#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/columns/values.hpp"

namespace tracedeck::columns {

// What the instances of a column are.
enum class ColumnType : std::uint8_t {
  kGroup,  // one instance of each child
  kList,   // any number of instances of the only child
  kBoolean,
  kInteger,  // of 8, 16, 32 or 64 bits
  kDecimal,  // an integer of at most 38 digits
  kFloat,    // binary32
  kDouble,   // binary64
  kText,     // UTF-8
  kBytes,
  kWord,  // text, one of a few that are known before: names, labels
};

// Texts by number. One thread at a time.
class Words {
 public:
  // The number of a text, which is added if it is new.
  [[nodiscard]] std::uint32_t number(std::string_view text);
  // Adds a text under the next number, even one that is there already.
  void add(std::string_view text);
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return texts_[number]; }

 private:
  std::deque<std::string> texts_;
  TextViewMap<std::uint32_t> numbers_;
};

struct Column {
  std::string name = {};
  ColumnType type = ColumnType::kGroup;
  bool nullable = false;
  bool is_signed = false;     // of integers
  std::uint8_t width = 0;     // bits of an integer
  bool is_timestamp = false;  // of integers: microseconds since the Unix epoch
  std::vector<Column> children = {};
  std::shared_ptr<Words> words = nullptr;  // of kWord

  // Of each instance, if `nullable`: 1 or 0. What follows has an entry for each that is 1.
  Values<std::uint8_t> valid = {};
  Values<std::uint8_t> bytes = {};     // booleans
  Values<std::uint32_t> words32 = {};  // integers of up to 32 bits, bits of binary32, numbers
                                       // of words; lengths of texts and lists
  Values<std::uint64_t> words64 = {};  // integers of 64 bits, bits of binary64
  Values<Int128> decimals = {};
  std::string characters = {};  // texts and bytes, one behind the other

  [[nodiscard]] bool is_leaf() const {
    return type != ColumnType::kGroup && type != ColumnType::kList;
  }
  // How many instances there are.
  [[nodiscard]] std::size_t instances() const;
};

// One more instance: null where that is possible, else zero.
void append_nothing(Column& column);
// The values of an instance that is not null: zero, false or empty, and in a group nothing for each
// child. That it is not null is the caller's to say.
void append_zero(Column& column);

// Adds the last instance, of which there is one, `count` times more. Lists are not repeated: there
// must be none in it.
void repeat_last(Column& column, std::size_t count);

// Removes the last instance, of which there is one.
void remove_last(Column& column);

// Removes all values and gives their memory back.
void clear(Column& column);

// All columns of a tree, each before its children.
[[nodiscard]] std::vector<Column*> in_order(Column& root);

// The names and types of the columns in a text that two trees share only if they are alike.
[[nodiscard]] std::string signature(const Column& root);

}  // namespace tracedeck::columns

// Encoding of FlatBuffers: tables whose fields are found by their numbers.
//
// https://flatbuffers.dev/internals/. A tree of tables is built, then encoded in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tracedeck::arrow {

struct FlatField;

// A table under construction. Each field is set at most once; one that is not set has its default.
class FlatTable {
 public:
  void boolean(unsigned field, bool value) { scalar(field, 1, value ? 1 : 0); }
  void u8(unsigned field, std::uint8_t value) { scalar(field, 1, value); }
  void i16(unsigned field, std::int16_t value) {
    scalar(field, 2, static_cast<std::uint16_t>(value));
  }
  void i32(unsigned field, std::int32_t value) {
    scalar(field, 4, static_cast<std::uint32_t>(value));
  }
  void i64(unsigned field, std::int64_t value) {
    scalar(field, 8, static_cast<std::uint64_t>(value));
  }
  void text(unsigned field, std::string_view text);
  void table(unsigned field, FlatTable table);
  void tables(unsigned field, std::vector<FlatTable> tables);
  // A vector of structures of `each` 64-bit numbers. `words`: of all of them, one behind the other.
  void structures(unsigned field, std::size_t each, std::vector<std::uint64_t> words);

  // The bytes of a buffer with this table as its root.
  [[nodiscard]] std::string encode() const;

 private:
  friend class FlatEncoder;
  void scalar(unsigned field, std::uint8_t size, std::uint64_t value);

  std::vector<FlatField> fields_;
};

// What is set of a table.
struct FlatField {
  enum class Kind : std::uint8_t { kScalar, kText, kTable, kTables, kStructures };

  unsigned number = 0;
  Kind kind = Kind::kScalar;
  std::uint8_t size = 4;    // bytes in the table
  std::uint64_t value = 0;  // of a scalar; of structures, how many words each has
  std::string characters = {};
  std::vector<FlatTable> tables = {};
  std::vector<std::uint64_t> words = {};
};

}  // namespace tracedeck::arrow

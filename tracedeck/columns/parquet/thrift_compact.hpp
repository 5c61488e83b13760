// Writing Thrift's compact protocol, in which Parquet describes its files and pages.
//
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/varint_bytes.hpp"

namespace tracedeck::parquet {

// Types of fields and elements on the wire.
enum class ThriftType : std::uint8_t {
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI32 = 5,
  kI64 = 6,
  kBinary = 8,
  kList = 9,
  kStruct = 12,
};

// Appends one structure to a text. Fields come with ascending ids; structures and lists nest.
class ThriftWriter {
 public:
  explicit ThriftWriter(std::string& out) : out_(out) {}

  void boolean(int id, bool value) { field(id, value ? ThriftType::kTrue : ThriftType::kFalse); }
  void byte(int id, std::int8_t value) {
    field(id, ThriftType::kByte);
    out_ += static_cast<char>(value);
  }
  void i32(int id, std::int32_t value) {
    field(id, ThriftType::kI32);
    append_signed(value);
  }
  void i64(int id, std::int64_t value) {
    field(id, ThriftType::kI64);
    append_signed(value);
  }
  void binary(int id, std::string_view value) {
    field(id, ThriftType::kBinary);
    append_binary(value);
  }
  // A structure that was written before, by another writer, with its end.
  void structure(int id, std::string_view written) {
    field(id, ThriftType::kStruct);
    out_ += written;
  }

  void begin_structure(int id) {
    field(id, ThriftType::kStruct);
    begin_element();
  }
  // The elements follow.
  void begin_list(int id, ThriftType element, std::size_t size);

  // Elements of lists. A structure is begun and ended, or was written before.
  void begin_element() {
    outer_.push_back(last_);
    last_ = 0;
  }
  void element(std::string_view written) { out_ += written; }
  void binary_element(std::string_view value) { append_binary(value); }
  void integer_element(std::int64_t value) { append_signed(value); }
  void boolean_element(bool value) {
    out_ += static_cast<char>(value ? ThriftType::kTrue : ThriftType::kFalse);
  }

  // Ends the innermost structure.
  void end() {
    out_ += '\0';
    if (outer_.empty()) return;
    last_ = outer_.back();
    outer_.pop_back();
  }

 private:
  void field(int id, ThriftType type);
  void append_signed(std::int64_t value) {
    put_varint(out_,
               (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void append_binary(std::string_view value) {
    put_varint(out_, value.size());
    out_ += value;
  }

  std::string& out_;
  int last_ = 0;
  std::vector<int> outer_;
};

}  // namespace tracedeck::parquet

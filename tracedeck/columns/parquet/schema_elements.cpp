#include "tracedeck/columns/parquet/schema_elements.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "tracedeck/columns/parquet/column_chunk.hpp"
#include "tracedeck/columns/parquet/thrift_compact.hpp"

namespace tracedeck::parquet {
namespace {

using columns::Column;
using columns::ColumnType;

// Field ids of `LogicalType` in parquet.thrift.
constexpr int kLogicalString = 1;
constexpr int kLogicalList = 3;
constexpr int kLogicalDecimal = 5;
constexpr int kLogicalTimestamp = 8;
constexpr int kLogicalInteger = 10;

// `ConvertedType` of parquet.thrift: what older readers know of the same.
constexpr std::int32_t kConvertedUtf8 = 0;
constexpr std::int32_t kConvertedList = 3;
constexpr std::int32_t kConvertedDecimal = 5;
constexpr std::int32_t kConvertedTimestampMicros = 10;
constexpr std::int32_t kConvertedUint8 = 11;
constexpr std::int32_t kConvertedInt8 = 15;

enum class Repetition : std::uint8_t { kRequired = 0, kOptional = 1, kRepeated = 2 };

// UINT_8, UINT_16, UINT_32, UINT_64 follow one another, and so do those with a sign.
std::int32_t converted_integer(const Column& column) {
  if (column.is_timestamp) return kConvertedTimestampMicros;
  const std::int32_t first = column.is_signed ? kConvertedInt8 : kConvertedUint8;
  return first + (column.width == 8 ? 0 : column.width == 16 ? 1 : column.width == 32 ? 2 : 3);
}

std::optional<std::int32_t> converted_type(const Column& column) {
  switch (column.type) {
    case ColumnType::kText:
    case ColumnType::kWord:
      return kConvertedUtf8;
    case ColumnType::kList:
      return kConvertedList;
    case ColumnType::kDecimal:
      return kConvertedDecimal;
    case ColumnType::kInteger:
      return converted_integer(column);
    default:
      return {};
  }
}

// UTC, in microseconds.
void add_timestamp_type(ThriftWriter& thrift) {
  constexpr int kMicros = 2;  // field id of `TimeUnit`
  thrift.begin_structure(kLogicalTimestamp);
  thrift.boolean(1, true);
  thrift.begin_structure(2);
  thrift.begin_structure(kMicros);
  thrift.end();
  thrift.end();
  thrift.end();
}

void add_logical_type(ThriftWriter& thrift, const Column& column) {
  const auto simple = [&](int id) {
    thrift.begin_structure(id);
    thrift.end();
  };
  switch (column.type) {
    case ColumnType::kText:
    case ColumnType::kWord:
      return simple(kLogicalString);
    case ColumnType::kList:
      return simple(kLogicalList);
    case ColumnType::kDecimal:
      thrift.begin_structure(kLogicalDecimal);
      thrift.i32(1, 0);
      thrift.i32(2, kDecimalDigits);
      return thrift.end();
    case ColumnType::kInteger:
      if (column.is_timestamp) return add_timestamp_type(thrift);
      thrift.begin_structure(kLogicalInteger);
      thrift.byte(1, static_cast<std::int8_t>(column.width));
      thrift.boolean(2, column.is_signed);
      return thrift.end();
    default:
      return;
  }
}

class SchemaWriter {
 public:
  SchemaElements write(const Column& root) && {
    add_group("schema", {}, root.children.size());
    for (const Column& child : root.children) add(child, child.name);
    return std::move(all_);
  }

 private:
  void add_group(std::string_view name, std::optional<Repetition> repetition,
                 std::size_t children) {
    ++all_.count;
    ThriftWriter thrift(all_.bytes);
    if (repetition) thrift.i32(3, std::to_underlying(*repetition));
    thrift.binary(4, name);
    thrift.i32(5, static_cast<std::int32_t>(children));
    thrift.end();
  }

  void add(const Column& column, std::string_view name) {
    ++all_.count;
    ThriftWriter thrift(all_.bytes);
    if (column.is_leaf()) {
      thrift.i32(1, std::to_underlying(physical_type(column)));
      if (column.type == ColumnType::kDecimal) thrift.i32(2, kDecimalBytes);
    }
    thrift.i32(3,
               std::to_underlying(column.nullable ? Repetition::kOptional : Repetition::kRequired));
    thrift.binary(4, name);
    if (!column.is_leaf()) thrift.i32(5, static_cast<std::int32_t>(column.children.size()));
    if (const auto converted = converted_type(column)) {
      thrift.i32(6, *converted);
      if (column.type == ColumnType::kDecimal) {
        thrift.i32(7, 0);
        thrift.i32(8, kDecimalDigits);
      }
      thrift.begin_structure(10);
      add_logical_type(thrift, column);
      thrift.end();
    }
    thrift.end();
    if (column.type == ColumnType::kList) {
      add_group(kListGroup, Repetition::kRepeated, 1);
      add(column.children.front(), kListElement);
      return;
    }
    for (const Column& child : column.children) add(child, child.name);
  }

  SchemaElements all_;
};

}  // namespace

SchemaElements schema_elements(const Column& root) { return SchemaWriter().write(root); }

}  // namespace tracedeck::parquet

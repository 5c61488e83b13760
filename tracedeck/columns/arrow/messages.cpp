#include "tracedeck/columns/arrow/messages.hpp"

#include <utility>

namespace tracedeck::arrow {
namespace {

using columns::Column;
using columns::ColumnType;

constexpr std::int16_t kVersion = 4;  // `MetadataVersion` V5

// `Type` of Schema.fbs.
enum class Type : std::uint8_t {
  kInteger = 2,
  kReal = 3,
  kBinary = 4,
  kText = 5,
  kBoolean = 6,
  kDecimal = 7,
  kTimestamp = 10,
  kList = 12,
  kStructure = 13,
};
// `MessageHeader` of Message.fbs.
enum class Header : std::uint8_t { kSchema = 1, kDictionary = 2, kBatch = 3 };

constexpr std::int16_t kMicrosecond = 2;  // `TimeUnit` of Schema.fbs

FlatTable integer_type(std::uint8_t bits, bool is_signed) {
  FlatTable type;
  type.i32(0, bits);
  type.boolean(1, is_signed);
  return type;
}

std::pair<Type, FlatTable> type_of(const Column& column) {
  FlatTable type;
  switch (column.type) {
    case ColumnType::kBoolean:
      return {Type::kBoolean, type};
    case ColumnType::kInteger:
      if (column.is_timestamp) {
        type.i16(0, kMicrosecond);
        type.text(1, "UTC");
        return {Type::kTimestamp, type};
      }
      return {Type::kInteger, integer_type(column.width, column.is_signed)};
    case ColumnType::kDecimal:
      type.i32(0, 38);  // digits, none of them behind the point, in so many bits
      type.i32(1, 0);
      type.i32(2, 128);
      return {Type::kDecimal, type};
    case ColumnType::kFloat:
    case ColumnType::kDouble:
      type.i16(0, column.type == ColumnType::kFloat ? 1 : 2);
      return {Type::kReal, type};
    case ColumnType::kText:
    case ColumnType::kWord:
      return {Type::kText, type};
    case ColumnType::kBytes:
      return {Type::kBinary, type};
    case ColumnType::kList:
      return {Type::kList, type};
    case ColumnType::kGroup:
      break;
  }
  return {Type::kStructure, type};
}

// `dictionaries`: how many there are before.
FlatTable field_table(const Column& column, std::int64_t& dictionaries) {
  auto [kind, type] = type_of(column);
  FlatTable field;
  field.text(0, column.name);
  field.boolean(1, column.nullable);
  field.u8(2, std::to_underlying(kind));
  field.table(3, std::move(type));
  if (column.type == ColumnType::kWord) {
    FlatTable dictionary;
    dictionary.i64(0, dictionaries++);
    dictionary.table(1, integer_type(32, true));
    field.table(4, std::move(dictionary));
  }
  std::vector<FlatTable> children;
  for (const Column& child : column.children) children.push_back(field_table(child, dictionaries));
  field.tables(5, std::move(children));
  return field;
}

std::string message(Header kind, FlatTable header, std::size_t body) {
  FlatTable message;
  message.i16(0, kVersion);
  message.u8(1, std::to_underlying(kind));
  message.table(2, std::move(header));
  message.i64(3, static_cast<std::int64_t>(body));
  return message.encode();
}

FlatTable batch_table(Arrays& arrays) {
  FlatTable batch;
  batch.i64(0, static_cast<std::int64_t>(arrays.rows));
  batch.structures(1, 2, std::move(arrays.nodes));
  batch.structures(2, 2, std::move(arrays.buffers));
  return batch;
}

void add_blocks(FlatTable& footer, unsigned field, std::span<const Block> blocks) {
  std::vector<std::uint64_t> words;
  for (const Block& block : blocks)
    words.insert(words.end(), {block.offset, block.head, block.body});
  footer.structures(field, 3, std::move(words));
}

}  // namespace

FlatTable schema_table(const Column& root, const columns::KeyValues& key_values) {
  FlatTable schema;
  std::vector<FlatTable> fields;
  std::int64_t dictionaries = 0;
  for (const Column& column : root.children) fields.push_back(field_table(column, dictionaries));
  schema.tables(1, std::move(fields));
  std::vector<FlatTable> pairs;
  for (const auto& [key, value] : key_values) {
    FlatTable pair;
    pair.text(0, key);
    pair.text(1, value);
    pairs.push_back(std::move(pair));
  }
  schema.tables(2, std::move(pairs));
  return schema;
}

std::string schema_message(FlatTable schema) {
  return message(Header::kSchema, std::move(schema), 0);
}

std::string batch_message(Arrays& arrays) {
  return message(Header::kBatch, batch_table(arrays), arrays.body.size());
}

std::string dictionary_message(std::int64_t number, Arrays& arrays) {
  FlatTable dictionary;
  dictionary.i64(0, number);
  dictionary.table(1, batch_table(arrays));
  return message(Header::kDictionary, std::move(dictionary), arrays.body.size());
}

std::string footer(FlatTable schema, std::span<const Block> dictionaries,
                   std::span<const Block> batches) {
  FlatTable footer;
  footer.i16(0, kVersion);
  footer.table(1, std::move(schema));
  add_blocks(footer, 2, dictionaries);
  add_blocks(footer, 3, batches);
  return footer.encode();
}

}  // namespace tracedeck::arrow

#include "tracedeck/columns/clickhouse/native_format.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/columns/decimal_text.hpp"
#include "tracedeck/columns/flat_columns.hpp"
#include "tracedeck/columns/partition_name.hpp"
#include "tracedeck/columns/places.hpp"

namespace tracedeck::clickhouse {
namespace {

using columns::Column;
using columns::ColumnType;
using columns::FlatColumn;
using columns::Places;
using columns::Table;

// Of sorting keys, which must not be nullable.
constexpr std::array<std::string_view, 2> kKeys = {columns::kTimeColumn, "stream"};

std::string scalar_type(const Column& column) {
  switch (column.type) {
    case ColumnType::kBoolean:
      return "UInt8";
    case ColumnType::kInteger:
      return fmt::format("{}{}", column.is_signed ? "Int" : "UInt", column.width);
    case ColumnType::kFloat:
      return "Float32";
    case ColumnType::kDouble:
      return "Float64";
    default:
      return "String";
  }
}

std::string type_of(const FlatColumn& column) {
  std::string type = column.presence ? "UInt8" : scalar_type(*column.path.back());
  if (column.nullable) type = fmt::format("Nullable({})", type);
  for (const Column* const each : column.path) {
    const bool is_said = column.presence && each == column.path.back();
    if (each->type == ColumnType::kList && !is_said) type = fmt::format("Array({})", type);
  }
  return type;
}

std::string backquoted(std::string_view name) {
  std::string text = "`";
  for (const char each : name) {
    if (each == '`' || each == '\\') text += '\\';
    text += each;
  }
  return text + "`";
}

template <class Number>
void put_le(std::string& out, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

// An entry for each place: `put(instance)`, or what stands for null.
template <class Put>
void put_values(std::string& out, const Places& places, std::string_view null, Put&& put) {
  std::size_t instance = 0;
  for (std::size_t i = 0; i < places.count; ++i) {
    if (places.has(i)) {
      put(instance++);
    } else {
      out += null;
    }
  }
}

void put_texts(std::string& out, const Column& leaf, const Places& places) {
  std::string_view rest = leaf.characters;
  put_values(out, places, std::string_view("\0", 1), [&](std::size_t i) {
    put_text(out, rest.substr(0, leaf.words32[i]));
    rest.remove_prefix(leaf.words32[i]);
  });
}

void put_leaf(std::string& out, const Column& leaf, const Places& places) {
  static constexpr std::array<char, 8> kZeros{};
  const auto zeros = [](std::size_t bytes) { return std::string_view(kZeros.data(), bytes); };
  switch (leaf.type) {
    case ColumnType::kBoolean:
      return put_values(out, places, zeros(1), [&](std::size_t i) { put_le(out, leaf.bytes[i]); });
    case ColumnType::kInteger:
      if (leaf.width == 64) break;
      return put_values(out, places, zeros(leaf.width / 8), [&](std::size_t i) {
        const std::uint32_t value = leaf.words32[i];
        for (unsigned shift = 0; shift < leaf.width; shift += 8)
          out += static_cast<char>(value >> shift & 0xFF);
      });
    case ColumnType::kFloat:
      return put_values(out, places, zeros(4),
                        [&](std::size_t i) { put_le(out, leaf.words32[i]); });
    case ColumnType::kDecimal:
      return put_values(out, places, zeros(1), [&](std::size_t i) {
        put_text(out, columns::decimal_text(leaf.decimals[i]));
      });
    case ColumnType::kWord:
      return put_values(out, places, zeros(1),
                        [&](std::size_t i) { put_text(out, (*leaf.words)[leaf.words32[i]]); });
    case ColumnType::kText:
    case ColumnType::kBytes:
      return put_texts(out, leaf, places);
    default:
      break;
  }
  put_values(out, places, zeros(8), [&](std::size_t i) { put_le(out, leaf.words64[i]); });
}

void put_column(std::string& out, const FlatColumn& column, std::size_t rows) {
  Places places{.count = rows};
  for (const Column* const each : column.path) {
    places = columns::value_places(*each, std::move(places));
    if (each->type != ColumnType::kList || (column.presence && each == column.path.back()))
      continue;
    const std::vector<std::uint64_t> ends = columns::list_ends(*each, places);
    for (const std::uint64_t end : ends) put_le(out, end);
    places = {.count = ends.empty() ? 0 : static_cast<std::size_t>(ends.back())};
  }
  if (column.presence) {
    for (std::size_t i = 0; i < places.count; ++i) out += places.has(i) ? '\1' : '\0';
    return;
  }
  if (column.nullable) {
    for (std::size_t i = 0; i < places.count; ++i) out += places.has(i) ? '\0' : '\1';
  }
  put_leaf(out, *column.path.back(), places);
}

class NativeFile final : public columns::TableFile {
 public:
  explicit NativeFile(io::Output& output) : output_(output) {}

  Result<void> write(const Table& table) override {
    if (table.rows == 0) return {};
    const std::vector<FlatColumn> columns = columns::flat_columns(table.root, kKeys);
    std::string block;
    put_varint(block, columns.size());
    put_varint(block, table.rows);
    for (const FlatColumn& column : columns) {
      put_text(block, column.name);
      put_text(block, type_of(column));
      put_column(block, column, table.rows);
      if (auto written = output_.write(block); !written) return written;
      size_ += block.size();
      block.clear();
    }
    return {};
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }

 private:
  io::Output& output_;
  std::uint64_t size_ = 0;
};

class NativeFormat final : public columns::TableFormat {
 public:
  [[nodiscard]] std::string path(const Table& table, std::size_t) const override {
    return columns::partition_value(table.name) + ".native";
  }
  [[nodiscard]] std::unique_ptr<columns::TableFile> begin(io::Output& output,
                                                          const Table&) override {
    return std::make_unique<NativeFile>(output);
  }
  [[nodiscard]] std::optional<Beside> beside(const Table& table) const override {
    const std::string name = columns::partition_value(table.name);
    return Beside{.path = name + ".sql", .text = create_statement(name, table.root)};
  }
};

}  // namespace

std::unique_ptr<columns::TableFormat> native_format() { return std::make_unique<NativeFormat>(); }

columns::TableOptions with_segment(columns::TableOptions options) {
  options.tags.insert(options.tags.begin(), {"segment", options.segment});
  return options;
}

std::string create_statement(std::string_view name, const Column& root) {
  std::string text = fmt::format("CREATE TABLE IF NOT EXISTS {}\n(", backquoted(name));
  const char* separator = "\n";
  for (const FlatColumn& column : columns::flat_columns(root, kKeys)) {
    text += fmt::format("{}    {} {}", separator, backquoted(column.name), type_of(column));
    separator = ",\n";
  }
  text += "\n)\nENGINE = ReplacingMergeTree\n";
  text += root.children.front().name == columns::kTimeColumn
              ? "PRIMARY KEY (trace, time_ns)\nORDER BY (trace, time_ns, segment, stream, seq);\n"
              : "ORDER BY (trace, segment, row);\n";
  return text;
}

}  // namespace tracedeck::clickhouse

#include "tracedeck/columns/clickhouse/native_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/columns/class_columns.hpp"
#include "tracedeck/columns/decimal_text.hpp"
#include "tracedeck/columns/flat_columns.hpp"
#include "tracedeck/columns/little_endian.hpp"
#include "tracedeck/columns/partition_name.hpp"
#include "tracedeck/columns/places.hpp"

namespace tracedeck::clickhouse {
namespace {

using columns::append_le;
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
      if (column.is_timestamp) return "DateTime64(6, 'UTC')";
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

// Numbers of `width` bytes, of which `values` has more significant ones that are not stored.
template <class Stored>
void put_numbers(std::string& out, std::span<const Stored> values, const Places& places,
                 std::size_t width) {
  if (places.there.empty() && width == sizeof(Stored)) return append_le(out, values);
  const std::size_t begin = out.size();
  out.resize(begin + places.count * width);
  auto* at = reinterpret_cast<std::uint8_t*>(out.data()) + begin;
  std::size_t instance = 0;
  for (std::size_t i = 0; i < places.count; ++i, at += width) {
    if (!places.has(i)) continue;
    std::array<std::uint8_t, sizeof(Stored)> bytes{};
    store_le(bytes.data(), values[instance++]);
    std::copy_n(bytes.begin(), width, at);
  }
}

// `text`, `count` times.
void put_repeated(std::string& out, std::string_view text, std::size_t count) {
  const std::size_t begin = out.size();
  const std::size_t size = text.size() * count;
  out.reserve(begin + size);
  out += text;
  for (std::size_t done = text.size(); done < size; done = out.size() - begin)
    out.append(out, begin, std::min(done, size - done));
}

// How many words from `instance` on, which stands at `place`, are equal and follow one another.
std::size_t run_of_words(const Column& leaf, const Places& places, std::size_t place,
                         std::size_t instance) {
  const std::span words(leaf.words32);
  if (places.there.empty() && words.size() > 1 && instance == 0 &&
      std::memcmp(&words[0], &words[1], words.size_bytes() - 4) == 0)
    return words.size();
  std::size_t run = 1;
  while (place + run < places.count && places.has(place + run) &&
         words[instance + run] == words[instance])
    ++run;
  return run;
}

// Most words are the one before.
void put_words(std::string& out, const Column& leaf, const Places& places) {
  std::string text;
  std::size_t instance = 0;
  for (std::size_t place = 0; place < places.count;) {
    if (!places.has(place)) {
      out += '\0';
      ++place;
      continue;
    }
    const std::uint32_t word = leaf.words32[instance];
    const std::size_t run = run_of_words(leaf, places, place, instance);
    text.clear();
    put_text(text, (*leaf.words)[word]);
    put_repeated(out, text, run);
    place += run;
    instance += run;
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
  switch (leaf.type) {
    case ColumnType::kBoolean:
      return put_numbers(out, std::span(leaf.bytes), places, 1);
    case ColumnType::kInteger:
      if (leaf.width == 64) break;
      return put_numbers(out, std::span(leaf.words32), places, leaf.width / 8U);
    case ColumnType::kFloat:
      return put_numbers(out, std::span(leaf.words32), places, 4);
    case ColumnType::kDecimal:
      return put_values(out, places, std::string_view("\0", 1), [&](std::size_t i) {
        put_text(out, columns::decimal_text(leaf.decimals[i]));
      });
    case ColumnType::kWord:
      return put_words(out, leaf, places);
    case ColumnType::kText:
    case ColumnType::kBytes:
      return put_texts(out, leaf, places);
    default:
      break;
  }
  put_numbers(out, std::span(leaf.words64), places, 8);
}

void put_flags(std::string& out, const Places& places, char there, char absent) {
  if (places.there.empty()) {
    out.append(places.count, there);
    return;
  }
  for (std::size_t i = 0; i < places.count; ++i) out += places.has(i) ? there : absent;
}

// The bytes of a column as they are to be written, where it has them.
std::optional<ByteSpan> stored_bytes(const Column& leaf, const Places& places) {
  if (std::endian::native != std::endian::little || !places.there.empty()) return {};
  const auto bytes = []<class T>(const columns::Values<T>& values) {
    return ByteSpan(reinterpret_cast<const std::uint8_t*>(values.data()),
                    values.size() * sizeof(T));
  };
  switch (leaf.type) {
    case ColumnType::kBoolean:
      return bytes(leaf.bytes);
    case ColumnType::kInteger:
      if (leaf.width < 32) return {};
      return leaf.width == 64 ? bytes(leaf.words64) : bytes(leaf.words32);
    case ColumnType::kFloat:
      return bytes(leaf.words32);
    case ColumnType::kDouble:
      return bytes(leaf.words64);
    default:
      return {};
  }
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
      if (auto written = write_column(block, column, table.rows); !written) return written;
    }
    return {};
  }
  [[nodiscard]] std::uint64_t size() const override { return size_; }

 private:
  // `block`: what comes before; it is empty afterwards.
  Result<void> write_column(std::string& block, const FlatColumn& column, std::size_t rows) {
    Places places{.count = rows};
    for (const Column* const each : column.path) {
      places = columns::value_places(*each, std::move(places));
      if (each->type != ColumnType::kList || (column.presence && each == column.path.back()))
        continue;
      const std::vector<std::uint64_t> ends = columns::list_ends(*each, places);
      append_le(block, std::span<const std::uint64_t>(ends));
      places = {.count = ends.empty() ? 0 : static_cast<std::size_t>(ends.back())};
    }
    if (column.presence) {
      put_flags(block, places, '\1', '\0');
      return write(block);
    }
    if (column.nullable) put_flags(block, places, '\0', '\1');
    const Column& leaf = *column.path.back();
    const std::optional<ByteSpan> stored = stored_bytes(leaf, places);
    if (!stored) put_leaf(block, leaf, places);
    if (auto written = write(block); !written || !stored) return written;
    size_ += stored->size();
    return output_.write(*stored);
  }

  Result<void> write(std::string& block) {
    auto written = output_.write(block);
    size_ += block.size();
    block.clear();
    return written;
  }

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

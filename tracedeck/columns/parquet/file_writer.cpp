#include "tracedeck/columns/parquet/file_writer.hpp"

#include <array>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/version.hpp"
#include "tracedeck/columns/parquet/leaf_values.hpp"
#include "tracedeck/columns/parquet/schema_elements.hpp"
#include "tracedeck/columns/parquet/thrift_compact.hpp"

namespace tracedeck::parquet {
namespace {

using columns::Column;
using columns::ColumnType;

constexpr std::string_view kMagic = "PAR1";
constexpr std::int32_t kVersion = 2;    // of the format
constexpr std::int32_t kCodecZstd = 6;  // `CompressionCodec` of parquet.thrift

// `BoundaryOrder` of parquet.thrift.
enum class BoundaryOrder : std::uint8_t { kUnordered = 0, kAscending = 1, kDescending = 2 };

std::vector<std::string> path_in_schema(const LeafPath& path) {
  std::vector<std::string> names;
  bool in_list = false;
  for (const Column* const column : path) {
    names.push_back(in_list ? kListElement : column->name);
    in_list = column->type == ColumnType::kList;
    if (in_list) names.emplace_back(kListGroup);
  }
  return names;
}

BoundaryOrder boundary_order(const Column& leaf, const std::vector<PageFacts>& pages) {
  bool ascending = true;
  bool descending = true;
  const Bounds* before = nullptr;
  for (const PageFacts& page : pages) {
    if (page.all_null) continue;
    if (before != nullptr) {
      ascending = ascending && !is_less(leaf, page.bounds.least, before->least) &&
                  !is_less(leaf, page.bounds.largest, before->largest);
      descending = descending && !is_less(leaf, before->least, page.bounds.least) &&
                   !is_less(leaf, before->largest, page.bounds.largest);
    }
    before = &page.bounds;
  }
  if (ascending) return BoundaryOrder::kAscending;
  return descending ? BoundaryOrder::kDescending : BoundaryOrder::kUnordered;
}

// Empty where the bounds of a page are not known.
std::string column_index(const Column& leaf, const std::vector<PageFacts>& pages) {
  for (const PageFacts& page : pages) {
    if (!page.all_null && !page.bounds.known) return {};
  }
  std::string bytes;
  ThriftWriter thrift(bytes);
  thrift.begin_list(1, ThriftType::kTrue, pages.size());
  for (const PageFacts& page : pages) thrift.boolean_element(page.all_null);
  thrift.begin_list(2, ThriftType::kBinary, pages.size());
  for (const PageFacts& page : pages) thrift.binary_element(page.bounds.least);
  thrift.begin_list(3, ThriftType::kBinary, pages.size());
  for (const PageFacts& page : pages) thrift.binary_element(page.bounds.largest);
  thrift.i32(4, static_cast<std::int32_t>(boundary_order(leaf, pages)));
  thrift.begin_list(5, ThriftType::kI64, pages.size());
  for (const PageFacts& page : pages) thrift.integer_element(static_cast<std::int64_t>(page.nulls));
  thrift.end();
  return bytes;
}

std::string offset_index(const std::vector<PageFacts>& pages, std::uint64_t offset) {
  std::string bytes;
  ThriftWriter thrift(bytes);
  thrift.begin_list(1, ThriftType::kStruct, pages.size());
  for (const PageFacts& page : pages) {
    thrift.begin_element();
    thrift.i64(1, static_cast<std::int64_t>(offset + page.offset));
    thrift.i32(2, static_cast<std::int32_t>(page.size));
    thrift.i64(3, static_cast<std::int64_t>(page.first_row));
    thrift.end();
  }
  thrift.end();
  return bytes;
}

void add_statistics(ThriftWriter& thrift, const ColumnChunk& chunk) {
  thrift.begin_structure(12);
  thrift.i64(3, static_cast<std::int64_t>(chunk.nulls));
  if (chunk.bounds.known) {
    thrift.binary(5, chunk.bounds.largest);
    thrift.binary(6, chunk.bounds.least);
  }
  thrift.end();
}

}  // namespace

FileWriter::FileWriter(io::Output& output, const Column& root, columns::KeyValues key_values)
    : output_(output), key_values_(std::move(key_values)) {
  SchemaElements schema = schema_elements(root);
  schema_ = std::move(schema.bytes);
  schema_size_ = schema.count;
  leaves_ = leaf_paths(root).size();
}

Result<void> FileWriter::write(std::string_view bytes) {
  size_ += bytes.size();
  return output_.write(bytes);
}

FileWriter::Chunk FileWriter::described(const LeafPath& path, const ColumnChunk& chunk) const {
  Chunk written{.offset = size_,
                .column_index = column_index(*path.back(), chunk.pages),
                .offset_index = offset_index(chunk.pages, size_),
                .size = chunk.bytes.size(),
                .uncompressed_size = chunk.uncompressed_size};
  ThriftWriter thrift(written.metadata);
  thrift.i32(1, static_cast<std::int32_t>(physical_type(*path.back())));
  thrift.begin_list(2, ThriftType::kI32, chunk.encodings.size());
  for (const Encoding encoding : chunk.encodings)
    thrift.integer_element(static_cast<std::int64_t>(encoding));
  const std::vector<std::string> names = path_in_schema(path);
  thrift.begin_list(3, ThriftType::kBinary, names.size());
  for (const std::string& name : names) thrift.binary_element(name);
  thrift.i32(4, kCodecZstd);
  thrift.i64(5, static_cast<std::int64_t>(chunk.entries));
  thrift.i64(6, static_cast<std::int64_t>(chunk.uncompressed_size));
  thrift.i64(7, static_cast<std::int64_t>(chunk.bytes.size()));
  thrift.i64(9, static_cast<std::int64_t>(size_ + chunk.dictionary_size));
  if (chunk.dictionary_size != 0) thrift.i64(11, static_cast<std::int64_t>(size_));
  add_statistics(thrift, chunk);
  thrift.end();
  return written;
}

Result<void> FileWriter::write_rows(const Column& root, std::size_t rows, int sorted,
                                    ChunkEncoder& encoder) {
  if (size_ == 0) {
    if (auto begun = write(kMagic); !begun) return begun;
  }
  RowGroup& group = groups_.emplace_back();
  group.rows = rows;
  const Column* const key = sorted < 0 ? nullptr : &root.children[static_cast<std::size_t>(sorted)];
  for (const LeafPath& path : leaf_paths(root)) {
    if (path.back() == key) group.sorted = static_cast<int>(group.chunks.size());
    const ColumnChunk chunk = encoder.encode(path, rows);
    group.chunks.push_back(described(path, chunk));
    ++chunk_count_;
    if (auto written = write(chunk.bytes); !written) return written;
  }
  return {};
}

Result<void> FileWriter::write_indexes() {
  for (RowGroup& group : groups_) {
    for (Chunk& chunk : group.chunks) {
      chunk.column_index_offset = size_;
      if (auto written = write(chunk.column_index); !written) return written;
    }
  }
  for (RowGroup& group : groups_) {
    for (Chunk& chunk : group.chunks) {
      chunk.offset_index_offset = size_;
      if (auto written = write(chunk.offset_index); !written) return written;
    }
  }
  return {};
}

std::string FileWriter::footer() const {
  std::string bytes;
  ThriftWriter thrift(bytes);
  std::uint64_t rows = 0;
  for (const RowGroup& group : groups_) rows += group.rows;
  thrift.i32(1, kVersion);
  thrift.begin_list(2, ThriftType::kStruct, schema_size_);
  thrift.element(schema_);
  thrift.i64(3, static_cast<std::int64_t>(rows));
  thrift.begin_list(4, ThriftType::kStruct, groups_.size());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const RowGroup& group = groups_[i];
    std::uint64_t size = 0;
    std::uint64_t uncompressed = 0;
    thrift.begin_element();
    thrift.begin_list(1, ThriftType::kStruct, group.chunks.size());
    for (const Chunk& chunk : group.chunks) {
      size += chunk.size;
      uncompressed += chunk.uncompressed_size;
      thrift.begin_element();
      thrift.i64(2, 0);  // deprecated: the description of the chunk stands here alone
      thrift.structure(3, chunk.metadata);
      thrift.i64(4, static_cast<std::int64_t>(chunk.offset_index_offset));
      thrift.i32(5, static_cast<std::int32_t>(chunk.offset_index.size()));
      if (!chunk.column_index.empty()) {
        thrift.i64(6, static_cast<std::int64_t>(chunk.column_index_offset));
        thrift.i32(7, static_cast<std::int32_t>(chunk.column_index.size()));
      }
      thrift.end();
    }
    thrift.i64(2, static_cast<std::int64_t>(uncompressed));
    thrift.i64(3, static_cast<std::int64_t>(group.rows));
    if (group.sorted >= 0) {
      thrift.begin_list(4, ThriftType::kStruct, 1);
      thrift.begin_element();
      thrift.i32(1, group.sorted);
      thrift.boolean(2, false);
      thrift.boolean(3, false);
      thrift.end();
    }
    thrift.i64(5,
               static_cast<std::int64_t>(group.chunks.empty() ? 0 : group.chunks.front().offset));
    thrift.i64(6, static_cast<std::int64_t>(size));
    thrift.end();
  }
  thrift.begin_list(5, ThriftType::kStruct, key_values_.size());
  for (const auto& [key, value] : key_values_) {
    thrift.begin_element();
    thrift.binary(1, key);
    thrift.binary(2, value);
    thrift.end();
  }
  thrift.binary(6, std::string("tracedeck version ") + std::string(version()));
  thrift.begin_list(7, ThriftType::kStruct, leaves_);
  for (std::size_t i = 0; i < leaves_; ++i) {
    thrift.begin_element();
    thrift.begin_structure(1);
    thrift.end();
    thrift.end();
  }
  thrift.end();
  return bytes;
}

Result<void> FileWriter::finish() {
  if (size_ == 0) {
    if (auto begun = write(kMagic); !begun) return begun;
  }
  if (auto written = write_indexes(); !written) return written;
  std::string end = footer();
  std::array<std::uint8_t, 4> length{};
  store_le(length.data(), static_cast<std::uint32_t>(end.size()));
  end += as_text(length);
  end += kMagic;
  return write(end);
}

}  // namespace tracedeck::parquet

// One column of a row group as pages of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tracedeck/columns/parquet/levels.hpp"

namespace tracedeck::parquet {

// `Type` of parquet.thrift: how values are stored.
enum class PhysicalType : std::uint8_t {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kFloat = 4,
  kDouble = 5,
  kByteArray = 6,
  kFixedLenByteArray = 7,
};

// `Encoding` of parquet.thrift.
enum class Encoding : std::uint8_t {
  kPlain = 0,
  kRle = 3,
  kDeltaBinaryPacked = 5,
  kRleDictionary = 8,
};

[[nodiscard]] PhysicalType physical_type(const columns::Column& leaf);

// The least and the largest value of a page or chunk, as PLAIN has them (texts without length).
struct Bounds {
  bool known = false;  // false: there is no value, or one that is too long to be repeated
  std::string least = {};
  std::string largest = {};
};

struct PageFacts {
  std::uint64_t offset = 0;     // from the beginning of the chunk
  std::uint32_t size = 0;       // header included
  std::uint64_t first_row = 0;  // of the row group
  std::uint64_t nulls = 0;
  bool all_null = false;
  Bounds bounds = {};
};

struct ColumnChunk {
  std::string bytes = {};  // all pages, the dictionary first
  std::vector<PageFacts> pages = {};
  std::vector<Encoding> encodings = {};  // each once, ascending
  std::uint64_t entries = 0;
  std::uint64_t nulls = 0;
  std::uint64_t dictionary_size =
      0;  // bytes of the page of the dictionary, header included; 0: none
  std::uint64_t uncompressed_size = 0;  // of all pages, headers included
  Bounds bounds = {};
};

class LeafValues;

// Encodes and compresses columns. One thread at a time.
class ChunkEncoder {
 public:
  ChunkEncoder();
  ~ChunkEncoder();
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  // `rows`: of the row group, at least 1.
  [[nodiscard]] ColumnChunk encode(const LeafPath& path, std::size_t rows);

 private:
  void choose_encoding(LeafValues& values);

  class Compressor;
  std::unique_ptr<Compressor> compressor_;
};

}  // namespace tracedeck::parquet

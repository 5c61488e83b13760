#include "tracedeck/columns/parquet/column_chunk.hpp"

#include <zstd.h>

#include <algorithm>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/columns/parquet/encodings.hpp"
#include "tracedeck/columns/parquet/leaf_values.hpp"
#include "tracedeck/columns/parquet/thrift_compact.hpp"

namespace tracedeck::parquet {
namespace {

// `PageType` of parquet.thrift.
constexpr std::int32_t kDataPage = 0;
constexpr std::int32_t kDictionaryPage = 2;

// Rows of a page at most: what the page index says is worth something for a range of rows.
constexpr std::size_t kPageRows = 20'480;

// Levels with the length of what they take before them.
void append_levels(std::string& out, std::span<const std::uint8_t> levels, std::uint8_t largest) {
  if (largest == 0) return;
  const std::size_t begin = out.size();
  out.append(4, '\0');
  append_hybrid(out, levels, bit_width(largest));
  store_le(reinterpret_cast<std::uint8_t*>(out.data()) + begin,
           static_cast<std::uint32_t>(out.size() - begin - 4));
}

void add_encoding(ColumnChunk& chunk, Encoding encoding) {
  const auto at = std::ranges::lower_bound(chunk.encodings, encoding);
  if (at == chunk.encodings.end() || *at != encoding) chunk.encodings.insert(at, encoding);
}

// Some entries of a column, which begin and end where rows do.
struct PageRange {
  std::size_t entries_begin = 0;
  std::size_t entries_end = 0;
  std::size_t values_begin = 0;
  std::size_t values_end = 0;
  std::size_t rows = 0;
};

// Finds the entries of one page after the other.
class PageCutter {
 public:
  PageCutter(const Levels& levels, const LeafValues& values, std::size_t rows)
      : levels_(levels), values_(values), rows_left_(rows) {}

  [[nodiscard]] PageRange next() {
    PageRange page{.entries_begin = entry_, .values_begin = value_};
    const std::size_t most = values_.that_fit(value_, values_.size() - value_);
    const bool row_is_value = levels_.repeated.empty() && levels_.entries == values_.size();
    if (row_is_value) {
      page.rows = std::max<std::size_t>(1, std::min({rows_left_, kPageRows, most}));
      entry_ += page.rows;
      value_ += page.rows;
    } else {
      while (page.rows < kPageRows && rows_left_ > page.rows) {
        const auto [entries, values] = row_end();
        if (page.rows != 0 && values - page.values_begin > most) break;
        entry_ = entries;
        value_ = values;
        ++page.rows;
      }
    }
    rows_left_ -= page.rows;
    page.entries_end = entry_;
    page.values_end = value_;
    return page;
  }

 private:
  // Where entries and values of the row at `entry_` end.
  [[nodiscard]] std::pair<std::size_t, std::size_t> row_end() const {
    std::size_t entry = entry_;
    std::size_t value = value_;
    do {
      if (levels_.defined[entry] == levels_.most_defined) ++value;
      ++entry;
    } while (!levels_.repeated.empty() && entry < levels_.entries && levels_.repeated[entry] != 0);
    return {entry, value};
  }

  const Levels& levels_;
  const LeafValues& values_;
  std::size_t rows_left_;
  std::size_t entry_ = 0;
  std::size_t value_ = 0;
};

struct PageHeader {
  std::int32_t type = kDataPage;
  std::size_t size = 0;        // uncompressed
  std::size_t compressed = 0;  // bytes
  std::size_t entries = 0;     // of a dictionary: values
  Encoding encoding = Encoding::kPlain;
};

void append_header(std::string& out, const PageHeader& header) {
  ThriftWriter thrift(out);
  thrift.i32(1, header.type);
  thrift.i32(2, static_cast<std::int32_t>(header.size));
  thrift.i32(3, static_cast<std::int32_t>(header.compressed));
  thrift.begin_structure(header.type == kDataPage ? 5 : 7);
  thrift.i32(1, static_cast<std::int32_t>(header.entries));
  thrift.i32(2, static_cast<std::int32_t>(header.encoding));
  if (header.type == kDataPage) {
    thrift.i32(3, static_cast<std::int32_t>(Encoding::kRle));
    thrift.i32(4, static_cast<std::int32_t>(Encoding::kRle));
  }
  thrift.end();
  thrift.end();
}

}  // namespace

// zstd's level 1, with memory that is used again.
class ChunkEncoder::Compressor {
 public:
  Compressor() : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
  }
  ~Compressor() { ZSTD_freeCCtx(context_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // Bytes that `plain` comes to.
  [[nodiscard]] std::size_t size_of(std::string_view plain) {
    const std::size_t most = ZSTD_compressBound(plain.size());
    if (compressed_.size() < most) compressed_.resize(most);
    const std::size_t size = ZSTD_compressCCtx(context_, compressed_.data(), compressed_.size(),
                                               plain.data(), plain.size(), 1);
    if (ZSTD_isError(size) != 0) throw std::bad_alloc();
    return size;
  }

  // Appends the page `plain` to the chunk. `header` has the type, the entries and the encoding.
  void append(ColumnChunk& chunk, std::string_view plain, PageHeader header) {
    const std::size_t size = size_of(plain);
    header.size = plain.size();
    header.compressed = size;
    const std::size_t begin = chunk.bytes.size();
    append_header(chunk.bytes, header);
    chunk.uncompressed_size += chunk.bytes.size() - begin + plain.size();
    chunk.bytes.append(compressed_, 0, size);
  }

 private:
  ZSTD_CCtx* context_;
  std::string compressed_;
};

ChunkEncoder::ChunkEncoder() : compressor_(std::make_unique<Compressor>()) {}
ChunkEncoder::~ChunkEncoder() = default;

// What takes less before it is compressed may take more behind: numbers of a dictionary and
// differences hide that bytes repeat. Readers are faster with a dictionary, so a little is no gain.
void ChunkEncoder::choose_encoding(LeafValues& values) {
  if (!values.may_be_plain()) return;
  const std::size_t count = values.sample();
  std::string sample;
  values.append(sample, 0, count);
  // The sample's part of the dictionary.
  const std::size_t dictionary =
      values.has_dictionary() ? compressor_->size_of(values.dictionary()) * count / values.size()
                              : 0;
  const std::size_t size = compressor_->size_of(sample) + dictionary;
  sample.clear();
  values.append_plain(sample, 0, count);
  if (compressor_->size_of(sample) * 10 < size * 9) values.make_plain();
}

ColumnChunk ChunkEncoder::encode(const LeafPath& path, std::size_t rows) {
  const columns::Column& leaf = *path.back();
  const Levels levels = levels_of(path, rows);
  LeafValues values(leaf);
  choose_encoding(values);
  ColumnChunk chunk;
  chunk.entries = levels.entries;
  chunk.nulls = levels.entries - values.size();
  add_encoding(chunk, Encoding::kRle);
  if (values.has_dictionary()) {
    compressor_->append(chunk, values.dictionary(),
                        {.type = kDictionaryPage, .entries = values.dictionary_count()});
    chunk.dictionary_size = chunk.bytes.size();
    add_encoding(chunk, Encoding::kPlain);
  }
  PageCutter cutter(levels, values, rows);
  bool bounds_known = values.size() != 0;
  std::string plain;
  for (std::size_t row = 0; row < rows;) {
    const PageRange page = cutter.next();
    const std::size_t entries = page.entries_end - page.entries_begin;
    const std::size_t count = page.values_end - page.values_begin;
    const auto of_page = [&](const columns::Values<std::uint8_t>& all) {
      return all.empty() ? std::span<const std::uint8_t>()
                         : std::span(all).subspan(page.entries_begin, entries);
    };
    plain.clear();
    append_levels(plain, of_page(levels.repeated), levels.most_repeated);
    append_levels(plain, of_page(levels.defined), levels.most_defined);
    const std::string_view stored =
        plain.empty() ? values.stored(page.values_begin, count) : std::string_view();
    const Encoding encoding =
        stored.empty() ? values.append(plain, page.values_begin, count) : Encoding::kPlain;
    add_encoding(chunk, encoding);
    PageFacts facts{.offset = chunk.bytes.size(),
                    .first_row = row,
                    .nulls = entries - count,
                    .all_null = count == 0,
                    .bounds = values.bounds(page.values_begin, count)};
    compressor_->append(chunk, stored.empty() ? plain : stored,
                        {.entries = entries, .encoding = encoding});
    facts.size = static_cast<std::uint32_t>(chunk.bytes.size() - facts.offset);
    if (facts.bounds.known && !chunk.bounds.known) chunk.bounds = facts.bounds;
    if (facts.bounds.known) widen(leaf, chunk.bounds, facts.bounds);
    bounds_known = bounds_known && (facts.bounds.known || facts.all_null);
    chunk.pages.push_back(std::move(facts));
    row += page.rows;
  }
  chunk.bounds.known = bounds_known;
  return chunk;
}

}  // namespace tracedeck::parquet

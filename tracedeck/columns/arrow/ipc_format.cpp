#include "tracedeck/columns/arrow/ipc_format.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/columns/arrow/arrays.hpp"
#include "tracedeck/columns/arrow/messages.hpp"
#include "tracedeck/columns/table_files.hpp"

namespace tracedeck::arrow {
namespace {

using columns::Column;
using columns::ColumnType;
using columns::Table;

constexpr std::size_t kBatchRows = 65'536;
// About what a batch takes at most, which is in memory beside the table.
constexpr std::uint64_t kBatchBytes = std::uint64_t{8} << 20;
constexpr std::string_view kMagic = "ARROW1";
// Comes before the size of each message, and, with a size of 0, behind the last.
constexpr std::string_view kContinuation = "\xff\xff\xff\xff";

std::string size_bytes(std::size_t size) {
  std::string bytes;
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(size >> (8 * i) & 0xFF);
  return bytes;
}

using SharedWords = std::shared_ptr<columns::Words>;

void add_words(const Column& column, std::vector<SharedWords>& all) {
  if (column.type == ColumnType::kWord) all.push_back(column.words);
  for (const Column& child : column.children) add_words(child, all);
}

// What files and streams have in common: messages one behind the other.
class IpcWriter : public columns::TableFile {
 public:
  IpcWriter(io::Output& output, const Table& table, const columns::TableOptions& options,
            WordNumbers numbers)
      : output_(output),
        numbers_(numbers),
        schema_(schema_table(table.root, columns::file_facts(table, options))) {
    add_words(table.root, words_);
  }

  Result<void> write(const Table& table) override {
    if (auto begun = begin(); !begun) return begun;
    ArrayEncoder encoder(table.root, numbers_);
    const std::size_t most = std::clamp<std::size_t>(
        table.rows * kBatchBytes / std::max<std::uint64_t>(1, table.bytes), 1, kBatchRows);
    for (std::size_t written = 0; written < table.rows;) {
      const std::size_t rows = std::min(most, table.rows - written);
      Arrays arrays = encoder.next(rows);
      if (auto done = write_batch(arrays, encoder); !done) return done;
      written += rows;
    }
    return {};
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }

 protected:
  virtual Result<void> begin() = 0;
  virtual Result<void> write_batch(Arrays& arrays, const ArrayEncoder& encoder) = 0;

  Result<void> write_bytes(std::string_view bytes) {
    size_ += bytes.size();
    return output_.write(bytes);
  }
  Result<void> write_schema() { return write_message(schema_message(schema_), {}).second; }
  Result<void> write_end_of_messages() {
    return write_bytes(std::string(kContinuation) + size_bytes(0));
  }

  // Returns where it lies.
  std::pair<Block, Result<void>> write_message(std::string message, std::string_view body) {
    Block block{.offset = size_, .body = body.size()};
    std::string head(kContinuation);
    const std::size_t before = kContinuation.size() + 4;
    const std::size_t begin = size_ + before + message.size();
    message.resize(message.size() + (begin + kBodyAlignment - 1) / kBodyAlignment * kBodyAlignment -
                   begin);
    head += size_bytes(message.size());
    head += message;
    block.head = head.size();
    auto written = write_bytes(head);
    if (written) written = write_bytes(body);
    return {block, std::move(written)};
  }

  [[nodiscard]] const FlatTable& schema() const { return schema_; }
  // Of the columns of words, in their order.
  [[nodiscard]] const std::vector<SharedWords>& words() const { return words_; }

 private:
  io::Output& output_;
  WordNumbers numbers_;
  FlatTable schema_;
  std::vector<SharedWords> words_;
  std::uint64_t size_ = 0;
};

class IpcFile final : public IpcWriter {
 public:
  IpcFile(io::Output& output, const Table& table, const columns::TableOptions& options)
      : IpcWriter(output, table, options, WordNumbers::kOfColumn) {}

  Result<void> finish() override {
    if (auto begun = begin(); !begun) return begun;
    std::vector<Block> dictionaries;
    for (std::size_t i = 0; i < words().size(); ++i) {
      Arrays arrays = word_arrays(*words()[i], {});
      std::string message = dictionary_message(static_cast<std::int64_t>(i), arrays);
      auto [block, written] = write_message(std::move(message), arrays.body);
      if (!written) return written;
      dictionaries.push_back(block);
    }
    if (auto ended = write_end_of_messages(); !ended) return ended;
    std::string end = footer(schema(), dictionaries, batches_);
    end += size_bytes(end.size());
    end += kMagic;
    return write_bytes(end);
  }

  [[nodiscard]] bool full() const override { return size() >= columns::kFileBytes; }

 private:
  Result<void> begin() override {
    if (size() != 0) return {};
    if (auto begun = write_bytes(std::string(kMagic) + std::string(2, '\0')); !begun) return begun;
    return write_schema();
  }

  Result<void> write_batch(Arrays& arrays, const ArrayEncoder&) override {
    std::string message = batch_message(arrays);
    auto [block, written] = write_message(std::move(message), arrays.body);
    batches_.push_back(block);
    return written;
  }

  std::vector<Block> batches_;
};

class IpcStream final : public IpcWriter {
 public:
  IpcStream(io::Output& output, const Table& table, const columns::TableOptions& options)
      : IpcWriter(output, table, options, WordNumbers::kOfBatch), known_(words().size()) {}

  Result<void> finish() override {
    if (auto begun = begin(); !begun) return begun;
    return write_end_of_messages();
  }

 private:
  Result<void> begin() override { return size() == 0 ? write_schema() : Result<void>(); }

  Result<void> write_batch(Arrays& arrays, const ArrayEncoder& encoder) override {
    for (std::size_t i = 0; i < words().size(); ++i) {
      const std::vector<std::uint32_t>& chosen = encoder.words()[i];
      if (known_[i] == chosen) continue;
      known_[i] = chosen;
      Arrays dictionary = word_arrays(*words()[i], chosen);
      std::string message = dictionary_message(static_cast<std::int64_t>(i), dictionary);
      if (auto written = write_message(std::move(message), dictionary.body).second; !written)
        return written;
    }
    return write_message(batch_message(arrays), arrays.body).second;
  }

  // The dictionaries that were written last; none before the first batch.
  std::vector<std::optional<std::vector<std::uint32_t>>> known_;
};

template <class File>
class IpcFormat final : public columns::TableFormat {
 public:
  explicit IpcFormat(columns::TableOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string path(const Table& table, std::size_t part) const override {
    return columns::table_path(table, options_, part, ".arrow");
  }
  [[nodiscard]] std::unique_ptr<columns::TableFile> begin(io::Output& output,
                                                          const Table& table) override {
    return std::make_unique<File>(output, table, options_);
  }

 private:
  columns::TableOptions options_;
};

}  // namespace

std::unique_ptr<columns::TableFormat> file_format(columns::TableOptions options) {
  return std::make_unique<IpcFormat<IpcFile>>(std::move(options));
}

std::unique_ptr<columns::TableFormat> stream_format(columns::TableOptions options) {
  return std::make_unique<IpcFormat<IpcStream>>(std::move(options));
}

}  // namespace tracedeck::arrow

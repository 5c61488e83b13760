#include "tracedeck/columns/arrow/flat_table.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tracedeck::arrow {

void FlatTable::scalar(unsigned field, std::uint8_t size, std::uint64_t value) {
  fields_.push_back({.number = field, .size = size, .value = value});
}

void FlatTable::text(unsigned field, std::string_view text) {
  fields_.push_back(
      {.number = field, .kind = FlatField::Kind::kText, .characters = std::string(text)});
}

void FlatTable::table(unsigned field, FlatTable table) {
  FlatField made{.number = field, .kind = FlatField::Kind::kTable};
  made.tables.push_back(std::move(table));
  fields_.push_back(std::move(made));
}

void FlatTable::tables(unsigned field, std::vector<FlatTable> tables) {
  fields_.push_back(
      {.number = field, .kind = FlatField::Kind::kTables, .tables = std::move(tables)});
}

void FlatTable::structures(unsigned field, std::size_t each, std::vector<std::uint64_t> words) {
  fields_.push_back({.number = field,
                     .kind = FlatField::Kind::kStructures,
                     .value = each,
                     .words = std::move(words)});
}

// References lead forward: what a table refers to comes behind it.
class FlatEncoder {
 public:
  std::string encode(const FlatTable& root) {
    put(0, 4);
    refer(0, table(root));
    return std::move(out_);
  }

 private:
  std::size_t table(const FlatTable& table) {
    constexpr std::size_t kHead = 4;  // both of the list of offsets and of the table
    constexpr std::size_t kAlignment = 8;
    std::size_t numbers = 0;
    for (const FlatField& field : table.fields_)
      numbers = std::max<std::size_t>(numbers, field.number + 1);
    std::vector<std::size_t> offsets(numbers);
    std::size_t size = kHead;
    for (const FlatField& field : table.fields_) {
      size = (size + field.size - 1) / field.size * field.size;
      offsets[field.number] = size;
      size += field.size;
    }

    const std::size_t offsets_size = kHead + 2 * numbers;
    while ((out_.size() + offsets_size) % kAlignment != 0) put(0, 1);
    put(offsets_size, 2);
    put(size, 2);
    for (const std::size_t offset : offsets) put(offset, 2);
    const std::size_t begin = out_.size();
    put(offsets_size, 4);
    out_.resize(begin + size);
    for (const FlatField& field : table.fields_) {
      if (field.kind == FlatField::Kind::kScalar)
        set(begin + offsets[field.number], field.value, field.size);
    }
    for (const FlatField& field : table.fields_) {
      if (field.kind != FlatField::Kind::kScalar)
        refer(begin + offsets[field.number], content(field));
    }
    return begin;
  }

  std::size_t content(const FlatField& field) {
    if (field.kind == FlatField::Kind::kTable) return table(field.tables.front());
    if (field.kind == FlatField::Kind::kText) {
      const std::size_t begin = begin_vector(field.characters.size(), 4);
      out_ += field.characters;
      put(0, 1);
      return begin;
    }
    if (field.kind == FlatField::Kind::kStructures) {
      const std::size_t begin = begin_vector(field.words.size() / field.value, 8);
      for (const std::uint64_t word : field.words) put(word, 8);
      return begin;
    }
    const std::size_t begin = begin_vector(field.tables.size(), 4);
    const std::size_t references = out_.size();
    out_.resize(references + 4 * field.tables.size());
    for (std::size_t i = 0; i < field.tables.size(); ++i)
      refer(references + 4 * i, table(field.tables[i]));
    return begin;
  }

  // Its elements come next, at a multiple of `alignment`.
  std::size_t begin_vector(std::size_t count, std::size_t alignment) {
    constexpr std::size_t kCount = 4;
    while ((out_.size() + kCount) % alignment != 0) put(0, 1);
    put(count, kCount);
    return out_.size() - kCount;
  }

  void refer(std::size_t at, std::size_t to) { set(at, to - at, 4); }

  void put(std::uint64_t value, std::size_t size) {
    out_.resize(out_.size() + size);
    set(out_.size() - size, value, size);
  }
  void set(std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      out_[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
  }

  std::string out_;
};

std::string FlatTable::encode() const { return FlatEncoder().encode(*this); }

}  // namespace tracedeck::arrow

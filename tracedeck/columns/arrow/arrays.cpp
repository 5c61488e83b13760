#include "tracedeck/columns/arrow/arrays.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <span>
#include <unordered_map>
#include <utility>

#include "tracedeck/columns/little_endian.hpp"

namespace tracedeck::arrow {
namespace {

using columns::Column;
using columns::ColumnType;
using columns::Places;

std::size_t columns_below(const Column& column) {
  std::size_t count = column.children.size();
  for (const Column& child : column.children) count += columns_below(child);
  return count;
}

// A buffer is what is appended to the body between construction and destruction.
class Buffer {
 public:
  explicit Buffer(Arrays& arrays) : arrays_(arrays), begin_(arrays.body.size()) {}
  ~Buffer() {
    arrays_.buffers.push_back(begin_);
    arrays_.buffers.push_back(arrays_.body.size() - begin_);
    arrays_.body.resize((arrays_.body.size() + kBodyAlignment - 1) / kBodyAlignment *
                        kBodyAlignment);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

 private:
  Arrays& arrays_;
  std::size_t begin_;
};

// The first `size` bytes of a number, the least first.
template <class Number>
void put_number(std::string& out, Number value, std::size_t size = sizeof(Number)) {
  auto bytes = std::bit_cast<std::array<char, sizeof(Number)>>(value);
  if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
  out.append(bytes.data(), size);
}

void put_bits(std::string& out, std::span<const std::uint8_t> bits) {
  for (std::size_t i = 0; i < bits.size(); i += 8) {
    unsigned byte = 0;
    for (std::size_t k = i; k < bits.size() && k < i + 8; ++k) byte |= unsigned{bits[k]} << (k - i);
    out += static_cast<char>(byte);
  }
}

// The node of a column and its bits for what is there. Nothing is null of what is not
// nullable, whatever is around it.
void put_validity(Arrays& arrays, const Places& places, bool nullable) {
  std::uint64_t nulls = 0;
  if (nullable) {
    for (const std::uint8_t there : places.there) nulls += there == 0 ? 1 : 0;
  }
  arrays.nodes.push_back(places.count);
  arrays.nodes.push_back(nulls);
  const Buffer buffer(arrays);
  if (nulls != 0) put_bits(arrays.body, places.there);
}

}  // namespace

ArrayEncoder::ArrayEncoder(const Column& root, WordNumbers numbers)
    : root_(root), numbers_(numbers), cursors_(columns_below(root)) {}

Arrays ArrayEncoder::next(std::size_t rows) {
  arrays_ = {.rows = rows};
  next_cursor_ = 0;
  next_words_ = 0;
  for (const Column& each : root_.children) column(each, {.count = rows});
  return std::move(arrays_);
}

void ArrayEncoder::column(const Column& column, const Places& outer) {
  Cursor& cursor = cursors_[next_cursor_++];
  Places places = outer;
  if (column.nullable) {
    if (places.there.empty()) places.there.append(places.count, 1);
    for (std::uint8_t& there : places.there) {
      if (there != 0) there = column.valid[cursor.instances++];
    }
  }
  put_validity(arrays_, places, column.nullable);
  if (column.is_leaf()) return leaf(column, places, cursor);
  if (column.type == ColumnType::kList) {
    const std::uint32_t elements = ends(column, places, cursor);
    return this->column(column.children.front(), {.count = elements});
  }
  for (const Column& child : column.children) this->column(child, places);
}

// The offsets of texts and lists; returns the last.
std::uint32_t ArrayEncoder::ends(const Column& column, const Places& places, Cursor& cursor) {
  const Buffer buffer(arrays_);
  std::uint32_t end = 0;
  put_number(arrays_.body, end);
  for (std::size_t i = 0; i < places.count; ++i) {
    if (places.has(i)) end += column.words32[cursor.values++];
    put_number(arrays_.body, end);
  }
  return end;
}

void ArrayEncoder::leaf(const Column& column, const Places& places, Cursor& cursor) {
  if (column.type == ColumnType::kText || column.type == ColumnType::kBytes) {
    const std::uint32_t size = ends(column, places, cursor);
    const Buffer buffer(arrays_);
    arrays_.body.append(column.characters, cursor.characters, size);
    cursor.characters += size;
    return;
  }
  if (column.type == ColumnType::kWord) return words(column, places, cursor);
  const Buffer buffer(arrays_);
  const auto put_all = [&]<class Number>(const columns::Values<Number>& values, std::size_t size) {
    if constexpr (std::unsigned_integral<Number>) {
      if (places.there.empty() && size == sizeof(Number)) {
        columns::append_le(arrays_.body, std::span(values).subspan(cursor.values, places.count));
        cursor.values += places.count;
        return;
      }
    }
    for (std::size_t i = 0; i < places.count; ++i)
      put_number(arrays_.body, places.has(i) ? values[cursor.values++] : 0, size);
  };
  switch (column.type) {
    case ColumnType::kBoolean: {
      std::vector<std::uint8_t> bits(places.count);
      for (std::size_t i = 0; i < places.count; ++i)
        bits[i] = places.has(i) ? column.bytes[cursor.values++] : 0;
      return put_bits(arrays_.body, bits);
    }
    case ColumnType::kDecimal:
      return put_all(column.decimals, 16);
    case ColumnType::kFloat:
      return put_all(column.words32, 4);
    case ColumnType::kInteger:
      if (column.width != 64) return put_all(column.words32, column.width / 8);
      break;
    default:
      break;
  }
  put_all(column.words64, 8);
}

void ArrayEncoder::words(const Column& column, const Places& places, Cursor& cursor) {
  if (next_words_ == words_.size()) words_.emplace_back();
  std::vector<std::uint32_t>& chosen = words_[next_words_++];
  chosen.clear();
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  const auto number_of = [&](std::uint32_t word) {
    if (numbers_ == WordNumbers::kOfColumn) return word;
    const auto [found, is_new] = numbers.emplace(word, static_cast<std::uint32_t>(chosen.size()));
    if (is_new) chosen.push_back(word);
    return found->second;
  };
  const Buffer buffer(arrays_);
  for (std::size_t i = 0; i < places.count; ++i)
    put_number(arrays_.body, places.has(i) ? number_of(column.words32[cursor.values++]) : 0);
}

Arrays word_arrays(const columns::Words& words,
                   std::optional<std::span<const std::uint32_t>> chosen) {
  const std::size_t count = chosen ? chosen->size() : words.size();
  const auto word = [&](std::size_t i) -> const std::string& {
    return words[chosen ? (*chosen)[i] : static_cast<std::uint32_t>(i)];
  };
  Arrays arrays{.rows = count};
  put_validity(arrays, {.count = count}, false);
  {
    const Buffer buffer(arrays);
    std::uint32_t end = 0;
    put_number(arrays.body, end);
    for (std::size_t i = 0; i < count; ++i) {
      end += static_cast<std::uint32_t>(word(i).size());
      put_number(arrays.body, end);
    }
  }
  const Buffer buffer(arrays);
  for (std::size_t i = 0; i < count; ++i) arrays.body += word(i);
  return arrays;
}

}  // namespace tracedeck::arrow

#include "tracedeck/c/arrow_interface.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tracedeck/base/integer.hpp"
#include "tracedeck/columns/places.hpp"

namespace tracedeck::capi {
namespace {

using columns::Column;
using columns::ColumnType;
using columns::Places;
using columns::Values;

// What a schema points to.
struct SchemaOwner {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema dictionary = {};
};

void release_schema(ArrowSchema* schema) {
  for (std::int64_t i = 0; i < schema->n_children; ++i) {
    ArrowSchema* const child = schema->children[i];
    if (child->release != nullptr) child->release(child);
  }
  if (schema->dictionary != nullptr && schema->dictionary->release != nullptr)
    schema->dictionary->release(schema->dictionary);
  delete static_cast<SchemaOwner*>(schema->private_data);
  schema->release = nullptr;
}

// A schema that owns `owner`, without children.
void give(ArrowSchema& schema, std::unique_ptr<SchemaOwner> owner, bool nullable) {
  schema = {};
  schema.format = owner->format.c_str();
  schema.name = owner->name.c_str();
  if (!owner->metadata.empty()) schema.metadata = owner->metadata.data();
  schema.flags = nullable ? ARROW_FLAG_NULLABLE : 0;
  schema.release = release_schema;
  schema.private_data = owner.release();
}

std::string format_of(const Column& column) {
  switch (column.type) {
    case ColumnType::kGroup:
      return "+s";
    case ColumnType::kList:
      return "+l";
    case ColumnType::kBoolean:
      return "b";
    case ColumnType::kInteger: {
      const std::string_view letters = column.is_signed ? "csil" : "CSIL";
      const std::size_t size = column.width == 8    ? 0
                               : column.width == 16 ? 1
                               : column.width == 32 ? 2
                                                    : 3;
      return std::string(1, letters[size]);
    }
    case ColumnType::kDecimal:
      return "d:38,0";
    case ColumnType::kFloat:
      return "f";
    case ColumnType::kDouble:
      return "g";
    case ColumnType::kText:
      return "u";
    case ColumnType::kBytes:
      return "z";
    case ColumnType::kWord:
      return "i";
  }
  return "n";
}

void put_int32(std::string& out, std::size_t value) {
  const auto number = static_cast<std::int32_t>(value);
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put_pair(std::string& out, std::string_view key, std::string_view value) {
  put_int32(out, key.size());
  out += key;
  put_int32(out, value.size());
  out += value;
}

std::string metadata_of(const ColumnNote& note) {
  std::string pairs;
  std::size_t count = 0;
  const auto put = [&](std::string_view key, std::string_view value) {
    put_pair(pairs, key, value);
    ++count;
  };
  if (note.kind != ColumnKind::kPlain) put("tracedeck:kind", kind_name(note.kind));
  if (note.is_field || note.kind == ColumnKind::kLabel || !note.field.empty())
    put("tracedeck:name", note.field);
  if (note.is_field) put("tracedeck:field", "1");
  if (count == 0) return {};
  std::string metadata;
  put_int32(metadata, count);
  return metadata + pairs;
}

void schema_of(const Column& column, std::span<const ColumnNote> notes, std::size_t& next,
               ArrowSchema& schema) {
  const std::size_t number = next++;
  auto owner = std::make_unique<SchemaOwner>();
  owner->format = format_of(column);
  owner->name = column.name;
  if (number < notes.size()) owner->metadata = metadata_of(notes[number]);
  SchemaOwner& owned = *owner;
  give(schema, std::move(owner), column.nullable);
  if (column.type == ColumnType::kWord) {
    auto words = std::make_unique<SchemaOwner>();
    words->format = "u";
    give(owned.dictionary, std::move(words), false);
    schema.dictionary = &owned.dictionary;
  }
  owned.children.resize(column.children.size());
  for (std::size_t i = 0; i < column.children.size(); ++i) {
    schema_of(column.children[i], notes, next, owned.children[i]);
    owned.pointers.push_back(&owned.children[i]);
  }
  schema.n_children = static_cast<std::int64_t>(owned.pointers.size());
  schema.children = owned.pointers.data();
}

// What an array points to.
struct ArrayOwner {
  Values<std::uint8_t> validity = {};  // bits
  Values<std::uint8_t> bytes = {};
  Values<std::uint16_t> words16 = {};
  Values<std::uint32_t> words32 = {};
  Values<std::uint64_t> words64 = {};
  Values<Int128> decimals = {};
  std::string characters = {};
  std::shared_ptr<const WordTexts> words = {};
  std::array<const void*, 3> buffers = {};
  std::vector<ArrowArray> children = {};
  std::vector<ArrowArray*> pointers = {};
  ArrowArray dictionary = {};
};

void release_array(ArrowArray* array) {
  for (std::int64_t i = 0; i < array->n_children; ++i) {
    ArrowArray* const child = array->children[i];
    if (child->release != nullptr) child->release(child);
  }
  if (array->dictionary != nullptr && array->dictionary->release != nullptr)
    array->dictionary->release(array->dictionary);
  delete static_cast<ArrayOwner*>(array->private_data);
  array->release = nullptr;
}

Values<std::uint8_t> bits_of(std::span<const std::uint8_t> flags) {
  Values<std::uint8_t> bits;
  bits.append((flags.size() + 7) / 8, 0);
  for (std::size_t i = 0; i < flags.size(); ++i)
    bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | unsigned{flags[i]} << i % 8);
  return bits;
}

// Dense values with one for each place: zeros where none is there.
template <class Number>
Values<Number> spread(Values<Number> values, const Places& places) {
  if (places.there.empty()) return values;
  Values<Number> all;
  all.append(places.count, 0);
  std::size_t value = 0;
  for (std::size_t i = 0; i < places.count; ++i) {
    if (places.has(i)) all[i] = values[value++];
  }
  return all;
}

// Values that are taken out of a column, in whose place is room for as many.
template <class Number>
Values<Number> taken(Values<Number>& values) {
  Values<Number> room;
  room.reserve(values.size());
  return std::exchange(values, std::move(room));
}

template <class Narrow>
Values<Narrow> narrowed(const Values<std::uint32_t>& values) {
  Values<Narrow> narrow;
  std::ranges::transform(values, narrow.grow(values.size()),
                         [](std::uint32_t value) { return static_cast<Narrow>(value); });
  return narrow;
}

// Where texts and lists end, with a 0 before the first.
Values<std::uint32_t> ends_of(Values<std::uint32_t> lengths) {
  std::uint32_t end = 0;
  for (std::uint32_t& each : lengths) end += std::exchange(each, end);
  lengths.push_back(end);
  return lengths;
}

class Exporter {
 public:
  explicit Exporter(WordSnapshots& words) : words_(words) {}

  void column(Column& column, const Places& outer, ArrowArray& array) {
    Places places = columns::value_places(column, outer);
    const auto absent = static_cast<std::size_t>(std::ranges::count(places.there, 0));
    if (absent == 0) places.there.clear();
    column.valid = taken_flags(column.valid);

    array = {};
    auto* const owner = new ArrayOwner();
    array.private_data = owner;
    array.release = release_array;
    array.length = static_cast<std::int64_t>(places.count);
    // What is not nullable is zero, and never null, where the group around it is.
    const bool says_null = column.nullable && absent != 0;
    if (says_null) owner->validity = bits_of(places.there);
    array.null_count = says_null ? static_cast<std::int64_t>(absent) : 0;
    owner->buffers[0] = says_null ? owner->validity.data() : nullptr;
    array.buffers = owner->buffers.data();
    array.n_buffers = 2;
    values(column, places, *owner, array);
  }

 private:
  static Values<std::uint8_t> taken_flags(Values<std::uint8_t>& flags) {
    flags.clear();
    return std::move(flags);
  }

  void values(Column& column, const Places& places, ArrayOwner& owner, ArrowArray& array) {
    switch (column.type) {
      case ColumnType::kGroup:
        array.n_buffers = 1;
        return children(column, places, owner, array);
      case ColumnType::kList: {
        owner.words32 = ends_of(spread(taken(column.words32), places));
        owner.buffers[1] = owner.words32.data();
        return children(column, {.count = owner.words32.back()}, owner, array);
      }
      case ColumnType::kBoolean:
        owner.bytes = bits_of(spread(taken(column.bytes), places));
        owner.buffers[1] = buffer(owner.bytes);
        return;
      case ColumnType::kInteger:
        return integers(column, places, owner);
      case ColumnType::kDecimal:
        owner.decimals = spread(taken(column.decimals), places);
        owner.buffers[1] = buffer(owner.decimals);
        return;
      case ColumnType::kDouble:
        owner.words64 = spread(taken(column.words64), places);
        owner.buffers[1] = buffer(owner.words64);
        return;
      case ColumnType::kFloat:
        owner.words32 = spread(taken(column.words32), places);
        owner.buffers[1] = buffer(owner.words32);
        return;
      case ColumnType::kText:
      case ColumnType::kBytes:
        owner.words32 = ends_of(spread(taken(column.words32), places));
        owner.characters = std::exchange(column.characters, {});
        column.characters.reserve(owner.characters.size());
        owner.buffers[1] = owner.words32.data();
        owner.buffers[2] = owner.characters.data();
        array.n_buffers = 3;
        return;
      case ColumnType::kWord:
        owner.words32 = spread(taken(column.words32), places);
        dictionary(*column.words, owner, array);
        owner.buffers[1] = buffer(owner.words32);
        return;
    }
  }

  static void integers(Column& column, const Places& places, ArrayOwner& owner) {
    if (column.width == 64) {
      owner.words64 = spread(taken(column.words64), places);
      owner.buffers[1] = buffer(owner.words64);
      return;
    }
    owner.words32 = spread(taken(column.words32), places);
    if (column.width == 32) {
      owner.buffers[1] = buffer(owner.words32);
    } else if (column.width == 16) {
      owner.words16 = narrowed<std::uint16_t>(std::exchange(owner.words32, {}));
      owner.buffers[1] = buffer(owner.words16);
    } else {
      owner.bytes = narrowed<std::uint8_t>(std::exchange(owner.words32, {}));
      owner.buffers[1] = buffer(owner.bytes);
    }
  }

  void children(Column& column, const Places& places, ArrayOwner& owner, ArrowArray& array) {
    owner.children.resize(column.children.size());
    owner.pointers.reserve(column.children.size());
    for (std::size_t i = 0; i < column.children.size(); ++i) {
      this->column(column.children[i], places, owner.children[i]);
      owner.pointers.push_back(&owner.children[i]);
    }
    array.n_children = static_cast<std::int64_t>(owner.pointers.size());
    array.children = owner.pointers.data();
  }

  void dictionary(const columns::Words& words, ArrayOwner& owner, ArrowArray& array) {
    auto* const texts = new ArrayOwner();
    ArrowArray& made = owner.dictionary;
    made.private_data = texts;
    made.release = release_array;
    texts->words = words_.of(words);
    if (texts->words == nullptr) texts->words = chosen(words, owner.words32);
    texts->buffers = {nullptr, texts->words->ends.data(), texts->words->characters.data()};
    made.buffers = texts->buffers.data();
    made.n_buffers = 3;
    made.length = static_cast<std::int64_t>(texts->words->count);
    array.dictionary = &made;
  }

  // The words that `numbers` names, which become those of their places among them.
  static std::shared_ptr<const WordTexts> chosen(const columns::Words& words,
                                                 Values<std::uint32_t>& numbers) {
    auto texts = std::make_shared<WordTexts>();
    texts->ends.push_back(0);
    std::unordered_map<std::uint32_t, std::uint32_t> places;
    for (std::uint32_t& number : numbers) {
      const auto [found, is_new] =
          places.emplace(number, static_cast<std::uint32_t>(places.size()));
      if (is_new) {
        texts->characters += words[number];
        texts->ends.push_back(static_cast<std::uint32_t>(texts->characters.size()));
      }
      number = found->second;
    }
    texts->count = places.size();
    return texts;
  }

  // Never null, not even of no values.
  template <class Number>
  static const void* buffer(const Values<Number>& values) {
    static constexpr std::array<std::uint64_t, 2> kNothing = {};
    return values.empty() ? static_cast<const void*>(kNothing.data()) : values.data();
  }

  WordSnapshots& words_;
};

}  // namespace

std::shared_ptr<const WordTexts> WordSnapshots::of(const columns::Words& words) {
  std::shared_ptr<const WordTexts>& known = texts_[&words];
  if (known != nullptr && known->count == words.size()) return known;
  if (known != nullptr && words.size() > kMostCopied) return nullptr;
  auto texts = std::make_shared<WordTexts>();
  texts->count = words.size();
  texts->ends.push_back(0);
  for (std::uint32_t i = 0; i < texts->count; ++i) {
    texts->characters += words[i];
    texts->ends.push_back(static_cast<std::uint32_t>(texts->characters.size()));
  }
  known = texts;
  return known;
}

void export_schema(const Column& root, std::span<const ColumnNote> notes, ArrowSchema& schema) {
  std::size_t next = 0;
  schema_of(root, notes, next, schema);
}

void export_rows(Column& root, std::size_t rows, WordSnapshots& words, ArrowArray& array) {
  Exporter(words).column(root, {.count = rows}, array);
}

}  // namespace tracedeck::capi

#include "tracedeck/lower/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <type_traits>

#include "tracedeck/model/class_nesting.hpp"

namespace tracedeck::lower {
namespace {

// The elements of an array of `least` to `Most` values.
template <std::size_t Most>
class Elements {
 public:
  // Returns false if `from` is no such array.
  [[nodiscard]] bool open(JsonRef from, std::size_t least) {
    if (!from.is(JsonKind::kArray)) return false;
    for (const JsonRef each : JsonChildren(from)) {
      if (count_ == Most) return false;
      values_[count_++] = each;
    }
    return count_ >= least;
  }
  // No value behind the last.
  [[nodiscard]] JsonRef operator[](std::size_t index) const { return values_[index]; }

 private:
  std::array<JsonRef, Most> values_ = {};
  std::size_t count_ = 0;
};

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

// Two digits for each byte of `to`. Returns false if `digits` are something else.
template <class Bytes>
bool read_hexadecimal(std::string_view digits, Bytes& to) {
  if (digits.size() != 2 * to.size()) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const int high = digit_value(digits[2 * i]);
    const int low = digit_value(digits[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    to[i] = static_cast<typename Bytes::value_type>(high * 16 + low);
  }
  return true;
}

bool is_decimal(std::string_view digits) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

template <std::size_t Index = 0>
FieldClass::Kind make_kind(std::size_t index) {
  if constexpr (Index < std::variant_size_v<FieldClass::Kind>) {
    if (index != Index) return make_kind<Index + 1>(index);
    return FieldClass::Kind(std::in_place_index<Index>);
  } else {
    return DynamicClass{};
  }
}

template <class Words>
std::string joined(const Words& words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

}  // namespace

bool JsonMembers::open(JsonRef value) {
  if (!value.is(JsonKind::kObject)) return false;
  object_ = value;
  for (const JsonRef each : JsonChildren(value)) {
    if (count_ == kMost) return false;
    values_[count_++] = each;
  }
  return true;
}

JsonRef JsonMembers::take(std::string_view key) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (taken_[i] || values_[i].key() != key) continue;
    taken_[i] = true;
    return values_[i];
  }
  return {};
}

JsonRef JsonMembers::left() const {
  const auto* const found = std::find(taken_.begin(), taken_.begin() + count_, false);
  const auto index = static_cast<std::size_t>(found - taken_.begin());
  return index == count_ ? JsonRef() : values_[index];
}

bool TextReader::fault(JsonRef at, std::string text, ErrorCode code) {
  error_ = {.code = code, .message = std::move(text), .path = at.pointer()};
  return false;
}

bool TextReader::expected(JsonRef at, std::string_view what) {
  return fault(at, fmt::format("found {}, expected {}", quoted(at), what));
}

bool TextReader::lacks(JsonRef object, std::string_view key, std::string_view what) {
  return fault(object, fmt::format("there is no `{}`, expected {}", key, what));
}

bool TextReader::nothing_left(const JsonMembers& object) {
  const JsonRef left = object.left();
  return !left || fault(left, "this has no meaning here; a newer tracedeck may have written it");
}

bool TextReader::members(JsonMembers& object, IntegerLayout& layout) {
  const JsonRef word = object.take("leb128");
  if (!word) return members(object, layout.emplace<FixedLayout>());
  bool is_leb128 = false;
  if (!get(word, is_leb128)) return false;
  if (!is_leb128) return expected(word, "true, or no `leb128`");
  layout = Leb128Layout{};
  return true;
}

bool TextReader::field_classes(JsonRef list) {
  if (!list) return true;
  if (!list.is(JsonKind::kArray)) return expected(list, "an array of field classes");
  for (const JsonRef each : JsonChildren(list))
    if (!field_class(each)) return false;
  return true;
}

bool TextReader::field_class(JsonRef from) {
  JsonMembers object;
  if (!object.open(from)) return expected(from, "an object with few members");
  const JsonRef word = object.take("kind");
  if (!word) return lacks(from, "kind", "one of: " + joined(kKindWords));
  const auto* const known =
      word.is(JsonKind::kString) ? std::ranges::find(kKindWords, word.string()) : kKindWords.end();
  if (known == kKindWords.end()) return expected(word, "one of: " + joined(kKindWords));

  inside_ = 0;
  FieldClass made{.kind = make_kind(static_cast<std::size_t>(known - kKindWords.begin()))};
  const bool sound = std::visit([&](auto& kind) { return members(object, kind); }, made.kind) &&
                     members(object, made) && nothing_left(object);
  if (!sound) return false;
  if (inside_ >= kClassNesting)
    return fault(from, fmt::format("field classes are nested deeper than {}", kClassNesting),
                 ErrorCode::kLimitExceeded);
  classes_.push_back({std::make_shared<const FieldClass>(std::move(made)), inside_ + 1});
  return true;
}

bool TextReader::get(JsonRef from, bool& value) {
  if (!from.is(JsonKind::kBoolean)) return expected(from, "true or false");
  value = from.boolean();
  return true;
}

bool TextReader::get(JsonRef from, Integer& value) {
  if (!is_json_integer(from)) return expected(from, "an integer");
  const auto integer = json_integer(from);
  if (!integer) return expected(from, "an integer of 128 bits");
  value = *integer;
  return true;
}

bool TextReader::get(JsonRef from, std::uint64_t& value) {
  Integer integer;
  if (!get(from, integer)) return false;
  const auto narrow = integer.to_unsigned();
  if (!narrow) return expected(from, "an unsigned integer of 64 bits");
  value = *narrow;
  return true;
}

bool TextReader::get(JsonRef from, std::uint32_t& value) {
  std::uint64_t wide = 0;
  if (!get(from, wide)) return false;
  if (wide > std::numeric_limits<std::uint32_t>::max())
    return expected(from, "an unsigned integer of 32 bits");
  value = static_cast<std::uint32_t>(wide);
  return true;
}

bool TextReader::get(JsonRef from, std::int64_t& value) {
  Integer integer;
  if (!get(from, integer)) return false;
  const auto narrow = integer.to_signed();
  if (!narrow) return expected(from, "a signed integer of 64 bits");
  value = *narrow;
  return true;
}

bool TextReader::get(JsonRef from, std::string& text) {
  constexpr std::string_view kText = R"(a string, or {"hex": pairs of lower-case digits})";
  if (from.is(JsonKind::kString)) {
    text = from.string();
    return true;
  }
  JsonMembers object;
  if (!object.open(from)) return expected(from, kText);
  const JsonRef digits = object.take("hex");
  if (!digits || !digits.is(JsonKind::kString) || object.left()) return expected(from, kText);
  text.resize(digits.string().size() / 2);
  return read_hexadecimal(digits.string(), text) || expected(digits, "pairs of lower-case digits");
}

bool TextReader::get(JsonRef from, Name& text) { return get_text(from, text); }
bool TextReader::get(JsonRef from, RareName& text) { return get_text(from, text); }

bool TextReader::get(JsonRef from, Uuid& uuid) {
  const bool sound = from.is(JsonKind::kString) && read_hexadecimal(from.string(), uuid);
  return sound || expected(from, "32 lower-case hexadecimal digits");
}

bool TextReader::get(JsonRef from, Tick& tick) {
  Elements<2> parts;
  if (!parts.open(from, 2)) return expected(from, "[numerator, denominator]");
  return get(parts[0], tick.numerator) && get(parts[1], tick.denominator);
}

bool TextReader::get(JsonRef from, FieldClassPtr& field_class) {
  std::uint64_t number = 0;
  if (!get(from, number)) return false;
  if (number >= classes_.size())
    return expected(
        from, fmt::format("the number of one of {} field classes before this", classes_.size()));
  field_class = classes_[number].field_class;
  inside_ = std::max(inside_, classes_[number].depth);
  return true;
}

bool TextReader::get(JsonRef from, const ClockClass*& clock) {
  return refer(from, references_.clocks, clock, "a clock class");
}

bool TextReader::get(JsonRef from, const DataStreamClass*& stream_class) {
  return refer(from, references_.stream_classes, stream_class, "a data stream class");
}

template <class T>
bool TextReader::refer(JsonRef from, const std::map<std::uint64_t, const T*>& known,
                       const T*& value, std::string_view what) {
  std::uint64_t ordinal = 0;
  if (!get(from, ordinal)) return false;
  const auto found = known.find(ordinal);
  if (found == known.end())
    return expected(from, fmt::format("the ordinal of {} whose text came before", what));
  value = found->second;
  return true;
}

template <class List>
bool TextReader::list(JsonRef from, List& values) {
  if (!from.is(JsonKind::kArray)) return expected(from, "an array");
  for (const JsonRef each : JsonChildren(from)) {
    typename List::value_type value;
    if (!get(each, value)) return false;
    values.push_back(std::move(value));
  }
  return true;
}

bool TextReader::get(JsonRef from, RareList<std::string>& roles) { return list(from, roles); }
bool TextReader::get(JsonRef from, Attributes& attributes) { return list(from, attributes); }
bool TextReader::get(JsonRef from, std::vector<Mapping>& mappings) { return list(from, mappings); }
bool TextReader::get(JsonRef from, std::vector<Member>& members) { return list(from, members); }
bool TextReader::get(JsonRef from, std::vector<VariantOption>& options) {
  return list(from, options);
}
bool TextReader::get(JsonRef from, std::vector<StreamKey>& keys) { return list(from, keys); }

bool TextReader::get(JsonRef from, Attribute& attribute) {
  Elements<3> parts;
  if (!parts.open(from, 2)) return expected(from, "[key, value] or [key, value, true]");
  if (!get(parts[0], attribute.key) || !get(parts[1], attribute.value)) return false;
  if (parts[2] && !get(parts[2], attribute.is_json)) return false;
  return sound(parts[1], attribute);
}

bool TextReader::sound(JsonRef at, const Attribute& attribute) {
  if (!attribute.is_json) return true;
  const std::string text = "[" + attribute.value + "]";
  const auto parsed = parser_.parse(as_bytes(text), 0, 1);
  const bool one = parsed && count_children((*parsed)->root()) == 1;
  return (one && (*parsed)->root().compact() == text) ||
         expected(at, "the text of a JSON value, without white space");
}

bool TextReader::bounds(JsonRef array, JsonRef first, IntegerRanges& ranges) {
  for (JsonRef at = first; at; at = at.next_sibling()) {
    IntegerRange range;
    if (!get(at, range.lower)) return false;
    at = at.next_sibling();
    if (!at && ranges.empty()) {
      range.upper = range.lower;
      ranges.push_back(range);
      return true;
    }
    if (!at) return expected(array, "an upper bound behind each lower bound");
    if (!get(at, range.upper)) return false;
    if (range.upper < range.lower) return expected(at, "a bound that is not below the one before");
    ranges.push_back(range);
  }
  return true;
}

bool TextReader::get(JsonRef from, IntegerRanges& ranges) {
  if (!from.is(JsonKind::kArray)) return expected(from, "an array of bounds");
  return bounds(from, from.first_child(), ranges);
}

bool TextReader::get(JsonRef from, Mapping& mapping) {
  const JsonRef label = from.is(JsonKind::kArray) ? from.first_child() : JsonRef();
  if (!label) return expected(from, "[label, value] or [label, lower bound, upper bound, ...]");
  return get(label, mapping.label) && bounds(from, label.next_sibling(), mapping.ranges);
}

bool TextReader::get(JsonRef from, FieldLocation& location) {
  JsonRef step = from.is(JsonKind::kArray) ? from.first_child() : JsonRef();
  if (!step) return expected(from, "[root, name or null, ...]");
  if (!get(step, location.root)) return false;
  while ((step = step.next_sibling())) {
    auto& name = location.path.emplace_back();
    if (!step.is(JsonKind::kNull) && !get(step, name)) return false;
  }
  return true;
}

bool TextReader::get(JsonRef from, Extent& extent) {
  JsonMembers object;
  const JsonRef only = object.open(from) ? from.first_child() : JsonRef();
  if (!only || only.next_sibling())
    return expected(from, "an object with one of: " + joined(std::span(kExtentWords).subspan(1)));
  const std::string_view word = only.key();
  if (word == kExtentWords[1]) return get(only, extent.emplace<StaticLength>().length);
  if (word == kExtentWords[2]) return whole_object(only, extent.emplace<LengthPrefixed>());
  if (word == kExtentWords[3]) return get(only, extent.emplace<LengthField>().location);
  bool rest = false;
  if (word != kExtentWords[4] || !get(only, rest) || !rest)
    return expected(from, "an object with one of: " + joined(std::span(kExtentWords).subspan(1)));
  extent = RestOfRecord{};
  return true;
}

bool TextReader::get(JsonRef from, Member& member) {
  Elements<3> parts;
  if (!parts.open(from, 2)) return expected(from, "[name, class] or [name, class, attributes]");
  return get(parts[0], member.name) && get(parts[1], member.field_class) &&
         (!parts[2] || get(parts[2], member.attributes));
}

bool TextReader::get(JsonRef from, VariantOption& option) {
  Elements<4> parts;
  if (!parts.open(from, 3))
    return expected(from, "[name, class, bounds] or [name, class, bounds, attributes]");
  return get(parts[0], option.name) && get(parts[1], option.field_class) &&
         get(parts[2], option.ranges) && (!parts[3] || get(parts[3], option.attributes));
}

bool TextReader::get(JsonRef from, StreamKey& key) {
  Elements<3> parts;
  if (!parts.open(from, 2)) return expected(from, "[name, value] or [name, value, digits]");
  if (!get(parts[0], key.name) || !get(parts[1], key.value)) return false;
  if (!parts[2]) return true;
  return get(parts[2], key.digits) &&
         (is_decimal(key.digits) || expected(parts[2], "decimal digits"));
}

}  // namespace tracedeck::lower

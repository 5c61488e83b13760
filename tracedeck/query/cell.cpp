#include "tracedeck/query/cell.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "tracedeck/base/varint_bytes.hpp"
#include "tracedeck/render/json.hpp"

namespace tracedeck::query {
namespace {

// The first byte of what `encode` appends.
enum class Tag : std::uint8_t {
  kUnknown,
  kFalse,
  kTrue,
  kUnsigned,  // a varint
  kNegative,  // the magnitude, as kUnsigned
  kWide,      // a sign, and 16 bytes of magnitude
  kReal,
  kText,
  kBlob,
  kJson,
  kLabelled,  // how many labels, each of them, and the integer
  kBuckets,   // how many, and of each both bounds and the count
  kEstimate,  // an integer that is one
  kCalled,    // how many other texts it is equal to, each of them, and the text
};

void put_tag(std::string& into, Tag tag) { into.push_back(static_cast<char>(tag)); }

void put_bytes(std::string& into, std::uint64_t value) {
  for (unsigned shift = 0; shift < 64; shift += 8)
    into.push_back(static_cast<char>(value >> shift & 0xFF));
}

void put_whole(std::string& into, const Integer& value) {
  const auto low = static_cast<std::uint64_t>(value.magnitude);
  if (value.magnitude == low) {
    put_tag(into, value.negative ? Tag::kNegative : Tag::kUnsigned);
    return put_varint(into, low);
  }
  put_tag(into, Tag::kWide);
  into.push_back(value.negative ? 1 : 0);
  put_bytes(into, low);
  put_bytes(into, static_cast<std::uint64_t>(value.magnitude >> 64));
}

void put_real_value(std::string& into, double value) {
  put_tag(into, Tag::kReal);
  // Both zeros are one value, and all NaN.
  put_real(into, value == 0 ? 0 : value != value ? __builtin_nan("") : value);
}

// Returns whether there are any.
bool put_labels(std::string& into, const Value& value) {
  if (!may_have_labels(value)) return false;
  std::size_t count = 0;
  (void)any_text(value, [&](std::string_view) {
    ++count;
    return false;
  });
  if (count == 0) return false;
  put_tag(into, Tag::kLabelled);
  put_varint(into, count);
  (void)any_text(value, [&](std::string_view text) {
    put_text(into, text);
    return false;
  });
  return true;
}

// Whether a text is equal to others.
bool is_called(const Value& value) {
  return value.kind == Value::Kind::kText && value.names != nullptr && !value.names->empty();
}

void put_called(std::string& into, const Value& value) {
  put_tag(into, Tag::kCalled);
  put_varint(into, value.names->size());
  for (const std::string& name : *value.names) put_text(into, name);
  put_text(into, value.text);
}

std::vector<std::string> labels_of(const Value& value) {
  std::vector<std::string> labels;
  if (!may_have_labels(value)) return labels;
  (void)any_text(value, [&](std::string_view text) {
    labels.emplace_back(text);
    return false;
  });
  return labels;
}

std::string json_of(const Value& value) {
  TextBuffer out(nullptr, 256);
  render::JsonValues values;
  values.append(out, value.slot, value.field_class);
  return std::string(out.view());
}

std::optional<std::uint64_t> take_bytes(std::span<const std::uint8_t>& bytes) {
  if (bytes.size() < 8) return std::nullopt;
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  bytes = bytes.subspan(8);
  return value;
}

std::optional<Cell> take_wide(std::span<const std::uint8_t>& bytes) {
  if (bytes.empty()) return std::nullopt;
  const bool negative = bytes.front() != 0;
  bytes = bytes.subspan(1);
  const auto low = take_bytes(bytes);
  const auto high = take_bytes(bytes);
  if (!low || !high) return std::nullopt;
  return Cell::of(Integer::of(Uint128{*high} << 64 | *low, negative));
}

std::optional<Cell> take_text_cell(Cell::Kind kind, std::span<const std::uint8_t>& bytes) {
  const auto text = take_text(bytes);
  if (!text) return std::nullopt;
  // JSON of ours is one line, and so is what it is put into.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (kind == Cell::Kind::kJson && std::ranges::any_of(*text, is_control)) return std::nullopt;
  return Cell{.kind = kind, .text = std::string(*text)};
}

std::optional<Cell> take_integer_cell(Tag tag, std::span<const std::uint8_t>& bytes) {
  const auto value = take_varint(bytes);
  if (!value) return std::nullopt;
  return Cell::of(Integer::of(*value, tag == Tag::kNegative));
}

// The integer that labels are of, which has none of its own.
std::optional<Cell> take_plain_integer(std::span<const std::uint8_t>& bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto tag = static_cast<Tag>(bytes.front());
  bytes = bytes.subspan(1);
  if (tag == Tag::kWide) return take_wide(bytes);
  if (tag != Tag::kUnsigned && tag != Tag::kNegative) return std::nullopt;
  return take_integer_cell(tag, bytes);
}

std::optional<std::vector<std::string>> take_labels(std::span<const std::uint8_t>& bytes) {
  const auto count = take_varint(bytes);
  if (!count || *count > bytes.size()) return std::nullopt;
  std::vector<std::string> labels;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto label = take_text(bytes);
    if (!label) return std::nullopt;
    labels.emplace_back(*label);
  }
  return labels;
}

std::optional<Cell> take_labelled(std::span<const std::uint8_t>& bytes) {
  auto labels = take_labels(bytes);
  auto cell = labels ? take_plain_integer(bytes) : std::nullopt;
  if (cell) cell->labels = *std::move(labels);
  return cell;
}

std::optional<Cell> take_called(std::span<const std::uint8_t>& bytes) {
  auto names = take_labels(bytes);
  auto cell = names ? take_text_cell(Cell::Kind::kText, bytes) : std::nullopt;
  if (cell) cell->labels = *std::move(names);
  return cell;
}

std::optional<Cell> take_estimate(std::span<const std::uint8_t>& bytes) {
  auto cell = take_plain_integer(bytes);
  if (cell) cell->is_estimate = true;
  return cell;
}

std::optional<Cell> take_buckets(std::span<const std::uint8_t>& bytes) {
  const auto count = take_varint(bytes);
  if (!count) return std::nullopt;
  Cell cell{.kind = Cell::Kind::kBuckets};
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto lower = take_real(bytes);
    const auto upper = take_real(bytes);
    const auto held = take_varint(bytes);
    if (!lower || !upper || !held) return std::nullopt;
    cell.buckets.push_back({.lower = *lower, .upper = *upper, .count = *held});
  }
  return cell;
}

void put_buckets(std::string& into, const std::vector<Histogram::Bucket>& buckets) {
  put_tag(into, Tag::kBuckets);
  put_varint(into, buckets.size());
  for (const Histogram::Bucket& bucket : buckets) {
    put_real(into, bucket.lower);
    put_real(into, bucket.upper);
    put_varint(into, bucket.count);
  }
}

// Kinds that are put in order by themselves, in the order of the kinds: unknown values, numbers,
// texts.
constexpr unsigned kKindBits = 2;
std::uint64_t rank(std::uint64_t kind, std::uint64_t within) {
  return kind << (64 - kKindBits) | within >> kKindBits;
}

std::uint64_t rank_of_number(double value) {
  // NaN before all others, both zeros alike.
  if (value != value) return rank(1, 0);
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return rank(1, (bits & kSign) != 0 ? ~bits : bits | kSign);
}

std::uint64_t rank_of_text(std::string_view text) {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < 8; ++i)
    first = first << 8 | (i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0);
  return rank(2, first);
}

bool is_tagged(std::span<const std::uint8_t> bytes, Tag tag) {
  return !bytes.empty() && bytes.front() == static_cast<std::uint8_t>(tag);
}

int kind_rank_of(Cell::Kind kind) {
  switch (kind) {
    case Cell::Kind::kUnknown:
      return 0;
    case Cell::Kind::kBoolean:
    case Cell::Kind::kInteger:
    case Cell::Kind::kReal:
      return 1;
    default:
      return 2;
  }
}

}  // namespace

Cell Cell::of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kUnknown:
      return {};
    case Value::Kind::kBoolean:
      return {.kind = Kind::kBoolean, .boolean = value.boolean};
    case Value::Kind::kInteger:
      return {.kind = Kind::kInteger,
              .is_estimate = value.is_estimate,
              .integer = value.integer,
              .labels = labels_of(value)};
    case Value::Kind::kReal:
      return of(value.real);
    case Value::Kind::kText:
      return {.kind = value.is_json ? Kind::kJson : Kind::kText,
              .text = std::string(value.text),
              .labels = is_called(value) ? *value.names : std::vector<std::string>()};
    case Value::Kind::kBlob:
      return {.kind = Kind::kBlob, .text = std::string(value.text)};
    case Value::Kind::kWide:
    case Value::Kind::kCompound:
      return {.kind = Kind::kJson, .text = json_of(value)};
    case Value::Kind::kBuckets:
      return {.kind = Kind::kBuckets, .buckets = *value.buckets};
  }
  return {};
}

Value Cell::value() const {
  switch (kind) {
    case Kind::kBoolean:
      return Value::of(boolean);
    case Kind::kInteger: {
      Value value = Value::of(integer);
      if (!labels.empty()) value.names = &labels;
      value.is_estimate = is_estimate;
      return value;
    }
    case Kind::kReal:
      return Value::of(real);
    case Kind::kText:
    case Kind::kJson:
      return {.kind = Value::Kind::kText,
              .is_json = kind == Kind::kJson,
              .text = text,
              .names = labels.empty() ? nullptr : &labels};
    case Kind::kBlob:
      return {.kind = Value::Kind::kBlob, .text = text};
    case Kind::kBuckets:
      return {.kind = Value::Kind::kBuckets, .buckets = &buckets};
    case Kind::kUnknown:
      break;
  }
  return {};
}

void encode(std::string& into, const Value& value) {
  if (value.kind == Value::Kind::kInteger) {
    if (!put_labels(into, value) && value.is_estimate) put_tag(into, Tag::kEstimate);
  }
  if (value.kind == Value::Kind::kBuckets) return put_buckets(into, *value.buckets);
  if (is_called(value)) return put_called(into, value);
  encode_plain(into, value);
}

bool has_any_label(const Value& value) {
  return value.kind == Value::Kind::kInteger && may_have_labels(value) &&
         any_text(value, [](std::string_view) { return true; }).value_or(false);
}

void encode_plain(std::string& into, const Value& value) {
  switch (value.kind) {
    case Value::Kind::kUnknown:
      return put_tag(into, Tag::kUnknown);
    case Value::Kind::kBoolean:
      return put_tag(into, value.boolean ? Tag::kTrue : Tag::kFalse);
    case Value::Kind::kInteger:
      return put_whole(into, value.integer);
    case Value::Kind::kReal:
      return put_real_value(into, value.real);
    case Value::Kind::kText:
      put_tag(into, value.is_json ? Tag::kJson : Tag::kText);
      return put_text(into, value.text);
    case Value::Kind::kBlob:
      put_tag(into, Tag::kBlob);
      return put_text(into, value.text);
    case Value::Kind::kWide:
    case Value::Kind::kCompound:
      put_tag(into, Tag::kJson);
      return put_text(into, json_of(value));
    case Value::Kind::kBuckets:
      return put_tag(into, Tag::kUnknown);  // nothing is grouped by them
  }
}

bool encode_equal(std::string& into, const Value& value) {
  switch (value.kind) {
    case Value::Kind::kUnknown:
    case Value::Kind::kBuckets:
      return false;
    case Value::Kind::kBoolean:
      put_whole(into, Integer::from(std::uint64_t{value.boolean}));
      return true;
    case Value::Kind::kReal: {
      if (value.real != value.real) return false;
      constexpr double kIntegers = 0x1p128;
      const double size = std::fabs(value.real);
      if (size < kIntegers && size == std::floor(size)) {
        put_whole(into, Integer::of(static_cast<Uint128>(size), value.real < 0));
        return true;
      }
      break;
    }
    case Value::Kind::kBlob:
      put_tag(into, Tag::kText);
      put_text(into, value.text);
      return true;
    default:
      break;
  }
  encode_plain(into, value);
  return true;
}

void encode(std::string& into, const Cell& cell) { encode(into, cell.value()); }

std::optional<Cell> decode_cell(std::span<const std::uint8_t>& bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto tag = static_cast<Tag>(bytes.front());
  bytes = bytes.subspan(1);
  switch (tag) {
    case Tag::kUnknown:
      return Cell{};
    case Tag::kFalse:
    case Tag::kTrue:
      return Cell{.kind = Cell::Kind::kBoolean, .boolean = tag == Tag::kTrue};
    case Tag::kUnsigned:
    case Tag::kNegative:
      return take_integer_cell(tag, bytes);
    case Tag::kWide:
      return take_wide(bytes);
    case Tag::kReal: {
      const auto real = take_real(bytes);
      return real ? std::optional(Cell::of(*real)) : std::nullopt;
    }
    case Tag::kText:
      return take_text_cell(Cell::Kind::kText, bytes);
    case Tag::kBlob:
      return take_text_cell(Cell::Kind::kBlob, bytes);
    case Tag::kJson:
      return take_text_cell(Cell::Kind::kJson, bytes);
    case Tag::kLabelled:
      return take_labelled(bytes);
    case Tag::kBuckets:
      return take_buckets(bytes);
    case Tag::kEstimate:
      return take_estimate(bytes);
    case Tag::kCalled:
      return take_called(bytes);
  }
  return std::nullopt;
}

std::vector<Cell> decode_cells(std::span<const std::uint8_t> bytes) {
  std::vector<Cell> cells;
  while (!bytes.empty()) cells.push_back(decode_cell(bytes).value_or(Cell()));
  return cells;
}

std::weak_ordering order_of(const Cell& a, const Cell& b) {
  const int kind = kind_rank_of(a.kind);
  if (kind != kind_rank_of(b.kind)) return kind <=> kind_rank_of(b.kind);
  if (kind != 1) return a.text.compare(b.text) <=> 0;
  const auto order = compare(a.value(), b.value());
  if (order && *order != std::partial_ordering::unordered) {
    return *order < 0   ? std::weak_ordering::less
           : *order > 0 ? std::weak_ordering::greater
                        : std::weak_ordering::equivalent;
  }
  // NaN comes before all numbers.
  const auto is_nan = [](const Cell& cell) {
    return cell.kind == Cell::Kind::kReal && cell.real != cell.real;
  };
  return is_nan(b) <=> is_nan(a);
}

std::weak_ordering order_of(std::span<const std::uint8_t>& a, std::span<const std::uint8_t>& b) {
  if (is_tagged(a, Tag::kUnsigned) && is_tagged(b, Tag::kUnsigned)) {
    a = a.subspan(1);
    b = b.subspan(1);
    return take_varint(a).value_or(0) <=> take_varint(b).value_or(0);
  }
  if (is_tagged(a, Tag::kText) && is_tagged(b, Tag::kText)) {
    a = a.subspan(1);
    b = b.subspan(1);
    return take_text(a).value_or("").compare(take_text(b).value_or("")) <=> 0;
  }
  const auto left = decode_cell(a);
  const auto right = decode_cell(b);
  return order_of(left.value_or(Cell()), right.value_or(Cell()));
}

std::weak_ordering order_of_first(std::size_t values, std::span<const std::uint8_t> a,
                                  std::span<const std::uint8_t> b) {
  std::span<const std::uint8_t> left_of_a = a;
  std::span<const std::uint8_t> left_of_b = b;
  for (; values > 0; --values) {
    if (const auto order = order_of(left_of_a, left_of_b); order != 0) return order;
  }
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

std::uint64_t rank_of(std::span<const std::uint8_t> bytes) {
  if (is_tagged(bytes, Tag::kUnsigned)) {
    bytes = bytes.subspan(1);
    return rank_of_number(static_cast<double>(take_varint(bytes).value_or(0)));
  }
  if (is_tagged(bytes, Tag::kText)) {
    bytes = bytes.subspan(1);
    return rank_of_text(take_text(bytes).value_or(""));
  }
  const Cell cell = decode_cell(bytes).value_or(Cell());
  switch (cell.kind) {
    case Cell::Kind::kUnknown:
      return 0;
    case Cell::Kind::kBoolean:
      return rank_of_number(cell.boolean ? 1 : 0);
    case Cell::Kind::kInteger:
      return rank_of_number(cell.integer.to_real());
    case Cell::Kind::kReal:
      return rank_of_number(cell.real);
    default:
      return rank_of_text(cell.text);
  }
}

}  // namespace tracedeck::query

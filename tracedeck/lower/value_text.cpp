#include "tracedeck/lower/value_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/lower/packed_array.hpp"
#include "tracedeck/lower/wide_integer.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::lower {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// A byte that is no UTF-8 is written as a low surrogate alone, which no text can hold.
constexpr std::uint32_t kLoneByte = 0xDC00;

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  const auto* at = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::uint8_t* const end = at + text.size();
  while (at < end) {
    const std::uint8_t* const plain = at;
    while (at < end && *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\') ++at;
    out.append(reinterpret_cast<const char*>(plain), static_cast<std::size_t>(at - plain));
    if (at == end) break;
    const Utf8Step step = utf8_step(at, end);
    if (!step.valid) {
      for (std::uint32_t i = 0; i < step.length; ++i)
        out += fmt::format("\\u{:04x}", kLoneByte + at[i]);
    } else if (*at == '"' || *at == '\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(*at));
    } else if (step.code_point < 0x20) {
      out += fmt::format("\\u{:04x}", *at);
    } else {
      out.append(reinterpret_cast<const char*>(at), step.length);
    }
    at += step.length;
  }
  out.push_back('"');
}

namespace {

void append_hexadecimal(std::string& out, ByteSpan bytes) {
  out.push_back('"');
  for (const std::uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  out.push_back('"');
}

void append_real(std::string& out, double value) {
  if (std::isfinite(value)) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    out.append(text, end);
  } else if (std::isinf(value)) {
    out += value < 0 ? "\"-inf\"" : "\"inf\"";
  } else {
    out += fmt::format("\"nan:{:016x}\"", std::bit_cast<std::uint64_t>(value));
  }
}

// What a slot is that carries its own type, as a word.
std::string_view type_word(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kBoolean:
      return "bool";
    case SlotKind::kUnsigned:
      if (slot.detail == 8) return "u8";
      if (slot.detail == 16) return "u16";
      if (slot.detail == 32) return "u32";
      return "uint";
    case SlotKind::kSigned:
      return "int";
    case SlotKind::kReal:
      return "real";
    case SlotKind::kString:
      return (slot.flags & kSlotInterned) != 0 ? "pooled" : "string";
    case SlotKind::kBlob:
      return "bytes";
    case SlotKind::kPackedArray:
      return (slot.flags & kSlotInterned) != 0 ? "pooled-stack" : "stack";
    case SlotKind::kArray:
      return "list";
    case SlotKind::kStringMap:
      return "strings";
    case SlotKind::kMap:
      return "map";
    default:
      return "unresolved";
  }
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  // `field_class`: null for values that carry their own type.
  const Slot* value(const Slot* slot, const FieldClass* field_class) {
    if (field_class != nullptr && field_class->as<DynamicClass>() != nullptr) return dynamic(slot);
    switch (slot->kind) {
      case SlotKind::kBoolean:
        out_ += slot->bits != 0 ? "true" : "false";
        return slot + 1;
      case SlotKind::kUnsigned:
      case SlotKind::kUnresolved:
        append_integer(out_, slot->bits);
        return slot + 1;
      case SlotKind::kSigned:
        append_integer(out_, slot->integer);
        return slot + 1;
      case SlotKind::kReal:
        append_real(out_, slot->real);
        return slot + 1;
      case SlotKind::kString:
        append_quoted(out_, slot->text());
        return slot + 1;
      case SlotKind::kBlob:
      case SlotKind::kWideReal:
        append_hexadecimal(out_, slot->bytes());
        return slot + 1;
      case SlotKind::kWideUnsigned:
      case SlotKind::kWideSigned:
        out_.push_back('"');
        append_wide_integer(out_, *slot);
        out_.push_back('"');
        return slot + 1;
      case SlotKind::kPackedArray:
        return packed(*slot);
      case SlotKind::kArray:
        return array(slot, field_class);
      case SlotKind::kStructure:
        return structure(slot, field_class);
      case SlotKind::kStringMap:
      case SlotKind::kMap:
        return map(slot, field_class);
      case SlotKind::kOptional:
        return optional(slot, field_class);
      case SlotKind::kVariant:
        return variant(slot, field_class);
    }
    return slot + 1;
  }

 private:
  const Slot* dynamic(const Slot* slot) {
    out_ += fmt::format("{{\"{}\":", type_word(*slot));
    static const FieldClass kAny{.kind = DynamicClass{}};
    const Slot* const end = slot->next();
    if (slot->kind == SlotKind::kArray) {
      list('[', ']', slot + 1, end, [&](const Slot* at) { return value(at, &kAny); });
    } else if (slot->kind == SlotKind::kUnresolved) {
      // Of which pool is known to who reads the format.
      out_ += fmt::format("[{},{}]", slot->detail, slot->bits);
    } else if (slot->kind == SlotKind::kMap) {
      list('[', ']', slot + 1, end, [&](const Slot* at) { return pair(at, &kAny, &kAny); });
    } else {
      value(slot, nullptr);
    }
    out_.push_back('}');
    return end;
  }

  template <class One>
  void list(char open, char close, const Slot* at, const Slot* end, One one) {
    out_.push_back(open);
    for (bool first = true; at < end; first = false) {
      if (!first) out_.push_back(',');
      at = one(at);
    }
    out_.push_back(close);
  }

  const Slot* packed(const Slot& slot) {
    out_.push_back('[');
    for (std::size_t i = 0; i < packed_count(slot); ++i) {
      if (i != 0) out_.push_back(',');
      const Slot element = packed_element(slot, i);
      value(&element, nullptr);
    }
    out_.push_back(']');
    return &slot + 1;
  }

  const Slot* array(const Slot* slot, const FieldClass* field_class) {
    const FieldClass* const element = element_class(field_class);
    list('[', ']', slot + 1, slot->next(), [&](const Slot* at) { return value(at, element); });
    return slot->next();
  }

  const Slot* structure(const Slot* slot, const FieldClass* field_class) {
    const auto* const of = field_class == nullptr ? nullptr : field_class->as<StructureClass>();
    std::size_t index = 0;
    list('{', '}', slot + 1, slot->next(), [&](const Slot* at) {
      const bool known = of != nullptr && index < of->members.size();
      append_quoted(out_, known ? std::string_view(of->members[index].name) : "");
      out_.push_back(':');
      const FieldClass* const member = known ? of->members[index].field_class.get() : nullptr;
      ++index;
      return value(at, member);
    });
    return slot->next();
  }

  const Slot* pair(const Slot* at, const FieldClass* key, const FieldClass* of) {
    out_.push_back('[');
    at = value(at, key);
    out_.push_back(',');
    at = value(at, of);
    out_.push_back(']');
    return at;
  }

  const Slot* map(const Slot* slot, const FieldClass* field_class) {
    const auto* const map = field_class == nullptr ? nullptr : field_class->as<MapClass>();
    const FieldClass* const key = map == nullptr ? nullptr : map->key.get();
    const FieldClass* const of = map == nullptr ? nullptr : map->value.get();
    if (key != nullptr && key->as<StringClass>() == nullptr) {
      list('[', ']', slot + 1, slot->next(), [&](const Slot* at) { return pair(at, key, of); });
      return slot->next();
    }
    list('{', '}', slot + 1, slot->next(), [&](const Slot* at) {
      append_quoted(out_, at->text());
      out_.push_back(':');
      return value(at + 1, of);
    });
    return slot->next();
  }

  const Slot* optional(const Slot* slot, const FieldClass* field_class) {
    if (slot->bits == 0) {
      out_ += "null";
      return slot + 1;
    }
    const FieldClass* const held = held_class(*slot, field_class);
    const bool wrapped = held != nullptr && held->as<OptionalClass>() != nullptr;
    if (wrapped) out_.push_back('[');
    const Slot* const end = value(slot + 1, held);
    if (wrapped) out_.push_back(']');
    return end;
  }

  const Slot* variant(const Slot* slot, const FieldClass* field_class) {
    out_.push_back('{');
    append_quoted(out_, option_word(field_class, slot->bits));
    out_.push_back(':');
    const Slot* const end = value(slot + 1, held_class(*slot, field_class));
    out_.push_back('}');
    return end;
  }

  static std::string option_word(const FieldClass* field_class, std::uint64_t index) {
    const auto* const of = field_class == nullptr ? nullptr : field_class->as<VariantClass>();
    std::string by_index = fmt::format("#{}", index);
    if (of == nullptr || index >= of->options.size()) return by_index;
    const Name& name = of->options[index].name;
    if (std::string_view(name).starts_with('#')) return by_index;
    const auto count = std::ranges::count(of->options, name, &VariantOption::name);
    return count == 1 ? name.str() : by_index;
  }

  std::string& out_;
};

class Parser {
 public:
  Parser(std::string_view text, std::vector<Slot>& slots, ByteArena& arena)
      : at_(text.data()), end_(at_ + text.size()), slots_(slots), arena_(arena) {}

  bool whole(const FieldClass& field_class) { return value(field_class) && at_ == end_; }

 private:
  bool value(const FieldClass& field_class) {
    return std::visit([this](const auto& of) { return read(of); }, field_class.kind);
  }

  [[nodiscard]] bool accept(char wanted) {
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool accept(std::string_view wanted) {
    if (!std::string_view(at_, end_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  bool add(const Slot& slot) {
    slots_.push_back(slot);
    return true;
  }

  bool read(const BooleanClass&) {
    if (accept("true")) return add(boolean_slot(true));
    return accept("false") && add(boolean_slot(false));
  }

  bool read(const IntegerClass& integer) {
    if (at_ != end_ && *at_ == '"') return wide(integer);
    const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
    if (fixed != nullptr && fixed->width > 64) return false;
    return integer.is_signed ? number<std::int64_t>(fixed) : number<std::uint64_t>(fixed);
  }

  template <class T>
  bool number(const FixedLayout* fixed) {
    T value = 0;
    if (!digits(value)) return false;
    const Slot slot = [value] {
      if constexpr (std::is_signed_v<T>)
        return signed_slot(value);
      else
        return unsigned_slot(value);
    }();
    return has_width(slot, fixed == nullptr ? 0 : fixed->width) && add(slot);
  }
  template <class T>
  bool digits(T& value) {
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc()) return false;
    at_ = stop;
    return true;
  }
  bool wide(const IntegerClass& integer) {
    std::string_view text;
    if (!plain_string(text)) return false;
    const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
    const auto slot =
        parse_wide_integer(text, integer.is_signed,
                           fixed == nullptr ? std::nullopt : std::optional(fixed->width), arena_);
    return slot && add(*slot);
  }

  bool read(const RealClass& real) {
    if (real.layout.width > 64) {
      std::vector<std::uint8_t> bytes;
      if (!hexadecimal(bytes) || bytes.size() != real.layout.width / 8) return false;
      return add(bytes_slot(SlotKind::kWideReal, arena_.keep(bytes),
                            static_cast<std::uint32_t>(bytes.size())));
    }
    return real_number();
  }
  bool real_number() {
    double value = 0;
    if (at_ != end_ && *at_ == '"') {
      std::string_view text;
      if (!plain_string(text)) return false;
      if (text == "inf") return add(real_slot(HUGE_VAL));
      if (text == "-inf") return add(real_slot(-HUGE_VAL));
      std::uint64_t bits = 0;
      if (!text.starts_with("nan:")) return false;
      const char* const last = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data() + 4, last, bits, 16);
      value = std::bit_cast<double>(bits);
      return error == std::errc() && stop == last && std::isnan(value) && add(real_slot(value));
    }
    return digits(value) && add(real_slot(value));
  }

  bool read(const StringClass& of) {
    if (of.interned && is_number()) return unresolved();
    return string(0);
  }
  // A pool entry that is not known.
  [[nodiscard]] bool is_number() const { return at_ < end_ && *at_ >= '0' && *at_ <= '9'; }
  bool unresolved() {
    std::uint64_t id = 0;
    return digits(id) && add(unresolved_slot(id));
  }
  bool unresolved_of_pool() {
    std::uint8_t pool = 0;
    if (!accept('[') || !digits(pool) || !accept(',') || !unresolved() || !accept(']'))
      return false;
    slots_.back().detail = pool;
    return true;
  }
  bool string(std::uint8_t flags) {
    std::string text;
    if (!any_string(text)) return false;
    return add(bytes_slot(SlotKind::kString, arena_.keep(as_bytes(text)),
                          static_cast<std::uint32_t>(text.size()), flags));
  }

  bool read(const BlobClass&) {
    std::vector<std::uint8_t> bytes;
    if (!hexadecimal(bytes)) return false;
    return add(
        bytes_slot(SlotKind::kBlob, arena_.keep(bytes), static_cast<std::uint32_t>(bytes.size())));
  }

  // Elements up to `close`, each read by `one`, behind a head of `kind`. How many: in `count`.
  template <class One>
  bool elements(SlotKind kind, char open, char close, One one) {
    if (!accept(open)) return false;
    const std::size_t head = slots_.size();
    add(head_slot(kind, 0, 0));
    std::uint64_t count = 0;
    if (!accept(close)) {
      do {
        if (!one(count)) return false;
        ++count;
      } while (accept(','));
      if (!accept(close)) return false;
    }
    close_head(head, count);
    return true;
  }
  void close_head(std::size_t head, std::uint64_t bits) {
    slots_[head].bits = bits;
    slots_[head].length = static_cast<std::uint32_t>(slots_.size() - head - 1);
  }

  bool read(const ArrayClass& array) {
    if (array.interned && is_number()) return unresolved();
    const std::size_t head = slots_.size();
    if (!elements(SlotKind::kArray, '[', ']', [&](std::uint64_t) { return value(*array.element); }))
      return false;
    const auto* const fixed = std::get_if<StaticLength>(&array.extent);
    if (fixed != nullptr && slots_[head].bits != fixed->length) return false;
    pack_array(slots_, head, *array.element, arena_);
    return true;
  }

  bool read(const StructureClass& structure) {
    const auto& members = structure.members;
    const std::size_t head = slots_.size();
    if (!elements(SlotKind::kStructure, '{', '}', [&](std::uint64_t index) {
          std::string name;
          return index < members.size() && any_string(name) &&
                 name == std::string_view(members[index].name) && accept(':') &&
                 value(*members[index].field_class);
        }))
      return false;
    const bool whole = slots_[head].bits == members.size();
    slots_[head].bits = 0;
    return whole;
  }

  bool pair(const FieldClass& key, const FieldClass& of) {
    return accept('[') && value(key) && accept(',') && value(of) && accept(']');
  }

  bool read(const MapClass& map) {
    if (map.key->as<StringClass>() == nullptr)
      return elements(SlotKind::kMap, '[', ']',
                      [&](std::uint64_t) { return pair(*map.key, *map.value); });
    const bool strings = map.value->as<StringClass>() != nullptr;
    return elements(strings ? SlotKind::kStringMap : SlotKind::kMap, '{', '}',
                    [&](std::uint64_t) { return string(0) && accept(':') && value(*map.value); });
  }

  bool read(const OptionalClass& optional) {
    const std::size_t head = slots_.size();
    add(head_slot(SlotKind::kOptional, 0, 0));
    if (accept("null")) return true;
    const bool wrapped = optional.value->as<OptionalClass>() != nullptr;
    if ((wrapped && !accept('[')) || !value(*optional.value) || (wrapped && !accept(']')))
      return false;
    close_head(head, 1);
    return true;
  }

  bool read(const VariantClass& variant) {
    std::string word;
    if (!accept('{') || !any_string(word) || !accept(':')) return false;
    const auto index = option_index(variant, word);
    if (!index) return false;
    const std::size_t head = slots_.size();
    add(head_slot(SlotKind::kVariant, 0, 0));
    if (!value(*variant.options[*index].field_class)) return false;
    close_head(head, *index);
    return accept('}');
  }
  static std::optional<std::size_t> option_index(const VariantClass& of, std::string_view word) {
    if (word.starts_with('#')) {
      std::size_t index = 0;
      const char* const last = word.data() + word.size();
      const auto [stop, error] = std::from_chars(word.data() + 1, last, index);
      const bool good = error == std::errc() && stop == last && index < of.options.size();
      return good ? std::optional(index) : std::nullopt;
    }
    const auto found = std::ranges::find_if(
        of.options, [&](const VariantOption& option) { return option.name == word; });
    if (found == of.options.end()) return std::nullopt;
    return static_cast<std::size_t>(found - of.options.begin());
  }

  bool read(const DynamicClass& any) {
    if (++depth_ > kMostNesting) return false;
    std::string_view type;
    const bool good =
        accept('{') && plain_string(type) && accept(':') && dynamic(type, any) && accept('}');
    --depth_;
    return good;
  }

  bool unsigned_of(std::uint8_t width) {
    const FixedLayout layout{.width = width};
    if (!number<std::uint64_t>(width == 0 ? nullptr : &layout)) return false;
    slots_.back().detail = width;
    return true;
  }

  bool dynamic(std::string_view type, const DynamicClass& any) {
    static const FieldClass kAny{.kind = DynamicClass{}};
    if (type == "bool") return read(BooleanClass{});
    if (type == "u8") return unsigned_of(8);
    if (type == "u16") return unsigned_of(16);
    if (type == "u32") return unsigned_of(32);
    if (type == "uint") return unsigned_of(0);
    if (type == "int") return number<std::int64_t>(nullptr);
    if (type == "real") return real_number();
    if (type == "string") return string(0);
    if (type == "pooled") return string(kSlotInterned);
    if (type == "bytes") return read(BlobClass{});
    if (type == "stack") return stack(0);
    if (type == "pooled-stack") return stack(kSlotInterned);
    if (type == "unresolved") return unresolved_of_pool();
    if (type == "list")
      return elements(SlotKind::kArray, '[', ']', [&](std::uint64_t) { return read(any); });
    if (type == "map")
      return elements(SlotKind::kMap, '[', ']', [&](std::uint64_t) { return pair(kAny, kAny); });
    if (type == "strings") {
      return elements(SlotKind::kStringMap, '{', '}',
                      [&](std::uint64_t) { return string(0) && accept(':') && string(0); });
    }
    return false;
  }

  bool stack(std::uint8_t flags) {
    std::vector<std::uint8_t> bytes;
    if (!accept('[')) return false;
    if (!accept(']')) {
      do {
        std::uint64_t frame = 0;
        if (!digits(frame)) return false;
        bytes.resize(bytes.size() + sizeof frame);
        store_le(bytes.data() + bytes.size() - sizeof frame, frame);
      } while (accept(','));
      if (!accept(']')) return false;
    }
    return add(packed_slot(PackedElement::kU64Le, arena_.keep(bytes),
                           static_cast<std::uint32_t>(bytes.size()),
                           static_cast<std::uint8_t>(flags | kSlotAddress)));
  }

  // A string without escapes.
  bool plain_string(std::string_view& text) {
    if (!accept('"')) return false;
    const char* const begin = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\') ++at_;
    text = {begin, at_};
    return accept('"');
  }

  bool any_string(std::string& text) {
    if (!accept('"')) return false;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ != '\\') {
        text.push_back(*at_++);
        continue;
      }
      if (!escape(text)) return false;
    }
    return accept('"');
  }
  bool escape(std::string& text) {
    ++at_;
    if (at_ == end_) return false;
    if (*at_ == '"' || *at_ == '\\') {
      text.push_back(*at_++);
      return true;
    }
    std::uint32_t unit = 0;
    if (!accept('u') || end_ - at_ < 4 || std::from_chars(at_, at_ + 4, unit, 16).ptr != at_ + 4)
      return false;
    at_ += 4;
    // What was written so: control characters, and bytes that are no UTF-8.
    const bool is_byte = unit >= kLoneByte + 0x80 && unit <= kLoneByte + 0xFF;
    if (!is_byte && unit >= 0x20) return false;
    text.push_back(static_cast<char>(unit & 0xFF));
    return true;
  }

  bool hexadecimal(std::vector<std::uint8_t>& bytes) {
    std::string_view text;
    if (!plain_string(text) || text.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < text.size(); i += 2) {
      const std::size_t high = kDigits.find(text[i]);
      const std::size_t low = kDigits.find(text[i + 1]);
      if (high == std::string_view::npos || low == std::string_view::npos) return false;
      bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
    }
    return true;
  }

  // Values with types of their own, within one another.
  static constexpr std::size_t kMostNesting = 256;

  const char* at_;
  const char* end_;
  std::vector<Slot>& slots_;
  ByteArena& arena_;
  std::size_t depth_ = 0;
};

}  // namespace

const Slot* append_value_text(std::string& out, const Slot* slot, const FieldClass& field_class) {
  return Writer(out).value(slot, &field_class);
}

bool has_width(const Slot& slot, std::uint32_t width) {
  if (width == 0 || width >= 64) return true;
  if (slot.kind != SlotKind::kSigned) return slot.bits >> width == 0;
  const std::int64_t most = (std::int64_t{1} << (width - 1)) - 1;
  return slot.integer <= most && slot.integer >= -most - 1;
}

bool parse_value_text(std::string_view text, const FieldClass& field_class,
                      std::vector<Slot>& slots, ByteArena& arena) {
  return Parser(text, slots, arena).whole(field_class);
}

}  // namespace tracedeck::lower

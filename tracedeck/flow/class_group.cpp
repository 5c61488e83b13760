#include "tracedeck/flow/class_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tracedeck/model/units.hpp"

namespace tracedeck::flow {
namespace {

// Writes a field class as text. A compound class that came before is written as its number, so
// that the text does not grow faster than the description where classes are shared.
class SignatureText {
 public:
  explicit SignatureText(Units units) : units_(units) {}

  void add_text(std::string_view text) { text_ += fmt::format("{}:{}", text.size(), text); }

  void add_number(const std::optional<std::uint64_t>& number) {
    if (number) text_ += fmt::format("#{}", *number);
    text_ += ';';
  }

  void add(const FieldClassPtr& field_class) {
    if (field_class == nullptr) {
      text_ += '-';
      return;
    }
    std::visit([&](const auto& kind) { add_kind(*field_class, kind); }, field_class->kind);
    text_ += ';';
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void add_word(const FieldClass& field_class) { text_ += kind_name(field_class); }

  // Whether the class is to be spelled out; its number is written in any case.
  bool begin_compound(const FieldClass& field_class) {
    const auto [place, is_new] = numbers_.try_emplace(&field_class, numbers_.size());
    text_ += fmt::format("@{}", place->second);
    if (is_new) add_word(field_class);
    return is_new;
  }

  void add_kind(const FieldClass& field_class, const DynamicClass&) { add_word(field_class); }
  void add_kind(const FieldClass& field_class, const BlobClass&) { add_word(field_class); }
  void add_kind(const FieldClass& field_class, const BooleanClass& boolean) {
    add_word(field_class);
    add_number(boolean.layout.width);
  }
  void add_kind(const FieldClass& field_class, const RealClass& real) {
    add_word(field_class);
    add_number(real.layout.width);
  }
  void add_kind(const FieldClass& field_class, const IntegerClass& integer) {
    add_word(field_class);
    if (const auto* layout = std::get_if<FixedLayout>(&integer.layout)) add_number(layout->width);
  }
  void add_kind(const FieldClass& field_class, const StringClass& string) {
    add_word(field_class);
    if (string.interned) text_ += "^";
  }
  void add_kind(const FieldClass& field_class, const ArrayClass& array) {
    if (!begin_compound(field_class)) return;
    if (array.interned) text_ += "^";
    add(array.element);
  }
  void add_kind(const FieldClass& field_class, const StructureClass& structure) {
    if (!begin_compound(field_class)) return;
    for (const Member& member : structure.members) {
      add_text(member.name);
      const std::string_view unit = units_ == Units::kCount ? unit_of(member.attributes) : "";
      if (!unit.empty()) text_ += fmt::format("={}:{}", unit.size(), unit);
      add(member.field_class);
    }
  }
  void add_kind(const FieldClass& field_class, const MapClass& map) {
    if (!begin_compound(field_class)) return;
    add(map.key);
    add(map.value);
  }
  void add_kind(const FieldClass& field_class, const OptionalClass& optional) {
    if (begin_compound(field_class)) add(optional.value);
  }
  void add_kind(const FieldClass& field_class, const VariantClass& variant) {
    if (!begin_compound(field_class)) return;
    for (const VariantOption& option : variant.options) {
      add_text(option.name);
      add(option.field_class);
    }
  }

  Units units_;
  std::string text_;
  std::unordered_map<const FieldClass*, std::size_t> numbers_;
};

bool says_units(const EventClass& event_class) {
  const auto* const payload =
      event_class.payload == nullptr ? nullptr : event_class.payload->as<StructureClass>();
  return payload != nullptr && std::ranges::any_of(payload->members, [](const Member& member) {
           return !unit_of(member.attributes).empty();
         });
}

}  // namespace

std::string signature(const EventClass& event_class, Units units) {
  SignatureText text(units);
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (stream_class != nullptr) {
    text.add_number(stream_class->id);
    text.add_text(stream_class->name.value_or(""));
    text.add(stream_class->common_context);
  }
  text.add_text(event_class.name_space);
  if (event_class.name && !event_class.name->empty()) {
    text.add_text(*event_class.name);
  } else {
    text.add_number(event_class.id);
  }
  text.add_number((event_class.clock != nullptr ? 1U : 0U) + (event_class.has_duration ? 2U : 0U));
  text.add(event_class.specific_context);
  text.add(event_class.payload);
  return text.take();
}

std::shared_ptr<const TraceDescription> description_of(const EventClass& event_class) {
  const DataStreamClass* const stream_class = event_class.stream_class;
  if (stream_class == nullptr || stream_class->trace == nullptr) return nullptr;
  return stream_class->trace->weak_from_this().lock();
}

std::size_t GroupNumbers::operator[](const EventClass& event_class) {
  const std::string text = signature(event_class, units_);
  const auto bytes_of = [](const std::size_t& hash) {
    return std::string_view(reinterpret_cast<const char*>(&hash), sizeof hash);
  };
  const auto hash_of = [&](std::size_t i) { return bytes_of(first_[i].hash); };
  // Where another signature has the hash, the next number stands for it.
  for (std::size_t hash = KeyedHash()(text);; ++hash) {
    const std::size_t known = by_hash_.find(bytes_of(hash), hash_of);
    if (known == NameIndex::kNone) {
      first_.push_back({&event_class, hash});
      return by_hash_.add(first_.size() - 1, hash_of);
    }
    if (signature(*first_[known].event_class, units_) == text) return known;
  }
}

void join(ClassGroup& group, const EventClass& event_class) {
  if (group.classes++ == 0) {
    group.event_class = &event_class;
    group.id = event_class.id;
  } else if (!says_units(*group.event_class) && says_units(event_class)) {
    group.event_class = &event_class;
  }
  if (group.id != event_class.id) group.id.reset();
}

}  // namespace tracedeck::flow

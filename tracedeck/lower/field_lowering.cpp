#include "tracedeck/lower/field_lowering.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "tracedeck/model/labels.hpp"

namespace tracedeck::lower {
namespace {

// Structures with more in them are not taken apart, nor values with more steps.
constexpr std::size_t kMostParts = 1000;
// Of all fields of a class.
constexpr std::size_t kMostAttributes = 10'000;

const FieldClassPtr& text_class() {
  static const FieldClassPtr kText = make_field_class(StringClass{.extent = LengthPrefixed{}});
  return kText;
}

// `width`: bits; 0: as many as a number needs.
FieldClassPtr shared_unsigned_class(std::uint8_t width) {
  static const auto kClasses = [] {
    std::array<FieldClassPtr, 65> made = {make_field_class(IntegerClass{.layout = Leb128Layout{}})};
    for (std::uint32_t bits = 1; bits < made.size(); ++bits)
      made[bits] = make_field_class(IntegerClass{.layout = FixedLayout{.width = bits}});
    return made;
  }();
  return kClasses.at(width);
}

bool is_text(const FieldClass& field_class) { return field_class.as<StringClass>() != nullptr; }

std::optional<std::uint32_t> width_of(const IntegerClass& integer) {
  const auto* const fixed = std::get_if<FixedLayout>(&integer.layout);
  return fixed == nullptr ? std::nullopt : std::optional(fixed->width);
}

}  // namespace

FieldProgram FieldLowering::add_members(const FieldClass* structure, std::string_view prefix) {
  FieldProgram program;
  const auto* const of = structure == nullptr ? nullptr : structure->as<StructureClass>();
  if (of == nullptr) return program;
  for (const Member& member : of->members)
    add_value(program, std::string(prefix) + member.name.str(), member.field_class,
              member.attributes);
  FieldProgram fused;
  std::size_t inner = 0;  // of the value before
  bool joins = false;
  for (FieldStep& step : program) {
    const bool is_inner = inner != 0;
    const bool has_inner = inner_steps(step) != 0;
    if (is_inner) {
      --inner;
    } else {
      inner = inner_steps(step);
    }
    if (joins && !is_inner) {
      add_to_run(fused, std::move(step));
    } else {
      fused.push_back(std::move(step));
    }
    joins = !is_inner && !has_inner;
  }
  return fused;
}

void FieldLowering::add(std::string name, FieldClassPtr field_class, Attributes attributes) {
  if (too_many()) return;
  const std::string wanted = name;
  if (name.size() > profile_.longest_name) name.resize(profile_.longest_name);
  while (profile_.plain == nullptr && (name.empty() || !names_.insert(name).second)) {
    if (name.size() >= profile_.longest_name) name.resize(profile_.longest_name / 2);
    name.push_back('_');
  }
  if (name != wanted) keep(Convention::kName, wanted);
  members_.push_back(
      {.name = name, .field_class = std::move(field_class), .attributes = std::move(attributes)});
}

FieldClassPtr FieldLowering::take() {
  return make_field_class(StructureClass{.members = std::move(members_)});
}

void FieldLowering::note_description(const FieldClass& source, const std::string& path) {
  const auto* const integer = source.as<IntegerClass>();
  if (integer != nullptr && gives_labels(*integer)) keep(Convention::kLabels, path);
}

Attributes FieldLowering::attributes_of(const FieldClass& source, const Attributes& own) {
  Attributes all;
  if (!lists_) return all;
  const auto put = [&](std::string key, std::string value) {
    if (attributes_ == kMostAttributes || key.size() > profile_.longest_name) return;
    ++attributes_;
    all.push_back({.key = std::move(key), .value = std::move(value)});
  };
  for (const Attributes* const some : {&own, &source.attributes}) {
    for (const Attribute& each : *some) put(each.key, each.value);
  }
  const auto* const optional = source.as<OptionalClass>();
  const auto* const number = (optional == nullptr ? source : *optional->value).as<IntegerClass>();
  if (number == nullptr) return all;
  for (const Mapping& each : number->mappings) {
    std::string values;
    for (const IntegerRange& range : each.ranges) {
      if (!values.empty()) values += ", ";
      values += range.lower.to_string();
      if (range.upper != range.lower) values += ".." + range.upper.to_string();
    }
    put("label." + each.label.str(), std::move(values));
  }
  return all;
}

void FieldLowering::add_value(FieldProgram& program, const std::string& path,
                              const FieldClassPtr& source, const Attributes& attributes) {
  if (too_many()) return;
  note_description(*source, path);
  if (FieldClassPtr made = listed(source, path, program))
    return add(path, std::move(made), attributes_of(*source, attributes));
  if (const auto* const structure = source->as<StructureClass>();
      structure != nullptr && parts(*source) < kMostParts) {
    keep(Convention::kFlattened, path);
    program.push_back({.kind = FieldStep::Kind::kOpen});
    for (const Member& member : structure->members)
      add_value(program, path + "." + member.name.str(), member.field_class, member.attributes);
    program.push_back({.kind = FieldStep::Kind::kClose});
    return;
  }
  if (const auto* const optional = source->as<OptionalClass>()) {
    FieldProgram held;
    FieldClassPtr value = listed(optional->value, path, held);
    if (value == nullptr) value = direct(*optional->value, held);
    if (value != nullptr) {
      note_description(*optional->value, path);
      program.push_back(
          {.kind = FieldStep::Kind::kOptional, .count = static_cast<std::uint32_t>(held.size())});
      std::ranges::move(held, std::back_inserter(program));
      // Where fields have no classes, that of the value stands for what is there.
      if (profile_.plain != nullptr) return add(path, std::move(value));
      return add(path, make_field_class(OptionalClass{.value = std::move(value)}),
                 attributes_of(*source, attributes));
    }
  }
  if (FieldClassPtr made = direct(*source, program))
    return add(path, std::move(made), attributes_of(*source, attributes));
  keep(Convention::kText, path);
  if (profile_.plain != nullptr) {
    program.push_back({.kind = FieldStep::Kind::kText, .packed = true, .field_class = source});
    return add(path, profile_.plain->value_class(SlotKind::kString, false));
  }
  program.push_back({.kind = FieldStep::Kind::kText, .field_class = source});
  add(path, text_class(), attributes_of(*source, attributes));
}

FieldClassPtr FieldLowering::listed(const FieldClassPtr& source, const std::string& path,
                                    FieldProgram& program) {
  const bool is_array = source->as<ArrayClass>() != nullptr;
  if (!lists_ || (!is_array && source->as<StructureClass>() == nullptr)) return nullptr;
  FieldProgram values;
  if (!add_dynamic(source, values)) return nullptr;
  keep(Convention::kList, path);
  std::ranges::move(values, std::back_inserter(program));
  static const FieldClassPtr kDynamic = make_field_class(DynamicClass{});
  if (!is_array) return make_field_class(MapClass{.key = kDynamic, .value = kDynamic});
  return make_field_class(ArrayClass{.element = kDynamic, .extent = LengthPrefixed{}});
}

bool FieldLowering::add_dynamic(const FieldClassPtr& source, FieldProgram& program) const {
  if (program.size() >= kMostParts) return false;
  const std::size_t first = program.size();
  const auto add_inside = [&](FieldStep step, const FieldClassPtr& value) {
    const std::size_t at = program.size();
    program.push_back(std::move(step));
    if (!add_dynamic(value, program)) return false;
    program[at].count = static_cast<std::uint32_t>(program.size() - at - 1);
    return true;
  };
  using Kind = FieldStep::Kind;
  if (const auto* const array = source->as<ArrayClass>())
    return add_inside({.kind = Kind::kList, .field_class = array->element}, array->element);
  if (const auto* const optional = source->as<OptionalClass>())
    return add_inside({.kind = Kind::kMaybe}, optional->value);
  if (const auto* const structure = source->as<StructureClass>()) {
    program.push_back({.kind = Kind::kRecord, .field_class = source});
    for (const Member& member : structure->members) {
      if (!add_inside({.kind = Kind::kOption}, member.field_class)) return false;
    }
    program[first].count = static_cast<std::uint32_t>(program.size() - first - 1);
    return true;
  }
  if (!is_dynamic(*source)) return false;
  FieldStep step{.kind = Kind::kDynamic, .field_class = source};
  const auto* const integer = source->as<IntegerClass>();
  if (integer != nullptr && !integer->is_signed) {
    const std::uint32_t width = width_of(*integer).value_or(64);
    for (const std::uint8_t held : profile_.unsigned_widths) {
      if (step.width == 0 && width <= held) step.width = held;
    }
  }
  program.push_back(std::move(step));
  return true;
}

bool FieldLowering::is_dynamic(const FieldClass& source) const {
  if (const auto* const integer = source.as<IntegerClass>()) {
    const auto width = width_of(*integer);
    return width ? *width <= 64 : !any_integer_;
  }
  if (const auto* const real = source.as<RealClass>()) return real->layout.width <= 64;
  return source.as<BooleanClass>() != nullptr || is_text(source) ||
         source.as<BlobClass>() != nullptr;
}

FieldClassPtr FieldLowering::direct(const FieldClass& source, FieldProgram& program) {
  if (profile_.plain != nullptr) return attribute(source, program);
  if (const auto* const number = source.as<IntegerClass>()) return integer(*number, program);
  FieldClassPtr made;
  if (source.as<BooleanClass>() != nullptr) made = make_field_class(BooleanClass{});
  if (const auto* const real = source.as<RealClass>(); real != nullptr && real->layout.width <= 64)
    made = make_field_class(RealClass{});
  if (is_text(source)) made = text_class();
  if (source.as<BlobClass>() != nullptr)
    made = make_field_class(BlobClass{.extent = LengthPrefixed{}});
  if (const auto* const map = source.as<MapClass>();
      map != nullptr && is_text(*map->key) && is_text(*map->value))
    made = make_field_class(MapClass{.key = text_class(), .value = text_class()});
  if (made != nullptr) program.push_back({.kind = FieldStep::Kind::kCopy});
  return made;
}

FieldClassPtr FieldLowering::attribute(const FieldClass& source, FieldProgram& program) {
  const auto* const array = source.as<ArrayClass>();
  const FieldClass& value = array == nullptr ? source : *array->element;
  const auto* const number = value.as<IntegerClass>();
  SlotKind kind = SlotKind::kUnsigned;
  bool fits = value.as<BooleanClass>() != nullptr;
  if (number != nullptr) {
    const auto width = width_of(*number);
    fits = width ? *width <= 64 : !any_integer_;
    if (number->is_signed) kind = SlotKind::kSigned;
    // Whether a number fits shows when it comes.
    if (fits && !width && array != nullptr) {
      if (array->interned) return nullptr;
      program.push_back({.kind = FieldStep::Kind::kElements});
    }
    if (fits && !(width && array != nullptr)) program.push_back({.kind = FieldStep::Kind::kNumber});
    if (fits && width && array != nullptr) program.push_back({.kind = FieldStep::Kind::kCopy});
  } else {
    if (const auto* const real = value.as<RealClass>()) {
      kind = SlotKind::kReal;
      fits = real->layout.width <= 64;
    } else if (const auto* const text = value.as<StringClass>()) {
      kind = SlotKind::kString;
      fits = array == nullptr || !text->interned;
    }
    if (fits) program.push_back({.kind = FieldStep::Kind::kCopy});
  }
  return fits ? profile_.plain->value_class(kind, array != nullptr) : nullptr;
}

FieldClassPtr FieldLowering::integer(const IntegerClass& source, FieldProgram& program) {
  const auto width = width_of(source);
  if (width && *width > 64) return nullptr;
  if (!width && any_integer_) return nullptr;
  program.push_back(
      {.kind = FieldStep::Kind::kNumber, .width = static_cast<std::uint8_t>(width.value_or(0))});
  static const FieldClassPtr kSigned =
      make_field_class(IntegerClass{.is_signed = true, .layout = FixedLayout{.width = 64}});
  if (source.is_signed) return kSigned;
  const auto holds = [&](std::uint8_t held) { return width && held != 0 && *width <= held; };
  const auto held = std::ranges::find_if(profile_.unsigned_widths, holds);
  return shared_unsigned_class(held == profile_.unsigned_widths.end() ? 0 : *held);
}

std::size_t FieldLowering::parts(const FieldClass& source) {
  const auto* const structure = source.as<StructureClass>();
  if (structure == nullptr) return 1;
  const auto [place, is_new] = parts_.try_emplace(&source, 0);
  if (!is_new) return place->second;
  std::size_t sum = 1;
  for (const Member& member : structure->members)
    sum = std::min(sum + parts(*member.field_class), kMostParts);
  return parts_[&source] = sum;
}

namespace {

std::string_view without_underscores(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('_'), name.size()));
}

// `exact`: so are names.
bool have_same_form(const FieldClass& a, const FieldClass& b, bool exact) {
  if (a.kind.index() != b.kind.index()) return false;
  const auto same = [exact](const FieldClassPtr& one, const FieldClassPtr& other) {
    return have_same_form(*one, *other, exact);
  };
  if (const auto* const left = a.as<IntegerClass>()) {
    const auto* const right = b.as<IntegerClass>();
    return left->is_signed == right->is_signed && width_of(*left) == width_of(*right);
  }
  if (const auto* const left = a.as<RealClass>())
    return left->layout.width == b.as<RealClass>()->layout.width;
  if (const auto* const left = a.as<OptionalClass>())
    return same(left->value, b.as<OptionalClass>()->value);
  if (const auto* const left = a.as<MapClass>()) {
    const auto* const right = b.as<MapClass>();
    return same(left->key, right->key) && same(left->value, right->value);
  }
  if (const auto* const left = a.as<ArrayClass>())
    return same(left->element, b.as<ArrayClass>()->element);
  if (const auto* const left = a.as<VariantClass>()) {
    return std::ranges::equal(left->options, b.as<VariantClass>()->options, same,
                              &VariantOption::field_class, &VariantOption::field_class);
  }
  if (const auto* const left = a.as<StructureClass>()) {
    const auto& ours = left->members;
    const auto& theirs = b.as<StructureClass>()->members;
    return std::ranges::equal(ours, theirs, [&](const Member& one, const Member& other) {
      const bool same_name = exact
                                 ? one.name == other.name
                                 : without_underscores(one.name) == without_underscores(other.name);
      return same_name && same(one.field_class, other.field_class);
    });
  }
  return true;
}

}  // namespace

bool same_form(const FieldClass& a, const FieldClass& b) { return have_same_form(a, b, true); }
bool same_nested_form(const FieldClass& a, const FieldClass& b) {
  return have_same_form(a, b, false);
}

bool same_head_form(const FieldClass& a, const FieldClass& b) {
  if (!a.roles.empty() || !b.roles.empty()) {
    // A UUID is an array or a BLOB.
    const auto is_bytes = [](const FieldClass& of) {
      return of.as<ArrayClass>() != nullptr || of.as<BlobClass>() != nullptr;
    };
    return a.roles.empty() == b.roles.empty() &&
           (a.kind.index() == b.kind.index() || (is_bytes(a) && is_bytes(b)));
  }
  const auto same = [](const FieldClassPtr& one, const FieldClassPtr& other) {
    return same_head_form(*one, *other);
  };
  const auto* const left = a.as<StructureClass>();
  const auto* const right = b.as<StructureClass>();
  if (left != nullptr && right != nullptr) {
    return std::ranges::equal(left->members, right->members, same, &Member::field_class,
                              &Member::field_class);
  }
  const auto* const one = a.as<VariantClass>();
  const auto* const other = b.as<VariantClass>();
  if (one == nullptr || other == nullptr) return same_nested_form(a, b);
  return std::ranges::equal(one->options, other->options, [&](const auto& mine, const auto& its) {
    return mine.ranges == its.ranges && same(mine.field_class, its.field_class);
  });
}

}  // namespace tracedeck::lower

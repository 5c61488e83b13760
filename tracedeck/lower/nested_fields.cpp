#include "tracedeck/lower/nested_fields.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/labels.hpp"

namespace tracedeck::lower {
namespace {

FieldClassPtr aligned(FieldClass::Kind kind) {
  FieldClass made{.kind = std::move(kind)};
  made.alignment = 8;
  return std::make_shared<const FieldClass>(std::move(made));
}

FieldClassPtr unsigned_class(std::uint32_t width, DisplayBase base = DisplayBase::kDecimal) {
  return aligned(IntegerClass{.layout = FixedLayout{.width = width}, .display_base = base});
}

// One of two, by its number.
FieldClassPtr either(std::string_view zero, std::string_view one) {
  const auto label = [](std::string_view name, std::uint64_t value) {
    return Mapping{.label = name, .ranges = {{value, value}}};
  };
  return aligned(IntegerClass{.layout = FixedLayout{.width = 8},
                              .form = IntegerClass::Form::kEnumeration,
                              .mappings = {label(zero, 0), label(one, 1)}});
}

const FieldClassPtr& terminated_text() {
  static const FieldClassPtr kText = make_field_class(StringClass{.extent = NullTerminated{}});
  return kText;
}

FixedLayout in_order(FixedLayout layout) {
  layout.reversed = false;
  return layout;
}

constexpr std::string_view kAbsent = "absent";
constexpr std::string_view kPresent = "present";

}  // namespace

const FieldClassPtr& wide_number() {
  static const FieldClassPtr kNumber = unsigned_class(64);
  return kNumber;
}

std::string NestedFields::unique_name(Scope& scope, std::string name) {
  while (!scope.names.insert(name).second) name.push_back('_');
  return name;
}

void NestedFields::add(std::string_view name, FieldClassPtr field_class) {
  root_.members.push_back({.name = unique_name(root_, std::string(name)),
                           .field_class = std::move(field_class),
                           .attributes = {}});
}

FieldProgram NestedFields::add_members(const FieldClass* structure) {
  if (structure == nullptr) return {};
  return members(*structure->as<StructureClass>(), {}, root_);
}

FieldProgram NestedFields::add_structure(std::string_view name, const FieldClass* structure) {
  if (structure == nullptr) return {};
  Scope scope;
  FieldProgram program = members(*structure->as<StructureClass>(), std::string(name), scope);
  if (!scope.members.empty())
    add(name, make_field_class(StructureClass{.members = std::move(scope.members)}));
  return program;
}

FieldClassPtr NestedFields::take() {
  if (root_.members.empty()) return nullptr;
  return make_field_class(StructureClass{.members = std::move(root_.members)});
}

FieldProgram NestedFields::members(const StructureClass& source, const std::string& path,
                                   Scope& scope) {
  FieldProgram program;
  bool joins = false;
  for (const Member& each : source.members) {
    const std::size_t before = program.size();
    member(each, path.empty() ? each.name.str() : path + "." + each.name.str(), scope, program);
    const bool is_one = program.size() == before + 1;
    if (is_one && joins) {
      FieldStep step = std::move(program.back());
      program.pop_back();
      add_to_run(program, std::move(step));
    }
    joins = is_one;
  }
  return program;
}

void NestedFields::member(const Member& source, const std::string& path, Scope& scope,
                          FieldProgram& program) {
  std::string legal = profile_.member_name(source.name);
  const std::string name = unique_name(scope, std::move(legal));
  if (name != source.name) keep(Convention::kName, path);
  FieldClassPtr made = plain(*source.field_class, path, program);
  if (made == nullptr) made = with_added(*source.field_class, path, name, scope, program);
  if (made == nullptr) made = text(source.field_class, path, program);
  scope.members.push_back({.name = name,
                           .field_class = std::move(made),
                           .attributes = profile_.attributes ? source.attributes : Attributes()});
}

FieldClassPtr NestedFields::finished(FieldClass::Kind kind, const FieldClass& source) const {
  FieldClass made{.kind = std::move(kind)};
  made.alignment = made.as<StructureClass>() == nullptr ? 8 : 1;
  if (profile_.attributes) made.attributes = source.attributes;
  return std::make_shared<const FieldClass>(std::move(made));
}

FieldClassPtr NestedFields::truth() const {
  static const FieldClassPtr kBoolean = aligned(BooleanClass{});
  static const FieldClassPtr kEnumeration = either("false", "true");
  return profile_.booleans ? kBoolean : kEnumeration;
}

FieldClassPtr NestedFields::plain(const FieldClass& source, const std::string& path,
                                  FieldProgram& program) {
  if (source.as<BooleanClass>() != nullptr) {
    if (!profile_.booleans) keep(Convention::kBoolean, path);
    program.push_back(
        {.kind = profile_.booleans ? FieldStep::Kind::kCopy : FieldStep::Kind::kTruth});
    return profile_.booleans ? finished(BooleanClass{}, source) : truth();
  }
  if (source.as<IntegerClass>() != nullptr) return integer(source, path, program);
  if (const auto* const real = source.as<RealClass>()) {
    if (real->layout.width != 32 && real->layout.width != 64) return nullptr;
    program.push_back({.kind = FieldStep::Kind::kCopy});
    return finished(RealClass{.layout = in_order(real->layout)}, source);
  }
  if (source.as<StringClass>() != nullptr && !any_string_) {
    program.push_back({.kind = FieldStep::Kind::kString});
    return finished(StringClass{.extent = NullTerminated{}}, source);
  }
  if (source.as<StructureClass>() != nullptr) return structure(source, path, program);
  return nullptr;
}

FieldClassPtr NestedFields::integer(const FieldClass& source, const std::string& path,
                                    FieldProgram& program) {
  IntegerClass made = *source.as<IntegerClass>();
  const auto* const fixed = std::get_if<FixedLayout>(&made.layout);
  if (fixed == nullptr ? any_integer_ : fixed->width > 64) return nullptr;
  const std::uint32_t width = fixed == nullptr ? 0 : fixed->width;
  if (fixed == nullptr) {
    keep(Convention::kWidth, path);
    made.layout = FixedLayout{.width = 64};
  } else {
    made.layout = in_order(*fixed);
  }
  using Form = IntegerClass::Form;
  if (made.form == Form::kAddress) made.display_base = DisplayBase::kHexadecimal;
  if (made.form != Form::kEnumeration || made.mappings.empty()) {
    if (gives_labels(made)) keep(Convention::kLabels, path);
    made.form = Form::kNumber;
    made.mappings.clear();
  }
  program.push_back({.kind = width == 0 ? FieldStep::Kind::kNumber : FieldStep::Kind::kCopy});
  return finished(std::move(made), source);
}

FieldClassPtr NestedFields::structure(const FieldClass& source, const std::string& path,
                                      FieldProgram& program) {
  if (depth_ == kClassNesting) return nullptr;
  ++depth_;
  Scope scope;
  FieldProgram inner = members(*source.as<StructureClass>(), path, scope);
  --depth_;
  program.push_back(
      {.kind = FieldStep::Kind::kStructure, .count = static_cast<std::uint32_t>(inner.size())});
  std::ranges::move(inner, std::back_inserter(program));
  return finished(StructureClass{.members = std::move(scope.members)}, source);
}

FieldClassPtr NestedFields::with_added(const FieldClass& source, const std::string& path,
                                       const std::string& name, Scope& scope,
                                       FieldProgram& program) {
  if (const auto* const held = source.as<OptionalClass>())
    return optional(*held, path, name, scope, program);
  const auto* const array = source.as<ArrayClass>();
  const auto* const blob = source.as<BlobClass>();
  if (array == nullptr && blob == nullptr) return nullptr;
  if (array != nullptr && array->interned && any_string_) return nullptr;
  FieldProgram element;
  FieldClassPtr made;
  if (array != nullptr) {
    made = plain(*array->element, path, element);
    if (made == nullptr) return nullptr;
  }
  const Extent& before = array == nullptr ? blob->extent : array->extent;
  const bool fixed = std::holds_alternative<StaticLength>(before);
  Extent extent = before;
  if (!fixed) {
    const std::string length = unique_name(scope, name + "_length");
    scope.members.push_back({.name = length, .field_class = unsigned_class(32), .attributes = {}});
    extent = LengthField{.location = {.path = {length}}};
    keep(Convention::kLength, path);
  }
  const bool as_bytes = array == nullptr && !profile_.blobs;
  program.push_back(
      {.kind = array == nullptr ? FieldStep::Kind::kBytes : FieldStep::Kind::kElements,
       .sized = !fixed,
       .packed = as_bytes,
       .count = static_cast<std::uint32_t>(element.size()),
       .field_class = array == nullptr ? nullptr : array->element});
  std::ranges::move(element, std::back_inserter(program));
  if (array != nullptr)
    return finished(ArrayClass{.element = std::move(made), .extent = std::move(extent)}, source);
  if (as_bytes) {
    static const FieldClassPtr kByte = unsigned_class(8, DisplayBase::kHexadecimal);
    return finished(ArrayClass{.element = kByte, .extent = std::move(extent)}, source);
  }
  return finished(BlobClass{.extent = std::move(extent), .media_type = blob->media_type}, source);
}

FieldClassPtr NestedFields::optional(const OptionalClass& source, const std::string& path,
                                     const std::string& name, Scope& scope, FieldProgram& program) {
  FieldProgram inner;
  FieldClassPtr value = plain(*source.value, path, inner);
  if (value == nullptr) return nullptr;
  const std::string presence = unique_name(scope, name + "_present");
  static const FieldClassPtr kPresence = either(kAbsent, kPresent);
  scope.members.push_back({.name = presence,
                           .field_class = profile_.optionals ? truth() : kPresence,
                           .attributes = {}});
  keep(Convention::kLength, path);
  program.push_back({.kind = FieldStep::Kind::kPresence,
                     .packed = !profile_.optionals,
                     .count = static_cast<std::uint32_t>(inner.size())});
  std::ranges::move(inner, std::back_inserter(program));
  FieldLocation selector{.path = {presence}};
  if (profile_.optionals) {
    return make_field_class(
        OptionalClass{.value = std::move(value), .presence = {.selector = std::move(selector)}});
  }
  const auto option = [](std::string_view of, FieldClassPtr field_class, std::uint64_t tag) {
    return VariantOption{.name = of,
                         .field_class = std::move(field_class),
                         .ranges = {{tag, tag}},
                         .attributes = {}};
  };
  static const FieldClassPtr kNothing = make_field_class(StructureClass{});
  return make_field_class(
      VariantClass{.options = {option(kAbsent, kNothing, 0), option(kPresent, std::move(value), 1)},
                   .selector = std::move(selector)});
}

FieldClassPtr NestedFields::text(const FieldClassPtr& source, const std::string& path,
                                 FieldProgram& program) {
  keep(Convention::kText, path);
  program.push_back({.kind = FieldStep::Kind::kText, .field_class = source});
  return terminated_text();
}

}  // namespace tracedeck::lower

#include "tracedeck/lower/nested_fields.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/lower/lowered_class.hpp"
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
constexpr std::string_view kFalse = "false";
constexpr std::string_view kTrue = "true";

// Whether values stay as they are.
bool is_copy(const FieldProgram& program) {
  return program.empty() || (program.size() == 1 && program.front().kind == FieldStep::Kind::kCopy);
}

std::uint32_t count_of(const FieldProgram& program) {
  return static_cast<std::uint32_t>(program.size());
}

// Without what 64 bits cannot be.
void leave_out_beyond(std::vector<Mapping>& mappings) {
  const auto fits = [](const IntegerRange& range) {
    return range.lower >= -(Int128{1} << 63) && range.upper < Int128{1} << 64;
  };
  for (Mapping& mapping : mappings) {
    IntegerRanges left;
    std::ranges::copy_if(mapping.ranges, std::back_inserter(left), fits);
    mapping.ranges = std::move(left);
  }
  std::erase_if(mappings, [](const Mapping& mapping) { return mapping.ranges.empty(); });
}

VariantClass presence_variant(FieldLocation selector, std::string_view absent,
                              std::string_view present, FieldClassPtr value) {
  static const FieldClassPtr kNothing = make_field_class(StructureClass{});
  const auto option = [](std::string_view of, FieldClassPtr field_class, std::uint64_t tag) {
    return VariantOption{.name = of,
                         .field_class = std::move(field_class),
                         .ranges = {{tag, tag}},
                         .attributes = {}};
  };
  return {.options = {option(absent, kNothing, 0), option(present, std::move(value), 1)},
          .selector = std::move(selector)};
}

// Whether the labels of an integer are the names of the options, for the same values.
bool selects_by_label(const IntegerClass& selector, const VariantClass& variant,
                      const NestedProfile& profile) {
  if (selector.form != IntegerClass::Form::kEnumeration) return false;
  const auto label_of = [&](std::size_t i) { return selector.mappings[i].label.view(); };
  const auto name_of = [&](std::size_t i) { return variant.options[i].name.view(); };
  NameIndex labels;
  for (std::size_t i = 0; i < selector.mappings.size(); ++i) {
    if (labels.add(i, label_of) != i) return false;
  }
  NameIndex names;
  for (std::size_t i = 0; i < variant.options.size(); ++i) {
    const VariantOption& option = variant.options[i];
    const std::size_t label = labels.find(option.name.view(), label_of);
    if (!profile.is_option_name(option.name) || names.add(i, name_of) != i ||
        label == NameIndex::kNone || selector.mappings[label].ranges != option.ranges)
      return false;
  }
  return true;
}

}  // namespace

const FieldClassPtr& wide_number() {
  static const FieldClassPtr kNumber = unsigned_class(64);
  return kNumber;
}

void NestedFields::add(std::string_view name, FieldClassPtr field_class) {
  root_.members.push_back({.name = unique(root_, std::string(name)),
                           .field_class = std::move(field_class),
                           .attributes = {}});
}

FieldProgram NestedFields::add_members(const FieldClass* structure) {
  if (structure == nullptr) return {};
  const auto& of = *structure->as<StructureClass>();
  if (same_format_) {
    root_alignment_ = of.minimum_alignment;
    stays_empty_ = true;
  }
  return members(of, {}, root_);
}

FieldProgram NestedFields::add_packet_context(const FieldClassPtr& structure) {
  if (structure == nullptr) return {};
  const UserMembers users = user_members(structure);
  const auto& of = *structure->as<StructureClass>();
  root_alignment_ = of.minimum_alignment;
  return members(of, "packet", root_, &users.kept);
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
  if (root_.members.empty() && !stays_empty_) return nullptr;
  return make_field_class(
      StructureClass{.members = std::move(root_.members), .minimum_alignment = root_alignment_});
}

FieldProgram NestedFields::members(const StructureClass& source, const std::string& path,
                                   Scope& scope, const std::vector<bool>* lowered) {
  FieldProgram program;
  bool joins = false;
  const std::vector<std::string> names = legal_names(source, profile_, scope.names);
  fields_.open(source);
  for (std::size_t i = 0; i < source.members.size(); ++i) {
    const Member& each = source.members[i];
    const std::size_t before = program.size();
    fields_.at(i);
    if (lowered != nullptr && !(*lowered)[i]) {
      program.push_back({.kind = FieldStep::Kind::kCopy});
      scope.members.push_back(each);
    } else {
      member(each, path.empty() ? each.name.str() : path + "." + each.name.str(), names[i], scope,
             program);
    }
    const bool is_one = program.size() == before + 1;
    if (is_one && joins) {
      FieldStep step = std::move(program.back());
      program.pop_back();
      add_to_run(program, std::move(step));
    }
    joins = is_one;
  }
  fields_.close();
  return program;
}

void NestedFields::member(const Member& source, const std::string& path, const std::string& name,
                          Scope& scope, FieldProgram& program) {
  if (name != source.name) keep(Convention::kName, path);
  FieldClassPtr made = plain(source.field_class, path, program);
  if (made == nullptr) made = with_added(source.field_class, path, name, scope, program);
  if (made == nullptr) made = text(source.field_class, path, program);
  scope.members.push_back({.name = name,
                           .field_class = std::move(made),
                           .attributes = profile_.attributes ? source.attributes : Attributes()});
}

FieldClassPtr NestedFields::finished(FieldClass::Kind kind, const FieldClass& source) const {
  FieldClass made{.kind = std::move(kind)};
  if (same_format_) {
    made.alignment = source.alignment;
  } else {
    made.alignment = made.as<StructureClass>() == nullptr ? 8 : 1;
  }
  if (profile_.attributes) made.attributes = source.attributes;
  return std::make_shared<const FieldClass>(std::move(made));
}

FieldClassPtr NestedFields::truth() const {
  static const FieldClassPtr kBoolean = aligned(BooleanClass{});
  static const FieldClassPtr kEnumeration = either(kFalse, kTrue);
  return profile_.booleans ? kBoolean : kEnumeration;
}

bool NestedFields::keeps_all(const FieldClass& source) const {
  return same_format_ && source.roles.empty() && (profile_.attributes || source.attributes.empty());
}

bool NestedFields::stays(const FieldClass& source) const {
  if (!keeps_all(source)) return false;
  if (const auto* const boolean = source.as<BooleanClass>())
    return profile_.booleans && !boolean->layout.reversed;
  if (const auto* const real = source.as<RealClass>())
    return profile_.all_numbers && !real->layout.reversed;
  const auto* const integer = source.as<IntegerClass>();
  if (integer == nullptr || profile_.integer_form(*integer) != integer->form) return false;
  const auto* const fixed = std::get_if<FixedLayout>(&integer->layout);
  return fixed == nullptr ? profile_.all_numbers
                          : !fixed->reversed && (profile_.all_numbers || fixed->width <= 64);
}

FieldClassPtr NestedFields::plain(const FieldClassPtr& of, const std::string& path,
                                  FieldProgram& program) {
  const FieldClass& source = *of;
  if (stays(source)) {
    program.push_back({.kind = FieldStep::Kind::kCopy});
    return of;
  }
  if (const auto* const boolean = source.as<BooleanClass>()) {
    if (!profile_.booleans) keep(Convention::kBoolean, path);
    program.push_back(
        {.kind = profile_.booleans ? FieldStep::Kind::kCopy : FieldStep::Kind::kTruth});
    if (!profile_.booleans) return truth();
    return finished(
        same_format_ ? BooleanClass{.layout = in_order(boolean->layout)} : BooleanClass{}, source);
  }
  if (source.as<IntegerClass>() != nullptr) return integer(source, path, program);
  if (const auto* const real = source.as<RealClass>()) {
    const bool is_usual = real->layout.width == 32 || real->layout.width == 64;
    if (!is_usual && !(same_format_ && profile_.all_numbers)) return nullptr;
    program.push_back({.kind = FieldStep::Kind::kCopy});
    return finished(RealClass{.layout = in_order(real->layout)}, source);
  }
  if (source.as<StringClass>() != nullptr && !any_string_) return string(source, path, program);
  if (source.as<StructureClass>() != nullptr) return structure(of, path, program);
  return same_format_ ? selected(of, path, program) : nullptr;
}

FieldClassPtr NestedFields::inside(const FieldClassPtr& source, const std::string& path,
                                   FieldProgram& program) {
  FieldClassPtr made = plain(source, path, program);
  if (made == nullptr && same_format_) made = text(source, path, program);
  return made;
}

FieldClassPtr NestedFields::integer(const FieldClass& source, const std::string& path,
                                    FieldProgram& program) {
  IntegerClass made = *source.as<IntegerClass>();
  const auto* const fixed = std::get_if<FixedLayout>(&made.layout);
  const bool any = same_format_ && profile_.all_numbers;
  if (!any && (fixed == nullptr ? any_integer_ : fixed->width > 64)) return nullptr;
  const bool becomes_fixed = fixed == nullptr && !any;
  if (becomes_fixed) {
    keep(Convention::kWidth, path);
    leave_out_beyond(made.mappings);
    made.layout = FixedLayout{.width = 64};
  } else if (fixed != nullptr) {
    made.layout = in_order(*fixed);
  }
  using Form = IntegerClass::Form;
  if (made.form == Form::kAddress) made.display_base = DisplayBase::kHexadecimal;
  const bool has_form = made.form == Form::kEnumeration && !made.mappings.empty();
  const Form form = same_format_ ? profile_.integer_form(made)
                    : has_form   ? Form::kEnumeration
                                 : Form::kNumber;
  if (form != made.form) {
    if (gives_labels(made)) {
      keep(Convention::kLabels, path);
    } else if (same_format_) {
      keep(Convention::kNearest, path);
    }
    made.form = form;
    made.mappings.clear();
  }
  program.push_back({.kind = becomes_fixed ? FieldStep::Kind::kNumber : FieldStep::Kind::kCopy});
  FieldClassPtr done = finished(std::move(made), source);
  if (!becomes_fixed || done->alignment >= 8) return done;
  FieldClass whole = *done;
  whole.alignment = 8;
  return std::make_shared<const FieldClass>(std::move(whole));
}

FieldClassPtr NestedFields::string(const FieldClass& source, const std::string& path,
                                   FieldProgram& program) {
  StringClass made{.extent = NullTerminated{}};
  if (same_format_) {
    const auto& of = *source.as<StringClass>();
    const bool is_held = of.encoding == TextEncoding::kUtf8 || profile_.encodings;
    const std::optional<Extent> extent =
        std::holds_alternative<NullTerminated>(of.extent) ? of.extent : located_extent(of.extent);
    if (is_held && extent) {
      made = {.extent = *extent, .encoding = of.encoding};
    } else {
      keep(Convention::kNearest, path);
    }
  }
  program.push_back({.kind = FieldStep::Kind::kString});
  return finished(std::move(made), source);
}

FieldClassPtr NestedFields::structure(const FieldClassPtr& source, const std::string& path,
                                      FieldProgram& program) {
  if (fields_.depth() > kClassNesting) return nullptr;
  const auto& of = *source->as<StructureClass>();
  Scope scope;
  FieldProgram inner = members(of, path, scope);
  const auto is_same = [&](const Member& before, const Member& after) {
    return before.field_class == after.field_class && before.name == after.name &&
           (profile_.attributes || before.attributes.empty());
  };
  if (keeps_all(*source) && std::ranges::equal(of.members, scope.members, is_same)) {
    program.push_back({.kind = FieldStep::Kind::kCopy});
    return source;
  }
  StructureClass made{.members = std::move(scope.members)};
  if (same_format_) made.minimum_alignment = of.minimum_alignment;
  if (is_copy(inner)) {
    program.push_back({.kind = FieldStep::Kind::kCopy});
  } else {
    program.push_back({.kind = FieldStep::Kind::kStructure, .count = count_of(inner)});
    std::ranges::move(inner, std::back_inserter(program));
  }
  return finished(std::move(made), *source);
}

FieldClassPtr NestedFields::with_added(const FieldClassPtr& of, const std::string& path,
                                       const std::string& name, Scope& scope,
                                       FieldProgram& program) {
  const FieldClass& source = *of;
  const bool has_selector =
      source.as<OptionalClass>() != nullptr || source.as<VariantClass>() != nullptr;
  if (has_selector && is_fixed_) return nullptr;
  if (const auto* const held = source.as<OptionalClass>())
    return optional(*held, path, name, scope, program);
  if (same_format_ && source.as<VariantClass>() != nullptr)
    return variant(of, path, name, scope, program);
  const auto* const array = source.as<ArrayClass>();
  const auto* const blob = source.as<BlobClass>();
  if (array == nullptr && blob == nullptr) return nullptr;
  const Extent& before = array == nullptr ? blob->extent : array->extent;
  if (std::holds_alternative<StaticLength>(before))
    return sequence(source, path, before, false, program);
  if (is_fixed_) return nullptr;
  const std::string length = unique(scope, name + "_length");
  const std::size_t place = scope.members.size();
  scope.members.push_back({.name = length, .field_class = unsigned_class(32), .attributes = {}});
  FieldClassPtr made =
      sequence(source, path, LengthField{.location = {.path = {length}}}, true, program);
  if (made == nullptr) {
    scope.members.resize(place);
    scope.names.erase(length);
  } else {
    keep(Convention::kLength, path);
  }
  return made;
}

FieldClassPtr NestedFields::sequence(const FieldClass& source, const std::string& path,
                                     Extent extent, bool sized, FieldProgram& program) {
  if (const auto* const blob = source.as<BlobClass>()) {
    const bool as_bytes = !profile_.blobs;
    const bool stays = same_format_ && !sized && !as_bytes;
    program.push_back({.kind = stays ? FieldStep::Kind::kCopy : FieldStep::Kind::kBytes,
                       .sized = sized,
                       .packed = as_bytes,
                       .count = stays ? 1U : 0U});
    if (!as_bytes)
      return finished(BlobClass{.extent = std::move(extent), .media_type = blob->media_type},
                      source);
    if (same_format_) keep(Convention::kNearest, path);
    static const FieldClassPtr kByte = unsigned_class(8, DisplayBase::kHexadecimal);
    return finished(ArrayClass{.element = kByte, .extent = std::move(extent)}, source);
  }
  const auto& array = *source.as<ArrayClass>();
  if (array.interned && any_string_) return nullptr;
  FieldProgram element;
  FieldClassPtr made = inside(array.element, path, element);
  if (made == nullptr) return nullptr;
  ArrayClass target{.element = std::move(made), .extent = std::move(extent)};
  if (same_format_) target.minimum_alignment = array.minimum_alignment;
  if (same_format_ && !sized && is_copy(element)) {
    program.push_back({.kind = FieldStep::Kind::kCopy});
  } else {
    program.push_back({.kind = FieldStep::Kind::kElements,
                       .sized = sized,
                       .count = count_of(element),
                       .field_class = array.element});
    std::ranges::move(element, std::back_inserter(program));
  }
  return finished(std::move(target), source);
}

FieldClassPtr NestedFields::optional(const OptionalClass& source, const std::string& path,
                                     const std::string& name, Scope& scope, FieldProgram& program) {
  FieldProgram inner;
  FieldClassPtr value = inside(source.value, path, inner);
  if (value == nullptr) return nullptr;
  const std::string presence = unique(scope, name + "_present");
  static const FieldClassPtr kPresence = either(kAbsent, kPresent);
  scope.members.push_back({.name = presence,
                           .field_class = profile_.optionals ? truth() : kPresence,
                           .attributes = {}});
  keep(Convention::kLength, path);
  program.push_back({.kind = FieldStep::Kind::kPresence,
                     .sized = true,
                     .packed = !profile_.optionals,
                     .count = count_of(inner)});
  std::ranges::move(inner, std::back_inserter(program));
  FieldLocation selector{.path = {presence}};
  if (profile_.optionals) {
    return make_field_class(
        OptionalClass{.value = std::move(value), .presence = {.selector = std::move(selector)}});
  }
  return make_field_class(
      presence_variant(std::move(selector), kAbsent, kPresent, std::move(value)));
}

// -- Of the same format ------------------------------------------------------------------------

std::optional<LocatedFields::Located> NestedFields::locate(const FieldLocation& location) {
  auto located = fields_.locate(location);
  const auto leads_here = [](FieldLocation::Root root) {
    return root == FieldLocation::Root::kRelative || root == FieldLocation::Root::kSpecificContext;
  };
  if (located && is_fixed_ && leads_here(located->location.root)) return {};
  return located;
}

std::optional<LocatedFields::Located> NestedFields::locate_selector(const FieldLocation& location) {
  auto located = locate(location);
  if (!located || !profile_.selector_beside) return located;
  const bool is_beside = located->location.root == FieldLocation::Root::kRelative &&
                         located->location.path.size() == 1;
  return is_beside ? located : std::nullopt;
}

bool NestedFields::stays_integer(const LocatedFields::Located& located) const {
  const auto* const integer = located.field_class->as<IntegerClass>();
  if (integer == nullptr) return false;
  const auto* const fixed = std::get_if<FixedLayout>(&integer->layout);
  if (fixed != nullptr) return fixed->width <= 64;
  const FieldLocation::Root root = located.location.root;
  // Those of contexts that events share are text for all of them.
  const bool is_shared =
      root == FieldLocation::Root::kCommonContext || root == FieldLocation::Root::kPacketContext;
  return profile_.all_numbers || (!any_integer_ && !is_shared);
}

std::optional<Extent> NestedFields::located_extent(const Extent& source) {
  if (std::holds_alternative<StaticLength>(source)) return source;
  const auto* const field = std::get_if<LengthField>(&source);
  if (field == nullptr) return {};
  const auto located = locate(field->location);
  if (!located || !stays_integer(*located) || located->field_class->as<IntegerClass>()->is_signed)
    return {};
  return LengthField{.location = located->location};
}

FieldClassPtr NestedFields::selected(const FieldClassPtr& of, const std::string& path,
                                     FieldProgram& program) {
  const FieldClass& source = *of;
  if (source.as<OptionalClass>() != nullptr) return located_optional(source, path, program);
  if (source.as<VariantClass>() != nullptr) return located_variant(of, path, program);
  const auto* const array = source.as<ArrayClass>();
  const auto* const blob = source.as<BlobClass>();
  if (array == nullptr && blob == nullptr) return nullptr;
  auto extent = located_extent(array == nullptr ? blob->extent : array->extent);
  return extent ? sequence(source, path, *std::move(extent), false, program) : nullptr;
}

FieldClassPtr NestedFields::located_optional(const FieldClass& source, const std::string& path,
                                             FieldProgram& program) {
  const auto& of = *source.as<OptionalClass>();
  if (!of.presence.selector) return nullptr;
  auto located = locate_selector(*of.presence.selector);
  if (!located) return nullptr;
  const bool by_boolean = of.presence.ranges.empty();
  if (by_boolean ? located->field_class->as<BooleanClass>() == nullptr
                 : !profile_.optionals || !stays_integer(*located))
    return nullptr;
  FieldProgram inner;
  FieldClassPtr value = inside(of.value, path, inner);
  if (!profile_.optionals) keep(Convention::kNearest, path);
  if (profile_.optionals && is_copy(inner)) {
    program.push_back({.kind = FieldStep::Kind::kCopy});
  } else {
    program.push_back({.kind = FieldStep::Kind::kPresence,
                       .packed = !profile_.optionals,
                       .count = count_of(inner)});
    std::ranges::move(inner, std::back_inserter(program));
  }
  if (!profile_.optionals)
    return finished(presence_variant(std::move(located->location), kFalse, kTrue, std::move(value)),
                    source);
  return finished(OptionalClass{.value = std::move(value),
                                .presence = {.selector = std::move(located->location),
                                             .ranges = of.presence.ranges}},
                  source);
}

FieldClassPtr NestedFields::located_variant(const FieldClassPtr& source, const std::string& path,
                                            FieldProgram& program) {
  const auto& of = *source->as<VariantClass>();
  const bool all_selectable =
      std::ranges::none_of(of.options, [](const VariantOption& o) { return o.ranges.empty(); });
  if (!of.selector || !all_selectable) return nullptr;
  auto located = locate_selector(*of.selector);
  if (!located || !stays_integer(*located)) return nullptr;
  if (profile_.selects_by_label &&
      !selects_by_label(*located->field_class->as<IntegerClass>(), of, profile_))
    return nullptr;
  VariantClass made{.selector = std::move(located->location)};
  made.options.reserve(of.options.size());
  for (const VariantOption& option : of.options)
    made.options.push_back({.name = option.name, .ranges = option.ranges, .attributes = {}});
  return options(source, std::move(made), false, path, program);
}

FieldClassPtr NestedFields::variant(const FieldClassPtr& source, const std::string& path,
                                    const std::string& name, Scope& scope, FieldProgram& program) {
  const auto& of = *source->as<VariantClass>();
  VariantClass made;
  IntegerClass tag{.layout = FixedLayout{.width = of.options.size() <= 0x100 ? 8U : 32U},
                   .form = IntegerClass::Form::kEnumeration};
  tag.mappings.reserve(of.options.size());
  made.options.reserve(of.options.size());
  NameIndex names;
  const auto name_of = [&](std::size_t i) { return made.options[i].name.view(); };
  const auto is_taken = [&](std::string_view option) {
    return names.find(option, name_of) != NameIndex::kNone;
  };
  for (std::size_t i = 0; i < of.options.size(); ++i) {
    std::string option = of.options[i].name.str();
    if (!profile_.is_option_name(option) || is_taken(option))
      option = "option_" + std::to_string(i);
    while (is_taken(option)) option.push_back('_');
    const IntegerRanges ranges = {{i, i}};
    tag.mappings.push_back({.label = option, .ranges = ranges});
    made.options.push_back({.name = option, .ranges = ranges, .attributes = {}});
    names.add(i, name_of);
  }
  if (of.options.empty()) return nullptr;
  const std::string selector = unique(scope, name + "_tag");
  made.selector = FieldLocation{.path = {selector}};
  scope.members.push_back(
      {.name = selector, .field_class = aligned(std::move(tag)), .attributes = {}});
  keep(Convention::kLength, path);
  return options(source, std::move(made), true, path, program);
}

// `made` has options without their classes. `sized`: an added tag says which.
FieldClassPtr NestedFields::options(const FieldClassPtr& source, VariantClass made, bool sized,
                                    const std::string& path, FieldProgram& program) {
  const auto& of = *source->as<VariantClass>();
  FieldProgram inner;
  bool all_copies = !sized;
  for (std::size_t i = 0; i < of.options.size(); ++i) {
    FieldProgram option;
    made.options[i].field_class = inside(of.options[i].field_class, path, option);
    if (profile_.attributes) made.options[i].attributes = of.options[i].attributes;
    all_copies = all_copies && is_copy(option);
    inner.push_back({.kind = FieldStep::Kind::kOption, .count = count_of(option)});
    std::ranges::move(option, std::back_inserter(inner));
  }
  const auto is_same = [&](const VariantOption& before, const VariantOption& after) {
    return before.field_class == after.field_class &&
           (profile_.attributes || before.attributes.empty());
  };
  if (all_copies) {
    program.push_back({.kind = FieldStep::Kind::kCopy});
    if (keeps_all(*source) && made.selector == of.selector &&
        std::ranges::equal(of.options, made.options, is_same))
      return source;
  } else {
    program.push_back(
        {.kind = FieldStep::Kind::kVariant, .sized = sized, .count = count_of(inner)});
    program.reserve(program.size() + inner.size());
    std::ranges::move(inner, std::back_inserter(program));
  }
  return finished(std::move(made), *source);
}

FieldClassPtr NestedFields::text(const FieldClassPtr& source, const std::string& path,
                                 FieldProgram& program) {
  keep(Convention::kText, path);
  program.push_back({.kind = FieldStep::Kind::kText, .field_class = source});
  return terminated_text();
}

}  // namespace tracedeck::lower

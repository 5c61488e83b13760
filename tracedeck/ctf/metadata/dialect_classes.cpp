#include "tracedeck/ctf/metadata/dialect_classes.hpp"

#include <algorithm>
#include <unordered_map>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/metadata/tsdl_metadata_writer.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {
namespace {

// The class by itself, without what is inside.
bool has_class(const FieldClass& field_class, bool rc3) {
  using Form = IntegerClass::Form;
  const auto known = [](const Extent& extent) {
    return !std::holds_alternative<LengthPrefixed>(extent) &&
           !std::holds_alternative<RestOfRecord>(extent);
  };
  if (const auto* const integer = field_class.as<IntegerClass>()) {
    const bool fixed = std::holds_alternative<FixedLayout>(integer->layout);
    if (integer->form == Form::kAddress) return false;
    if (integer->form == Form::kBitMap) return !rc3;
    if (integer->form == Form::kBitArray) return rc3 || fixed;
    return integer->form == Form::kNumber || !rc3 || !integer->mappings.empty();
  }
  if (const auto* const string = field_class.as<StringClass>())
    return known(string->extent) && !string->interned &&
           (!rc3 || string->encoding == TextEncoding::kUtf8);
  if (const auto* const blob = field_class.as<BlobClass>()) return known(blob->extent);
  if (const auto* const array = field_class.as<ArrayClass>())
    return known(array->extent) && !array->interned && field_class.roles.empty();
  if (const auto* const optional = field_class.as<OptionalClass>())
    return optional->presence.selector.has_value();
  if (const auto* const variant = field_class.as<VariantClass>()) {
    return variant->selector.has_value() &&
           std::ranges::none_of(variant->options, [](const auto& o) { return o.ranges.empty(); });
  }
  return field_class.as<MapClass>() == nullptr && field_class.as<DynamicClass>() == nullptr;
}

bool is_known(const Extent& extent) {
  return std::holds_alternative<StaticLength>(extent) ||
         std::holds_alternative<LengthField>(extent);
}

// The same of CTF 1.8, of classes that were read from it: those of TSDL as it is usual.
bool has_ctf1_class(const FieldClass& field_class) {
  using Form = IntegerClass::Form;
  if (const auto* const integer = field_class.as<IntegerClass>()) {
    const auto* const fixed = std::get_if<FixedLayout>(&integer->layout);
    return fixed != nullptr && fixed->width <= 64 && !fixed->reversed &&
           (integer->form == Form::kNumber ||
            (integer->form == Form::kEnumeration && !integer->mappings.empty()));
  }
  if (const auto* const real = field_class.as<RealClass>())
    return real->layout.width == 32 || real->layout.width == 64;
  if (const auto* const string = field_class.as<StringClass>()) {
    return string->encoding == TextEncoding::kUtf8 && !string->interned &&
           (std::holds_alternative<NullTerminated>(string->extent) || is_known(string->extent));
  }
  if (const auto* const array = field_class.as<ArrayClass>())
    return is_known(array->extent) && !array->interned && field_class.roles.empty();
  return field_class.as<StructureClass>() != nullptr || field_class.as<VariantClass>() != nullptr;
}

// Whether a member of a structure, before the variant, is an enumeration that has a label of the
// name and the ranges of each option.
bool has_ctf1_selector(const StructureClass& structure, const VariantClass& variant) {
  const auto& selector = variant.selector;
  if (!selector || selector->root != FieldLocation::Root::kRelative || selector->path.size() != 1 ||
      !selector->path.front())
    return false;
  const auto found = std::ranges::find(structure.members, *selector->path.front(), &Member::name);
  if (found == structure.members.end()) return false;
  const auto* const labels = found->field_class->as<IntegerClass>();
  if (labels == nullptr || labels->form != IntegerClass::Form::kEnumeration) return false;
  const auto label_of = [&](std::size_t i) { return labels->mappings[i].label.view(); };
  NameIndex index;
  for (std::size_t i = 0; i < labels->mappings.size(); ++i) {
    if (index.add(i, label_of) != i) return false;
  }
  return std::ranges::all_of(variant.options, [&](const VariantOption& option) {
    const std::size_t label = index.find(option.name.view(), label_of);
    return label != NameIndex::kNone && is_tsdl_name(option.name) &&
           labels->mappings[label].ranges == option.ranges;
  });
}

// Variants are members of structures, with selectors of their own.
bool has_ctf1_variants(const FieldClass& field_class) {
  const auto* const structure = field_class.as<StructureClass>();
  bool fine = true;
  for_each_child(field_class, [&](const FieldClassPtr& inner) {
    const auto* const variant = inner->as<VariantClass>();
    fine = fine && (variant == nullptr ||
                    (structure != nullptr && has_ctf1_selector(*structure, *variant)));
  });
  return fine;
}

class Expressible {
 public:
  explicit Expressible(Dialect dialect) : dialect_(dialect) {}

  bool operator()(const FieldClassPtr& field_class, std::size_t depth = 0) {
    if (field_class == nullptr) return true;
    if (depth > kClassNesting) return false;
    const auto known = known_.find(field_class.get());
    if (known != known_.end()) return known->second;
    bool fine = dialect_ == Dialect::kCtf1
                    ? has_ctf1_class(*field_class) && has_ctf1_variants(*field_class)
                    : has_class(*field_class, dialect_ == Dialect::kRc3);
    if (fine) {
      for_each_child(*field_class,
                     [&](const FieldClassPtr& inner) { fine = fine && (*this)(inner, depth + 1); });
    }
    known_.emplace(field_class.get(), fine);
    return fine;
  }

 private:
  Dialect dialect_;
  std::unordered_map<const FieldClass*, bool> known_;
};

}  // namespace

bool is_expressible(const FieldClassPtr& field_class, Dialect dialect) {
  return Expressible(dialect)(field_class);
}

}  // namespace tracedeck::ctf

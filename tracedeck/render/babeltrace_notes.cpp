#include "tracedeck/render/babeltrace_notes.hpp"

#include <algorithm>

#include "tracedeck/render/value_walk.hpp"

namespace tracedeck::render {
namespace {

// Whether babeltrace2 takes an integer for what readers of the trace see anyway: one with a
// role, or one that is mapped to a clock.
bool has_meaning(const FieldClass* field_class) {
  if (class_as<IntegerClass>(field_class) == nullptr) return false;
  return !field_class->roles.empty() ||
         std::ranges::find(field_class->attributes, "map", &Attribute::key) !=
             field_class->attributes.end();
}

}  // namespace

void BabeltraceNotes::study(std::span<const FieldClass* const> roots) {
  for (const FieldClass* const root : roots) collect_references(root);
  for (const FieldClass* const root : roots) look(root);
  seen_.clear();
  looked_.clear();
}

BabeltraceEnumeration& BabeltraceNotes::enumeration(const FieldClass& field_class) {
  return enumerations_.try_emplace(&field_class, field_class, palette_).first->second;
}

void BabeltraceNotes::refer(const FieldLocation& location) {
  if (!location.path.empty() && location.path.back()) referred_.insert(*location.path.back());
}

void BabeltraceNotes::collect_references(const FieldClass* field_class) {
  if (field_class == nullptr || !seen_.insert(field_class).second) return;
  const auto refer_to_length = [this](const Extent& extent) {
    if (const auto* const length = std::get_if<LengthField>(&extent)) refer(length->location);
  };
  if (const auto* const structure = field_class->as<StructureClass>()) {
    for (const Member& member : structure->members) collect_references(member.field_class.get());
  } else if (const auto* const array = field_class->as<ArrayClass>()) {
    refer_to_length(array->extent);
    collect_references(array->element.get());
  } else if (const auto* const variant = field_class->as<VariantClass>()) {
    if (variant->selector) refer(*variant->selector);
    for (const VariantOption& option : variant->options)
      collect_references(option.field_class.get());
  } else if (const auto* const optional = field_class->as<OptionalClass>()) {
    if (optional->presence.selector) refer(*optional->presence.selector);
    collect_references(optional->value.get());
  } else if (const auto* const string = field_class->as<StringClass>()) {
    refer_to_length(string->extent);
  } else if (const auto* const blob = field_class->as<BlobClass>()) {
    refer_to_length(blob->extent);
  }
}

// Returns whether there is something to show.
bool BabeltraceNotes::look(const FieldClass* field_class) {
  if (field_class == nullptr) return true;
  const auto [place, is_new] = looked_.try_emplace(field_class, true);
  if (!is_new) return place->second;
  bool shown = true;
  if (const auto* const structure = field_class->as<StructureClass>()) {
    shown = look_at_members(*structure);
  } else if (const auto* const array = field_class->as<ArrayClass>()) {
    shown = look(array->element.get());
  } else if (const auto* const optional = field_class->as<OptionalClass>()) {
    shown = look(optional->value.get());
  } else if (const auto* const variant = field_class->as<VariantClass>()) {
    shown = look_at_options(*variant);
  } else {
    shown = !has_meaning(field_class);
  }
  looked_[field_class] = shown;
  if (!shown) hidden_.insert(field_class);
  return shown;
}

bool BabeltraceNotes::look_at_members(const StructureClass& structure) {
  std::vector<bool> shown;
  shown.reserve(structure.members.size());
  for (const Member& member : structure.members) {
    const bool shows = look(member.field_class.get()) ||
                       (has_meaning(member.field_class.get()) && referred_.contains(member.name));
    shown.push_back(shows);
  }
  const bool any = shown.empty() || std::ranges::find(shown, true) != shown.end();
  if (std::ranges::find(shown, false) != shown.end()) partial_[&structure] = std::move(shown);
  return any;
}

// All options of a variant are shown if one is: any may be selected.
bool BabeltraceNotes::look_at_options(const VariantClass& variant) {
  bool any = false;
  for (const VariantOption& option : variant.options) any |= look(option.field_class.get());
  return any || variant.options.empty();
}

}  // namespace tracedeck::render

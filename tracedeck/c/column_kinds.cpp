#include "tracedeck/c/column_kinds.hpp"

#include <array>
#include <span>
#include <utility>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/model/labels.hpp"

namespace tracedeck::capi {
namespace {

using columns::Column;
using columns::ColumnType;

// Walks columns and the field classes that they were made of side by side.
class Notes {
 public:
  void common() { notes_.emplace_back(); }

  void members(std::span<const Column> children, const FieldClassPtr& field_class, bool at_top) {
    const auto* const structure =
        field_class == nullptr ? nullptr : field_class->as<StructureClass>();
    if (structure != nullptr) return members(children, *structure, at_top);
    for (const Column& each : children) plain(each);
  }

  void context(const Column& column, const FieldClassPtr& field_class) {
    notes_.push_back({.kind = ColumnKind::kContext});
    members(column.children, field_class, false);
  }

  [[nodiscard]] std::vector<ColumnNote> take() { return std::move(notes_); }

 private:
  void plain(const Column& column) {
    notes_.emplace_back();
    for (const Column& child : column.children) plain(child);
  }

  void value(const Column& column, const FieldClass& field_class, std::string_view name,
             bool is_field) {
    ColumnNote note{.field = repaired_utf8(name), .is_field = is_field};
    if (const auto* const optional = field_class.as<OptionalClass>();
        optional != nullptr && column.type != ColumnType::kText) {
      if (!is_wrapped(column, *optional)) return value(column, *optional->value, name, is_field);
      note.kind = ColumnKind::kWrapped;
      notes_.push_back(std::move(note));
      return value(column.children.front(), *optional->value, {}, false);
    }
    if (column.type == ColumnType::kText) {
      const FieldClass* inner = &field_class;
      while (const auto* const optional = inner->as<OptionalClass>()) inner = optional->value.get();
      if (inner->as<IntegerClass>() != nullptr) {
        note.kind = ColumnKind::kDigits;
      } else if (inner->as<StringClass>() == nullptr) {
        note.kind = ColumnKind::kJson;
      }
      return notes_.push_back(std::move(note));
    }
    if (column.is_leaf()) return notes_.push_back(std::move(note));
    if (const auto* const array = field_class.as<ArrayClass>()) {
      notes_.push_back(std::move(note));
      return value(column.children.front(), *array->element, {}, false);
    }
    if (const auto* const map = field_class.as<MapClass>()) {
      note.kind = ColumnKind::kMap;
      notes_.push_back(std::move(note));
      return pair(column.children.front(), *map);
    }
    if (const auto* const variant = field_class.as<VariantClass>()) {
      note.kind = ColumnKind::kVariant;
      notes_.push_back(std::move(note));
      return options(column, *variant);
    }
    if (const auto* const structure = field_class.as<StructureClass>()) {
      if (structure->members.empty()) {
        note.kind = ColumnKind::kEmpty;
        notes_.push_back(std::move(note));
        return plain(column.children.front());
      }
      notes_.push_back(std::move(note));
      return members(column.children, *structure, false);
    }
    if (as_enumeration(&field_class) != nullptr) note.kind = ColumnKind::kLabelled;
    notes_.push_back(std::move(note));
    for (const Column& child : column.children) plain(child);
  }

  // An enumeration has a column for its label behind its own.
  void members(std::span<const Column> children, const StructureClass& structure, bool at_top) {
    std::size_t at = 0;
    for (const Member& member : structure.members) {
      if (at == children.size()) return;
      value(children[at++], *member.field_class, member.name, at_top);
      if (at < children.size() && children[at].type == ColumnType::kWord) {
        notes_.push_back({.kind = ColumnKind::kLabel, .field = repaired_utf8(member.name)});
        ++at;
      }
    }
    for (; at < children.size(); ++at) plain(children[at]);
  }

  // An optional of what may be null itself stands in a group.
  static bool is_wrapped(const Column& column, const OptionalClass& optional) {
    const auto* const array = optional.value->as<ArrayClass>();
    const bool may_be_null =
        optional.value->as<OptionalClass>() != nullptr || (array != nullptr && array->interned);
    return may_be_null && column.type == ColumnType::kGroup && column.children.size() == 1;
  }

  // A value that may be absent, as an option of a variant.
  void option(const Column& column, const FieldClass& field_class, std::string_view name) {
    const auto* const array = field_class.as<ArrayClass>();
    const bool may_be_null =
        field_class.as<OptionalClass>() != nullptr || (array != nullptr && array->interned);
    if (!may_be_null || column.type != ColumnType::kGroup || column.children.size() != 1)
      return value(column, field_class, name, false);
    notes_.push_back({.kind = ColumnKind::kWrapped, .field = repaired_utf8(name)});
    value(column.children.front(), field_class, {}, false);
  }

  void options(const Column& column, const VariantClass& variant) {
    plain(column.children.front());
    for (std::size_t i = 0; i < variant.options.size() && i + 1 < column.children.size(); ++i)
      option(column.children[i + 1], *variant.options[i].field_class, variant.options[i].name);
  }

  void pair(const Column& column, const MapClass& map) {
    static const FieldClassPtr kAny = make_field_class(DynamicClass{});
    notes_.emplace_back();
    value(column.children[0], map.key == nullptr ? *kAny : *map.key, {}, false);
    value(column.children[1], map.value == nullptr ? *kAny : *map.value, {}, false);
  }

  std::vector<ColumnNote> notes_;
};

bool has_members(const FieldClassPtr& field_class) {
  const auto* const structure =
      field_class == nullptr ? nullptr : field_class->as<StructureClass>();
  return structure != nullptr && !structure->members.empty();
}

}  // namespace

std::string_view kind_name(ColumnKind kind) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "", "json", "digits", "label", "labelled", "empty", "map", "wrapped", "variant", "context"};
  return kNames[std::to_underlying(kind)];
}

std::vector<ColumnNote> column_notes(const Column& root, const EventClass& event_class) {
  Notes notes;
  notes.common();
  const DataStreamClass* const stream = event_class.stream_class;
  const std::array<FieldClassPtr, 3> contexts = {
      stream == nullptr ? nullptr : stream->packet_context,
      stream == nullptr ? nullptr : stream->common_context, event_class.specific_context};
  // Behind the common columns, which are leaves, come the contexts, then the payload.
  const std::span<const Column> children = root.children;
  const std::size_t common = event_class.has_duration ? 5 : 4;
  std::size_t at = 0;
  for (; at < common && at < children.size(); ++at) notes.common();
  for (const FieldClassPtr& each : contexts) {
    if (has_members(each) && at < children.size()) notes.context(children[at++], each);
  }
  notes.members(children.subspan(at), event_class.payload, true);
  return notes.take();
}

}  // namespace tracedeck::capi

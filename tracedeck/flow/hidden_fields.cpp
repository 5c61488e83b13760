#include "tracedeck/flow/hidden_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

namespace tracedeck::flow {
namespace {

bool is_octet(const FieldClassPtr& field_class) {
  const auto* const integer = field_class->as<IntegerClass>();
  if (integer == nullptr) return false;
  const auto* const layout = std::get_if<FixedLayout>(&integer->layout);
  return layout != nullptr && layout->width == 8;
}

bool is_octets(const Slot& slot) {
  return slot.kind == SlotKind::kPackedArray &&
         element_size(static_cast<PackedElement>(slot.detail)) == 1;
}

std::string below(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

// The canonical text of a value, which is the same in every format; of texts and blobs their bytes.
std::string text_of(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::kBoolean:
      return slot.bits != 0 ? "true" : "false";
    case SlotKind::kUnsigned:
      return fmt::format("{}", slot.bits);
    case SlotKind::kUnresolved:
      return fmt::format("unresolved {}", slot.bits);
    case SlotKind::kSigned:
      return fmt::format("{}", slot.integer);
    case SlotKind::kReal:
      return fmt::format("{}", slot.real);
    case SlotKind::kWideUnsigned:
    case SlotKind::kWideSigned:
    case SlotKind::kWideReal: {
      std::string text = "0x";
      const ByteSpan bytes = slot.bytes();
      for (std::size_t i = bytes.size(); i-- > 0;) text += fmt::format("{:02x}", bytes[i]);
      return text;
    }
    default:
      return std::string(slot.text());
  }
}

// The bytes of an array of them that has a slot for each.
std::string bytes_of(const Slot& array) {
  std::string bytes;
  for (const Slot* element = &array + 1; element != array.next(); element = element->next())
    bytes += static_cast<char>(element->bits & 0xFF);
  return bytes;
}

// Of a verdict on something and one on what it is in.
Verdict stronger(Verdict own, Verdict outer) {
  return own && (!outer || outer.only_texts || !own.only_texts) ? own : outer;
}

bool is_text(const Slot& slot) {
  return slot.kind == SlotKind::kString || slot.kind == SlotKind::kBlob || is_octets(slot);
}

}  // namespace

// -- Classes ---------------------------------------------------------------------------------

Extent HiddenClasses::text_extent() const {
  if (texts_end_) return NullTerminated{};
  return LengthPrefixed{};
}

Attributes HiddenClasses::attributes(const Attributes& attributes) const {
  Attributes kept;
  for (const Attribute& attribute : attributes) {
    const Verdict verdict = hiding_.of(HiddenKind::kMetadata, attribute.key);
    const bool is_number = attribute.is_json && attribute.value.find('"') == std::string::npos;
    if (!verdict || (verdict.only_texts && is_number)) {
      kept.push_back(attribute);
    } else if (!verdict.drops) {
      kept.push_back({.key = attribute.key, .value = hiding_.mask(attribute.value)});
    }
  }
  return kept;
}

HiddenClasses::Made HiddenClasses::make_text(const FieldClassPtr& of, const FieldPlace& place,
                                             Verdict outer) {
  StringClass text{.extent = text_extent()};
  if (const auto* const string = of->as<StringClass>()) {
    text.interned = string->interned;
    const bool fits = std::holds_alternative<NullTerminated>(string->extent) ||
                      std::holds_alternative<LengthPrefixed>(string->extent) ||
                      std::holds_alternative<RestOfRecord>(string->extent);
    if (fits) text.extent = string->extent;
  }
  const std::uint32_t alignment = texts_end_ ? 8 : of->alignment;
  return {{.action = HiddenField::Action::kText, .verdict = outer, .path = std::string(place.path)},
          std::make_shared<const FieldClass>(
              FieldClass{.kind = std::move(text), .alignment = alignment})};
}

template <class Member>
void HiddenClasses::make_members(const std::vector<Member>& members, const FieldPlace& place,
                                 Verdict outer, bool drops, HiddenField& field,
                                 std::vector<Member>& made, bool& is_changed) {
  for (const Member& member : members) {
    const std::string path = below(place.path, member.name.view());
    const FieldPlace inner{.event_class = place.event_class,
                           .scope = place.scope,
                           .path = path,
                           .name = member.name.view()};
    // What readers go by stays.
    const bool has_role = !member.field_class->roles.empty();
    const Verdict own = has_role ? Verdict() : hiding_.of(inner);
    if (own.drops) {
      is_changed = true;
      field.inner.push_back(
          {.action = HiddenField::Action::kDrop, .verdict = own, .path = path, .inner = {}});
      // An option keeps its place.
      if (!drops) {
        made.push_back(member);
        made.back().field_class = make_field_class(StructureClass{});
      }
      continue;
    }
    Made of_member = make(member.field_class, inner, stronger(own, outer));
    Member copy = member;
    copy.field_class = of_member.field_class;
    copy.attributes = attributes(member.attributes);
    is_changed = is_changed || copy.field_class != member.field_class ||
                 copy.attributes.size() != member.attributes.size() ||
                 !(copy.attributes == member.attributes);
    made.push_back(std::move(copy));
    field.inner.push_back(std::move(of_member.field));
  }
}

HiddenClasses::Made HiddenClasses::make(const FieldClassPtr& of, const FieldPlace& place,
                                        Verdict outer) {
  using Action = HiddenField::Action;
  HiddenField field{.verdict = outer, .path = std::string(place.path)};
  FieldClass made = *of;
  made.attributes = attributes(of->attributes);
  bool is_changed = !(made.attributes == of->attributes);
  const bool hides = outer && of->roles.empty();
  const auto enter = [&](const FieldClassPtr& inner) {
    Made of_inner = make(inner, place, outer);
    is_changed = is_changed || of_inner.field_class != inner;
    field.inner.push_back(std::move(of_inner.field));
    return of_inner.field_class;
  };
  const auto is_kept = [](const HiddenField& each) { return each.action == Action::kKeep; };
  const bool is_text = of->as<StringClass>() != nullptr || of->as<BlobClass>() != nullptr;
  const bool is_number = of->as<BooleanClass>() != nullptr || of->as<IntegerClass>() != nullptr ||
                         of->as<RealClass>() != nullptr;
  if (hides && (is_text || (is_number && !outer.only_texts))) return make_text(of, place, outer);
  if (of->as<StringClass>() != nullptr && hiding_.may_name_threads(place)) {
    Made thread = make_text(of, place, outer);
    thread.field.action = Action::kThread;
    return thread;
  }
  if (const auto* const blob = of->as<BlobClass>()) {
    const Verdict verdict = hiding_.of(HiddenKind::kMetadata, "media-type");
    if (verdict) {
      BlobClass copy = *blob;
      copy.media_type = BlobClass().media_type;
      is_changed = is_changed || copy.media_type != blob->media_type;
      made.kind = std::move(copy);
    }
  } else if (const auto* const array = of->as<ArrayClass>()) {
    if (hides && is_octet(array->element)) return make_text(of, place, outer);
    ArrayClass copy = *array;
    copy.element = enter(array->element);
    made.kind = std::move(copy);
  } else if (const auto* const structure = of->as<StructureClass>()) {
    StructureClass copy{.members = {}, .minimum_alignment = structure->minimum_alignment};
    make_members(structure->members, place, outer, true, field, copy.members, is_changed);
    made.kind = std::move(copy);
  } else if (const auto* const variant = of->as<VariantClass>()) {
    VariantClass copy{.options = {}, .selector = variant->selector};
    make_members(variant->options, place, outer, false, field, copy.options, is_changed);
    made.kind = std::move(copy);
  } else if (const auto* const optional = of->as<OptionalClass>()) {
    OptionalClass copy = *optional;
    copy.value = enter(optional->value);
    made.kind = std::move(copy);
  } else if (const auto* const map = of->as<MapClass>()) {
    MapClass copy = *map;
    copy.key = enter(map->key);
    copy.value = enter(map->value);
    // Any key may be meant.
    const bool is_open =
        copy.value->as<StringClass>() != nullptr || copy.value->as<DynamicClass>() != nullptr;
    if (hiding_.masks_fields() && !is_open) {
      copy.value = make_field_class(DynamicClass{});
      is_changed = true;
    }
    made.kind = std::move(copy);
    field.action = Action::kWalk;
  } else if (of->as<DynamicClass>() != nullptr) {
    field.action = Action::kWalk;
  }
  if (field.action == Action::kKeep && !std::ranges::all_of(field.inner, is_kept))
    field.action = Action::kEnter;
  if (field.action == Action::kKeep) field.inner.clear();
  return {std::move(field), is_changed ? std::make_shared<const FieldClass>(std::move(made)) : of};
}

namespace {

void note_gone(const HiddenField& field, std::set<std::string, std::less<>>& gone) {
  using Action = HiddenField::Action;
  if (field.action == Action::kDrop || field.action == Action::kText)
    gone.insert(field.path.substr(field.path.rfind('.') + 1));
  for (const HiddenField& inner : field.inner) note_gone(inner, gone);
}

}  // namespace

HiddenRoot HiddenClasses::root(const FieldClassPtr& root, const FieldPlace& place) {
  if (root == nullptr) return {};
  Made made = make(root, place, {});
  HiddenRoot hidden{.field = std::move(made.field), .field_class = std::move(made.field_class)};
  note_gone(hidden.field, hidden.gone);
  return hidden;
}

namespace {

// Lets classes no longer refer to what is hidden.
class Detaching {
 public:
  Detaching(FieldLocation::Root own, const GoneMembers& gone) : own_(own), gone_(gone) {}

  FieldClassPtr operator()(const FieldClassPtr& of) const {
    if (of == nullptr) return of;
    FieldClass made = *of;
    bool changed = false;
    const auto inner = [&](FieldClassPtr& field_class) {
      const FieldClassPtr before = field_class;
      field_class = (*this)(before);
      changed = changed || field_class != before;
    };
    std::visit(
        [&](auto& kind) {
          using Kind = std::decay_t<decltype(kind)>;
          if constexpr (std::is_same_v<Kind, StringClass> || std::is_same_v<Kind, BlobClass>) {
            changed = detach_length(kind.extent) || changed;
          } else if constexpr (std::is_same_v<Kind, ArrayClass>) {
            changed = detach_length(kind.extent) || changed;
            inner(kind.element);
          } else if constexpr (std::is_same_v<Kind, StructureClass>) {
            for (Member& member : kind.members) inner(member.field_class);
          } else if constexpr (std::is_same_v<Kind, MapClass>) {
            inner(kind.key);
            inner(kind.value);
          } else if constexpr (std::is_same_v<Kind, OptionalClass>) {
            if (detach(kind.presence.selector)) {
              kind.presence.ranges = {};
              changed = true;
            }
            inner(kind.value);
          } else if constexpr (std::is_same_v<Kind, VariantClass>) {
            changed = detach(kind.selector) || changed;
            for (VariantOption& option : kind.options) inner(option.field_class);
          }
        },
        made.kind);
    return changed ? std::make_shared<const FieldClass>(std::move(made)) : of;
  }

 private:
  [[nodiscard]] bool is_gone(const FieldLocation& location) const {
    using Root = FieldLocation::Root;
    const Root root = location.root == Root::kRelative ? own_ : location.root;
    if (root == Root::kPacketHeader || root == Root::kEventHeader) return true;
    const auto hidden = gone_.find(root);
    if (hidden == gone_.end()) return false;
    return std::ranges::any_of(location.path, [&](const std::optional<std::string>& name) {
      return name && hidden->second->gone.contains(*name);
    });
  }
  [[nodiscard]] bool detach(std::optional<FieldLocation>& location) const {
    if (!location || !is_gone(*location)) return false;
    location = std::nullopt;
    return true;
  }
  [[nodiscard]] bool detach_length(Extent& extent) const {
    const auto* const field = std::get_if<LengthField>(&extent);
    if (field == nullptr || !is_gone(field->location)) return false;
    extent = LengthPrefixed{};
    return true;
  }

  FieldLocation::Root own_;
  const GoneMembers& gone_;
};

}  // namespace

FieldClassPtr HiddenClasses::detached(const FieldClassPtr& root, FieldLocation::Root own,
                                      const GoneMembers& gone) {
  return Detaching(own, gone)(root);
}

// -- Values ----------------------------------------------------------------------------------

void HiddenValues::begin(std::optional<std::string_view> event_class) {
  event_class_ = event_class;
  slots_.clear();
  texts_.clear();
  done_.clear();
}

void HiddenValues::count() {
  for (const std::uint32_t pattern : done_) ++counts_[pattern];
}

void HiddenValues::add(const HiddenRoot& root, std::string_view scope,
                       std::span<const Slot> slots) {
  scope_ = scope;
  const Slot* slot = slots.data();
  const Slot* const end = slot + slots.size();
  for (const HiddenField& member : root.field.inner) {
    if (slot == end) return;
    slot = add(member, slot);
  }
  slots_.insert(slots_.end(), slot, end);
}

void HiddenValues::add_self_described(Verdict name, std::span<const Slot> slots) {
  scope_ = "fields";
  if (slots.empty()) return;
  if (name && !name.drops) {
    add_text(slots.front().text(), name);
  } else {
    slots_.push_back(slots.front());
  }
  const Verdict all = hiding_.of(FieldPlace{
      .event_class = event_class_, .scope = scope_, .path = "attributes", .name = "attributes"});
  for (const Slot* slot = slots.data() + 1; slot != slots.data() + slots.size();
       slot = slot->next())
    walk(slot, "", all.drops ? Verdict() : all, true);
}

const Slot* HiddenValues::add(const HiddenField& field, const Slot* slot) {
  using Action = HiddenField::Action;
  switch (field.action) {
    case Action::kKeep:
      copy(slot);
      break;
    case Action::kDrop:
      note(field.verdict);
      break;
    case Action::kText:
      add_text(slot->kind == SlotKind::kArray ? bytes_of(*slot) : text_of(*slot), field.verdict);
      break;
    case Action::kThread:
      add_thread(slot);
      break;
    case Action::kEnter:
      enter(field, slot);
      break;
    case Action::kWalk:
      walk(slot, field.path, field.verdict);
      break;
  }
  return slot->next();
}

void HiddenValues::add_thread(const Slot* slot) {
  const Verdict verdict =
      slot->kind == SlotKind::kString ? hiding_.of(HiddenKind::kThread, slot->text()) : Verdict();
  if (!verdict) return copy(slot);
  if (!verdict.drops) return add_text(slot->text(), verdict);
  slots_.push_back(bytes_slot(SlotKind::kString, slot->pointer, 0));
  note(verdict);
}

void HiddenValues::enter(const HiddenField& field, const Slot* slot) {
  using Action = HiddenField::Action;
  if (slot->kind == SlotKind::kPackedArray) {
    if (field.inner.front().action == Action::kKeep) return copy(slot);
    return add_elements(slot, field.inner.front().verdict);
  }
  if (slot->kind < kFirstCompound) return copy(slot);
  const std::size_t head = begin_head(slot);
  const Slot* inner = slot + 1;
  const Slot* const end = slot->next();
  if (slot->kind == SlotKind::kVariant) {
    const HiddenField& option = field.inner[slot->bits];
    if (option.action == Action::kDrop) {
      note(option.verdict);
      slots_.push_back(head_slot(SlotKind::kStructure, 0, 0));
    } else if (inner != end) {
      inner = add(option, inner);
    }
    return end_head(head, slot->bits);
  }
  for (std::size_t i = 0; inner != end; ++i)
    inner = add(slot->kind == SlotKind::kStructure ? field.inner[i] : field.inner.front(), inner);
  end_head(head, slot->bits);
}

void HiddenValues::walk(const Slot* slot, const std::string& path, Verdict outer, bool keeps_keys) {
  if (slot->kind == SlotKind::kStringMap || slot->kind == SlotKind::kMap)
    return walk_pairs(slot, path, outer, keeps_keys);
  if (slot->kind >= kFirstCompound) {
    const std::size_t head = begin_head(slot);
    for (const Slot* inner = slot + 1; inner != slot->next(); inner = inner->next())
      walk(inner, path, outer);
    return end_head(head, slot->bits);
  }
  if (!outer || slot->kind == SlotKind::kUnresolved || (outer.only_texts && !is_text(*slot)))
    return copy(slot);
  if (slot->kind == SlotKind::kPackedArray && !is_octets(*slot)) return add_elements(slot, outer);
  add_text(text_of(*slot), outer);
}

void HiddenValues::walk_pairs(const Slot* slot, const std::string& path, Verdict outer,
                              bool keeps_keys) {
  const std::size_t head = begin_head(slot);
  std::uint64_t pairs = 0;
  for (const Slot* key = slot + 1; key != slot->next();) {
    const Slot* const value = key->next();
    const Slot* const next = value->next();
    Verdict verdict = outer;
    std::string inner = path;
    if (key->kind == SlotKind::kString) {
      inner = below(path, key->text());
      verdict = stronger(
          hiding_.of(FieldPlace{
              .event_class = event_class_, .scope = scope_, .path = inner, .name = key->text()}),
          outer);
    }
    if (verdict.drops) {
      note(verdict);
    } else {
      ++pairs;
      if (keeps_keys) {
        copy(key);
      } else {
        walk(key, path, outer);
      }
      walk(value, inner, verdict);
    }
    key = next;
  }
  end_head(head, pairs);
}

void HiddenValues::add_elements(const Slot* packed, Verdict verdict) {
  const std::size_t count = packed_count(*packed);
  const std::size_t head = slots_.size();
  slots_.push_back(head_slot(SlotKind::kArray, count, 0));
  for (std::size_t i = 0; i < count; ++i) {
    const Slot element = packed_element(*packed, i);
    if (verdict.only_texts) {
      slots_.push_back(element);
    } else {
      add_text(text_of(element), verdict);
    }
  }
  end_head(head, count);
}

void HiddenValues::copy(const Slot* slot) { slots_.insert(slots_.end(), slot, slot->next()); }

void HiddenValues::add_text(std::string_view of, Verdict verdict) {
  std::string& mask = texts_.emplace_back(slots_.size(), hiding_.mask(of)).second;
  slots_.push_back(bytes_slot(SlotKind::kString, nullptr, static_cast<std::uint32_t>(mask.size())));
  note(verdict);
}

std::size_t HiddenValues::begin_head(const Slot* head) {
  slots_.push_back(*head);
  return slots_.size() - 1;
}

void HiddenValues::end_head(std::size_t head, std::uint64_t bits) {
  slots_[head].bits = bits;
  slots_[head].length = static_cast<std::uint32_t>(slots_.size() - head - 1);
}

}  // namespace tracedeck::flow

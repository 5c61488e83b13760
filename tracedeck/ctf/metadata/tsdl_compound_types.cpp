// Structures and variants, and the fields that lengths and tags refer to.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "tracedeck/base/name_index.hpp"
#include "tracedeck/ctf/location_words.hpp"
#include "tracedeck/ctf/metadata/range_set.hpp"
#include "tracedeck/ctf/metadata/tsdl_types.hpp"

namespace tracedeck::ctf::tsdl {
namespace {

using Root = FieldLocation::Root;

// Which scope a path begins with, and how many of its names that takes.
std::pair<std::optional<Root>, std::size_t> scope_of(const Expression& path) {
  std::string begin;
  for (std::size_t i = 0; i < path.path.size() && i < 3; ++i) {
    begin += (i == 0 ? "" : ".") + path.path[i];
    if (const auto found = root_of_scope(begin)) return {found, i + 1};
  }
  return {};
}

// Readers take one underscore away: it is there for names that are keywords (4.2.1).
std::string without_underscore(const std::string& name) {
  return name.size() > 1 && name[0] == '_' ? name.substr(1) : name;
}

// What a member is called in the model. Where that is taken already the underscore stays.
template <class IsTaken>
std::string member_name(const std::string& name, const IsTaken& is_taken) {
  std::string shown = without_underscore(name);
  return is_taken(shown) ? name : shown;
}

// What a bit field without a name is called.
std::string padding_name(Frame& frame) {
  std::string name;
  do {
    const std::size_t number = ++frame.paddings;
    name = number == 1 ? "padding" : fmt::format("padding_{}", number);
  } while (frame.has_text(name));
  return name;
}

// The names of a variant's options, as the text and as the model calls them.
class OptionNames {
 public:
  explicit OptionNames(std::vector<VariantOption>& options) : options_(options) {}

  // Adds an option; false if there is one that the text calls so.
  bool add(const std::string& text, const FieldClassPtr& field_class) {
    const auto name_of = [&](std::size_t index) { return options_[index].name.view(); };
    const auto text_of = [&](std::size_t index) {
      return (had_underscore_[index] ? "_" : "") + options_[index].name.str();
    };
    const auto is_taken = [&](const std::string& name) {
      return by_name_.find(name, name_of) != NameIndex::kNone;
    };
    if (by_text_.find(text, text_of) != NameIndex::kNone) return false;
    options_.push_back({.name = member_name(text, is_taken), .field_class = field_class});
    had_underscore_.push_back(options_.back().name != text);
    by_text_.add(options_.size() - 1, text_of);
    by_name_.add(options_.size() - 1, name_of);
    return true;
  }

 private:
  std::vector<VariantOption>& options_;
  std::vector<bool> had_underscore_;
  NameIndex by_text_;
  NameIndex by_name_;
};

// Labels may share values: the first option that has one is chosen.
void take_first(VariantClass& variant) {
  if (are_in_order(variant.options)) return;
  std::vector<IntegerRange> all;
  for (const VariantOption& option : variant.options)
    all.insert(all.end(), option.ranges.begin(), option.ranges.end());
  std::ranges::sort(all, {}, &IntegerRange::lower);
  const auto share = [](const IntegerRange& a, const IntegerRange& b) {
    return a.upper >= b.lower;
  };
  if (std::ranges::adjacent_find(all, share) == all.end()) return;
  RangeSet chosen;
  for (VariantOption& option : variant.options) {
    IntegerRanges left;
    for (const IntegerRange& range : option.ranges)
      for (const IntegerRange& part : chosen.add(range)) left.push_back(part);
    option.ranges = std::move(left);
  }
}

}  // namespace

TypeBuilder::Built TypeBuilder::structure_class(const TypeSpecifier& type, const Site& site) {
  Frame frame{.parent = site.frame,
              .lexical = site.lexical,
              .lexical_fields = site.lexical_fields,
              .depth = site.frame == nullptr ? 0 : site.frame->depth + 1};
  TypeScope scope{.parent = site.scope, .parent_limit = site.limit};
  const Site inner{
      .scope = &scope, .frame = &frame, .lexical = &frame, .lexical_fields = kEverything};
  std::optional<std::uint32_t> alignment = 1;
  if (type.alignment) alignment = values_.alignment(*type.alignment);
  Built result;
  bool valid = alignment.has_value();
  frame.reserve(type.declarations->size());
  type.declarations->for_each([&](const Declaration& each) {
    if (each.kind == Declaration::Kind::kField) {
      result.field_class = nullptr;
      structure_fields(each, inner, result);
      valid = valid && result.field_class != nullptr;
    } else {
      declare(each, inner);
    }
    return true;
  });
  if (!valid || !spend(frame.classes.size(), type.place)) return {};
  StructureClass structure{.minimum_alignment = std::max(*alignment, frame.unit_alignment)};
  structure.members.reserve(frame.classes.size());
  for (std::size_t i = 0; i < frame.classes.size(); ++i)
    structure.members.push_back(
        {.name = std::move(frame.names[i]), .field_class = std::move(frame.classes[i])});
  result.field_class = add_node({.kind = std::move(structure)}, {.place = type.place});
  return result;
}

// `result.field_class` is null when one of them is faulty.
void TypeBuilder::structure_fields(const Declaration& declaration, const Site& inner,
                                   Built& result) {
  Frame& frame = *inner.frame;
  bool valid = true;
  for (const Declarator& each : declaration.declarators) {
    const std::string text = each.name.empty() ? padding_name(frame) : each.name;
    frame.pending = text;
    Built field = declared_class(*declaration.type, each, inner);
    if (each.bits) field = bit_field_class(field, each, &frame);
    frame.pending.clear();
    result.outermost = std::min(result.outermost, field.outermost);
    if (frame.has_text(text)) {
      findings_.report(TsdlRule::kFieldRepeated, each.place,
                       fmt::format("there is a field `{}` already", each.name));
      valid = false;
      continue;
    }
    // A faulty one is known too, lest what refers to it be blamed.
    frame.add(text, member_name(text, [&](auto& name) { return frame.has_name(name); }),
              field.field_class);
    if (field.field_class == nullptr) {
      valid = false;
    } else {
      result.field_class = field.field_class;
    }
  }
  if (!valid) result.field_class = nullptr;
}

TypeBuilder::Built TypeBuilder::variant_class(const TypeSpecifier& type, const Expression& tag,
                                              const Site& site, const Site& tag_site) {
  if (tag.kind != Expression::Kind::kPath || tag.path.front() == "env") {
    findings_.report(
        TsdlRule::kVariant, tag.place,
        fmt::format("the tag of this variant is `{}`; the name of a field was expected",
                    plain_text(tag)));
    return {};
  }
  Reference reference = refer(tag, tag_site);
  const bool valid = selects(reference, tag.place);
  VariantClass variant{.selector = std::move(reference.location)};
  Built result{.outermost = reference.outermost};
  // What it selects depends on the enumeration there.
  if (variant.selector->root != Root::kRelative) result.outermost = kOutside;
  if (!variant_options(type, site, reference.target, variant, result) || !valid) return {};
  result.field_class = add_node({.kind = std::move(variant)}, {.place = type.place});
  return result;
}

// Whether a tag can select. What is no integer at all is a matter of its location.
bool TypeBuilder::selects(const Reference& tag, Place place) {
  if (tag.target == nullptr) return true;
  const auto* const integer = tag.target->as<IntegerClass>();
  if (integer == nullptr || integer->form == IntegerClass::Form::kEnumeration) return true;
  findings_.report(TsdlRule::kVariant, place,
                   "the tag of this variant is an integer without labels; an enumeration was "
                   "expected");
  return false;
}

bool TypeBuilder::variant_options(const TypeSpecifier& type, const Site& site,
                                  const FieldClassPtr& tag, VariantClass& variant, Built& result) {
  TypeScope scope{.parent = site.scope, .parent_limit = site.limit};
  Site inner = site;
  inner.scope = &scope;
  inner.limit = kEverything;
  OptionNames names(variant.options);
  bool valid = true;
  bool within_limit = true;
  variant.options.reserve(type.declarations->size());
  type.declarations->for_each([&](const Declaration& declaration) {
    if (declaration.kind != Declaration::Kind::kField) {
      declare(declaration, inner);
      return true;
    }
    for (const Declarator& each : declaration.declarators) {
      Built option = declared_class(*declaration.type, each, inner);
      if (each.bits) option = bit_field_class(option, each, nullptr);
      result.outermost = std::min(result.outermost, option.outermost);
      valid = valid && option.field_class != nullptr;
      if (!names.add(each.name, option.field_class)) {
        findings_.report(TsdlRule::kFieldRepeated, each.place,
                         fmt::format("there is an option `{}` already", each.name));
        valid = false;
        continue;
      }
      const Mapping* const mapping = label_of(tag, each.name);
      if (mapping == nullptr) continue;
      within_limit = within_limit && spend(mapping->ranges.size(), each.place);
      variant.options.back().ranges = mapping->ranges;
    }
    return within_limit;
  });
  if (!within_limit || !spend(variant.options.size(), type.place)) return false;
  if (variant.options.empty() && valid) {
    findings_.report(TsdlRule::kVariant, type.place, "this variant has no options");
    return false;
  }
  take_first(variant);
  return valid;
}

// What an enumeration calls by the name of an option; null: nothing, or it is none.
const Mapping* TypeBuilder::label_of(const FieldClassPtr& tag, const std::string& name) {
  const bool has_labels = tag != nullptr && tag->as<IntegerClass>() != nullptr;
  return has_labels ? nodes_.find_mapping(tag.get(), name) : nullptr;
}

std::optional<std::uint64_t> TypeBuilder::constant_length(const Expression& length) {
  Integer value = length.value;
  if (length.kind == Expression::Kind::kPath && length.path.size() == 2 &&
      length.path[0] == "env") {
    const auto found = environment_.find(length.path[1]);
    if (found == environment_.end()) return std::nullopt;
    value = found->second;
  } else if (length.kind != Expression::Kind::kInteger) {
    return std::nullopt;
  }
  if (value < 0 || value > UINT64_MAX) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

// Where a length or a tag leads. What leads nowhere is reported when the class is added to the
// metadata.
TypeBuilder::Reference TypeBuilder::refer(const Expression& to, const Site& site) {
  if (const auto [scope, names] = scope_of(to); scope)
    return refer_to_root(*scope, to, names, site);
  const std::string& first = to.path.front();
  // The fields before it where its type is declared (4.2.2), then those where it is used.
  for (const std::string& name : {first, without_underscore(first)}) {
    std::size_t limit = site.lexical_fields;
    for (const Frame* frame = site.lexical; frame != nullptr;
         limit = frame->lexical_fields, frame = frame->lexical) {
      const std::size_t field = frame->find(name, limit);
      if (field != kEverything) return refer_to_frame(*frame, field, to, site);
    }
    for (const Frame* frame = site.frame; frame != nullptr; frame = frame->parent) {
      const std::size_t field = frame->find(name, kEverything);
      if (field != kEverything) return refer_to_frame(*frame, field, to, site);
    }
  }
  // Then those of the dynamic scopes around it, inner ones first (section 6).
  if (roots_ != nullptr) {
    for (auto number = static_cast<std::size_t>(root_); number-- > 1;) {
      const auto scope = static_cast<Root>(number);
      const FieldClassPtr& root = (*roots_)[index_of(scope)];
      if (root == nullptr || member_of(root, first) == std::string::npos) continue;
      Reference result = refer_to_root(scope, to, 0, site);
      result.outermost = kOutside;
      return result;
    }
  }
  Reference result;
  static_cast<void>(walk(nullptr, to, 0, result.location));
  return result;
}

TypeBuilder::Reference TypeBuilder::refer_to_frame(const Frame& frame, std::size_t field,
                                                   const Expression& to, const Site& site) {
  Reference result{.outermost = static_cast<std::ptrdiff_t>(frame.depth)};
  result.location.path.resize(site.frame->depth - frame.depth);
  result.location.path.emplace_back(frame.names[field].str());
  result.target = walk(frame.classes[field], to, 1, result.location);
  return result;
}

// `from`: the first of the names behind the root. The class of a root that is not made yet is known
// by its frames.
TypeBuilder::Reference TypeBuilder::refer_to_root(Root root, const Expression& to, std::size_t from,
                                                  const Site& site) {
  Reference result{.outermost = kNowhere};
  result.location.root = root;
  FieldClassPtr at = roots_ == nullptr ? nullptr : (*roots_)[index_of(root)];
  if (root == root_ && site.frame != nullptr) {
    std::vector<const Frame*> frames(site.frame->depth + 1);
    for (const Frame* frame = site.frame; frame != nullptr; frame = frame->parent)
      frames[frame->depth] = frame;
    for (const Frame* const frame : frames) {
      if (from == to.path.size()) break;
      const std::size_t field = frame->find(to.path[from], kEverything);
      at = field == kEverything ? nullptr : frame->classes[field];
      const bool inside = field == kEverything && frame->pending == to.path[from];
      result.location.path.emplace_back(field == kEverything ? without_underscore(to.path[from])
                                                             : frame->names[field].str());
      ++from;
      if (!inside) break;
    }
    result.outermost = kOutside;
  }
  result.target = walk(std::move(at), to, from, result.location);
  return result;
}

std::size_t TypeBuilder::member_of(const FieldClassPtr& structure, const std::string& name) {
  const std::size_t found = nodes_.find_member(structure.get(), without_underscore(name));
  return found == std::string::npos ? nodes_.find_member(structure.get(), name) : found;
}

// Goes on from a class by the names from `from` on, and writes them as the model calls them. Null
// where a name leads nowhere.
FieldClassPtr TypeBuilder::walk(FieldClassPtr at, const Expression& to, std::size_t from,
                                FieldLocation& location) {
  for (; from < to.path.size(); ++from) {
    const std::string& name = to.path[from];
    const bool has_names =
        at != nullptr && (at->as<StructureClass>() != nullptr || at->as<VariantClass>() != nullptr);
    const std::size_t found = has_names ? member_of(at, name) : std::string::npos;
    if (found == std::string::npos) {
      at = nullptr;
      location.path.emplace_back(without_underscore(name));
    } else if (const auto* const structure = at->as<StructureClass>()) {
      location.path.emplace_back(structure->members[found].name.str());
      at = structure->members[found].field_class;
    } else {
      // An option's name is not part of a location: which one is there shows in the data.
      at = at->as<VariantClass>()->options[found].field_class;
    }
  }
  return at;
}

}  // namespace tracedeck::ctf::tsdl

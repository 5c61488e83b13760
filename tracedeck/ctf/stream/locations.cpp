#include "tracedeck/ctf/stream/locations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tracedeck/ctf/location_words.hpp"
#include "tracedeck/model/class_nesting.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::ctf {
namespace {

constexpr std::size_t kNotInChain = ~std::size_t{0};

std::string spell(const NormalLocation& location) {
  std::string text(root_word(location.root));
  for (std::size_t i = 0; i < location.outward; ++i) text += text.empty() ? "^" : ".^";
  for (const std::string& name : location.path) text += (text.empty() ? "" : ".") + name;
  return text;
}

bool is_integer(const FieldClass& field_class) {
  const auto* const integer = field_class.as<IntegerClass>();
  return integer != nullptr && integer->form != IntegerClass::Form::kBitArray &&
         integer->form != IntegerClass::Form::kBitMap;
}

bool is_unsigned(const FieldClass& field_class) {
  return is_integer(field_class) && !field_class.as<IntegerClass>()->is_signed;
}

bool is_signed(const FieldClass& field_class) {
  return is_integer(field_class) && field_class.as<IntegerClass>()->is_signed;
}

// Whether a class has neither parts nor a location.
bool is_plain(const FieldClass& field_class) {
  const Extent* extent = nullptr;
  if (const auto* const string = field_class.as<StringClass>()) extent = &string->extent;
  if (const auto* const blob = field_class.as<BlobClass>()) extent = &blob->extent;
  return !is_compound(field_class) &&
         (extent == nullptr || !std::holds_alternative<LengthField>(*extent));
}

bool is_boolean(const FieldClass& field_class) { return field_class.as<BooleanClass>() != nullptr; }

}  // namespace

std::size_t MemberNames::find(const StructureClass& structure, const std::string& name) {
  constexpr std::size_t kFew = 16;
  if (structure.members.size() <= kFew) {
    const auto found = std::ranges::find(structure.members, name, &Member::name);
    return static_cast<std::size_t>(found - structure.members.begin());
  }
  const auto name_of = [&](std::size_t i) { return structure.members[i].name.view(); };
  const auto [names, is_new] = names_.try_emplace(&structure);
  for (std::size_t i = 0; is_new && i < structure.members.size(); ++i)
    names->second.add(i, name_of);
  return std::min(names->second.find(name, name_of), structure.members.size());
}

// What a location is for, and so what it may lead to.
struct LocationChecker::Need {
  enum class For : std::uint8_t { kLength, kOptional, kVariant } what = For::kLength;
  StreamRule rule = StreamRule::kArrayLength;
  bool has_ranges = false;
};

// One location on its way to the classes of the fields that it can lead to.
class LocationChecker::Follow {
 public:
  struct Failure {
    StreamRule rule;
    std::string text;
  };

  Follow(const std::vector<Frame>& chain, const Path& path, MemberNames& members)
      : chain_(chain), path_(path), members_(members) {}

  // Goes on from `at`, whose value is `chain_[in_chain]` or, if kNotInChain, already decoded, by
  // the names from `next` on.
  void from(const FieldClass& at, std::size_t in_chain, std::size_t next) {
    if (in_chain == kNotInChain) {
      // Options of variants may lead to the same class again and again.
      if (!seen_.emplace(&at, next).second) return;
    } else if (in_chain >= chain_.size()) {
      return fail(StreamRule::kLocationOrder, "it leads to the field that it is for");
    }
    if (const auto* const structure = at.as<StructureClass>())
      return member(at, *structure, in_chain, next);
    if (const auto* const array = at.as<ArrayClass>()) {
      if (in_chain == kNotInChain)
        return fail(StreamRule::kLocationArray, "it leads into an array that is decoded already");
      return from(*array->element, in_chain + 1, next);
    }
    const std::size_t deeper = in_chain == kNotInChain ? kNotInChain : in_chain + 1;
    if (const auto* const optional = at.as<OptionalClass>())
      return from(*optional->value, deeper, next);
    if (const auto* const variant = at.as<VariantClass>()) return option(*variant, in_chain, next);
    if (next != path_.size()) {
      return fail(
          StreamRule::kLocationTarget,
          fmt::format("there is no `{}` in a field of class {}", path_[next], kind_name(at)));
    }
    targets.push_back(&at);
  }

  std::vector<const FieldClass*> targets;
  std::vector<Failure> failures;

 private:
  void fail(StreamRule rule, std::string text) { failures.push_back({rule, std::move(text)}); }

  void member(const FieldClass& at, const StructureClass& structure, std::size_t in_chain,
              std::size_t next) {
    if (next == path_.size()) {
      targets.push_back(&at);
      return;
    }
    const std::string& name = path_[next];
    const std::size_t index = members_.find(structure, name);
    if (index == structure.members.size())
      return fail(StreamRule::kLocationMember, fmt::format("there is no member `{}`", name));
    const FieldClass& found = *structure.members[index].field_class;
    if (in_chain == kNotInChain || index < chain_[in_chain].part)
      return from(found, kNotInChain, next + 1);
    if (index > chain_[in_chain].part) {
      return fail(StreamRule::kLocationOrder,
                  fmt::format("member `{}` is not decoded by then", name));
    }
    from(found, in_chain + 1, next + 1);
  }

  void option(const VariantClass& variant, std::size_t in_chain, std::size_t next) {
    if (in_chain != kNotInChain)
      return from(*variant.options[chain_[in_chain].part].field_class, in_chain + 1, next);
    const std::size_t failures_before = failures.size();
    const std::size_t targets_before = targets.size();
    for (const VariantOption& each : variant.options) from(*each.field_class, kNotInChain, next);
    // Whether the right option was selected is for the data to say, unless none is right.
    if (targets.size() != targets_before) failures.resize(failures_before);
  }

  const std::vector<Frame>& chain_;
  const Path& path_;
  MemberNames& members_;
  std::set<std::pair<const FieldClass*, std::size_t>> seen_;
};

std::vector<ClassFault> LocationChecker::check(const RootScopes& scopes, FieldLocation::Root root,
                                               std::string_view owner) {
  scopes_ = &scopes;
  root_ = root;
  chain_.clear();
  faults_.clear();
  blamed_.clear();
  if (const FieldClass* const field_class = scopes[root].field_class) {
    visit(*field_class);
    check_size(*field_class, owner);
  }
  return std::exchange(faults_, {});
}

void LocationChecker::check_size(const FieldClass& root, std::string_view owner) {
  size_ += measure_.size;
  const bool is_one = measure_.size > kMostInRoot + uses_;
  if (!is_one && size_ <= kMostInTrace + uses_) return;
  fault(root, StreamRule::kLimitProgram,
        fmt::format("written out wherever they are used, the classes in the {}{}{}{} come to more "
                    "than {}",
                    root_word(root_), owner.empty() ? "" : " of ", owner,
                    is_one ? "" : " and in those before it", is_one ? kMostInRoot : kMostInTrace));
}

void LocationChecker::fault(const FieldClass& field_class, StreamRule rule, std::string text) {
  if (!blamed_.insert(&field_class).second) return;
  faults_.push_back({&field_class, &stream_rule(rule, dialect_), std::move(text)});
}

std::size_t LocationChecker::visit(const FieldClass& field_class) {
  // What is shared counts with all that is nested in it wherever it is used.
  const bool plain = is_plain(field_class);
  const auto known = plain ? closed_.end() : closed_.find(&field_class);
  measure_ = known == closed_.end() ? Measure() : known->second;
  ++uses_;
  if (chain_.size() + measure_.height >= kClassNesting) {
    fault(field_class, StreamRule::kLimitNesting,
          fmt::format("this class, with what is in it, is nested deeper than {}", kClassNesting));
    return kAbsolute;
  }
  if (plain || known != closed_.end()) return 0;
  if (!open_.insert(&field_class).second && budget_-- == 0) {
    budget_ = 0;
    fault(field_class, StreamRule::kLimitProgram,
          "classes with locations that lead out of them are used too often");
    return kAbsolute;
  }
  std::size_t out = 0;
  Measure made;
  const auto enter = [&](const FieldClass& part) {
    const std::size_t leads = visit(part);
    made.height = std::max(made.height, measure_.height + 1);
    made.size += std::min(kEndless - made.size, measure_.size);
    return leads;
  };
  if (const auto* const string = field_class.as<StringClass>()) {
    if (const auto* const length = std::get_if<LengthField>(&string->extent))
      out = refer(field_class, length->location, {.rule = StreamRule::kStringLength});
  } else if (const auto* const blob = field_class.as<BlobClass>()) {
    if (const auto* const length = std::get_if<LengthField>(&blob->extent))
      out = refer(field_class, length->location, {.rule = StreamRule::kBlobLength});
  } else if (const auto* const array = field_class.as<ArrayClass>()) {
    if (const auto* const length = std::get_if<LengthField>(&array->extent))
      out = refer(field_class, length->location, {.rule = StreamRule::kArrayLength});
    chain_.push_back({&field_class});
    out = std::max(out, enter(*array->element));
    chain_.pop_back();
  } else if (const auto* const structure = field_class.as<StructureClass>()) {
    chain_.push_back({&field_class});
    std::size_t deepest = 0;
    for (std::size_t i = 0; i < structure->members.size(); ++i) {
      chain_.back().part = i;
      deepest = std::max(deepest, enter(*structure->members[i].field_class));
    }
    made.height = std::max(made.height, std::uint32_t{1});
    chain_.pop_back();
    // What begins in this structure does not lead out of it.
    out = deepest == kAbsolute || deepest == 0 ? deepest : deepest - 1;
  } else if (const auto* const optional = field_class.as<OptionalClass>()) {
    if (optional->presence.selector) {
      out = refer(field_class, *optional->presence.selector,
                  {.what = Need::For::kOptional,
                   .rule = StreamRule::kOptionalSelector,
                   .has_ranges = !optional->presence.ranges.empty()});
    }
    chain_.push_back({&field_class});
    out = std::max(out, enter(*optional->value));
    chain_.pop_back();
  } else if (const auto* const variant = field_class.as<VariantClass>()) {
    if (variant->selector) {
      out = refer(field_class, *variant->selector,
                  {.what = Need::For::kVariant, .rule = StreamRule::kVariantSelector});
    }
    chain_.push_back({&field_class});
    for (std::size_t i = 0; i < variant->options.size(); ++i) {
      chain_.back().part = i;
      out = std::max(out, enter(*variant->options[i].field_class));
    }
    chain_.pop_back();
  }
  measure_ = made;
  if (out == 0) {
    closed_.emplace(&field_class, measure_);
    open_.erase(&field_class);
  }
  return out;
}

std::size_t LocationChecker::refer(const FieldClass& field_class, const FieldLocation& location,
                                   const Need& need) {
  const NormalLocation where = normal(location);
  const auto wrong = [&](StreamRule rule, const std::string& text) {
    fault(field_class, rule, fmt::format("field location `{}`: {}", spell(where), text));
  };
  Follow follow(chain_, where.path, members_);
  Anchor anchor;
  std::size_t out = kAbsolute;
  if (where.root == FieldLocation::Root::kRelative) {
    std::size_t left = where.outward;
    std::size_t at = chain_.size();
    while (at > 0 && (chain_[at - 1].field_class->as<StructureClass>() == nullptr || left-- > 0))
      --at;
    if (at == 0) {
      wrong(StreamRule::kLocationRoot, "there are not so many structures around the field");
      return kAbsolute;
    }
    anchor = {chain_[at - 1].field_class, where.root};
    out = where.outward + 1;
    follow.from(*chain_[at - 1].field_class, at - 1, 0);
  } else {
    const FieldClass* const root = (*scopes_)[where.root].field_class;
    if (where.outward != 0 || root == nullptr || where.root > root_) {
      wrong(StreamRule::kLocationRoot, where.root > root_ ? "that root is not decoded by then"
                                                          : "there is no such root field class");
      return kAbsolute;
    }
    anchor = scopes_->anchor(where.root);
    follow.from(*root, where.root == root_ ? 0 : kNotInChain, 0);
  }
  if (!follow.failures.empty()) {
    wrong(follow.failures.front().rule, follow.failures.front().text);
    return out;
  }
  const auto all = [&](auto&& is) {
    return std::ranges::all_of(follow.targets, [&](const FieldClass* each) { return is(*each); });
  };
  const bool integers = all(is_unsigned) || all(is_signed);
  const bool right = need.what == Need::For::kLength    ? all(is_unsigned)
                     : need.what == Need::For::kVariant ? integers
                                                        : integers || all(is_boolean);
  if (!right) {
    std::string kinds;
    for (const FieldClass* const each : follow.targets)
      kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", kind_name(*each));
    // A structure is where the procedure itself ends wrongly.
    const bool compound = std::ranges::any_of(follow.targets, [](const FieldClass* each) {
      return each->as<StructureClass>() != nullptr;
    });
    wrong(compound ? StreamRule::kLocationTarget : need.rule,
          fmt::format("it leads to fields of class {}, which cannot be its {}", kinds,
                      need.what == Need::For::kLength ? "length" : "selector"));
  } else if (need.what == Need::For::kOptional && !need.has_ranges && !all(is_boolean)) {
    wrong(StreamRule::kOptionalRanges, "the selector is an integer, and there are no ranges");
  } else {
    registers_.add(anchor, where.path);
  }
  return out;
}

}  // namespace tracedeck::ctf

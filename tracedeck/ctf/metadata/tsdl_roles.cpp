#include "tracedeck/ctf/metadata/tsdl_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tracedeck/ctf/location_words.hpp"

namespace tracedeck::ctf::tsdl {
namespace {

using Root = FieldLocation::Root;

constexpr std::uint64_t kUuidBytes = 16;

constexpr std::string_view kUuid = "uuid";
constexpr std::string_view kTimestamp = "timestamp";

// The name, as text that stays, where it means something in a root; else nothing.
std::string_view reserved_name(Root root, std::string_view name) {
  const std::optional<Role> role = reserved_role(root, name);
  return role ? ctf::reserved_name(root, role_word(*role, Dialect::kRc3)) : std::string_view();
}

// Whether a field that is not mapped to a clock means its time all the same.
bool is_timestamp(Root root, std::string_view name) {
  return root == Root::kEventHeader ? name == kTimestamp
                                    : root == Root::kPacketContext &&
                                          (name == "timestamp_begin" || name == "timestamp_end");
}

const FixedLayout& layout_of(const IntegerClass& integer) {
  return std::get<FixedLayout>(integer.layout);
}

bool is_byte(const FieldClass& field_class) {
  const auto* const integer = field_class.as<IntegerClass>();
  return integer != nullptr && layout_of(*integer).width == 8 && field_class.alignment == 8;
}

void add_clock(std::vector<ClockUse>& clocks, const ClockUse& use) {
  const bool known = std::ranges::find(clocks, use.clock, &ClockUse::clock) != clocks.end();
  if (!known && clocks.size() < 2) clocks.push_back(use);
}

}  // namespace

RoledClass RoleGiver::give(const FieldClassPtr& field_class, Root root) {
  if (field_class == nullptr) return {};
  return visit(field_class, {.root = root, .is_root = true});
}

const RoledClass& RoleGiver::visit(const FieldClassPtr& field_class, const Use& use) {
  // Names matter for integers and for the UUID's array; first places for the magic number alone.
  const bool is_integer = field_class->as<IntegerClass>() != nullptr;
  const bool is_array = field_class->as<ArrayClass>() != nullptr;
  Key key = {use.root, field_class.get(), is_integer || is_array ? use.name : std::string_view(),
             is_integer ? use.is_first_of_root : use.is_root};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  RoledClass result;
  if (is_integer) {
    result = visit_integer(field_class, use);
  } else if (is_array) {
    result = visit_array(field_class, use);
  } else if (field_class->as<StructureClass>() != nullptr) {
    result = visit_structure(field_class, use);
  } else if (field_class->as<VariantClass>() != nullptr) {
    result = visit_variant(field_class, use);
  } else {
    result.field_class = field_class;
  }
  const auto added = known_.emplace(key, std::move(result)).first;
  recent_.push_back(added);
  return added->second;
}

NodeSet RoleGiver::forget_recent() {
  NodeSet kept;
  for (const auto added : recent_) {
    if (nodes_.recent().contains(std::get<const FieldClass*>(added->first))) {
      known_.erase(added);
    } else {
      kept.insert(added->second.field_class.get());
    }
  }
  recent_.clear();
  return kept;
}

FieldClassPtr RoleGiver::include(RoledClass& whole, const FieldClassPtr& part, const Use& use) {
  const RoledClass& roled = visit(part, use);
  for (const ClockUse& each : roled.clocks) add_clock(whole.clocks, each);
  if (!whole.plain_timestamp) whole.plain_timestamp = roled.plain_timestamp;
  return roled.field_class;
}

// Nesting and place are those of the original.
FieldClassPtr RoleGiver::copy(const FieldClassPtr& of, FieldClass changed) {
  return nodes_.add(std::move(changed), nodes_.info(of.get()));
}

void RoleGiver::blame(const FieldClassPtr& field_class, std::string_view name,
                      std::string_view expected) {
  findings_.report(TsdlRule::kReservedName, nodes_.place(field_class.get()),
                   fmt::format("field `{}` is read as one without a meaning of its own; {} was "
                               "expected",
                               name, expected));
}

RoledClass RoleGiver::visit_integer(const FieldClassPtr& field_class, const Use& use) {
  RoledClass result{.field_class = field_class};
  const IntegerClass& integer = *field_class->as<IntegerClass>();
  const NodeInfo& info = nodes_.info(field_class.get());
  const bool named_timestamp = is_timestamp(use.root, use.name);
  if (!info.clock.empty()) result.clocks.push_back({info.clock, info.place});
  if (info.clock.empty() && named_timestamp) result.plain_timestamp = info.place;

  std::vector<Role> roles;
  const std::optional<Role> reserved = reserved_role(use.root, use.name);
  // Times are those of the clock's map, and a UUID is no integer.
  if (reserved && reserved != Role::kUuid && reserved != Role::kClock) roles.push_back(*reserved);
  if (use.root == Root::kEventHeader && (!info.clock.empty() || named_timestamp))
    roles.push_back(Role::kClock);
  if (roles.empty() && info.clock.empty()) return result;
  FieldClass changed = *field_class;
  if (roles.empty()) {
    // Elsewhere it is a number like others; who prints it may want to know.
    changed.attributes.push_back(
        {.key = "map", .value = fmt::format("clock.{}.value", info.clock)});
    result.field_class = copy(field_class, std::move(changed));
    return result;
  }
  if (integer.is_signed) {
    blame(field_class, use.name, "an unsigned integer");
    return result;
  }
  if (roles.front() == Role::kMagic && (!use.is_first_of_root || layout_of(integer).width != 32)) {
    blame(field_class, use.name, "an integer of 32 bits, first in the packet header,");
    return result;
  }
  for (const Role role : roles) changed.roles.emplace_back(role_word(role, Dialect::kCtf1));
  result.field_class = copy(field_class, std::move(changed));
  return result;
}

RoledClass RoleGiver::visit_array(const FieldClassPtr& field_class, const Use& use) {
  RoledClass result{.field_class = field_class};
  const ArrayClass& array = *field_class->as<ArrayClass>();
  if (use.root == Root::kPacketHeader && use.name == kUuid) {
    const auto* const length = std::get_if<StaticLength>(&array.extent);
    if (!is_byte(*array.element) || length == nullptr || length->length != kUuidBytes) {
      blame(field_class, use.name, "an array of 16 bytes");
      return result;
    }
    FieldClass changed{.kind = BlobClass{.extent = array.extent}, .alignment = 8};
    changed.roles.emplace_back(role_word(Role::kUuid, Dialect::kCtf1));
    result.field_class = copy(field_class, std::move(changed));
    return result;
  }
  FieldClassPtr element = include(result, array.element, {.root = use.root});
  if (element == array.element) return result;
  FieldClass changed = *field_class;
  std::get<ArrayClass>(changed.kind).element = std::move(element);
  result.field_class = copy(field_class, std::move(changed));
  return result;
}

RoledClass RoleGiver::visit_structure(const FieldClassPtr& field_class, const Use& use) {
  RoledClass result{.field_class = field_class};
  const StructureClass& structure = *field_class->as<StructureClass>();
  std::optional<FieldClass> changed;
  for (std::size_t i = 0; i < structure.members.size(); ++i) {
    const Member& member = structure.members[i];
    FieldClassPtr roled = include(result, member.field_class,
                                  {.root = use.root,
                                   .name = reserved_name(use.root, member.name),
                                   .is_first_of_root = use.is_root && i == 0});
    if (roled == member.field_class) continue;
    if (!changed) changed = *field_class;
    std::get<StructureClass>(changed->kind).members[i].field_class = std::move(roled);
  }
  if (changed) result.field_class = copy(field_class, std::move(*changed));
  return result;
}

RoledClass RoleGiver::visit_variant(const FieldClassPtr& field_class, const Use& use) {
  RoledClass result{.field_class = field_class};
  const VariantClass& variant = *field_class->as<VariantClass>();
  std::optional<FieldClass> changed;
  for (std::size_t i = 0; i < variant.options.size(); ++i) {
    const VariantOption& option = variant.options[i];
    FieldClassPtr roled = include(result, option.field_class,
                                  {.root = use.root, .name = reserved_name(use.root, option.name)});
    if (roled == option.field_class) continue;
    if (!changed) changed = *field_class;
    std::get<VariantClass>(changed->kind).options[i].field_class = std::move(roled);
  }
  if (changed) result.field_class = copy(field_class, std::move(*changed));
  return result;
}

}  // namespace tracedeck::ctf::tsdl

#include "tracedeck/ctf/metadata/json_root_class.hpp"

#include <fmt/format.h>

#include "tracedeck/ctf/metadata/json_field_class.hpp"
#include "tracedeck/ctf/metadata/json_properties.hpp"

namespace tracedeck::ctf {
namespace {

using R = MetadataRule;
using Root = FieldLocation::Root;

std::uint32_t bit(Role role) { return std::uint32_t{1} << static_cast<unsigned>(role); }

bool is_structure(const FieldClass& field_class) { return field_class.as<StructureClass>(); }

bool is_unsigned(const FieldClass& field_class) {
  using Form = IntegerClass::Form;
  const auto* integer = field_class.as<IntegerClass>();
  return integer != nullptr && !integer->is_signed &&
         (integer->form == Form::kNumber || integer->form == Form::kEnumeration);
}

bool is_magic(const FieldClass& field_class) {
  if (!is_unsigned(field_class)) return false;
  const auto* layout = std::get_if<FixedLayout>(&field_class.as<IntegerClass>()->layout);
  return layout != nullptr && layout->width == 32;
}

bool is_uuid(const FieldClass& field_class) {
  const auto* blob = field_class.as<BlobClass>();
  const auto* extent = blob == nullptr ? nullptr : std::get_if<StaticLength>(&blob->extent);
  return extent != nullptr && extent->length == 16;
}

bool is_header(Root root) { return root == Root::kPacketHeader || root == Root::kEventHeader; }

std::string_view root_words(Root root) {
  switch (root) {
    case Root::kPacketHeader:
      return "a packet header";
    case Root::kPacketContext:
      return "a packet context";
    case Root::kEventHeader:
      return "an event record header";
    default:
      return "a context or payload of event records";
  }
}

MetadataRule role_rule(Root root) {
  if (root == Root::kPacketHeader) return R::kPacketHeaderRole;
  return root == Root::kPacketContext ? R::kPacketContextRole : R::kEventHeaderRole;
}

// What is demanded of the class of a field that is neither selector nor has a role.
bool needs_role(const FieldClass& field_class) {
  return !is_structure(field_class) && field_class.as<OptionalClass>() == nullptr &&
         field_class.as<VariantClass>() == nullptr;
}

bool takes_part_of_a_byte(const FieldClass& field_class) {
  const auto* integer = field_class.as<IntegerClass>();
  const auto* layout = integer == nullptr ? nullptr : std::get_if<FixedLayout>(&integer->layout);
  return layout != nullptr && layout->width % 8 != 0;
}

}  // namespace

struct RootClassReader::Walk {
  Root root;
  Context context;
  const std::shared_ptr<const JsonText>& text;
};

BuiltClass RootClassReader::read(JsonRef value, Root root, Context context,
                                 const std::shared_ptr<const JsonText>& text) {
  scope_.shares_scalars = !is_header(root);
  BuiltClass built = read_field_class(value, scope_);
  scope_.shares_scalars = false;
  if (!built.field_class) return built;
  if (!is_structure(*built.field_class)) {
    const bool alias = value.is(JsonKind::kString);
    const JsonRef at = alias ? value : find_child(value, "type");
    scope_.findings.expect(R::kRootClass, at, alias ? "the alias of a structure" : "\"structure\"");
    return {};
  }
  if (!is_first_visit(*built.field_class, root)) return built;
  const Walk walk{root, context, text};
  bool first = true;
  for (const Member& member : built.field_class->as<StructureClass>()->members) {
    visit(*member.field_class, walk, member.name, first);
    first = false;
  }
  return built;
}

// What is not of an alias stands in one place, or has nothing to be looked at.
bool RootClassReader::is_first_visit(const FieldClass& field_class, Root root) {
  return !scope_.alias_places.contains(&field_class) || visited_.emplace(&field_class, root).second;
}

void RootClassReader::visit(const FieldClass& field_class, const Walk& walk, std::string_view name,
                            bool first) {
  if (is_first_visit(field_class, walk.root)) {
    const std::uint32_t accepted = check_roles(field_class, walk);
    if (walk.root == Root::kPacketHeader) header_roles_.emplace(&field_class, accepted);
    const JsonRef at = scope_.place(&field_class);
    if (is_header(walk.root) && accepted == 0 && needs_role(field_class) && at)
      candidates_.push_back({walk.text, at, walk.root, std::string(name),
                             walk.root == Root::kEventHeader && takes_part_of_a_byte(field_class)});
    visit_parts(field_class, walk, name);
  }
  // A shared class may stand in the right place and in others too.
  const auto roles = header_roles_.find(&field_class);
  if (walk.root == Root::kPacketHeader && roles != header_roles_.end() && !first &&
      (roles->second & bit(Role::kMagic)) != 0) {
    scope_.findings.report(R::kPacketHeaderRole, scope_.place(&field_class),
                           fmt::format("found role \"packet-magic-number\" of member \"{}\", "
                                       "expected it of the first member of the packet header",
                                       name));
  }
}

void RootClassReader::visit_parts(const FieldClass& field_class, const Walk& walk,
                                  std::string_view name) {
  if (const auto* structure = field_class.as<StructureClass>()) {
    for (const Member& member : structure->members)
      visit(*member.field_class, walk, member.name, false);
  } else if (const auto* array = field_class.as<ArrayClass>()) {
    // What has a role has it with its elements.
    if (field_class.roles.empty()) visit(*array->element, walk, name, false);
  } else if (const auto* optional = field_class.as<OptionalClass>()) {
    visit(*optional->value, walk, name, false);
  } else if (const auto* variant = field_class.as<VariantClass>()) {
    for (const VariantOption& option : variant->options)
      visit(*option.field_class, walk, name, false);
  }
}

std::uint32_t RootClassReader::check_roles(const FieldClass& field_class, const Walk& walk) {
  std::uint32_t accepted = 0;
  if (field_class.roles.empty()) return accepted;
  const JsonRef place = scope_.place(&field_class);
  const JsonRef roles = place ? find_child(place, "roles") : JsonRef();
  if (!roles) return accepted;
  for (const JsonRef at : JsonChildren(roles)) {
    if (!at.is(JsonKind::kString)) continue;
    const auto role = find_role(at.string());
    if (!role) continue;
    const bool is_other = role_word(*role, scope_.dialect) != at.string();
    if (!accepts_role(walk.root, *role,
                      is_other ? other_document(scope_.dialect) : scope_.dialect)) {
      scope_.findings.report(R::kMisplacedRole, at,
                             fmt::format("found role {}, which {} does not accept", quoted(at),
                                         root_words(walk.root)));
      continue;
    }
    accepted |= bit(*role);
    check_role(*role, field_class, walk, at);
  }
  return accepted;
}

void RootClassReader::check_role(Role role, const FieldClass& field_class, const Walk& walk,
                                 JsonRef at) {
  const std::string_view missing = demand(role, field_class, walk);
  if (missing.empty()) return;
  scope_.findings.report(role_rule(walk.root), at,
                         fmt::format("found role {}, expected {}", quoted(at), missing));
}

// What a role demands and does not get; empty when all is well.
std::string_view RootClassReader::demand(Role role, const FieldClass& field_class,
                                         const Walk& walk) const {
  const bool final = scope_.dialect == Dialect::kFinal;
  switch (role_table()[static_cast<std::size_t>(role)].needs) {
    case RoleClass::kMagic:
      return is_magic(field_class) ? "" : "it of a fixed-length unsigned integer of 32 bits";
    case RoleClass::kUuid:
      if (!is_uuid(field_class)) return "it of a static-length BLOB of 16 bytes";
      if (walk.context.has_uuid) return "";
      return final ? "a `uuid` of the preamble" : "a `uuid` of the trace class";
    case RoleClass::kUnsignedInteger:
      if (!is_unsigned(field_class)) return "it of an unsigned integer";
      break;
  }
  const bool is_time = role == Role::kClock || role == Role::kPacketEnd;
  if (final && is_time && !walk.context.has_default_clock)
    return "a `default-clock-class-id` of the data stream class";
  return "";
}

// The documents forbid all of them. But tracers pack the id and the time of an event record into
// one word, and where there is one event record class, the bits of the id fill that word and mean
// nothing: nobody reads them.
MetadataRule RootClassReader::rule_of(const Candidate& candidate) const {
  if (candidate.root == Root::kPacketHeader) return R::kPacketHeaderMember;
  const bool is_length = scope_.lengths.contains(selector_key(candidate.root, candidate.name)) ||
                         scope_.lengths.contains(selector_key(Root::kRelative, candidate.name));
  return candidate.fills && !is_length ? R::kEventHeaderFill : R::kEventHeaderMember;
}

void RootClassReader::finish() {
  for (const Candidate& candidate : candidates_) {
    if (scope_.selectors.contains(selector_key(candidate.root, candidate.name)) ||
        scope_.selectors.contains(selector_key(Root::kRelative, candidate.name)))
      continue;
    scope_.findings.report(
        rule_of(candidate), candidate.at,
        fmt::format("found a field class in {} that has no role that is accepted there, is no "
                    "structure, optional or variant, and selects none",
                    root_words(candidate.root)));
  }
  candidates_.clear();
}

}  // namespace tracedeck::ctf

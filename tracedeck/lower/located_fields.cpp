#include "tracedeck/lower/located_fields.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/model/class_tree.hpp"

namespace tracedeck::lower {

using Root = FieldLocation::Root;

NestedOrigin NestedOrigin::of(const DataStreamClass* stream_class, const NestedProfile& profile) {
  if (stream_class == nullptr || stream_class->trace == nullptr) return {};
  return {.same_format = stream_class->trace->format() == profile.format,
          .packet_context = stream_class->packet_context.get(),
          .common_context = stream_class->common_context.get()};
}

std::string unique_name(std::string name, const NestedProfile& profile, TextSet& taken) {
  const auto is_read_as_another = [&] {
    return profile.underscores_vanish &&
           (taken.contains("_" + name) ||
            (name.starts_with('_') && taken.contains(name.substr(1))));
  };
  while (is_read_as_another() || !taken.insert(name).second) name.push_back('_');
  return name;
}

std::vector<std::string> legal_names(const StructureClass& source, const NestedProfile& profile,
                                     TextSet& taken) {
  std::vector<std::string> names;
  names.reserve(source.members.size());
  for (const Member& each : source.members) {
    names.push_back(unique_name(profile.member_name(each.name), profile, taken));
  }
  return names;
}

namespace {

bool is_in_heads(const FieldLocation& location) {
  return location.root == Root::kPacketHeader || location.root == Root::kEventHeader;
}

bool leads_into_heads(const FieldClassPtr& field_class,
                      std::unordered_set<const FieldClass*>& seen) {
  if (field_class == nullptr) return false;
  bool found = false;
  for_each_location(*field_class, [&](const FieldLocation& at) { found |= is_in_heads(at); });
  if (found || !is_compound(*field_class) || !seen.insert(field_class.get()).second) return found;
  for_each_child(*field_class, [&](const FieldClassPtr& inner) {
    found = found || leads_into_heads(inner, seen);
  });
  return found;
}

bool has_variable_integers(const FieldClassPtr& field_class,
                           std::unordered_set<const FieldClass*>& seen) {
  if (field_class == nullptr) return false;
  if (const auto* const integer = field_class->as<IntegerClass>())
    return std::holds_alternative<Leb128Layout>(integer->layout);
  if (!is_compound(*field_class) || !seen.insert(field_class.get()).second) return false;
  bool found = false;
  for_each_child(*field_class, [&](const FieldClassPtr& inner) {
    found = found || has_variable_integers(inner, seen);
  });
  return found;
}

}  // namespace

namespace {

// Whether each event has a field that says its class.
bool says_class(const FieldClassPtr& field_class) {
  if (field_class == nullptr) return false;
  const auto& roles = field_class->roles;
  if (std::ranges::find(roles, "event-record-class-id") != roles.end()) return true;
  const auto* const structure = field_class->as<StructureClass>();
  return structure != nullptr &&
         std::ranges::any_of(structure->members, says_class, &Member::field_class);
}

}  // namespace

bool needs_class_ids(const TraceDescription& trace) {
  std::unordered_set<const FieldClass*> seen;
  std::unordered_set<const DataStreamClass*> with_events;
  return std::ranges::any_of(trace.event_classes(), [&](const EventClass& each) {
    return !says_class(each.stream_class->event_header) &&
           (!with_events.insert(each.stream_class).second ||
            has_variable_integers(each.specific_context, seen) ||
            has_variable_integers(each.payload, seen));
  });
}

bool leads_into_heads(const TraceDescription& trace) {
  std::unordered_set<const FieldClass*> seen;
  return std::ranges::any_of(trace.stream_classes(),
                             [&](const DataStreamClass& each) {
                               return leads_into_heads(each.packet_context, seen) ||
                                      leads_into_heads(each.common_context, seen);
                             }) ||
         std::ranges::any_of(trace.event_classes(), [&](const EventClass& each) {
           return leads_into_heads(each.specific_context, seen) ||
                  leads_into_heads(each.payload, seen);
         });
}

const LocatedFields::Known& LocatedFields::known(const StructureClass& structure) {
  const auto [place, is_new] = known_.try_emplace(&structure);
  Known& known = place->second;
  if (!is_new) return known;
  TextSet taken;
  known.names = legal_names(structure, profile_, taken);
  for (std::size_t i = 0; i < structure.members.size(); ++i)
    known.index.try_emplace(structure.members[i].name.view(), i);
  return known;
}

const FieldClass* LocatedFields::root_of(Root root) const {
  if (root == Root::kPacketContext) return origin_.packet_context;
  if (root == Root::kCommonContext) return origin_.common_context;
  return root == Root::kSpecificContext ? origin_.specific_context : nullptr;
}

std::optional<LocatedFields::Located> LocatedFields::locate(const FieldLocation& location) {
  Located found{.location = location};
  std::size_t step = 0;
  std::size_t frame = frames_.size();  // that many: the way begins in another root
  const StructureClass* in = nullptr;
  if (location.root == Root::kRelative || location.root == root_) {
    frame = location.root == root_ ? 0 : frames_.size() - 1;
    for (; step < location.path.size() && !location.path[step]; ++step) {
      if (frame-- == 0) return {};
    }
  } else {
    const FieldClass* const other = root_of(location.root);
    if (other == nullptr) return {};
    in = other->as<StructureClass>();
  }
  if (step == location.path.size()) return {};
  const bool is_here = in == nullptr;
  if (is_here) in = frames_[frame].source;
  std::size_t begin = step;  // of the way from that structure
  for (bool is_open = is_here; step < location.path.size(); ++step) {
    if (in == nullptr || !location.path[step]) return {};
    const Known& names = known(*in);
    const auto member = names.index.find(*location.path[step]);
    if (member == names.index.end()) return {};
    found.location.path[step] = names.names[member->second];
    if (is_open && member->second >= frames_[frame].current) {
      // The member at hand leads there, or nothing does.
      if (member->second > frames_[frame].current) return {};
      ++frame;
      if (frame == frames_.size()) return {};
      in = frames_[frame].source;
      begin = step + 1;
      continue;
    }
    is_open = false;
    found.field_class = in->members[member->second].field_class.get();
    in = found.field_class->as<StructureClass>();
  }
  if (found.field_class == nullptr || in != nullptr || !found.field_class->roles.empty()) return {};
  if (profile_.outer_locations || !is_here) return found;
  if (frame + 1 != frames_.size()) return {};
  found.location.root = Root::kRelative;
  found.location.path.erase(found.location.path.begin(),
                            found.location.path.begin() + static_cast<std::ptrdiff_t>(begin));
  return found;
}

}  // namespace tracedeck::lower

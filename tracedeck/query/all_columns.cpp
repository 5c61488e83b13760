#include "tracedeck/query/all_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tracedeck::query {
namespace {

// Names that are no fields' where they stand alone.
constexpr auto kOfEvents = std::to_array<std::string_view>({"time", "duration", "name"});

Path member_of(const Path& path, std::string_view name) {
  Path member = path;
  member.steps.push_back({.name = std::string(name)});
  return member;
}

}  // namespace

void AllColumns::see(const Event& event) {
  Seen& seen = classes_[*event.event_class];
  if (std::exchange(seen.is_seen, true)) return;
  const EventClass& of = *event.event_class;
  has_durations_ = has_durations_ || of.has_duration;
  if (of.stream_class != nullptr) {
    add(Root::kPacket, "packet", of.stream_class->packet_context.get());
    if (!of.stream_class->context_identifies)
      add(Root::kCommon, "common", of.stream_class->common_context.get());
  }
  add(Root::kSpecific, "specific", of.specific_context.get());
  // Of one that says its fields itself the class knows none.
  if (!of.self_described) add(Root::kPayload, "fields", of.payload.get());
}

void AllColumns::add(Root root, std::string_view scope, const FieldClass* members) {
  const auto* const structure = members == nullptr ? nullptr : members->as<StructureClass>();
  if (structure == nullptr) return;
  for (const Member& member : structure->members) {
    const std::string_view name = member.name.view();
    const bool is_bare =
        root == Root::kPayload && std::ranges::find(kOfEvents, name) == kOfEvents.end();
    add(is_bare ? std::string(name) : fmt::format("{}.{}", scope, name),
        member_of({.root = root}, name), *member.field_class);
  }
}

void AllColumns::add(const std::string& name, const Path& path, const FieldClass& field_class) {
  if (const auto* const optional = field_class.as<OptionalClass>())
    return add(name, path, *optional->value);
  if (const auto* const structure = field_class.as<StructureClass>()) {
    for (const Member& member : structure->members) {
      const std::string_view inner = member.name.view();
      add(fmt::format("{}.{}", name, inner), member_of(path, inner), *member.field_class);
    }
    return;
  }
  if (names_.insert(name).second) fields_.push_back({.name = name, .path = path});
}

std::vector<AllColumn> AllColumns::columns() const {
  std::vector<AllColumn> all = {{.name = "time", .path = {.root = Root::kTime}}};
  if (has_durations_) all.push_back({.name = "duration", .path = {.root = Root::kDuration}});
  all.push_back({.name = "name", .path = {.root = Root::kName}});
  all.insert(all.end(), fields_.begin(), fields_.end());
  return all;
}

}  // namespace tracedeck::query

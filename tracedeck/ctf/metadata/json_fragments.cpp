#include "tracedeck/ctf/metadata/json_fragments.hpp"

#include <fmt/format.h>

#include <limits>

#include "tracedeck/ctf/clock_mark.hpp"
#include "tracedeck/ctf/metadata/json_clock.hpp"
#include "tracedeck/ctf/metadata/json_field_class.hpp"
#include "tracedeck/ctf/metadata/json_values.hpp"

namespace tracedeck::ctf {
namespace {

using R = MetadataRule;
using Root = FieldLocation::Root;

constexpr std::uint64_t kMostId = std::numeric_limits<std::uint64_t>::max();

std::string string_of(const FoundProperties& found, std::string_view name) {
  const JsonRef value = found[name];
  return std::string(value ? value.string() : "");
}

std::optional<std::string> optional_string(const FoundProperties& found, std::string_view name) {
  const JsonRef value = found[name];
  return value ? std::optional(std::string(value.string())) : std::nullopt;
}

// An id, 0 when there is none; nothing when there is a faulty one.
std::optional<std::uint64_t> read_id(JsonRef object, const FoundProperties& found,
                                     std::string_view name, MetadataRule rule,
                                     JsonFindings& findings) {
  if (const JsonRef value = found[name]) return read_natural(value, rule, 0, kMostId, findings);
  return find_child(object, name) ? std::nullopt : std::optional<std::uint64_t>(0);
}

}  // namespace

void JsonFragments::note_gap() {
  has_gaps_ = true;
  scope_.aliases_known = false;
  clocks_known_ = false;
  streams_known_ = false;
}

void JsonFragments::read(const std::shared_ptr<const JsonText>& text) {
  ++fragments_;
  for (const JsonRef value : text->repeated())
    findings_.report(R::kRepeatedKey, value, "found a property of a name that occurred before");
  const JsonRef root = text->root();
  if (!root.is(JsonKind::kObject)) {
    findings_.expect(R::kFragment, root, "an object");
    return note_gap();
  }
  const JsonRef type = find_child(root, "type");
  const FragmentInfo* info =
      type && type.is(JsonKind::kString) ? find_info(fragment_infos(), type.string()) : nullptr;
  if (!type) {
    findings_.report(R::kFragment, root, "found no `type`, which is required");
  } else if (info == nullptr) {
    findings_.expect(R::kFragment, type, "a type of fragment");
  } else {
    if (!is_in(info->in, scope_.dialect)) report_other_document(type, scope_.dialect, findings_);
    return read_typed(*info, text);
  }
  note_gap();
}

void JsonFragments::read_typed(const FragmentInfo& info,
                               const std::shared_ptr<const JsonText>& text) {
  const JsonRef root = text->root();
  check_order(info.type, root);
  const Fragment fragment{
      text, root,
      find_properties(root, info.properties, dialect_with(info.in, scope_.dialect),
                      R::kUnknownProperty, findings_)};
  const JsonRef extensions = fragment.found["extensions"];
  if (extensions && info.type != FragmentType::kPreamble) check_extensions(extensions, scope_);
  switch (info.type) {
    case FragmentType::kPreamble:
      read_preamble(fragment);
      break;
    case FragmentType::kAlias:
      read_alias(fragment);
      break;
    case FragmentType::kTraceClass:
      read_trace_class(fragment);
      break;
    case FragmentType::kClockClass:
      read_clock(fragment);
      break;
    case FragmentType::kStreamClass:
      read_stream_class(fragment);
      break;
    case FragmentType::kEventClass:
      read_event_class(fragment);
      break;
  }
  scope_.places.clear();
}

void JsonFragments::check_order(FragmentType type, JsonRef root) {
  const JsonRef word = find_child(root, "type");
  if (type == FragmentType::kPreamble) {
    if (has_preamble_)
      findings_.report(R::kPreambleOnce, word, "found a second preamble, expected one");
    has_preamble_ = true;
  } else if (fragments_ == 1 && !has_gaps_) {
    findings_.expect(R::kPreambleFirst, word, "\"preamble\" as the first fragment");
  }
  if (type == FragmentType::kTraceClass && has_trace_class_)
    findings_.report(R::kTraceClassOnce, word, "found a second trace class, expected one at most");
  if (type == FragmentType::kTraceClass && has_stream_class_)
    findings_.report(R::kTraceClassOrder, word,
                     "found a trace class behind a data stream class, expected it before");
}

void JsonFragments::read_preamble(const Fragment& fragment) {
  const FoundProperties& found = fragment.found;
  if (const JsonRef version = found["version"]; version && json_integer(version) != Integer(2))
    findings_.expect(R::kVersion, version, "2");
  if (const JsonRef uuid = found["uuid"]) uuid_ = read_uuid(uuid, R::kUuid, findings_);
  has_uuid_ = static_cast<bool>(find_child(fragment.root, "uuid"));
  const JsonRef extensions = found["extensions"];
  if (extensions) declare_extensions(extensions);
  scope_.extensions_known = extensions || !find_child(fragment.root, "extensions");
}

void JsonFragments::declare_extensions(JsonRef extensions) {
  for (const JsonRef space : JsonChildren(extensions)) {
    if (!space.is(JsonKind::kObject)) {
      findings_.expect(R::kExtensions, space, "an object, the extensions by name");
      continue;
    }
    for (const JsonRef extension : JsonChildren(space)) {
      const std::string name_space(space.key());
      const std::string name(extension.key());
      if (scope_.extensions.emplace(name_space, name).second)
        metadata_.extensions.push_back(fmt::format("{}/{}", name_space, name));
    }
  }
}

void JsonFragments::read_alias(const Fragment& fragment) {
  const JsonRef value = fragment.found["field-class"];
  BuiltClass built = value ? read_field_class(value, scope_) : BuiltClass();
  const JsonRef name = fragment.found["name"];
  if (!name) {
    scope_.aliases_known = false;
    return;
  }
  scope_.alias_places.insert(scope_.places.begin(), scope_.places.end());
  scope_.alias_texts.push_back(fragment.text);
  if (!scope_.aliases.emplace(name.string(), std::move(built)).second)
    findings_.expect(R::kAlias, name, "a name that no other alias has");
}

void JsonFragments::read_trace_class(const Fragment& fragment) {
  const FoundProperties& found = fragment.found;
  TraceClass trace_class;
  trace_class.uuid = uuid_;
  if (const JsonRef uuid = found["uuid"]) {
    const auto own = read_uuid(uuid, R::kUuid, findings_);
    if (uuid_ && own && *own != *uuid_)
      findings_.expect(R::kDialect, uuid, "the UUID of the preamble");
    if (!uuid_) trace_class.uuid = own;
  }
  trace_class.name_space = string_of(found, "namespace");
  trace_class.name = optional_string(found, "name");
  trace_class.uid = string_of(found, "uid");
  trace_class.attributes = attributes(fragment);
  const bool has_uuid = has_uuid_ || find_child(fragment.root, "uuid");
  const bool whole = read_root(fragment, "packet-header-field-class", Root::kPacketHeader,
                               {.has_uuid = has_uuid}, trace_class.packet_header);
  const bool usable = !has_trace_class_ && !has_stream_class_;
  has_trace_class_ = true;
  if (!usable) return;
  if (const JsonRef environment = found["environment"]) read_environment(environment);
  if (whole) {
    set_trace_class(std::move(trace_class), fragment);
  } else {
    trace_class_faulty_ = true;
  }
}

void JsonFragments::set_trace_class(TraceClass trace_class, const Fragment& fragment) {
  uuid_.reset();
  if (!report(metadata_.set_trace_class(std::move(trace_class)), fragment))
    trace_class_faulty_ = true;
}

void JsonFragments::read_environment(JsonRef environment) {
  for (const JsonRef value : JsonChildren(environment)) {
    const bool is_string = value.is(JsonKind::kString);
    if (!is_string && !is_json_integer(value)) {
      findings_.expect(R::kEnvironment, value, "an integer or a string");
      continue;
    }
    metadata_.description()->add_environment(
        {.key = std::string(value.key()),
         .value = std::string(is_string ? value.string() : value.raw()),
         .is_json = !is_string});
  }
}

void JsonFragments::read_clock(const Fragment& fragment) {
  JsonClock read = read_json_clock(fragment.found, scope_);
  const JsonRef key = fragment.found[scope_.dialect == Dialect::kFinal ? "id" : "name"];
  if (!key) {
    clocks_known_ = false;
    return;
  }
  if (read.uuid && !clock_uuids_.insert(*read.uuid).second)
    findings_.expect(R::kClockDuplicate, fragment.found["uuid"],
                     "a UUID that no other clock class has");
  check_clock(fragment.root, read.clock);
  read.clock.attributes = attributes(fragment);
  if (scope_.dialect != Dialect::kFinal) take_clock_mark(read.clock);
  const JsonRef other = fragment.found[scope_.dialect == Dialect::kFinal ? "name" : "id"];
  if (other) other_clock_keys_.try_emplace(std::string(other.string()), key.string());
  if (!clocks_.emplace(key.string()).second) {
    findings_.expect(R::kClockDuplicate, key, "a name that no other clock class has");
  } else if (read.usable) {
    metadata_.add_clock(std::move(read.clock));
  }
}

// Clock classes of the same identity (CTF2-SPEC-2.0, clk-id) have the same properties.
void JsonFragments::check_clock(JsonRef at, const ClockClass& clock) {
  const JsonRef name = find_child(at, "name");
  const JsonRef uid = find_child(at, "uid");
  if (scope_.dialect != Dialect::kFinal || !name || !uid) return;
  // An absent namespace is not the empty one.
  const JsonRef name_space = find_child(at, "namespace");
  const auto [first, is_new] =
      identities_.try_emplace(std::pair(name_space ? "/" + clock.identity.name_space : "",
                                        std::pair(clock.identity.name, clock.identity.uid)),
                              clock);
  const ClockClass& other = first->second;
  if (is_new || (other.tick == clock.tick && other.precision == clock.precision &&
                 other.accuracy == clock.accuracy && other.origin == clock.origin &&
                 other.origin_identity == clock.origin_identity))
    return;
  findings_.report(R::kClockIdentity, at,
                   fmt::format("found the identity of clock class \"{}\", expected its frequency, "
                               "precision, accuracy and origin",
                               other.id));
}

bool JsonFragments::read_root(const Fragment& fragment, std::string_view name, Root root,
                              RootClassReader::Context context, FieldClassPtr& into) {
  const JsonRef value = fragment.found[name];
  if (!value) return !find_child(fragment.root, name);
  BuiltClass built = roots_.read(value, root, context, fragment.text);
  into = std::move(built.field_class);
  return built.sound;
}

bool JsonFragments::read_default_clock(const Fragment& fragment, DataStreamClass& stream_class) {
  const std::string_view property =
      scope_.dialect == Dialect::kFinal ? "default-clock-class-id" : "default-clock-class-name";
  const JsonRef key = fragment.found[property];
  if (!key) return !find_child(fragment.root, property);
  stream_class.default_clock = metadata_.find_clock(std::string(key.string()));
  if (const auto other = other_clock_keys_.find(key.string());
      stream_class.default_clock == nullptr && other != other_clock_keys_.end())
    stream_class.default_clock = metadata_.find_clock(other->second);
  if (stream_class.default_clock != nullptr) return true;
  if (clocks_known_ && !clocks_.contains(key.string()))
    findings_.expect(R::kDefaultClock, key, "a clock class that occurs before");
  return false;
}

void JsonFragments::read_stream_class(const Fragment& fragment) {
  const FoundProperties& found = fragment.found;
  DataStreamClass stream_class;
  stream_class.id = read_id(fragment.root, found, "id", R::kStreamClass, findings_);
  stream_class.name = optional_string(found, "name");
  stream_class.name_space = string_of(found, "namespace");
  stream_class.uid = string_of(found, "uid");
  stream_class.attributes = attributes(fragment);
  bool whole = read_default_clock(fragment, stream_class);
  const RootClassReader::Context context{.has_default_clock =
                                             find_child(fragment.root, "default-clock-class-id") ||
                                             find_child(fragment.root, "default-clock-class-name")};
  const auto root = [&](std::string_view name, Root origin, FieldClassPtr& into) {
    whole = read_root(fragment, name, origin, context, into) && whole;
  };
  root("packet-context-field-class", Root::kPacketContext, stream_class.packet_context);
  root("event-record-header-field-class", Root::kEventHeader, stream_class.event_header);
  root("event-record-common-context-field-class", Root::kCommonContext,
       stream_class.common_context);

  has_stream_class_ = true;
  if (!stream_class.id) {
    streams_known_ = false;
    return;
  }
  const std::uint64_t id = *stream_class.id;
  if (stream_classes_.contains(id)) {
    const JsonRef at = found["id"] ? found["id"] : fragment.root;
    findings_.report(R::kStreamClassDuplicate, at,
                     fmt::format("found id {}, which another data stream class has", id));
    return;
  }
  if (uuid_ && !has_trace_class_) set_trace_class({.uuid = uuid_}, fragment);
  const bool add = whole && !trace_class_faulty_;
  stream_classes_[id] =
      add && report(metadata_.add_stream_class(std::move(stream_class)), fragment);
}

void JsonFragments::read_event_class(const Fragment& fragment) {
  const FoundProperties& found = fragment.found;
  EventClass event_class;
  event_class.id = read_id(fragment.root, found, "id", R::kEventClass, findings_);
  const auto parent =
      read_id(fragment.root, found, "data-stream-class-id", R::kEventClass, findings_);
  event_class.name = optional_string(found, "name");
  event_class.name_space = string_of(found, "namespace");
  event_class.uid = string_of(found, "uid");
  event_class.attributes = attributes(fragment);
  bool whole = read_root(fragment, "specific-context-field-class", Root::kSpecificContext, {},
                         event_class.specific_context);
  whole =
      read_root(fragment, "payload-field-class", Root::kPayload, {}, event_class.payload) && whole;
  if (!parent) return;
  const auto stream_class = stream_classes_.find(*parent);
  if (stream_class == stream_classes_.end()) {
    const JsonRef id = found["data-stream-class-id"];
    if (streams_known_)
      findings_.report(R::kParent, id ? id : fragment.root,
                       fmt::format("found data stream class id {}, expected that of one that "
                                   "occurs before",
                                   *parent));
    return;
  }
  if (!event_class.id) return;
  if (!event_classes_.emplace(*parent, *event_class.id).second) {
    const JsonRef id = found["id"];
    findings_.report(R::kEventClassDuplicate, id ? id : fragment.root,
                     fmt::format("found id {}, which another event record class of data stream "
                                 "class {} has",
                                 *event_class.id, *parent));
    return;
  }
  if (whole && stream_class->second)
    report(metadata_.add_event_class(*parent, std::move(event_class)), fragment);
}

bool JsonFragments::report(const std::vector<ClassFault>& faults, const Fragment& fragment) {
  for (const ClassFault& fault : faults) {
    const JsonRef place = scope_.place(fault.field_class);
    findings_.report(*fault.rule, place ? place : fragment.root, fault.text);
  }
  return faults.empty();
}

Attributes JsonFragments::attributes(const Fragment& fragment) const {
  return read_attributes(find_attributes(fragment.found));
}

void JsonFragments::finish(bool is_empty) {
  roots_.finish();
  if (reported_incomplete_ || has_gaps_) return;
  if (fragments_ == 0) {
    reported_incomplete_ = true;
    findings_.report(R::kPreambleFirst, 0, 0,
                     is_empty
                         ? "it is empty, as the metadata of a running LTTng session are before "
                           "its first flush: once the session was stopped, or rotated, they "
                           "can be read"
                         : "found no fragment, expected a preamble");
  } else if (!has_stream_class_) {
    reported_incomplete_ = true;
    findings_.report(R::kNoStreamClass, 0, 0, "found no data stream class, expected one or more");
  }
}

}  // namespace tracedeck::ctf

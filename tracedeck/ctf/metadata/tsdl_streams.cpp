// The `stream` and `event` blocks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tracedeck/ctf/marks.hpp"
#include "tracedeck/ctf/metadata/tsdl_blocks.hpp"

namespace tracedeck::ctf::tsdl {
namespace {

using Root = FieldLocation::Root;

enum StreamAttribute : std::size_t {
  kStreamId,
  kPacketContext,
  kEventHeader,
  kCommonContext,
};
constexpr std::array<KnownAttribute, 4> kStreamAttributes = {
    {{"id"}, {"packet.context", true}, {"event.header", true}, {"event.context", true}}};

enum EventAttribute : std::size_t {
  kEventId,
  kEventName,
  kEventStreamId,
  kLogLevel,
  kEmfUri,
  kSpecificContext,
  kPayload,
};
constexpr std::array<KnownAttribute, 7> kEventAttributes = {{{"id"},
                                                             {"name"},
                                                             {"stream_id"},
                                                             {"loglevel"},
                                                             {"model.emf.uri"},
                                                             {"context", true},
                                                             {"fields", true}}};

}  // namespace

std::optional<std::uint64_t> BlockReader::stream_id(const AttributeSet& given, const Block& block) {
  const Expression* const value = given.value(kStreamId);
  std::optional<std::uint64_t> id = 0;
  if (value != nullptr) {
    id = values_.number(*value, "the id of a stream");
  } else if (!streams_.empty()) {
    findings_.report(TsdlRule::kAttributeMissing, block.place,
                     "this stream has no `id`; one was expected, since there are several streams");
    return std::nullopt;
  }
  if (id && streams_.contains(*id)) {
    findings_.report(TsdlRule::kStream, block.place,
                     fmt::format("there is a stream {} already", *id));
    return std::nullopt;
  }
  return id;
}

void BlockReader::add_stream(Block block) {
  const AttributeSet given(block.assignments, kStreamAttributes, "a `stream` block", findings_);
  TypeScope scope{.parent = &root_scope_};
  declare_types(block, scope);
  Stream stream{.roots = trace_roots_};
  bool valid = true;
  const auto make = [&](StreamAttribute attribute, Root root) {
    RoledClass roled =
        roles_.give(root_class(given, attribute, scope, root, stream.roots, valid), root);
    stream.roots[index_of(root)] = roled.field_class;
    return roled;
  };
  const std::vector<RoledClass> roots = {make(kPacketContext, Root::kPacketContext),
                                         make(kEventHeader, Root::kEventHeader),
                                         make(kCommonContext, Root::kCommonContext)};
  std::optional<std::string> missing;
  const ClockClass* const clock = default_clock(roots, valid, missing);
  if (missing) {
    waiting_streams_[*missing].push_back(std::move(block));
    return;
  }
  const auto id = stream_id(given, block);
  if (!id) return;
  if (!streams_.empty() && !has_stream_ids_) {
    findings_.report(TsdlRule::kReservedName, block.place,
                     "there are several streams, but no `stream_id` in the packet header");
  }
  stream.is_faulty = !valid;
  streams_.emplace(*id, std::move(stream));
  if (valid) {
    report_faults(
        metadata_.add_stream_class({.id = id,
                                    .default_clock = clock,
                                    .packet_context = roots[0].field_class,
                                    .event_header = roots[1].field_class,
                                    .common_context = roots[2].field_class,
                                    .attributes = attributes(given, block, mark_entry(*id))}));
  }
  retry_events(id);
  retry_events(std::nullopt);
}

void BlockReader::retry_streams(const std::string& clock) {
  const auto found = waiting_streams_.find(clock);
  if (found == waiting_streams_.end()) return;
  std::vector<Block> waiting = std::move(found->second);
  waiting_streams_.erase(found);
  for (Block& each : waiting) add_stream(std::move(each));
}

const ClockClass* BlockReader::default_clock(const std::vector<RoledClass>& roots, bool& valid,
                                             std::optional<std::string>& missing) {
  const ClockClass* clock = nullptr;
  const auto use = [&](const ClockClass& mapped, Place at) {
    if (clock != nullptr && clock != &mapped) {
      findings_.report(TsdlRule::kStream, at,
                       fmt::format("the fields of this stream are mapped to clocks `{}` and `{}`; "
                                   "one was expected",
                                   clock->id, mapped.id));
      valid = false;
    }
    clock = &mapped;
  };
  for (const RoledClass& root : roots) {
    for (const ClockUse& each : root.clocks) {
      const auto found = clocks_.find(each.clock);
      if (found != clocks_.end()) {
        use(*found->second, each.place);
        continue;
      }
      if (!is_settling_) {
        missing = each.clock;
        return nullptr;
      }
      findings_.report(TsdlRule::kClock, each.place,
                       fmt::format("there is no clock `{}`", each.clock));
      valid = false;
    }
    if (!root.plain_timestamp) continue;
    if (clocks_.empty()) {
      if (!is_settling_) {
        missing = "";
        return nullptr;
      }
      ClockClass implicit{.id = std::string(kImplicitClock)};
      const ClockClass& added = metadata_.add_clock(std::move(implicit));
      clocks_.emplace(kImplicitClock, &added);
    }
    if (clocks_.size() > 1) {
      findings_.report(TsdlRule::kStream, *root.plain_timestamp,
                       "this time is mapped to no clock; one was expected, since there are several "
                       "clocks");
      valid = false;
      continue;
    }
    use(*clocks_.begin()->second, *root.plain_timestamp);
  }
  return clock;
}

// Events without any stream belong to one that has nothing to say.
void BlockReader::add_implicit_stream() {
  streams_.emplace(0, Stream{.roots = trace_roots_});
  report_faults(metadata_.add_stream_class({.id = 0}));
  retry_events(std::nullopt);
}

void BlockReader::add_event(Block block) {
  const AttributeSet given(block.assignments, kEventAttributes, "an `event` block", findings_);
  std::optional<std::uint64_t> id;
  if (const Expression* const value = given.value(kEventStreamId)) {
    id = values_.number(*value, "the id of a stream");
    if (!id) return;
  }
  const auto stream = id ? streams_.find(*id) : streams_.begin();
  if (stream == streams_.end() || (!id && streams_.size() != 1)) {
    waiting_events_[id].push_back(std::move(block));
    return;
  }
  add_event_to(stream->first, given, block);
}

void BlockReader::retry_events(std::optional<std::uint64_t> stream_id) {
  const auto found = waiting_events_.find(stream_id);
  if (found == waiting_events_.end()) return;
  std::vector<Block> waiting = std::move(found->second);
  waiting_events_.erase(found);
  for (Block& each : waiting) add_event(std::move(each));
}

void BlockReader::check_log_level(const Expression* value) {
  constexpr int kMost = 14;
  if (value == nullptr) return;
  if (value->kind == Expression::Kind::kInteger && value->value >= 0 && value->value <= kMost)
    return;
  findings_.report(TsdlRule::kLogLevel, value->place,
                   fmt::format("the log level is `{}`; an integer from 0 to {} was expected",
                               plain_text(*value), kMost));
}

// Nobody but the event refers to the types that its block declares, and there may be many events.
void BlockReader::add_event_to(std::uint64_t stream_id, const AttributeSet& given,
                               const Block& block) {
  nodes_.watch();
  make_event(stream_id, given, block);
  types_.forget_recent(roles_.forget_recent());
}

void BlockReader::make_event(std::uint64_t stream_id, const AttributeSet& given,
                             const Block& block) {
  Stream& stream = streams_.at(stream_id);
  EventClass event;
  bool valid = true;
  if (const Expression* const value = given.value(kEventId)) {
    event.id = values_.number(*value, "the id of an event");
    valid = event.id.has_value();
  } else if (stream.has_events) {
    findings_.report(TsdlRule::kAttributeMissing, block.place,
                     "this event has no `id`; one was expected, since its stream has several "
                     "events");
    valid = false;
  } else {
    event.id = 0;
  }
  stream.has_events = true;
  if (const Expression* const value = given.value(kEventName))
    event.name = values_.text(*value, "the name of an event");
  check_log_level(given.value(kLogLevel));
  for (const EventAttribute each : {kLogLevel, kEmfUri}) {
    if (const Expression* const value = given.value(each)) {
      event.attributes.push_back(
          {.key = std::string(kEventAttributes[each].name), .value = plain_text(*value)});
    }
  }
  std::ranges::move(attributes(given, block, mark_entry(stream_id, event.id.value_or(0))),
                    std::back_inserter(event.attributes));
  TypeScope scope{.parent = &root_scope_};
  declare_types(block, scope);
  RootClasses roots = stream.roots;
  const auto make = [&](EventAttribute attribute, Root root) {
    return roles_.give(root_class(given, attribute, scope, root, roots, valid), root).field_class;
  };
  event.specific_context = make(kSpecificContext, Root::kSpecificContext);
  roots[index_of(Root::kSpecificContext)] = event.specific_context;
  event.payload = make(kPayload, Root::kPayload);
  if (event.id && metadata_.find_event_class(stream_id, *event.id) != nullptr) {
    findings_.report(TsdlRule::kEvent, block.place,
                     fmt::format("stream {} has an event {} already", stream_id, *event.id));
    valid = false;
  }
  if (!valid || stream.is_faulty) return;
  report_faults(metadata_.add_event_class(stream_id, std::move(event)));
}

}  // namespace tracedeck::ctf::tsdl

#include "tracedeck/lower/description_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tracedeck/lower/description_text.hpp"

namespace tracedeck::lower {
namespace {

template <class Value>
Value find_in(const std::map<std::uint64_t, Value>& known, std::uint64_t ordinal) {
  const auto found = known.find(ordinal);
  return found == known.end() ? Value{} : found->second;
}

// As consumers of `EventClass::self_described` take its payload.
bool is_name_and_map(const FieldClassPtr& payload) {
  if (payload == nullptr) return false;
  const auto& members = payload->as<StructureClass>()->members;
  return members.size() == 2 && members[0].field_class->as<StringClass>() != nullptr &&
         members[1].field_class->as<MapClass>() != nullptr;
}

// How many ordinals before the last one are not there.
template <class Value>
std::uint64_t gaps_in(const std::map<std::uint64_t, Value>& known) {
  return known.empty() ? 0 : known.rbegin()->first + 1 - known.size();
}

// `same`: whether the text says what is there of its ordinal.
bool says_the_same(bool same, JsonRef at, TextReader& reader) {
  return same || reader.fault(at, "a text before this said something else of it");
}

}  // namespace

Result<void> DescriptionReader::add(std::string_view text) {
  const auto parsed = parser_.parse(as_bytes(text), 0, 1);
  if (!parsed) {
    const JsonFault& fault = parsed.error();
    const bool invalid = fault.kind == JsonFault::Kind::kInvalid;
    return fail(invalid ? ErrorCode::kInvalidArgument : ErrorCode::kLimitExceeded,
                fmt::format("a text of a description has {} at byte {}", fault.text, fault.offset),
                input_);
  }
  const JsonRef root = (*parsed)->root();
  TextReader reader(references_);
  std::string place = "a text of a description";
  JsonMembers object;
  bool added = false;
  if (const auto repeated = (*parsed)->repeated(); !repeated.empty()) {
    reader.fault(repeated.front(), "this key stands twice in its object");
  } else if (!object.open(root)) {
    reader.expected(root, "an object with few members");
  } else {
    added = add_entity(object, place, reader);
  }
  if (added) return {};
  Error error = std::move(reader.error());
  error.input = input_;
  error.path = place + error.path;
  return std::unexpected(std::move(error));
}

bool DescriptionReader::add_entity(JsonMembers& object, std::string& place, TextReader& reader) {
  const JsonRef root = object.object();
  const JsonRef word = object.take("entity");
  if (!word || !word.is(JsonKind::kString))
    return reader.expected(word ? word : root, "an `entity` that is a string");
  const auto* const known = std::ranges::find(kEntityWords, word.string());
  if (known == kEntityWords.end()) return reader.expected(word, "an entity of a description");
  const auto entity = static_cast<Entity>(known - kEntityWords.begin());
  place = entity_word(entity);
  if (entity == Entity::kTrace) return add_trace(object, reader);
  if (description_ == nullptr) return reader.fault(root, "the text of the trace must come first");

  std::uint64_t ordinal = 0;
  const JsonRef number = object.take("ordinal");
  if (!number) return reader.expected(root, "an `ordinal`");
  if (!reader.get(number, ordinal)) return false;
  place += fmt::format(" {}", ordinal);
  switch (entity) {
    case Entity::kEnvironment:
      return add_environment(object, ordinal, reader);
    case Entity::kClock:
      return add_clock(object, ordinal, reader);
    case Entity::kStreamClass:
      return add_stream_class(object, ordinal, reader);
    case Entity::kEventClass:
      return add_event_class(object, ordinal, reader);
    case Entity::kDataStream:
      return add_data_stream(object, ordinal, reader);
    case Entity::kStreamEnd:
      return add_stream_end(object, ordinal, reader);
    case Entity::kTrace:
      break;
  }
  return false;
}

bool DescriptionReader::fits(std::initializer_list<FieldClassPtr> classes, JsonRef at,
                             TextReader& reader) {
  const auto added = written_out_.add(classes, input_);
  written_out_.forget();
  return added.has_value() || reader.fault(at, added.error().message, added.error().code);
}

bool DescriptionReader::add_trace(JsonMembers& object, TextReader& reader) {
  TraceText trace;
  if (!reader.entity(object, trace)) return false;
  auto made =
      std::make_shared<TraceDescription>(input_, std::move(trace.format), std::move(trace.version));
  made->set_trace_class(std::move(trace.trace_class));
  made->set_name_among_others(std::move(trace.name_among_others));
  if (description_ != nullptr)
    return says_the_same(text_of(*made) == text_of(*description_), object.object(), reader);
  if (!fits({made->trace_class().packet_header}, object.object(), reader)) return false;
  description_ = std::move(made);
  is_part_ = trace.is_part;
  return true;
}

bool DescriptionReader::add_environment(JsonMembers& object, std::uint64_t ordinal,
                                        TextReader& reader) {
  Attribute entry;
  if (!reader.entity(object, entry) || !reader.sound(object.object(), entry)) return false;
  if (const auto known = environment_.find(ordinal); known != environment_.end()) {
    return says_the_same(entry == description_->environment()[known->second], object.object(),
                         reader);
  }
  environment_.emplace(ordinal, description_->environment().size());
  description_->add_environment(std::move(entry));
  return true;
}

bool DescriptionReader::add_clock(JsonMembers& object, std::uint64_t ordinal, TextReader& reader) {
  ClockClass made;
  if (!reader.entity(object, made)) return false;
  if (__builtin_add_overflow(made.shift, clock_shift_, &made.shift))
    return reader.fault(object.object(), "a shift that 64 bits do not hold");
  if (const ClockClass* const known = clock(ordinal)) {
    made.entity = known->entity;
    return says_the_same(text_of(made) == text_of(*known), object.object(), reader);
  }
  references_.clocks.emplace(ordinal, &description_->add_clock(std::move(made)));
  return true;
}

bool DescriptionReader::add_stream_class(JsonMembers& object, std::uint64_t ordinal,
                                         TextReader& reader) {
  DataStreamClass made;
  if (!reader.entity(object, made)) return false;
  if (const DataStreamClass* const known = stream_class(ordinal)) {
    made.entity = known->entity;
    return says_the_same(text_of(made) == text_of(*known), object.object(), reader);
  }
  if (!fits({made.packet_context, made.event_header, made.common_context}, object.object(), reader))
    return false;
  references_.stream_classes.emplace(ordinal, &description_->add_stream_class(std::move(made)));
  return true;
}

bool DescriptionReader::add_event_class(JsonMembers& object, std::uint64_t ordinal,
                                        TextReader& reader) {
  EventClass made;
  if (!reader.entity(object, made)) return false;
  if (made.self_described && !is_name_and_map(made.payload))
    return reader.fault(object.object(), "`self-described`: the payload is not a string and a map");
  if (const EventClass* const known = event_class(ordinal)) {
    made.entity = known->entity;
    return says_the_same(text_of(made) == text_of(*known), object.object(), reader);
  }
  if (!fits({made.specific_context, made.payload}, object.object(), reader)) return false;
  event_classes_.emplace(ordinal, &description_->add_event_class(std::move(made)));
  return true;
}

bool DescriptionReader::add_data_stream(JsonMembers& object, std::uint64_t ordinal,
                                        TextReader& reader) {
  DataStream made;
  if (!reader.entity(object, made)) return false;
  if (made.stream_class->streams_are_parts && made.keys.size() != 1) {
    return reader.fault(
        object.object(),
        fmt::format("{} keys, though a data stream of this class has one", made.keys.size()));
  }
  const auto known = data_streams_.find(ordinal);
  if (known != data_streams_.end()) {
    made.entity = known->second->entity;
    return says_the_same(text_of(made) == text_of(*known->second), object.object(), reader);
  }
  made.entity = description_->next_stream();
  newest_stream_ =
      data_streams_.emplace(ordinal, std::make_shared<const DataStream>(std::move(made))).first;
  return true;
}

bool DescriptionReader::add_stream_end(JsonMembers& object, std::uint64_t ordinal,
                                       TextReader& reader) {
  StreamEnd end;
  if (!reader.entity(object, end)) return false;
  if (!data_streams_.contains(ordinal))
    return reader.fault(object.object(), "no data stream has this ordinal");
  stream_end_ = {ordinal, end};
  return true;
}

std::uint64_t DescriptionReader::missing() const {
  if (is_part_) return 0;
  return gaps_in(environment_) + gaps_in(references_.clocks) + gaps_in(references_.stream_classes) +
         gaps_in(event_classes_);
}

const ClockClass* DescriptionReader::clock(std::uint64_t ordinal) const {
  return find_in(references_.clocks, ordinal);
}
const DataStreamClass* DescriptionReader::stream_class(std::uint64_t ordinal) const {
  return find_in(references_.stream_classes, ordinal);
}
const EventClass* DescriptionReader::event_class(std::uint64_t ordinal) const {
  return find_in(event_classes_, ordinal);
}
std::shared_ptr<const DataStream> DescriptionReader::data_stream(std::uint64_t ordinal) const {
  return find_in(data_streams_, ordinal);
}

}  // namespace tracedeck::lower

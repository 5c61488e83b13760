#include "tracedeck/lower/description_text.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include "tracedeck/lower/text_members.hpp"
#include "tracedeck/lower/text_writer.hpp"

namespace tracedeck::lower {
namespace {

template <class Entity>
std::string entity_text(std::string_view word, std::optional<std::uint64_t> ordinal,
                        const Entity& entity) {
  std::string text;
  TextWriter(text).entity(word, ordinal, entity);
  return text;
}

}  // namespace

std::string text_of(const TraceDescription& description) {
  return text_of(description, description.name_among_others());
}

std::string text_of(const TraceDescription& description, const std::string& name_among_others,
                    bool is_part) {
  return entity_text(entity_word(Entity::kTrace), {},
                     TraceText{.version_of_text = kTextVersion,
                               .format = description.format(),
                               .version = description.version(),
                               .name_among_others = name_among_others,
                               .is_part = is_part,
                               .trace_class = description.trace_class()});
}

std::string text_of(const Attribute& entry, std::size_t index) {
  return entity_text(entity_word(Entity::kEnvironment), index, entry);
}

std::string text_of(const ClockClass& clock) {
  return entity_text(entity_word(Entity::kClock), clock.entity.ordinal, clock);
}

std::string text_of(const DataStreamClass& stream_class) {
  return entity_text(entity_word(Entity::kStreamClass), stream_class.entity.ordinal, stream_class);
}

std::string text_of(const EventClass& event_class) {
  std::string text;
  append_text_of(text, event_class);
  return text;
}

void append_text_of(std::string& to, const EventClass& event_class) {
  TextWriter(to).entity(entity_word(Entity::kEventClass), event_class.entity.ordinal, event_class);
}

std::string text_of(const DataStream& stream) {
  return entity_text(entity_word(Entity::kDataStream), stream.entity.ordinal, stream);
}

std::string text_of_end(const DataStream& stream, std::uint64_t time) {
  return entity_text(entity_word(Entity::kStreamEnd), stream.entity.ordinal, StreamEnd{time});
}

std::vector<std::string> texts_of(const TraceDescription& description) {
  std::vector<std::string> texts = {text_of(description)};
  for (std::size_t i = 0; i < description.environment().size(); ++i)
    texts.push_back(text_of(description.environment()[i], i));
  for (const ClockClass& each : description.clocks()) texts.push_back(text_of(each));
  for (const DataStreamClass& each : description.stream_classes()) texts.push_back(text_of(each));
  for (const EventClass& each : description.event_classes()) texts.push_back(text_of(each));
  return texts;
}

}  // namespace tracedeck::lower

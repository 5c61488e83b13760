#include "tracedeck/heph/event_type.hpp"

#include <algorithm>

#include "tracedeck/base/utf8.hpp"
#include "tracedeck/heph/packet.hpp"

namespace tracedeck::heph {
namespace {

// What a type and an attribute take, here and as classes of the model, apart from their names.
constexpr std::size_t kTypeMemory = 1024;
constexpr std::size_t kAttributeMemory = 160;

void append(std::string& key, std::string_view text) {
  const auto size = static_cast<std::uint16_t>(text.size());
  key += static_cast<char>(size >> 8U);
  key += static_cast<char>(size & 0xFFU);
  key += text;
}

// What distinguishes types: the packet's strings and types without the values.
std::string layout_of(const std::uint8_t* packet, std::size_t size) {
  AttributeWalk walk(packet, packet + size);
  std::string key;
  append(key, walk.description());
  AttributePlace attribute;
  while (walk.next(attribute)) {
    append(key, attribute.name);
    key += static_cast<char>(attribute.type);
  }
  return key;
}

}  // namespace

EventTypes::EventTypes(std::size_t most_types, std::size_t most_memory)
    : most_types_(most_types),
      most_memory_(most_memory),
      overflow_(std::make_unique<EventType>()),
      guesses_(std::size_t{1} << kGuessBits) {
  overflow_->is_overflow = true;
}

const EventType& EventTypes::find(const std::uint8_t* packet, std::size_t size, bool& is_new) {
  std::string key = layout_of(packet, size);
  is_new = false;
  const auto found = by_layout_.find(key);
  if (found != by_layout_.end()) return *found->second;
  if (types_.size() >= most_types_) return *overflow_;
  const std::size_t attributes = [&] {
    AttributeWalk walk(packet, packet + size);
    AttributePlace attribute;
    std::size_t count = 0;
    while (walk.next(attribute)) ++count;
    return count;
  }();
  const std::size_t memory = kTypeMemory + 4 * key.size() + kAttributeMemory * attributes;
  if (memory > most_memory_ - memory_) return *overflow_;
  memory_ += memory;
  is_new = true;
  return add(std::move(key), packet, size);
}

const EventType& EventTypes::add(std::string key, const std::uint8_t* packet, std::size_t size) {
  EventType& type = types_.emplace_back();
  type.ordinal = static_cast<std::uint32_t>(types_.size() - 1);
  AttributeWalk walk(packet, packet + size);
  type.description = walk.description();
  type.valid_utf8 = is_valid_utf8(type.description);
  type.first_size = static_cast<std::uint32_t>(kLengthSize + type.description.size());
  // The literals lie in the key, one after the other: the first begins with the description.
  std::uint32_t begin = 0;
  std::uint32_t end = type.first_size;
  AttributePlace attribute;
  while (walk.next(attribute)) {
    type.attributes.push_back({std::string(attribute.name), attribute.type});
    type.valid_utf8 = type.valid_utf8 && is_valid_utf8(attribute.name);
    if (attribute.is_array() && attribute.value_type() == ValueType::kString)
      type.has_arrays_of_strings = true;
    end += static_cast<std::uint32_t>(kLengthSize + attribute.name.size() + 1);
    type.steps.push_back({.literal = begin, .size = end - begin, .type = attribute.type});
    begin = end;
  }
  type.literals.resize(key.size() + kPadding);
  std::ranges::copy(key, type.literals.begin());
  by_layout_.emplace(std::move(key), &type);
  const auto [place, is_new] = by_description_.try_emplace(type.description, &type);
  type.sibling = is_new ? &type : place->second->sibling;
  place->second->sibling = &type;
  return type;
}

}  // namespace tracedeck::heph

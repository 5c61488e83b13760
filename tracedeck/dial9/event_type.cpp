#include "tracedeck/dial9/event_type.hpp"

#include <algorithm>
#include <utility>

namespace tracedeck::dial9 {

namespace {

constexpr Step kUnregisteredStep = {.kind = StepKind::kUnregistered};

const EventType& unregistered() {
  static const EventType kType = {.steps = &kUnregisteredStep};
  return kType;
}

// The table without a registered id.
const PageImage& empty_table() {
  static const PageImage kImage = [] {
    const std::vector<const EventType*> table(kMaxTypeCount, &unregistered());
    return PageImage({reinterpret_cast<const std::uint8_t*>(table.data()),
                      table.size() * sizeof(const EventType*)});
  }();
  return kImage;
}

}  // namespace

const EventType* TypeStore::find(const std::string& key) const {
  const auto found = types_.find(key);
  return found == types_.end() ? nullptr : found->second.get();
}

const EventType& TypeStore::add(std::string key, std::uint16_t id, Schema schema) {
  // A field is a definition here, a step of the program and a member of the model's class.
  constexpr std::size_t kFieldMemory = 256;
  memory_ += 2 * key.size() + schema.fields.size() * kFieldMemory + sizeof(EventType);
  for (const Annotation& annotation : schema.annotations) {
    memory_ += 2 * (sizeof annotation + annotation.key.size() + annotation.value.size());
  }
  const auto [place, added] = types_.try_emplace(std::move(key), std::make_unique<EventType>());
  EventType& type = *place->second;
  type.id = id;
  type.ordinal = static_cast<std::uint32_t>(types_.size() - 1);
  type.program = compile(schema);
  type.steps = type.program.steps.data();
  if (schema.has_timestamp) {
    type.header_size = kEventHeaderSize + kTimestampDeltaSize;
    type.delta_mask = kMaxTimestampDelta;
    type.timestamp_mask = ~std::uint64_t{0};
  }
  type.schema = std::move(schema);
  type.key = place->first;
  return type;
}

SegmentTypes::SegmentTypes()
    : pages_(empty_table()), by_id_(reinterpret_cast<const EventType**>(pages_.data())) {}

const EventType* SegmentTypes::find(std::uint16_t id) const {
  // Looking would bring in the page, and some beside it.
  if (!has_page_[id / kPageIds]) return nullptr;
  return by_id_[id] == &unregistered() ? nullptr : by_id_[id];
}

void SegmentTypes::set(const EventType& type) {
  const bool is_new = find(type.id) == nullptr;
  by_id_[type.id] = &type;
  has_page_[type.id / kPageIds] = true;
  slot_bound_ = std::max(slot_bound_, type.program.slot_bound);
  if (!is_new) return;
  ids_.push_back(type.id);
  ids_by_name_.emplace(type.schema.name, type.id);
}

bool SegmentTypes::has_name(std::string_view name, std::uint16_t other_than) const {
  const auto [first, last] = ids_by_name_.equal_range(name);
  return std::any_of(first, last,
                     [other_than](const auto& entry) { return entry.second != other_than; });
}

void SegmentTypes::clear() {
  for (const std::uint16_t id : ids_) by_id_[id] = &unregistered();
  ids_.clear();
  ids_by_name_.clear();
  slot_bound_ = 0;
}

}  // namespace tracedeck::dial9

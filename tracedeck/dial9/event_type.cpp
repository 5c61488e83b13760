#include "tracedeck/dial9/event_type.hpp"

#include <algorithm>
#include <type_traits>
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

// Of a schema frame: tag, type_id.
constexpr std::size_t kNameAt = 3;

// A name with its length before it, at the beginning of `bytes`, which go on behind it.
std::string_view take_name(std::string_view& bytes) {
  const auto length = load_le<std::uint16_t>(as_bytes(bytes).data());
  const std::string_view name = bytes.substr(sizeof length, length);
  bytes.remove_prefix(sizeof length + length);
  return name;
}

}  // namespace

std::string_view EventType::name() const {
  std::string_view bytes = frame().substr(std::min<std::size_t>(kNameAt, frame_size));
  return bytes.empty() ? bytes : take_name(bytes);
}

std::string_view EventType::field_bytes() const {
  constexpr std::size_t kLengthAndPresence = 2 + 1;
  return frame().substr(kNameAt + kLengthAndPresence + name().size());
}

const Schema& EventType::schema() const {
  if (kept == nullptr) kept = std::make_unique<const Schema>(read_schema());
  return *kept;
}

Schema EventType::read_schema() const {
  if (kept != nullptr) return *kept;
  Schema schema{.name = std::string(name()), .has_timestamp = has_timestamp()};
  if (field_count == 0) return schema;
  schema.fields.reserve(field_count);
  std::string_view bytes = field_bytes().substr(sizeof field_count);
  for (std::size_t i = 0; i < field_count; ++i) {
    const std::string_view field = take_name(bytes);
    const auto tag = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    schema.fields.push_back({.name = std::string(field),
                             .type = static_cast<FieldType>(tag & ~kOptionalBit),
                             .optional = (tag & kOptionalBit) != 0});
  }
  return schema;
}

const EventType* TypeStore::find(std::string_view key) const {
  const std::size_t found = by_key_.find(key, [&](std::size_t i) { return types_[i].key(); });
  return found == NameIndex::kNone ? nullptr : &types_[found];
}

// Most types have the fields of others, as far as decoding goes.
const Program& TypeStore::keep(Program program) {
  const auto bytes_of = [&](std::size_t i) {
    const std::vector<Step>& steps = programs_[i]->steps;
    return std::string_view(reinterpret_cast<const char*>(steps.data()),
                            steps.size() * sizeof(Step));
  };
  static_assert(std::has_unique_object_representations_v<Step>);
  programs_.push_back(std::make_unique<const Program>(std::move(program)));
  const std::size_t kept = by_steps_.add(programs_.size() - 1, bytes_of);
  if (kept + 1 != programs_.size()) programs_.pop_back();
  return *programs_[kept];
}

const char* TypeStore::keep(std::string_view key) {
  // Most traces have a few types, some tens of thousands.
  constexpr std::size_t kMostRoom = std::size_t{32} << 10;
  if (keys_left_ < key.size()) {
    const std::size_t room = std::max(key.size(), std::min(kMostRoom, 64 * types_.size()));
    keys_.push_back(std::make_unique_for_overwrite<char[]>(room));
    keys_end_ = keys_.back().get();
    keys_left_ = room;
  }
  char* const kept = keys_end_;
  std::ranges::copy(key, kept);
  keys_end_ += key.size();
  keys_left_ -= key.size();
  return kept;
}

EventType& TypeStore::make(std::string_view key, std::uint16_t id, const Schema& schema) {
  // A field is bytes of the key, a step of the program and a member of the model's class.
  constexpr std::size_t kFieldMemory = 128;
  memory_ += 2 * key.size() + schema.fields.size() * kFieldMemory + sizeof(EventType);
  for (const Annotation& annotation : schema.annotations) {
    memory_ += 2 * (sizeof annotation + annotation.key.size() + annotation.value.size());
  }
  EventType& type = types_.emplace_back();
  type.key_begin = keep(key);
  type.key_size = static_cast<std::uint32_t>(key.size());
  by_key_.add(types_.size() - 1, [&](std::size_t i) { return types_[i].key(); });
  type.id = id;
  type.field_count = static_cast<std::uint16_t>(schema.fields.size());
  type.ordinal = static_cast<std::uint32_t>(types_.size() - 1);
  type.program = &keep(compile(schema));
  type.steps = type.program->steps.data();
  if (schema.has_timestamp) {
    type.header_size = kEventHeaderSize + kTimestampDeltaSize;
    type.delta_mask = kMaxTimestampDelta;
    type.timestamp_mask = ~std::uint64_t{0};
  }
  return type;
}

const EventType& TypeStore::add(std::string_view frame, std::uint16_t id, const Schema& schema) {
  EventType& type = make(frame, id, schema);
  type.frame_begin = type.key_begin;
  type.frame_size = type.key_size;
  return type;
}

const EventType& TypeStore::add_annotated(std::string_view key, const EventType& annotated,
                                          Schema schema) {
  EventType& type = make(key, annotated.id, schema);
  type.frame_begin = annotated.frame_begin;
  type.frame_size = annotated.frame_size;
  type.kept = std::make_unique<const Schema>(std::move(schema));
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
  slot_bound_ = std::max(slot_bound_, type.program->slot_bound);
  if (!is_new) return;
  ids_.push_back(type.id);
  by_name_.add(ids_.size() - 1, [this](std::size_t i) { return by_id_[ids_[i]]->name(); });
}

bool SegmentTypes::has_name(std::string_view name) const {
  const auto name_of = [this](std::size_t i) { return by_id_[ids_[i]]->name(); };
  return by_name_.find(name, name_of) != NameIndex::kNone;
}

void SegmentTypes::rest() {
  // Of more, what is remembered takes as much as the table.
  constexpr std::size_t kMost = 64;
  if (ids_.empty() || ids_.size() > kMost) return;
  for (const std::uint16_t id : ids_) resting_.push_back(by_id_[id]);
  if (!pages_.reset()) resting_.clear();
}

void SegmentTypes::fill_table() {
  for (const EventType* const type : resting_) by_id_[type->id] = type;
  resting_.clear();
}

void SegmentTypes::clear() {
  for (const std::uint16_t id : ids_) by_id_[id] = &unregistered();
  ids_.clear();
  by_name_ = {};
  slot_bound_ = 0;
}

}  // namespace tracedeck::dial9

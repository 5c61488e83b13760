#include "tracedeck/dial9/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tracedeck/base/byte_cursor.hpp"
#include "tracedeck/base/keyed_hash.hpp"
#include "tracedeck/base/leb128.hpp"
#include "tracedeck/base/utf8.hpp"

namespace tracedeck::dial9 {
namespace {

// How many bytes may be walked in vain, in lists, maps and pools that turn out to be damaged,
// before scanning no longer looks inside what was walked: this, and a small multiple of the bytes
// behind us. It keeps hostile input, whose every few bytes begin another long walk, from costing
// quadratic time.
constexpr std::uint64_t kWalkAllowance = std::uint64_t{64} << 20;
constexpr std::uint64_t kWalkFactor = 4;

// Findings that are reported of one frame; the others are counted.
constexpr std::size_t kMostNotes = 1000;

std::string in_backticks(std::string_view name) { return fmt::format("`{}`", name); }

// One schema annotations frame.
struct AnnotationFrame {
  std::uint64_t type_id = 0;
  bool overlong = false;
  std::vector<Annotation> annotations = {};
  std::uint64_t size = 0;    // bytes
  std::uint64_t needed = 0;  // of an incomplete frame: bytes; 0: its type_id is no varint
};

// False when the frame is incomplete or its type_id is no varint.
bool read_annotation_frame(const std::uint8_t* begin, const std::uint8_t* end,
                           AnnotationFrame& frame) {
  const std::uint8_t* at = begin + 1;
  frame.needed = 0;
  if (!decode_leb128(at, frame.type_id)) return false;
  const auto header_size = static_cast<std::uint64_t>(at - begin);
  frame.needed = header_size;
  if (at > end) return false;
  frame.overlong = is_overlong(begin + 1, at);
  ByteCursor cursor(at, end);
  std::uint16_t count = 0;
  bool complete = cursor.read_le(count);
  for (std::uint32_t i = 0; complete && i < count; ++i) {
    Annotation& annotation = frame.annotations.emplace_back();
    std::uint16_t key_length = 0;
    std::uint32_t value_length = 0;
    ByteSpan key;
    ByteSpan value;
    complete = cursor.read_le(annotation.field_index) && cursor.read_le(key_length) &&
               cursor.take(key_length, key) && cursor.read_le(value_length) &&
               cursor.take(value_length, value);
    annotation.key = as_text(key);
    annotation.value = as_text(value);
  }
  frame.size = header_size + cursor.consumed();
  frame.needed = header_size + cursor.wanted();
  return complete;
}

bool starts_header(const std::uint8_t* at) {
  return std::memcmp(at, kMagic.data(), kMagic.size()) == 0 && at[kMagic.size()] == kWireVersion;
}

}  // namespace

Decoder::FrameResult Decoder::damage(RuleId rule, std::string text, std::uint64_t walked) {
  fault_ = {rule, std::move(text)};
  return {.status = FrameResult::Status::kDamage, .walked = walked};
}

void Decoder::note(RuleId rule_id, std::uint64_t offset, std::uint64_t length, std::string text) {
  if (!notes_wanted_) return;
  if (notes_.size() > kMostNotes) {
    ++notes_left_out_;
    notes_.back().text =
        fmt::format("{} more findings of this frame are not listed", notes_left_out_);
    return;
  }
  notes_left_out_ = 1;  // what the last note stands for, if another comes
  notes_.push_back(
      {.rule = &rule(rule_id), .offset = offset, .length = length, .text = std::move(text)});
}

Decoder::FrameResult Decoder::decode_frame(const DecodeWindow& window, std::size_t position) {
  notes_.clear();
  if (phase_ == Phase::kStart || phase_ == Phase::kFileStart)
    return decode_header(window, position);
  const std::uint8_t tag = window.bytes.data[position];
  switch (static_cast<FrameTag>(tag)) {
    case FrameTag::kSchema:
      return decode_schema(window, position);
    case FrameTag::kStringPool:
      return decode_pool(window, position, pools_.strings, 1);
    case FrameTag::kStackPool:
      return decode_pool(window, position, pools_.stacks, 8);
    case FrameTag::kSchemaAnnotations:
      return decode_annotations(window, position);
    case FrameTag::kEvent:
    case FrameTag::kTimestampReset:
      return {.status = FrameResult::Status::kIncomplete, .size = kTimestampResetSize};
  }
  if (tag == kMagic[0]) return decode_header(window, position);
  return damage(RuleId::kFrameTag, fmt::format("unknown frame tag 0x{:02X}", tag), 1);
}

Decoder::FrameResult Decoder::decode_header(const DecodeWindow& window, std::size_t position) {
  const std::uint8_t* const at = window.bytes.data + position;
  const std::size_t left = window.bytes.size - position;
  const bool first = phase_ == Phase::kStart;
  const auto reject = [&](RuleId rule_id, std::string text) {
    rejection_ = Error{.code = ErrorCode::kMustReject,
                       .message = std::move(text),
                       .offset = window.offset + position,
                       .rule = &rule(rule_id)};
    return FrameResult{.status = FrameResult::Status::kDamage};
  };
  const bool magic_so_far = std::equal(at, at + std::min(left, kMagic.size()), kMagic.begin());
  if (!magic_so_far) {
    if (first)
      return reject(RuleId::kHeaderMagic, "no dial9 trace: the first 4 bytes are not `TRC\\0`");
    if (phase_ == Phase::kFileStart)
      return damage(RuleId::kHeaderMagic, "the file does not begin with `TRC\\0`", 1);
    return damage(RuleId::kFrameTag, fmt::format("unknown frame tag 0x{:02X}", *at), 1);
  }
  if (left < kHeaderSize) {
    if (first && window.last) {
      return reject(RuleId::kHeaderMagic, left == 0 ? "no dial9 trace: the input is empty"
                                                    : "no dial9 trace: the header is cut short");
    }
    return {.status = FrameResult::Status::kIncomplete, .size = kHeaderSize};
  }
  const std::uint8_t version = at[kMagic.size()];
  if (version != kWireVersion) {
    std::string text =
        fmt::format("wire version {} is not supported, only {} is", version, kWireVersion);
    if (first) return reject(RuleId::kHeaderVersion, std::move(text));
    phase_ = Phase::kDraining;
    return damage(RuleId::kHeaderVersion, std::move(text), kHeaderSize);
  }
  if (counts_.headers != 0) ++segment_;
  ++counts_.headers;
  types_.clear();
  pools_.strings.clear();
  pools_.stacks.clear();
  timestamp_base_ = 0;
  phase_ = Phase::kFrames;
  return {.size = kHeaderSize, .segment_began = true};
}

Decoder::FrameResult Decoder::decode_schema(const DecodeWindow& window, std::size_t position) {
  const std::uint8_t* const frame = window.bytes.data + position;
  ByteCursor cursor(frame + 1, window.bytes.data + window.bytes.size);
  const auto incomplete = [&] {
    return FrameResult{.status = FrameResult::Status::kIncomplete,
                       .size = 1 + cursor.wanted(),
                       .walked = cursor.consumed()};
  };
  std::uint16_t id = 0;
  std::uint16_t name_length = 0;
  std::uint8_t has_timestamp = 0;
  std::uint16_t field_count = 0;
  ByteSpan name;
  if (!cursor.read_le(id) || !cursor.read_le(name_length) || !cursor.take(name_length, name) ||
      !cursor.read_le(has_timestamp) || !cursor.read_le(field_count)) {
    return incomplete();
  }
  Schema schema{
      .name = std::string(as_text(name)), .has_timestamp = has_timestamp != 0, .fields = {}};
  for (std::uint32_t i = 0; i < field_count; ++i) {
    ByteSpan field_name;
    std::uint8_t tag = 0;
    if (!cursor.read_le(name_length) || !cursor.take(name_length, field_name) ||
        !cursor.read_le(tag))
      return incomplete();
    const FieldTypeFacts* const known =
        field_type_facts(static_cast<std::uint8_t>(tag & ~kOptionalBit));
    if (known == nullptr) {
      return damage(RuleId::kFieldType,
                    fmt::format("field {} of schema {} has the unknown type tag 0x{:02X}", i,
                                in_backticks(schema.name), tag),
                    cursor.consumed());
    }
    schema.fields.push_back(
        {std::string(as_text(field_name)), known->type, (tag & kOptionalBit) != 0});
  }
  if (has_timestamp > 1) {
    note(RuleId::kHasTimestampValue, window.offset + position, 1 + cursor.consumed(),
         fmt::format("schema {} has has_timestamp {}, read as 1", in_backticks(schema.name),
                     has_timestamp));
  }
  return register_type(window, position, 1 + cursor.consumed(), id, schema);
}

Decoder::FrameResult Decoder::register_type(const DecodeWindow& window, std::size_t position,
                                            std::uint64_t size, std::uint16_t id,
                                            const Schema& schema) {
  const std::uint64_t offset = window.offset + position;
  if (const EventType* const known = types_.find(id)) {
    const Schema there = known->read_schema();
    const bool identical = there.name == schema.name &&
                           there.has_timestamp == schema.has_timestamp &&
                           there.fields == schema.fields;
    if (!identical) {
      return damage(RuleId::kSchemaConflict,
                    fmt::format("type_id {} is {} and is registered again as a different {}", id,
                                in_backticks(there.name), in_backticks(schema.name)),
                    size);
    }
    ++counts_.schemas;
    note(RuleId::kSchemaRepeated, offset, size,
         fmt::format("type_id {}, {}, is registered again", id, in_backticks(schema.name)));
    return {.size = size};
  }
  const auto* const frame = reinterpret_cast<const char*>(window.bytes.data + position);
  std::string key(frame, size);
  const EventType* type = store_.find(key);
  if (type == nullptr) {
    if (store_.memory() + size > max_state_) {
      return damage(RuleId::kLimit, "the distinct schemas of this trace exceed --max-state", size);
    }
    type = &store_.add(std::move(key), id, schema);
  }
  ++counts_.schemas;
  note_schema_names(id, schema, offset);
  types_.set(*type);
  return {.size = size, .type = type};
}

void Decoder::note_name(std::string_view name, std::uint64_t offset, std::string_view of_what) {
  if (name.empty())
    note(RuleId::kNameEmpty, offset, 0, fmt::format("{} has an empty name", of_what));
  if (!is_valid_utf8(name))
    note(RuleId::kUtf8, offset, 0, fmt::format("the name of {} is not UTF-8", of_what));
}

void Decoder::note_schema_names(std::uint16_t id, const Schema& schema, std::uint64_t offset) {
  note_name(schema.name, offset, fmt::format("type_id {}", id));
  if (types_.has_name(schema.name)) {
    note(RuleId::kNameDuplicate, offset, 0,
         fmt::format("another type of this segment is called {} too", in_backticks(schema.name)));
  }
  TextViewSet seen;
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    const std::string& name = schema.fields[i].name;
    note_name(name, offset, fmt::format("field {} of {}", i, in_backticks(schema.name)));
    if (!seen.insert(name).second) {
      note(RuleId::kNameDuplicate, offset, 0,
           fmt::format("field {} of {} repeats the name {}", i, in_backticks(schema.name),
                       in_backticks(name)));
    }
  }
}

Decoder::FrameResult Decoder::decode_pool(const DecodeWindow& window, std::size_t position,
                                          Pool& pool, std::uint32_t element_size) {
  const std::uint8_t* const frame = window.bytes.data + position;
  const std::uint8_t* const end = window.bytes.data + window.bytes.size;
  ByteCursor cursor(frame + 1, end);
  std::uint32_t count = 0;
  const auto next_entry = [&](std::uint32_t& id, ByteSpan& content) {
    std::uint32_t elements = 0;
    return cursor.read_le(id) && cursor.read_le(elements) &&
           cursor.take(std::size_t{elements} * element_size, content);
  };
  bool complete = cursor.read_le(count);
  for (std::uint32_t i = 0; complete && i < count; ++i) {
    std::uint32_t id = 0;
    ByteSpan content;
    complete = next_entry(id, content);
  }
  if (!complete) {
    return {.status = FrameResult::Status::kIncomplete,
            .size = 1 + cursor.wanted(),
            .walked = cursor.consumed()};
  }
  const std::uint64_t size = 1 + cursor.consumed();
  const std::uint64_t index_memory = std::uint64_t{count} * Pool::kEntryMemory;
  if (pools_.strings.memory() + pools_.stacks.memory() + size + index_memory > max_state_) {
    return damage(RuleId::kLimit, "the pools of this segment exceed --max-state", size);
  }
  cursor = ByteCursor(frame + 1 + sizeof count, end);
  const bool is_text = element_size == 1;
  ++(is_text ? counts_.string_pools : counts_.stack_pools);
  const std::string_view what = is_text ? "string" : "stack";
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t id = 0;
    ByteSpan content;
    const std::uint64_t at =
        window.offset + static_cast<std::uint64_t>(cursor.position() - window.bytes.data);
    static_cast<void>(next_entry(id, content));
    if (pool.define(id, content)) {
      note(RuleId::kPoolRedefined, at, 8 + content.size(),
           fmt::format("{} pool id {} is defined again", what, id));
    }
    if (is_text && !is_valid_utf8(content)) {
      note(RuleId::kUtf8, at, 8 + content.size(),
           fmt::format("string pool id {} is not UTF-8", id));
    }
  }
  return {.size = size};
}

Decoder::FrameResult Decoder::decode_annotations(const DecodeWindow& window, std::size_t position) {
  const std::uint8_t* const begin = window.bytes.data + position;
  const std::uint8_t* const end = window.bytes.data + window.bytes.size;
  AnnotationFrame frame;
  if (!read_annotation_frame(begin, end, frame)) {
    if (frame.needed == 0)
      return damage(RuleId::kVarintLength, "the type_id of an annotation takes more than 10 bytes",
                    1);
    return {.status = FrameResult::Status::kIncomplete,
            .size = frame.needed,
            .walked = frame.annotations.size()};
  }
  ++counts_.annotations;
  // Frames of one type in a row are one addition: each addition is another event type.
  std::uint64_t size = frame.size;
  AnnotationFrame more;
  while (begin + size < end && begin[size] == std::to_underlying(FrameTag::kSchemaAnnotations) &&
         read_annotation_frame(begin + size, end, more) && more.type_id == frame.type_id) {
    ++counts_.annotations;
    size += more.size;
    std::ranges::move(more.annotations, std::back_inserter(frame.annotations));
    more = {};
  }
  const std::uint64_t offset = window.offset + position;
  if (frame.overlong) {
    note(RuleId::kVarintOverlong, offset + 1, 0,
         fmt::format("the type_id {} of an annotation is written longer than needed",
                     frame.type_id));
  }
  const EventType* const annotated = frame.type_id < kMaxTypeCount
                                         ? types_.find(static_cast<std::uint16_t>(frame.type_id))
                                         : nullptr;
  if (annotated == nullptr) {
    note(RuleId::kAnnotationType, offset, size,
         fmt::format("annotations for type_id {}, which is not registered, are ignored",
                     frame.type_id));
    return {.size = size};
  }
  if (frame.annotations.empty()) return {.size = size};
  return annotate(*annotated, std::move(frame.annotations), offset, {begin, size});
}

Decoder::FrameResult Decoder::annotate(const EventType& annotated,
                                       std::vector<Annotation> annotations, std::uint64_t offset,
                                       ByteSpan frames) {
  for (const Annotation& annotation : annotations) {
    if (annotation.field_index >= annotated.field_count) {
      note(RuleId::kAnnotationField, offset, frames.size(),
           fmt::format("an annotation names field {} of {}, which has {}", annotation.field_index,
                       in_backticks(annotated.name()), annotated.field_count));
    }
  }
  std::string key = fmt::format("{} and ", annotated.ordinal);
  key += as_text(frames);
  const EventType* type = store_.find(key);
  if (type == nullptr) {
    if (store_.memory() + 2 * key.size() > max_state_) {
      return damage(RuleId::kLimit, "the distinct schemas of this trace exceed --max-state",
                    frames.size());
    }
    Schema schema = annotated.read_schema();
    std::ranges::move(annotations, std::back_inserter(schema.annotations));
    type = &store_.add_annotated(std::move(key), annotated, std::move(schema));
  }
  types_.set(*type);
  return {.size = frames.size(), .type = type};
}

void Decoder::set_fault(FieldStatus status, const EventType& type, std::uint64_t offset) {
  switch (status) {
    case FieldStatus::kVarintLength:
      fault_ = {RuleId::kVarintLength,
                fmt::format("an event of {} has a varint of more than 10 bytes at offset {}",
                            in_backticks(type.name()), offset)};
      break;
    case FieldStatus::kDynamicTag:
      fault_ = {RuleId::kDynamicTag,
                fmt::format("an event of {} has an unknown value tag in a list or map at offset {}",
                            in_backticks(type.name()), offset)};
      break;
    case FieldStatus::kDynamicNesting:
      fault_ = {RuleId::kDynamicNesting,
                fmt::format("an event of {} nests lists and maps deeper than {} at offset {}",
                            in_backticks(type.name()), kMaxNesting, offset)};
      break;
    case FieldStatus::kOk:
    case FieldStatus::kIncomplete:
    case FieldStatus::kUnregistered:
    case FieldStatus::kNoRoom:
      break;
  }
}

DecodeProgress Decoder::end_events(const DecodeWindow& window, std::size_t& position,
                                   const EventStop& stop) {
  using Reason = EventStop::Reason;
  position = static_cast<std::size_t>(stop.frame - window.bytes.data);
  timestamp_base_ = stop.base;
  stopped_walk_ = 0;
  const std::size_t left = window.bytes.size - position;
  const auto head = load_le<std::uint64_t>(stop.frame);
  const auto id = static_cast<std::uint16_t>(head >> 8);
  const EventType* const type = types_.find(id);
  switch (stop.reason) {
    case Reason::kOtherFrame:
      break;
    case Reason::kPause:
      return {DecodeOutcome::kPaused, 0};
    case Reason::kNoRoom:
      return {DecodeOutcome::kPaused, types_.slot_bound()};
    case Reason::kTimestampOverflow:
      if (left < type->header_size) return {DecodeOutcome::kNeedMore, type->header_size};
      fault_ = {
          RuleId::kTimestampOverflow,
          fmt::format("an event of {} lies {} ns after {} ns, beyond 2^64-1",
                      in_backticks(type->name()), (head >> 24) & kMaxTimestampDelta, stop.base)};
      enter_damage(window, position, type->header_size);
      break;
    case Reason::kFields: {
      if (stop.status == FieldStatus::kUnregistered) {
        if (left < kEventHeaderSize) return {DecodeOutcome::kNeedMore, kEventHeaderSize};
        fault_ = {RuleId::kEventType,
                  fmt::format("an event has type_id {}, which no schema registered", id)};
        enter_damage(window, position, kEventHeaderSize);
        break;
      }
      if (stop.status == FieldStatus::kNoRoom)
        return {DecodeOutcome::kPaused, stop.slots_used + stop.slots_needed};
      const auto walked = static_cast<std::uint64_t>(stop.walked - stop.frame);
      if (stop.status == FieldStatus::kIncomplete) {
        stopped_walk_ = walked;
        return {DecodeOutcome::kNeedMore, static_cast<std::uint64_t>(stop.fault - stop.frame)};
      }
      set_fault(stop.status, *type,
                window.offset + static_cast<std::uint64_t>(stop.fault - window.bytes.data));
      enter_damage(window, position, walked);
      break;
    }
  }
  return {DecodeOutcome::kConsumed, 0};
}

void Decoder::set_truncation_fault(const DecodeWindow& window, std::size_t position,
                                   std::uint64_t needed) {
  fault_ = {RuleId::kFrameTruncated,
            fmt::format("the input ends inside a frame that needs {} bytes and has {}", needed,
                        window.bytes.size - position)};
}

bool Decoder::exceeds_limit(std::uint64_t frame_size) {
  if (frame_size <= max_state_) return false;
  fault_ = {RuleId::kLimit,
            fmt::format("a frame of at least {} bytes exceeds --max-state", frame_size)};
  return true;
}

void Decoder::enter_damage(const DecodeWindow& window, std::size_t position, std::uint64_t walked) {
  damage_begin_ = window.offset + position;
  if (phase_ == Phase::kDraining) return;
  phase_ = Phase::kScanning;
  scan_from_ = damage_begin_ + 1;
  walked_in_vain_ += walked;
  if (walked_in_vain_ > kWalkAllowance + kWalkFactor * damage_begin_) {
    scan_from_ = damage_begin_ + std::clamp<std::uint64_t>(walked, 1, window.bytes.size - position);
  }
}

bool Decoder::scan(const DecodeWindow& window, std::size_t& position) {
  const std::size_t size = window.bytes.size;
  if (phase_ == Phase::kDraining) {
    position = size;
    return window.last;
  }
  const std::uint8_t* const begin = window.bytes.data;
  std::size_t at =
      std::max<std::size_t>(position, scan_from_ > window.offset ? scan_from_ - window.offset : 0);
  while (at < size) {
    const void* const found = std::memchr(begin + at, kMagic[0], size - at);
    if (found == nullptr) {
      at = size;
      break;
    }
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - begin);
    const bool tag_known = at + kHeaderSize < size && is_frame_tag(begin[at + kHeaderSize]);
    const bool ends_after = at + kHeaderSize == size && window.last;
    const bool undecided = at + kHeaderSize >= size && !window.last;
    // The padding makes the comparison safe; its zeros make no header.
    if (starts_header(begin + at) && (tag_known || ends_after)) {
      position = at;
      phase_ = Phase::kFrames;
      return true;
    }
    if (undecided) break;
    ++at;
  }
  position = at;
  scan_from_ = window.offset + at;
  return at == size && window.last;
}

Finding Decoder::finish_damage(std::uint64_t end_offset) {
  const bool at_header = phase_ == Phase::kFrames;
  if (phase_ == Phase::kScanning) phase_ = Phase::kFrames;
  std::string_view what_was_done = "nothing after it could be read";
  if (at_header) what_was_done = "reading resumes at the next header";
  if (phase_ == Phase::kDraining) phase_ = Phase::kFrames;
  return {.rule = &rule(fault_.rule),
          .offset = damage_begin_,
          .length = end_offset - damage_begin_,
          .text = fmt::format("{}; {}", fault_.text, what_was_done)};
}

}  // namespace tracedeck::dial9

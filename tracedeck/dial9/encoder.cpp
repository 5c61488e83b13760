#include "tracedeck/dial9/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tracedeck/dial9/intern_pool.hpp"
#include "tracedeck/dial9/schema_table.hpp"
#include "tracedeck/dial9/value_encode.hpp"

namespace tracedeck::dial9 {
namespace {

std::uint32_t assign_slot(std::atomic<std::uint32_t>& slot) {
  static constinit std::atomic<std::uint32_t> last{0};
  std::uint32_t index = slot.load(std::memory_order_relaxed);
  if (index != 0) return index;
  const std::uint32_t mine = last.fetch_add(1, std::memory_order_relaxed) + 1;
  // Another thread may have been faster; then one number stays unused.
  return slot.compare_exchange_strong(index, mine, std::memory_order_relaxed) ? mine : index;
}

std::uint32_t head_of(std::uint16_t type_id) {
  return std::to_underlying(FrameTag::kEvent) | std::uint32_t{type_id} << 8;
}

// What comes before the values of an event.
struct EventHead {
  std::uint16_t type_id = 0;
  std::optional<std::uint64_t> timestamp = {};
  std::uint64_t timestamp_base = 0;
};
// Most bytes of it, with the timestamp reset that may be needed.
constexpr std::size_t kEventHeadRoom = kTimestampResetSize + kEventHeaderSize + kTimestampDeltaSize;

// What was put, and the timestamp base behind it.
struct PutEvent {
  std::uint8_t* end = nullptr;
  std::uint64_t timestamp_base = 0;
};

PutEvent put_head(std::uint8_t* to, const EventHead& of) {
  std::uint64_t base = of.timestamp_base;
  if (of.timestamp && (*of.timestamp < base || *of.timestamp - base > kMaxTimestampDelta)) {
    to = put_timestamp_reset(to, *of.timestamp);
    base = *of.timestamp;
  }
  const std::uint32_t head = head_of(of.type_id);
  *to++ = static_cast<std::uint8_t>(head);
  store_le(to, of.type_id);
  to += sizeof of.type_id;
  if (!of.timestamp) return {to, base};
  const std::uint64_t delta = *of.timestamp - base;
  store_le(to, static_cast<std::uint16_t>(delta));
  to[2] = static_cast<std::uint8_t>(delta >> 16);
  return {to + kTimestampDeltaSize, *of.timestamp};
}

// An event whose head there is room for. Nothing: there is too little room for its values, or they
// do not fit their fields; what was put then does not count.
std::optional<PutEvent> put_in_one_pass(std::uint8_t* to, const std::uint8_t* limit,
                                        const EventHead& head,
                                        std::span<const FieldDefinition> fields,
                                        std::span<const Value> values) {
  PutEvent put = put_head(to, head);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    const bool is_plain = is_plain_number(fields[i], value);
    std::size_t size = kMaxVarintSize;
    if (!is_plain) [[unlikely]] {
      const ValueMeasure measure = measure_value(fields[i], value);
      if (measure.fault != nullptr) return std::nullopt;
      size = measure.size;
    }
    if (limit - put.end < static_cast<std::ptrdiff_t>(size)) return std::nullopt;
    put.end = is_plain ? put_plain_number(put.end, value) : put_value(put.end, fields[i], value);
  }
  return put;
}

std::string path_of(std::string_view type, std::string_view field) {
  return fmt::format("{}.{}", type.substr(0, 64), field.substr(0, 64));
}

}  // namespace

struct Encoder::State {
  State(EncoderOptions chosen, Sink taken_by) : options(chosen), sink(std::move(taken_by)) {}

  EncoderOptions options;
  Sink sink;
  GrowingBuffer buffer;
  std::uint64_t handed_over = 0;
  std::optional<Error> failure;  // of the sink
  SchemaTable schemas;
  InternPool strings;
  InternPool stacks;
  std::vector<std::uint32_t> event_heads;

  InternPool& pool(FrameTag tag) { return tag == FrameTag::kStackPool ? stacks : strings; }
  Result<void> check() const {
    if (failure) return std::unexpected(*failure);
    return {};
  }
  // Registering would not find a free type_id.
  Result<void> check_new(const Schema& schema) const {
    if (Result<void> checked = check_schema(schema, options.version); !checked) return checked;
    if (!schemas.next_id()) {
      return fail(ErrorCode::kLimitExceeded, "all 65536 type_ids of the segment are taken");
    }
    return {};
  }
};

Encoder::Encoder(EncoderOptions options) : Encoder(Sink{}, options) {}

Encoder::Encoder(Sink sink, EncoderOptions options)
    : state_(std::make_unique<State>(options, std::move(sink))) {
  begin(true);
}

Encoder::Encoder(const EncoderState& state, EncoderOptions options, Sink sink)
    : state_(std::make_unique<State>(options, std::move(sink))) {
  begin(false);
  take_over(state);
}

Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

void Encoder::begin(bool with_header) {
  state_->failure.reset();
  state_->handed_over = 0;
  cursor_ = state_->buffer.reserve(
      0, state_->sink ? std::max(state_->options.chunk_size, kHeaderSize) : kHeaderSize);
  set_limit();
  forget_segment();
  if (with_header) cursor_ = put_header(cursor_);
}

void Encoder::forget_segment() {
  state_->schemas.clear();
  state_->strings.clear();
  state_->stacks.clear();
  std::ranges::fill(state_->event_heads, 0U);
  timestamp_base_ = 0;
}

void Encoder::take_over(const EncoderState& state) {
  for (const auto& [type_id, schema] : state.schemas) state_->schemas.add(type_id, schema);
  for (const auto& [id, content] : state.strings) state_->strings.add(content, id);
  for (const auto& [id, content] : state.stacks) state_->stacks.add(content, id);
  timestamp_base_ = state.timestamp_base;
}

// With a sink, room ends where the chunk does, however large a single frame once made the buffer.
void Encoder::set_limit() {
  std::size_t room = state_->buffer.capacity();
  if (state_->sink) room = std::min(room, std::max(state_->options.chunk_size, kHeaderSize));
  limit_ = state_->buffer.data() + room;
}

Result<void> Encoder::hand_over() {
  const ByteSpan chunk = bytes();
  if (chunk.empty()) return {};
  if (Result<void> taken = state_->sink(chunk); !taken) {
    state_->failure = taken.error();
    limit_ = cursor_;  // so that every event takes the slow path, which finds the failure
    return taken;
  }
  state_->handed_over += chunk.size();
  cursor_ = state_->buffer.data();
  return {};
}

Result<void> Encoder::make_room(std::size_t size) {
  if (Result<void> fine = state_->check(); !fine) return fine;
  if (has_room(size)) return {};
  if (state_->sink) {
    if (Result<void> taken = hand_over(); !taken) return taken;
  }
  const auto used = static_cast<std::size_t>(cursor_ - state_->buffer.data());
  cursor_ = state_->buffer.reserve(used, size) + used;
  set_limit();
  return {};
}

Result<std::uint16_t> Encoder::register_schema(const Schema& schema,
                                               std::optional<std::uint16_t> type_id) {
  if (Result<void> fine = state_->check(); !fine) return std::unexpected(fine.error());
  if (type_id) {
    if (const Schema* const known = state_->schemas.find(*type_id)) {
      if (*known == schema) return *type_id;
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("type_id {} is taken by another schema, {}", *type_id,
                              known->name.substr(0, 64)));
    }
    if (Result<void> checked = check_schema(schema, state_->options.version); !checked) {
      return std::unexpected(checked.error());
    }
  } else {
    if (const auto known = state_->schemas.find(schema)) return *known;
    if (Result<void> checked = state_->check_new(schema); !checked)
      return std::unexpected(checked.error());
    type_id = state_->schemas.next_id();
  }
  const std::size_t size =
      schema_frame_size(schema) + annotations_frame_size(*type_id, schema.annotations);
  if (Result<void> made = make_room(size); !made) return std::unexpected(made.error());
  cursor_ = put_schema_frame(cursor_, *type_id, schema);
  if (!schema.annotations.empty())
    cursor_ = put_annotations_frame(cursor_, *type_id, schema.annotations);
  state_->schemas.add(*type_id, schema);
  return *type_id;
}

Result<void> Encoder::annotate(std::uint16_t type_id, std::span<const Annotation> annotations) {
  const Schema* const known = state_->schemas.find(type_id);
  if (known == nullptr)
    return fail(ErrorCode::kInvalidArgument, fmt::format("type_id {} is not registered", type_id));
  if (Result<void> checked =
          check_annotations(annotations, known->fields.size(), state_->options.version);
      !checked) {
    return checked;
  }
  if (annotations.empty()) return state_->check();
  if (Result<void> made = make_room(annotations_frame_size(type_id, annotations)); !made)
    return made;
  cursor_ = put_annotations_frame(cursor_, type_id, annotations);
  state_->schemas.annotate(type_id, annotations);
  return {};
}

Result<void> Encoder::check_registration(const std::atomic<std::uint32_t>& slot,
                                         Schema (*make_schema)()) const {
  if (event_head(slot) != 0) return state_->check();
  if (Result<void> fine = state_->check(); !fine) return fine;
  const Schema schema = make_schema();
  return state_->schemas.find(schema) ? Result<void>{} : state_->check_new(schema);
}

Result<std::uint32_t> Encoder::head_of_slot(std::atomic<std::uint32_t>& slot,
                                            Schema (*make_schema)()) {
  if (Result<void> fine = state_->check(); !fine) return std::unexpected(fine.error());
  if (const std::uint32_t head = event_head(slot)) return head;
  const Result<std::uint16_t> type_id = register_schema(make_schema());
  if (!type_id) return std::unexpected(type_id.error());
  const std::uint32_t index = assign_slot(slot);
  auto& heads = state_->event_heads;
  if (index >= heads.size()) heads.resize(std::size_t{index} + 1);
  event_heads_ = heads.data();
  slot_count_ = heads.size();
  return heads[index] = head_of(*type_id);
}

Result<void> Encoder::write_event(std::uint16_t type_id, std::optional<std::uint64_t> timestamp,
                                  std::span<const Value> values) {
  const Schema* const known = state_->schemas.find(type_id);
  if (known == nullptr)
    return fail(ErrorCode::kInvalidArgument, fmt::format("type_id {} is not registered", type_id));
  const auto misuse = [known](std::string message, std::string_view field) {
    Error error{.code = ErrorCode::kInvalidArgument, .message = std::move(message)};
    error.path = field.data() == nullptr ? known->name.substr(0, 64) : path_of(known->name, field);
    return std::unexpected(std::move(error));
  };
  if (timestamp.has_value() != known->has_timestamp) {
    return misuse(timestamp ? "the class has no timestamp and the event has one"
                            : "the class has a timestamp and the event has none",
                  {});
  }
  if (values.size() != known->fields.size()) {
    return misuse(fmt::format("{} values for {} fields", values.size(), known->fields.size()), {});
  }
  if (has_room(kEventHeadRoom)) {
    if (const auto put = put_in_one_pass(cursor_, limit_, {type_id, timestamp, timestamp_base_},
                                         known->fields, values)) {
      cursor_ = put->end;
      timestamp_base_ = put->timestamp_base;
      return {};
    }
  }
  std::size_t size = kEventHeadRoom;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const ValueMeasure measure = measure_value(known->fields[i], values[i]);
    if (measure.fault != nullptr) return misuse(measure.fault, known->fields[i].name);
    size += measure.size;
  }
  if (Result<void> made = make_room(size); !made) return made;
  PutEvent put = put_head(cursor_, {type_id, timestamp, timestamp_base_});
  for (std::size_t i = 0; i < values.size(); ++i)
    put.end = put_value(put.end, known->fields[i], values[i]);
  cursor_ = put.end;
  timestamp_base_ = put.timestamp_base;
  return {};
}

std::optional<std::uint32_t> Encoder::find_in_pool(FrameTag pool, ByteSpan content) const {
  return state_->pool(pool).find(as_text(content));
}

Result<std::uint32_t> Encoder::intern(FrameTag pool, ByteSpan content) {
  InternPool& ids = state_->pool(pool);
  if (const auto known = ids.find(as_text(content))) return *known;
  const bool is_stack = pool == FrameTag::kStackPool;
  if (is_stack && state_->options.version == Version::k0_3) {
    return fail(ErrorCode::kUnsupported, "interned stacks need dial9 version 0.4");
  }
  if (content.size() / (is_stack ? 8 : 1) > detail::kMaxLength) {
    return fail(ErrorCode::kInvalidArgument, "text or stack too long for a pool");
  }
  const auto id = ids.next_id();
  if (!id) return fail(ErrorCode::kLimitExceeded, "all ids of the pool are taken");
  if (Result<void> made = make_room(kPoolFrameHeadSize + content.size()); !made)
    return std::unexpected(made.error());
  ids.add(as_text(content), *id);
  cursor_ = put_pool_frame(cursor_, pool, *id, content);
  return *id;
}

Result<InternedString> Encoder::intern_string(std::string_view text) {
  const Result<std::uint32_t> id = intern(FrameTag::kStringPool, as_bytes(text));
  if (!id) return std::unexpected(id.error());
  return InternedString{*id};
}

Result<InternedStack> Encoder::intern_stack(StackFrames frames) {
  const Result<std::uint32_t> id = intern(FrameTag::kStackPool, frames.wire());
  if (!id) return std::unexpected(id.error());
  return InternedStack{*id};
}

Result<void> Encoder::new_segment() {
  if (Result<void> made = make_room(kHeaderSize); !made) return made;
  cursor_ = put_header(cursor_);
  forget_segment();
  return {};
}

const Schema* Encoder::find_schema(std::uint16_t type_id) const {
  return state_->schemas.find(type_id);
}

ByteSpan Encoder::bytes() const {
  const std::uint8_t* const begin = state_->buffer.data();
  return {begin, static_cast<std::size_t>(cursor_ - begin)};
}

std::uint64_t Encoder::size() const { return state_->handed_over + bytes().size(); }

Result<void> Encoder::flush() {
  if (Result<void> fine = state_->check(); !fine || !state_->sink) return fine;
  return hand_over();
}

Result<GrowingBuffer> Encoder::finish() {
  if (Result<void> flushed = flush(); !flushed) return std::unexpected(flushed.error());
  GrowingBuffer encoded;
  if (!state_->sink) {
    encoded = std::move(state_->buffer);
    encoded.set_size(static_cast<std::size_t>(cursor_ - encoded.data()));
  }
  begin(true);
  return encoded;
}

void Encoder::clear() { begin(true); }

Error Encoder::unencodable(std::string_view type, std::string_view field) {
  return {.code = ErrorCode::kInvalidArgument,
          .message = "the value is too long or nested too deep",
          .path = path_of(type, field)};
}

}  // namespace tracedeck::dial9

// The encoder: writes dial9 traces, byte for byte as the reference encoder does.
//
//   Encoder encoder;  // into memory
//   // A struct described once, see describe.hpp.
//   Result<void> written = encoder.write(PollStart{.timestamp = now(), .worker_id = 3});
//   Result<GrowingBuffer> bytes = encoder.finish();
//
// or, for classes made at run time, `register_schema` and `write_event`. An encoder given a `Sink`
// hands its bytes over chunk by chunk instead of keeping them.
//
// type_ids count from 0 in order of registration, pool ids likewise. A described class is
// registered at its first event, after what that event interns; registering explicitly writes the
// schema there and then. A timestamp reset precedes every event earlier than the base, or more than
// 0xFFFFFF ns after it.
//
// Misuse (a value of the wrong type, a name too long, a 65,537th schema ...) is an error, and
// nothing is written. After an error of the sink, every further call returns that error. Text
// should be UTF-8; it is not checked. Pool ids that a caller passes in are written as they are.
//
// An event costs no allocation once its class is registered and what it interns is known. Not for
// use by several threads at once; encoders share nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/error.hpp"
#include "tracedeck/base/growing_buffer.hpp"
#include "tracedeck/dial9/describe.hpp"
#include "tracedeck/dial9/encoder_state.hpp"
#include "tracedeck/dial9/frames.hpp"
#include "tracedeck/dial9/schema.hpp"
#include "tracedeck/dial9/value.hpp"

namespace tracedeck::dial9 {

struct EncoderOptions {
  // With 0.3, stack pools, annotations, dynamic lists and maps are errors.
  Version version = Version::k0_3;
  // With a sink: about how many bytes are handed over at once. Larger frames go over whole.
  std::size_t chunk_size = std::size_t{128} << 10;
};

// Takes encoded bytes, which it may read only during the call. Chunks end at frame boundaries.
using Sink = std::function<Result<void>(ByteSpan)>;

namespace detail {

// Numbers the described classes of the program, from 1; 0 until some encoder meets the class.
// Encoders index their registrations by it.
template <class T>
inline constinit std::atomic<std::uint32_t> type_slot{0};

}  // namespace detail

class Encoder {
 public:
  // Begins a trace: its header is the first thing encoded.
  explicit Encoder(EncoderOptions options = {});
  explicit Encoder(Sink sink, EncoderOptions options = {});
  // Continues a segment: no header, and schemas, pools and timestamp base are taken over. Classes
  // that are registered there already keep their type_ids.
  explicit Encoder(const EncoderState& state, EncoderOptions options = {}, Sink sink = {});

  // A moved-from encoder may only be destroyed or assigned to.
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  // Bytes that were not handed over are lost: see `finish`.
  ~Encoder();

  // Encodes an event of a described class, registering the class if need be.
  template <Described T>
  Result<void> write(const T& event);

  // Registers a described class now. Returns its type_id.
  template <Described T>
  Result<std::uint16_t> register_type();

  // Registers a schema now. Without `type_id`: under the next free one, unless an identical schema
  // is registered already, whose type_id is returned. With `type_id`: writes nothing when
  // that id has an identical schema; another schema is an error.
  Result<std::uint16_t> register_schema(const Schema& schema,
                                        std::optional<std::uint16_t> type_id = std::nullopt);
  // Adds annotations (0.4) to a registered schema.
  Result<void> annotate(std::uint16_t type_id, std::span<const Annotation> annotations);

  // Encodes an event of a registered schema: one value for each of its fields, of the field's type,
  // and a timestamp if and only if the schema has one. See make_value.hpp for making values.
  Result<void> write_event(std::uint16_t type_id, std::optional<std::uint64_t> timestamp,
                           std::span<const Value> values);

  // An event of a registered schema whose values the caller has checked and writes by itself: `put`
  // gets where they begin, and returns their end. There are `size` bytes. With a timestamp if and
  // only if the schema has one. False: `put` returned null, or there is no such room at hand;
  // nothing was written then, and `write_event` is to be asked.
  template <class Put>
  [[nodiscard]] bool put_event_values(std::uint16_t type_id, std::optional<std::uint64_t> timestamp,
                                      std::size_t size, Put put);

  // Puts content into a pool, or finds it there.
  Result<InternedString> intern_string(std::string_view text);
  Result<InternedStack> intern_stack(StackFrames frames);  // 0.4

  // Begins a new segment: a header, and schemas, pools and the timestamp base are forgotten.
  Result<void> new_segment();

  // The schema registered under a type_id in the segment at hand, or null.
  [[nodiscard]] const Schema* find_schema(std::uint16_t type_id) const;

  // What is encoded and not handed over yet. Valid until the next call.
  [[nodiscard]] ByteSpan bytes() const;
  // Bytes encoded so far, handed over or not.
  [[nodiscard]] std::uint64_t size() const;

  // Hands over to the sink what there is.
  Result<void> flush();
  // Ends the trace: hands over the rest to the sink, or returns the bytes if there is none. The
  // encoder then begins a new trace.
  Result<GrowingBuffer> finish();
  // Begins a new trace in the same memory, dropping what was not handed over.
  void clear();

 private:
  struct State;

  // Most bytes of an event frame, without what is variable: a reset, the frame's header, the
  // fields, and what wide stores write beyond.
  template <Described T>
  static constexpr std::size_t kRoom = kTimestampResetSize + 8 + kDescription<T>.kFixed + 8;
  template <Described T>
  using InternedIds = std::array<std::uint32_t, kDescription<T>.kInternedCount>;

  // The first 3 bytes of the event frames of a slot's class; 0: not registered.
  [[nodiscard]] std::uint32_t event_head(const std::atomic<std::uint32_t>& slot) const {
    const std::uint32_t index = slot.load(std::memory_order_relaxed);
    return index < slot_count_ ? event_heads_[index] : 0;
  }

  // Signed, for a frame larger than a chunk ends behind the limit.
  [[nodiscard]] bool has_room(std::size_t size) const {
    return static_cast<std::ptrdiff_t>(size) <= limit_ - cursor_;
  }

  template <Described T>
  static std::size_t variable_size(const T& event);
  template <Described T>
  std::uint8_t* put_event(std::uint8_t* to, std::uint32_t head, const T& event,
                          const InternedIds<T>& ids);
  template <Described T>
  bool find_interned(const T& event, InternedIds<T>& ids) const;
  template <Described T>
  Result<void> write_slowly(const T& event);

  // encoder.cpp: the parts that know no type.
  void begin(bool with_header);
  void forget_segment();
  void take_over(const EncoderState& state);
  Result<void> make_room(std::size_t size);
  Result<void> hand_over();
  void set_limit();
  [[nodiscard]] Result<void> check_registration(const std::atomic<std::uint32_t>& slot,
                                                Schema (*make_schema)()) const;
  Result<std::uint32_t> head_of_slot(std::atomic<std::uint32_t>& slot, Schema (*make_schema)());
  [[nodiscard]] std::optional<std::uint32_t> find_in_pool(FrameTag pool, ByteSpan content) const;
  Result<std::uint32_t> intern(FrameTag pool, ByteSpan content);
  static Error unencodable(std::string_view type, std::string_view field);

  std::uint8_t* cursor_ = nullptr;
  std::uint8_t* limit_ = nullptr;  // where room has to be made
  std::uint64_t timestamp_base_ = 0;
  const std::uint32_t* event_heads_ = nullptr;  // by slot
  std::size_t slot_count_ = 0;
  std::unique_ptr<State> state_;
};

template <Described T>
[[gnu::always_inline]] inline Result<void> Encoder::write(const T& event) {
  constexpr auto& kClass = kDescription<T>;
  const std::uint32_t head = event_head(detail::type_slot<T>);
  InternedIds<T> ids;
  const std::size_t room = kRoom<T> + variable_size(event);
  const bool ready = head != 0 && has_room(room);
  if (!ready || (kClass.kInternedCount != 0 && !find_interned(event, ids))) [[unlikely]] {
    if constexpr (std::is_trivially_copyable_v<T>) {
      // Only the copy's address is taken: members of a temporary event never leave their registers.
      const T copy = event;
      return write_slowly(copy);
    } else {
      return write_slowly(event);
    }
  }
  cursor_ = put_event(cursor_, head, event, ids);
  return {};
}

template <class Put>
[[gnu::always_inline]] inline bool Encoder::put_event_values(std::uint16_t type_id,
                                                             std::optional<std::uint64_t> timestamp,
                                                             std::size_t size, Put put) {
  if (!has_room(kTimestampResetSize + 8 + size)) return false;
  std::uint8_t* to = cursor_;
  std::uint64_t delta = 0;
  if (timestamp) {
    delta = *timestamp - timestamp_base_;
    if (*timestamp < timestamp_base_ || delta > kMaxTimestampDelta) [[unlikely]] {
      to = put_timestamp_reset(to, *timestamp);
      delta = 0;
    }
  }
  store_le(to, std::uint64_t{static_cast<std::uint8_t>(FrameTag::kEvent)} |
                   std::uint64_t{type_id} << 8 | delta << 24);
  to += kEventHeaderSize + (timestamp ? kTimestampDeltaSize : 0);
  std::uint8_t* const end = put(to);
  if (end == nullptr) [[unlikely]]
    return false;
  cursor_ = end;
  if (timestamp) timestamp_base_ = *timestamp;
  return true;
}

template <Described T>
Result<std::uint16_t> Encoder::register_type() {
  const Result<std::uint32_t> head = head_of_slot(detail::type_slot<T>, schema_of<T>);
  if (!head) return std::unexpected(head.error());
  return static_cast<std::uint16_t>(*head >> 8);
}

template <Described T>
[[gnu::always_inline]] inline std::size_t Encoder::variable_size(const T& event) {
  std::size_t size = 0;
  kDescription<T>.for_each_field([&]<class Field>(const Field& field, auto)
                                     __attribute__((always_inline)) {
                                       if constexpr (Field::Codec::kVariable)
                                         size += Field::Codec::size(event.*field.member);
                                     });
  return size;
}

template <Described T>
[[gnu::always_inline]] inline std::uint8_t* Encoder::put_event(std::uint8_t* to, std::uint32_t head,
                                                               const T& event,
                                                               const InternedIds<T>& ids) {
  constexpr auto& kClass = kDescription<T>;
  if constexpr (kClass.kHasTimestamp) {
    const std::uint64_t timestamp = event.*kClass.timestamp.member;
    std::uint64_t delta = timestamp - timestamp_base_;
    if (timestamp < timestamp_base_ || delta > kMaxTimestampDelta) [[unlikely]] {
      to = put_timestamp_reset(to, timestamp);
      delta = 0;
    }
    timestamp_base_ = timestamp;
    store_le(to, std::uint64_t{head} | delta << 24);
    to += kEventHeaderSize + kTimestampDeltaSize;
  } else {
    store_le(to, head);
    to += kEventHeaderSize;
  }
  [[maybe_unused]] const std::uint32_t* id = ids.data();
  kClass.for_each_field([&]<class Field>(const Field& field, auto) __attribute__((always_inline)) {
    using Codec = typename Field::Codec;
    const auto& member = event.*field.member;
    if constexpr (!Field::kInterned) {
      to = Codec::put(to, member);
    } else {
      if constexpr (Codec::kOptional) *to++ = member ? 1 : 0;
      bool present = true;
      if constexpr (Codec::kOptional) present = member.has_value();
      if (present) {
        store_le(to, *id);
        to += 4;
      }
      ++id;
    }
  });
  return to;
}

namespace detail {

// The content of an interned member as the pool holds it; empty for an optional that is.
template <class M>
std::optional<ByteSpan> pool_content(const M& member) {
  if constexpr (kIsOptional<M>) {
    return member ? pool_content(*member) : std::nullopt;
  } else if constexpr (std::convertible_to<const M&, std::string_view>) {
    return as_bytes(std::string_view(member));
  } else {
    return StackFrames(member).wire();
  }
}

template <class Field>
inline constexpr FrameTag kPoolOf =
    Field::Codec::kType == FieldType::kPooledString ? FrameTag::kStringPool : FrameTag::kStackPool;

}  // namespace detail

template <Described T>
bool Encoder::find_interned(const T& event, InternedIds<T>& ids) const {
  std::uint32_t* id = ids.data();
  bool all = true;
  kDescription<T>.for_each_field([&]<class Field>(const Field& field, auto) {
    if constexpr (Field::kInterned) {
      if (const auto content = detail::pool_content(event.*field.member)) {
        const auto found = find_in_pool(detail::kPoolOf<Field>, *content);
        if (!found) all = false;
        *id = found.value_or(0);
      }
      ++id;
    }
  });
  return all;
}

template <Described T>
[[gnu::noinline, gnu::cold]] Result<void> Encoder::write_slowly(const T& event) {
  constexpr auto& kClass = kDescription<T>;
  std::optional<Error> error;
  kClass.for_each_field([&]<class Field>(const Field& field, auto) {
    std::size_t size = 0;
    if constexpr (Field::Codec::kVariable) size = Field::Codec::size(event.*field.member);
    if constexpr (Field::kInterned)
      size = detail::pool_content(event.*field.member).value_or(ByteSpan{}).size();
    if (size > detail::kMaxLength) error = unencodable(kClass.name, field.name);
  });
  if (error) return std::unexpected(*std::move(error));
  if (Result<void> checked = check_registration(detail::type_slot<T>, schema_of<T>); !checked)
    return checked;
  InternedIds<T> ids{};
  [[maybe_unused]] std::uint32_t* id = ids.data();
  kClass.for_each_field([&]<class Field>(const Field& field, auto) {
    if constexpr (Field::kInterned) {
      const auto content = detail::pool_content(event.*field.member);
      if (content && !error) {
        Result<std::uint32_t> interned = intern(detail::kPoolOf<Field>, *content);
        if (interned) {
          *id = *interned;
        } else {
          error = std::move(interned.error());
        }
      }
      ++id;
    }
  });
  if (error) return std::unexpected(*std::move(error));
  const Result<std::uint32_t> head = head_of_slot(detail::type_slot<T>, schema_of<T>);
  if (!head) return std::unexpected(head.error());
  if (Result<void> made = make_room(kRoom<T> + variable_size(event)); !made) return made;
  cursor_ = put_event(cursor_, *head, event, ids);
  return {};
}

}  // namespace tracedeck::dial9

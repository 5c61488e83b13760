// Event types: registered schemas with what decoding needs of them, and the tables that hold them.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracedeck/base/bytes.hpp"
#include "tracedeck/base/name_index.hpp"
#include "tracedeck/base/page_image.hpp"
#include "tracedeck/base/stable_list.hpp"
#include "tracedeck/dial9/program.hpp"
#include "tracedeck/dial9/schema.hpp"

namespace tracedeck::dial9 {

// A schema under a type_id. Immutable; lives as long as the `TypeStore` that made it, at a stable
// address. A type that gets annotations later is another event type with another ordinal.
//
// A trace may have tens of thousands of types, most of which have few events. So a type keeps the
// bytes of its schema frame, and a `Schema` is made of them when it is asked for. One thread at a
// time.
struct EventType {
  // What the loop over events looks at comes first, in one cache line.
  const Step* steps = nullptr;   // of `program`
  std::uint32_t delta_mask = 0;  // which bits after the type_id are the delta: 24 or none
  std::uint8_t header_size = kEventHeaderSize;  // of the event frame, bytes
  // Whether the decoder's user reads what its events say.
  mutable bool is_watched = false;
  std::uint64_t timestamp_mask = 0;  // all bits if events have a timestamp
  std::uint32_t ordinal = 0;         // counts the distinct types of a trace from 0
  std::uint16_t id = 0;
  std::uint16_t field_count = 0;
  // Whatever the decoder's user wants to find again with every event of the type.
  mutable const void* attachment = nullptr;

  const Program* program = nullptr;  // that of equal steps
  const char* key_begin = nullptr;
  const char* frame_begin = nullptr;
  std::uint32_t key_size = 0;
  std::uint32_t frame_size = 0;
  // With annotations, which the frame does not have; without, once `schema` was asked for.
  mutable std::unique_ptr<const Schema> kept = nullptr;

  // What makes it distinct: schema frame, annotation frames.
  [[nodiscard]] std::string_view key() const { return {key_begin, key_size}; }
  // Its schema frame, with what was checked when it was decoded.
  [[nodiscard]] std::string_view frame() const { return {frame_begin, frame_size}; }
  [[nodiscard]] bool has_annotations() const { return key_begin != frame_begin; }
  [[nodiscard]] std::string_view name() const;
  // The bytes of the frame from the number of fields on: equal for equal fields.
  [[nodiscard]] std::string_view field_bytes() const;
  [[nodiscard]] bool has_timestamp() const { return timestamp_mask != 0; }
  // Stays in memory.
  [[nodiscard]] const Schema& schema() const;
  // The same for who needs it once.
  [[nodiscard]] Schema read_schema() const;
};

// Every distinct event type of a trace. Segments usually register the same schemas again; they
// share one type, so the store grows with the distinct ones only.
class TypeStore {
 public:
  // The type with that key, or null.
  [[nodiscard]] const EventType* find(std::string_view key) const;
  // A type of a schema frame, which is its key; `schema` is what it says.
  const EventType& add(std::string_view frame, std::uint16_t id, const Schema& schema);
  // A type that has another's schema frame, and annotations.
  const EventType& add_annotated(std::string_view key, const EventType& annotated, Schema schema);

  // Bytes that the types take, about.
  [[nodiscard]] std::size_t memory() const { return memory_; }

 private:
  EventType& make(std::string_view key, std::uint16_t id, const Schema& schema);
  const Program& keep(Program program);
  // A copy that stays where it is.
  const char* keep(std::string_view key);

  StableList<EventType> types_;
  // What the keys of `types_` lie in, the last one up to `keys_end_`.
  std::vector<std::unique_ptr<char[]>> keys_;
  char* keys_end_ = nullptr;
  std::size_t keys_left_ = 0;
  NameIndex by_key_;
  std::vector<std::unique_ptr<const Program>> programs_;
  NameIndex by_steps_;
  std::size_t memory_ = 0;
};

// The types of the segment at hand, by type_id.
class SegmentTypes {
 public:
  SegmentTypes();

  // Null when `id` is not registered.
  [[nodiscard]] const EventType* find(std::uint16_t id) const;
  // Indexed by type_id, never null: unregistered ids have a type whose only step says so. Stays in
  // place.
  [[nodiscard]] const EventType* const* table() const { return by_id_; }
  // Puts `type` under its id, over what was there.
  void set(const EventType& type);
  // Whether a type has this name.
  [[nodiscard]] bool has_name(std::string_view name) const;
  void clear();
  // Gives back the memory of the table until `wake`; in between nothing may be asked or set.
  void rest();
  void wake() {
    if (!resting_.empty()) fill_table();
  }

  // Slots that an event of any of these types takes at most, apart from lists and maps.
  [[nodiscard]] std::uint32_t slot_bound() const { return slot_bound_; }
  // Ids in the order of their first registration.
  [[nodiscard]] const std::vector<std::uint16_t>& ids() const { return ids_; }

 private:
  // Of 512 ids each. A table of all ids takes half a megabyte, and hundreds of traces may be read
  // at the same time: most of them register a few ids and touch one page.
  static constexpr std::size_t kPageIds = 512;

  void fill_table();

  PageCopy pages_;
  const EventType** by_id_;                       // in `pages_`
  std::bitset<(1U << 16U) / kPageIds> has_page_;  // that some id was registered in
  std::vector<std::uint16_t> ids_;
  NameIndex by_name_;  // of `ids_`, the first of each name
  std::uint32_t slot_bound_ = 0;
  std::vector<const EventType*> resting_;  // what the table has
};

}  // namespace tracedeck::dial9

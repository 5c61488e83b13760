// The events of the Tonbandgerät binary trace format, in one table.
//
// Encoder, decoder, the model's classes, the documents and the tests are all made from it or held
// against it. (Specification, "Trace Event Structure"; notes, "Events".)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tracedeck::tband {

// Encodings of fields (notes, "Fields").
enum class FieldType : std::uint8_t {
  kU8,      // one byte
  kU32,     // unsigned LEB128 of at most 5 bytes
  kU64,     // unsigned LEB128 of at most 10 bytes
  kS64,     // LEB128 of magnitude * 2 + sign
  kString,  // the rest of the payload
};
[[nodiscard]] constexpr std::string_view field_type_name(FieldType type) {
  constexpr std::array<std::string_view, 5> kNames = {"u8", "u32", "u64", "s64", "str"};
  return kNames[static_cast<std::size_t>(type)];
}

// What an id is one of, and a name event gives names to.
enum class Naming : std::uint8_t {
  kNone,
  kIsr,              // per core
  kEventMarker,      //
  kValueMarker,      //
  kTask,             // shared by the cores, from 1 on
  kQueue,            // shared by the cores, from 1 on
  kTaskEventMarker,  // per task: of the core's current one
  kTaskValueMarker,  // per task
};

struct FieldFacts {
  std::string_view name = {};
  FieldType type = FieldType::kU32;
  Naming naming = Naming::kNone;  // what it is the id of
  bool optional = false;          // may be left out, with all that follow it
};

// Fields of an event at most, its timestamp aside.
inline constexpr std::size_t kMaxFields = 4;

struct EventFacts {
  std::uint8_t id = 0;
  std::string_view name = {};
  // No timestamp; may be stored apart and sent first. Every other event begins with a u64 of ticks.
  bool metadata = false;
  std::array<FieldFacts, kMaxFields> fields = {};  // those without a name are none
  Naming names = Naming::kNone;                    // what it gives a name to

  [[nodiscard]] constexpr std::size_t field_count() const {
    std::size_t count = 0;
    while (count < kMaxFields && !fields[count].name.empty()) ++count;
    return count;
  }
  [[nodiscard]] constexpr std::span<const FieldFacts> used_fields() const {
    return {fields.data(), field_count()};
  }
};

// Ids with a meaning for the reading of others.
inline constexpr std::uint8_t kCoreId = 0x00;
inline constexpr std::uint8_t kDroppedEvents = 0x01;
inline constexpr std::uint8_t kResolution = 0x02;
inline constexpr std::uint8_t kEventMarkerName = 0x06;
inline constexpr std::uint8_t kEventMarker = 0x07;
inline constexpr std::uint8_t kTaskSwitchedIn = 0x54;
inline constexpr std::uint8_t kQueueKind = 0x65;

namespace table_detail {

inline constexpr FieldFacts kIsrId = {"isr_id", FieldType::kU32, Naming::kIsr};
inline constexpr FieldFacts kMarkerId = {"evtmarker_id", FieldType::kU32, Naming::kEventMarker};
inline constexpr FieldFacts kValueId = {"valmarker_id", FieldType::kU32, Naming::kValueMarker};
inline constexpr FieldFacts kTaskMarkerId = {"evtmarker_id", FieldType::kU32,
                                             Naming::kTaskEventMarker};
inline constexpr FieldFacts kTaskValueId = {"valmarker_id", FieldType::kU32,
                                            Naming::kTaskValueMarker};
inline constexpr FieldFacts kTaskId = {"task_id", FieldType::kU32, Naming::kTask};
inline constexpr FieldFacts kQueueId = {"queue_id", FieldType::kU32, Naming::kQueue};
inline constexpr FieldFacts kName = {"name", FieldType::kString};
inline constexpr FieldFacts kMessage = {"msg", FieldType::kString};
inline constexpr FieldFacts kValue = {"val", FieldType::kS64};
constexpr FieldFacts u32(std::string_view name) { return {name, FieldType::kU32}; }

}  // namespace table_detail

// clang-format off
inline constexpr auto kEvents = [] {
  using namespace table_detail;
  constexpr bool kMetadata = true;
  return std::to_array<EventFacts>({
    {0x00, "core_id", false, {u32("core_id")}},
    {0x01, "dropped_evt_cnt", false, {u32("cnt")}},
    {0x02, "ts_resolution_ns", kMetadata, {FieldFacts{"ns_per_ts", FieldType::kU64}}},
    {0x03, "isr_name", kMetadata, {kIsrId, kName}, Naming::kIsr},
    {0x04, "isr_enter", false, {kIsrId}},
    {0x05, "isr_exit", false, {kIsrId}},
    {0x06, "evtmarker_name", kMetadata, {kMarkerId, kName}, Naming::kEventMarker},
    {0x07, "evtmarker", false, {kMarkerId, kMessage}},
    {0x08, "evtmarker_begin", false, {kMarkerId, kMessage}},
    {0x09, "evtmarker_end", false, {kMarkerId}},
    {0x0A, "valmarker_name", kMetadata, {kValueId, kName}, Naming::kValueMarker},
    {0x0B, "valmarker", false, {kValueId, kValue}},
    {0x54, "task_switched_in", false, {kTaskId}},
    {0x55, "task_to_rdy_state", false, {kTaskId}},
    {0x56, "task_resumed", false, {kTaskId}},
    {0x57, "task_resumed_from_isr", false, {kTaskId}},
    {0x58, "task_suspended", false, {kTaskId}},
    {0x59, "curtask_delay", false, {u32("ticks")}},
    {0x5A, "curtask_delay_until", false, {u32("time_to_wake")}},
    {0x5B, "task_priority_set", false, {kTaskId, u32("priority")}},
    {0x5C, "task_priority_inherit", false, {kTaskId, u32("priority")}},
    {0x5D, "task_priority_disinherit", false, {kTaskId, u32("priority")}},
    {0x5E, "task_created", false, {kTaskId}},
    {0x5F, "task_name", kMetadata, {kTaskId, kName}, Naming::kTask},
    {0x60, "task_is_idle_task", kMetadata, {kTaskId, u32("core_id")}},
    {0x61, "task_is_timer_task", kMetadata, {kTaskId}},
    {0x62, "task_deleted", false, {kTaskId}},
    {0x63, "queue_created", false, {kQueueId}},
    {0x64, "queue_name", kMetadata, {kQueueId, kName}, Naming::kQueue},
    {0x65, "queue_kind", kMetadata, {kQueueId, FieldFacts{"kind", FieldType::kU8}}},
    {0x66, "queue_send", false, {kQueueId, u32("len_after")}},
    {0x67, "queue_send_from_isr", false, {kQueueId, u32("len_after")}},
    {0x68, "queue_overwrite", false, {kQueueId, u32("len_after")}},
    {0x69, "queue_overwrite_from_isr", false, {kQueueId, u32("len_after")}},
    {0x6A, "queue_receive", false, {kQueueId, u32("len_after")}},
    {0x6B, "queue_receive_from_isr", false, {kQueueId, u32("len_after")}},
    {0x6C, "queue_reset", false, {kQueueId}},
    {0x6D, "curtask_block_on_queue_peek", false, {kQueueId, u32("ticks_to_wait")}},
    {0x6E, "curtask_block_on_queue_send", false, {kQueueId, u32("ticks_to_wait")}},
    {0x6F, "curtask_block_on_queue_receive", false, {kQueueId, u32("ticks_to_wait")}},
    {0x70, "queue_cur_length", false, {kQueueId, u32("length")}},
    {0x7A, "task_evtmarker_name", kMetadata, {kTaskMarkerId, kTaskId, kName}, Naming::kTaskEventMarker},
    {0x7B, "task_evtmarker", false, {kTaskMarkerId, kMessage}},
    {0x7C, "task_evtmarker_begin", false, {kTaskMarkerId, kMessage}},
    {0x7D, "task_evtmarker_end", false, {kTaskMarkerId}},
    {0x7E, "task_valmarker_name", kMetadata, {kTaskValueId, kTaskId, kName}, Naming::kTaskValueMarker},
    {0x7F, "task_valmarker", false, {kTaskValueId, kValue}},
  });
}();
// clang-format on

// The labels of the field `kind` of queue_kind, from 0 on.
inline constexpr std::array<std::string_view, 6> kQueueKinds = {
    "FRQK_QUEUE", "FRQK_COUNTING_SEMPHR", "FRQK_BINARY_SEMPHR",
    "FRQK_MUTEX", "FRQK_RECURSIVE_MUTEX", "FRQK_QUEUE_SET"};

// The facts of an id; null for an unknown one.
[[nodiscard]] constexpr const EventFacts* find_event(std::uint8_t id) {
  for (const EventFacts& facts : kEvents) {
    if (facts.id == id) return &facts;
  }
  return nullptr;
}
[[nodiscard]] constexpr const EventFacts* find_event(std::string_view name) {
  for (const EventFacts& facts : kEvents) {
    if (facts.name == name) return &facts;
  }
  return nullptr;
}

}  // namespace tracedeck::tband

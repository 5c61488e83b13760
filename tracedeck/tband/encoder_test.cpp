// The encoder by table, and the functions for devices, which must agree with it.
#include "tracedeck/tband/encoder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <type_traits>

#include "tracedeck/tband/device.hpp"
// It is written for compilers of C.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include "tracedeck/tband/device.h"
#pragma GCC diagnostic pop
#include "tracedeck/tband/event_layout.hpp"
#include "tracedeck/tband/trace_bytes_test.hpp"
#include "tracedeck/tband/wire.hpp"

namespace tracedeck::tband {
namespace {

TEST(EventTable, IsInTheOrderOfIdsAndNamesEachEventOnce) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kEvents.size(); ++i) {
    if (i != 0) {
      EXPECT_LT(kEvents[i - 1].id, kEvents[i].id);
    }
    EXPECT_TRUE(names.insert(kEvents[i].name).second) << kEvents[i].name;
    EXPECT_EQ(find_event(kEvents[i].id), &kEvents[i]);
    EXPECT_EQ(find_event(kEvents[i].name), &kEvents[i]);
    EXPECT_EQ(kEventTable[kEvents[i].id].facts, &kEvents[i]);
  }
  EXPECT_EQ(kEvents.size(), 47U);
  EXPECT_EQ(find_event(std::uint8_t{0x0C}), nullptr);
  EXPECT_EQ(kEventTable[0x80].shape, EventShape::kUnknown);
}

TEST(EventTable, TextsComeLastAndNothingIsOptional) {
  for (const EventFacts& facts : kEvents) {
    const auto fields = facts.used_fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      EXPECT_FALSE(fields[i].optional) << facts.name;
      if (fields[i].type == FieldType::kString) {
        EXPECT_EQ(i + 1, fields.size()) << facts.name;
      }
    }
    EXPECT_EQ(facts.names != Naming::kNone, facts.name.ends_with("_name")) << facts.name;
  }
}

TEST(Wire, SignAndMagnitude) {
  EXPECT_EQ(sign_magnitude(0), 0U);
  EXPECT_EQ(sign_magnitude(1), 2U);
  EXPECT_EQ(sign_magnitude(-1), 3U);
  EXPECT_EQ(sign_magnitude(INT64_MAX), ~std::uint64_t{1});
  EXPECT_EQ(sign_magnitude(-INT64_MAX), ~std::uint64_t{0});
  EXPECT_EQ(sign_magnitude(INT64_MIN), 1U);
  for (const std::int64_t value : {INT64_MIN, -INT64_MAX, std::int64_t{-1}, std::int64_t{0},
                                   std::int64_t{1}, std::int64_t{-300}, INT64_MAX}) {
    EXPECT_EQ(from_sign_magnitude(sign_magnitude(value)), value);
  }
}

// The byte checks of the notes.
TEST(Encoder, WritesTheBytesOfTheNotes) {
  EXPECT_EQ(isr_enter(10, 0), (Bytes{0x03, 0x04, 0x0A, 0x01, 0x00}));
  EXPECT_EQ(frame("ts_resolution_ns", 0, {number(1)}), (Bytes{0x03, 0x02, 0x01, 0x00}));
  EXPECT_EQ(frame("valmarker", 300, {number(1), number(static_cast<std::uint64_t>(-1))}),
            (Bytes{0x06, 0x0B, 0xAC, 0x02, 0x01, 0x03, 0x00}));
  EXPECT_EQ(frame("core_id", 0, {number(0)}), (Bytes{0x01, 0x01, 0x01, 0x01, 0x00}));
  EXPECT_EQ(frame("task_switched_in", 10012323, {number(555)}),
            (Bytes{0x08, 0x54, 0xA3, 0x8D, 0xE3, 0x04, 0xAB, 0x04, 0x00}));
}

TEST(Encoder, RefusesWhatDoesNotFitBeforeItWritesAByte) {
  Bytes bytes = {0xAA};
  const auto refused = [&](std::string_view name, std::initializer_list<FieldValue> fields) {
    const auto written = encode_event(*find_event(name), 1, {fields.begin(), fields.size()}, bytes);
    return !written && written.error().code == ErrorCode::kInvalidArgument && bytes == Bytes{0xAA};
  };
  EXPECT_TRUE(refused("isr_enter", {}));
  EXPECT_TRUE(refused("isr_enter", {number(1), number(1)}));
  EXPECT_TRUE(refused("isr_enter", {number(0x1'0000'0000)}));
  EXPECT_TRUE(refused("queue_kind", {number(1), number(256)}));
}

template <class Argument>
constexpr FieldType type_of() {
  if constexpr (std::is_same_v<Argument, std::uint8_t>) return FieldType::kU8;
  if constexpr (std::is_same_v<Argument, std::uint32_t>) return FieldType::kU32;
  if constexpr (std::is_same_v<Argument, std::uint64_t>) return FieldType::kU64;
  if constexpr (std::is_same_v<Argument, std::int64_t>) return FieldType::kS64;
  return FieldType::kString;
}

// Values of every size, none of them the same twice.
template <class Argument>
Argument made_up(std::size_t round, std::size_t place) {
  if constexpr (std::is_same_v<Argument, device::Text>) {
    constexpr std::array<const char*, 4> kTexts = {"", "a", "twelve bytes", "exactly 20 bytes of."};
    return device::Text(kTexts[round % kTexts.size()]);
  } else if constexpr (std::is_same_v<Argument, const char*>) {
    return made_up<device::Text>(round, place).data;
  } else {
    constexpr std::array<std::uint64_t, 8> kNumbers = {
        0, 1, 127, 128, 0x4000, 0x7FFF'FFFF, 0xFFFF'FFFF, 0xFFFF'FFFF'FFFF'FFFF};
    return static_cast<Argument>(kNumbers[(round + place) % kNumbers.size()]);
  }
}
template <class Argument>
FieldValue as_value(const Argument& argument) {
  if constexpr (std::is_same_v<Argument, device::Text>) {
    return {.text = {argument.data, argument.size}};
  } else if constexpr (std::is_same_v<Argument, const char*>) {
    return {.text = argument};
  } else {
    return {.number = static_cast<std::uint64_t>(argument)};
  }
}

template <class... Arguments>
void check(std::string_view name, std::size_t (*function)(std::uint8_t*, Arguments...)) {
  SCOPED_TRACE(name);
  const EventFacts* const facts = find_event(name);
  ASSERT_NE(facts, nullptr);
  std::vector<FieldType> expected;
  if (!facts->metadata) expected.push_back(FieldType::kU64);
  for (const FieldFacts& field : facts->used_fields()) expected.push_back(field.type);
  ASSERT_EQ((std::vector<FieldType>{type_of<Arguments>()...}), expected);

  for (std::size_t round = 0; round < 16; ++round) {
    [&]<std::size_t... Place>(std::index_sequence<Place...>) {
      const std::tuple<Arguments...> arguments{made_up<Arguments>(round, Place)...};
      Bytes bytes(device::kMaxFrameSize + 1, 0xEE);
      const std::size_t size = function(bytes.data(), std::get<Place>(arguments)...);
      ASSERT_LE(size, device::kMaxFrameSize);
      ASSERT_EQ(bytes.back(), 0xEE);
      bytes.resize(size);
      std::vector<FieldValue> values{as_value(std::get<Place>(arguments))...};
      std::uint64_t timestamp = 0;
      if (!facts->metadata) {
        timestamp = values.front().number;
        values.erase(values.begin());
      }
      Bytes by_table;
      ASSERT_TRUE(encode_event(*facts, timestamp, values, by_table).has_value());
      EXPECT_EQ(bytes, by_table);
    }(std::index_sequence_for<Arguments...>());
  }
}

TEST(Device, EveryEventOfTheTableHasAFunction) {
  std::set<std::string_view> checked;
#define CHECK_EVENT(name)         \
  check(#name, &device::name);    \
  check(#name, &td_tband_##name); \
  checked.insert(#name)
  CHECK_EVENT(core_id);
  CHECK_EVENT(dropped_evt_cnt);
  CHECK_EVENT(ts_resolution_ns);
  CHECK_EVENT(isr_name);
  CHECK_EVENT(isr_enter);
  CHECK_EVENT(isr_exit);
  CHECK_EVENT(evtmarker_name);
  CHECK_EVENT(evtmarker);
  CHECK_EVENT(evtmarker_begin);
  CHECK_EVENT(evtmarker_end);
  CHECK_EVENT(valmarker_name);
  CHECK_EVENT(valmarker);
  CHECK_EVENT(task_switched_in);
  CHECK_EVENT(task_to_rdy_state);
  CHECK_EVENT(task_resumed);
  CHECK_EVENT(task_resumed_from_isr);
  CHECK_EVENT(task_suspended);
  CHECK_EVENT(curtask_delay);
  CHECK_EVENT(curtask_delay_until);
  CHECK_EVENT(task_priority_set);
  CHECK_EVENT(task_priority_inherit);
  CHECK_EVENT(task_priority_disinherit);
  CHECK_EVENT(task_created);
  CHECK_EVENT(task_name);
  CHECK_EVENT(task_is_idle_task);
  CHECK_EVENT(task_is_timer_task);
  CHECK_EVENT(task_deleted);
  CHECK_EVENT(queue_created);
  CHECK_EVENT(queue_name);
  CHECK_EVENT(queue_kind);
  CHECK_EVENT(queue_send);
  CHECK_EVENT(queue_send_from_isr);
  CHECK_EVENT(queue_overwrite);
  CHECK_EVENT(queue_overwrite_from_isr);
  CHECK_EVENT(queue_receive);
  CHECK_EVENT(queue_receive_from_isr);
  CHECK_EVENT(queue_reset);
  CHECK_EVENT(curtask_block_on_queue_peek);
  CHECK_EVENT(curtask_block_on_queue_send);
  CHECK_EVENT(curtask_block_on_queue_receive);
  CHECK_EVENT(queue_cur_length);
  CHECK_EVENT(task_evtmarker_name);
  CHECK_EVENT(task_evtmarker);
  CHECK_EVENT(task_evtmarker_begin);
  CHECK_EVENT(task_evtmarker_end);
  CHECK_EVENT(task_valmarker_name);
  CHECK_EVENT(task_valmarker);
#undef CHECK_EVENT
  EXPECT_EQ(checked.size(), kEvents.size());
}

TEST(Device, CutsTexts) {
  std::array<std::uint8_t, device::kMaxFrameSize> bytes{};
  const std::size_t size = device::task_name(bytes.data(), 1, "twenty-one bytes long");
  EXPECT_EQ((Bytes{bytes.data(), bytes.data() + size}),
            frame("task_name", 0, {number(1), text("twenty-one bytes lon")}));
  EXPECT_EQ(device::Text("abc", 2).size, 2U);
  Bytes by_c(TD_TBAND_MAX_FRAME_SIZE);
  by_c.resize(td_tband_task_name(by_c.data(), 1, "twenty-one bytes long"));
  EXPECT_EQ(by_c, Bytes(bytes.data(), bytes.data() + size));
  EXPECT_EQ(TD_TBAND_MAX_FRAME_SIZE, device::kMaxFrameSize);
  EXPECT_EQ(TD_TBAND_FRAME_BOUND(1000), device::frame_bound(1000));
  EXPECT_EQ(device::kStringLimit, kUsualStringLimit);
}

}  // namespace
}  // namespace tracedeck::tband

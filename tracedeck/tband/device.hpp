// Writes Tonbandgerät events, for the tracer of a device: one function for each event, named as the
// event, that puts a whole frame into a buffer of the caller.
//
// This header stands alone. It needs C++17 and nothing but <stddef.h> and <stdint.h>: no
// allocation, no exceptions, no standard library, no state, so that it compiles for bare metal and
// may be called from interrupts. What a tracer does with the frames (a ring in memory, a serial
// line) and how it keeps interrupts away meanwhile is the caller's.
//
//     uint8_t frame[device::kMaxFrameSize];
//     send(frame, device::isr_enter(frame, now(), 7));
//
// `ts` are ticks since whenever, and must not decrease on a core. Ids of tasks and queues count
// from 1. Texts longer than `kStringLimit` are cut there, even inside of a UTF-8 character.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Bytes that a name or message is cut at.
#ifndef TRACEDECK_TBAND_STRING_LIMIT
#define TRACEDECK_TBAND_STRING_LIMIT 20
#endif

namespace tracedeck::tband::device {

inline constexpr size_t kStringLimit = TRACEDECK_TBAND_STRING_LIMIT;

// Bytes of the largest frame of an event with a text of `text_size` bytes: an id, a u64, two u32,
// the text, a code for every 254 of these, the delimiter.
constexpr size_t frame_bound(size_t text_size) {
  const size_t payload = 1 + 10 + 5 + 5 + text_size;
  return payload + (payload + 253) / 254 + 1;
}
// Of any function below.
inline constexpr size_t kMaxFrameSize = frame_bound(kStringLimit);

// A name or message, which must live until the call returns.
struct Text {
  const char* data;
  size_t size;

  // The bytes up to a zero, or the limit.
  Text(const char* text) : data(text), size(0) {
    while (size < kStringLimit && text[size] != 0) ++size;
  }
  Text(const char* text, size_t length)
      : data(text), size(length < kStringLimit ? length : kStringLimit) {}
};

// Builds one frame in place: COBS-encodes while it writes. Only a zero in the payload, and a run of
// 254 other bytes, ends a block; of integers only the value 0 has one.
class Frame {
 public:
  // `out`: as many bytes as the frame will take, see `frame_bound`.
  Frame(uint8_t* out, uint8_t id) : begin_(out), code_(out), at_(out + 1) { u8(id); }

  void u8(uint8_t value) {
    if (value == 0) {
      zero();
    } else {
      *at_++ = value;
    }
  }
  void u32(uint32_t value) {
    if (value == 0) {
      zero();
      return;
    }
    while (value >= 0x80) {
      *at_++ = static_cast<uint8_t>(value | 0x80);
      value >>= 7;
    }
    *at_++ = static_cast<uint8_t>(value);
  }
  void u64(uint64_t value) {
    // Most times fit into a register of a 32-bit processor, or soon do.
    while (value > 0xFFFFFFFFU) {
      *at_++ = static_cast<uint8_t>(value | 0x80);
      value >>= 7;
    }
    u32(static_cast<uint32_t>(value));
  }
  // Sign and magnitude; the most negative value stands for "negative zero".
  void s64(int64_t value) {
    const uint64_t bits = static_cast<uint64_t>(value);
    u64(value < 0 ? ((0 - bits) << 1) | 1 : bits << 1);
  }
  // The last field: nothing may follow it.
  void text(const char* data, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      if (at_ - code_ == 255) open_block();
      const uint8_t byte = static_cast<uint8_t>(data[i]);
      if (byte == 0) {
        zero();
      } else {
        *at_++ = byte;
      }
    }
  }

  // Ends the frame and returns its size, delimiter included.
  size_t finish() {
    *code_ = static_cast<uint8_t>(at_ - code_);
    *at_++ = 0;
    return static_cast<size_t>(at_ - begin_);
  }

 private:
  void zero() {
    *code_ = static_cast<uint8_t>(at_ - code_);
    code_ = at_++;
  }
  // Behind 254 bytes, if more come.
  void open_block() {
    *code_ = 0xFF;
    code_ = at_++;
  }

  uint8_t* begin_;
  uint8_t* code_;  // of the block at hand
  uint8_t* at_;
};

namespace detail {

inline size_t timed(uint8_t* out, uint8_t id, uint64_t ts, uint32_t value) {
  Frame frame(out, id);
  frame.u64(ts);
  frame.u32(value);
  return frame.finish();
}
inline size_t timed(uint8_t* out, uint8_t id, uint64_t ts, uint32_t one, uint32_t two) {
  Frame frame(out, id);
  frame.u64(ts);
  frame.u32(one);
  frame.u32(two);
  return frame.finish();
}
inline size_t timed(uint8_t* out, uint8_t id, uint64_t ts, uint32_t marker, Text text) {
  Frame frame(out, id);
  frame.u64(ts);
  frame.u32(marker);
  frame.text(text.data, text.size);
  return frame.finish();
}
inline size_t timed_value(uint8_t* out, uint8_t id, uint64_t ts, uint32_t marker, int64_t value) {
  Frame frame(out, id);
  frame.u64(ts);
  frame.u32(marker);
  frame.s64(value);
  return frame.finish();
}
inline size_t name(uint8_t* out, uint8_t id, uint32_t of, Text text) {
  Frame frame(out, id);
  frame.u32(of);
  frame.text(text.data, text.size);
  return frame.finish();
}
inline size_t task_marker_name(uint8_t* out, uint8_t id, uint32_t of, uint32_t task, Text text) {
  Frame frame(out, id);
  frame.u32(of);
  frame.u32(task);
  frame.text(text.data, text.size);
  return frame.finish();
}

}  // namespace detail

// This event and what follows belong to that core.
inline size_t core_id(uint8_t* out, uint64_t ts, uint32_t core_id) {
  return detail::timed(out, 0x00, ts, core_id);
}
// How many events were dropped so far, on all cores.
inline size_t dropped_evt_cnt(uint8_t* out, uint64_t ts, uint32_t cnt) {
  return detail::timed(out, 0x01, ts, cnt);
}
// Metadata: may be stored apart and sent first. How many nanoseconds a tick takes.
inline size_t ts_resolution_ns(uint8_t* out, uint64_t ns_per_ts) {
  Frame frame(out, 0x02);
  frame.u64(ns_per_ts);
  return frame.finish();
}

// Interrupts and markers.
inline size_t isr_name(uint8_t* out, uint32_t isr_id, Text name) {
  return detail::name(out, 0x03, isr_id, name);
}
inline size_t isr_enter(uint8_t* out, uint64_t ts, uint32_t isr_id) {
  return detail::timed(out, 0x04, ts, isr_id);
}
inline size_t isr_exit(uint8_t* out, uint64_t ts, uint32_t isr_id) {
  return detail::timed(out, 0x05, ts, isr_id);
}
inline size_t evtmarker_name(uint8_t* out, uint32_t evtmarker_id, Text name) {
  return detail::name(out, 0x06, evtmarker_id, name);
}
inline size_t evtmarker(uint8_t* out, uint64_t ts, uint32_t evtmarker_id, Text msg) {
  return detail::timed(out, 0x07, ts, evtmarker_id, msg);
}
inline size_t evtmarker_begin(uint8_t* out, uint64_t ts, uint32_t evtmarker_id, Text msg) {
  return detail::timed(out, 0x08, ts, evtmarker_id, msg);
}
inline size_t evtmarker_end(uint8_t* out, uint64_t ts, uint32_t evtmarker_id) {
  return detail::timed(out, 0x09, ts, evtmarker_id);
}
inline size_t valmarker_name(uint8_t* out, uint32_t valmarker_id, Text name) {
  return detail::name(out, 0x0A, valmarker_id, name);
}
inline size_t valmarker(uint8_t* out, uint64_t ts, uint32_t valmarker_id, int64_t val) {
  return detail::timed_value(out, 0x0B, ts, valmarker_id, val);
}

// Tasks.
inline size_t task_switched_in(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return detail::timed(out, 0x54, ts, task_id);
}
inline size_t task_to_rdy_state(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return detail::timed(out, 0x55, ts, task_id);
}
inline size_t task_resumed(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return detail::timed(out, 0x56, ts, task_id);
}
inline size_t task_resumed_from_isr(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return detail::timed(out, 0x57, ts, task_id);
}
inline size_t task_suspended(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return detail::timed(out, 0x58, ts, task_id);
}
inline size_t curtask_delay(uint8_t* out, uint64_t ts, uint32_t ticks) {
  return detail::timed(out, 0x59, ts, ticks);
}
inline size_t curtask_delay_until(uint8_t* out, uint64_t ts, uint32_t time_to_wake) {
  return detail::timed(out, 0x5A, ts, time_to_wake);
}
inline size_t task_priority_set(uint8_t* out, uint64_t ts, uint32_t task_id, uint32_t priority) {
  return detail::timed(out, 0x5B, ts, task_id, priority);
}
inline size_t task_priority_inherit(uint8_t* out, uint64_t ts, uint32_t task_id,
                                    uint32_t priority) {
  return detail::timed(out, 0x5C, ts, task_id, priority);
}
inline size_t task_priority_disinherit(uint8_t* out, uint64_t ts, uint32_t task_id,
                                       uint32_t priority) {
  return detail::timed(out, 0x5D, ts, task_id, priority);
}
inline size_t task_created(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return detail::timed(out, 0x5E, ts, task_id);
}
inline size_t task_name(uint8_t* out, uint32_t task_id, Text name) {
  return detail::name(out, 0x5F, task_id, name);
}
inline size_t task_is_idle_task(uint8_t* out, uint32_t task_id, uint32_t core_id) {
  Frame frame(out, 0x60);
  frame.u32(task_id);
  frame.u32(core_id);
  return frame.finish();
}
inline size_t task_is_timer_task(uint8_t* out, uint32_t task_id) {
  Frame frame(out, 0x61);
  frame.u32(task_id);
  return frame.finish();
}
inline size_t task_deleted(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return detail::timed(out, 0x62, ts, task_id);
}

// Queues, semaphores and mutexes. `len_after` counts a new element; of a mutex 0 is taken.
inline size_t queue_created(uint8_t* out, uint64_t ts, uint32_t queue_id) {
  return detail::timed(out, 0x63, ts, queue_id);
}
inline size_t queue_name(uint8_t* out, uint32_t queue_id, Text name) {
  return detail::name(out, 0x64, queue_id, name);
}
// 0 queue, 1 counting semaphore, 2 binary semaphore, 3 mutex, 4 recursive mutex, 5 queue set.
inline size_t queue_kind(uint8_t* out, uint32_t queue_id, uint8_t kind) {
  Frame frame(out, 0x65);
  frame.u32(queue_id);
  frame.u8(kind);
  return frame.finish();
}
inline size_t queue_send(uint8_t* out, uint64_t ts, uint32_t queue_id, uint32_t len_after) {
  return detail::timed(out, 0x66, ts, queue_id, len_after);
}
inline size_t queue_send_from_isr(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                  uint32_t len_after) {
  return detail::timed(out, 0x67, ts, queue_id, len_after);
}
inline size_t queue_overwrite(uint8_t* out, uint64_t ts, uint32_t queue_id, uint32_t len_after) {
  return detail::timed(out, 0x68, ts, queue_id, len_after);
}
inline size_t queue_overwrite_from_isr(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                       uint32_t len_after) {
  return detail::timed(out, 0x69, ts, queue_id, len_after);
}
inline size_t queue_receive(uint8_t* out, uint64_t ts, uint32_t queue_id, uint32_t len_after) {
  return detail::timed(out, 0x6A, ts, queue_id, len_after);
}
inline size_t queue_receive_from_isr(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                     uint32_t len_after) {
  return detail::timed(out, 0x6B, ts, queue_id, len_after);
}
inline size_t queue_reset(uint8_t* out, uint64_t ts, uint32_t queue_id) {
  return detail::timed(out, 0x6C, ts, queue_id);
}
inline size_t curtask_block_on_queue_peek(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                          uint32_t ticks_to_wait) {
  return detail::timed(out, 0x6D, ts, queue_id, ticks_to_wait);
}
inline size_t curtask_block_on_queue_send(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                          uint32_t ticks_to_wait) {
  return detail::timed(out, 0x6E, ts, queue_id, ticks_to_wait);
}
inline size_t curtask_block_on_queue_receive(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                             uint32_t ticks_to_wait) {
  return detail::timed(out, 0x6F, ts, queue_id, ticks_to_wait);
}
inline size_t queue_cur_length(uint8_t* out, uint64_t ts, uint32_t queue_id, uint32_t length) {
  return detail::timed(out, 0x70, ts, queue_id, length);
}

// Markers of the current task of the core.
inline size_t task_evtmarker_name(uint8_t* out, uint32_t evtmarker_id, uint32_t task_id,
                                  Text name) {
  return detail::task_marker_name(out, 0x7A, evtmarker_id, task_id, name);
}
inline size_t task_evtmarker(uint8_t* out, uint64_t ts, uint32_t evtmarker_id, Text msg) {
  return detail::timed(out, 0x7B, ts, evtmarker_id, msg);
}
inline size_t task_evtmarker_begin(uint8_t* out, uint64_t ts, uint32_t evtmarker_id, Text msg) {
  return detail::timed(out, 0x7C, ts, evtmarker_id, msg);
}
inline size_t task_evtmarker_end(uint8_t* out, uint64_t ts, uint32_t evtmarker_id) {
  return detail::timed(out, 0x7D, ts, evtmarker_id);
}
inline size_t task_valmarker_name(uint8_t* out, uint32_t valmarker_id, uint32_t task_id,
                                  Text name) {
  return detail::task_marker_name(out, 0x7E, valmarker_id, task_id, name);
}
inline size_t task_valmarker(uint8_t* out, uint64_t ts, uint32_t valmarker_id, int64_t val) {
  return detail::timed_value(out, 0x7F, ts, valmarker_id, val);
}

}  // namespace tracedeck::tband::device

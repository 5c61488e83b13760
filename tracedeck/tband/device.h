/* Writes Tonbandgerät events, for the tracer of a device, in C99: one function for each event,
 * named as the event, that puts a whole frame into a buffer of the caller. The bytes are those of
 * `device.hpp`, which is the same for C++.
 *
 * This header stands alone. It needs nothing but <stddef.h> and <stdint.h>: no allocation, no
 * library, no state, so that it compiles for bare metal and may be called from interrupts. What a
 * tracer does with the frames (a ring in memory, a serial line) and how it keeps interrupts away
 * meanwhile is the caller's.
 *
 *     uint8_t frame[TD_TBAND_MAX_FRAME_SIZE];
 *     send(frame, td_tband_isr_enter(frame, now(), 7));
 *
 * `ts` are ticks since whenever, and must not decrease on a core. Ids of tasks and queues count
 * from 1. Texts end with a zero; longer ones are cut at `TRACEDECK_TBAND_STRING_LIMIT` bytes, even
 * inside of a UTF-8 character.
 */
#ifndef TRACEDECK_TBAND_DEVICE_H
#define TRACEDECK_TBAND_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that a name or message is cut at. */
#ifndef TRACEDECK_TBAND_STRING_LIMIT
#define TRACEDECK_TBAND_STRING_LIMIT 20
#endif

/* Bytes of the largest payload of an event with a text of `text_size` bytes: an id, a u64, two u32,
 * the text. */
#define TD_TBAND_PAYLOAD_BOUND(text_size) (1U + 10U + 5U + 5U + (text_size))
/* Of its frame: a code for every 254 of these, the delimiter. */
#define TD_TBAND_FRAME_BOUND(text_size) \
  (TD_TBAND_PAYLOAD_BOUND(text_size) + (TD_TBAND_PAYLOAD_BOUND(text_size) + 253U) / 254U + 1U)
/* Of any function below. */
#define TD_TBAND_MAX_FRAME_SIZE TD_TBAND_FRAME_BOUND(TRACEDECK_TBAND_STRING_LIMIT)

/* --- Parts of a frame, which the functions for events are made of ----------------------------- */

/* A frame that is built in place: COBS-encoded while it is written. Only a zero in the payload, and
 * a run of 254 other bytes, ends a block; of integers only the value 0 has one. */
typedef struct td_tband_frame {
  uint8_t* begin;
  uint8_t* code; /* of the block at hand */
  uint8_t* at;
} td_tband_frame;

static inline void td_tband_end_block(td_tband_frame* frame) {
  *frame->code = (uint8_t)(frame->at - frame->code);
  frame->code = frame->at++;
}

static inline void td_tband_u8(td_tband_frame* frame, uint8_t value) {
  if (value == 0) {
    td_tband_end_block(frame);
  } else {
    *frame->at++ = value;
  }
}

/* `out`: as many bytes as the frame will take, see TD_TBAND_FRAME_BOUND. */
static inline td_tband_frame td_tband_begin(uint8_t* out, uint8_t id) {
  td_tband_frame frame;
  frame.begin = out;
  frame.code = out;
  frame.at = out + 1;
  td_tband_u8(&frame, id);
  return frame;
}

static inline void td_tband_u32(td_tband_frame* frame, uint32_t value) {
  if (value == 0) {
    td_tband_end_block(frame);
    return;
  }
  while (value >= 0x80) {
    *frame->at++ = (uint8_t)((value & 0x7FU) | 0x80U);
    value >>= 7;
  }
  *frame->at++ = (uint8_t)value;
}

static inline void td_tband_u64(td_tband_frame* frame, uint64_t value) {
  /* Most times fit into a register of a 32-bit processor, or soon do. */
  while (value > 0xFFFFFFFFU) {
    *frame->at++ = (uint8_t)((value & 0x7FU) | 0x80U);
    value >>= 7;
  }
  td_tband_u32(frame, (uint32_t)value);
}

/* Sign and magnitude; the most negative value stands for "negative zero". */
static inline void td_tband_s64(td_tband_frame* frame, int64_t value) {
  const uint64_t bits = (uint64_t)value;
  td_tband_u64(frame, value < 0 ? ((0 - bits) << 1) | 1U : bits << 1);
}

/* The last field: nothing may follow it. */
static inline void td_tband_text(td_tband_frame* frame, const char* text) {
  size_t i;
  for (i = 0; i < TRACEDECK_TBAND_STRING_LIMIT && text[i] != 0; ++i) {
    if (frame->at - frame->code == 255) {
      *frame->code = 0xFF;
      frame->code = frame->at++;
    }
    *frame->at++ = (uint8_t)text[i];
  }
}

/* Ends the frame and returns its size, delimiter included. */
static inline size_t td_tband_finish(td_tband_frame* frame) {
  *frame->code = (uint8_t)(frame->at - frame->code);
  *frame->at++ = 0;
  return (size_t)(frame->at - frame->begin);
}

static inline size_t td_tband_timed(uint8_t* out, uint8_t id, uint64_t ts, uint32_t value) {
  td_tband_frame frame = td_tband_begin(out, id);
  td_tband_u64(&frame, ts);
  td_tband_u32(&frame, value);
  return td_tband_finish(&frame);
}
static inline size_t td_tband_timed_pair(uint8_t* out, uint8_t id, uint64_t ts, uint32_t one,
                                         uint32_t two) {
  td_tband_frame frame = td_tband_begin(out, id);
  td_tband_u64(&frame, ts);
  td_tband_u32(&frame, one);
  td_tband_u32(&frame, two);
  return td_tband_finish(&frame);
}
static inline size_t td_tband_timed_text(uint8_t* out, uint8_t id, uint64_t ts, uint32_t marker,
                                         const char* text) {
  td_tband_frame frame = td_tband_begin(out, id);
  td_tband_u64(&frame, ts);
  td_tband_u32(&frame, marker);
  td_tband_text(&frame, text);
  return td_tband_finish(&frame);
}
static inline size_t td_tband_timed_value(uint8_t* out, uint8_t id, uint64_t ts, uint32_t marker,
                                          int64_t value) {
  td_tband_frame frame = td_tband_begin(out, id);
  td_tband_u64(&frame, ts);
  td_tband_u32(&frame, marker);
  td_tband_s64(&frame, value);
  return td_tband_finish(&frame);
}
static inline size_t td_tband_name(uint8_t* out, uint8_t id, uint32_t of, const char* text) {
  td_tband_frame frame = td_tband_begin(out, id);
  td_tband_u32(&frame, of);
  td_tband_text(&frame, text);
  return td_tband_finish(&frame);
}
static inline size_t td_tband_task_marker_name(uint8_t* out, uint8_t id, uint32_t of, uint32_t task,
                                               const char* text) {
  td_tband_frame frame = td_tband_begin(out, id);
  td_tband_u32(&frame, of);
  td_tband_u32(&frame, task);
  td_tband_text(&frame, text);
  return td_tband_finish(&frame);
}

/* --- Events ----------------------------------------------------------------------------------- */

/* This event and what follows belong to that core. */
static inline size_t td_tband_core_id(uint8_t* out, uint64_t ts, uint32_t core_id) {
  return td_tband_timed(out, 0x00, ts, core_id);
}
/* How many events were dropped so far, on all cores. */
static inline size_t td_tband_dropped_evt_cnt(uint8_t* out, uint64_t ts, uint32_t cnt) {
  return td_tband_timed(out, 0x01, ts, cnt);
}
/* Metadata: may be stored apart and sent first. How many nanoseconds a tick takes. */
static inline size_t td_tband_ts_resolution_ns(uint8_t* out, uint64_t ns_per_ts) {
  td_tband_frame frame = td_tband_begin(out, 0x02);
  td_tband_u64(&frame, ns_per_ts);
  return td_tband_finish(&frame);
}

/* Interrupts and markers. */
static inline size_t td_tband_isr_name(uint8_t* out, uint32_t isr_id, const char* name) {
  return td_tband_name(out, 0x03, isr_id, name);
}
static inline size_t td_tband_isr_enter(uint8_t* out, uint64_t ts, uint32_t isr_id) {
  return td_tband_timed(out, 0x04, ts, isr_id);
}
static inline size_t td_tband_isr_exit(uint8_t* out, uint64_t ts, uint32_t isr_id) {
  return td_tband_timed(out, 0x05, ts, isr_id);
}
static inline size_t td_tband_evtmarker_name(uint8_t* out, uint32_t evtmarker_id,
                                             const char* name) {
  return td_tband_name(out, 0x06, evtmarker_id, name);
}
static inline size_t td_tband_evtmarker(uint8_t* out, uint64_t ts, uint32_t evtmarker_id,
                                        const char* msg) {
  return td_tband_timed_text(out, 0x07, ts, evtmarker_id, msg);
}
static inline size_t td_tband_evtmarker_begin(uint8_t* out, uint64_t ts, uint32_t evtmarker_id,
                                              const char* msg) {
  return td_tband_timed_text(out, 0x08, ts, evtmarker_id, msg);
}
static inline size_t td_tband_evtmarker_end(uint8_t* out, uint64_t ts, uint32_t evtmarker_id) {
  return td_tband_timed(out, 0x09, ts, evtmarker_id);
}
static inline size_t td_tband_valmarker_name(uint8_t* out, uint32_t valmarker_id,
                                             const char* name) {
  return td_tband_name(out, 0x0A, valmarker_id, name);
}
static inline size_t td_tband_valmarker(uint8_t* out, uint64_t ts, uint32_t valmarker_id,
                                        int64_t val) {
  return td_tband_timed_value(out, 0x0B, ts, valmarker_id, val);
}

/* Tasks. */
static inline size_t td_tband_task_switched_in(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return td_tband_timed(out, 0x54, ts, task_id);
}
static inline size_t td_tband_task_to_rdy_state(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return td_tband_timed(out, 0x55, ts, task_id);
}
static inline size_t td_tband_task_resumed(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return td_tband_timed(out, 0x56, ts, task_id);
}
static inline size_t td_tband_task_resumed_from_isr(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return td_tband_timed(out, 0x57, ts, task_id);
}
static inline size_t td_tband_task_suspended(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return td_tband_timed(out, 0x58, ts, task_id);
}
static inline size_t td_tband_curtask_delay(uint8_t* out, uint64_t ts, uint32_t ticks) {
  return td_tband_timed(out, 0x59, ts, ticks);
}
static inline size_t td_tband_curtask_delay_until(uint8_t* out, uint64_t ts,
                                                  uint32_t time_to_wake) {
  return td_tband_timed(out, 0x5A, ts, time_to_wake);
}
static inline size_t td_tband_task_priority_set(uint8_t* out, uint64_t ts, uint32_t task_id,
                                                uint32_t priority) {
  return td_tband_timed_pair(out, 0x5B, ts, task_id, priority);
}
static inline size_t td_tband_task_priority_inherit(uint8_t* out, uint64_t ts, uint32_t task_id,
                                                    uint32_t priority) {
  return td_tband_timed_pair(out, 0x5C, ts, task_id, priority);
}
static inline size_t td_tband_task_priority_disinherit(uint8_t* out, uint64_t ts, uint32_t task_id,
                                                       uint32_t priority) {
  return td_tband_timed_pair(out, 0x5D, ts, task_id, priority);
}
static inline size_t td_tband_task_created(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return td_tband_timed(out, 0x5E, ts, task_id);
}
static inline size_t td_tband_task_name(uint8_t* out, uint32_t task_id, const char* name) {
  return td_tband_name(out, 0x5F, task_id, name);
}
static inline size_t td_tband_task_is_idle_task(uint8_t* out, uint32_t task_id, uint32_t core_id) {
  td_tband_frame frame = td_tband_begin(out, 0x60);
  td_tband_u32(&frame, task_id);
  td_tband_u32(&frame, core_id);
  return td_tband_finish(&frame);
}
static inline size_t td_tband_task_is_timer_task(uint8_t* out, uint32_t task_id) {
  td_tband_frame frame = td_tband_begin(out, 0x61);
  td_tband_u32(&frame, task_id);
  return td_tband_finish(&frame);
}
static inline size_t td_tband_task_deleted(uint8_t* out, uint64_t ts, uint32_t task_id) {
  return td_tband_timed(out, 0x62, ts, task_id);
}

/* Queues, semaphores and mutexes. `len_after` counts a new element; of a mutex 0 is taken. */
static inline size_t td_tband_queue_created(uint8_t* out, uint64_t ts, uint32_t queue_id) {
  return td_tband_timed(out, 0x63, ts, queue_id);
}
static inline size_t td_tband_queue_name(uint8_t* out, uint32_t queue_id, const char* name) {
  return td_tband_name(out, 0x64, queue_id, name);
}
/* 0 queue, 1 counting semaphore, 2 binary semaphore, 3 mutex, 4 recursive mutex, 5 queue set. */
static inline size_t td_tband_queue_kind(uint8_t* out, uint32_t queue_id, uint8_t kind) {
  td_tband_frame frame = td_tband_begin(out, 0x65);
  td_tband_u32(&frame, queue_id);
  td_tband_u8(&frame, kind);
  return td_tband_finish(&frame);
}
static inline size_t td_tband_queue_send(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                         uint32_t len_after) {
  return td_tband_timed_pair(out, 0x66, ts, queue_id, len_after);
}
static inline size_t td_tband_queue_send_from_isr(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                                  uint32_t len_after) {
  return td_tband_timed_pair(out, 0x67, ts, queue_id, len_after);
}
static inline size_t td_tband_queue_overwrite(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                              uint32_t len_after) {
  return td_tband_timed_pair(out, 0x68, ts, queue_id, len_after);
}
static inline size_t td_tband_queue_overwrite_from_isr(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                                       uint32_t len_after) {
  return td_tband_timed_pair(out, 0x69, ts, queue_id, len_after);
}
static inline size_t td_tband_queue_receive(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                            uint32_t len_after) {
  return td_tband_timed_pair(out, 0x6A, ts, queue_id, len_after);
}
static inline size_t td_tband_queue_receive_from_isr(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                                     uint32_t len_after) {
  return td_tband_timed_pair(out, 0x6B, ts, queue_id, len_after);
}
static inline size_t td_tband_queue_reset(uint8_t* out, uint64_t ts, uint32_t queue_id) {
  return td_tband_timed(out, 0x6C, ts, queue_id);
}
static inline size_t td_tband_curtask_block_on_queue_peek(uint8_t* out, uint64_t ts,
                                                          uint32_t queue_id,
                                                          uint32_t ticks_to_wait) {
  return td_tband_timed_pair(out, 0x6D, ts, queue_id, ticks_to_wait);
}
static inline size_t td_tband_curtask_block_on_queue_send(uint8_t* out, uint64_t ts,
                                                          uint32_t queue_id,
                                                          uint32_t ticks_to_wait) {
  return td_tband_timed_pair(out, 0x6E, ts, queue_id, ticks_to_wait);
}
static inline size_t td_tband_curtask_block_on_queue_receive(uint8_t* out, uint64_t ts,
                                                             uint32_t queue_id,
                                                             uint32_t ticks_to_wait) {
  return td_tband_timed_pair(out, 0x6F, ts, queue_id, ticks_to_wait);
}
static inline size_t td_tband_queue_cur_length(uint8_t* out, uint64_t ts, uint32_t queue_id,
                                               uint32_t length) {
  return td_tband_timed_pair(out, 0x70, ts, queue_id, length);
}

/* Markers of the current task of the core. */
static inline size_t td_tband_task_evtmarker_name(uint8_t* out, uint32_t evtmarker_id,
                                                  uint32_t task_id, const char* name) {
  return td_tband_task_marker_name(out, 0x7A, evtmarker_id, task_id, name);
}
static inline size_t td_tband_task_evtmarker(uint8_t* out, uint64_t ts, uint32_t evtmarker_id,
                                             const char* msg) {
  return td_tband_timed_text(out, 0x7B, ts, evtmarker_id, msg);
}
static inline size_t td_tband_task_evtmarker_begin(uint8_t* out, uint64_t ts, uint32_t evtmarker_id,
                                                   const char* msg) {
  return td_tband_timed_text(out, 0x7C, ts, evtmarker_id, msg);
}
static inline size_t td_tband_task_evtmarker_end(uint8_t* out, uint64_t ts, uint32_t evtmarker_id) {
  return td_tband_timed(out, 0x7D, ts, evtmarker_id);
}
static inline size_t td_tband_task_valmarker_name(uint8_t* out, uint32_t valmarker_id,
                                                  uint32_t task_id, const char* name) {
  return td_tband_task_marker_name(out, 0x7E, valmarker_id, task_id, name);
}
static inline size_t td_tband_task_valmarker(uint8_t* out, uint64_t ts, uint32_t valmarker_id,
                                             int64_t val) {
  return td_tband_timed_value(out, 0x7F, ts, valmarker_id, val);
}

#ifdef __cplusplus
}
#endif

#endif /* TRACEDECK_TBAND_DEVICE_H */

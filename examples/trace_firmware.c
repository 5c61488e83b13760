/* A firmware that traces itself, in C99: a ring in memory, which a debugger would read out, holds
 * what happened last. Here, on a host, it is saved to a file.
 *
 *   trace_firmware TRACE
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tracedeck/tband/device.h"

/* The ring of the newest events. Whole frames go in, and the oldest whole frames go out for them.
 */
static struct {
  uint8_t bytes[1024];
  size_t begin; /* of the oldest frame */
  size_t used;
  uint32_t dropped;
} ring;

/* What names mean, which has to survive the ring: written once, saved before it. */
static struct {
  uint8_t bytes[256];
  size_t used;
} names;

static void drop_oldest(void) {
  while (ring.used != 0) {
    const uint8_t byte = ring.bytes[ring.begin];
    ring.begin = (ring.begin + 1) % sizeof ring.bytes;
    --ring.used;
    if (byte == 0) break; /* ends a frame */
  }
  ++ring.dropped;
}

/* On a device with interrupts off. */
static void record(const uint8_t* frame, size_t size) {
  size_t i;
  while (sizeof ring.bytes - ring.used < size) drop_oldest();
  for (i = 0; i < size; ++i)
    ring.bytes[(ring.begin + ring.used + i) % sizeof ring.bytes] = frame[i];
  ring.used += size;
}

static void describe(const uint8_t* frame, size_t size) {
  if (size > sizeof names.bytes - names.used) return;
  memcpy(names.bytes + names.used, frame, size);
  names.used += size;
}

enum { SENSOR = 1, RADIO = 2, UART = 37, SAMPLES = 1, TEMPERATURE = 0 };

static void start(void) {
  uint8_t frame[TD_TBAND_MAX_FRAME_SIZE];
  describe(frame, td_tband_ts_resolution_ns(frame, 25)); /* a timer of 40 MHz */
  describe(frame, td_tband_task_name(frame, SENSOR, "sensor"));
  describe(frame, td_tband_task_name(frame, RADIO, "radio"));
  describe(frame, td_tband_isr_name(frame, UART, "UART"));
  describe(frame, td_tband_queue_name(frame, SAMPLES, "samples"));
  describe(frame, td_tband_queue_kind(frame, SAMPLES, 0));
  describe(frame, td_tband_valmarker_name(frame, TEMPERATURE, "temperature"));
}

/* One turn of the device: the sensor measures, the radio sends. */
static void turn(uint64_t now, int64_t sample) {
  uint8_t frame[TD_TBAND_MAX_FRAME_SIZE];
  record(frame, td_tband_task_switched_in(frame, now, SENSOR));
  record(frame, td_tband_valmarker(frame, now + 40, TEMPERATURE, sample));
  record(frame, td_tband_queue_send(frame, now + 60, SAMPLES, 1));
  record(frame, td_tband_task_switched_in(frame, now + 90, RADIO));
  record(frame, td_tband_queue_receive(frame, now + 95, SAMPLES, 0));
  record(frame, td_tband_isr_enter(frame, now + 300, UART));
  record(frame, td_tband_isr_exit(frame, now + 340, UART));
}

static int save(const char* path, uint64_t now) {
  uint8_t frame[TD_TBAND_MAX_FRAME_SIZE];
  size_t size, i;
  int written;
  FILE* const file = fopen(path, "wb");
  if (file == NULL) return 1;
  fwrite(names.bytes, 1, names.used, file);
  for (i = 0; i < ring.used; ++i) fputc(ring.bytes[(ring.begin + i) % sizeof ring.bytes], file);
  /* How many events the ring has no more. */
  size = td_tband_dropped_evt_cnt(frame, now, ring.dropped);
  fwrite(frame, 1, size, file);
  written = ferror(file) == 0;
  return fclose(file) == 0 && written ? 0 : 1;
}

int main(int count, char** arguments) {
  uint64_t now = 0;
  int turns;
  if (count != 2) return 2;
  start();
  for (turns = 0; turns < 30; ++turns, now += 40000) turn(now, 250 - turns * turns);
  return save(arguments[1], now);
}

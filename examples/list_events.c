/* Prints the times and names of the events of a trace, and of those with a field its value.
 *
 *   list_events TRACE [FIELD]
 */
#include <inttypes.h>
#include <stdio.h>

#include "tracedeck/tracedeck.h"

static void print_value(const td_value* value) {
  switch ((td_kind)value->kind) {
    case TD_NONE:
      break;
    case TD_BOOLEAN:
    case TD_SIGNED:
      printf(" %" PRId64, value->integer);
      break;
    case TD_UNSIGNED:
      printf(" %" PRIu64, value->natural);
      break;
    case TD_REAL:
      printf(" %g", value->real);
      break;
    case TD_TEXT:
      printf(" %.*s", (int)value->size, value->data);
      break;
    case TD_BYTES:
      printf(" (%zu bytes)", value->size);
      break;
    case TD_COMPOUND:
      printf(" (%zu values)", value->count);
      break;
  }
}

int main(int count, char** arguments) {
  if (count != 2 && count != 3) return 2;
  const char* const paths[] = {arguments[1]};
  td_error error = {.struct_size = sizeof error};
  td_trace trace;
  if (td_open(paths, 1, NULL, &trace, &error) != TD_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  td_event event = {.struct_size = sizeof event};
  td_value value = {.struct_size = sizeof value};
  td_status status;
  while ((status = td_next_event(trace, &event, &error)) == TD_OK) {
    printf("%" PRId64 " %.*s", event.time, (int)event.name_size, event.name);
    if (count == 3 && td_field(trace, arguments[2], &value, &error) == TD_OK) print_value(&value);
    putchar('\n');
  }
  if (status != TD_END) fprintf(stderr, "%s\n", error.message);
  td_close(trace, NULL);
  return status == TD_END ? 0 : 1;
}

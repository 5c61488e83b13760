/* Adds up the columns of 64-bit integers of the events of one name, which come as an Arrow C
 * stream.
 *
 *   sum_columns TRACE NAME
 *
 * Prints the name of each such column, how many values it has, and their sum modulo 2^64.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracedeck/tracedeck.h"

typedef struct sum {
  uint64_t values;
  uint64_t total;
} sum;

static int is_added(const struct ArrowSchema* column) {
  return strcmp(column->format, "l") == 0 || strcmp(column->format, "L") == 0;
}

/* The rows of a batch are those of its columns from its own offset on. A column without a map of
 * what is valid has no nulls. */
static void add_column(const struct ArrowArray* batch, const struct ArrowArray* column, sum* to) {
  const uint8_t* const valid = column->buffers[0];
  const uint64_t* const values = column->buffers[1];
  for (int64_t row = 0; row < batch->length; ++row) {
    const int64_t at = batch->offset + column->offset + row;
    if (valid != NULL && (valid[at / 8] >> (at % 8) & 1) == 0) continue;
    ++to->values;
    to->total += values[at];
  }
}

static int fail(struct ArrowArrayStream* stream) {
  const char* const why = stream->get_last_error(stream);
  fprintf(stderr, "%s\n", why != NULL ? why : "the stream cannot be read");
  return 1;
}

static int add_batches(struct ArrowArrayStream* stream, const struct ArrowSchema* schema,
                       sum* sums) {
  for (;;) {
    struct ArrowArray batch;
    if (stream->get_next(stream, &batch) != 0) return fail(stream);
    if (batch.release == NULL) return 0;
    for (int64_t i = 0; i < schema->n_children; ++i) {
      if (is_added(schema->children[i])) add_column(&batch, batch.children[i], &sums[i]);
    }
    batch.release(&batch);
  }
}

static int sum_stream(struct ArrowArrayStream* stream) {
  struct ArrowSchema schema;
  if (stream->get_schema(stream, &schema) != 0) return fail(stream);
  sum* const sums = calloc((size_t)schema.n_children + 1, sizeof *sums);
  const int status = sums == NULL ? 1 : add_batches(stream, &schema, sums);
  for (int64_t i = 0; status == 0 && i < schema.n_children; ++i) {
    if (!is_added(schema.children[i])) continue;
    printf("%s %" PRIu64 " %" PRIu64 "\n", schema.children[i]->name, sums[i].values, sums[i].total);
  }
  free(sums);
  schema.release(&schema);
  return status;
}

int main(int count, char** arguments) {
  if (count != 3) {
    fputs("usage: sum_columns TRACE NAME\n", stderr);
    return 2;
  }
  const char* const paths[] = {arguments[1]};
  td_error error = {.struct_size = sizeof error};
  struct ArrowArrayStream stream;
  if (td_stream(paths, 1, NULL, arguments[2], &stream, &error) != TD_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  const int status = sum_stream(&stream);
  stream.release(&stream);
  return status;
}

/* The library for C, and for every language that calls C: traces of any format as columns, as
 * events, converted, and what the commands `query`, `latency`, `diff`, `why` and `validate` answer.
 *
 * Handles are numbers. One that was closed, or never was one, is an error and never a crash. A
 * handle is used by one thread at a time: a call while another thread is in one is TD_ERROR_BUSY.
 * `td_cancel` alone may be called at any time.
 *
 * A function that can fail returns a `td_status` and, where that is an error, fills `error`, which
 * may be null. Structures begin with their size, which the caller sets to `sizeof`: a library that
 * knows more members takes those that are missing for 0.
 *
 * Texts are UTF-8. Pointers that a function fills stay valid as long as its comment says.
 */
#ifndef TRACEDECK_TRACEDECK_H
#define TRACEDECK_TRACEDECK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TD_ABI_VERSION 1

/* The version of the library ("0.1.0"), and the ABI that it has. Static storage. */
const char* td_version(void);
uint32_t td_abi_version(void);

typedef enum td_status {
  TD_OK = 0,
  TD_END = 1,                 /* there is nothing more */
  TD_ERROR_ARGUMENT = -1,     /* a value handed in breaks a rule: a null, a wrong condition */
  TD_ERROR_HANDLE = -2,       /* no such handle: it was closed, or never was one */
  TD_ERROR_BUSY = -3,         /* another call works with the handle */
  TD_ERROR_CANNOT_OPEN = -4,  /* the file system refused, or there is no such input */
  TD_ERROR_UNRECOGNISED = -5, /* the bytes belong to no format at hand */
  TD_ERROR_REJECTED = -6,     /* the specification demands that the input is rejected */
  TD_ERROR_UNSUPPORTED = -7,  /* what was asked for cannot be done */
  TD_ERROR_INPUT = -8,        /* reading failed, or compressed data are damaged */
  TD_ERROR_LIMIT = -9,        /* a limit of the library, or memory */
  TD_ERROR_CANCELLED = -10,   /* `td_cancel`, `go_on` or `write` asked for it */
  TD_ERROR_INTERNAL = -11     /* a mistake in the library */
} td_status;

typedef struct td_error {
  uint32_t struct_size;
  int32_t code;       /* a td_status */
  char message[1016]; /* ends with a zero; a longer one is cut between two characters */
} td_error;

/* Takes the next part of a text. Returns 0 to go on; anything else ends the call with
 * TD_ERROR_CANCELLED. */
typedef int (*td_write)(void* user, const char* data, size_t size);

typedef struct td_progress {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t events; /* and other records, read so far */
  void* user;      /* of the options */
} td_progress;

/* Is called on the calling thread, ten times a second at most. Returns 0 to go on. */
typedef int (*td_go_on)(const td_progress* progress);

/* Takes a sentence about an answer: what is missing from it (a trace that could not be read, or a
 * range of bytes), and, but for parts, what is to be known about it, as a field that no event has,
 * a condition that no event meets, or clocks that nothing relates.
 * Comes on the calling thread, a thousand times a call at most. */
typedef void (*td_note)(void* user, const char* sentence, size_t size);

enum {
  TD_FINDINGS = 1 /* also what was read against the specification, as rows of `__problem` */
};

typedef struct td_options {
  uint32_t struct_size;
  uint32_t flags;
  uint32_t jobs;     /* threads that decode; 0: one */
  uint32_t reserved; /* 0 */
  const char* where; /* only events for which this is true (docs/query.md); null: all */
  const char* begin; /* times as of --begin and --end, both included; null: all */
  const char* end;
  const char* order;        /* "merged" (or null), "recorded", "time" */
  const char* const* names; /* only events of these names are put in columns; null: all */
  size_t name_count;
  uint64_t limit; /* events; 0: all */
  td_go_on go_on; /* may be null */
  void* user;     /* for `go_on` and `note` */
  td_note note;   /* of answers, may be null; of traces td_report tells */
  /* Of answers about what events mean, and of results that show it: tables of rules beside the
   * built-in ones, or in place of one of the same name (docs/timeline.md). Each is the name of a
   * built-in table, or a file. */
  const char* const* tables;
  size_t table_count;
  const char* format; /* "dial9", "heph", "tband", "ctf"; null: it is recognised */
  /* Which clock times are of: "trace", as recorded, or "wall", UTC where a trace relates its clock
   * to it. Null: as recorded, but for traces of several hosts that all relate theirs. */
  const char* clock;
  /* A file: of data streams of CTF that are opened as files or as "-", without the directory that
   * they belong to. Null: traces have their own. */
  const char* metadata;
} td_options;

/* --- Traces, read once from the first event to the last ------------------------------------- */

typedef uint64_t td_trace;

/* Opens traces: files, directories, trees of directories and "-", merged by time. `options` may be
 * null. Where some of the paths cannot be opened the others are read, and `td_report` names those;
 * an error only if none is left. */
td_status td_open(const char* const* paths, size_t path_count, const td_options* options,
                  td_trace* trace, td_error* error);
/* Frees what the trace has. Arrays and schemas that were handed out live on. */
td_status td_close(td_trace trace, td_error* error);
/* Ends what another thread does with the trace with TD_ERROR_CANCELLED, and what comes later. */
td_status td_cancel(td_trace trace, td_error* error);

/* The Arrow C data interface, https://arrow.apache.org/docs/format/CDataInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
#endif

/* The next rows of one class: a structure of the columns that docs/columns.md describes. Rows come
 * in groups: of all events of a group, at most `max_rows` (0: 65,536), each class has one batch,
 * and `last_of_group` is 1 at the last of them. Column `seq` is the order of events. Losses and
 * problems are rows of classes named `__loss` and `__problem`. TD_END: there are no more. `array`
 * is the caller's, to be released by its `release`, on any thread. */
td_status td_next_batch(td_trace trace, uint32_t max_rows, uint32_t* class_number,
                        int* last_of_group, struct ArrowArray* array, td_error* error);

/* Classes, numbered from 0 in the order in which their first rows came. Events of one name and of
 * other columns are of another class of that name. */
td_status td_class_count(td_trace trace, uint32_t* count, td_error* error);
/* The columns of a class. `tracedeck:name` and `tracedeck:kind` in the metadata of a column say
 * which field it is of and what its values stand for (docs/python.md). */
td_status td_class_schema(td_trace trace, uint32_t class_number, struct ArrowSchema* schema,
                          td_error* error);
/* One JSON object: `name`; of events `id`, `trace`, `self_described`. */
td_status td_class_json(td_trace trace, uint32_t class_number, td_write write, void* user,
                        td_error* error);

/* What is known by now, one JSON object: `events` that were read, `lost_events`, `problems`,
 * `complete` (false after an error or damage), and sentences in `errors` and `notes`. */
td_status td_report(td_trace trace, td_write write, void* user, td_error* error);
/* The traces that were opened, as a JSON array of what `schema --json` prints of each. With several
 * jobs only behind TD_END. */
td_status td_schema(td_trace trace, td_write write, void* user, td_error* error);

/* All events of one name as an Arrow stream, which reads the traces on its own; its errors are
 * those of `td_open`. Where events of that name have several columns, those of the first come, and
 * `get_next` fails at the first of others. */
td_status td_stream(const char* const* paths, size_t path_count, const td_options* options,
                    const char* name, struct ArrowArrayStream* stream, td_error* error);

/* --- Events, one by one: instead of batches ------------------------------------------------- */

typedef struct td_event {
  uint32_t struct_size;
  uint32_t has_time;
  const char* name; /* until the next event; not zero-terminated */
  size_t name_size;
  int64_t time;     /* ns since the Unix epoch or the clock's own origin, saturated */
  int64_t duration; /* ns */
  uint32_t has_duration;
  uint32_t reserved;
} td_event;

td_status td_next_event(td_trace trace, td_event* event, td_error* error);

typedef enum td_kind {
  TD_NONE = 0, /* the event has no such field, or it is left out */
  TD_BOOLEAN,  /* integer: 0 or 1 */
  TD_SIGNED,   /* integer */
  TD_UNSIGNED, /* natural */
  TD_REAL,     /* real */
  TD_TEXT,     /* data, size; also integers beyond 64 bits, in decimal */
  TD_BYTES,    /* data, size */
  TD_COMPOUND  /* data, size: JSON; `count` elements, members or pairs */
} td_kind;

typedef struct td_value {
  uint32_t struct_size;
  uint32_t kind;
  int64_t integer;
  uint64_t natural;
  double real;
  const char* data;
  size_t size;
  size_t count;
  const char* label; /* the first label of an enumeration, or null */
  size_t label_size;
} td_value;

/* The field at a path ("label", "header.flags[2]", "http.status", "list[-1]": docs/query.md) of the
 * event that came last, else the one that its contexts have. Pointers are valid until the next call
 * for this trace. */
td_status td_field(td_trace trace, const char* path, td_value* value, td_error* error);

/* --- Answers -------------------------------------------------------------------------------- */

/* What `tracedeck query --json` prints: a JSON line for each row, then one about what the answer
 * was made of, with its `columns`. The stages may begin with `spans`. */
td_status td_query(const char* const* paths, size_t path_count, const td_options* options,
                   const char* stages, td_write write, void* user, td_error* error);

/* What is known of these traces, for an answer over many: `query --partial`. The parts of one
 * question add up, wherever they were made. */
td_status td_partial(const char* const* paths, size_t path_count, const td_options* options,
                     const char* stages, td_write write, void* user, td_error* error);

typedef struct td_part {
  const void* data;
  size_t size;
} td_part;

/* The answer that parts add up to, as of td_query; or, if `as_part` is 1, one part of them all. A
 * part that is damaged, or of another question than the first, is TD_ERROR_REJECTED, named "part
 * 3". */
td_status td_merge(const td_part* parts, size_t part_count, int as_part, td_write write, void* user,
                   td_error* error);

/* What `tracedeck latency --json` prints. `by` may name arguments to group by; null: none. `where`
 * of the options is about slices and waits (docs/timeline.md). */
td_status td_latency(const char* const* paths, size_t path_count, const td_options* options,
                     const char* by, td_write write, void* user, td_error* error);

/* What `tracedeck diff --json` prints of two traces, A and B. `where` of the options is about
 * slices and waits, as of td_latency. */
td_status td_diff(const char* const* paths, size_t path_count, const td_options* options,
                  const char* by, td_write write, void* user, td_error* error);

typedef struct td_why_question {
  uint32_t struct_size;
  uint32_t rank;     /* 1, or 0: the longest; at most 1000 */
  const char* slice; /* a name, a category, or a glob over both; null: any */
  const char* at;    /* a time as of --at, which is to be within it; null: any */
  const char* track; /* a name or a glob; null: any */
} td_why_question;

/* What `tracedeck why --json` prints of one slice, wait or state. At least one of `slice` and `at`
 * is given; a `rank` above 1 goes with `slice` alone. The traces are read twice: what can be read
 * once is TD_ERROR_UNSUPPORTED. Of the options `where`, `begin`, `end`, `limit` and flags are
 * TD_ERROR_ARGUMENT. */
td_status td_why(const char* const* paths, size_t path_count, const td_options* options,
                 const td_why_question* question, td_write write, void* user, td_error* error);

enum {
  TD_FLAT = 1,           /* of csv: a column for each field */
  TD_SHARE = 2,          /* texts and paths are hidden */
  TD_SPANS = 4,          /* of heph: slices, in place of events */
  TD_ALL_FLOWS = 8,      /* of time lines: arrows also of what took less than tables ask for */
  TD_ALL_ARGUMENTS = 16, /* of html: fields of all slices, not of the longest of each name alone */
  TD_TIMESTAMPS = 32,    /* of tables: times as timestamps too */
  TD_RAW = 64            /* of tables: values of clocks too */
};

typedef struct td_convert_options {
  uint32_t struct_size;
  uint32_t flags;
  const char* what;        /* of tables: "events" (or null), "spans", "all" */
  const char* layout;      /* of tables: "class", "schema", "one"; null: as usual for the target */
  const char* partition;   /* of tables: "class" (or null), "class,date", "class,date,hour" */
  const char* segment;     /* that files of tables are named after; null: their content */
  const char* const* tags; /* of tables: "NAME=VALUE" */
  size_t tag_count;
  const char* const* drop; /* patterns of what is hidden, docs/conversion.md */
  size_t drop_count;
  const char* const* mask;
  size_t mask_count;
  const char* mask_key;      /* a file; null: a random key */
  const char* dial9_version; /* "0.3", "0.4"; null: the default */
  uint64_t packet_size;      /* bytes, of formats with packets; 0: the default */
  uint64_t split_size;       /* bytes of a part; 0: the result is not divided so */
  uint64_t split_duration;   /* ns of a part; the same */
  /* Of time lines, docs/export.md: */
  uint64_t min_duration;   /* ns: shorter slices are left out, and counted; 0: none */
  uint64_t max_size;       /* bytes: as many of the shortest slices are left out; 0: any size */
  const char* weight;      /* of folded: "time", "samples", "bytes", "live-bytes"; null: samples
                              where there are any, else time */
  uint32_t perfetto_level; /* the oldest version that is to read it: 57 (or 0), 50 */
  uint32_t reserved;       /* 0 */
} td_convert_options;

/* Converts the traces to the target `to` (a word of `convert --to`; null: what the ending of `out`
 * stands for) at the path `out`, which gets its name when the result is complete, and writes the
 * receipt: the object of `convert --report`. `convert` may be null. An error only where there is no
 * result: a trace that cannot be read to its end goes to `note`. TD_ERROR_LIMIT: it cannot be as
 * small as `max_size`. After TD_ERROR_CANCELLED what was written may be left in a file that ends in
 * .part. */
td_status td_convert(const char* const* paths, size_t path_count, const td_options* options,
                     const char* to, const char* out, const td_convert_options* convert,
                     td_write write, void* user, td_error* error);

/* What `tracedeck validate --json` prints: a JSON line for each finding. */
td_status td_validate(const char* const* paths, size_t path_count, const td_options* options,
                      td_write write, void* user, td_error* error);

#ifdef __cplusplus
}
#endif

#endif

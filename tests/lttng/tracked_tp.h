/* Tracepoints of the program that tests/lttng_test.py records: the kinds of fields that lttng-ust writes. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tracked

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./tracked_tp.h"

#if !defined(TRACKED_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TRACKED_TP_H

#include <stdint.h>
#include <stddef.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_ENUM(tracked, color,
    LTTNG_UST_TP_ENUM_VALUES(
        lttng_ust_field_enum_value("RED", 0)
        lttng_ust_field_enum_range("GREENISH", 1, 3)
        lttng_ust_field_enum_value("BLUE", -7)
        lttng_ust_field_enum_auto("NEXT")
    )
)

LTTNG_UST_TRACEPOINT_EVENT(tracked, numbers,
    LTTNG_UST_TP_ARGS(uint64_t, i),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(int8_t, i8, (int8_t)-i)
        lttng_ust_field_integer(uint16_t, u16, (uint16_t)i)
        lttng_ust_field_integer_hex(uint32_t, hex, (uint32_t)i)
        lttng_ust_field_integer_network(uint32_t, network, (uint32_t)i)
        lttng_ust_field_integer_nowrite(int, hidden, 1)
        lttng_ust_field_float(float, f32, (float)i / 3)
        lttng_ust_field_float(double, f64, (double)i / 3)
        lttng_ust_field_enum(tracked, color, int, color, (int)(i % 9) - 7)
    )
)

LTTNG_UST_TRACEPOINT_EVENT(tracked, texts,
    LTTNG_UST_TP_ARGS(const char *, text, size_t, length, const uint16_t *, numbers),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_string(text, text)
        lttng_ust_field_array(uint16_t, array, numbers, 4)
        lttng_ust_field_array_hex(uint16_t, array_hex, numbers, 2)
        lttng_ust_field_array_text(char, array_text, "12345", 5)
        lttng_ust_field_sequence(uint16_t, sequence, numbers, size_t, length % 5)
        lttng_ust_field_sequence_text(char, sequence_text, text, size_t, length)
        lttng_ust_field_unused(length)
    )
)

LTTNG_UST_TRACEPOINT_EVENT(tracked, nothing, LTTNG_UST_TP_ARGS(), LTTNG_UST_TP_FIELDS())

LTTNG_UST_TRACEPOINT_LOGLEVEL(tracked, nothing, LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING)

#endif

#include <lttng/tracepoint-event.h>

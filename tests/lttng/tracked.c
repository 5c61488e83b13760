/* Records as many rounds of tracepoints as its first argument says. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tracked_tp.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const char *const texts[] = {"plain", "quoted \"text\"\\", "two\nlines\tand a tab", "\xc3\xa9t\xc3\xa9"};
    static const uint16_t numbers[] = {1, 0, 0xffff, 0x0102, 7};
    const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    for (unsigned long i = 0; i < rounds; ++i) {
        const char *const text = texts[i % (sizeof texts / sizeof *texts)];
        /* No quotes in it: where a text is empty, babeltrace2 may print what it held before. */
        const size_t length = strchr(text, '"') == NULL ? strlen(text) : 0;
        lttng_ust_tracepoint(tracked, numbers, i * i * 977);
        lttng_ust_tracepoint(tracked, texts, text, length, numbers);
        if (i % 3 == 0)
            lttng_ust_tracepoint(tracked, nothing);
    }
    return 0;
}

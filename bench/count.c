/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench-count LIBRARY ROW EVENTS: writes EVENTS events of one kind, for bench/instructions, which
 * counts what the library's functions execute.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/rows.h"

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s LIBRARY ROW EVENTS\n", argv[0]);
        return 2;
    }
    struct bench_library l;
    bench_load(&l, "library", argv[1]);
    unsigned row = (unsigned)strtoul(argv[2], NULL, 10);
    if (row >= BENCH_ROWS)
        return 2;
    OTF2_Archive *a = bench_open(&l, bench_directory(), "archive");
    if (!a)
        return 1;
    OTF2_EvtWriter *w = l.OTF2_Archive_GetEvtWriter(a, 0);
    bench_rows[row].run(&l, w, strtoull(argv[3], NULL, 0));
    return l.OTF2_Archive_Close(a) != OTF2_SUCCESS;
}

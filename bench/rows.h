/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of events that are measured. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdint.h>

#include "bench/bench.h"

enum { BENCH_ROWS = 4 };

/* Writes n events. */
typedef void (*bench_row_function)(const struct bench_library *l, OTF2_EvtWriter *w, uint64_t n);

struct bench_row {
    const char *name;
    bench_row_function run;
};

extern const struct bench_row bench_rows[BENCH_ROWS];

#endif

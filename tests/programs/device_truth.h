/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FAKE_TRUTH names a file that says what devices do, a line a work: kind, device, context, begin,
 * end, given, bytes, items, name; times in ns of CLOCK_MONOTONIC. `given` is a moment within the
 * call that has given it. tests/lib/device_truth.py reads it.
 */
#ifndef TESTS_DEVICE_TRUTH_H
#define TESTS_DEVICE_TRUTH_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct truth {
    int kind;
    unsigned device, context;
    uint64_t begin, end, given;
    size_t bytes;
    unsigned items;
    const char *name; /* NULL: it has none */
};

static void tell_truth(const struct truth *work)
{
    static _Atomic(FILE *) file;
    const char *path = getenv("FAKE_TRUTH");
    FILE *out = file, *none = NULL;
    if (!path)
        return;
    if (!out && (out = fopen(path, "ae")) && !atomic_compare_exchange_strong(&file, &none, out)) {
        fclose(out);
        out = none;
    }
    fprintf(out, "%d %u %u %llu %llu %llu %zu %u %s\n", work->kind, work->device, work->context,
            (unsigned long long)work->begin, (unsigned long long)work->end,
            (unsigned long long)work->given, work->bytes, work->items,
            work->name ? work->name : "-");
}

#endif

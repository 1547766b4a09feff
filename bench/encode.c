/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event costs: bench-encode OUR_LIBRARY [REFERENCE_LIBRARY [EVENTS]]. Both write the same
 * events to a file, from open to close of the archive, in turns. "inline" is the agent's way into
 * our library, into one chunk again and again, without files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "bench/bench.h"
#include "bench/rows.h"
#include "writer/evt_inline.h"

enum { ROUNDS = 7, CHUNK = 1024 * 1024 };

/* The inline doors, on a chunk that starts anew when it is full. */
static double inline_ns(uint64_t n)
{
    static uint8_t chunk[CHUNK];
    struct otf2_evt_cursor c = {.end = chunk + sizeof chunk, .chunk = chunk, .pos = chunk};
    double begin = bench_now_ns();
    for (uint64_t i = 0; i < n; i += 2) {
        if (c.end - c.pos < 100)
            c.pos = chunk;
        otf2_evt_put_Enter(&c, NULL, 100 * i + 1, (uint32_t)i % 200);
        otf2_evt_put_Leave(&c, NULL, 100 * i + 50, (uint32_t)i % 200);
    }
    return (bench_now_ns() - begin) / (double)n;
}

static uint64_t file_bytes(const char *dir, const char *name)
{
    char path[4200];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s/traces/0.evt", dir, name);
    return stat(path, &s) ? 0 : (uint64_t)s.st_size;
}

static double once(const struct bench_library *l, const char *dir, bench_row_function run,
                   uint64_t n, uint64_t *bytes)
{
    double begin = bench_now_ns();
    OTF2_Archive *a = bench_open(l, dir, "archive");
    l->OTF2_Archive_OpenEvtFiles(a);
    OTF2_EvtWriter *w = l->OTF2_Archive_GetEvtWriter(a, 0);
    run(l, w, n);
    l->OTF2_Archive_CloseEvtWriter(a, w);
    l->OTF2_Archive_CloseEvtFiles(a);
    l->OTF2_Archive_Close(a);
    double ns = (bench_now_ns() - begin) / (double)n;
    *bytes = file_bytes(dir, "archive");
    bench_remove(dir, "archive");
    return ns;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s OUR_LIBRARY [REFERENCE_LIBRARY [EVENTS]]\n", argv[0]);
        return 2;
    }
    struct bench_library ours, theirs;
    bench_load(&ours, "ours", argv[1]);
    bench_load(&theirs, "reference", argc > 2 ? argv[2] : "libopen-trace-format2.so.10");
    uint64_t n = argc > 3 ? strtoull(argv[3], NULL, 0) : 4000000;
    const char *dir = bench_directory();

    printf("CPU ns an event, %d rounds of %llu events, open to close\n\n", ROUNDS,
           (unsigned long long)n);
    printf("%-22s %9s %9s %7s %7s\n", "", "reference", "ours", "ratio", "bytes");
    for (size_t r = 0; r < BENCH_ROWS; r++) {
        double a[ROUNDS], b[ROUNDS], ratio[ROUNDS];
        uint64_t bytes = 0;
        (void)once(&theirs, dir, bench_rows[r].run, n / 4, &bytes);
        (void)once(&ours, dir, bench_rows[r].run, n / 4, &bytes);
        for (unsigned i = 0; i < ROUNDS; i++) {
            a[i] = once(&theirs, dir, bench_rows[r].run, n, &bytes);
            b[i] = once(&ours, dir, bench_rows[r].run, n, &bytes);
            ratio[i] = b[i] / a[i];
        }
        printf("%-22s %9.1f %9.1f %7.2f %7.2f\n", bench_rows[r].name, bench_median(a, ROUNDS),
               bench_median(b, ROUNDS), bench_median(ratio, ROUNDS), (double)bytes / (double)n);
    }
    double ns[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++)
        ns[i] = inline_ns(n);
    printf("%-22s %9s %9.1f\n", "Enter/Leave, inline", "", bench_median(ns, ROUNDS));
    return 0;
}

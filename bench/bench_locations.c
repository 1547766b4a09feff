/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a location costs: bench-locations OUR_LIBRARY [REFERENCE_LIBRARY]. An archive with n
 * locations, each with a few events and a local definition file, all open at the same time: CPU
 * microseconds a location from open to close, and whether it was written at all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench/bench.h"

enum { EVENTS = 10, ROUNDS = 3 };

/* 0 for success. */
static int write_locations(const struct bench_library *l, const char *dir, uint64_t n, double us[2])
{
    double begin = bench_now_ns();
    OTF2_Archive *a = bench_open(l, dir, "archive");
    if (!a)
        return 1;
    OTF2_EvtWriter **writers = calloc(n, sizeof(OTF2_EvtWriter *));
    int failed = !writers;
    l->OTF2_Archive_OpenEvtFiles(a);
    for (uint64_t i = 0; i < n && !failed; i++) {
        writers[i] = l->OTF2_Archive_GetEvtWriter(a, i);
        failed = !writers[i];
        for (uint64_t e = 0; e < EVENTS && !failed; e++)
            failed = l->OTF2_EvtWriter_Enter(writers[i], NULL, e, (uint32_t)e);
    }
    for (uint64_t i = 0; i < n && !failed; i++)
        failed = l->OTF2_Archive_CloseEvtWriter(a, writers[i]);
    free(writers);
    l->OTF2_Archive_CloseEvtFiles(a);
    l->OTF2_Archive_OpenDefFiles(a);
    for (uint64_t i = 0; i < n && !failed; i++) {
        OTF2_DefWriter *d = l->OTF2_Archive_GetDefWriter(a, i);
        failed = !d || l->OTF2_Archive_CloseDefWriter(a, d);
    }
    l->OTF2_Archive_CloseDefFiles(a);
    failed |= (int)l->OTF2_Archive_Close(a);
    us[0] = (bench_now_ns() - begin) / 1000 / (double)n;
    return failed;
}

static void print(const struct bench_library *l, const char *dir, uint64_t n)
{
    double us[ROUNDS];
    struct bench_cost cost = {0};
    for (unsigned i = 0; i < ROUNDS && !cost.failed; i++) {
        cost = bench_apart(l, dir, n, write_locations);
        bench_remove(dir, "archive");
        us[i] = cost.us[0];
    }
    if (cost.failed)
        printf("  %10s %10s", "fails", "");
    else
        printf("  %10.1f %10ld", bench_median(us, ROUNDS), cost.resident_kib / 1024);
}

int main(int argc, char **argv)
{
    struct bench_library ours, theirs;
    (void)argc;
    bench_load_both(argv, "", &ours, &theirs);
    const struct rlimit limit = {1024, 1024};
    setrlimit(RLIMIT_NOFILE, &limit);
    const char *dir = bench_directory();

    printf("CPU us a location and MiB resident, open to close, at most 1024 files open\n\n");
    printf("%10s  %21s  %21s\n", "locations", "reference", "ours");
    for (uint64_t n = 1; n <= 10000; n *= n == 1 ? 100 : 10) {
        printf("%10llu", (unsigned long long)n);
        /* The reference library needs minutes for more, where it does not fail. */
        if (n <= 1000)
            print(&theirs, dir, n);
        else
            printf("  %10s %10s", "not run", "");
        print(&ours, dir, n);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}

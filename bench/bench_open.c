/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a location costs a reader: bench-open OUR_LIBRARY [REFERENCE_LIBRARY]. All locations of an
 * archive are open at the same time, each with a few events: CPU microseconds a location to select
 * it and open its events, and from there to the end: its definitions, the merged reader, closing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench/bench.h"

enum { EVENTS = 10, ROUNDS = 3 };

/* Both libraries read what ours has written. */
static int write_archive(const struct bench_library *l, const char *dir, uint64_t n)
{
    OTF2_Archive *a = bench_open(l, dir, "archive");
    int failed = !a;
    for (uint64_t i = 0; i < n && !failed; i++) {
        OTF2_EvtWriter *w = l->OTF2_Archive_GetEvtWriter(a, i);
        for (uint64_t e = 0; e < EVENTS && !failed; e++)
            failed = l->OTF2_EvtWriter_Enter(w, NULL, e, (uint32_t)e);
        failed |= l->OTF2_Archive_CloseEvtWriter(a, w);
        failed |= l->OTF2_Archive_CloseDefWriter(a, l->OTF2_Archive_GetDefWriter(a, i));
    }
    return failed | (int)l->OTF2_Archive_Close(a);
}

static int read_archive(const struct bench_library *l, const char *dir, uint64_t n, double us[2])
{
    char path[4200];
    uint64_t done;
    snprintf(path, sizeof path, "%s/archive/traces.otf2", dir);
    double begin = bench_now_ns();
    OTF2_Reader *r = l->OTF2_Reader_Open(path);
    int failed = !r || l->OTF2_Reader_SetSerialCollectiveCallbacks(r);
    for (uint64_t i = 0; i < n && !failed; i++)
        failed = (int)l->OTF2_Reader_SelectLocation(r, i);
    failed = failed || l->OTF2_Reader_OpenEvtFiles(r);
    for (uint64_t i = 0; i < n && !failed; i++)
        failed = !l->OTF2_Reader_GetEvtReader(r, i);
    double opened = bench_now_ns();
    failed = failed || l->OTF2_Reader_OpenDefFiles(r);
    for (uint64_t i = 0; i < n && !failed; i++) {
        OTF2_DefReader *d = l->OTF2_Reader_GetDefReader(r, i);
        failed = !d || l->OTF2_Reader_ReadAllLocalDefinitions(r, d, &done) ||
                 l->OTF2_Reader_CloseDefReader(r, d);
    }
    failed = failed || !l->OTF2_Reader_GetGlobalEvtReader(r);
    failed = failed || l->OTF2_Reader_Close(r);
    us[0] = (opened - begin) / 1000 / (double)n;
    us[1] = (bench_now_ns() - opened) / 1000 / (double)n;
    return failed;
}

static void print(const struct bench_library *l, const char *dir, uint64_t n)
{
    double open_us[ROUNDS];
    double rest_us[ROUNDS];
    struct bench_cost cost = {0};
    for (unsigned i = 0; i < ROUNDS && !cost.failed; i++) {
        cost = bench_apart(l, dir, n, read_archive);
        open_us[i] = cost.us[0];
        rest_us[i] = cost.us[1];
    }
    if (cost.failed)
        printf("  %8s %8s %6s", "fails", "", "");
    else
        printf("  %8.1f %8.1f %6ld", bench_median(open_us, ROUNDS), bench_median(rest_us, ROUNDS),
               cost.resident_kib / 1024);
}

int main(int argc, char **argv)
{
    struct bench_library ours, theirs;
    (void)argc;
    bench_load_both(argv, "", &ours, &theirs);
    const struct rlimit limit = {1024, 1024};
    setrlimit(RLIMIT_NOFILE, &limit);
    const char *dir = bench_directory();

    printf("CPU us a location to open its events, and to the end; MiB resident; at most 1024 files "
           "open\n\n%10s  %24s  %24s\n",
           "locations", "reference", "ours");
    for (uint64_t n = 100; n <= 10000; n *= 10) {
        printf("%10llu", (unsigned long long)n);
        if (write_archive(&ours, dir, n)) {
            printf("  cannot be written\n");
            return 1;
        }
        /* The reference keeps each file open and each chunk in memory, and fails at 1019. */
        if (n <= 1000)
            print(&theirs, dir, n);
        else
            printf("  %8s %8s %6s", "not run", "", "");
        print(&ours, dir, n);
        printf("\n");
        fflush(stdout);
        bench_remove(dir, "archive");
    }
    return 0;
}

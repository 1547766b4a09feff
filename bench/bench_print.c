/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event costs as text: bench-print SPUR_PRINT [OTF2_PRINT [EVENTS]]. Both print the same
 * archive of an MPI job to /dev/null, in turns; times are the CPU times of the processes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"

enum { ROUNDS = 4, LOCATIONS = 16, REGIONS = 100, BURST = 6 };

/* Locations take turns in bursts, as ranks do; a quarter of the events are messages. */
static void write_events(OTF2_EvtWriter *w, uint64_t location, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t time = 1700000000000 + i / BURST * BURST * LOCATIONS * 50 + location * BURST * 50 +
                        i % BURST * 50;
        uint32_t region = (uint32_t)(i / 4 % REGIONS);
        uint32_t partner = (uint32_t)((location + i) % LOCATIONS);
        if (i % 4 == 0)
            bench_check(OTF2_EvtWriter_Enter(w, NULL, time, region));
        else if (i % 4 == 1)
            bench_check(OTF2_EvtWriter_MpiSend(w, NULL, time, partner, 0, 7, 4096 + i % 5000));
        else if (i % 4 == 2)
            bench_check(OTF2_EvtWriter_Leave(w, NULL, time, region));
        else
            bench_check(OTF2_EvtWriter_Enter(w, NULL, time, region + 1 < REGIONS ? region + 1 : 0));
    }
}

static void write_definitions(OTF2_GlobalDefWriter *g, uint64_t events)
{
    char text[64];
    uint64_t members[LOCATIONS];
    bench_check(
        OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000000, 1700000000000, 1000000000, 0));
    for (uint32_t i = 0; i < REGIONS + LOCATIONS; i++) {
        snprintf(text, sizeof text, i < REGIONS ? "function_number_%u" : "Master thread %u", i);
        bench_check(OTF2_GlobalDefWriter_WriteString(g, i, text));
    }
    bench_check(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        members[i] = i;
        bench_check(OTF2_GlobalDefWriter_WriteLocationGroup(g, i, 0,
                                                            OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                            OTF2_UNDEFINED_LOCATION_GROUP));
        bench_check(OTF2_GlobalDefWriter_WriteLocation(g, i, REGIONS + i,
                                                       OTF2_LOCATION_TYPE_CPU_THREAD, events, i));
    }
    for (uint32_t i = 0; i < REGIONS; i++)
        bench_check(OTF2_GlobalDefWriter_WriteRegion(g, i, i, i, i, OTF2_REGION_ROLE_FUNCTION,
                                                     OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0,
                                                     1, 2));
    bench_check(OTF2_GlobalDefWriter_WriteGroup(g, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, LOCATIONS,
                                                members));
    bench_check(OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP,
                                                OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, LOCATIONS,
                                                members));
    bench_check(
        OTF2_GlobalDefWriter_WriteComm(g, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void write_archive(const char *dir, uint64_t events)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/print", dir);
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    bench_check(a ? OTF2_SUCCESS : OTF2_ERROR_INVALID);
    bench_check(OTF2_Archive_SetFlushCallbacks(a, &bench_flush, NULL));
    bench_check(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    write_definitions(OTF2_Archive_GetGlobalDefWriter(a), events / LOCATIONS);
    bench_check(OTF2_Archive_OpenEvtFiles(a));
    bench_check(OTF2_Archive_OpenDefFiles(a));
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        write_events(OTF2_Archive_GetEvtWriter(a, i), i, events / LOCATIONS);
        bench_check(OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, i)));
    }
    bench_check(OTF2_Archive_CloseDefFiles(a));
    bench_check(OTF2_Archive_CloseEvtFiles(a));
    bench_check(OTF2_Archive_Close(a));
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    const char *programs[] = {argc > 2 ? argv[2] : "otf2-print", argv[1]};
    uint64_t events = (argc > 3 ? strtoull(argv[3], NULL, 10) : 2000000) / LOCATIONS * LOCATIONS;
    const char *dir = bench_directory();
    double times[2][ROUNDS];
    char path[1024];
    write_archive(dir, events);
    snprintf(path, sizeof path, "%s/print/traces.otf2", dir);
    for (unsigned round = 0; round <= ROUNDS; round++)
        for (unsigned p = 0; p < 2; p++) {
            const char *const arguments[] = {programs[p], path, NULL};
            double time = bench_program(arguments).us[0] * 1e3 / (double)events;
            if (round)
                times[p][round - 1] = time;
        }
    double theirs = bench_median(times[0], ROUNDS);
    double ours = bench_median(times[1], ROUNDS);
    printf("%-30s %9s %9s %9s\n", "ns an event as text", "reference", "ours", "ratio");
    printf("%-30s %9.1f %9.1f %8.2fx\n", "16 locations, messages", theirs, ours, theirs / ours);
    return 0;
}

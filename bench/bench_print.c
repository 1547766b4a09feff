/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an event costs as text: bench-print SPUR_PRINT [OTF2_PRINT [EVENTS]]. Both print the same
 * archive of an MPI job to /dev/null, in turns; times are the CPU times of the processes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

enum { ROUNDS = 4, LOCATIONS = 16, REGIONS = 100, BURST = 6 };

static OTF2_FlushType always(void *user, OTF2_FileType type, OTF2_LocationRef location,
                             void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static void check(OTF2_ErrorCode code)
{
    if (!code)
        return;
    fprintf(stderr, "bench-print: %s\n", OTF2_Error_GetName(code));
    exit(1);
}

/* Locations take turns in bursts, as ranks do; a quarter of the events are messages. */
static void write_events(OTF2_EvtWriter *w, uint64_t location, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t time = 1700000000000 + i / BURST * BURST * LOCATIONS * 50 + location * BURST * 50 +
                        i % BURST * 50;
        uint32_t region = (uint32_t)(i / 4 % REGIONS);
        uint32_t partner = (uint32_t)((location + i) % LOCATIONS);
        if (i % 4 == 0)
            check(OTF2_EvtWriter_Enter(w, NULL, time, region));
        else if (i % 4 == 1)
            check(OTF2_EvtWriter_MpiSend(w, NULL, time, partner, 0, 7, 4096 + i % 5000));
        else if (i % 4 == 2)
            check(OTF2_EvtWriter_Leave(w, NULL, time, region));
        else
            check(OTF2_EvtWriter_Enter(w, NULL, time, region + 1 < REGIONS ? region + 1 : 0));
    }
}

static void write_definitions(OTF2_GlobalDefWriter *g, uint64_t events)
{
    char text[64];
    uint64_t members[LOCATIONS];
    check(OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000000, 1700000000000, 1000000000, 0));
    for (uint32_t i = 0; i < REGIONS + LOCATIONS; i++) {
        snprintf(text, sizeof text, i < REGIONS ? "function_number_%u" : "Master thread %u", i);
        check(OTF2_GlobalDefWriter_WriteString(g, i, text));
    }
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        members[i] = i;
        check(OTF2_GlobalDefWriter_WriteLocationGroup(g, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
        check(OTF2_GlobalDefWriter_WriteLocation(g, i, REGIONS + i, OTF2_LOCATION_TYPE_CPU_THREAD,
                                                 events, i));
    }
    for (uint32_t i = 0; i < REGIONS; i++)
        check(OTF2_GlobalDefWriter_WriteRegion(g, i, i, i, i, OTF2_REGION_ROLE_FUNCTION,
                                               OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 1, 2));
    check(OTF2_GlobalDefWriter_WriteGroup(g, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, LOCATIONS,
                                          members));
    check(OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, LOCATIONS, members));
    check(OTF2_GlobalDefWriter_WriteComm(g, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void write_archive(const char *dir, uint64_t events)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = always};
    char path[1024];
    snprintf(path, sizeof path, "%s/print", dir);
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    check(a ? OTF2_SUCCESS : OTF2_ERROR_INVALID);
    check(OTF2_Archive_SetFlushCallbacks(a, &flush, NULL));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    write_definitions(OTF2_Archive_GetGlobalDefWriter(a), events / LOCATIONS);
    check(OTF2_Archive_OpenEvtFiles(a));
    check(OTF2_Archive_OpenDefFiles(a));
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        write_events(OTF2_Archive_GetEvtWriter(a, i), i, events / LOCATIONS);
        check(OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, i)));
    }
    check(OTF2_Archive_CloseDefFiles(a));
    check(OTF2_Archive_CloseEvtFiles(a));
    check(OTF2_Archive_Close(a));
}

/* Nanoseconds of CPU time that the program takes to print. */
static double print(const char *program, const char *path)
{
    struct rusage usage;
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        int out = open("/dev/null", O_WRONLY);
        dup2(out, STDOUT_FILENO);
        execlp(program, program, path, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status) {
        fprintf(stderr, "bench-print: %s fails\n", program);
        exit(1);
    }
    return ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
           ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3;
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
            double time = print(programs[p], path) / (double)events;
            if (round)
                times[p][round - 1] = time;
        }
    double theirs = bench_median(times[0], ROUNDS);
    double ours = bench_median(times[1], ROUNDS);
    printf("%-30s %9s %9s %9s\n", "ns an event as text", "reference", "ours", "ratio");
    printf("%-30s %9.1f %9.1f %8.2fx\n", "16 locations, messages", theirs, ours, theirs / ours);
    return 0;
}

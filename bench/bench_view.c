/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of a picture of a large archive: bench-view SPUR_VIEW [EVENTS [LOCATIONS [KEPT]]] writes
 * an archive of an MPI job to the folder KEPT (else to a temporary folder), and makes the archive's
 * page.
 *
 * Ranks call two functions deep and send to each other; a quarter of the events are messages. Each
 * rank is at another place of the same program, so no two rows look alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"

enum {
    REGIONS = 100,
    STRIDE_NS = 50,        /* from an event to the next */
    STRINGS = 1 + REGIONS, /* names of locations follow */
};

/* ---- the archive ---- */

/*
 * Eight events: a phase of the program, a call in the phase, a message to the next rank, and a
 * message from the previous rank.
 */
static void write_round(OTF2_EvtWriter *w, uint32_t rank, uint32_t ranks, uint64_t round)
{
    uint64_t time = round * 8 * STRIDE_NS + rank % 7;
    uint32_t phase = (uint32_t)((round >> 10) + rank) % 20;
    uint32_t inner = 20 + (uint32_t)((round + rank) % 60);
    uint32_t mpi = 80 + (uint32_t)(round % 20);
    uint64_t bytes = 4096 + round % 5000;
    bench_check(OTF2_EvtWriter_Enter(w, NULL, time, phase));
    bench_check(OTF2_EvtWriter_Enter(w, NULL, time + STRIDE_NS, inner));
    bench_check(OTF2_EvtWriter_Leave(w, NULL, time + 2 * STRIDE_NS, inner));
    bench_check(OTF2_EvtWriter_Enter(w, NULL, time + 3 * STRIDE_NS, mpi));
    bench_check(
        OTF2_EvtWriter_MpiSend(w, NULL, time + 4 * STRIDE_NS, (rank + 1) % ranks, 0, 7, bytes));
    bench_check(OTF2_EvtWriter_MpiRecv(w, NULL, time + 5 * STRIDE_NS, (rank + ranks - 1) % ranks, 0,
                                       7, bytes));
    bench_check(OTF2_EvtWriter_Leave(w, NULL, time + 6 * STRIDE_NS, mpi));
    bench_check(OTF2_EvtWriter_Leave(w, NULL, time + 7 * STRIDE_NS, phase));
}

static void write_regions(OTF2_GlobalDefWriter *g)
{
    char text[64];
    for (uint32_t i = 0; i < REGIONS; i++) {
        snprintf(text, sizeof text, i < 80 ? "function_%u" : "MPI_Function_%u", i);
        bench_check(OTF2_GlobalDefWriter_WriteString(g, 1 + i, text));
        bench_check(OTF2_GlobalDefWriter_WriteRegion(
            g, i, 1 + i, 1 + i, 0,
            i < 80 ? OTF2_REGION_ROLE_FUNCTION : OTF2_REGION_ROLE_POINT2POINT,
            i < 80 ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 1, 2));
    }
}

static void write_definitions(OTF2_GlobalDefWriter *g, uint32_t ranks, uint64_t rounds)
{
    char text[64];
    uint64_t *members = calloc((size_t)ranks + 1, sizeof *members);
    bench_check(members ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED);
    bench_check(
        OTF2_GlobalDefWriter_WriteClockProperties(g, 1000000000, 0, rounds * 8 * STRIDE_NS, 0));
    bench_check(OTF2_GlobalDefWriter_WriteString(g, 0, ""));
    write_regions(g);
    bench_check(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < ranks; i++) {
        members[i] = i;
        snprintf(text, sizeof text, "rank %u", i);
        bench_check(OTF2_GlobalDefWriter_WriteString(g, STRINGS + i, text));
        bench_check(OTF2_GlobalDefWriter_WriteLocationGroup(g, i, STRINGS + i,
                                                            OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                            OTF2_UNDEFINED_LOCATION_GROUP));
        bench_check(OTF2_GlobalDefWriter_WriteLocation(g, i, STRINGS + i,
                                                       OTF2_LOCATION_TYPE_CPU_THREAD, rounds * 8,
                                                       i));
    }
    bench_check(OTF2_GlobalDefWriter_WriteGroup(g, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks,
                                                members));
    bench_check(OTF2_GlobalDefWriter_WriteGroup(g, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP,
                                                OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks,
                                                members));
    bench_check(
        OTF2_GlobalDefWriter_WriteComm(g, 0, 0, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    free(members);
}

static void write_archive(const char *path, uint32_t ranks, uint64_t rounds)
{
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    bench_check(a ? OTF2_SUCCESS : OTF2_ERROR_INVALID);
    bench_check(OTF2_Archive_SetFlushCallbacks(a, &bench_flush, NULL));
    bench_check(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    write_definitions(OTF2_Archive_GetGlobalDefWriter(a), ranks, rounds);
    bench_check(OTF2_Archive_OpenEvtFiles(a));
    bench_check(OTF2_Archive_OpenDefFiles(a));
    for (uint32_t rank = 0; rank < ranks; rank++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, rank);
        for (uint64_t round = 0; round < rounds; round++)
            write_round(w, rank, ranks, round);
        bench_check(OTF2_Archive_CloseEvtWriter(a, w));
        bench_check(OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, rank)));
    }
    bench_check(OTF2_Archive_CloseDefFiles(a));
    bench_check(OTF2_Archive_CloseEvtFiles(a));
    bench_check(OTF2_Archive_Close(a));
}

/* ---- the page of the archive ---- */

static void show(const char *program, const char *archive, const char *page, uint64_t events)
{
    struct stat info;
    const char *const arguments[] = {program, "--no-findings", "-o", page, archive, NULL};
    const struct bench_cost cost = bench_program(arguments);
    bench_check(stat(page, &info) ? OTF2_ERROR_FILE_CAN_NOT_OPEN : OTF2_SUCCESS);
    double time = cost.us[0] / 1e6;
    printf("%-12s %9s %12s %9s %9s\n", "M events", "CPU s", "M events/s", "RSS MiB", "page MB");
    printf("%-12.1f %9.2f %12.1f %9.0f %9.1f\n", (double)events / 1e6, time,
           (double)events / time / 1e6, (double)cost.resident_kib / 1024,
           (double)info.st_size / 1e6);
}

int main(int argc, char **argv)
{
    char archive[1024];
    char page[1024];
    if (argc < 2)
        return 2;
    uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 16000000;
    uint32_t ranks = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 16;
    const char *folder = argc > 4 ? argv[4] : bench_directory();
    uint64_t rounds = events / 8 / (ranks ? ranks : 1);
    snprintf(archive, sizeof archive, "%s/archive", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    if (access(archive, F_OK))
        write_archive(archive, ranks, rounds);
    show(argv[1], archive, page, rounds * 8 * ranks);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What OTF2_MPI_Collectives.h registers, tried by all ranks of an MPI job; compiled and run by
 * test_format_callbacks.c. Says nothing and returns 0 when all is well.
 */
#include <stdio.h>
#include <string.h>

#include <otf2/OTF2_MPI_Collectives.h>

#include "tests/unit/header_only.h"

#define OPENMP_FUNCTION OTHER
#define PTHREAD_FUNCTION OTHER
#define MPI_FUNCTION SAME
#include "tests/golden/otf2_api_header_only.inc"

static OTF2_CollectiveCallbacks calls;
static void *user;
static OTF2_CollectiveContext *global;
static OTF2_CollectiveContext *local;
static OTF2_ErrorCode answer = OTF2_SUCCESS;

/* Stands for the library: keeps what it is given. */
OTF2_ErrorCode OTF2_Archive_SetCollectiveCallbacks(OTF2_Archive *archive,
                                                   const OTF2_CollectiveCallbacks *callbacks,
                                                   void *data, OTF2_CollectiveContext *all,
                                                   OTF2_CollectiveContext *some)
{
    (void)archive;
    if (answer != OTF2_SUCCESS)
        return answer;
    calls = *callbacks;
    user = data;
    global = all;
    local = some;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_SetCollectiveCallbacks(OTF2_Reader *reader,
                                                  const OTF2_CollectiveCallbacks *callbacks,
                                                  void *data, OTF2_CollectiveContext *all,
                                                  OTF2_CollectiveContext *some)
{
    (void)reader;
    return OTF2_Archive_SetCollectiveCallbacks(NULL, callbacks, data, all, some);
}

static int faults;
static uint32_t rank;
static uint32_t size;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("rank %u: line %d: %s\n", rank, __LINE__, #condition);                          \
            faults++;                                                                              \
        }                                                                                          \
    } while (0)
#define WORKS(call) CHECK((call) == OTF2_CALLBACK_SUCCESS)

enum { RANKS = 16, EACH = 2 };

static void move_equal_parts(uint32_t root)
{
    uint64_t mine[EACH] = {rank, 100 + rank};
    uint64_t all[RANKS * EACH] = {0};
    WORKS(calls.otf2_gather(user, global, mine, all, EACH, OTF2_TYPE_UINT64, root));
    for (uint32_t i = 0; rank == root && i < size; i++)
        CHECK(all[EACH * i] == i && all[EACH * i + 1] == 100 + i);
    memset(mine, 0, sizeof mine);
    WORKS(calls.otf2_scatter(user, global, all, mine, EACH, OTF2_TYPE_UINT64, root));
    CHECK(mine[0] == rank && mine[1] == 100 + rank);
}

/* Rank i has i + 1 values. */
static void move_other_parts(uint32_t root)
{
    uint32_t counts[RANKS];
    int32_t mine[RANKS] = {0};
    int32_t all[RANKS * RANKS] = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < size; i++)
        counts[i] = i + 1;
    for (uint32_t i = 0; i <= rank; i++)
        mine[i] = -(int32_t)(100 * rank + i);
    WORKS(calls.otf2_gatherv(user, global, mine, rank + 1, all, counts, OTF2_TYPE_INT32, root));
    for (uint32_t i = 0; rank == root && i < size; i++)
        for (uint32_t j = 0; j <= i; j++)
            CHECK(all[at++] == -(int32_t)(100 * i + j));
    memset(mine, 0, sizeof mine);
    WORKS(calls.otf2_scatterv(user, global, all, counts, mine, rank + 1, OTF2_TYPE_INT32, root));
    for (uint32_t i = 0; i <= rank; i++)
        CHECK(mine[i] == -(int32_t)(100 * rank + i));
}

static void try_all(void)
{
    OTF2_CollectiveContext *half = NULL;
    WORKS(calls.otf2_get_size(user, global, &size));
    WORKS(calls.otf2_get_rank(user, global, &rank));
    WORKS(calls.otf2_barrier(user, global));
    for (uint32_t root = 0; root < size; root++) {
        double value = rank == root ? 1.5 : 0;
        WORKS(calls.otf2_bcast(user, global, &value, 1, OTF2_TYPE_DOUBLE, root));
        CHECK(value == 1.5);
        move_equal_parts(root);
        move_other_parts(root);
    }
    WORKS(calls.otf2_create_local_comm(user, &half, global, rank, size, rank / 2, 2, rank % 2, 2));
    uint32_t n = 0;
    WORKS(calls.otf2_get_size(user, half, &n));
    CHECK(n == (size + 1 - rank % 2) / 2);
    WORKS(calls.otf2_free_local_comm(user, half));
}

/* Ranks share files evenly, neighbours with neighbours. */
static void try_split(OTF2_Archive *archive, uint32_t files)
{
    CHECK(OTF2_MPI_Archive_SetCollectiveCallbacksSplit(archive, MPI_COMM_WORLD, files) ==
          OTF2_SUCCESS);
    uint32_t n = 0;
    uint32_t used = files < size ? files : size;
    WORKS(calls.otf2_get_size(user, local, &n));
    CHECK(n == size / used || n == size / used + 1);
    calls.otf2_release(user, global, local);
}

int main(int argc, char **argv)
{
    int any;
    OTF2_Archive *archive = (OTF2_Archive *)&any; /* never looked into */
    OTF2_Reader *reader = (OTF2_Reader *)&any;
    MPI_Init(&argc, &argv);
    CHECK(OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_WORLD, MPI_COMM_SELF) ==
          OTF2_SUCCESS);
    try_all();
    uint32_t alone = 0;
    WORKS(calls.otf2_get_size(user, local, &alone));
    CHECK(alone == 1);
    calls.otf2_release(user, global, local);
    for (uint32_t files = 1; files <= size + 1; files++)
        try_split(archive, files);
    CHECK(OTF2_MPI_Reader_SetCollectiveCallbacks(reader, MPI_COMM_WORLD) == OTF2_SUCCESS);
    try_all();
    CHECK(!local);
    calls.otf2_release(user, global, local);

    CHECK(OTF2_MPI_Archive_SetCollectiveCallbacks(NULL, MPI_COMM_WORLD, MPI_COMM_NULL) ==
          OTF2_ERROR_INVALID_ARGUMENT);
    CHECK(OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_NULL, MPI_COMM_NULL) ==
          OTF2_ERROR_INVALID_ARGUMENT);
    CHECK(OTF2_MPI_Archive_SetCollectiveCallbacksSplit(archive, MPI_COMM_WORLD, 0) ==
          OTF2_ERROR_INVALID_ARGUMENT);
    CHECK(OTF2_MPI_Reader_SetCollectiveCallbacks(NULL, MPI_COMM_WORLD) ==
          OTF2_ERROR_INVALID_ARGUMENT);
    CHECK(OTF2_MPI_Reader_SetCollectiveCallbacks(reader, MPI_COMM_NULL) ==
          OTF2_ERROR_INVALID_ARGUMENT);
    answer = OTF2_ERROR_INVALID_CALL;
    CHECK(OTF2_MPI_Reader_SetCollectiveCallbacks(reader, MPI_COMM_WORLD) ==
          OTF2_ERROR_INVALID_CALL);
    CHECK(OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_WORLD, MPI_COMM_NULL) ==
          OTF2_ERROR_INVALID_CALL);
    MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return faults != 0;
}

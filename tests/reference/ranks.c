/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An archive that several processes write. They run one after the other here: what the root
 * broadcasts is kept for those that follow.
 */
#include "common.h"

enum { RANKS = 3 };

static uint64_t sent[64];
static unsigned n_sent;

struct rank {
    uint32_t number;
    unsigned n_received;
};

static OTF2_CallbackCode get_size(void *user, OTF2_CollectiveContext *comm, uint32_t *size)
{
    (void)user, (void)comm;
    *size = RANKS;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode get_rank(void *user, OTF2_CollectiveContext *comm, uint32_t *rank)
{
    (void)comm;
    *rank = ((struct rank *)user)->number;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode barrier(void *user, OTF2_CollectiveContext *comm)
{
    (void)user, (void)comm;
    printf("    barrier\n");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode bcast(void *user, OTF2_CollectiveContext *comm, void *data, uint32_t n,
                               OTF2_Type type, uint32_t root)
{
    (void)comm;
    struct rank *rank = user;
    size_t bytes = n * (type == OTF2_TYPE_INT64 || type == OTF2_TYPE_UINT64 ? 8 : 4);
    printf("    bcast n %u type %d root %u\n", n, type, root);
    if (rank->number == root)
        memcpy(&sent[n_sent++], data, bytes);
    else
        memcpy(data, &sent[rank->n_received++], bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode move(void *user, OTF2_CollectiveContext *comm, const void *in, void *out,
                              uint32_t n, OTF2_Type type, uint32_t root)
{
    (void)user, (void)comm, (void)in, (void)out;
    printf("    gather or scatter n %u type %d root %u\n", n, type, root);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gatherv(void *user, OTF2_CollectiveContext *comm, const void *in,
                                 uint32_t n, void *out, const uint32_t *ns, OTF2_Type type,
                                 uint32_t root)
{
    (void)user, (void)comm, (void)in, (void)out, (void)ns;
    printf("    gatherv n %u type %d root %u\n", n, type, root);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode scatterv(void *user, OTF2_CollectiveContext *comm, const void *in,
                                  const uint32_t *ns, void *out, uint32_t n, OTF2_Type type,
                                  uint32_t root)
{
    (void)user, (void)comm, (void)in, (void)out, (void)ns;
    printf("    scatterv n %u type %d root %u\n", n, type, root);
    return OTF2_CALLBACK_SUCCESS;
}

static const OTF2_CollectiveCallbacks collectives = {
    .otf2_get_size = get_size,
    .otf2_get_rank = get_rank,
    .otf2_barrier = barrier,
    .otf2_bcast = bcast,
    .otf2_gather = move,
    .otf2_gatherv = gatherv,
    .otf2_scatter = move,
    .otf2_scatterv = scatterv,
};

static OTF2_Archive *begin_rank(const char *path, struct rank *rank)
{
    printf("rank %u\n", rank->number);
    OTF2_Archive *a =
        OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN, OTF2_UNDEFINED_UINT64,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    CODE(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL));
    CODE(OTF2_Archive_SetCollectiveCallbacks(a, &collectives, rank, NULL, NULL));
    bool is_primary = false;
    CODE(OTF2_Archive_IsPrimary(a, &is_primary));
    printf("  %d\n", is_primary);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, rank->number));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 5, rank->number));
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_SetMachineName(a, is_primary ? "the root's" : "another one"));
    CODE(OTF2_Archive_SetDefChunkSize(a, is_primary ? CHUNK_MIN + 11 : OTF2_UNDEFINED_UINT64));
    uint64_t events = 0, defs = 0;
    CODE(OTF2_Archive_GetChunkSize(a, &events, &defs));
    printf("  %" PRIu64 " %" PRIu64 "\n", events, defs);
    CODE(OTF2_Archive_OpenDefFiles(a));
    OTF2_DefWriter *d = HANDLE(OTF2_Archive_GetDefWriter(a, rank->number));
    CODE(OTF2_DefWriter_WriteClockOffset(d, 1, rank->number, 0));
    CODE(OTF2_Archive_CloseDefWriter(a, d));
    CODE(OTF2_Archive_CloseDefFiles(a));
    HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    HANDLE(OTF2_Archive_GetMarkerWriter(a));
    return a;
}

static void ranks(const char *dir)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/ranks", dir);
    struct rank rank[RANKS];
    OTF2_Archive *a[RANKS];
    for (uint32_t i = 0; i < RANKS; i++) {
        rank[i] = (struct rank){.number = i};
        a[i] = begin_rank(path, &rank[i]);
    }
    for (uint32_t i = 0; i < RANKS; i++) {
        printf("close %u\n", i);
        CODE(OTF2_Archive_Close(a[i]));
    }
}

/* The root cannot make the directory: all hear of it. */
static void failing_ranks(const char *dir)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/ranks", dir);
    n_sent = 0;
    for (uint32_t i = 0; i < RANKS; i++) {
        struct rank rank = {.number = i};
        OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN,
                                            CHUNK_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
        CODE(OTF2_Archive_SetCollectiveCallbacks(a, &collectives, &rank, NULL, NULL));
    }
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    setvbuf(stdout, NULL, _IOLBF, 0);
    CASE(ranks);
    CASE(failing_ranks);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Which callbacks the writing side calls, in which order and with what. */
#include <inttypes.h>

#include "common.h"

static unsigned limit;       /* chunks that the next buffer may have */
static unsigned given;       /* chunks that it has */
static OTF2_FlushType reply; /* to the question whether to flush */
static void *chunks[64];

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    printf("    pre_flush %d type %d location %" PRIx64 " caller %d final %d\n", user == chunks,
           type, location, caller != NULL, final);
    return reply;
}

static OTF2_TimeStamp after_flush(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    printf("    post_flush %d type %d location %" PRIx64 "\n", user == chunks, type, location);
    return 4711;
}

static void *allocate(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                      uint64_t bytes)
{
    printf("    allocate %d type %d location %" PRIx64 " buffer %d bytes %" PRIu64 "\n",
           user == chunks, type, location, *per_buffer != NULL, bytes);
    if (given == limit) {
        printf("      refused\n");
        return NULL;
    }
    *per_buffer = chunks;
    chunks[given] = malloc(bytes);
    return chunks[given++];
}

static void free_all(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                     bool final)
{
    printf("    free_all %d type %d location %" PRIx64 " buffer %d final %d\n", user == chunks,
           type, location, *per_buffer != NULL, final);
    while (given)
        free(chunks[--given]);
    if (final)
        *per_buffer = NULL;
}

static OTF2_CallbackCode size_of(void *user, OTF2_CollectiveContext *comm, uint32_t *size)
{
    printf("    get_size %d %d\n", user == chunks, comm != NULL);
    *size = 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode rank_of(void *user, OTF2_CollectiveContext *comm, uint32_t *rank)
{
    printf("    get_rank %d %d\n", user == chunks, comm != NULL);
    *rank = 0;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode barrier(void *user, OTF2_CollectiveContext *comm)
{
    printf("    barrier %d %d\n", user == chunks, comm != NULL);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode bcast(void *user, OTF2_CollectiveContext *comm, void *data, uint32_t n,
                               OTF2_Type type, uint32_t root)
{
    printf("    bcast %d %d data %d n %u type %d root %u\n", user == chunks, comm != NULL,
           data != NULL, n, type, root);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gather(void *user, OTF2_CollectiveContext *comm, const void *in, void *out,
                                uint32_t n, OTF2_Type type, uint32_t root)
{
    printf("    gather %d %d n %u type %d root %u\n", user == chunks, comm != NULL, n, type, root);
    memcpy(out, in, n * (type == OTF2_TYPE_UINT64 ? 8 : 4));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode gatherv(void *user, OTF2_CollectiveContext *comm, const void *in,
                                 uint32_t n, void *out, const uint32_t *ns, OTF2_Type type,
                                 uint32_t root)
{
    (void)in, (void)out, (void)ns;
    printf("    gatherv %d %d n %u type %d root %u\n", user == chunks, comm != NULL, n, type, root);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode scatter(void *user, OTF2_CollectiveContext *comm, const void *in,
                                 void *out, uint32_t n, OTF2_Type type, uint32_t root)
{
    (void)in, (void)out;
    printf("    scatter %d %d n %u type %d root %u\n", user == chunks, comm != NULL, n, type, root);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode scatterv(void *user, OTF2_CollectiveContext *comm, const void *in,
                                  const uint32_t *ns, void *out, uint32_t n, OTF2_Type type,
                                  uint32_t root)
{
    (void)in, (void)ns, (void)out;
    printf("    scatterv %d %d n %u type %d root %u\n", user == chunks, comm != NULL, n, type,
           root);
    return OTF2_CALLBACK_SUCCESS;
}

static void release(void *user, OTF2_CollectiveContext *global, OTF2_CollectiveContext *local)
{
    printf("    release %d %d %d\n", user == chunks, global != NULL, local != NULL);
}

static OTF2_CollectiveCallbacks collectives = {
    .otf2_release = release,
    .otf2_get_size = size_of,
    .otf2_get_rank = rank_of,
    .otf2_barrier = barrier,
    .otf2_bcast = bcast,
    .otf2_gather = gather,
    .otf2_gatherv = gatherv,
    .otf2_scatter = scatter,
    .otf2_scatterv = scatterv,
};

static OTF2_CallbackCode lock_create(void *user, OTF2_Lock *lock)
{
    static char a_lock;
    printf("    lock create %d\n", user == chunks);
    *lock = (OTF2_Lock)&a_lock;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock_destroy(void *user, OTF2_Lock lock)
{
    printf("    lock destroy %d %d\n", user == chunks, lock != NULL);
    return OTF2_CALLBACK_SUCCESS;
}

static int locked;

static OTF2_CallbackCode lock_lock(void *user, OTF2_Lock lock)
{
    (void)user, (void)lock;
    locked++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock_unlock(void *user, OTF2_Lock lock)
{
    (void)user, (void)lock;
    locked--;
    return OTF2_CALLBACK_SUCCESS;
}

static void lock_release(void *user)
{
    printf("    lock release %d\n", user == chunks);
}

static const OTF2_MemoryCallbacks memory = {allocate, free_all};
static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
static const OTF2_FlushCallbacks flush_silent = {before_flush, NULL};
static const OTF2_LockingCallbacks locks = {lock_release, lock_create, lock_destroy, lock_lock,
                                            lock_unlock};

static OTF2_Archive *open_logged(const char *dir, const char *name,
                                 const OTF2_FlushCallbacks *flushing,
                                 const OTF2_MemoryCallbacks *memories)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    printf("%s\n", name);
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN, CHUNK_MIN,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (flushing)
        CODE(OTF2_Archive_SetFlushCallbacks(a, flushing, chunks));
    if (memories)
        CODE(OTF2_Archive_SetMemoryCallbacks(a, memories, chunks));
    CODE(OTF2_Archive_SetCollectiveCallbacks(a, &collectives, chunks, NULL, NULL));
    return a;
}

/* Enter and Leave until an error, at most n; prints where codes change. */
static void many_events(OTF2_EvtWriter *w, uint64_t n)
{
    OTF2_ErrorCode last = OTF2_SUCCESS;
    for (uint64_t i = 0; i < n; i++) {
        OTF2_ErrorCode code = i % 2 ? OTF2_EvtWriter_Leave(w, NULL, i / 3, (uint32_t)i)
                                    : OTF2_EvtWriter_Enter(w, NULL, i / 3, (uint32_t)i);
        if (code != last)
            printf("  event %" PRIu64 ": %d\n", i, code);
        last = code;
    }
    uint64_t written = 0;
    CODE(OTF2_EvtWriter_GetNumberOfEvents(w, &written));
    printf("  %" PRIu64 "\n", written);
}

static void events_with(const char *dir, const char *name, const OTF2_FlushCallbacks *flushing,
                        const OTF2_MemoryCallbacks *memories, uint64_t n)
{
    OTF2_Archive *a = open_logged(dir, name, flushing, memories);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, 7));
    many_events(w, n);
    printf("  close writer\n");
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    printf("  close archive\n");
    CODE(OTF2_Archive_Close(a));
    given = 0;
}

static void flushing(const char *dir)
{
    reply = OTF2_FLUSH;
    for (limit = 1; limit < 4; limit++) {
        char name[16];
        snprintf(name, sizeof name, "flush%u", limit);
        events_with(dir, name, &flush, &memory, 200000);
        snprintf(name, sizeof name, "silent%u", limit);
        events_with(dir, name, &flush_silent, &memory, 200000);
        snprintf(name, sizeof name, "unasked%u", limit);
        events_with(dir, name, NULL, &memory, 200000);
    }
    limit = 3;
    events_with(dir, "empty", &flush, &memory, 0);
    events_with(dir, "one", &flush, &memory, 1);
}

static void not_flushing(const char *dir)
{
    reply = OTF2_NO_FLUSH;
    limit = 2;
    events_with(dir, "noflush", &flush, &memory, 100000);
    events_with(dir, "noflush_small", &flush, &memory, 10);
}

static void no_memory(const char *dir)
{
    reply = OTF2_FLUSH;
    limit = 0;
    events_with(dir, "nothing", &flush, &memory, 10);
}

static void default_memory(const char *dir)
{
    reply = OTF2_FLUSH;
    events_with(dir, "default", &flush, NULL, 100000);
    events_with(dir, "default_unasked", NULL, NULL, 100000);
}

/* More than the default pool of 128 MiB. */
static void full_pool(const char *dir)
{
    reply = OTF2_FLUSH;
    events_with(dir, "pool", &flush, NULL, 18000000);
    reply = OTF2_NO_FLUSH;
    events_with(dir, "pool_noflush", &flush, NULL, 18000000);
}

static void rewinding(const char *dir)
{
    reply = OTF2_FLUSH;
    limit = 3;
    OTF2_Archive *a = open_logged(dir, "rewind", &flush, &memory);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, 7));
    CODE(OTF2_EvtWriter_StoreRewindPoint(w, 1));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 5, 1));
    CODE(OTF2_EvtWriter_StoreRewindPoint(w, 2));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 6, 2));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 7, 3));
    CODE(OTF2_EvtWriter_Rewind(w, 2));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 5, 4));
    CODE(OTF2_EvtWriter_Rewind(w, 2));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 6, 5));
    CODE(OTF2_EvtWriter_ClearRewindPoint(w, 2));
    CODE(OTF2_EvtWriter_Rewind(w, 2));
    CODE(OTF2_EvtWriter_StoreRewindPoint(w, 2));
    CODE(OTF2_EvtWriter_Leave(w, NULL, 8, 6));
    CODE(OTF2_EvtWriter_StoreRewindPoint(w, 2));
    CODE(OTF2_EvtWriter_Leave(w, NULL, 9, 7));
    many_events(w, 0);
    for (unsigned i = 0; i < 40000; i++)
        OTF2_EvtWriter_Enter(w, NULL, 10 + i, i);
    many_events(w, 0);
    CODE(OTF2_EvtWriter_Rewind(w, 2));
    many_events(w, 0);
    CODE(OTF2_EvtWriter_Leave(w, NULL, 9, 77));
    CODE(OTF2_EvtWriter_StoreRewindPoint(w, 3));
    for (unsigned i = 0; i < 80000; i++)
        OTF2_EvtWriter_Enter(w, NULL, 10 + i, i);
    CODE(OTF2_EvtWriter_Rewind(w, 3));
    many_events(w, 0);
    CODE(OTF2_EvtWriter_Rewind(w, 3));
    CODE(OTF2_EvtWriter_ClearRewindPoint(w, 3));
    CODE(OTF2_EvtWriter_Leave(w, NULL, 100000, 77));
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_Close(a));
    given = 0;
}

static void rewind_to_start(const char *dir)
{
    reply = OTF2_FLUSH;
    limit = 3;
    OTF2_Archive *a = open_logged(dir, "rewind2", &flush, &memory);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, 7));
    CODE(OTF2_EvtWriter_StoreRewindPoint(w, 1));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 5, 1));
    CODE(OTF2_EvtWriter_Rewind(w, 1));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 3, 1));
    many_events(w, 0);
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_Close(a));
    given = 0;
}

static void all_kinds(const char *dir)
{
    reply = OTF2_FLUSH;
    OTF2_Archive *a = open_logged(dir, "kinds", &flush, NULL);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *e = OTF2_Archive_GetEvtWriter(a, 1);
    OTF2_Archive_GetEvtWriter(a, 2);
    CODE(OTF2_EvtWriter_Enter(e, NULL, 1, 1));
    printf("  CloseEvtFiles\n");
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_OpenDefFiles(a));
    OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, 1);
    CODE(OTF2_DefWriter_WriteString(d, 1, "x"));
    printf("  CloseDefWriter\n");
    CODE(OTF2_Archive_CloseDefWriter(a, d));
    printf("  CloseDefFiles\n");
    CODE(OTF2_Archive_CloseDefFiles(a));
    printf("  Open, CloseSnapFiles\n");
    CODE(OTF2_Archive_OpenSnapFiles(a));
    OTF2_SnapWriter *s = OTF2_Archive_GetSnapWriter(a, 1);
    CODE(OTF2_SnapWriter_Enter(s, NULL, 1, 1, 1));
    CODE(OTF2_Archive_CloseSnapFiles(a));
    printf("  GetMarkerWriter\n");
    OTF2_MarkerWriter *m = OTF2_Archive_GetMarkerWriter(a);
    CODE(OTF2_MarkerWriter_WriteDefMarker(m, 1, "a", "b", OTF2_SEVERITY_LOW));
    printf("  GetThumbWriter\n");
    uint64_t refs[] = {1, 2};
    OTF2_ThumbWriter *t =
        OTF2_Archive_GetThumbWriter(a, "t", "u", OTF2_THUMBNAIL_TYPE_REGION, 1, 2, refs);
    CODE(OTF2_ThumbWriter_WriteSample(t, 1, 2, refs));
    HANDLE(OTF2_Archive_GetThumbWriter(a, "t", "u", OTF2_THUMBNAIL_TYPE_REGION, 0, 2, refs));
    HANDLE(OTF2_Archive_GetThumbWriter(a, "t", "u", OTF2_THUMBNAIL_TYPE_REGION, 1, 0, refs));
    HANDLE(OTF2_Archive_GetThumbWriter(a, "t", "u", OTF2_THUMBNAIL_TYPE_REGION, 1, 2, NULL));
#ifndef OTF2_ONLY_3_0 /* which knows three types */
    HANDLE(OTF2_Archive_GetThumbWriter(a, "t", "u", OTF2_THUMBNAIL_TYPE_IO_HANDLE, 1, 2, refs));
    HANDLE(OTF2_Archive_GetThumbWriter(a, "t", "u", 255, 1, 2, refs));
#endif
    printf("  GetGlobalDefWriter\n");
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    CODE(OTF2_GlobalDefWriter_WriteString(g, 1, "x"));
    printf("  SetMachineName...\n");
    CODE(OTF2_Archive_SetMachineName(a, "m"));
    CODE(OTF2_Archive_SetDescription(a, "m"));
    CODE(OTF2_Archive_SetCreator(a, "m"));
    CODE(OTF2_Archive_SetNumberOfSnapshots(a, 1));
    CODE(OTF2_Archive_SetProperty(a, "A::B", "m", true));
    printf("  Close\n");
    CODE(OTF2_Archive_Close(a));
}

static void memory_of_kinds(const char *dir)
{
    reply = OTF2_FLUSH;
    limit = 1;
    OTF2_Archive *a = open_logged(dir, "kinds2", &flush, &memory);
    CODE(OTF2_Archive_OpenDefFiles(a));
    OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, 1);
    for (uint32_t i = 0; i < 50000; i++)
        OTF2_DefWriter_WriteString(d, i, "some text");
    CODE(OTF2_Archive_CloseDefWriter(a, d));
    CODE(OTF2_Archive_CloseDefFiles(a));
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    for (uint32_t i = 0; i < 50000; i++)
        OTF2_GlobalDefWriter_WriteString(g, i, "some text");
    CODE(OTF2_Archive_CloseGlobalDefWriter(a, g));
    OTF2_MarkerWriter *m = OTF2_Archive_GetMarkerWriter(a);
    for (uint32_t i = 0; i < 50000; i++)
        OTF2_MarkerWriter_WriteDefMarker(m, i, "a", "b", OTF2_SEVERITY_LOW);
    CODE(OTF2_Archive_CloseMarkerWriter(a, m));
    CODE(OTF2_Archive_OpenSnapFiles(a));
    OTF2_SnapWriter *s = OTF2_Archive_GetSnapWriter(a, 1);
    for (uint32_t i = 0; i < 50000; i++)
        OTF2_SnapWriter_Enter(s, NULL, i, i, i);
    CODE(OTF2_Archive_CloseSnapWriter(a, s));
    CODE(OTF2_Archive_CloseSnapFiles(a));
    CODE(OTF2_Archive_Close(a));
    given = 0;
}

static void locking(const char *dir)
{
    reply = OTF2_FLUSH;
    OTF2_Archive *a = open_logged(dir, "locks", &flush, NULL);
    CODE(OTF2_Archive_SetLockingCallbacks(a, &locks, chunks));
    CODE(OTF2_Archive_SetLockingCallbacks(a, &locks, chunks));
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *e = OTF2_Archive_GetEvtWriter(a, 1);
    CODE(OTF2_EvtWriter_Enter(e, NULL, 1, 1));
    CODE(OTF2_EvtWriter_Enter(NULL, NULL, 1, 1));
    HANDLE(OTF2_Archive_GetDefWriter(a, OTF2_UNDEFINED_LOCATION));
    CODE(OTF2_Archive_SetProperty(a, "A", "m", true));
    printf("held %d\n", locked);
    CODE(OTF2_Archive_CloseEvtWriter(a, e));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_Close(a));
    printf("held %d\n", locked);
}

static OTF2_CallbackCode lock_fails(void *user, OTF2_Lock lock)
{
    (void)user, (void)lock;
    return OTF2_CALLBACK_ERROR;
}

static void failing_locks(const char *dir)
{
    OTF2_LockingCallbacks failing = locks;
    failing.otf2_lock = lock_fails;
    OTF2_Archive *a = open_logged(dir, "locks2", &flush, NULL);
    CODE(OTF2_Archive_SetLockingCallbacks(a, &failing, chunks));
    CODE(OTF2_Archive_OpenEvtFiles(a));
    HANDLE(OTF2_Archive_GetEvtWriter(a, 1));
    bool primary;
    uint64_t n;
    CODE(OTF2_Archive_IsPrimary(a, &primary));
    CODE(OTF2_Archive_GetNumberOfLocations(a, &n));
    CODE(OTF2_Archive_SetMachineName(a, "m"));
    CODE(OTF2_Archive_SetProperty(a, "A::B", "m", true));
    ALONE(CODE(OTF2_Archive_Close(a)));
}

static OTF2_CallbackCode barrier_fails(void *user, OTF2_CollectiveContext *comm)
{
    (void)user, (void)comm;
    return OTF2_CALLBACK_ERROR;
}

static void failing_collectives(const char *dir)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/collective", dir);
    OTF2_CollectiveCallbacks failing = collectives;
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN, CHUNK_MIN,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    failing.otf2_get_size = NULL;
    CODE(OTF2_Archive_SetCollectiveCallbacks(a, &failing, chunks, NULL, NULL));
    failing.otf2_get_size = size_of;
    failing.otf2_bcast = NULL;
    CODE(OTF2_Archive_SetCollectiveCallbacks(a, &failing, chunks, NULL, NULL));
    failing.otf2_bcast = bcast;
    failing.otf2_release = NULL;
    CODE(OTF2_Archive_SetCollectiveCallbacks(a, &failing, chunks, NULL, NULL));
    CODE(OTF2_Archive_Close(a));

    snprintf(path, sizeof path, "%s/collective2", dir);
    a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN, CHUNK_MIN,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    failing.otf2_barrier = barrier_fails;
    CODE(OTF2_Archive_SetCollectiveCallbacks(a, &failing, chunks, NULL, NULL));
    CODE(OTF2_Archive_OpenEvtFiles(a));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    ALONE(CODE(OTF2_Archive_Close(a)));
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    setvbuf(stdout, NULL, _IOLBF, 0);
    CASE(flushing);
    CASE(not_flushing);
    CASE(no_memory);
    CASE(default_memory);
    CASE(full_pool);
    CASE(rewinding);
    CASE(rewind_to_start);
    CASE(all_kinds);
    CASE(memory_of_kinds);
    CASE(locking);
    CASE(failing_locks);
    CASE(failing_collectives);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every record of the format through its function, many times: values at the edges of their types,
 * attribute lists, long arrays and texts. Chunks have several sizes, and some flushes are forced.
 * Which records there are comes from our tables, whose rows the compiler holds against the
 * prototypes of the reference library's headers. The second argument makes fewer of them.
 */
#include "values.h"

static unsigned rounds = 40;

static OTF2_TimeStamp now;

static OTF2_TimeStamp later(void)
{
    now += any() % 3 ? 0 : any() % 1000;
    return now;
}

/* A line per record kind, with the codes of its calls added up. */
static void report(const char *what, const char *record, uint64_t sum)
{
    printf("%s %s: %" PRIu64 "\n", what, record, sum);
}

/* ---- files ---- */

static void write_events(OTF2_EvtWriter *w)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    for (unsigned round = 0; round < rounds; round++) {
        fill();
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    for (uint64_t i = any() % 30, sum = 0;; i--) {                                                 \
        fill_list(list);                                                                           \
        sum += (uint64_t)OTF2_EvtWriter_##Name(w, any() % 2 ? list : NULL,                         \
                                               later() OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__));     \
        sum += 1000 * OTF2_AttributeList_GetNumberOfElements(list);                                \
        OTF2_AttributeList_RemoveAllAttributes(list);                                              \
        if (!i) {                                                                                  \
            report("event", #Name, sum);                                                           \
            break;                                                                                 \
        }                                                                                          \
    }
#include <otf2/otf2_events.def>
#undef EVENT
    }
    uint64_t n = 0;
    CODE(OTF2_EvtWriter_GetNumberOfEvents(w, &n));
    printf("  %" PRIu64 "\n", n);
    OTF2_AttributeList_Delete(list);
}

static void write_snapshots(OTF2_SnapWriter *w)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    for (unsigned round = 0; round < rounds; round++) {
        fill();
#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    for (uint64_t i = any() % 30;; i--) {                                                          \
        fill_list(list);                                                                           \
        uint64_t sum =                                                                             \
            (uint64_t)OTF2_SnapWriter_##Name(w, list,                                              \
                                             later() OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__));       \
        if (!i) {                                                                                  \
            report("snap", #Name, sum);                                                            \
            break;                                                                                 \
        }                                                                                          \
    }
#include <otf2/otf2_snaps.def>
#undef SNAP
    }
    OTF2_AttributeList_Delete(list);
}

static void write_global(OTF2_GlobalDefWriter *w)
{
    for (unsigned round = 0; round < rounds; round++) {
        fill();
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    for (uint64_t i = any() % 20;; i--) {                                                          \
        uint64_t sum =                                                                             \
            (uint64_t)OTF2_GlobalDefWriter_Write##Name(w OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__));   \
        if (!i) {                                                                                  \
            report("global", #Name, sum);                                                          \
            break;                                                                                 \
        }                                                                                          \
    }
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
    }
}

static const OTF2_IdMap *any_map(void)
{
    uint64_t n = 1 + any() % 200;
    if (any() % 2)
        return OTF2_IdMap_CreateFromUint64Array(n, numbers, any() % 2);
    OTF2_IdMap *made = OTF2_IdMap_Create(any() % 2 ? OTF2_ID_MAP_DENSE : OTF2_ID_MAP_SPARSE, n);
    for (uint64_t i = 0; i < n; i++)
        OTF2_IdMap_AddIdPair(made, any() % 300, edge());
    return made;
}

static void write_local(OTF2_DefWriter *w)
{
    for (unsigned round = 0; round < rounds; round++) {
        fill();
        OTF2_IdMap *mine = (OTF2_IdMap *)(uintptr_t)any_map();
        map = mine;
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    for (uint64_t i = any() % 20;; i--) {                                                          \
        uint64_t sum =                                                                             \
            (uint64_t)OTF2_DefWriter_Write##Name(w OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__));         \
        if (!i) {                                                                                  \
            report("local", #Name, sum);                                                           \
            break;                                                                                 \
        }                                                                                          \
    }
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
        OTF2_IdMap_Free(mine);
    }
}

static void write_markers(OTF2_MarkerWriter *w)
{
    for (unsigned round = 0; round < 20 * rounds; round++) {
        fill();
#define MARKER(Name, NAME, id, major, minor, ...)                                                  \
    CODE(OTF2_MarkerWriter_Write##Name(w OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)));
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
    }
}

static void write_thumbnails(OTF2_Archive *a)
{
    for (uint32_t n = 0; n < 300; n += 60) {
        OTF2_ThumbWriter *w =
            HANDLE(OTF2_Archive_GetThumbWriter(a, "a name", "a description",
                                               OTF2_THUMBNAIL_TYPE_REGION, 50, n, numbers));
        for (unsigned i = 0; i < 50; i++) {
            fill();
            uint64_t baseline = edge();
            OTF2_ErrorCode code = OTF2_ThumbWriter_WriteSample(w, baseline, n, numbers);
            if (i % 20 == 0)
                CODE(code);
        }
    }
    uint32_t number = 0;
    CODE(OTF2_Archive_GetNumberOfThumbnails(a, &number));
    printf("  %u\n", number);
}

/* ---- memory of at most `limit` chunks a buffer ---- */

struct memory {
    void *chunks[64];
    unsigned n;
};

static unsigned limit;

static void *allocate(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                      uint64_t bytes)
{
    (void)user, (void)type, (void)location;
    if (!*per_buffer)
        *per_buffer = calloc(1, sizeof(struct memory));
    struct memory *m = *per_buffer;
    if (m->n == limit)
        return NULL;
    /* Not zero, so that what is not written shows. */
    return m->chunks[m->n++] = memset(malloc(bytes), 0x5a, bytes);
}

static void free_all(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                     bool final)
{
    (void)user, (void)type, (void)location;
    struct memory *m = *per_buffer;
    while (m && m->n)
        free(m->chunks[--m->n]);
    if (final)
        free(m);
}

static void write_archive(const char *dir, const char *name, uint64_t chunk, unsigned memory,
                          bool is_timed)
{
    static const OTF2_MemoryCallbacks memories = {allocate, free_all};
    const OTF2_FlushCallbacks flush = {flush_always, is_timed ? flush_time : NULL};
    printf("%s\n", name);
    OTF2_Archive *a = open_archive(dir, name, chunk);
    CODE(OTF2_Archive_SetFlushCallbacks(a, &flush, NULL));
    limit = memory;
    if (memory)
        CODE(OTF2_Archive_SetMemoryCallbacks(a, &memories, NULL));
    CODE(OTF2_Archive_SetMachineName(a, "a machine"));
    CODE(OTF2_Archive_SetCreator(a, "a creator"));
    CODE(OTF2_Archive_SetDescription(a, "a description\nin two lines"));
    CODE(OTF2_Archive_SetProperty(a, "some::property", "of some value", false));
    CODE(OTF2_Archive_SetNumberOfSnapshots(a, 2));
    seed = chunk + memory;

    CODE(OTF2_Archive_OpenEvtFiles(a));
    for (uint64_t i = 0; i < 3; i++) {
        now = i ? UINT64_C(1) << 8 * i : 0;
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, i << 32 | i);
        write_events(w);
        if (i)
            CODE(OTF2_Archive_CloseEvtWriter(a, w));
    }
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_OpenDefFiles(a));
    for (uint64_t i = 0; i < 2; i++) {
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(a, i << 32 | i);
        write_local(w);
        if (i)
            CODE(OTF2_Archive_CloseDefWriter(a, w));
    }
    CODE(OTF2_Archive_CloseDefFiles(a));
    CODE(OTF2_Archive_OpenSnapFiles(a));
    now = 5;
    OTF2_SnapWriter *s = OTF2_Archive_GetSnapWriter(a, 1);
    write_snapshots(s);
    CODE(OTF2_Archive_CloseSnapWriter(a, s));
    CODE(OTF2_Archive_CloseSnapFiles(a));
    write_markers(OTF2_Archive_GetMarkerWriter(a));
    write_thumbnails(a);
    write_global(OTF2_Archive_GetGlobalDefWriter(a));
    CODE(OTF2_Archive_Close(a));
}

static void in_default_memory(const char *dir)
{
    write_archive(dir, "default", CHUNK_MIN, 0, true);
}

static void in_odd_chunks(const char *dir)
{
    write_archive(dir, "odd", 300001, 0, true);
}

static void in_large_chunks(const char *dir)
{
    write_archive(dir, "large", 16777216, 0, true);
}

static void in_one_chunk(const char *dir)
{
    write_archive(dir, "one", CHUNK_MIN, 1, true);
}

static void in_two_chunks(const char *dir)
{
    write_archive(dir, "two", 262145, 2, true);
}

static void in_three_chunks(const char *dir)
{
    write_archive(dir, "three", 262146, 3, false);
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    if (argc > 2)
        rounds = (unsigned)strtoul(argv[2], NULL, 10);
    setvbuf(stdout, NULL, _IOLBF, 0);
    CASE(in_default_memory);
    CASE(in_odd_chunks);
    CASE(in_large_chunks);
    CASE(in_one_chunk);
    CASE(in_two_chunks);
    CASE(in_three_chunks);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of an event for a reader: bench-read OUR_LIBRARY [REFERENCE_LIBRARY [EVENTS]]. Both
 * libraries read the same archives, in turns, with a callback for each existing kind of event.
 * Times are times of reading, without opening and closing.
 *
 * The merged locations decide the speed: locations that take turns in bursts, like the ranks of an
 * MPI job, and locations in an unpredictable order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { ROUNDS = 5, MOST_LOCATIONS = 256 };

struct archive {
    const char *name;
    unsigned locations;
    unsigned burst; /* most events of a location in a row */
    bool has_maps;
};

static const struct archive archives[] = {
    {"1 location", 1, 1, false},
    {"1 location, mapped", 1, 1, true},
    {"2 locations, bursts", 2, 6, false},
    {"2 locations, random", 2, 1, false},
    {"16 locations, bursts", 16, 6, false},
    {"16 locations, random", 16, 1, false},
    {"16 locations, bursts, mapped", 16, 6, true},
    {"256 locations, bursts", 256, 6, false},
    {"256 locations, random", 256, 1, false},
};

/* The same numbers every time. */
static uint64_t dice(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void write_event(const struct bench_library *l, OTF2_EvtWriter *w, uint64_t time,
                        uint64_t random)
{
    uint32_t region = (uint32_t)random % 200;
    uint32_t partner = (uint32_t)(random >> 8) % MOST_LOCATIONS;
    switch (random >> 20 & 7) {
    case 0:
        l->OTF2_EvtWriter_MpiSend(w, NULL, time, partner, 0, 7, 1024);
        break;
    case 1:
        l->OTF2_EvtWriter_MpiRecv(w, NULL, time, partner, 0, 7, 1024);
        break;
    case 2:
    case 3:
    case 4:
        l->OTF2_EvtWriter_Enter(w, NULL, time, region);
        break;
    default:
        l->OTF2_EvtWriter_Leave(w, NULL, time, region);
        break;
    }
}

static bool write_maps(const struct bench_library *l, OTF2_Archive *a, unsigned locations)
{
    uint64_t ids[200];
    for (unsigned i = 0; i < 200; i++)
        ids[i] = i ^ 1;
    OTF2_IdMap *map = l->OTF2_IdMap_CreateFromUint64Array(200, ids, false);
    bool ok = map && !l->OTF2_Archive_OpenDefFiles(a);
    for (unsigned i = 0; i < locations && ok; i++) {
        OTF2_DefWriter *d = l->OTF2_Archive_GetDefWriter(a, i);
        ok = d && !l->OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_REGION, map) &&
             !l->OTF2_DefWriter_WriteMappingTable(d, OTF2_MAPPING_COMM, map) &&
             !l->OTF2_Archive_CloseDefWriter(a, d);
    }
    l->OTF2_IdMap_Free(map);
    return ok && !l->OTF2_Archive_CloseDefFiles(a);
}

static bool write_archive(const struct bench_library *l, const struct archive *what,
                          const char *dir, uint64_t n)
{
    OTF2_EvtWriter *writers[MOST_LOCATIONS] = {NULL};
    unsigned locations = what->locations ? what->locations : 1;
    OTF2_Archive *a = bench_open(l, dir, "archive");
    if (!a || l->OTF2_Archive_OpenEvtFiles(a))
        return false;
    for (unsigned i = 0; i < what->locations; i++) {
        writers[i] = l->OTF2_Archive_GetEvtWriter(a, i);
        if (!writers[i])
            return false;
    }
    uint64_t state = 1;
    unsigned location = 0;
    for (uint64_t i = 0, left = 0; i < n; i++, left--) {
        if (!left) {
            location = (unsigned)(dice(&state) % locations);
            left = 1 + dice(&state) % what->burst;
        }
        write_event(l, writers[location], 100 * i, dice(&state));
    }
    for (unsigned i = 0; i < what->locations; i++)
        if (l->OTF2_Archive_CloseEvtWriter(a, writers[i]))
            return false;
    return !l->OTF2_Archive_CloseEvtFiles(a) &&
           (!what->has_maps || write_maps(l, a, what->locations)) && !l->OTF2_Archive_Close(a);
}

/* A sum of the values given to callbacks: so no library can omit decoding. */
static uint64_t seen;

static OTF2_CallbackCode local_region(OTF2_LocationRef location, OTF2_TimeStamp time,
                                      uint64_t position, void *user, OTF2_AttributeList *list,
                                      OTF2_RegionRef region)
{
    (void)user, (void)list;
    seen += location + time + position + region;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode local_message(OTF2_LocationRef location, OTF2_TimeStamp time,
                                       uint64_t position, void *user, OTF2_AttributeList *list,
                                       uint32_t partner, OTF2_CommRef comm, uint32_t tag,
                                       uint64_t length)
{
    (void)user, (void)list;
    seen += location + time + position + partner + comm + tag + length;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode global_region(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                       OTF2_AttributeList *list, OTF2_RegionRef region)
{
    (void)user, (void)list;
    seen += location + time + region;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode global_message(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                        OTF2_AttributeList *list, uint32_t partner,
                                        OTF2_CommRef comm, uint32_t tag, uint64_t length)
{
    (void)user, (void)list;
    seen += location + time + partner + comm + tag + length;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_Reader *open_archive(const struct bench_library *l, const struct archive *what,
                                 const char *dir)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/archive/traces.otf2", dir);
    OTF2_Reader *r = l->OTF2_Reader_Open(path);
    if (!r || l->OTF2_Reader_SetSerialCollectiveCallbacks(r))
        return NULL;
    for (unsigned i = 0; i < what->locations; i++)
        l->OTF2_Reader_SelectLocation(r, i);
    if (l->OTF2_Reader_OpenEvtFiles(r) || (what->has_maps && l->OTF2_Reader_OpenDefFiles(r)))
        return NULL;
    for (unsigned i = 0; i < what->locations; i++) {
        uint64_t n;
        if (what->has_maps) {
            OTF2_DefReader *d = l->OTF2_Reader_GetDefReader(r, i);
            if (!d || l->OTF2_Reader_ReadAllLocalDefinitions(r, d, &n))
                return NULL;
            l->OTF2_Reader_CloseDefReader(r, d);
        }
        if (!l->OTF2_Reader_GetEvtReader(r, i))
            return NULL;
    }
    return r;
}

static OTF2_ErrorCode read_local(const struct bench_library *l, OTF2_Reader *r, uint64_t *n)
{
    OTF2_EvtReader *e = l->OTF2_Reader_GetEvtReader(r, 0);
    OTF2_EvtReaderCallbacks *c = l->OTF2_EvtReaderCallbacks_New();
    l->OTF2_EvtReaderCallbacks_SetEnterCallback(c, local_region);
    l->OTF2_EvtReaderCallbacks_SetLeaveCallback(c, local_region);
    l->OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, local_message);
    l->OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, local_message);
    l->OTF2_Reader_RegisterEvtCallbacks(r, e, c, NULL);
    l->OTF2_EvtReaderCallbacks_Delete(c);
    return l->OTF2_Reader_ReadAllLocalEvents(r, e, n);
}

static OTF2_ErrorCode read_global(const struct bench_library *l, OTF2_Reader *r, uint64_t *n)
{
    OTF2_GlobalEvtReader *g = l->OTF2_Reader_GetGlobalEvtReader(r);
    OTF2_GlobalEvtReaderCallbacks *c = l->OTF2_GlobalEvtReaderCallbacks_New();
    l->OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, global_region);
    l->OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(c, global_region);
    l->OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(c, global_message);
    l->OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(c, global_message);
    l->OTF2_Reader_RegisterGlobalEvtCallbacks(r, g, c, NULL);
    l->OTF2_GlobalEvtReaderCallbacks_Delete(c);
    return l->OTF2_Reader_ReadAllGlobalEvents(r, g, n);
}

/* CPU ns an event; below 0 after a failure. */
static double once(const struct bench_library *l, const struct archive *what, const char *dir,
                   uint64_t events)
{
    uint64_t n = 0;
    OTF2_Reader *r = open_archive(l, what, dir);
    if (!r)
        return -1;
    double begin = bench_now_ns();
    OTF2_ErrorCode error = what->locations == 1 ? read_local(l, r, &n) : read_global(l, r, &n);
    double ns = bench_now_ns() - begin;
    l->OTF2_Reader_Close(r);
    return error || n != events ? -1 : ns / (double)n;
}

static bool print_row(const struct bench_library *theirs, const struct bench_library *ours,
                      const struct archive *what, const char *dir, uint64_t n)
{
    double reference[ROUNDS + 1];
    double own[ROUNDS + 1];
    if (!write_archive(ours, what, dir, n))
        return false;
    for (unsigned i = 0; i <= ROUNDS; i++) {
        uint64_t before = seen;
        reference[i] = once(theirs, what, dir, n);
        uint64_t between = seen;
        own[i] = once(ours, what, dir, n);
        if (reference[i] < 0 || own[i] < 0 || seen - between != between - before) {
            fprintf(stderr, "bench: %s: the libraries do not read the same\n", what->name);
            return false;
        }
    }
    bench_remove(dir, "archive");
    /* The first round warms up. */
    double a = bench_median(reference + 1, ROUNDS);
    double b = bench_median(own + 1, ROUNDS);
    printf("%-32s %7.1f %7.0f %7.1f %7.0f %7.2f\n", what->name, a, 1000 / a, b, 1000 / b, a / b);
    fflush(stdout);
    return true;
}

/* For counting instructions: one archive, one library, read once. */
static int read_one(const struct bench_library *ours, const struct bench_library *l,
                    const char *dir, uint64_t n, unsigned row)
{
    const struct archive *what = &archives[row];
    return !write_archive(ours, what, dir, n) || once(l, what, dir, n) < 0;
}

int main(int argc, char **argv)
{
    struct bench_library ours, theirs;
    bench_load_both(argv, " [EVENTS [ROW]]", &ours, &theirs);
    uint64_t n = argc > 3 ? strtoull(argv[3], NULL, 0) : 4000000;
    const char *dir = bench_directory();
    size_t rows = sizeof archives / sizeof archives[0];
    if (argc > 4) {
        size_t row = strtoull(argv[4], NULL, 0);
        return row >= rows ? 2 : read_one(&ours, &theirs, dir, n, (unsigned)row);
    }

    printf("CPU ns an event and millions of events a second, medians of %d rounds\n\n", ROUNDS);
    printf("%-32s %15s %15s %7s\n", "", "reference", "ours", "ratio");
    for (size_t i = 0; i < rows; i++)
        if (!print_row(&theirs, &ours, &archives[i], dir, n))
            return 1;
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a global definition costs a reader: bench-definitions OUR_LIBRARY [REFERENCE_LIBRARY
 * [DEFINITIONS [ROW]]]. Both libraries read the same archives, in turns, with a callback for each
 * kind of definition that there is. Times are those of opening the archive, reading and closing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { ROUNDS = 5, MEMBERS = 16, DIMENSIONS = 3 };

typedef OTF2_GlobalDefWriter writer;

/* ---- what is written ---- */

static void put_string(const struct bench_library *l, writer *w, uint32_t i)
{
    char text[96];
    (void)snprintf(text, sizeof text, "solver::Grid<double, 3>::exchange_halo(int, %" PRIu32 ")",
                   i);
    l->OTF2_GlobalDefWriter_WriteString(w, i, text);
}

static void put_region(const struct bench_library *l, writer *w, uint32_t i)
{
    l->OTF2_GlobalDefWriter_WriteRegion(w, i, i, i + 1, i + 2, OTF2_REGION_ROLE_FUNCTION,
                                        OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE, i % 1000,
                                        i % 5000, i % 5000 + 40);
}

static void put_context(const struct bench_library *l, writer *w, uint32_t i)
{
    if (i % 2 == 0)
        l->OTF2_GlobalDefWriter_WriteSourceCodeLocation(w, i / 2, i % 1000, i % 5000);
    else
        l->OTF2_GlobalDefWriter_WriteCallingContext(w, i / 2, i % 3000, i / 2, i / 16);
}

static void put_location(const struct bench_library *l, writer *w, uint32_t i)
{
    OTF2_AttributeValue value = {.uint64 = i};
    if (i % 2 == 0)
        l->OTF2_GlobalDefWriter_WriteLocation(w, i / 2, i, OTF2_LOCATION_TYPE_CPU_THREAD, 1000,
                                              i / 16);
    else
        l->OTF2_GlobalDefWriter_WriteLocationProperty(w, i / 2, 7, OTF2_TYPE_UINT64, value);
}

static void put_group(const struct bench_library *l, writer *w, uint32_t i)
{
    uint64_t members[MEMBERS];
    for (unsigned m = 0; m < MEMBERS; m++)
        members[m] = i + m;
    if (i % 2 == 0)
        l->OTF2_GlobalDefWriter_WriteGroup(w, i / 2, 0, OTF2_GROUP_TYPE_COMM_GROUP,
                                           OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, MEMBERS,
                                           members);
    else
        l->OTF2_GlobalDefWriter_WriteComm(w, i / 2, 3, i / 2, OTF2_UNDEFINED_COMM,
                                          OTF2_COMM_FLAG_NONE);
}

static void put_coordinate(const struct bench_library *l, writer *w, uint32_t i)
{
    const uint32_t at[DIMENSIONS] = {i % 100, i / 100 % 100, i / 10000};
    l->OTF2_GlobalDefWriter_WriteCartCoordinate(w, 0, i, DIMENSIONS, at);
}

typedef void put_function(const struct bench_library *l, writer *w, uint32_t i);

/* As a run with many functions and threads has them. */
static void put_mixed(const struct bench_library *l, writer *w, uint32_t i)
{
    static put_function *const turns[] = {put_string, put_region,  put_context, put_location,
                                          put_string, put_context, put_region,  put_group};
    turns[i % 8](l, w, i);
}

static const struct row {
    const char *name;
    put_function *put;
} rows[] = {
    {"strings", put_string},
    {"regions", put_region},
    {"calling contexts", put_context},
    {"locations, properties", put_location},
    {"groups of 16, communicators", put_group},
    {"coordinates", put_coordinate},
    {"mixed", put_mixed},
};

static bool write_archive(const struct bench_library *l, const struct row *row, const char *dir,
                          uint32_t n)
{
    OTF2_Archive *a = bench_open(l, dir, "archive");
    writer *w = a ? l->OTF2_Archive_GetGlobalDefWriter(a) : NULL;
    if (!w)
        return false;
    for (uint32_t i = 0; i < n; i++)
        row->put(l, w, i);
    return !l->OTF2_Archive_CloseGlobalDefWriter(a, w) && !l->OTF2_Archive_Close(a);
}

/* ---- what is read ---- */

/* What the callbacks have seen, so that nobody gets away without decoding. */
static uint64_t seen;

static OTF2_CallbackCode see(uint64_t what)
{
    seen = seen * 3 + what;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
    (void)user;
    return see(self + (unsigned char)text[0]);
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
    (void)user;
    return see(self + name + canonical + description + role + paradigm + flags + file + begin +
               end);
}

static OTF2_CallbackCode on_place(void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                                  uint32_t line)
{
    (void)user;
    return see(self + file + line);
}

static OTF2_CallbackCode on_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent)
{
    (void)user;
    return see(self + region + place + parent);
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
    (void)user;
    return see(self + name + type + events + group);
}

static OTF2_CallbackCode on_property(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_Type type, OTF2_AttributeValue value)
{
    (void)user;
    return see(self + name + type + value.uint64);
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t n, const uint64_t *members)
{
    (void)user;
    return see(self + name + type + paradigm + flags + n + members[0] + members[n - 1]);
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)user;
    return see(self + name + group + parent + flags);
}

static OTF2_CallbackCode on_coordinate(void *user, OTF2_CartTopologyRef self, uint32_t rank,
                                       uint8_t n, const uint32_t *at)
{
    (void)user;
    return see(self + rank + n + at[0] + at[n - 1]);
}

static void register_callbacks(const struct bench_library *l, OTF2_Reader *r,
                               OTF2_GlobalDefReader *d)
{
    OTF2_GlobalDefReaderCallbacks *c = l->OTF2_GlobalDefReaderCallbacks_New();
    l->OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
    l->OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
    l->OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(c, on_place);
    l->OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(c, on_context);
    l->OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
    l->OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(c, on_property);
    l->OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
    l->OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
    l->OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(c, on_coordinate);
    l->OTF2_Reader_RegisterGlobalDefCallbacks(r, d, c, NULL);
    l->OTF2_GlobalDefReaderCallbacks_Delete(c);
}

/* CPU ns a definition; below 0 when it failed. */
static double once(const struct bench_library *l, const char *dir, uint64_t definitions)
{
    char path[4200];
    uint64_t n = 0;
    seen = 0;
    (void)snprintf(path, sizeof path, "%s/archive/traces.otf2", dir);
    double begin = bench_now_ns();
    OTF2_Reader *r = l->OTF2_Reader_Open(path);
    if (!r || l->OTF2_Reader_SetSerialCollectiveCallbacks(r))
        return -1;
    OTF2_GlobalDefReader *d = l->OTF2_Reader_GetGlobalDefReader(r);
    if (!d)
        return -1;
    register_callbacks(l, r, d);
    OTF2_ErrorCode error = l->OTF2_Reader_ReadAllGlobalDefinitions(r, d, &n);
    l->OTF2_Reader_Close(r);
    return error || n != definitions ? -1 : (bench_now_ns() - begin) / (double)n;
}

static bool print_row(const struct bench_library *theirs, const struct bench_library *ours,
                      const struct row *row, const char *dir, uint32_t n)
{
    double reference[ROUNDS + 1];
    double own[ROUNDS + 1];
    if (!write_archive(ours, row, dir, n))
        return false;
    for (unsigned i = 0; i <= ROUNDS; i++) {
        reference[i] = once(theirs, dir, n);
        uint64_t they_saw = seen;
        own[i] = once(ours, dir, n);
        if (reference[i] < 0 || own[i] < 0 || they_saw != seen) {
            fprintf(stderr, "bench: %s: the libraries do not read the same\n", row->name);
            return false;
        }
    }
    bench_remove(dir, "archive");
    /* The first round warms up. */
    double a = bench_median(reference + 1, ROUNDS);
    double b = bench_median(own + 1, ROUNDS);
    printf("%-32s %10.1f %10.1f %7.2f\n", row->name, a, b, a / b);
    (void)fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    enum { DEFINITIONS = 1000000 };
    struct bench_library ours, theirs;
    bench_load_both(argv, " [DEFINITIONS [ROW]]", &ours, &theirs);
    uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : DEFINITIONS;
    const char *dir = bench_directory();
    size_t n_rows = sizeof rows / sizeof rows[0];
    if (argc > 4) {
        /* For counting instructions: one archive, one library, read once. */
        size_t row = strtoull(argv[4], NULL, 0);
        return row >= n_rows || !write_archive(&ours, &rows[row], dir, n) ||
               once(&theirs, dir, n) < 0;
    }
    printf("CPU ns a definition, medians of %d rounds of %" PRIu32 "\n\n", ROUNDS, n);
    printf("%-32s %10s %10s %7s\n", "", "reference", "ours", "ratio");
    for (size_t i = 0; i < n_rows; i++)
        if (!print_row(&theirs, &ours, &rows[i], dir, n))
            return 1;
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening and closing of an archive and its readers, and the locations of the archive: all numbers
 * in the names of event files, defined or not.
 */
#ifndef REFERENCE_READERS_H
#define REFERENCE_READERS_H

#include "dump.h"

#include <dirent.h>

enum { MANY_LOCATIONS = 64 };

static const char *anchor;
static OTF2_LocationRef locations[MANY_LOCATIONS];
static size_t n_locations;

static OTF2_Reader *open_reader(void)
{
    OTF2_Reader *r = OTF2_Reader_Open(anchor);
    if (!r) {
        puts("cannot be opened");
        fflush(stdout);
        _exit(0);
    }
    ANSWER(OTF2_Reader_SetSerialCollectiveCallbacks(r));
    return r;
}

/* ---- reading on, whatever happens ---- */

/*
 * Piece after piece until a short piece; reading goes on after an interruption. Behind the end the
 * reference library reads whatever memory holds. So only other readers go on behind the end
 * (is_beyond).
 */
enum { PIECES_BEYOND = 3, MANY_PIECES = 100000 };

static bool is_beyond;

#define READ_PIECES(read, reader, size)                                                            \
    do {                                                                                           \
        unsigned after = 0;                                                                        \
        uint64_t total = 0;                                                                        \
        for (unsigned i = 0; i < MANY_PIECES && after <= (is_beyond ? PIECES_BEYOND : 0); i++) {   \
            uint64_t n = 77;                                                                       \
            OTF2_ErrorCode code = read(r, reader, size, &n);                                       \
            total += n;                                                                            \
            if (code || n < (size)) {                                                              \
                printf(#read " at %" PRIu64 ": %" PRIu64 " = %d\n", total, n, (int)code);          \
                after += code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK;                               \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static const uint64_t sizes[] = {1, 7, 1000, UINT64_MAX};

/* Callbacks that stop at the third record, by an interruption or an error. */
static const struct reading stops[] = {{0, 0, OTF2_CALLBACK_SUCCESS},
                                       {0, 3, OTF2_CALLBACK_INTERRUPT},
                                       {0, 3, OTF2_CALLBACK_ERROR}};

enum { N_SIZES = sizeof sizes / sizeof sizes[0], N_STOPS = sizeof stops / sizeof stops[0] };

__attribute__((unused)) static void read_global_definitions(OTF2_Reader *r, uint64_t size,
                                                            struct reading *reading)
{
    OTF2_GlobalDefReader *g = OTF2_Reader_GetGlobalDefReader(r);
    if (!g) {
        puts("no global definitions");
        return;
    }
    OTF2_GlobalDefReaderCallbacks *c = global_def_callbacks();
    if (reading)
        ANSWER(OTF2_Reader_RegisterGlobalDefCallbacks(r, g, c, reading));
    OTF2_GlobalDefReaderCallbacks_Delete(c);
    READ_PIECES(OTF2_Reader_ReadGlobalDefinitions, g, size);
    ANSWER(OTF2_Reader_CloseGlobalDefReader(r, g));
}

static void select_locations(OTF2_Reader *r)
{
    for (size_t i = 0; i < n_locations; i++)
        if (OTF2_Reader_SelectLocation(r, locations[i]))
            printf("cannot select %" PRIu64 "\n", locations[i]);
}

static void read_local_definitions(OTF2_Reader *r, uint64_t size, struct reading *reading)
{
    OTF2_ErrorCode opened = OTF2_Reader_OpenDefFiles(r);
    printf("open: %d\n", opened);
    OTF2_DefReaderCallbacks *c = def_callbacks();
    for (size_t i = 0; i < n_locations && !opened; i++) {
        OTF2_DefReader *d = OTF2_Reader_GetDefReader(r, locations[i]);
        printf("definitions of %" PRIu64 ": %s\n", locations[i], d ? "handle" : "NULL");
        if (!d)
            continue;
        OTF2_LocationRef id = 0;
        ANSWER(OTF2_DefReader_GetLocationID(d, &id));
        if (reading)
            ANSWER(OTF2_Reader_RegisterDefCallbacks(r, d, c, reading));
        READ_PIECES(OTF2_Reader_ReadLocalDefinitions, d, size);
        ANSWER(OTF2_Reader_CloseDefReader(r, d));
    }
    OTF2_DefReaderCallbacks_Delete(c);
    if (!opened)
        ANSWER(OTF2_Reader_CloseDefFiles(r));
}

struct ways {
    bool has_definitions, has_maps, has_clock;
};

static struct ways ways;

__attribute__((unused)) static OTF2_Reader *begin_events(void)
{
    OTF2_Reader *r = open_reader();
    select_locations(r);
    if (ways.has_definitions)
        read_local_definitions(r, UINT64_MAX, NULL);
    ANSWER(OTF2_Reader_OpenEvtFiles(r));
    return r;
}

__attribute__((unused)) static void end_events(OTF2_Reader *r)
{
    ANSWER(OTF2_Reader_CloseEvtFiles(r));
    ANSWER(OTF2_Reader_Close(r));
}

static int by_number(const void *a, const void *b)
{
    const OTF2_LocationRef *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/*
 * The folder with a file for each location: of the archive itself, or, for locations in containers,
 * of the archive's twin (environment variable FILES).
 */
static void folder_of_files(char *path, size_t bytes)
{
    const char *files = getenv("FILES");
    if (files)
        snprintf(path, bytes, "%s", files);
    else
        snprintf(path, bytes, "%.*s", (int)(strrchr(anchor, '.') - anchor), anchor);
}

/* The locations of the archive, each once, and a location outside of the archive. */
static void find_locations(void)
{
    char path[1024];
    folder_of_files(path, sizeof path);
    DIR *d = opendir(path);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        OTF2_LocationRef location = strtoull(entry->d_name, NULL, 10);
        bool is_known = entry->d_name[0] == '.';
        for (size_t i = 0; i < n_locations; i++)
            is_known = is_known || locations[i] == location;
        if (!is_known && n_locations < MANY_LOCATIONS - 1)
            locations[n_locations++] = location;
    }
    if (d)
        closedir(d);
    qsort(locations, n_locations, sizeof locations[0], by_number);
    locations[n_locations++] = 12345;
}

/* Having asked for a location without events once, the reference library merges no more. */
__attribute__((unused)) static bool has_file(OTF2_LocationRef location, const char *kind)
{
    char folder[1024], path[1100];
    folder_of_files(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%" PRIu64 ".%s", folder, location, kind);
    return access(path, R_OK) == 0;
}

/* The arguments of each program: ANCHOR_FILE [digest]. */
static bool begin(int argc, char **argv)
{
    if (argc < 2 || !strrchr(argv[1], '.')) {
        fprintf(stderr, "usage: %s ANCHOR_FILE [digest]\n", argv[0]);
        return false;
    }
    anchor = argv[1];
    is_digest = argc > 2;
    find_locations();
    return true;
}

#endif

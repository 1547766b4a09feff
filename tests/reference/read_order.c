/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of reading in orders that they are not meant for, readers through OTF2_Archive, and
 * files that are no archives; see compare_read.py.
 */
#include "readers.h"

#include <sys/stat.h>

#define TRY(call) ALONE(ANSWER(call))
#define TRY_HANDLE(call) ALONE(HANDLE(call))

static uint64_t number;
static bool truth;

static void without_open_files(void)
{
    OTF2_Reader *r = open_reader();
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetDefReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetSnapReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetGlobalEvtReader(r));
    TRY_HANDLE(OTF2_Reader_GetGlobalSnapReader(r));
    TRY(OTF2_Reader_CloseEvtFiles(r));
    TRY(OTF2_Reader_CloseDefFiles(r));
    TRY(OTF2_Reader_CloseSnapFiles(r));
    ANSWER(OTF2_Reader_SelectLocation(r, 0));
    ANSWER(OTF2_Reader_SelectLocation(r, 0));
    ANSWER(OTF2_Reader_SelectLocation(r, OTF2_UNDEFINED_LOCATION));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 0));
    ANSWER(OTF2_Reader_OpenEvtFiles(r));
    TRY(OTF2_Reader_OpenEvtFiles(r));
    TRY(OTF2_Reader_SelectLocation(r, 1));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 1));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetDefReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetGlobalEvtReader(r));
    ANSWER(OTF2_Reader_CloseEvtFiles(r));
    TRY(OTF2_Reader_CloseEvtFiles(r));
    TRY(OTF2_Reader_OpenEvtFiles(r));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 0));
    ANSWER(OTF2_Reader_Close(r));
}

static void without_selection(void)
{
    OTF2_Reader *r = open_reader();
    ANSWER(OTF2_Reader_OpenEvtFiles(r));
    ANSWER(OTF2_Reader_OpenDefFiles(r));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetDefReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, OTF2_UNDEFINED_LOCATION));
    TRY_HANDLE(OTF2_Reader_GetGlobalEvtReader(r));
    ANSWER(OTF2_Reader_CloseDefFiles(r));
    ANSWER(OTF2_Reader_Close(r));
}

/* The same handle for the same location; one that is closed is not known any more. */
static void handles(void)
{
    OTF2_Reader *r = open_reader();
    select_locations(r);
    ANSWER(OTF2_Reader_OpenEvtFiles(r));
    ANSWER(OTF2_Reader_OpenDefFiles(r));
    ANSWER(OTF2_Reader_OpenSnapFiles(r));
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, 0);
    printf("%d\n", e == OTF2_Reader_GetEvtReader(r, 0));
    OTF2_DefReader *d = OTF2_Reader_GetDefReader(r, 0);
    printf("%d\n", d == OTF2_Reader_GetDefReader(r, 0));
    OTF2_SnapReader *s = OTF2_Reader_GetSnapReader(r, 0);
    printf("%d\n", s == OTF2_Reader_GetSnapReader(r, 0));
    OTF2_GlobalDefReader *g = OTF2_Reader_GetGlobalDefReader(r);
    printf("%d\n", g == OTF2_Reader_GetGlobalDefReader(r));
    OTF2_MarkerReader *m = OTF2_Reader_GetMarkerReader(r);
    printf("%d\n", m == OTF2_Reader_GetMarkerReader(r));
    OTF2_GlobalEvtReader *all = OTF2_Reader_GetGlobalEvtReader(r);
    printf("%d\n", all && all == OTF2_Reader_GetGlobalEvtReader(r));
    OTF2_GlobalSnapReader *snaps = OTF2_Reader_GetGlobalSnapReader(r);
    printf("%d\n", snaps && snaps == OTF2_Reader_GetGlobalSnapReader(r));
    ANSWER(OTF2_Reader_CloseDefReader(r, d));
    ANSWER(OTF2_Reader_CloseMarkerReader(r, m));
    ANSWER(OTF2_Reader_CloseGlobalDefReader(r, g));
    if (all)
        ANSWER(OTF2_Reader_CloseGlobalEvtReader(r, all));
    if (snaps)
        ANSWER(OTF2_Reader_CloseGlobalSnapReader(r, snaps));
    TRY(OTF2_Reader_CloseEvtReader(r, e));
    TRY(OTF2_Reader_CloseDefReader(r, d));
    TRY(OTF2_Reader_CloseSnapReader(r, s));
    TRY(OTF2_Reader_CloseMarkerReader(r, m));
    TRY(OTF2_Reader_CloseGlobalDefReader(r, g));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetDefReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetGlobalDefReader(r));
    TRY_HANDLE(OTF2_Reader_GetGlobalEvtReader(r));
    ANSWER(OTF2_Reader_Close(r));
}

/* No events of all locations without the events of one. */
static void missing_file(void)
{
    enum { NOWHERE = 4242 };
    OTF2_Reader *r = open_reader();
    select_locations(r);
    ANSWER(OTF2_Reader_SelectLocation(r, NOWHERE));
    ANSWER(OTF2_Reader_OpenEvtFiles(r));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, NOWHERE));
    TRY_HANDLE(OTF2_Reader_GetGlobalEvtReader(r));
    TRY_HANDLE(OTF2_Reader_GetGlobalEvtReader(r));
    ANSWER(OTF2_Reader_Close(r));
}

/* Readers of one archive belong to no other. */
static void other_archive(void)
{
    OTF2_Reader *r = open_reader(), *other = open_reader();
    select_locations(r);
    select_locations(other);
    ANSWER(OTF2_Reader_OpenEvtFiles(r));
    ANSWER(OTF2_Reader_OpenEvtFiles(other));
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, 0);
    TRY(OTF2_Reader_CloseEvtReader(other, e));
    OTF2_GlobalDefReader *g = OTF2_Reader_GetGlobalDefReader(r);
    TRY(OTF2_Reader_CloseGlobalDefReader(other, g));
    OTF2_MarkerReader *m = OTF2_Reader_GetMarkerReader(r);
    TRY(OTF2_Reader_CloseMarkerReader(other, m));
    ANSWER(OTF2_Reader_Close(r));
    ANSWER(OTF2_Reader_Close(other));
}

/* Readers without callbacks, and with nothing to count into. */
static void silently(void)
{
    OTF2_Reader *r = open_reader();
    select_locations(r);
    OTF2_GlobalDefReader *g = OTF2_Reader_GetGlobalDefReader(r);
    TRY(OTF2_Reader_ReadGlobalDefinitions(r, g, 1, NULL));
    TRY(OTF2_Reader_ReadAllGlobalDefinitions(r, g, NULL));
    ANSWER(OTF2_Reader_ReadGlobalDefinitions(r, g, 0, &number));
    printf("%" PRIu64 "\n", number);
    ANSWER(OTF2_Reader_ReadAllGlobalDefinitions(r, g, &number));
    printf("%" PRIu64 "\n", number);
    ANSWER(OTF2_Reader_OpenEvtFiles(r));
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, 0);
    TRY(OTF2_Reader_RegisterEvtCallbacks(r, e, NULL, NULL));
    TRY(OTF2_EvtReader_SetCallbacks(e, NULL, NULL));
    TRY(OTF2_EvtReader_GetPos(e, NULL));
    TRY(OTF2_EvtReader_GetLocationID(e, NULL));
    TRY(OTF2_Reader_ReadLocalEvents(r, e, 1, NULL));
    ANSWER(OTF2_Reader_ReadLocalEvents(r, e, 0, &number));
    printf("%" PRIu64 "\n", number);
    ANSWER(OTF2_Reader_ReadAllLocalEvents(r, e, &number));
    printf("%" PRIu64 "\n", number);
    ANSWER(OTF2_Reader_Close(r));
}

static void thumbnails(void)
{
    OTF2_Reader *r = open_reader();
    TRY_HANDLE(OTF2_Reader_GetThumbReader(r, 17));
    TRY_HANDLE(OTF2_Reader_GetThumbReader(r, UINT32_MAX));
    ANSWER(OTF2_Reader_Close(r));
}

/* ---- the same through OTF2_Archive ---- */

static OTF2_Archive *open_archive_in(const char *name, OTF2_FileMode mode)
{
    char path[1024];
    snprintf(path, sizeof path, "%.*s", (int)(strrchr(anchor, '/') - anchor), anchor);
    return OTF2_Archive_Open(path, name, mode, CHUNK_MIN, CHUNK_MIN, OTF2_SUBSTRATE_POSIX,
                             OTF2_COMPRESSION_NONE);
}

static void archives(void)
{
    TRY_HANDLE(open_archive_in("nothing", OTF2_FILEMODE_READ));
    OTF2_Archive *a = open_archive_in("traces", OTF2_FILEMODE_READ);
    printf("read: %s\n", a ? "handle" : "NULL");
    if (!a)
        return;
    char *text = NULL;
    uint32_t n = 0;
    TRY_HANDLE(OTF2_Archive_GetGlobalDefReader(a));
    ANSWER(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    ANSWER(OTF2_Archive_GetNumberOfLocations(a, &number));
    printf("%" PRIu64 "\n", number);
    ANSWER(OTF2_Archive_GetNumberOfGlobalDefinitions(a, &number));
    printf("%" PRIu64 "\n", number);
    ANSWER(OTF2_Archive_GetMachineName(a, &text));
    printf("%s\n", text ? text : "NULL");
    ANSWER(OTF2_Archive_GetNumberOfSnapshots(a, &n));
    printf("%u\n", n);
    ANSWER(OTF2_Archive_GetNumberOfThumbnails(a, &n));
    printf("%u\n", n);
    ANSWER(OTF2_Archive_SetMachineName(a, "another"));
    ANSWER(OTF2_Archive_SetProperty(a, "X::Y", "z", false));
    TRY_HANDLE(OTF2_Archive_GetEvtWriter(a, 0));
    TRY_HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    OTF2_GlobalDefReader *g = OTF2_Archive_GetGlobalDefReader(a);
    printf("%s\n", g ? "handle" : "NULL");
    if (g) {
        ANSWER(OTF2_GlobalDefReader_ReadDefinitions(g, UINT64_MAX, &number));
        printf("%" PRIu64 "\n", number);
        ANSWER(OTF2_Archive_CloseGlobalDefReader(a, g));
    }
    for (size_t i = 0; i < n_locations; i++)
        ANSWER(OTF2_Archive_SelectLocation(a, locations[i]));
    ANSWER(OTF2_Archive_OpenDefFiles(a));
    ANSWER(OTF2_Archive_OpenEvtFiles(a));
    ANSWER(OTF2_Archive_OpenSnapFiles(a));
    for (size_t i = 0; i < n_locations; i++) {
        OTF2_DefReader *d = OTF2_Archive_GetDefReader(a, locations[i]);
        OTF2_EvtReader *e = OTF2_Archive_GetEvtReader(a, locations[i]);
        OTF2_SnapReader *s = OTF2_Archive_GetSnapReader(a, locations[i]);
        printf("%d %d %d\n", d != NULL, e != NULL, s != NULL);
        if (d) {
            ANSWER(OTF2_DefReader_ReadDefinitions(d, UINT64_MAX, &number));
            ANSWER(OTF2_Archive_CloseDefReader(a, d));
        }
        if (e) {
            ANSWER(OTF2_EvtReader_ReadEvents(e, 3, &number));
            ANSWER(OTF2_Archive_CloseEvtReader(a, e));
        }
        if (s) {
            ANSWER(OTF2_SnapReader_ReadSnapshots(s, 3, &number));
            ANSWER(OTF2_Archive_CloseSnapReader(a, s));
        }
    }
    OTF2_MarkerReader *m = OTF2_Archive_GetMarkerReader(a);
    if (m) {
        ANSWER(OTF2_MarkerReader_ReadMarkers(m, UINT64_MAX, &number));
        ANSWER(OTF2_Archive_CloseMarkerReader(a, m));
    }
    TRY_HANDLE(OTF2_Archive_GetThumbReader(a, 17));
    TRY_HANDLE(OTF2_Archive_GetGlobalEvtReader(a));
    TRY_HANDLE(OTF2_Archive_GetGlobalSnapReader(a));
    TRY(OTF2_Archive_CloseThumbReader(a, NULL));
    TRY(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_WRITE));
    ANSWER(OTF2_Archive_Close(a));
}

static void no_archive(void)
{
    TRY(OTF2_Archive_CloseEvtReader(NULL, NULL));
    TRY(OTF2_Archive_CloseGlobalEvtReader(NULL, NULL));
    TRY(OTF2_Archive_CloseDefReader(NULL, NULL));
    TRY(OTF2_Archive_CloseGlobalDefReader(NULL, NULL));
    TRY(OTF2_Archive_CloseSnapReader(NULL, NULL));
    TRY(OTF2_Archive_CloseGlobalSnapReader(NULL, NULL));
    TRY(OTF2_Archive_CloseMarkerReader(NULL, NULL));
    TRY(OTF2_Archive_CloseThumbReader(NULL, NULL));
    TRY_HANDLE(OTF2_Archive_GetEvtReader(NULL, 0));
    TRY_HANDLE(OTF2_Archive_GetGlobalEvtReader(NULL));
    TRY_HANDLE(OTF2_Archive_GetDefReader(NULL, 0));
    TRY_HANDLE(OTF2_Archive_GetGlobalDefReader(NULL));
    TRY_HANDLE(OTF2_Archive_GetSnapReader(NULL, 0));
    TRY_HANDLE(OTF2_Archive_GetGlobalSnapReader(NULL));
    TRY_HANDLE(OTF2_Archive_GetThumbReader(NULL, 0));
    TRY_HANDLE(OTF2_Archive_GetMarkerReader(NULL));
    TRY(OTF2_Archive_SelectLocation(NULL, 0));
}

/* ---- names that are no archives ---- */

static const char *beside(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(anchor, '/') - anchor), anchor, name);
    return path;
}

#define OPEN(path) TRY_HANDLE(OTF2_Reader_Open(path))

static void names(void)
{
    OPEN(NULL);
    OPEN("");
    OPEN(".");
    OPEN("/");
    OPEN("traces");
    OPEN("traces.otf2");
    OPEN(".otf2");
    OPEN("/nowhere/traces.otf2");
    OPEN(beside(""));
    OPEN(beside("traces"));
    OPEN(beside("traces.def"));
    OPEN(beside("traces.OTF2"));
    OPEN(beside("traces.Otf2"));
    OPEN(beside("traces.otf"));
    OPEN(beside("traces.otf2.otf2"));
    OPEN(beside("nothing.otf2"));
    OPEN(beside("./traces.otf2"));
    if (!chdir(beside(""))) {
        OPEN("traces.otf2");
        OPEN("./traces.otf2");
        OPEN("traces/../traces.otf2");
        OPEN("traces/traces.otf2");
        OPEN("//traces.otf2");
    }
}

int main(int argc, char **argv)
{
    if (!begin(argc, argv))
        return 2;
    PASS(without_open_files);
    PASS(without_selection);
    PASS(handles);
    PASS(missing_file);
    PASS(other_archive);
    PASS(silently);
    PASS(thumbnails);
    PASS(archives);
    PASS(no_archive);
    PASS(names);
    return 0;
}

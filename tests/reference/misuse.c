/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong uses of archives, and what they answer. */
#include <sys/stat.h>

#include "common.h"

static char path[1024];

static const char *in(const char *dir, const char *name)
{
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static OTF2_Archive *open_with(const char *where, const char *name, OTF2_FileMode mode,
                               uint64_t events, uint64_t defs, OTF2_FileSubstrate substrate,
                               OTF2_Compression compression)
{
    return OTF2_Archive_Open(where, name, mode, events, defs, substrate, compression);
}

#define OPEN(...) HANDLE(open_with(__VA_ARGS__))

static void bad_open(const char *dir)
{
    const OTF2_FileMode w = OTF2_FILEMODE_WRITE;
    const OTF2_FileSubstrate posix = OTF2_SUBSTRATE_POSIX;
    const OTF2_Compression none = OTF2_COMPRESSION_NONE;
    uint64_t c = CHUNK_MIN;

    OPEN(NULL, "traces", w, c, c, posix, none);
    OPEN(in(dir, "o1"), NULL, w, c, c, posix, none);
    OPEN(in(dir, "o2"), "", w, c, c, posix, none);
    OPEN("", "traces", w, c, c, posix, none);
    OPEN(in(dir, "o3"), "a/b", w, c, c, posix, none);
    OPEN(in(dir, "o4"), "traces", w, c - 1, c, posix, none);
    OPEN(in(dir, "o5"), "traces", w, c, c - 1, posix, none);
    OPEN(in(dir, "o6"), "traces", w, 16777217, c, posix, none);
    OPEN(in(dir, "o7"), "traces", w, c, 16777217, posix, none);
    OPEN(in(dir, "o8"), "traces", w, 16777216, 16777216, posix, none);
    OPEN(in(dir, "o9"), "traces", w, c + 1, c + 1, posix, none);
    OPEN(in(dir, "o10"), "traces", w, 0, c, posix, none);
    OPEN(in(dir, "o11"), "traces", w, OTF2_UNDEFINED_UINT64, c, posix, none);
    OPEN(in(dir, "o12"), "traces", w, c, OTF2_UNDEFINED_UINT64, posix, none);
    OPEN(in(dir, "o13"), "traces", w, c, 0, posix, none);
    OPEN(in(dir, "o14"), "traces", w, c, c, OTF2_SUBSTRATE_UNDEFINED, none);
    OPEN(in(dir, "o16"), "traces", w, c, c, OTF2_SUBSTRATE_NONE, none);
    OPEN(in(dir, "o17"), "traces", w, c, c, 17, none);
    OPEN(in(dir, "o18"), "traces", w, c, c, posix, OTF2_COMPRESSION_UNDEFINED);
    OPEN(in(dir, "o20"), "traces", w, c, c, posix, 17);
    OPEN(in(dir, "o22"), "traces", 17, c, c, posix, none);
    OPEN(in(dir, "o23"), "traces", OTF2_FILEMODE_READ, c, c, posix, none);
}

static void collectives_missing(const char *dir)
{
    OTF2_Archive *a = OTF2_Archive_Open(in(dir, "c1"), "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN,
                                        CHUNK_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    bool b = false;
    uint64_t n = 0;
    CODE(OTF2_Archive_OpenEvtFiles(a));
    CODE(OTF2_Archive_OpenDefFiles(a));
    CODE(OTF2_Archive_IsPrimary(a, &b));
    CODE(OTF2_Archive_GetNumberOfLocations(a, &n));
    HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    HANDLE(OTF2_Archive_GetEvtWriter(a, 0));
    HANDLE(OTF2_Archive_GetDefWriter(a, 0));
    ALONE(HANDLE(OTF2_Archive_GetMarkerWriter(a)));
    CODE(OTF2_Archive_SetMachineName(a, "m"));
    CODE(OTF2_Archive_SetDescription(a, "d"));
    CODE(OTF2_Archive_SetCreator(a, "c"));
    CODE(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    CODE(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    CODE(OTF2_Archive_Close(a));
    CODE(OTF2_Archive_Close(NULL));
}

static void close_without_collectives(const char *dir)
{
    OTF2_Archive *a = OTF2_Archive_Open(in(dir, "c2"), "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN,
                                        CHUNK_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    ALONE(CODE(OTF2_Archive_Close(a)));
}

static void null_archive(const char *dir)
{
    (void)dir;
    bool b;
    uint64_t n, m;
    uint32_t k;
    uint8_t x;
    char *s;
    char **names;
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    CODE(OTF2_Archive_SwitchFileMode(NULL, OTF2_FILEMODE_WRITE));
    CODE(OTF2_Archive_SetDefChunkSize(NULL, CHUNK_MIN));
    CODE(OTF2_Archive_SetMachineName(NULL, "x"));
    CODE(OTF2_Archive_SetDescription(NULL, "x"));
    CODE(OTF2_Archive_SetCreator(NULL, "x"));
    CODE(OTF2_Archive_SetFlushCallbacks(NULL, &flush_callbacks, NULL));
    CODE(OTF2_Archive_SetSerialCollectiveCallbacks(NULL));
    CODE(OTF2_Archive_IsPrimary(NULL, &b));
    CODE(OTF2_Archive_IsMaster(NULL, &b));
    CODE(OTF2_Archive_SetHint(NULL, OTF2_HINT_GLOBAL_READER, &b));
    CODE(OTF2_Archive_SetProperty(NULL, "A::B", "v", true));
    CODE(OTF2_Archive_SetBoolProperty(NULL, "A::B", true, true));
    CODE(OTF2_Archive_GetPropertyNames(NULL, &k, &names));
    CODE(OTF2_Archive_GetProperty(NULL, "A::B", &s));
    CODE(OTF2_Archive_GetTraceId(NULL, &n));
    CODE(OTF2_Archive_GetNumberOfLocations(NULL, &n));
    CODE(OTF2_Archive_GetNumberOfGlobalDefinitions(NULL, &n));
    CODE(OTF2_Archive_GetMachineName(NULL, &s));
    CODE(OTF2_Archive_GetDescription(NULL, &s));
    CODE(OTF2_Archive_GetCreator(NULL, &s));
    CODE(OTF2_Archive_GetVersion(NULL, &x, &x, &x));
    CODE(OTF2_Archive_GetChunkSize(NULL, &n, &m));
    CODE(OTF2_Archive_GetFileSubstrate(NULL, &substrate));
    CODE(OTF2_Archive_GetCompression(NULL, &compression));
    HANDLE(OTF2_Archive_GetEvtWriter(NULL, 0));
    HANDLE(OTF2_Archive_GetDefWriter(NULL, 0));
    HANDLE(OTF2_Archive_GetGlobalDefWriter(NULL));
    HANDLE(OTF2_Archive_GetSnapWriter(NULL, 0));
    HANDLE(OTF2_Archive_GetMarkerWriter(NULL));
    HANDLE(OTF2_Archive_GetThumbWriter(NULL, "a", "b", OTF2_THUMBNAIL_TYPE_REGION, 0, 0, NULL));
    CODE(OTF2_Archive_CloseEvtWriter(NULL, NULL));
    CODE(OTF2_Archive_CloseDefWriter(NULL, NULL));
    CODE(OTF2_Archive_CloseGlobalDefWriter(NULL, NULL));
    CODE(OTF2_Archive_CloseSnapWriter(NULL, NULL));
    CODE(OTF2_Archive_CloseMarkerWriter(NULL, NULL));
    CODE(OTF2_Archive_GetNumberOfThumbnails(NULL, &k));
    CODE(OTF2_Archive_SetNumberOfSnapshots(NULL, 1));
    CODE(OTF2_Archive_GetNumberOfSnapshots(NULL, &k));
    CODE(OTF2_Archive_OpenEvtFiles(NULL));
    CODE(OTF2_Archive_CloseEvtFiles(NULL));
    CODE(OTF2_Archive_OpenDefFiles(NULL));
    CODE(OTF2_Archive_CloseDefFiles(NULL));
    CODE(OTF2_Archive_OpenSnapFiles(NULL));
    CODE(OTF2_Archive_CloseSnapFiles(NULL));
    CODE(OTF2_Archive_SelectLocation(NULL, 1));
}

static void null_arguments(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "n1", CHUNK_MIN);
    uint64_t n = 0;
    uint32_t k = 0;
    uint8_t x = 0;
    char *s = NULL;
    CODE(OTF2_Archive_SetMachineName(a, NULL));
    CODE(OTF2_Archive_SetDescription(a, NULL));
    CODE(OTF2_Archive_SetCreator(a, NULL));
    CODE(OTF2_Archive_SetFlushCallbacks(a, NULL, NULL));
    CODE(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL));
    CODE(OTF2_Archive_SetMemoryCallbacks(a, NULL, NULL));
    CODE(OTF2_Archive_SetCollectiveCallbacks(a, NULL, NULL, NULL, NULL));
    CODE(OTF2_Archive_SetLockingCallbacks(a, NULL, NULL));
    CODE(OTF2_Archive_IsPrimary(a, NULL));
    CODE(OTF2_Archive_SetHint(a, OTF2_HINT_GLOBAL_READER, NULL));
    CODE(OTF2_Archive_GetPropertyNames(a, NULL, NULL));
    CODE(OTF2_Archive_GetPropertyNames(a, &k, NULL));
    ALONE(CODE(OTF2_Archive_GetProperty(a, "A::B", NULL)));
    ALONE(CODE(OTF2_Archive_GetProperty(a, NULL, &s)));
    ALONE(CODE(OTF2_Archive_GetTraceId(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetNumberOfLocations(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetNumberOfGlobalDefinitions(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetMachineName(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetDescription(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetCreator(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetVersion(a, NULL, &x, &x)));
    ALONE(CODE(OTF2_Archive_GetVersion(a, &x, NULL, &x)));
    ALONE(CODE(OTF2_Archive_GetVersion(a, &x, &x, NULL)));
    ALONE(CODE(OTF2_Archive_GetChunkSize(a, NULL, &n)));
    ALONE(CODE(OTF2_Archive_GetChunkSize(a, &n, NULL)));
    ALONE(CODE(OTF2_Archive_GetFileSubstrate(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetCompression(a, NULL)));
    ALONE(CODE(OTF2_Archive_CloseEvtWriter(a, NULL)));
    ALONE(CODE(OTF2_Archive_CloseDefWriter(a, NULL)));
    ALONE(CODE(OTF2_Archive_CloseGlobalDefWriter(a, NULL)));
    ALONE(CODE(OTF2_Archive_CloseSnapWriter(a, NULL)));
    ALONE(CODE(OTF2_Archive_CloseMarkerWriter(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetNumberOfThumbnails(a, NULL)));
    ALONE(CODE(OTF2_Archive_GetNumberOfSnapshots(a, NULL)));
    ALONE(
        HANDLE(OTF2_Archive_GetThumbWriter(a, NULL, "b", OTF2_THUMBNAIL_TYPE_REGION, 0, 0, NULL)));
    ALONE(
        HANDLE(OTF2_Archive_GetThumbWriter(a, "a", NULL, OTF2_THUMBNAIL_TYPE_REGION, 0, 0, NULL)));
    CODE(OTF2_Archive_Close(a));
}

static void text_of(OTF2_Archive *a, OTF2_ErrorCode (*get)(OTF2_Archive *, char **))
{
    char *s = NULL;
    CODE(get(a, &s));
    printf("  \"%s\"\n", s ? s : "(null)");
    free(s);
}

static void answers(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "a1", CHUNK_MIN + 5);
    uint64_t n = 77, m = 77;
    uint32_t k = 77;
    uint8_t x = 77, y = 77, z = 77;
    bool b = false;
    OTF2_FileSubstrate substrate = 77;
    OTF2_Compression compression = 77;
    text_of(a, OTF2_Archive_GetMachineName);
    text_of(a, OTF2_Archive_GetDescription);
    text_of(a, OTF2_Archive_GetCreator);
    CODE(OTF2_Archive_SetMachineName(a, "machine"));
    CODE(OTF2_Archive_SetMachineName(a, "machine 2"));
    CODE(OTF2_Archive_SetDescription(a, "text\nof two lines"));
    CODE(OTF2_Archive_SetDescription(a, ""));
    CODE(OTF2_Archive_SetCreator(a, "creator"));
    text_of(a, OTF2_Archive_GetMachineName);
    text_of(a, OTF2_Archive_GetDescription);
    text_of(a, OTF2_Archive_GetCreator);
    CODE(OTF2_Archive_GetTraceId(a, &n));
    printf("  %d\n", n == 77);
    CODE(OTF2_Archive_GetNumberOfLocations(a, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_Archive_GetNumberOfGlobalDefinitions(a, &n));
    printf("  %" PRIu64 "\n", n);
    CODE(OTF2_Archive_GetVersion(a, &x, &y, &z));
    printf("  %d\n", x == OTF2_VERSION_MAJOR && y >= OTF2_VERSION_MINOR);
    CODE(OTF2_Archive_GetChunkSize(a, &n, &m));
    printf("  %" PRIu64 " %" PRIu64 "\n", n, m);
    CODE(OTF2_Archive_GetFileSubstrate(a, &substrate));
    CODE(OTF2_Archive_GetCompression(a, &compression));
    printf("  %d %d\n", substrate, compression);
    CODE(OTF2_Archive_IsPrimary(a, &b));
    printf("  %d\n", b);
    b = false;
    CODE(OTF2_Archive_IsMaster(a, &b));
    printf("  %d\n", b);
    CODE(OTF2_Archive_GetNumberOfSnapshots(a, &k));
    printf("  %u\n", k);
    CODE(OTF2_Archive_SetNumberOfSnapshots(a, 3));
    CODE(OTF2_Archive_GetNumberOfSnapshots(a, &k));
    printf("  %u\n", k);
    CODE(OTF2_Archive_GetNumberOfThumbnails(a, &k));
    printf("  %u\n", k);
    CODE(OTF2_Archive_SelectLocation(a, 1));
    CODE(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_WRITE));
    CODE(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_READ));
    CODE(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_MODIFY));
    CODE(OTF2_Archive_SetDefChunkSize(a, CHUNK_MIN));
    CODE(OTF2_Archive_Close(a));
}

static void def_chunk_size(const char *dir)
{
    OTF2_Archive *a =
        OTF2_Archive_Open(in(dir, "d1"), "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN,
                          OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    uint64_t n = 0, m = 0;
    CODE(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL));
    ALONE(CODE(OTF2_Archive_SetDefChunkSize(a, CHUNK_MIN)));
    CODE(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    CODE(OTF2_Archive_GetChunkSize(a, &n, &m));
    printf("  %" PRIu64 " %" PRIu64 "\n", n, m);
    HANDLE(OTF2_Archive_GetEvtWriter(a, 0));
    HANDLE(OTF2_Archive_GetDefWriter(a, 0));
    HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    CODE(OTF2_Archive_SetDefChunkSize(a, CHUNK_MIN - 1));
    CODE(OTF2_Archive_SetDefChunkSize(a, 16777217));
    CODE(OTF2_Archive_SetDefChunkSize(a, OTF2_UNDEFINED_UINT64));
    CODE(OTF2_Archive_SetDefChunkSize(a, CHUNK_MIN + 7));
    CODE(OTF2_Archive_SetDefChunkSize(a, CHUNK_MIN));
    CODE(OTF2_Archive_GetChunkSize(a, &n, &m));
    printf("  %" PRIu64 " %" PRIu64 "\n", n, m);
    HANDLE(OTF2_Archive_GetGlobalDefWriter(a));
    CODE(OTF2_Archive_Close(a));

    a = OTF2_Archive_Open(in(dir, "d2"), "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN,
                          OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    CODE(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL));
    CODE(OTF2_Archive_SetSerialCollectiveCallbacks(a));
    CODE(OTF2_Archive_Close(a));
}

static void properties(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "p1", CHUNK_MIN);
    const char *const bad[] = {
        "",     "A",     "A::",    "::A",   "A::B::", "A:B",       "A::B C",
        "A::ä", "A:::B", "A::::B", ":A::B", "a::b",   "A::B::C_1",
#ifndef OTF2_ONLY_3_0
        "A::-", "-::-",  "a::-",
#endif
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        printf("%s: ", bad[i]);
        CODE(OTF2_Archive_SetProperty(a, bad[i], "value", false));
    }
    CODE(OTF2_Archive_SetProperty(a, NULL, "v", false));
    CODE(OTF2_Archive_SetProperty(a, "X::Y", NULL, false));
    CODE(OTF2_Archive_SetProperty(a, "A::B", "second", false));
    CODE(OTF2_Archive_SetProperty(a, "A::b", "third", true));
    CODE(OTF2_Archive_SetProperty(a, "Z::Z", "", false));
    CODE(OTF2_Archive_SetProperty(a, "Z::Z", "zed", true));
    CODE(OTF2_Archive_SetProperty(a, "Y::Y", "why", false));
    CODE(OTF2_Archive_SetProperty(a, "z::z", "", false));
    CODE(OTF2_Archive_SetProperty(a, "Z::Z", "zed again", false));
    CODE(OTF2_Archive_SetBoolProperty(a, "T::T", true, false));
    CODE(OTF2_Archive_SetBoolProperty(a, "T::T", false, false));
    CODE(OTF2_Archive_SetBoolProperty(a, "F::F", false, false));
    CODE(OTF2_Archive_SetBoolProperty(a, "F", false, false));
    char *value = NULL;
    CODE(OTF2_Archive_GetProperty(a, "a::b", &value));
    printf("  %s\n", value ? value : "(null)");
    free(value);
    value = NULL;
    CODE(OTF2_Archive_GetProperty(a, "T::T", &value));
    printf("  %s\n", value ? value : "(null)");
    free(value);
    value = NULL;
    CODE(OTF2_Archive_GetProperty(a, "N::N", &value));
    CODE(OTF2_Archive_GetProperty(a, "N", &value));
    uint32_t n = 0;
    char **names = NULL;
    CODE(OTF2_Archive_GetPropertyNames(a, &n, &names));
    for (uint32_t i = 0; i < n; i++)
        printf("  %s\n", names[i]);
    free(names);
    CODE(OTF2_Archive_Close(a));

    a = open_archive(dir, "p2", CHUNK_MIN);
    CODE(OTF2_Archive_GetPropertyNames(a, &n, &names));
    printf("  %u\n", n);
    CODE(OTF2_Archive_Close(a));
}

static void existing(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "e1", CHUNK_MIN);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 1);
    CODE(OTF2_EvtWriter_Enter(w, NULL, 1, 1));
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    OTF2_Archive *b = open_archive(dir, "e1", CHUNK_MIN);
    printf("second: %d\n", b != NULL);
    CODE(OTF2_Archive_Close(a));
    a = open_archive(dir, "e1", CHUNK_MIN);
    printf("third: %d\n", a != NULL);
    FILE *f = fopen(in(dir, "e2"), "w");
    fclose(f);
    a = open_archive(dir, "e2", CHUNK_MIN);
    printf("file: %d\n", a != NULL);
    a = open_archive(dir, "e2/below", CHUNK_MIN);
    printf("below file: %d\n", a != NULL);
    mkdir(in(dir, "e3"), 0777);
    a = open_archive(dir, "e3", CHUNK_MIN);
    printf("empty directory: %d\n", a != NULL);
    CODE(OTF2_Archive_Close(a));
    a = open_archive(dir, "e4/with/parents", CHUNK_MIN);
    printf("parents: %d\n", a != NULL);
    CODE(OTF2_Archive_Close(a));
    CODE(OTF2_Archive_Close(open_archive(dir, "e5//with/./path/", CHUNK_MIN)));
}

static void files_order(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "f1", CHUNK_MIN);
    HANDLE(OTF2_Archive_GetEvtWriter(a, 0));
    HANDLE(OTF2_Archive_GetDefWriter(a, 0));
    HANDLE(OTF2_Archive_GetSnapWriter(a, 0));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_CloseDefFiles(a));
    CODE(OTF2_Archive_CloseSnapFiles(a));
    CODE(OTF2_Archive_OpenEvtFiles(a));
    CODE(OTF2_Archive_OpenEvtFiles(a));
    CODE(OTF2_Archive_OpenDefFiles(a));
    CODE(OTF2_Archive_OpenDefFiles(a));
    CODE(OTF2_Archive_OpenSnapFiles(a));
    CODE(OTF2_Archive_OpenSnapFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, 1));
    OTF2_DefWriter *d = HANDLE(OTF2_Archive_GetDefWriter(a, 1));
    printf("same: %d %d\n", w == OTF2_Archive_GetEvtWriter(a, 1),
           d == OTF2_Archive_GetDefWriter(a, 1));
    HANDLE(OTF2_Archive_GetEvtWriter(a, OTF2_UNDEFINED_LOCATION));
    HANDLE(OTF2_Archive_GetDefWriter(a, OTF2_UNDEFINED_LOCATION));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 1, 1));
    CODE(OTF2_Archive_CloseDefFiles(a));
    CODE(OTF2_Archive_CloseDefFiles(a));
    CODE(OTF2_Archive_OpenDefFiles(a));
    CODE(OTF2_Archive_CloseEvtWriter(a, w));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_CloseEvtFiles(a));
    CODE(OTF2_Archive_OpenEvtFiles(a));
    HANDLE(OTF2_Archive_GetEvtWriter(a, 5));
    CODE(OTF2_Archive_Close(a));
}

static void setters_too_late(const char *dir)
{
    OTF2_Archive *a = open_archive(dir, "t1", CHUNK_MIN);
    CODE(OTF2_Archive_OpenEvtFiles(a));
    OTF2_EvtWriter *w = HANDLE(OTF2_Archive_GetEvtWriter(a, 1));
    CODE(OTF2_EvtWriter_Enter(w, NULL, 1, 1));
    CODE(OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, NULL));
    OTF2_FlushCallbacks half = {NULL, flush_time};
    CODE(OTF2_Archive_SetFlushCallbacks(a, &half, NULL));
    OTF2_MemoryCallbacks none = {NULL, NULL};
    CODE(OTF2_Archive_SetMemoryCallbacks(a, &none, NULL));
    OTF2_LockingCallbacks locks = {NULL, NULL, NULL, NULL, NULL};
    CODE(OTF2_Archive_SetLockingCallbacks(a, &locks, NULL));
    bool yes = true;
    CODE(OTF2_Archive_SetHint(a, OTF2_HINT_GLOBAL_READER, &yes));
    CODE(OTF2_Archive_SetHint(a, 77, &yes));
    CODE(OTF2_Archive_Close(a));
}

static void unusable_directory(const char *dir)
{
    (void)dir;
    HANDLE(open_with("/proc/nothing", "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN, CHUNK_MIN,
                     OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    HANDLE(open_with("/dev/null/x", "traces", OTF2_FILEMODE_WRITE, CHUNK_MIN, CHUNK_MIN,
                     OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    setvbuf(stdout, NULL, _IOLBF, 0);
    CASE(bad_open);
    CASE(collectives_missing);
    CASE(close_without_collectives);
    CASE(null_archive);
    CASE(null_arguments);
    CASE(answers);
    CASE(def_chunk_size);
    CASE(properties);
    CASE(existing);
    CASE(files_order);
    CASE(setters_too_late);
    CASE(unusable_directory);
    return 0;
}

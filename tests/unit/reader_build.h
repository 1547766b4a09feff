/* SPDX-License-Identifier: BSD-3-Clause */
/* Small archives to read: written by the library, and changed byte by byte. */
#ifndef UNIT_READER_BUILD_H
#define UNIT_READER_BUILD_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <otf2/otf2.h>

enum { BUILD_CHUNK = 262144, BUILD_EVENTS = 10 };

static char build_dir[] = P_tmpdir "/spur-archive-XXXXXX";
static char build_said[512]; /* the last error */
static unsigned build_n_said;
static OTF2_ErrorCode build_code;

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
build_listen(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
             const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function;
    vsnprintf(build_said, sizeof build_said, format, va);
    build_code = code;
    build_n_said++;
    return code;
}

static const char *build_path(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", build_dir, name);
    return path;
}

static void build_begin(void)
{
    cr_assert_not_null(mkdtemp(build_dir));
    OTF2_Error_RegisterCallback(build_listen, NULL);
}

static int build_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static void build_end(void)
{
    nftw(build_dir, build_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static OTF2_FlushType build_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                  void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks build_flushes = {build_flush, NULL};

/* Events at 1, 2, ... in all locations. */
static void build_events(OTF2_Archive *a, OTF2_LocationRef location)
{
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, location);
    for (unsigned i = 1; i <= BUILD_EVENTS; i += 2) {
        cr_assert_eq(OTF2_EvtWriter_Enter(w, NULL, i, 0), OTF2_SUCCESS);
        cr_assert_eq(OTF2_EvtWriter_Leave(w, NULL, i + 1, 0), OTF2_SUCCESS);
    }
    cr_assert_eq(OTF2_Archive_CloseEvtWriter(a, w), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, location)), 0);
}

static inline void build_archive(uint64_t locations, OTF2_Compression compression)
{
    OTF2_Archive *a = OTF2_Archive_Open(build_dir, "traces", OTF2_FILEMODE_WRITE, BUILD_CHUNK,
                                        BUILD_CHUNK, OTF2_SUBSTRATE_POSIX, compression);
    OTF2_Archive_SetFlushCallbacks(a, &build_flushes, NULL);
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), OTF2_SUCCESS);
    OTF2_Archive_SetMachineName(a, "machine");
    OTF2_Archive_SetCreator(a, "creator");
    OTF2_Archive_SetDescription(a, "description");
    OTF2_Archive_SetProperty(a, "SOME::TEXT", "some text", false);
    OTF2_Archive_SetBoolProperty(a, "SOME::TRUTH", true, false);
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    OTF2_GlobalDefWriter_WriteClockProperties(g, 1000, 0, 100, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(g, 0, "name");
    OTF2_GlobalDefWriter_WriteRegion(g, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    for (uint64_t l = 0; l < locations; l++) {
        build_events(a, l);
        OTF2_GlobalDefWriter_WriteLocation(g, l, 0, 0, BUILD_EVENTS, 0);
    }
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    build_n_said = 0;
}

static inline OTF2_Reader *build_open(void)
{
    OTF2_Reader *r = OTF2_Reader_Open(build_path("traces.otf2"));
    cr_assert_not_null(r, "%s", build_said);
    cr_assert_eq(OTF2_Reader_SetSerialCollectiveCallbacks(r), OTF2_SUCCESS);
    return r;
}

static inline size_t build_load(const char *name, uint8_t *bytes, size_t room)
{
    FILE *f = fopen(build_path(name), "rb");
    cr_assert_not_null(f, "%s", name);
    size_t n = fread(bytes, 1, room, f);
    fclose(f);
    return n;
}

static inline void build_store(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(build_path(name), "wb");
    cr_assert(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

#endif

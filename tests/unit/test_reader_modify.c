/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader format format-zlib */
/* Archives that exist are read, switched to writing, and get snapshots, thumbnails and markers. */
#include <signal.h>
#include <sys/resource.h>

#include "tests/unit/reader_build.h"

static OTF2_Archive *open_in(OTF2_FileMode mode)
{
    return OTF2_Archive_Open(build_dir, "traces", mode, OTF2_UNDEFINED_UINT64,
                             OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_UNDEFINED,
                             OTF2_COMPRESSION_UNDEFINED);
}

static OTF2_Archive *open_archive(OTF2_FileMode mode)
{
    OTF2_Archive *a = open_in(mode);
    cr_assert_not_null(a, "%s", build_said);
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), OTF2_SUCCESS);
    return a;
}

Test(reader_modify, an_archive_is_read, .init = build_begin, .fini = build_end)
{
    uint64_t n = 0;
    uint64_t m = 0;
    char *text;
    build_archive(2, OTF2_COMPRESSION_NONE);
    OTF2_Archive *a = open_archive(OTF2_FILEMODE_READ);
    cr_expect(!OTF2_Archive_GetNumberOfLocations(a, &n) && n == 2);
    cr_expect(!OTF2_Archive_GetChunkSize(a, &n, &m) && n == BUILD_CHUNK && m == BUILD_CHUNK);
    cr_expect(!OTF2_Archive_GetTraceId(a, &n) && n);
    cr_expect(!OTF2_Archive_GetMachineName(a, &text) && !strcmp(text, "machine"));
    free(text);
    cr_expect(!OTF2_Archive_GetProperty(a, "SOME::TEXT", &text) && !strcmp(text, "some text"));
    free(text);
    for (OTF2_LocationRef l = 0; l < 2; l++) {
        cr_expect_eq(OTF2_Archive_SelectLocation(a, l), OTF2_SUCCESS);
        cr_expect_not_null(OTF2_Archive_GetEvtReader(a, l));
    }
    OTF2_GlobalEvtReader *all = OTF2_Archive_GetGlobalEvtReader(a);
    cr_expect_eq(OTF2_GlobalEvtReader_ReadEvents(all, OTF2_UNDEFINED_UINT64, &n), OTF2_SUCCESS);
    cr_expect_eq(n, 2 * BUILD_EVENTS);
    cr_expect_eq(OTF2_Archive_CloseGlobalEvtReader(a, all), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Archive_CloseGlobalEvtReader(a, all), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_not_null(OTF2_Archive_GetGlobalDefReader(a));
    cr_expect_not_null(OTF2_Archive_GetDefReader(a, 0));
    cr_expect_eq(build_n_said, 1);

    cr_expect_null(OTF2_Archive_GetEvtWriter(a, 0));
    cr_expect_null(OTF2_Archive_GetSnapWriter(a, 0));
    cr_expect_null(OTF2_Archive_GetGlobalDefWriter(a));
    cr_expect_eq(OTF2_Archive_SetProperty(a, "A::B", "x", true), OTF2_ERROR_INVALID_CALL);
    cr_expect_eq(OTF2_Archive_SetFlushCallbacks(a, &build_flushes, NULL),
                 OTF2_ERROR_INTEGRITY_FAULT);
    cr_expect_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

Test(reader_modify, reading_changes_nothing, .init = build_begin, .fini = build_end)
{
    static uint8_t before[1000];
    static uint8_t after[1000];
    build_archive(1, OTF2_COMPRESSION_NONE);
    size_t size = build_load("traces.otf2", before, sizeof before);
    OTF2_Archive *a = open_archive(OTF2_FILEMODE_READ);
    OTF2_Archive_SetMachineName(a, "another machine");
    cr_expect_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Archive_Close(open_in(OTF2_FILEMODE_READ)), 0, "without collectives");
    cr_expect_eq(build_load("traces.otf2", after, sizeof after), size);
    cr_expect(!memcmp(before, after, size));
    cr_expect_eq(build_n_said, 0);
}

Test(reader_modify, what_does_not_exist, .init = build_begin, .fini = build_end)
{
    cr_expect_null(open_in(OTF2_FILEMODE_READ));
    cr_expect_eq(build_code, OTF2_ERROR_ENOENT);
    cr_expect_null(open_in(OTF2_FILEMODE_MODIFY));
    cr_expect_null(open_in(17));
}

Test(reader_modify, only_from_reading_to_writing, .init = build_begin, .fini = build_end)
{
    build_archive(1, OTF2_COMPRESSION_NONE);
    OTF2_Archive *a = open_archive(OTF2_FILEMODE_READ);
    cr_expect_eq(OTF2_Archive_SwitchFileMode(NULL, OTF2_FILEMODE_WRITE),
                 OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Archive_SwitchFileMode(a, 17), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_READ),
                 OTF2_ERROR_INVALID_FILE_MODE_TRANSITION);
    cr_expect_eq(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_MODIFY),
                 OTF2_ERROR_INVALID_FILE_MODE_TRANSITION);
    cr_expect_eq(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_WRITE), OTF2_SUCCESS);
    for (int mode = 0; mode <= OTF2_FILEMODE_MODIFY; mode++)
        cr_expect_eq(OTF2_Archive_SwitchFileMode(a, (OTF2_FileMode)mode),
                     OTF2_ERROR_INVALID_FILE_MODE_TRANSITION);
    cr_expect_null(OTF2_Archive_GetEvtReader(a, 0));
    cr_expect_eq(OTF2_Archive_SelectLocation(a, 0), OTF2_ERROR_INVALID_CALL);
    cr_expect_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

static void write_snapshot(OTF2_Archive *a, OTF2_LocationRef location)
{
    OTF2_SnapWriter *w = OTF2_Archive_GetSnapWriter(a, location);
    cr_assert_not_null(w, "%s", build_said);
    cr_expect_eq(OTF2_SnapWriter_SnapshotStart(w, NULL, 5, 1), OTF2_SUCCESS);
    cr_expect_eq(OTF2_SnapWriter_Enter(w, NULL, 5, 1, 0), OTF2_SUCCESS);
    cr_expect_eq(OTF2_SnapWriter_SnapshotEnd(w, NULL, 5, 3), OTF2_SUCCESS);
}

static void write_thumbnail(OTF2_Archive *a)
{
    uint64_t value = 4;
    OTF2_ThumbWriter *w = OTF2_Archive_GetThumbWriter(a, "thumb", "nail", 0, 1, 1, &value);
    cr_assert_not_null(w, "%s", build_said);
    cr_expect_eq(OTF2_ThumbWriter_WriteSample(w, 5, 1, &value), OTF2_SUCCESS);
}

static void expect_added(OTF2_Compression compression)
{
    uint64_t id[2];
    uint64_t n = 0;
    uint32_t k = 0;
    char *text;
    build_archive(2, compression);
    OTF2_Archive *a = open_archive(OTF2_FILEMODE_READ);
    OTF2_Archive_GetTraceId(a, &id[0]);
    OTF2_EvtReader *evt = OTF2_Archive_GetEvtReader(a, 0);
    OTF2_GlobalEvtReader *all = OTF2_Archive_GetGlobalEvtReader(a);
    cr_expect_eq(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_WRITE), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Archive_SetFlushCallbacks(a, &build_flushes, NULL), OTF2_SUCCESS);
    write_snapshot(a, 0);
    /* Readers go on. */
    cr_expect_eq(OTF2_GlobalEvtReader_ReadEvents(all, 3, &n), OTF2_SUCCESS);
    cr_expect_eq(n, 3);
    cr_expect_eq(OTF2_EvtReader_GetPos(evt, &n), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Archive_CloseGlobalEvtReader(a, all), OTF2_SUCCESS);
    write_snapshot(a, 1);
    write_thumbnail(a);
    OTF2_Archive_SetNumberOfSnapshots(a, 1);
    OTF2_Archive_SetProperty(a, "MORE::TEXT", "more", false);
    cr_expect_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    cr_expect_eq(build_n_said, 0, "%s", build_said);

    OTF2_Reader *r = build_open();
    cr_expect(!OTF2_Reader_GetTraceId(r, &id[1]) && id[0] == id[1]);
    cr_expect(!OTF2_Reader_GetNumberOfSnapshots(r, &k) && k == 1);
    cr_expect(!OTF2_Reader_GetNumberOfThumbnails(r, &k) && k == 1);
    cr_expect(!OTF2_Reader_GetNumberOfLocations(r, &n) && n == 2);
    cr_expect(!OTF2_Reader_GetNumberOfGlobalDefinitions(r, &n) && n == 5);
    cr_expect(!OTF2_Reader_GetProperty(r, "MORE::TEXT", &text) && !strcmp(text, "more"));
    free(text);
    for (OTF2_LocationRef l = 0; l < 2; l++) {
        OTF2_SnapReader *snap = OTF2_Reader_GetSnapReader(r, l);
        cr_expect_eq(OTF2_Reader_ReadAllLocalSnapshots(r, snap, &n), OTF2_SUCCESS);
        cr_expect_eq(n, 3);
    }
    cr_expect_not_null(OTF2_Reader_GetThumbReader(r, 0));
    OTF2_Reader_Close(r);
}

Test(reader_modify, snapshots_and_thumbnails_are_added, .init = build_begin, .fini = build_end)
{
    expect_added(OTF2_COMPRESSION_NONE);
}

Test(reader_modify, to_a_compressed_archive_too, .init = build_begin, .fini = build_end)
{
    expect_added(OTF2_COMPRESSION_ZLIB);
}

Test(reader_modify, at_once, .init = build_begin, .fini = build_end)
{
    uint32_t k = 0;
    build_archive(1, OTF2_COMPRESSION_NONE);
    OTF2_Archive *a = open_archive(OTF2_FILEMODE_MODIFY);
    OTF2_Archive_SetFlushCallbacks(a, &build_flushes, NULL);
    write_thumbnail(a);
    cr_expect_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    a = open_archive(OTF2_FILEMODE_MODIFY);
    OTF2_Archive_SetFlushCallbacks(a, &build_flushes, NULL);
    write_thumbnail(a);
    cr_expect_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    OTF2_Reader *r = build_open();
    cr_expect(!OTF2_Reader_GetNumberOfThumbnails(r, &k) && k == 2);
    cr_expect(OTF2_Reader_GetThumbReader(r, 0) && OTF2_Reader_GetThumbReader(r, 1));
    OTF2_Reader_Close(r);
}

/* ---- markers ---- */

static uint64_t count_markers(void)
{
    uint64_t n = 0;
    OTF2_Reader *r = build_open();
    OTF2_MarkerReader *markers = OTF2_Reader_GetMarkerReader(r);
    cr_expect_eq(OTF2_Reader_ReadAllMarkers(r, markers, &n), OTF2_SUCCESS);
    OTF2_Reader_Close(r);
    return n;
}

static void write_markers(OTF2_Reader *r, unsigned n)
{
    OTF2_MarkerWriter *w = OTF2_Reader_GetMarkerWriter(r);
    cr_assert_not_null(w, "%s", build_said);
    cr_expect_eq(OTF2_Reader_GetMarkerWriter(r), w);
    cr_expect_eq(OTF2_MarkerWriter_WriteDefMarker(w, 0, "group", "category", 1), OTF2_SUCCESS);
    while (n--)
        cr_expect_eq(OTF2_MarkerWriter_WriteMarker(w, n, 1, 0, 0, OTF2_UNDEFINED_UINT64, "text"),
                     OTF2_SUCCESS);
}

/* As the reference does, a writer replaces what there was: programs read it before. */
Test(reader_modify, markers_are_replaced, .init = build_begin, .fini = build_end)
{
    build_archive(1, OTF2_COMPRESSION_NONE);
    OTF2_Reader *r = build_open();
    write_markers(r, 3);
    cr_expect_eq(OTF2_Reader_CloseMarkerWriter(r, NULL), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Reader_CloseMarkerWriter(r, OTF2_Reader_GetMarkerWriter(r)), OTF2_SUCCESS);
    cr_expect_eq(count_markers(), 4);
    write_markers(r, 1);
    cr_expect_eq(count_markers(), 4, "not before it is closed");
    cr_expect_eq(OTF2_Reader_Close(r), OTF2_SUCCESS);
    cr_expect_eq(count_markers(), 2);
    cr_expect_eq(access(build_path("traces.marker.new"), F_OK), -1);
    cr_expect_eq(build_n_said, 0);
    r = OTF2_Reader_Open(build_path("traces.otf2"));
    cr_expect_null(OTF2_Reader_GetMarkerWriter(r), "without collective callbacks");
    OTF2_Reader_Close(r);
}

/* ---- no room ---- */

/* A disk that is full after so many bytes of a file. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(reader_modify, a_full_disk_leaves_the_archive_as_it_was, .init = build_begin,
     .fini = build_end)
{
    static uint8_t before[1000];
    static uint8_t after[1000];
    const rlim_t room[] = {0, 1, 25, 60};
    build_archive(2, OTF2_COMPRESSION_NONE);
    OTF2_Reader *r = build_open();
    write_markers(r, 9);
    OTF2_Reader_Close(r);
    size_t size = build_load("traces.otf2", before, sizeof before);
    signal(SIGXFSZ, SIG_IGN);
    for (unsigned i = 0; i < sizeof room / sizeof *room; i++) {
        OTF2_Archive *a = open_archive(OTF2_FILEMODE_MODIFY);
        OTF2_Archive_SetFlushCallbacks(a, &build_flushes, NULL);
        OTF2_Archive_SetNumberOfSnapshots(a, 1);
        OTF2_Archive_SetDescription(a, "a description that is longer than the one before");
        write_snapshot(a, 0);
        (void)OTF2_Archive_GetMarkerWriter(a);
        limit_files(room[i]);
        cr_expect_eq(OTF2_Archive_Close(a), OTF2_ERROR_EFBIG);
        limit_files(RLIM_INFINITY);
        cr_expect_eq(build_load("traces.otf2", after, sizeof after), size);
        cr_expect(!memcmp(before, after, size));
        cr_expect_eq(access(build_path("traces.otf2.new"), F_OK), -1);
        cr_expect_eq(access(build_path("traces/0.snap.new"), F_OK), -1);
    }
}

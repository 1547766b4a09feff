/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader format format-zlib */
/* What goes wrong with containers that are written; what is right compares tests/cli/containers.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include <otf2x/otf2x.h>

#include "tests/unit/reader_build.h"

enum { LOCATIONS = 3 };

/* The disk has no room when the container of events is opened for this time to be written. */
static unsigned refused_at = UINT_MAX;
static unsigned n_opened;

static int open_file(const char *path, int flags)
{
    if (strstr(path, "traces/0.evt") && n_opened++ == refused_at)
        return -ENOSPC;
    int fd = open(path, flags | O_CLOEXEC, 0600);
    return fd < 0 ? -errno : fd;
}

static int make_dir(const char *path)
{
    return mkdir(path, 0700) ? -errno : 0;
}

static int remove_file(const char *path)
{
    return unlink(path) ? -errno : 0;
}

static int rename_file(const char *from, const char *to)
{
    return rename(from, to) ? -errno : 0;
}

static const OTF2X_FileCallbacks files = {open_file, make_dir, remove_file, rename_file};

static OTF2_Archive *open_containers(OTF2_Compression compression)
{
    return OTF2_Archive_Open(build_dir, "traces", OTF2_FILEMODE_WRITE, BUILD_CHUNK, BUILD_CHUNK,
                             OTF2_SUBSTRATE_SION, compression);
}

/* Writes locations; the first error of closing a writer and the archive are kept. */
static void write_containers(OTF2_ErrorCode *writer, OTF2_ErrorCode *archive)
{
    OTF2_Archive *a = open_containers(OTF2_COMPRESSION_NONE);
    *writer = OTF2_SUCCESS;
    cr_assert_eq(OTF2X_Archive_SetFileCallbacks(a, &files), 0);
    OTF2_Archive_SetFlushCallbacks(a, &build_flushes, NULL);
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), 0);
    for (OTF2_LocationRef l = 0; l < LOCATIONS; l++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, l);
        cr_assert_eq(OTF2_EvtWriter_Enter(w, NULL, 1 + l, 0), 0);
        OTF2_ErrorCode code = OTF2_Archive_CloseEvtWriter(a, w);
        *writer = *writer ? *writer : code;
    }
    *archive = OTF2_Archive_Close(a);
}

Test(writer_containers, are_not_compressed, .init = build_begin, .fini = build_end)
{
    cr_expect_null(open_containers(OTF2_COMPRESSION_ZLIB));
    cr_expect_eq(build_code, OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED);
}

Test(writer_containers, are_not_modified, .init = build_begin, .fini = build_end)
{
    OTF2_ErrorCode writer, archive;
    write_containers(&writer, &archive);
    cr_assert(!writer && !archive, "%s", build_said);
    cr_expect_null(OTF2_Archive_Open(build_dir, "traces", OTF2_FILEMODE_MODIFY, 0, 0, 0, 0));
    cr_expect_eq(build_code, OTF2_ERROR_FILE_SUBSTRATE_NOT_SUPPORTED);
    OTF2_Archive *a = OTF2_Archive_Open(build_dir, "traces", OTF2_FILEMODE_READ, 0, 0, 0, 0);
    cr_assert_not_null(a);
    cr_expect_eq(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_WRITE),
                 OTF2_ERROR_FILE_SUBSTRATE_NOT_SUPPORTED);
    OTF2_Archive_Close(a);
}

/* A record that does not fit leaves nothing: what comes before and behind it can be read. */
Test(writer_containers, a_record_without_room_is_left_out, .init = build_begin, .fini = build_end)
{
    OTF2_ErrorCode writer, archive;
    refused_at = 2; /* behind the head and the bytes of the first location's record */
    write_containers(&writer, &archive);
    cr_expect_eq(writer, OTF2_ERROR_ENOSPC);
    cr_expect_eq(archive, OTF2_SUCCESS, "%s", build_said);
    OTF2_Reader *r = build_open();
    for (OTF2_LocationRef l = 0; l < LOCATIONS; l++) {
        uint64_t n = 0;
        OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, l);
        cr_expect_eq(e == NULL, l == 1, "location %u: %s", (unsigned)l, build_said);
        if (!e)
            continue;
        cr_expect_eq(OTF2_Reader_ReadLocalEvents(r, e, 10, &n), OTF2_SUCCESS);
        cr_expect_eq(n, 1);
    }
    OTF2_Reader_Close(r);
}

/* The frame of a container cannot be written: closing the archive says so. */
Test(writer_containers, a_frame_without_room_is_an_error, .init = build_begin, .fini = build_end)
{
    OTF2_ErrorCode writer, archive;
    refused_at = 2 * LOCATIONS;
    write_containers(&writer, &archive);
    cr_expect_eq(writer, OTF2_SUCCESS);
    cr_expect_eq(archive, OTF2_ERROR_ENOSPC);
    OTF2_Reader *r = build_open();
    cr_expect_null(OTF2_Reader_GetEvtReader(r, 0));
    cr_expect_not_null(strstr(build_said, "the container was never closed"), "%s", build_said);
    OTF2_Reader_Close(r);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* links: writer format */
/* Threads that share an archive with locks; meant for the thread sanitizer. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <otf2/otf2.h>

#include <otf2/OTF2_Pthread_Locks.h>

#include "tests/unit/remove_folder.h"
#include "writer/file.h"

enum { CHUNK = 256 * 1024, THREADS = 4, LOCATIONS = 50, EVENTS = 1000 };

static char top[] = P_tmpdir "/spur-threads-XXXXXX";
static OTF2_Archive *archive;

static OTF2_FlushType always(void *user, OTF2_FileType type, OTF2_LocationRef location,
                             void *caller, bool final)
{
    (void)user, (void)type, (void)caller, (void) final;
    /* Allowed here: the archive is not locked while it asks. */
    if (location == OTF2_UNDEFINED_LOCATION && type == OTF2_FILETYPE_EVENTS)
        OTF2_EvtWriter_SetLocationID(caller, 4711);
    return OTF2_FLUSH;
}

static void open_archive(void)
{
    static const OTF2_FlushCallbacks flush = {always, NULL};
    char path[64];
    cr_assert(mkdtemp(top));
    snprintf(path, sizeof path, "%s/archive", top);
    archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK, CHUNK,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    cr_assert_eq(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(archive), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Pthread_Archive_SetLockingCallbacks(archive, NULL), OTF2_SUCCESS);
}

static void close_archive(void)
{
    cr_assert_eq(OTF2_Archive_Close(archive), OTF2_SUCCESS);
    remove_folder(top);
}

TestSuite(threads, .init = open_archive, .fini = close_archive);

static void *write_locations(void *first)
{
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        uint64_t location = (uint64_t)(uintptr_t)first << 32 | i;
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, location);
        for (unsigned e = 0; e < EVENTS; e++)
            cr_assert_eq(OTF2_EvtWriter_Enter(w, NULL, e, e), OTF2_SUCCESS);
        cr_assert_eq(OTF2_Archive_GetEvtWriter(archive, location), w);
        if (i % 3)
            cr_assert_eq(OTF2_Archive_CloseEvtWriter(archive, w), OTF2_SUCCESS);
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(archive, location);
        cr_assert_eq(OTF2_DefWriter_WriteString(d, 0, "text"), OTF2_SUCCESS);
        cr_assert_eq(OTF2_Archive_CloseDefWriter(archive, d), OTF2_SUCCESS);
    }
    return NULL;
}

Test(threads, each_with_its_own_locations)
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, write_locations, (void *)i), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    char path[96];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%s/archive/traces/%llu.evt", top, 3ULL << 32 | 1);
    cr_assert_eq(otf2_file_size(&otf2_file_plain, path, &bytes), 0);
    cr_assert_gt(bytes, EVENTS * 11);
}

Test(threads, a_location_that_is_known_at_the_flush)
{
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, OTF2_UNDEFINED_LOCATION);
    cr_assert_eq(OTF2_EvtWriter_Enter(w, NULL, 1, 1), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_CloseEvtWriter(archive, w), OTF2_SUCCESS);
    char path[96];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%s/archive/traces/4711.evt", top);
    cr_assert_eq(otf2_file_size(&otf2_file_plain, path, &bytes), 0, "%s", path);
}

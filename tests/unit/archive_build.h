/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests that read whole archives: an archive in a directory of its own, and what was read. */
#ifndef UNIT_ARCHIVE_BUILD_H
#define UNIT_ARCHIVE_BUILD_H

#include <ftw.h>
#include <otf2/otf2.h>

#include "tests/unit/records_build.h"

static char archive_dir[] = P_tmpdir "/spur-archive-XXXXXX";

static inline OTF2_FlushType archive_flush(void *user, OTF2_FileType type,
                                           OTF2_LocationRef location, void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static inline OTF2_Archive *archive_write(void)
{
    static const OTF2_FlushCallbacks flush = {archive_flush, NULL};
    memset(archive_dir + sizeof archive_dir - 7, 'X', 6);
    cr_assert_not_null(mkdtemp(archive_dir));
    OTF2_Archive *a =
        OTF2_Archive_Open(archive_dir, "traces", OTF2_FILEMODE_WRITE, BUILD_CHUNK_BYTES,
                          BUILD_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    cr_assert_not_null(a);
    cr_assert_eq(OTF2_Archive_SetFlushCallbacks(a, &flush, NULL), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), OTF2_SUCCESS);
    return a;
}

static inline int archive_remove_one(const char *path, const struct stat *stat, int type,
                                     struct FTW *walk)
{
    (void)stat, (void)type, (void)walk;
    return remove(path);
}

static inline void archive_remove(void)
{
    nftw(archive_dir, archive_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The archive with `n` locations 0, 1, ... selected, their local definitions read. */
static inline OTF2_Reader *archive_read(uint64_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/traces.otf2", archive_dir);
    OTF2_Reader *r = OTF2_Reader_Open(path);
    cr_assert_not_null(r);
    cr_assert_eq(OTF2_Reader_SetSerialCollectiveCallbacks(r), OTF2_SUCCESS);
    for (uint64_t i = 0; i < n; i++)
        cr_assert_eq(OTF2_Reader_SelectLocation(r, i), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Reader_OpenDefFiles(r), OTF2_SUCCESS);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t records;
        OTF2_DefReader *d = OTF2_Reader_GetDefReader(r, i);
        cr_assert_not_null(d);
        cr_assert_eq(OTF2_Reader_ReadAllLocalDefinitions(r, d, &records), OTF2_SUCCESS);
        cr_assert_eq(OTF2_Reader_CloseDefReader(r, d), OTF2_SUCCESS);
    }
    return r;
}

/* Local definitions for locations that have none of interest. */
static inline void archive_write_defs(OTF2_Archive *a, uint64_t from, uint64_t to)
{
    cr_assert_eq(OTF2_Archive_OpenDefFiles(a), OTF2_SUCCESS);
    for (uint64_t i = from; i < to; i++) {
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, i);
        cr_assert_not_null(d);
        cr_assert_eq(OTF2_Archive_CloseDefWriter(a, d), OTF2_SUCCESS);
    }
    cr_assert_eq(OTF2_Archive_CloseDefFiles(a), OTF2_SUCCESS);
}

/* Puts other bytes in the place of a location's file. */
static inline void archive_replace(const char *file, const struct build *b, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/traces/%s", archive_dir, file);
    build_save(b, n, path);
}

/* One event as the program is told of it. */
struct heard {
    OTF2_LocationRef location;
    OTF2_TimeStamp time;
    uint64_t position; /* 0 from a global reader */
    uint64_t value;    /* what the event says, in one number */
    uint32_t attributes;
};

enum { HEARD_ROOM = 600000 };

static struct heard heard[HEARD_ROOM];
static uint64_t n_heard;
static uint64_t interrupt_at = UINT64_MAX; /* when so many were heard */

static inline OTF2_CallbackCode hear(OTF2_LocationRef location, OTF2_TimeStamp time,
                                     uint64_t position, OTF2_AttributeList *list, uint64_t value)
{
    cr_assert_lt(n_heard, HEARD_ROOM);
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(list);
    heard[n_heard++] = (struct heard){location, time, position, value, n};
    return n_heard == interrupt_at ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static inline bool heard_same(const struct heard *a, const struct heard *b)
{
    return a->location == b->location && a->time == b->time && a->position == b->position &&
           a->value == b->value && a->attributes == b->attributes;
}

static inline OTF2_CallbackCode hear_enter(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           uint64_t position, void *user, OTF2_AttributeList *list,
                                           OTF2_RegionRef region)
{
    cr_assert_eq(user, heard);
    return hear(location, time, position, list, region);
}

/* All events of the location once more, from the first on, with these callbacks, which are deleted;
 * how many there are. */
static inline uint64_t hear_anew(OTF2_EvtReader *e, OTF2_EvtReaderCallbacks *c)
{
    uint64_t n;
    cr_assert_eq(OTF2_EvtReader_SetCallbacks(e, c, heard), OTF2_SUCCESS);
    OTF2_EvtReaderCallbacks_Delete(c);
    n_heard = 0;
    cr_assert_eq(OTF2_EvtReader_Seek(e, 1), OTF2_SUCCESS);
    cr_assert_eq(OTF2_EvtReader_ReadEvents(e, 100, &n), OTF2_SUCCESS);
    return n;
}

#endif

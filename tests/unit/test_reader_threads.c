/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader writer format format-zlib */
/*
 * With locks set, threads use one reader at the same time, each with handles of its own. The thread
 * sanitizer looks for what they share.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>

enum { LOCATIONS = 24, EVENTS = 500, CONTEXTS = 300, THREADS = 4 };

static char dir[] = "/tmp/reader-threads-XXXXXX";

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* Location i calls region 0 what is 1000 + i, and its clock is 10 * i behind. */
static void write_location(OTF2_Archive *archive, OTF2_LocationRef i)
{
    OTF2_DefWriter *defs = OTF2_Archive_GetDefWriter(archive, i);
    uint64_t region = 1000 + i;
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(1, &region, false);
    OTF2_DefWriter_WriteMappingTable(defs, OTF2_MAPPING_REGION, map);
    OTF2_DefWriter_WriteClockOffset(defs, 0, 10 * (int64_t)i, 0);
    OTF2_DefWriter_WriteClockOffset(defs, 1000000, 10 * (int64_t)i, 0);
    OTF2_IdMap_Free(map);
    OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, i);
    for (uint64_t time = 1; time <= EVENTS; time++)
        OTF2_EvtWriter_Enter(events, NULL, time, 0);
}

static void write_archive(void)
{
    const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = flush};
    OTF2_Archive *archive =
        OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    cr_assert_not_null(archive);
    OTF2_Archive_SetFlushCallbacks(archive, &flushing, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    for (OTF2_LocationRef i = 0; i < LOCATIONS; i++)
        write_location(archive, i);
    OTF2_GlobalDefWriter *global = OTF2_Archive_GetGlobalDefWriter(archive);
    for (uint32_t i = 0; i < CONTEXTS; i++)
        OTF2_GlobalDefWriter_WriteCallingContext(global, i, i, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                                 OTF2_UNDEFINED_CALLING_CONTEXT);
    cr_assert_eq(OTF2_Archive_Close(archive), OTF2_SUCCESS);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    uint64_t *n = user;
    (void)attributes;
    *n += region == 1000 + location && time == position + 10 * location;
    return OTF2_CALLBACK_SUCCESS;
}

static void read_location(OTF2_Reader *reader, OTF2_LocationRef i)
{
    uint64_t n = 0;
    uint64_t right = 0;
    OTF2_DefReader *defs = OTF2_Reader_GetDefReader(reader, i);
    cr_expect_eq(OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &n), OTF2_SUCCESS);
    cr_expect_eq(n, 3);
    cr_expect_eq(OTF2_Reader_CloseDefReader(reader, defs), OTF2_SUCCESS);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, i);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &right);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    cr_expect_eq(OTF2_Reader_ReadAllLocalEvents(reader, events, &n), OTF2_SUCCESS);
    cr_expect_eq(n, EVENTS);
    cr_expect_eq(right, EVENTS, "%llu of %d events right", (unsigned long long)right, EVENTS);
    cr_expect_eq(OTF2_Reader_CloseEvtReader(reader, events), OTF2_SUCCESS);
}

static OTF2_Reader *reader;

static void *read_every(void *begin)
{
    for (OTF2_LocationRef i = *(const OTF2_LocationRef *)begin; i < LOCATIONS; i += THREADS)
        read_location(reader, i);
    return NULL;
}

static void *read_global(void *unused)
{
    uint64_t n = 0;
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    for (unsigned i = 0; i < CONTEXTS; i++)
        cr_expect_eq(OTF2_Reader_ReadGlobalDefinitions(reader, global, 1, &n), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Reader_CloseGlobalDefReader(reader, global), OTF2_SUCCESS);
    return unused;
}

Test(reader_threads, read_locations_at_the_same_time)
{
    char path[64];
    pthread_t threads[THREADS + 1];
    OTF2_LocationRef begins[THREADS];
    cr_assert_not_null(mkdtemp(dir));
    write_archive();
    snprintf(path, sizeof path, "%s/traces.otf2", dir);
    reader = OTF2_Reader_Open(path);
    cr_assert_not_null(reader);
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    cr_assert_eq(OTF2_Pthread_Reader_SetLockingCallbacks(reader, NULL), OTF2_SUCCESS);
    for (OTF2_LocationRef i = 0; i < LOCATIONS; i++)
        OTF2_Reader_SelectLocation(reader, i);
    OTF2_Reader_OpenDefFiles(reader);
    OTF2_Reader_OpenEvtFiles(reader);
    for (unsigned i = 0; i < THREADS; i++) {
        begins[i] = i;
        pthread_create(&threads[i], NULL, read_every, &begins[i]);
    }
    pthread_create(&threads[THREADS], NULL, read_global, NULL);
    for (unsigned i = 0; i <= THREADS; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(OTF2_Reader_Close(reader), OTF2_SUCCESS);
    snprintf(path, sizeof path, "rm -rf %s", dir);
    cr_expect_eq(system(path), 0);
}

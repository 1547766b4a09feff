/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With locks set, threads write to one archive at the same time, and read from one reader, each
 * with handles of its own. A plain program, for the thread sanitizer to look for what they share.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>

static _Atomic(int) faults;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            faults++;                                                                              \
            fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition);               \
        }                                                                                          \
    } while (0)

enum { LOCATIONS = 24, EVENTS = 500, CONTEXTS = 300, THREADS = 4 };

static char dir[] = "/tmp/spur-threads-XXXXXX";
static OTF2_Archive *archive;
static OTF2_Reader *reader;

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* Location i calls region 0 what is 1000 + i, and its clock is 10 * i behind. */
static void write_location(OTF2_LocationRef i)
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
    EXPECT(OTF2_Archive_CloseDefWriter(archive, defs) == OTF2_SUCCESS);
    if (i % 2) /* the others are closed with the archive */
        EXPECT(OTF2_Archive_CloseEvtWriter(archive, events) == OTF2_SUCCESS);
}

static void *write_every(void *begin)
{
    for (OTF2_LocationRef i = *(const OTF2_LocationRef *)begin; i < LOCATIONS; i += THREADS)
        write_location(i);
    return NULL;
}

static void *write_global(void *unused)
{
    OTF2_GlobalDefWriter *global = OTF2_Archive_GetGlobalDefWriter(archive);
    for (uint32_t i = 0; i < CONTEXTS; i++)
        OTF2_GlobalDefWriter_WriteCallingContext(global, i, i, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                                 OTF2_UNDEFINED_CALLING_CONTEXT);
    return unused;
}

/* Runs `each` in THREADS threads, which are told their numbers, and `other` in one more. */
static void run_threads(void *(*each)(void *), void *(*other)(void *))
{
    pthread_t threads[THREADS + 1];
    OTF2_LocationRef begins[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        begins[i] = i;
        EXPECT(pthread_create(&threads[i], NULL, each, &begins[i]) == 0);
    }
    EXPECT(pthread_create(&threads[THREADS], NULL, other, NULL) == 0);
    for (unsigned i = 0; i <= THREADS; i++)
        pthread_join(threads[i], NULL);
}

static bool write_archive(void)
{
    const OTF2_FlushCallbacks flushing = {.otf2_pre_flush = flush};
    archive = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                                OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    EXPECT(archive);
    if (!archive)
        return false;
    OTF2_Archive_SetFlushCallbacks(archive, &flushing, NULL);
    EXPECT(OTF2_Pthread_Archive_SetLockingCallbacks(archive, NULL) == OTF2_SUCCESS);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    run_threads(write_every, write_global);
    EXPECT(OTF2_Archive_Close(archive) == OTF2_SUCCESS);
    return true;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    uint64_t *n = user;
    (void)attributes;
    *n += region == 1000 + location && time == position + 10 * location;
    return OTF2_CALLBACK_SUCCESS;
}

static void read_location(OTF2_LocationRef i)
{
    uint64_t n = 0;
    uint64_t right = 0;
    OTF2_DefReader *defs = OTF2_Reader_GetDefReader(reader, i);
    EXPECT(OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &n) == OTF2_SUCCESS);
    EXPECT(n == 3);
    EXPECT(OTF2_Reader_CloseDefReader(reader, defs) == OTF2_SUCCESS);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, i);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &right);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    EXPECT(OTF2_Reader_ReadAllLocalEvents(reader, events, &n) == OTF2_SUCCESS);
    EXPECT(n == EVENTS);
    EXPECT(right == EVENTS);
    EXPECT(OTF2_Reader_CloseEvtReader(reader, events) == OTF2_SUCCESS);
}

static void *read_every(void *begin)
{
    for (OTF2_LocationRef i = *(const OTF2_LocationRef *)begin; i < LOCATIONS; i += THREADS)
        read_location(i);
    return NULL;
}

static void *read_global(void *unused)
{
    uint64_t n = 0;
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    for (unsigned i = 0; i < CONTEXTS; i++)
        EXPECT(OTF2_Reader_ReadGlobalDefinitions(reader, global, 1, &n) == OTF2_SUCCESS);
    EXPECT(OTF2_Reader_CloseGlobalDefReader(reader, global) == OTF2_SUCCESS);
    return unused;
}

static void read_archive(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/traces.otf2", dir);
    reader = OTF2_Reader_Open(path);
    EXPECT(reader);
    if (!reader)
        return;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    EXPECT(OTF2_Pthread_Reader_SetLockingCallbacks(reader, NULL) == OTF2_SUCCESS);
    for (OTF2_LocationRef i = 0; i < LOCATIONS; i++)
        OTF2_Reader_SelectLocation(reader, i);
    OTF2_Reader_OpenDefFiles(reader);
    OTF2_Reader_OpenEvtFiles(reader);
    run_threads(read_every, read_global);
    EXPECT(OTF2_Reader_Close(reader) == OTF2_SUCCESS);
}

int main(void)
{
    char command[64];
    EXPECT(mkdtemp(dir));
    if (write_archive())
        read_archive();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    EXPECT(system(command) == 0);
    return faults != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong uses of everything that reads, and what they answer; see compare_read.py. Each call that
 * may not be survived runs in a process of its own, which leaves no trace in the others.
 */
#include "readers.h"

#define TRY(call) ALONE(ANSWER(call))
#define TRY_HANDLE(call) ALONE(HANDLE(call))

static uint64_t number;
static uint32_t small_number;
static uint8_t tiny;
static bool truth;
static char *text;
static char **texts;
static int flag;

static void no_reader(void)
{
    OTF2_FileSubstrate substrate = 0;
    OTF2_Compression compression = 0;
    TRY(OTF2_Reader_Close(NULL));
    TRY(OTF2_Reader_SetHint(NULL, OTF2_HINT_GLOBAL_READER, &truth));
    TRY(OTF2_Reader_SetCollectiveCallbacks(NULL, NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_SetSerialCollectiveCallbacks(NULL));
    TRY(OTF2_Reader_SetLockingCallbacks(NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterEvtCallbacks(NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterGlobalEvtCallbacks(NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterDefCallbacks(NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterGlobalDefCallbacks(NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterSnapCallbacks(NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterGlobalSnapCallbacks(NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterMarkerCallbacks(NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_ReadLocalEvents(NULL, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllLocalEvents(NULL, NULL, &number));
    TRY(OTF2_Reader_ReadLocalEventsBackward(NULL, NULL, 1, &number));
    TRY(OTF2_Reader_ReadGlobalEvent(NULL, NULL));
    TRY(OTF2_Reader_HasGlobalEvent(NULL, NULL, &flag));
    TRY(OTF2_Reader_ReadGlobalEvents(NULL, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllGlobalEvents(NULL, NULL, &number));
    TRY(OTF2_Reader_ReadLocalDefinitions(NULL, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllLocalDefinitions(NULL, NULL, &number));
    TRY(OTF2_Reader_ReadGlobalDefinitions(NULL, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllGlobalDefinitions(NULL, NULL, &number));
    TRY(OTF2_Reader_ReadLocalSnapshots(NULL, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllLocalSnapshots(NULL, NULL, &number));
    TRY(OTF2_Reader_ReadGlobalSnapshots(NULL, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllGlobalSnapshots(NULL, NULL, &number));
    TRY(OTF2_Reader_ReadMarkers(NULL, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllMarkers(NULL, NULL, &number));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(NULL, 0));
    TRY_HANDLE(OTF2_Reader_GetGlobalEvtReader(NULL));
    TRY_HANDLE(OTF2_Reader_GetDefReader(NULL, 0));
    TRY_HANDLE(OTF2_Reader_GetGlobalDefReader(NULL));
    TRY_HANDLE(OTF2_Reader_GetSnapReader(NULL, 0));
    TRY_HANDLE(OTF2_Reader_GetGlobalSnapReader(NULL));
    TRY_HANDLE(OTF2_Reader_GetThumbReader(NULL, 0));
    TRY_HANDLE(OTF2_Reader_GetMarkerReader(NULL));
    TRY_HANDLE(OTF2_Reader_GetMarkerWriter(NULL));
    TRY(OTF2_Reader_CloseEvtReader(NULL, NULL));
    TRY(OTF2_Reader_CloseGlobalEvtReader(NULL, NULL));
    TRY(OTF2_Reader_CloseDefReader(NULL, NULL));
    TRY(OTF2_Reader_CloseGlobalDefReader(NULL, NULL));
    TRY(OTF2_Reader_CloseSnapReader(NULL, NULL));
    TRY(OTF2_Reader_CloseGlobalSnapReader(NULL, NULL));
    TRY(OTF2_Reader_CloseThumbReader(NULL, NULL));
    TRY(OTF2_Reader_CloseMarkerReader(NULL, NULL));
    TRY(OTF2_Reader_CloseMarkerWriter(NULL, NULL));
    TRY(OTF2_Reader_GetVersion(NULL, &tiny, &tiny, &tiny));
    TRY(OTF2_Reader_GetChunkSize(NULL, &number, &number));
    TRY(OTF2_Reader_GetFileSubstrate(NULL, &substrate));
    TRY(OTF2_Reader_GetCompression(NULL, &compression));
    TRY(OTF2_Reader_GetNumberOfLocations(NULL, &number));
    TRY(OTF2_Reader_GetNumberOfGlobalDefinitions(NULL, &number));
    TRY(OTF2_Reader_GetMachineName(NULL, &text));
    TRY(OTF2_Reader_GetCreator(NULL, &text));
    TRY(OTF2_Reader_GetDescription(NULL, &text));
    TRY(OTF2_Reader_GetPropertyNames(NULL, &small_number, &texts));
    TRY(OTF2_Reader_GetProperty(NULL, "A::B", &text));
    TRY(OTF2_Reader_GetBoolProperty(NULL, "A::B", &truth));
    TRY(OTF2_Reader_GetTraceId(NULL, &number));
    TRY(OTF2_Reader_GetNumberOfSnapshots(NULL, &small_number));
    TRY(OTF2_Reader_GetNumberOfThumbnails(NULL, &small_number));
    TRY(OTF2_Reader_OpenEvtFiles(NULL));
    TRY(OTF2_Reader_CloseEvtFiles(NULL));
    TRY(OTF2_Reader_OpenDefFiles(NULL));
    TRY(OTF2_Reader_CloseDefFiles(NULL));
    TRY(OTF2_Reader_OpenSnapFiles(NULL));
    TRY(OTF2_Reader_CloseSnapFiles(NULL));
    TRY(OTF2_Reader_SelectLocation(NULL, 0));
    TRY(OTF2_Reader_IsPrimary(NULL, &truth));
    TRY(OTF2_Reader_IsMaster(NULL, &truth));
}

/* The readers themselves, and what callbacks are kept in. */
static void no_handles(void)
{
    OTF2_ThumbnailType kind = 0;
    uint64_t *refs = NULL;
    TRY(OTF2_EvtReader_GetLocationID(NULL, &number));
    TRY(OTF2_EvtReader_GetPos(NULL, &number));
    TRY(OTF2_EvtReader_SetCallbacks(NULL, NULL, NULL));
    TRY(OTF2_EvtReader_Seek(NULL, 1));
    TRY(OTF2_EvtReader_ReadEvents(NULL, 1, &number));
    TRY(OTF2_EvtReader_TimeStampRewrite(NULL, 1));
    TRY(OTF2_EvtReader_ReadEventsBackward(NULL, 1, &number));
    TRY(OTF2_EvtReader_ApplyMappingTables(NULL, true));
    TRY(OTF2_EvtReader_ApplyClockOffsets(NULL, true));
    TRY(OTF2_DefReader_GetLocationID(NULL, &number));
    TRY(OTF2_DefReader_SetCallbacks(NULL, NULL, NULL));
    TRY(OTF2_DefReader_ReadDefinitions(NULL, 1, &number));
    TRY(OTF2_GlobalDefReader_SetCallbacks(NULL, NULL, NULL));
    TRY(OTF2_GlobalDefReader_ReadDefinitions(NULL, 1, &number));
    TRY(OTF2_GlobalEvtReader_SetCallbacks(NULL, NULL, NULL));
    TRY(OTF2_GlobalEvtReader_ReadEvent(NULL));
    TRY(OTF2_GlobalEvtReader_HasEvent(NULL, &flag));
    TRY(OTF2_GlobalEvtReader_ReadEvents(NULL, 1, &number));
    TRY(OTF2_SnapReader_GetLocationID(NULL, &number));
    TRY(OTF2_SnapReader_SetCallbacks(NULL, NULL, NULL));
    TRY(OTF2_SnapReader_Seek(NULL, 1, &truth));
    TRY(OTF2_SnapReader_ReadSnapshots(NULL, 1, &number));
    TRY(OTF2_GlobalSnapReader_SetCallbacks(NULL, NULL, NULL));
    TRY(OTF2_GlobalSnapReader_ReadSnapshots(NULL, 1, &number));
    TRY(OTF2_MarkerReader_SetCallbacks(NULL, NULL, NULL));
    TRY(OTF2_MarkerReader_ReadMarkers(NULL, 1, &number));
    TRY(OTF2_ThumbReader_GetHeader(NULL, &text, &text, &kind, &small_number, &small_number, &refs));
    TRY(OTF2_ThumbReader_ReadSample(NULL, &number, 1, &number));
    ALONE(OTF2_EvtReaderCallbacks_Clear(NULL));
    ALONE(OTF2_EvtReaderCallbacks_Delete(NULL));
    ALONE(OTF2_GlobalEvtReaderCallbacks_Clear(NULL));
    ALONE(OTF2_GlobalEvtReaderCallbacks_Delete(NULL));
    ALONE(OTF2_SnapReaderCallbacks_Clear(NULL));
    ALONE(OTF2_SnapReaderCallbacks_Delete(NULL));
    ALONE(OTF2_GlobalSnapReaderCallbacks_Clear(NULL));
    ALONE(OTF2_GlobalSnapReaderCallbacks_Delete(NULL));
    ALONE(OTF2_DefReaderCallbacks_Clear(NULL));
    ALONE(OTF2_DefReaderCallbacks_Delete(NULL));
    ALONE(OTF2_GlobalDefReaderCallbacks_Clear(NULL));
    ALONE(OTF2_GlobalDefReaderCallbacks_Delete(NULL));
    ALONE(OTF2_MarkerReaderCallbacks_Clear(NULL));
    ALONE(OTF2_MarkerReaderCallbacks_Delete(NULL));
}

static void no_callback_objects(void)
{
    OTF2_EvtReaderCallbacks *e = NULL;
    OTF2_GlobalEvtReaderCallbacks *ge = NULL;
    OTF2_SnapReaderCallbacks *s = NULL;
    OTF2_GlobalSnapReaderCallbacks *gs = NULL;
    OTF2_DefReaderCallbacks *d = NULL;
    OTF2_GlobalDefReaderCallbacks *gd = NULL;
#define EVENT(Name, ...)                                                                           \
    TRY(OTF2_EvtReaderCallbacks_Set##Name##Callback(e, evt_##Name));                               \
    TRY(OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(ge, global_evt_##Name));
    EVENT(Unknown)
#include <otf2/otf2_events.def>
#undef EVENT
#define SNAP(Name, ...)                                                                            \
    TRY(OTF2_SnapReaderCallbacks_Set##Name##Callback(s, snap_##Name));                             \
    TRY(OTF2_GlobalSnapReaderCallbacks_Set##Name##Callback(gs, snap_##Name));
    SNAP(Unknown)
#include <otf2/otf2_snaps.def>
#undef SNAP
#define LOCAL_DEF(Name, ...) TRY(OTF2_DefReaderCallbacks_Set##Name##Callback(d, def_##Name));
#define GLOBAL_DEF(Name, ...)                                                                      \
    TRY(OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(gd, global_def_##Name));
#define SHARED_DEF(Name, ...) LOCAL_DEF(Name) GLOBAL_DEF(Name)
    SHARED_DEF(Unknown)
#include <otf2/otf2_defs.def>
#undef LOCAL_DEF
#undef GLOBAL_DEF
#undef SHARED_DEF
    TRY(OTF2_MarkerReaderCallbacks_SetUnknownCallback(NULL, marker_Unknown));
    TRY(OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(NULL, marker_DefMarker));
    TRY(OTF2_MarkerReaderCallbacks_SetMarkerCallback(NULL, marker_Marker));
}

/* ---- an archive, and nothing to put the answer into ---- */

static void no_room_for_answers(void)
{
    OTF2_Reader *r = open_reader();
    TRY(OTF2_Reader_GetVersion(r, NULL, NULL, NULL));
    TRY(OTF2_Reader_GetChunkSize(r, NULL, NULL));
    TRY(OTF2_Reader_GetChunkSize(r, &number, NULL));
    TRY(OTF2_Reader_GetFileSubstrate(r, NULL));
    TRY(OTF2_Reader_GetCompression(r, NULL));
    TRY(OTF2_Reader_GetNumberOfLocations(r, NULL));
    TRY(OTF2_Reader_GetNumberOfGlobalDefinitions(r, NULL));
    TRY(OTF2_Reader_GetMachineName(r, NULL));
    TRY(OTF2_Reader_GetCreator(r, NULL));
    TRY(OTF2_Reader_GetDescription(r, NULL));
    TRY(OTF2_Reader_GetPropertyNames(r, NULL, NULL));
    TRY(OTF2_Reader_GetPropertyNames(r, &small_number, NULL));
    TRY(OTF2_Reader_GetProperty(r, NULL, &text));
    TRY(OTF2_Reader_GetProperty(r, "SOME::TRUTH", NULL));
    TRY(OTF2_Reader_GetBoolProperty(r, NULL, &truth));
    TRY(OTF2_Reader_GetBoolProperty(r, "SOME::TRUTH", NULL));
    TRY(OTF2_Reader_GetTraceId(r, NULL));
    TRY(OTF2_Reader_GetNumberOfSnapshots(r, NULL));
    TRY(OTF2_Reader_GetNumberOfThumbnails(r, NULL));
    TRY(OTF2_Reader_IsPrimary(r, NULL));
    TRY(OTF2_Reader_IsMaster(r, NULL));
    ANSWER(OTF2_Reader_Close(r));
}

static void wrong_readers(void)
{
    OTF2_Reader *r = open_reader();
    TRY(OTF2_Reader_RegisterEvtCallbacks(r, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterGlobalEvtCallbacks(r, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterDefCallbacks(r, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterGlobalDefCallbacks(r, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterSnapCallbacks(r, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterGlobalSnapCallbacks(r, NULL, NULL, NULL));
    TRY(OTF2_Reader_RegisterMarkerCallbacks(r, NULL, NULL, NULL));
    TRY(OTF2_Reader_ReadLocalEvents(r, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllLocalEvents(r, NULL, &number));
    TRY(OTF2_Reader_ReadLocalEventsBackward(r, NULL, 1, &number));
    TRY(OTF2_Reader_ReadGlobalEvent(r, NULL));
    TRY(OTF2_Reader_HasGlobalEvent(r, NULL, &flag));
    TRY(OTF2_Reader_ReadGlobalEvents(r, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllGlobalEvents(r, NULL, &number));
    TRY(OTF2_Reader_ReadLocalDefinitions(r, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllLocalDefinitions(r, NULL, &number));
    TRY(OTF2_Reader_ReadGlobalDefinitions(r, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllGlobalDefinitions(r, NULL, &number));
    TRY(OTF2_Reader_ReadLocalSnapshots(r, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllLocalSnapshots(r, NULL, &number));
    TRY(OTF2_Reader_ReadGlobalSnapshots(r, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllGlobalSnapshots(r, NULL, &number));
    TRY(OTF2_Reader_ReadMarkers(r, NULL, 1, &number));
    TRY(OTF2_Reader_ReadAllMarkers(r, NULL, &number));
    TRY(OTF2_Reader_CloseEvtReader(r, NULL));
    TRY(OTF2_Reader_CloseGlobalEvtReader(r, NULL));
    TRY(OTF2_Reader_CloseDefReader(r, NULL));
    TRY(OTF2_Reader_CloseGlobalDefReader(r, NULL));
    TRY(OTF2_Reader_CloseSnapReader(r, NULL));
    TRY(OTF2_Reader_CloseGlobalSnapReader(r, NULL));
    TRY(OTF2_Reader_CloseThumbReader(r, NULL));
    TRY(OTF2_Reader_CloseMarkerReader(r, NULL));
    TRY(OTF2_Reader_CloseMarkerWriter(r, NULL));
    ANSWER(OTF2_Reader_Close(r));
}

/* ---- hints, collectives, locks ---- */

static void hints(void)
{
    OTF2_Reader *r = open_reader();
    bool yes = true, no = false;
    TRY(OTF2_Reader_SetHint(r, OTF2_HINT_GLOBAL_READER, NULL));
    TRY(OTF2_Reader_SetHint(r, 17, &yes));
    TRY(OTF2_Reader_SetHint(r, OTF2_UNDEFINED_UINT8, &yes));
    ANSWER(OTF2_Reader_SetHint(r, OTF2_HINT_GLOBAL_READER, &no));
    ANSWER(OTF2_Reader_SetHint(r, OTF2_HINT_GLOBAL_READER, &yes));
    OTF2_Reader_OpenEvtFiles(r);
    ANSWER(OTF2_Reader_SetHint(r, OTF2_HINT_GLOBAL_READER, &yes));
    ANSWER(OTF2_Reader_Close(r));
}

static OTF2_CallbackCode one_rank(void *user, OTF2_CollectiveContext *context, uint32_t *value)
{
    (void)user, (void)context;
    *value = 1;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode make_lock(void *user, OTF2_Lock *lock)
{
    (void)user;
    *lock = NULL;
    puts("create");
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode use_lock(void *user, OTF2_Lock lock)
{
    (void)user, (void)lock;
    return OTF2_CALLBACK_SUCCESS;
}

static void collectives(void)
{
    static const OTF2_CollectiveCallbacks nothing, few = {.otf2_get_rank = one_rank};
    static const OTF2_LockingCallbacks no_locks, half = {.otf2_lock = use_lock};
    static const OTF2_LockingCallbacks locks = {NULL, make_lock, use_lock, use_lock, use_lock};
    OTF2_Reader *r = OTF2_Reader_Open(anchor);
    TRY(OTF2_Reader_SetCollectiveCallbacks(r, NULL, NULL, NULL, NULL));
    TRY(OTF2_Reader_SetCollectiveCallbacks(r, &nothing, NULL, NULL, NULL));
    TRY(OTF2_Reader_SetCollectiveCallbacks(r, &few, NULL, NULL, NULL));
    TRY(OTF2_Reader_SetLockingCallbacks(r, NULL, NULL));
    TRY(OTF2_Reader_SetLockingCallbacks(r, &no_locks, NULL));
    TRY(OTF2_Reader_SetLockingCallbacks(r, &half, NULL));
    TRY(OTF2_Reader_SetLockingCallbacks(r, &locks, NULL));
    TRY(OTF2_Reader_IsPrimary(r, &truth));
    TRY(OTF2_Reader_OpenEvtFiles(r));
    TRY(OTF2_Reader_OpenDefFiles(r));
    TRY(OTF2_Reader_OpenSnapFiles(r));
    TRY_HANDLE(OTF2_Reader_GetGlobalDefReader(r));
    TRY_HANDLE(OTF2_Reader_GetMarkerReader(r));
    TRY_HANDLE(OTF2_Reader_GetMarkerWriter(r));
    TRY_HANDLE(OTF2_Reader_GetEvtReader(r, 0));
    TRY_HANDLE(OTF2_Reader_GetDefReader(r, 0));
    TRY(OTF2_Reader_SelectLocation(r, 0));
    ANSWER(OTF2_Reader_SetSerialCollectiveCallbacks(r));
    TRY(OTF2_Reader_SetSerialCollectiveCallbacks(r));
    TRY(OTF2_Reader_SetLockingCallbacks(r, &locks, NULL));
    ANSWER(OTF2_Reader_Close(r));
    r = OTF2_Reader_Open(anchor);
    ANSWER(OTF2_Reader_SetLockingCallbacks(r, &locks, NULL));
    TRY(OTF2_Reader_SetLockingCallbacks(r, &locks, NULL));
    ANSWER(OTF2_Reader_SetSerialCollectiveCallbacks(r));
    ANSWER(OTF2_Reader_Close(r));
    r = OTF2_Reader_Open(anchor);
    TRY(OTF2_Reader_Close(r));
}

int main(int argc, char **argv)
{
    if (!begin(argc, argv))
        return 2;
    PASS(no_reader);
    PASS(no_handles);
    PASS(no_callback_objects);
    PASS(no_room_for_answers);
    PASS(wrong_readers);
    PASS(hints);
    PASS(collectives);
    return 0;
}

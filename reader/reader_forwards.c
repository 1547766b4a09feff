/* SPDX-License-Identifier: BSD-3-Clause */
/* What an OTF2_Reader passes on to the readers that it has handed out. */
#include "reader/reader.h"

#define NO_READER OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader")

#define REGISTER(Name, Type, parameter)                                                            \
    OTF2_ErrorCode OTF2_Reader_Register##Name##Callbacks(OTF2_Reader *reader,                      \
                                                         OTF2_##Type *parameter,                   \
                                                         const OTF2_##Type##Callbacks *callbacks,  \
                                                         void *userData)                           \
    {                                                                                              \
        if (!reader || !(parameter) || !callbacks)                                                 \
            return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader, or no callbacks");          \
        return OTF2_##Type##_SetCallbacks(parameter, callbacks, userData);                         \
    }
REGISTER(Evt, EvtReader, evtReader)
REGISTER(GlobalEvt, GlobalEvtReader, evtReader)
REGISTER(Def, DefReader, defReader)
REGISTER(GlobalDef, GlobalDefReader, defReader)
REGISTER(Snap, SnapReader, snapReader)
REGISTER(GlobalSnap, GlobalSnapReader, evtReader)
REGISTER(Marker, MarkerReader, markerReader)

/* Some records, and all that are left. */
#define READ_SOME(Name, Type, Verb, parameter, wanted, done)                                       \
    OTF2_ErrorCode OTF2_Reader_Read##Name(OTF2_Reader *reader, OTF2_##Type *parameter,             \
                                          uint64_t wanted, uint64_t *done)                         \
    {                                                                                              \
        return reader ? OTF2_##Type##_##Verb(parameter, wanted, done) : NO_READER;                 \
    }
#define READ(Name, Type, Verb, parameter, wanted, done)                                            \
    READ_SOME(Name, Type, Verb, parameter, wanted, done)                                           \
    OTF2_ErrorCode OTF2_Reader_ReadAll##Name(OTF2_Reader *reader, OTF2_##Type *parameter,          \
                                             uint64_t *done)                                       \
    {                                                                                              \
        return reader ? OTF2_##Type##_##Verb(parameter, OTF2_UNDEFINED_UINT64, done) : NO_READER;  \
    }
READ(LocalEvents, EvtReader, ReadEvents, evtReader, eventsToRead, eventsRead)
READ_SOME(LocalEventsBackward, EvtReader, ReadEventsBackward, evtReader, eventsToRead, eventsRead)
READ(GlobalEvents, GlobalEvtReader, ReadEvents, evtReader, eventsToRead, eventsRead)
READ(LocalDefinitions, DefReader, ReadDefinitions, defReader, definitionsToRead, definitionsRead)
READ(GlobalDefinitions, GlobalDefReader, ReadDefinitions, defReader, definitionsToRead,
     definitionsRead)
READ(LocalSnapshots, SnapReader, ReadSnapshots, snapReader, recordsToRead, recordsRead)
READ(GlobalSnapshots, GlobalSnapReader, ReadSnapshots, snapReader, recordsToRead, recordsRead)
READ(Markers, MarkerReader, ReadMarkers, markerReader, markersToRead, markersRead)

OTF2_ErrorCode OTF2_Reader_ReadGlobalEvent(OTF2_Reader *reader, OTF2_GlobalEvtReader *evtReader)
{
    return reader ? OTF2_GlobalEvtReader_ReadEvent(evtReader) : NO_READER;
}

OTF2_ErrorCode OTF2_Reader_HasGlobalEvent(OTF2_Reader *reader, OTF2_GlobalEvtReader *evtReader,
                                          int *flag)
{
    return reader ? OTF2_GlobalEvtReader_HasEvent(evtReader, flag) : NO_READER;
}

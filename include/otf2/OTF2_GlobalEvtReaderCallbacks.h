/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program wants to hear of the events of all locations together, in the order of time; as
 * OTF2_EvtReaderCallbacks.h says for one location. OTF2_GlobalEvtReader_SetCallbacks copies the
 * object. Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_GLOBAL_EVT_READER_CALLBACKS_H
#define OTF2_GLOBAL_EVT_READER_CALLBACKS_H

#include <stdint.h>

#include <otf2/OTF2_AttributeList.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_GlobalEvtReaderCallbacks_struct OTF2_GlobalEvtReaderCallbacks;

/* Creates an object without callbacks; delete it at the end. NULL without memory. */
OTF2_API OTF2_GlobalEvtReaderCallbacks *OTF2_GlobalEvtReaderCallbacks_New(void);

/* Releases an object; NULL is allowed. */
OTF2_API void
OTF2_GlobalEvtReaderCallbacks_Delete(OTF2_GlobalEvtReaderCallbacks *globalEvtReaderCallbacks);

/* Removes all callbacks; NULL is allowed. */
OTF2_API void
OTF2_GlobalEvtReaderCallbacks_Clear(OTF2_GlobalEvtReaderCallbacks *globalEvtReaderCallbacks);

/*
 * Called for kinds of events that this version of the library does not know, with parameters as
 * below.
 */
typedef OTF2_CallbackCode (*OTF2_GlobalEvtReaderCallback_Unknown)(
    OTF2_LocationRef locationID, OTF2_TimeStamp time, void *userData,
    OTF2_AttributeList *attributeList);
OTF2_API OTF2_ErrorCode OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(
    OTF2_GlobalEvtReaderCallbacks *globalEvtReaderCallbacks,
    OTF2_GlobalEvtReaderCallback_Unknown unknownCallback);

/*
 * For each row of otf2_events.def, which tells what the event means, a callback and its type:
 *
 *     OTF2_GlobalEvtReaderCallback_Enter(locationID, time, userData, attributeList, region)
 *     OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(globalEvtReaderCallbacks, enterCallback)
 *
 * Parameters, and what happens without a callback, as in OTF2_EvtReaderCallbacks.h. NULL removes a
 * callback. Setters return OTF2_ERROR_INVALID_ARGUMENT for a NULL object.
 */
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    typedef OTF2_CallbackCode (*OTF2_GlobalEvtReaderCallback_##Name)(                              \
        OTF2_LocationRef locationID, OTF2_TimeStamp time, void *userData,                          \
        OTF2_AttributeList *attributeList OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));         \
    OTF2_API OTF2_ErrorCode OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(                     \
        OTF2_GlobalEvtReaderCallbacks *globalEvtReaderCallbacks,                                   \
        OTF2_GlobalEvtReaderCallback_##Name callback);
#include <otf2/otf2_events.def>
#undef EVENT

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The callbacks of a program for the events of a location. Each kind of event has a callback or no
 * callback. OTF2_EvtReader_SetCallbacks copies the object, which may then be deleted; until then
 * one thread at a time may change the object. Names and signatures are those of OTF2 3.2.
 *
 * A callback returns OTF2_CALLBACK_SUCCESS or OTF2_CALLBACK_INTERRUPT. After an interrupt the
 * reading function returns OTF2_ERROR_INTERRUPTED_BY_CALLBACK, and reading can continue after this
 * event. A callback runs on the reading thread, and must not close the calling reader.
 */
#ifndef OTF2_EVT_READER_CALLBACKS_H
#define OTF2_EVT_READER_CALLBACKS_H

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

typedef struct OTF2_EvtReaderCallbacks_struct OTF2_EvtReaderCallbacks;

/* Creates an object without callbacks; delete it at the end. NULL without memory. */
OTF2_API OTF2_EvtReaderCallbacks *OTF2_EvtReaderCallbacks_New(void);

/* Releases an object; NULL is allowed. */
OTF2_API void OTF2_EvtReaderCallbacks_Delete(OTF2_EvtReaderCallbacks *evtReaderCallbacks);

/* Removes all callbacks; NULL is allowed. */
OTF2_API void OTF2_EvtReaderCallbacks_Clear(OTF2_EvtReaderCallbacks *evtReaderCallbacks);

/* Called for kinds of events unknown to this version of the library, with parameters as below. */
typedef OTF2_CallbackCode (*OTF2_EvtReaderCallback_Unknown)(OTF2_LocationRef location,
                                                            OTF2_TimeStamp time,
                                                            uint64_t eventPosition, void *userData,
                                                            OTF2_AttributeList *attributeList);
OTF2_API OTF2_ErrorCode OTF2_EvtReaderCallbacks_SetUnknownCallback(
    OTF2_EvtReaderCallbacks *evtReaderCallbacks, OTF2_EvtReaderCallback_Unknown unknownCallback);

/*
 * A callback and its type for each event, a row of otf2_events.def, which documents the event:
 *
 *     OTF2_EvtReaderCallback_Enter(location, time, eventPosition, userData, attributeList, region)
 *     OTF2_EvtReaderCallbacks_SetEnterCallback(evtReaderCallbacks, enterCallback)
 *
 *   location       the location of the event.
 *   time           in ticks, corrected by the clock offsets of the location, if any.
 *   eventPosition  in the location's stream, from 1.
 *   userData       as given to OTF2_EvtReader_SetCallbacks.
 *   attributeList  attached to the event; may be empty, never NULL. The callback may empty the
 *                  list.
 *   ...            the attributes of the event; references are those of the global definitions.
 *
 * Arrays and the list are borrowed until the callback returns. NULL removes a callback. Without a
 * callback for CallingContextEnter or CallingContextLeave, the callback of Enter or Leave gets the
 * event. Without a callback for ThreadFork, ThreadJoin, ThreadAcquireLock or ThreadReleaseLock, the
 * callback of OmpFork, OmpJoin, OmpAcquireLock or OmpReleaseLock gets the event, for paradigm
 * OpenMP. Setters return OTF2_ERROR_INVALID_ARGUMENT for a NULL object.
 */
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    typedef OTF2_CallbackCode (*OTF2_EvtReaderCallback_##Name)(                                    \
        OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t eventPosition, void *userData,    \
        OTF2_AttributeList *attributeList OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));         \
    OTF2_API OTF2_ErrorCode OTF2_EvtReaderCallbacks_Set##Name##Callback(                           \
        OTF2_EvtReaderCallbacks *evtReaderCallbacks, OTF2_EvtReaderCallback_##Name callback);
#include <otf2/otf2_events.def>
#undef EVENT

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif

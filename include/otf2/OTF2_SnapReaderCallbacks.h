/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The callbacks of a program for the snapshots of a location: a callback for each wanted kind of
 * record. Unwanted kinds have no callback. OTF2_SnapReader_SetCallbacks copies the object, which
 * may then be deleted; until then one thread may change the object at a time. Answers of callbacks
 * as in OTF2_EvtReaderCallbacks.h. Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_SNAP_READER_CALLBACKS_H
#define OTF2_SNAP_READER_CALLBACKS_H

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

typedef struct OTF2_SnapReaderCallbacks_struct OTF2_SnapReaderCallbacks;

/* Creates an object without callbacks; delete it at the end. NULL without memory. */
OTF2_API OTF2_SnapReaderCallbacks *OTF2_SnapReaderCallbacks_New(void);

/* Releases an object; NULL is allowed. */
OTF2_API void OTF2_SnapReaderCallbacks_Delete(OTF2_SnapReaderCallbacks *snapReaderCallbacks);

/* Removes all callbacks; NULL is allowed. */
OTF2_API void OTF2_SnapReaderCallbacks_Clear(OTF2_SnapReaderCallbacks *snapReaderCallbacks);

/* Called for kinds of records unknown to this version of the library, with parameters as below. */
typedef OTF2_CallbackCode (*OTF2_SnapReaderCallback_Unknown)(OTF2_LocationRef location,
                                                             OTF2_TimeStamp snapTime,
                                                             void *userData,
                                                             OTF2_AttributeList *attributeList);
OTF2_API OTF2_ErrorCode OTF2_SnapReaderCallbacks_SetUnknownCallback(
    OTF2_SnapReaderCallbacks *snapReaderCallbacks, OTF2_SnapReaderCallback_Unknown unknownCallback);

/*
 * For each row of otf2_snaps.def, which documents the record, a callback and the callback's type:
 *
 *     OTF2_SnapReaderCallback_Enter(location, snapTime, userData, attributeList, origEventTime,
 *                                   region)
 *     OTF2_SnapReaderCallbacks_SetEnterCallback(snapReaderCallbacks, enterCallback)
 *
 *   location       the location of the state.
 *   snapTime       of the snapshot, in ticks; the same for all records of the snapshot.
 *   userData       as given to OTF2_SnapReader_SetCallbacks.
 *   attributeList  of the event repeated by the record: empty if the event had no list, never NULL.
 *   ...            the cells of the row. Neither times nor references are translated.
 *
 * Arrays and the list are borrowed until the callback returns. NULL removes a callback. Setters
 * return OTF2_ERROR_INVALID_ARGUMENT for a NULL object.
 */
#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    typedef OTF2_CallbackCode (*OTF2_SnapReaderCallback_##Name)(                                   \
        OTF2_LocationRef location, OTF2_TimeStamp snapTime, void *userData,                        \
        OTF2_AttributeList *attributeList OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));         \
    OTF2_API OTF2_ErrorCode OTF2_SnapReaderCallbacks_Set##Name##Callback(                          \
        OTF2_SnapReaderCallbacks *snapReaderCallbacks, OTF2_SnapReaderCallback_##Name callback);
#include <otf2/otf2_snaps.def>
#undef SNAP

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif

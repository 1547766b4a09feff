/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program wants to hear of the snapshots of all locations together, in the order of time; as
 * OTF2_SnapReaderCallbacks.h says for one location. OTF2_GlobalSnapReader_SetCallbacks copies the
 * object. Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_GLOBAL_SNAP_READER_CALLBACKS_H
#define OTF2_GLOBAL_SNAP_READER_CALLBACKS_H

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

typedef struct OTF2_GlobalSnapReaderCallbacks_struct OTF2_GlobalSnapReaderCallbacks;

/* Creates an object without callbacks; delete it at the end. NULL without memory. */
OTF2_API OTF2_GlobalSnapReaderCallbacks *OTF2_GlobalSnapReaderCallbacks_New(void);

/* Releases an object; NULL is allowed. */
OTF2_API void
OTF2_GlobalSnapReaderCallbacks_Delete(OTF2_GlobalSnapReaderCallbacks *globalSnapReaderCallbacks);

/* Removes all callbacks; NULL is allowed. */
OTF2_API void
OTF2_GlobalSnapReaderCallbacks_Clear(OTF2_GlobalSnapReaderCallbacks *globalSnapReaderCallbacks);

/*
 * Called for kinds of records that this version of the library does not know, with parameters as
 * below.
 */
typedef OTF2_CallbackCode (*OTF2_GlobalSnapReaderCallback_Unknown)(
    OTF2_LocationRef locationID, OTF2_TimeStamp snapTime, void *userData,
    OTF2_AttributeList *attributeList);
OTF2_API OTF2_ErrorCode OTF2_GlobalSnapReaderCallbacks_SetUnknownCallback(
    OTF2_GlobalSnapReaderCallbacks *globalSnapReaderCallbacks,
    OTF2_GlobalSnapReaderCallback_Unknown unknownCallback);

/*
 * For each row of otf2_snaps.def, which tells what the record means, a callback and its type:
 *
 *     OTF2_GlobalSnapReaderCallback_Enter(locationID, snapTime, userData, attributeList,
 *                                         origEventTime, region)
 *     OTF2_GlobalSnapReaderCallbacks_SetEnterCallback(globalSnapReaderCallbacks, enterCallback)
 *
 * Parameters as in OTF2_SnapReaderCallbacks.h. NULL removes a callback. Setters return
 * OTF2_ERROR_INVALID_ARGUMENT for a NULL object.
 */
#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    typedef OTF2_CallbackCode (*OTF2_GlobalSnapReaderCallback_##Name)(                             \
        OTF2_LocationRef locationID, OTF2_TimeStamp snapTime, void *userData,                      \
        OTF2_AttributeList *attributeList OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));         \
    OTF2_API OTF2_ErrorCode OTF2_GlobalSnapReaderCallbacks_Set##Name##Callback(                    \
        OTF2_GlobalSnapReaderCallbacks *globalSnapReaderCallbacks,                                 \
        OTF2_GlobalSnapReaderCallback_##Name callback);
#include <otf2/otf2_snaps.def>
#undef SNAP

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program wants to hear of the markers of a trace; as OTF2_DefReaderCallbacks.h says for
 * definitions. OTF2_MarkerReader_SetCallbacks copies the object. Names and signatures are those of
 * OTF2 3.2.
 */
#ifndef OTF2_MARKER_READER_CALLBACKS_H
#define OTF2_MARKER_READER_CALLBACKS_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_Marker.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_MarkerReaderCallbacks_struct OTF2_MarkerReaderCallbacks;

/* Creates an object without callbacks; delete it at the end. NULL without memory. */
OTF2_API OTF2_MarkerReaderCallbacks *OTF2_MarkerReaderCallbacks_New(void);

/* Releases an object; NULL is allowed. */
OTF2_API void OTF2_MarkerReaderCallbacks_Delete(OTF2_MarkerReaderCallbacks *markerReaderCallbacks);

/* Removes all callbacks; NULL is allowed. */
OTF2_API void OTF2_MarkerReaderCallbacks_Clear(OTF2_MarkerReaderCallbacks *markerReaderCallbacks);

/* Called for kinds of records that this version of the library does not know. */
typedef OTF2_CallbackCode (*OTF2_MarkerReaderCallback_Unknown)(void *userData);
OTF2_API OTF2_ErrorCode
OTF2_MarkerReaderCallbacks_SetUnknownCallback(OTF2_MarkerReaderCallbacks *markerReaderCallbacks,
                                              OTF2_MarkerReaderCallback_Unknown unknownCallback);

/*
 * For each MARKER row of otf2_markers.def, which tells what the record means, a callback and its
 * type:
 *
 *     OTF2_MarkerReaderCallback_DefMarker(userData, self, markerGroup, markerCategory, severity)
 *     OTF2_MarkerReaderCallback_Marker(userData, timestamp, duration, marker, markerScope, scope,
 *                                      text)
 *     OTF2_MarkerReaderCallbacks_SetMarkerCallback(markerReaderCallbacks, markerCallback)
 *
 *   userData  as given to OTF2_MarkerReader_SetCallbacks.
 *   ...       the cells of the row; times are in ticks.
 * Texts are borrowed until the callback returns. NULL removes a callback. Setters return
 * OTF2_ERROR_INVALID_ARGUMENT for a NULL object.
 */
#define MARKER(Name, NAME, id, major, minor, ...)                                                  \
    typedef OTF2_CallbackCode (*OTF2_MarkerReaderCallback_##Name)(                                 \
        void *userData OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));                            \
    OTF2_API OTF2_ErrorCode OTF2_MarkerReaderCallbacks_Set##Name##Callback(                        \
        OTF2_MarkerReaderCallbacks *markerReaderCallbacks,                                         \
        OTF2_MarkerReaderCallback_##Name callback);
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif

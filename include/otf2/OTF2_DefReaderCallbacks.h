/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The callbacks of a program for the definitions of a location: a callback for each wanted kind of
 * definition. Unwanted kinds have no callback. OTF2_DefReader_SetCallbacks copies the object, which
 * may then be deleted; until then one thread may change the object at a time. Names and signatures
 * are those of OTF2 3.2.
 *
 * A callback answers OTF2_CALLBACK_SUCCESS, or OTF2_CALLBACK_INTERRUPT: the function that reads
 * then returns OTF2_ERROR_INTERRUPTED_BY_CALLBACK, and reading can go on behind the present
 * definition. A callback runs on the reading thread. A callback must not close the reader that
 * calls the callback.
 */
#ifndef OTF2_DEF_READER_CALLBACKS_H
#define OTF2_DEF_READER_CALLBACKS_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_IdMap.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_DefReaderCallbacks_struct OTF2_DefReaderCallbacks;

/* Creates an object without callbacks; delete it at the end. NULL without memory. */
OTF2_API OTF2_DefReaderCallbacks *OTF2_DefReaderCallbacks_New(void);

/* Releases an object; NULL is allowed. */
OTF2_API void OTF2_DefReaderCallbacks_Delete(OTF2_DefReaderCallbacks *defReaderCallbacks);

/* Removes all callbacks; NULL is allowed. */
OTF2_API void OTF2_DefReaderCallbacks_Clear(OTF2_DefReaderCallbacks *defReaderCallbacks);

/* Called for kinds of definitions that this version of the library does not know. */
typedef OTF2_CallbackCode (*OTF2_DefReaderCallback_Unknown)(void *userData);
OTF2_API OTF2_ErrorCode OTF2_DefReaderCallbacks_SetUnknownCallback(
    OTF2_DefReaderCallbacks *defReaderCallbacks, OTF2_DefReaderCallback_Unknown unknownCallback);

/*
 * For each SHARED_DEF and LOCAL_DEF row of otf2_defs.def, which documents the definition, a
 * callback and the callback's type:
 *
 *     OTF2_DefReaderCallback_ClockOffset(userData, time, offset, standardDeviation)
 *     OTF2_DefReaderCallbacks_SetClockOffsetCallback(defReaderCallbacks, clockOffsetCallback)
 *
 *   userData  as given to OTF2_DefReader_SetCallbacks.
 *   ...       the attributes of the record.
 *
 * Texts, arrays and id maps are borrowed until the callback returns. NULL removes a callback.
 * Setters return OTF2_ERROR_INVALID_ARGUMENT for a NULL object.
 */
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    typedef OTF2_CallbackCode (*OTF2_DefReaderCallback_##Name)(                                    \
        void *userData OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));                            \
    OTF2_API OTF2_ErrorCode OTF2_DefReaderCallbacks_Set##Name##Callback(                           \
        OTF2_DefReaderCallbacks *defReaderCallbacks, OTF2_DefReaderCallback_##Name callback);
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif

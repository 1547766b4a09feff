/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program wants to hear of the definitions of the whole trace; as OTF2_DefReaderCallbacks.h
 * says for those of one location. OTF2_GlobalDefReader_SetCallbacks copies the object. Names and
 * signatures are those of OTF2 3.2.
 */
#ifndef OTF2_GLOBAL_DEF_READER_CALLBACKS_H
#define OTF2_GLOBAL_DEF_READER_CALLBACKS_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_GlobalDefReaderCallbacks_struct OTF2_GlobalDefReaderCallbacks;

/* Creates an object without callbacks; delete it at the end. NULL without memory. */
OTF2_API OTF2_GlobalDefReaderCallbacks *OTF2_GlobalDefReaderCallbacks_New(void);

/* Releases an object; NULL is allowed. */
OTF2_API void
OTF2_GlobalDefReaderCallbacks_Delete(OTF2_GlobalDefReaderCallbacks *globalDefReaderCallbacks);

/* Removes all callbacks; NULL is allowed. */
OTF2_API void
OTF2_GlobalDefReaderCallbacks_Clear(OTF2_GlobalDefReaderCallbacks *globalDefReaderCallbacks);

/* Called for kinds of definitions that this version of the library does not know. */
typedef OTF2_CallbackCode (*OTF2_GlobalDefReaderCallback_Unknown)(void *userData);
OTF2_API OTF2_ErrorCode OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(
    OTF2_GlobalDefReaderCallbacks *globalDefReaderCallbacks,
    OTF2_GlobalDefReaderCallback_Unknown unknownCallback);

/*
 * For each SHARED_DEF and GLOBAL_DEF row of otf2_defs.def, which tells what the definition means, a
 * callback and its type:
 *
 *     OTF2_GlobalDefReaderCallback_String(userData, self, string)
 *     OTF2_GlobalDefReaderCallbacks_SetStringCallback(globalDefReaderCallbacks, stringCallback)
 *
 *   userData  as given to OTF2_GlobalDefReader_SetCallbacks.
 *   ...       the attributes of the record.
 * Texts and arrays are borrowed until the callback returns. NULL removes a callback. Setters return
 * OTF2_ERROR_INVALID_ARGUMENT for a NULL object.
 */
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    typedef OTF2_CallbackCode (*OTF2_GlobalDefReaderCallback_##Name)(                              \
        void *userData OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__));                            \
    OTF2_API OTF2_ErrorCode OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(                     \
        OTF2_GlobalDefReaderCallbacks *globalDefReaderCallbacks,                                   \
        OTF2_GlobalDefReaderCallback_##Name callback);
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF

#ifdef __cplusplus
}
#endif

#include <otf2/otf2_tables_end.h>

#endif

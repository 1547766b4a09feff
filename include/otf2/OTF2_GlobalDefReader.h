/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the definitions of the whole trace. The reader comes from OTF2_Reader_GetGlobalDefReader
 * and ends with OTF2_Reader_CloseGlobalDefReader or the OTF2_Reader. It may be used by one thread
 * at a time. Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_GLOBAL_DEF_READER_H
#define OTF2_GLOBAL_DEF_READER_H

#include <stdint.h>

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <otf2/OTF2_GlobalDefReaderCallbacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sets the callbacks for definitions.
 *   callbacks  copied; replaces earlier ones.
 *   userData   passed to every callback.
 * OTF2_ERROR_INTEGRITY_FAULT for a NULL reader, OTF2_ERROR_INVALID_ARGUMENT for NULL callbacks.
 */
OTF2_API OTF2_ErrorCode OTF2_GlobalDefReader_SetCallbacks(
    OTF2_GlobalDefReader *reader, const OTF2_GlobalDefReaderCallbacks *callbacks, void *userData);

/*
 * Reads up to recordsToRead definitions and calls back for each.
 *   recordsRead  where to store how many there were; fewer than asked for only at the end of the
 *                file, at an error and after an interruption.
 * Errors: OTF2_ERROR_INTERRUPTED_BY_CALLBACK, OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer,
 * OTF2_ERROR_INVALID_DATA and the like for a file that is damaged.
 */
OTF2_API OTF2_ErrorCode OTF2_GlobalDefReader_ReadDefinitions(OTF2_GlobalDefReader *reader,
                                                             uint64_t recordsToRead,
                                                             uint64_t *recordsRead);

#ifdef __cplusplus
}
#endif

#endif

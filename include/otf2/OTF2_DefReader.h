/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the definitions of a location. The mapping tables and clock offsets among the definitions
 * are necessary to translate the references and to correct the times of the location's events; so
 * the definitions have to be read before the events. A reader comes from OTF2_Reader_GetDefReader
 * and ends with OTF2_Reader_CloseDefReader or the OTF2_Reader. The definitions read by a reader
 * stay in force. A reader may be used by one thread at a time. Names and signatures are those of
 * OTF2 3.2.
 */
#ifndef OTF2_DEF_READER_H
#define OTF2_DEF_READER_H

#include <stdint.h>

#include <otf2/OTF2_DefReaderCallbacks.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/OTF2_GeneralDefinitions.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Stores the id of the reader's location. OTF2_ERROR_INTEGRITY_FAULT for a NULL reader,
 * OTF2_ERROR_INVALID_ARGUMENT for no place to store.
 */
OTF2_API OTF2_ErrorCode OTF2_DefReader_GetLocationID(const OTF2_DefReader *reader,
                                                     OTF2_LocationRef *location);

/*
 * Sets the callbacks for definitions.
 *   callbacks  copied; replaces earlier callbacks.
 *   userData   passed to every callback.
 *
 * OTF2_ERROR_INTEGRITY_FAULT for a NULL reader, OTF2_ERROR_INVALID_ARGUMENT for NULL callbacks.
 */
OTF2_API OTF2_ErrorCode OTF2_DefReader_SetCallbacks(OTF2_DefReader *reader,
                                                    const OTF2_DefReaderCallbacks *callbacks,
                                                    void *userData);

/*
 * Reads up to recordsToRead definitions and calls back for each.
 *   recordsRead  receives the number of read definitions; fewer than asked for only at the end of
 *                the file, at an error and after an interruption.
 *
 * Errors, after all of which reading can go on behind the definition concerned:
 * OTF2_ERROR_INTERRUPTED_BY_CALLBACK, OTF2_ERROR_DUPLICATE_MAPPING_TABLE (the first table of a type
 * stays in force), OTF2_ERROR_INTEGRITY_FAULT when the times of clock offsets do not increase.
 * Further errors: OTF2_ERROR_INVALID_ARGUMENT for a NULL pointer, OTF2_ERROR_INVALID_DATA and the
 * like for a damaged file.
 */
OTF2_API OTF2_ErrorCode OTF2_DefReader_ReadDefinitions(OTF2_DefReader *reader,
                                                       uint64_t recordsToRead,
                                                       uint64_t *recordsRead);

#ifdef __cplusplus
}
#endif

#endif

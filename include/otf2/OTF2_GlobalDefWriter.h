/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing the definitions of the whole trace, by the primary archive only. The writer comes from
 * OTF2_Archive_GetGlobalDefWriter and ends with OTF2_Archive_CloseGlobalDefWriter or the archive.
 * The writer may be used by one thread at a time. Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_GLOBAL_DEF_WRITER_H
#define OTF2_GLOBAL_DEF_WRITER_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_GlobalDefWriter_struct OTF2_GlobalDefWriter;

/* Stores the number of definitions written so far. OTF2_ERROR_INVALID_ARGUMENT for NULL. */
OTF2_API OTF2_ErrorCode OTF2_GlobalDefWriter_GetNumberOfDefinitions(
    OTF2_GlobalDefWriter *writerHandle, uint64_t *numberOfDefinitions);

/* Stores the number of locations among these definitions. OTF2_ERROR_INVALID_ARGUMENT for NULL. */
OTF2_API OTF2_ErrorCode OTF2_GlobalDefWriter_GetNumberOfLocations(
    OTF2_GlobalDefWriter *writerHandle, uint64_t *numberOfLocations);

/*
 * For each SHARED_DEF and GLOBAL_DEF row of otf2_defs.def, which documents the record:
 *
 *     OTF2_GlobalDefWriter_WriteString(writerHandle, self, string)
 *
 * Strings and arrays are borrowed during the call. A definition should come after the definitions
 * to which it refers. Errors as in OTF2_DefWriter_WriteString.
 */
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    OTF2_API OTF2_ErrorCode OTF2_GlobalDefWriter_Write##Name(                                      \
        OTF2_GlobalDefWriter *writerHandle OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__))         \
        OTF2_IF_OLD_(OTF2_OLD_##Name, , );
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

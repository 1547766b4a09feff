/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing the local definitions of one location: what translates its events to the trace as a whole
 * (mapping tables, clock offsets), and definitions with ids of its own. A writer comes from
 * OTF2_Archive_GetDefWriter and ends with OTF2_Archive_CloseDefWriter or the archive. It may be
 * used by one thread at a time. Names and signatures are those of OTF2 3.2.
 */
#ifndef OTF2_DEF_WRITER_H
#define OTF2_DEF_WRITER_H

#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>
#include <otf2/otf2_records.h>

#include <otf2/otf2_tables_begin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OTF2_DefWriter_struct OTF2_DefWriter;

/*
 * Stores the id of the writer's location. Errors: OTF2_ERROR_INTEGRITY_FAULT for a NULL writer,
 * OTF2_ERROR_INVALID_ARGUMENT for no place to store.
 */
OTF2_API OTF2_ErrorCode OTF2_DefWriter_GetLocationID(const OTF2_DefWriter *writer,
                                                     OTF2_LocationRef *location);

/*
 * For each SHARED_DEF and LOCAL_DEF row of otf2_defs.def, which tells what the record means:
 *
 *     OTF2_DefWriter_WriteString(writer, self, string)
 *
 * Strings, arrays and maps are borrowed during the call. Errors: OTF2_ERROR_INVALID_ARGUMENT for a
 * NULL writer, string, map or array; OTF2_ERROR_INVALID_SIZE_GIVEN when the record does not fit
 * into a chunk; errors of writing a full buffer to its file.
 */
#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    OTF2_API OTF2_ErrorCode OTF2_DefWriter_Write##Name(                                            \
        OTF2_DefWriter *writer OTF2_SEQ(OTF2_PARAM, OTF2_##Name, __VA_ARGS__))                     \
        OTF2_IF_OLD_(OTF2_OLD_##Name, , );
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

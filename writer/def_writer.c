/* SPDX-License-Identifier: BSD-3-Clause */
/* The public writers of local and global definitions. */
#include "format/error.h"
#include "writer/archive_state.h"
#include "writer/record_writer.h"

#define ARGUMENT(Row, kind, name_) .name_ = name_,

/* ---- definitions of a location ---- */

#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    OTF2_ErrorCode OTF2_DefWriter_Write##Name(                                                     \
        OTF2_DefWriter *writer OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                            \
    {                                                                                              \
        const struct otf2_def_##Name data = {OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)};               \
        return otf2_record_put(writer ? &writer->base : NULL, &otf2_defs[OTF2_DEF_##Name], &data); \
    }
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF

OTF2_ErrorCode OTF2_DefWriter_GetLocationID(const OTF2_DefWriter *writer,
                                            OTF2_LocationRef *location)
{
    if (!writer)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no definition writer");
    if (!location)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no place for the location");
    *location = writer->base.stream.location;
    return OTF2_SUCCESS;
}

/* ---- definitions of the trace ---- */

static OTF2_ErrorCode put_global(OTF2_GlobalDefWriter *w, enum otf2_def_index def, const void *data)
{
    if (!w)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no global definition writer");
    OTF2_ErrorCode error = otf2_record_put(&w->base, &otf2_defs[def], data);
    if (!error) {
        w->base.stream.archive->n_definitions++;
        w->base.stream.archive->n_locations += def == OTF2_DEF_Location;
    }
    return error;
}

#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    OTF2_ErrorCode OTF2_GlobalDefWriter_Write##Name(                                               \
        OTF2_GlobalDefWriter *writerHandle OTF2_SEQ(OTF2_PARAM, Name, __VA_ARGS__))                \
    {                                                                                              \
        const struct otf2_def_##Name data = {OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)};               \
        return put_global(writerHandle, OTF2_DEF_##Name, &data);                                   \
    }
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF

static OTF2_ErrorCode answer(const OTF2_GlobalDefWriter *w, uint64_t value, uint64_t *to)
{
    if (!w || !to)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no writer, or no place for the number");
    *to = value;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefWriter_GetNumberOfDefinitions(OTF2_GlobalDefWriter *writerHandle,
                                                           uint64_t *numberOfDefinitions)
{
    return answer(writerHandle, writerHandle ? writerHandle->base.stream.archive->n_definitions : 0,
                  numberOfDefinitions);
}

OTF2_ErrorCode OTF2_GlobalDefWriter_GetNumberOfLocations(OTF2_GlobalDefWriter *writerHandle,
                                                         uint64_t *numberOfLocations)
{
    return answer(writerHandle, writerHandle ? writerHandle->base.stream.archive->n_locations : 0,
                  numberOfLocations);
}

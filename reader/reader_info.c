/* SPDX-License-Identifier: BSD-3-Clause */
/* What the anchor file says of an archive. It was read when the archive was opened: no locks. */
#include <string.h>

#include "reader/reader.h"

#define MISSING OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader, or another pointer is NULL")

/* ---- numbers ---- */

#define NUMBER(Name, c_type, field, parameter)                                                     \
    OTF2_ErrorCode OTF2_Reader_Get##Name(OTF2_Reader *reader, c_type *parameter)                   \
    {                                                                                              \
        if (!reader || !parameter)                                                                 \
            return MISSING;                                                                        \
        *parameter = reader->anchor.field;                                                         \
        return OTF2_SUCCESS;                                                                       \
    }
NUMBER(NumberOfLocations, uint64_t, locations, numberOfLocations)
NUMBER(NumberOfGlobalDefinitions, uint64_t, global_definitions, numberOfDefinitions)
NUMBER(NumberOfSnapshots, uint32_t, snapshots, number)
NUMBER(NumberOfThumbnails, uint32_t, thumbnails, number)
NUMBER(FileSubstrate, OTF2_FileSubstrate, substrate, substrate)
NUMBER(Compression, OTF2_Compression, compression, compression)
NUMBER(TraceId, uint64_t, trace_id, id)

OTF2_ErrorCode OTF2_Reader_GetVersion(OTF2_Reader *reader, uint8_t *major, uint8_t *minor,
                                      uint8_t *bugfix)
{
    if (!reader || !major || !minor || !bugfix)
        return MISSING;
    *major = reader->anchor.version[0];
    *minor = reader->anchor.version[1];
    *bugfix = reader->anchor.version[2];
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_GetChunkSize(OTF2_Reader *reader, uint64_t *chunkSizeEvents,
                                        uint64_t *chunkSizeDefinitions)
{
    if (!reader || !chunkSizeEvents || !chunkSizeDefinitions)
        return MISSING;
    *chunkSizeEvents = reader->anchor.event_chunk_bytes;
    *chunkSizeDefinitions = reader->anchor.def_chunk_bytes;
    return OTF2_SUCCESS;
}

/* ---- texts ---- */

/* The caller releases the copy by free(), so it comes from the C library whatever ours does. */
static OTF2_ErrorCode get_text(const char *text, char **copy)
{
    *copy = strdup(text);
    return *copy ? OTF2_SUCCESS : OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a text");
}

#define TEXT(Name, field, parameter)                                                               \
    OTF2_ErrorCode OTF2_Reader_Get##Name(OTF2_Reader *reader, char **parameter)                    \
    {                                                                                              \
        return reader && parameter ? get_text(reader->anchor.field, parameter) : MISSING;          \
    }
TEXT(MachineName, machine, machineName)
TEXT(Creator, creator, creator)
TEXT(Description, description, description)

/* ---- properties ---- */

OTF2_ErrorCode OTF2_Reader_GetPropertyNames(OTF2_Reader *reader, uint32_t *numberOfProperties,
                                            char ***names)
{
    if (!reader || !numberOfProperties || !names)
        return MISSING;
    uint32_t n = reader->anchor.nproperties;
    char **block = otf2_property_names_new(reader->anchor.properties, n);
    if (n && !block)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for the properties' names");
    *numberOfProperties = n;
    *names = block;
    return OTF2_SUCCESS;
}

static const char *find(const OTF2_Reader *r, const char *name)
{
    const struct otf2_property *property =
        otf2_property_find(r->anchor.properties, r->anchor.nproperties, name);
    return property ? property->value : NULL;
}

/* That there is no such property is an answer; it is not reported. */
OTF2_ErrorCode OTF2_Reader_GetProperty(OTF2_Reader *reader, const char *name, char **value)
{
    if (!reader || !name || !value)
        return MISSING;
    const char *text = find(reader, name);
    return text ? get_text(text, value) : OTF2_ERROR_PROPERTY_NOT_FOUND;
}

OTF2_ErrorCode OTF2_Reader_GetBoolProperty(OTF2_Reader *reader, const char *name, bool *value)
{
    if (!reader || !name || !value)
        return MISSING;
    const char *text = find(reader, name);
    if (!text)
        return OTF2_ERROR_PROPERTY_NOT_FOUND;
    bool is_true = strcmp(text, "true") == 0;
    if (!is_true && strcmp(text, "false") != 0)
        return OTF2_ERROR(OTF2_ERROR_PROPERTY_VALUE_INVALID, "%s is neither true nor false: %s",
                          name, text);
    *value = is_true;
    return OTF2_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What an archive says of itself: texts, numbers and properties of the anchor file. */
#include <string.h>

#include "format/error.h"
#include "format/memory.h"
#include "writer/archive_state.h"

#define MISSING OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, or another pointer is NULL")

/* ---- texts ---- */

static OTF2_ErrorCode set_text(OTF2_Archive *a, char **slot, const char *text)
{
    char *copy = otf2_text_new(text);
    if (!copy)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a text");
    otf2_archive_lock(a);
    char *old = *slot;
    *slot = copy;
    otf2_archive_unlock(a);
    otf2_text_free(old);
    return OTF2_SUCCESS;
}

/* The caller releases the copy by free(), so it comes from the C library whatever ours does. */
static OTF2_ErrorCode get_text(OTF2_Archive *a, char *const *slot, char **copy)
{
    otf2_archive_lock(a);
    *copy = *slot ? strdup(*slot) : NULL;
    otf2_archive_unlock(a);
    return *copy ? OTF2_SUCCESS : OTF2_ERROR(OTF2_ERROR_MEM_FAULT, "the text is not set");
}

#define TEXT(Name, slot, parameter)                                                                \
    OTF2_ErrorCode OTF2_Archive_Set##Name(OTF2_Archive *archive, const char *parameter)            \
    {                                                                                              \
        return archive && parameter ? set_text(archive, &archive->slot, parameter) : MISSING;      \
    }                                                                                              \
    OTF2_ErrorCode OTF2_Archive_Get##Name(OTF2_Archive *archive, char **parameter)                 \
    {                                                                                              \
        return archive && parameter ? get_text(archive, &archive->slot, parameter) : MISSING;      \
    }
TEXT(MachineName, machine_name, machineName)
TEXT(Description, description, description)
TEXT(Creator, creator, creator)

/* ---- numbers ---- */

#define NUMBER(Name, c_type, slot, parameter)                                                      \
    OTF2_ErrorCode OTF2_Archive_Get##Name(OTF2_Archive *archive, c_type *parameter)                \
    {                                                                                              \
        if (!archive || !parameter)                                                                \
            return MISSING;                                                                        \
        *parameter = archive->slot;                                                                \
        return OTF2_SUCCESS;                                                                       \
    }
NUMBER(NumberOfLocations, uint64_t, n_locations, numberOfLocations)
NUMBER(NumberOfGlobalDefinitions, uint64_t, n_definitions, numberOfDefinitions)
NUMBER(NumberOfSnapshots, uint32_t, n_snapshots, number)
NUMBER(NumberOfThumbnails, uint32_t, n_thumbnails, number)
NUMBER(FileSubstrate, OTF2_FileSubstrate, substrate, substrate)
NUMBER(Compression, OTF2_Compression, compression, compression)

OTF2_ErrorCode OTF2_Archive_SetNumberOfSnapshots(OTF2_Archive *archive, uint32_t number)
{
    if (!archive)
        return MISSING;
    archive->n_snapshots = number;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_GetVersion(OTF2_Archive *archive, uint8_t *major, uint8_t *minor,
                                       uint8_t *bugfix)
{
    if (!archive || !major || !minor || !bugfix)
        return MISSING;
    *major = archive->version[0];
    *minor = archive->version[1];
    *bugfix = archive->version[2];
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2X_Archive_SetVersion(OTF2_Archive *archive, uint8_t major, uint8_t minor,
                                        uint8_t bugfix)
{
    if (!archive)
        return MISSING;
    archive->version[0] = major;
    archive->version[1] = minor;
    archive->version[2] = bugfix;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_GetChunkSize(OTF2_Archive *archive, uint64_t *chunkSizeEvents,
                                         uint64_t *chunkSizeDefs)
{
    if (!archive || !chunkSizeEvents || !chunkSizeDefs)
        return MISSING;
    *chunkSizeEvents = archive->chunk_events;
    if (archive->chunk_defs == OTF2_UNDEFINED_UINT64)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "the definitions' chunk size is not set");
    *chunkSizeDefs = archive->chunk_defs;
    return OTF2_SUCCESS;
}

/* The number is drawn when a new archive is closed: until then there is nothing to tell apart. */
OTF2_ErrorCode OTF2_Archive_GetTraceId(OTF2_Archive *archive, uint64_t *id)
{
    if (!archive || !id)
        return MISSING;
    if (!archive->reader)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the archive is being written");
    *id = archive->trace_id;
    return OTF2_SUCCESS;
}

/* ---- properties ---- */

static void fold(char *name)
{
    for (; *name; name++)
        if (*name >= 'a' && *name <= 'z')
            *name = (char)(*name - 'a' + 'A');
}

static struct otf2_property *find(const OTF2_Archive *a, const char *name)
{
    for (uint32_t i = 0; i < a->n_properties; i++)
        if (strcmp(a->properties[i].name, name) == 0)
            return &a->properties[i];
    return NULL;
}

static OTF2_ErrorCode add(OTF2_Archive *a, const char *name, const char *value)
{
    struct otf2_property *more = otf2_mem_new((a->n_properties + 1) * sizeof *more);
    char *copy = otf2_text_new(name);
    if (!more || !copy) {
        otf2_mem_free(more);
        otf2_text_free(copy);
        otf2_text_free(value);
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for property %s", name);
    }
    if (a->n_properties)
        memcpy(more, a->properties, a->n_properties * sizeof *more);
    more[a->n_properties] = (struct otf2_property){copy, value};
    otf2_mem_free(a->properties);
    a->properties = more;
    a->n_properties++;
    return OTF2_SUCCESS;
}

static void drop(OTF2_Archive *a, struct otf2_property *property)
{
    otf2_text_free(property->name);
    otf2_text_free(property->value);
    a->n_properties--;
    memmove(property, property + 1,
            (size_t)(a->properties + a->n_properties - property) * sizeof *property);
}

/* `name` is folded and valid. */
static OTF2_ErrorCode set(OTF2_Archive *a, const char *name, const char *value, bool overwrite)
{
    struct otf2_property *old = find(a, name);
    if (!*value) {
        if (!a->n_properties) /* as programs know it */
            return OTF2_SUCCESS;
        if (!old)
            return OTF2_ERROR(OTF2_ERROR_PROPERTY_NOT_FOUND, "no property %s", name);
        drop(a, old);
        return OTF2_SUCCESS;
    }
    if (old && !overwrite)
        return OTF2_ERROR(OTF2_ERROR_PROPERTY_EXISTS, "property %s exists", name);
    char *copy = otf2_text_new(value);
    if (!copy)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for property %s", name);
    if (!old)
        return add(a, name, copy);
    otf2_text_free(old->value);
    old->value = copy;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SetProperty(OTF2_Archive *archive, const char *name, const char *value,
                                        bool overwrite)
{
    if (!archive || !name || !value)
        return MISSING;
    if (archive->mode == OTF2_FILEMODE_READ)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the archive is being read");
    char *folded = otf2_text_new(name);
    if (!folded)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for property %s", name);
    fold(folded);
    OTF2_ErrorCode error;
    otf2_archive_lock(archive);
    if (otf2_property_name_is_valid(folded))
        error = set(archive, folded, value, overwrite);
    else
        error = OTF2_ERROR(OTF2_ERROR_PROPERTY_NAME_INVALID, "\"%s\" names no property", name);
    otf2_archive_unlock(archive);
    otf2_text_free(folded);
    return error;
}

OTF2_ErrorCode OTF2_Archive_SetBoolProperty(OTF2_Archive *archive, const char *name, bool value,
                                            bool overwrite)
{
    return OTF2_Archive_SetProperty(archive, name, value ? "true" : "false", overwrite);
}

OTF2_ErrorCode OTF2_Archive_GetPropertyNames(OTF2_Archive *archive, uint32_t *numberOfProperties,
                                             char ***names)
{
    if (!archive || !numberOfProperties || !names)
        return MISSING;
    otf2_archive_lock(archive);
    uint32_t n = archive->n_properties;
    char **block = otf2_property_names_new(archive->properties, n);
    otf2_archive_unlock(archive);
    if (n && !block)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for the properties' names");
    *numberOfProperties = n;
    *names = block;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_GetProperty(OTF2_Archive *archive, const char *name, char **value)
{
    if (!archive || !name || !value)
        return MISSING;
    otf2_archive_lock(archive);
    const struct otf2_property *property = find(archive, name);
    char *copy = property ? strdup(property->value) : NULL;
    otf2_archive_unlock(archive);
    if (!property)
        return OTF2_ERROR(OTF2_ERROR_PROPERTY_NOT_FOUND, "no property %s", name);
    if (!copy)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for property %s", name);
    *value = copy;
    return OTF2_SUCCESS;
}

void otf2_archive_properties_fini(OTF2_Archive *a)
{
    for (uint32_t i = 0; i < a->n_properties; i++) {
        otf2_text_free(a->properties[i].name);
        otf2_text_free(a->properties[i].value);
    }
    otf2_mem_free(a->properties);
    otf2_text_free(a->machine_name);
    otf2_text_free(a->description);
    otf2_text_free(a->creator);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Archives that exist already. One that is opened for reading has an OTF2_Reader inside, which does
 * all the work; by OTF2_Archive_SwitchFileMode it becomes one that is written, to add snapshots and
 * thumbnails. Readers that were handed out before stay valid.
 */
#include <string.h>

#include "format/memory.h"
#include "format/paths.h"
#include "format/reading.h"
#include "writer/archive_state.h"

#define NO_ARCHIVE OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive")
#define NO_READERS OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "the archive is being written")

/* ---- open and close ---- */

static bool copy_properties(OTF2_Archive *a, const struct otf2_anchor *anchor)
{
    if (!anchor->nproperties)
        return true;
    a->properties = otf2_mem_new(anchor->nproperties * sizeof *a->properties);
    for (uint32_t i = 0; a->properties && i < anchor->nproperties; i++) {
        const char *name = otf2_text_new(anchor->properties[i].name);
        const char *value = otf2_text_new(anchor->properties[i].value);
        if (!name || !value) {
            otf2_text_free(name);
            otf2_text_free(value);
            return false;
        }
        a->properties[a->n_properties++] = (struct otf2_property){name, value};
    }
    return a->properties;
}

static bool copy_anchor(OTF2_Archive *a, const struct otf2_anchor *anchor)
{
    a->substrate = anchor->substrate;
    a->compression = anchor->compression;
    a->chunk_events = anchor->event_chunk_bytes;
    a->chunk_defs = anchor->def_chunk_bytes;
    a->n_locations = anchor->locations;
    a->n_definitions = anchor->global_definitions;
    a->n_snapshots = anchor->snapshots;
    a->n_thumbnails = anchor->thumbnails;
    a->trace_id = anchor->trace_id;
    memcpy(a->version, anchor->version, sizeof a->version);
    a->machine_name = otf2_text_new(anchor->machine);
    a->description = otf2_text_new(anchor->description);
    a->creator = otf2_text_new(anchor->creator);
    return a->machine_name && a->description && a->creator && copy_properties(a, anchor);
}

OTF2_ErrorCode otf2_archive_load(OTF2_Archive *a)
{
    char path[OTF2_PATH_BYTES];
    const struct otf2_reading *reading = otf2_reading_find();
    if (!reading)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "built without the reading side");
    if (!otf2_archive_file(a, OTF2_FILETYPE_ANCHOR, 0, path, sizeof path))
        return OTF2_FAIL(OTF2_ERROR_ENAMETOOLONG, "%s: path too long", a->path);
    a->reader = reading->open(path);
    if (!a->reader)
        return OTF2_ERROR_PROCESSED_WITH_FAULTS; /* reported by the reader */
    if (!copy_anchor(a, reading->anchor(a->reader)))
        return OTF2_FAIL(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", path);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode otf2_archive_unload(OTF2_Archive *a)
{
    return a->reader ? otf2_reading_find()->close(a->reader) : OTF2_SUCCESS;
}

/* ---- the archive's lock, as one of its reader ---- */

static OTF2_CallbackCode create(void *archive, OTF2_Lock *lock)
{
    *lock = archive;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode destroy(void *archive, OTF2_Lock lock)
{
    (void)archive, (void)lock;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode lock_archive(void *archive, OTF2_Lock lock)
{
    (void)lock;
    otf2_archive_lock(archive);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode unlock_archive(void *archive, OTF2_Lock lock)
{
    (void)lock;
    otf2_archive_unlock(archive);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_ErrorCode otf2_archive_share_lock(OTF2_Archive *a)
{
    const OTF2_LockingCallbacks callbacks = {
        .otf2_create = create,
        .otf2_destroy = destroy,
        .otf2_lock = lock_archive,
        .otf2_unlock = unlock_archive,
    };
    return a->reader ? otf2_reading_find()->set_locks(a->reader, &callbacks, a) : OTF2_SUCCESS;
}

/* ---- from reading to writing ---- */

OTF2_ErrorCode otf2_archive_modify(OTF2_Archive *a)
{
    if (!otf2_is_chunk_size(a->chunk_events) || !otf2_is_chunk_size(a->chunk_defs))
        return OTF2_FAIL(OTF2_ERROR_INVALID_SIZE_GIVEN, "%s: chunk size out of range", a->path);
    if (a->substrate == OTF2_SUBSTRATE_SION)
        return OTF2_FAIL(OTF2_ERROR_FILE_SUBSTRATE_NOT_SUPPORTED,
                         "%s: a container cannot be modified", a->path);
    a->mode = OTF2_FILEMODE_MODIFY;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Archive_SwitchFileMode(OTF2_Archive *archive, OTF2_FileMode newFileMode)
{
    if (!archive)
        return NO_ARCHIVE;
    if (newFileMode > OTF2_FILEMODE_MODIFY)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "unknown file mode %d", newFileMode);
    if (archive->mode != OTF2_FILEMODE_READ || newFileMode != OTF2_FILEMODE_WRITE)
        return OTF2_ERROR(OTF2_ERROR_INVALID_FILE_MODE_TRANSITION,
                          "to file mode %d: only an archive that is read can be switched, to be "
                          "written",
                          newFileMode);
    return otf2_archive_modify(archive);
}

/* ---- what a reader does ---- */

static bool is_read(const OTF2_Archive *a)
{
    return a->mode == OTF2_FILEMODE_READ;
}

OTF2_ErrorCode OTF2_Archive_SelectLocation(OTF2_Archive *archive, OTF2_LocationRef location)
{
    if (!archive)
        return NO_ARCHIVE;
    return is_read(archive) ? otf2_reading_find()->select(archive->reader, location) : NO_READERS;
}

OTF2_ErrorCode OTF2_Archive_SetHint(OTF2_Archive *archive, OTF2_Hint hint, void *value)
{
    if (!archive || !value || hint != OTF2_HINT_GLOBAL_READER)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no archive, no value, or unknown hint %d",
                          hint);
    if (!is_read(archive))
        return OTF2_ERROR(OTF2_ERROR_HINT_INVALID, "the archive is being written");
    return otf2_reading_find()->set_hint(archive->reader, hint, value);
}

/* Whether readers can be asked for; if not, that is reported. */
static bool may_read(const OTF2_Archive *a)
{
    if (!a)
        (void)NO_ARCHIVE;
    else if (!is_read(a))
        (void)NO_READERS;
    return a && is_read(a);
}

#define CLOSE(Type)                                                                                \
    OTF2_ErrorCode OTF2_Archive_Close##Type(OTF2_Archive *archive, OTF2_##Type *handle)            \
    {                                                                                              \
        if (!archive)                                                                              \
            return NO_ARCHIVE;                                                                     \
        if (!handle)                                                                               \
            return OTF2_SUCCESS;                                                                   \
        return archive->reader                                                                     \
                   ? otf2_reading_find()->close_##Type(archive->reader, handle)                    \
                   : OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "not a reader of this archive");      \
    }
OTF2_READERS_OF_LOCATION(CLOSE)
OTF2_READERS_SINGLE(CLOSE)
CLOSE(ThumbReader)

#define GET(Type)                                                                                  \
    OTF2_##Type *OTF2_Archive_Get##Type(OTF2_Archive *archive)                                     \
    {                                                                                              \
        return may_read(archive) ? otf2_reading_find()->get_##Type(archive->reader) : NULL;        \
    }
OTF2_READERS_SINGLE(GET)

#define GET_OF(Type)                                                                               \
    OTF2_##Type *OTF2_Archive_Get##Type(OTF2_Archive *archive, OTF2_LocationRef location)          \
    {                                                                                              \
        return may_read(archive) ? otf2_reading_find()->get_##Type(archive->reader, location)      \
                                 : NULL;                                                           \
    }
OTF2_READERS_OF_LOCATION(GET_OF)

OTF2_ThumbReader *OTF2_Archive_GetThumbReader(OTF2_Archive *archive, uint32_t number)
{
    return may_read(archive) ? otf2_reading_find()->get_ThumbReader(archive->reader, number) : NULL;
}

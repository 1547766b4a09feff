/* SPDX-License-Identifier: BSD-3-Clause */
/* The readers that an archive has handed out: each place has at most one. */
#include <stddef.h>
#include <string.h>

#include "format/memory.h"
#include "reader/reader.h"

#define NO_READER OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader")
#define NOT_OURS OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "not a reader of this archive")

/* ---- those of a location ---- */

/*
 * The location that has that reader, or NULL. The pointer may be one of another archive, or stale:
 * it is compared only. Programs close readers in the order of locations, so the search begins where
 * the last one ended.
 */
static struct otf2_location *find_handle(OTF2_Reader *r, size_t field, const void *handle)
{
    for (uint64_t i = 0; i < r->locations.n; i++) {
        uint64_t at = (r->last_closed + i) % r->locations.n;
        struct otf2_location *location = r->locations.all[at];
        const void *candidate;
        memcpy(&candidate, (const char *)location + field, sizeof candidate);
        if (candidate == handle) {
            r->last_closed = at;
            return location;
        }
    }
    return NULL;
}

static struct otf2_location *intern(OTF2_Reader *r, OTF2_LocationRef id)
{
    struct otf2_location *location = otf2_locations_intern(&r->locations, id);
    if (!location)
        (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a location");
    return location;
}

#define OF_LOCATION(Type, field, kind)                                                             \
    OTF2_##Type *OTF2_Reader_Get##Type(OTF2_Reader *reader, OTF2_LocationRef location)             \
    {                                                                                              \
        OTF2_##Type *handle = NULL;                                                                \
        if (!reader || location == OTF2_UNDEFINED_LOCATION) {                                      \
            (void)OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader, or no location");            \
            return NULL;                                                                           \
        }                                                                                          \
        otf2_reader_lock(reader);                                                                  \
        struct otf2_location *place = intern(reader, location);                                    \
        if (place && !place->field)                                                                \
            place->field = otf2_##kind##_open(reader, place);                                      \
        if (place)                                                                                 \
            handle = place->field;                                                                 \
        otf2_reader_unlock(reader);                                                                \
        return handle;                                                                             \
    }                                                                                              \
    OTF2_ErrorCode OTF2_Reader_Close##Type(OTF2_Reader *reader, OTF2_##Type *field##Reader)        \
    {                                                                                              \
        if (!reader)                                                                               \
            return NO_READER;                                                                      \
        if (!field##Reader)                                                                        \
            return OTF2_SUCCESS;                                                                   \
        otf2_reader_lock(reader);                                                                  \
        struct otf2_location *place =                                                              \
            find_handle(reader, offsetof(struct otf2_location, field), field##Reader);             \
        if (place) {                                                                               \
            otf2_##kind##_close(field##Reader);                                                    \
            place->field = NULL;                                                                   \
        }                                                                                          \
        otf2_reader_unlock(reader);                                                                \
        return place ? OTF2_SUCCESS : NOT_OURS;                                                    \
    }
OF_LOCATION(EvtReader, evt, evt_reader)
OF_LOCATION(DefReader, def, def_reader)
OF_LOCATION(SnapReader, snap, snap_reader)

/* ---- those that exist once ---- */

#define SINGLE(Type, field, kind, parameter)                                                       \
    OTF2_##Type *OTF2_Reader_Get##Type(OTF2_Reader *reader)                                        \
    {                                                                                              \
        if (!reader) {                                                                             \
            (void)NO_READER;                                                                       \
            return NULL;                                                                           \
        }                                                                                          \
        otf2_reader_lock(reader);                                                                  \
        if (!reader->field)                                                                        \
            reader->field = otf2_##kind##_open(reader);                                            \
        OTF2_##Type *handle = reader->field;                                                       \
        otf2_reader_unlock(reader);                                                                \
        return handle;                                                                             \
    }                                                                                              \
    OTF2_ErrorCode OTF2_Reader_Close##Type(OTF2_Reader *reader, OTF2_##Type *parameter)            \
    {                                                                                              \
        if (!reader)                                                                               \
            return NO_READER;                                                                      \
        if (!(parameter))                                                                          \
            return OTF2_SUCCESS;                                                                   \
        otf2_reader_lock(reader);                                                                  \
        bool is_ours = reader->field == (parameter);                                               \
        if (is_ours) {                                                                             \
            reader->field = NULL;                                                                  \
            otf2_##kind##_close(parameter);                                                        \
        }                                                                                          \
        otf2_reader_unlock(reader);                                                                \
        return is_ours ? OTF2_SUCCESS : NOT_OURS;                                                  \
    }
SINGLE(GlobalEvtReader, global_evt, global_evt_reader, globalEvtReader)
SINGLE(GlobalDefReader, global_def, global_def_reader, globalDefReader)
SINGLE(GlobalSnapReader, global_snap, global_snap_reader, globalSnapReader)
SINGLE(MarkerReader, marker, marker_reader, markerReader)

/* ---- thumbnails ---- */

static struct otf2_thumb_slot *find_thumb(const OTF2_Reader *r, uint32_t number)
{
    for (uint32_t i = 0; i < r->n_thumbs; i++)
        if (r->thumbs[i].number == number)
            return &r->thumbs[i];
    return NULL;
}

static bool make_thumb_room(OTF2_Reader *r)
{
    if (r->n_thumbs < r->thumbs_room)
        return true;
    uint32_t room = r->thumbs_room ? 2 * r->thumbs_room : 4;
    struct otf2_thumb_slot *thumbs = otf2_mem_new(room * sizeof *thumbs);
    if (!thumbs) {
        (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a thumbnail");
        return false;
    }
    if (r->n_thumbs)
        memcpy(thumbs, r->thumbs, r->n_thumbs * sizeof *thumbs);
    otf2_mem_free(r->thumbs);
    r->thumbs = thumbs;
    r->thumbs_room = room;
    return true;
}

static OTF2_ThumbReader *get_thumb(OTF2_Reader *r, uint32_t number)
{
    struct otf2_thumb_slot *slot = find_thumb(r, number);
    if (slot)
        return slot->reader;
    OTF2_ThumbReader *thumb = make_thumb_room(r) ? otf2_thumb_reader_open(r, number) : NULL;
    if (thumb)
        r->thumbs[r->n_thumbs++] = (struct otf2_thumb_slot){number, thumb};
    return thumb;
}

OTF2_ThumbReader *OTF2_Reader_GetThumbReader(OTF2_Reader *reader, uint32_t number)
{
    if (!reader || number >= reader->anchor.thumbnails) {
        (void)OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader, or no thumbnail %u", number);
        return NULL;
    }
    otf2_reader_lock(reader);
    OTF2_ThumbReader *thumb = get_thumb(reader, number);
    otf2_reader_unlock(reader);
    return thumb;
}

OTF2_ErrorCode OTF2_Reader_CloseThumbReader(OTF2_Reader *reader, OTF2_ThumbReader *thumbReader)
{
    uint32_t i = 0;
    if (!reader)
        return NO_READER;
    if (!thumbReader)
        return OTF2_SUCCESS;
    otf2_reader_lock(reader);
    while (i < reader->n_thumbs && reader->thumbs[i].reader != thumbReader)
        i++;
    bool is_ours = i < reader->n_thumbs;
    if (is_ours) {
        otf2_thumb_reader_close(thumbReader);
        reader->thumbs[i] = reader->thumbs[--reader->n_thumbs];
    }
    otf2_reader_unlock(reader);
    return is_ours ? OTF2_SUCCESS : NOT_OURS;
}

/* ---- all of them ---- */

static void close_location(struct otf2_location *location)
{
    if (location->evt)
        otf2_evt_reader_close(location->evt);
    if (location->def)
        otf2_def_reader_close(location->def);
    if (location->snap)
        otf2_snap_reader_close(location->snap);
    location->evt = NULL;
    location->def = NULL;
    location->snap = NULL;
}

/* Global readers first: they use those of locations. */
void otf2_reader_close_all(OTF2_Reader *r)
{
    if (r->global_evt)
        otf2_global_evt_reader_close(r->global_evt);
    r->global_evt = NULL;
    if (r->global_snap)
        otf2_global_snap_reader_close(r->global_snap);
    for (uint64_t i = 0; i < r->locations.n; i++)
        close_location(r->locations.all[i]);
    if (r->global_def)
        otf2_global_def_reader_close(r->global_def);
    if (r->marker)
        otf2_marker_reader_close(r->marker);
    for (uint32_t i = 0; i < r->n_thumbs; i++)
        otf2_thumb_reader_close(r->thumbs[i].reader);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of the definitions of one location. Definitions needed for reading the events are kept in
 * the location, whether the program hears of the definitions or not.
 */
#include "format/memory.h"
#include "reader/callbacks.h"
#include "reader/record_reader.h"
#include "reader/tell.h"

struct OTF2_DefReader_struct {
    struct otf2_records records;
    struct otf2_location *location;
    OTF2_DefReaderCallbacks callbacks;
    void *user_data;
};

OTF2_DefReader *otf2_def_reader_open(OTF2_Reader *r, struct otf2_location *location)
{
    OTF2_DefReader *d = otf2_mem_new(sizeof *d);
    if (!d) {
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory for a reader", r->path);
        return NULL;
    }
    if (otf2_records_open_file(&d->records, r, OTF2_FILETYPE_LOCAL_DEFS, location->id)) {
        otf2_mem_free(d);
        return NULL;
    }
    d->location = location;
    return d;
}

void otf2_def_reader_close(OTF2_DefReader *d)
{
    otf2_records_close(&d->records);
    otf2_mem_free(d);
}

OTF2_ErrorCode OTF2_DefReader_GetLocationID(const OTF2_DefReader *reader,
                                            OTF2_LocationRef *location)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no definition reader");
    if (!location)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no place for the location");
    *location = reader->location->id;
    return OTF2_SUCCESS;
}

OTF2_SET_CALLBACKS(DefReader, "definition reader")

/* ---- definitions told to the program ---- */

#define SHARED_DEF(Name, NAME, id, major, minor, ...) OTF2_TELL(DefReader, def, Name, __VA_ARGS__)
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF

static OTF2_CallbackCode tell(const OTF2_DefReader *d, const struct otf2_read *read)
{
    static OTF2_CallbackCode (*const tell_one[OTF2_DEFS])(const OTF2_DefReader *,
                                                          const union otf2_any_record *) = {
#define SHARED_DEF(Name, ...) [OTF2_DEF_##Name] = tell_##Name,
#define LOCAL_DEF SHARED_DEF
#define GLOBAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef LOCAL_DEF
#undef GLOBAL_DEF
    };
    if (read->rec)
        return tell_one[read->rec->index](d, &read->data);
    return d->callbacks.Unknown ? d->callbacks.Unknown(d->user_data) : OTF2_CALLBACK_SUCCESS;
}

/* ---- definitions kept by the location ---- */

/*
 * Takes the map over if the map is the first of its type. On return *map is the map to be released
 * by the caller.
 */
static OTF2_ErrorCode keep_map(const OTF2_DefReader *d, OTF2_MappingType type, OTF2_IdMap **map)
{
    if (type >= OTF2_MAPPING_MAX)
        return OTF2_SUCCESS; /* of a later version: this reader has no references of this type */
    if (d->location->maps[type])
        return otf2_records_fault(&d->records, OTF2_ERROR_DUPLICATE_MAPPING_TABLE,
                                  "a second mapping table of type %u", type);
    d->location->maps[type] = *map;
    *map = NULL;
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode keep_clock(const OTF2_DefReader *d, const struct otf2_def_ClockOffset *data)
{
    struct otf2_clock_points *clock = &d->location->clock;
    if (clock->n && data->time <= clock->points[clock->n - 1].time)
        return otf2_records_fault(&d->records, OTF2_ERROR_INTEGRITY_FAULT,
                                  "the clock offset at time %llu is not later than the one before",
                                  (unsigned long long)data->time);
    if (!otf2_clock_points_add(clock, data->time, data->offset))
        return otf2_records_fault(&d->records, OTF2_ERROR_MEM_ALLOC_FAILED,
                                  "no memory for a clock offset");
    return OTF2_SUCCESS;
}

/* The id map of a record, owned by this reader; NULL: the record has no id map. */
static OTF2_IdMap *map_of(const struct otf2_read *read)
{
    if (read->rec != &otf2_defs[OTF2_DEF_MappingTable])
        return NULL;
    /* The record's type has a const id map, for the program's callback only. */
    union {
        const OTF2_IdMap *shown;
        OTF2_IdMap *owned;
    } map = {.shown = read->data.def_MappingTable.idMap};
    return map.owned;
}

/*
 * Keeps one definition and tells the program of the definition, even of a faulty definition.
 * is_counted follows the reference: a faulty clock offset does not count as read.
 */
static OTF2_ErrorCode handle(const OTF2_DefReader *d, const struct otf2_read *read,
                             bool *is_counted)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    OTF2_IdMap *map = map_of(read);
    *is_counted = true;
    if (map) {
        error = keep_map(d, read->data.def_MappingTable.mappingType, &map);
    } else if (read->rec == &otf2_defs[OTF2_DEF_ClockOffset]) {
        error = keep_clock(d, &read->data.def_ClockOffset);
        *is_counted = !error;
    }
    OTF2_CallbackCode answer = tell(d, read);
    OTF2_IdMap_Free(map);
    if (error || answer == OTF2_CALLBACK_SUCCESS)
        return error;
    return OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
}

OTF2_ErrorCode OTF2_DefReader_ReadDefinitions(OTF2_DefReader *reader, uint64_t recordsToRead,
                                              uint64_t *recordsRead)
{
    if (!reader || !recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT,
                          "no definition reader, or no place for the number");
    OTF2_ErrorCode error = OTF2_SUCCESS;
    *recordsRead = 0;
    while (!error && *recordsRead < recordsToRead) {
        struct otf2_read read;
        bool is_counted;
        error = otf2_records_next(&reader->records, &read);
        if (error || !read.is_any)
            return error;
        error = handle(reader, &read, &is_counted);
        *recordsRead += is_counted;
    }
    return error;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/memory.h"
#include "reader/callbacks.h"
#include "reader/record_reader.h"
#include "reader/tell.h"

struct OTF2_MarkerReader_struct {
    struct otf2_records records;
    OTF2_MarkerReaderCallbacks callbacks;
    void *user_data;
};

OTF2_MarkerReader *otf2_marker_reader_open(OTF2_Reader *r)
{
    OTF2_MarkerReader *m = otf2_mem_new(sizeof *m);
    if (!m) {
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory for a reader", r->path);
        return NULL;
    }
    if (otf2_records_open_file(&m->records, r, OTF2_FILETYPE_MARKER, 0)) {
        otf2_mem_free(m);
        return NULL;
    }
    return m;
}

void otf2_marker_reader_close(OTF2_MarkerReader *m)
{
    otf2_records_close(&m->records);
    otf2_mem_free(m);
}

OTF2_SET_CALLBACKS(MarkerReader, "marker reader")

#define MARKER(Name, NAME, id, major, minor, ...) OTF2_TELL(MarkerReader, marker, Name, __VA_ARGS__)
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB

static OTF2_CallbackCode tell(const OTF2_MarkerReader *m, const struct otf2_read *read)
{
    static OTF2_CallbackCode (*const tell_one[OTF2_MARKS])(const OTF2_MarkerReader *,
                                                           const union otf2_any_record *) = {
#define MARKER(Name, ...) [OTF2_MARK_##Name] = tell_##Name,
#define THUMB(...)
#include <otf2/otf2_markers.def>
#undef MARKER
#undef THUMB
    };
    if (read->rec)
        return tell_one[read->rec->index](m, &read->data);
    return m->callbacks.Unknown ? m->callbacks.Unknown(m->user_data) : OTF2_CALLBACK_SUCCESS;
}

OTF2_ErrorCode OTF2_MarkerReader_ReadMarkers(OTF2_MarkerReader *reader, uint64_t recordsToRead,
                                             uint64_t *recordsRead)
{
    if (!reader || !recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT,
                          "no marker reader, or no place for the number");
    *recordsRead = 0;
    while (*recordsRead < recordsToRead) {
        struct otf2_read read;
        OTF2_ErrorCode error = otf2_records_next(&reader->records, &read);
        if (error || !read.is_any)
            return error;
        ++*recordsRead;
        if (tell(reader, &read) != OTF2_CALLBACK_SUCCESS)
            return OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
    }
    return OTF2_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/memory.h"
#include "reader/callbacks.h"
#include "reader/record_reader.h"
#include "reader/tell.h"

struct OTF2_GlobalDefReader_struct {
    struct otf2_records records;
    OTF2_Reader *reader;
    OTF2_GlobalDefReaderCallbacks callbacks;
    void *user_data;
};

OTF2_GlobalDefReader *otf2_global_def_reader_open(OTF2_Reader *r)
{
    OTF2_GlobalDefReader *d = otf2_mem_new(sizeof *d);
    if (!d) {
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory for a reader", r->path);
        return NULL;
    }
    if (otf2_records_open_file(&d->records, r, OTF2_FILETYPE_GLOBAL_DEFS, 0)) {
        otf2_mem_free(d);
        return NULL;
    }
    d->reader = r;
    return d;
}

void otf2_global_def_reader_close(OTF2_GlobalDefReader *d)
{
    otf2_records_close(&d->records);
    otf2_mem_free(d);
}

OTF2_SET_CALLBACKS(GlobalDefReader, "global definition reader")

/* ---- what the program hears ---- */

#define SHARED_DEF(Name, NAME, id, major, minor, ...)                                              \
    OTF2_TELL(GlobalDefReader, def, Name, __VA_ARGS__)
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF

static OTF2_CallbackCode tell(const OTF2_GlobalDefReader *d, const struct otf2_read *read)
{
    static OTF2_CallbackCode (*const tell_one[OTF2_DEFS])(const OTF2_GlobalDefReader *,
                                                          const union otf2_any_record *) = {
#define SHARED_DEF(Name, ...) [OTF2_DEF_##Name] = tell_##Name,
#define GLOBAL_DEF SHARED_DEF
#define LOCAL_DEF(...)
#include <otf2/otf2_defs.def>
#undef SHARED_DEF
#undef GLOBAL_DEF
#undef LOCAL_DEF
    };
    if (read->rec)
        return tell_one[read->rec->index](d, &read->data);
    return d->callbacks.Unknown ? d->callbacks.Unknown(d->user_data) : OTF2_CALLBACK_SUCCESS;
}

/* ---- reading ---- */

/* For event readers. */
static bool keep_context(const OTF2_GlobalDefReader *d, const struct otf2_def_CallingContext *data)
{
    return otf2_context_regions_add(&d->reader->context_regions, data->self, data->region);
}

static OTF2_ErrorCode publish_contexts(const OTF2_GlobalDefReader *d)
{
    otf2_reader_lock(d->reader);
    bool is_sorted = otf2_context_regions_sort(&d->reader->context_regions);
    otf2_reader_unlock(d->reader);
    if (is_sorted)
        return OTF2_SUCCESS;
    return otf2_records_fault(&d->records, OTF2_ERROR_MEM_ALLOC_FAILED,
                              "no memory for the calling contexts");
}

static OTF2_ErrorCode read_some(OTF2_GlobalDefReader *d, uint64_t to_read, uint64_t *n_read)
{
    while (*n_read < to_read) {
        struct otf2_read read;
        OTF2_ErrorCode error = otf2_records_next(&d->records, &read);
        if (error || !read.is_any)
            return error;
        if (read.rec == &otf2_defs[OTF2_DEF_CallingContext] &&
            !keep_context(d, &read.data.def_CallingContext))
            return otf2_records_fault(&d->records, OTF2_ERROR_MEM_ALLOC_FAILED,
                                      "no memory for a calling context");
        ++*n_read;
        if (tell(d, &read) != OTF2_CALLBACK_SUCCESS)
            return OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
    }
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalDefReader_ReadDefinitions(OTF2_GlobalDefReader *reader,
                                                    uint64_t recordsToRead, uint64_t *recordsRead)
{
    if (!reader || !recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT,
                          "no global definition reader, or no place for the number");
    *recordsRead = 0;
    OTF2_ErrorCode error = read_some(reader, recordsToRead, recordsRead);
    OTF2_ErrorCode other = publish_contexts(reader);
    return error ? error : other;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "format/memory.h"
#include "reader/callbacks.h"
#include "reader/record_reader.h"
#include "reader/tell.h"

/* A CallingContext record. */
struct context {
    OTF2_CallingContextRef self;
    OTF2_RegionRef region;
    uint64_t number; /* in the order of reading: of two with the same id the later one counts */
};

struct OTF2_GlobalDefReader_struct {
    struct otf2_records records;
    OTF2_Reader *reader;
    OTF2_GlobalDefReaderCallbacks callbacks;
    void *user_data;
    struct context *contexts; /* not yet in reader->calling_contexts */
    size_t n_contexts;
    size_t contexts_room;
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
    otf2_mem_free(d->contexts);
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

/* ---- the regions of calling contexts, for event readers ---- */

static bool keep_context(OTF2_GlobalDefReader *d, const struct otf2_def_CallingContext *data)
{
    if (d->n_contexts == d->contexts_room) {
        size_t room = d->contexts_room ? 2 * d->contexts_room : 64;
        struct context *contexts = otf2_mem_new(room * sizeof *contexts);
        if (!contexts)
            return false;
        if (d->n_contexts)
            memcpy(contexts, d->contexts, d->n_contexts * sizeof *contexts);
        otf2_mem_free(d->contexts);
        d->contexts = contexts;
        d->contexts_room = room;
    }
    d->contexts[d->n_contexts] =
        (struct context){data->self, data->region, (uint64_t)d->n_contexts};
    d->n_contexts++;
    return true;
}

static int by_self(const void *a, const void *b)
{
    const struct context *x = a;
    const struct context *y = b;
    if (x->self != y->self)
        return x->self < y->self ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_sorted(const OTF2_GlobalDefReader *d)
{
    for (size_t i = 1; i < d->n_contexts; i++)
        if (d->contexts[i - 1].self > d->contexts[i].self)
            return false;
    return true;
}

/*
 * Adds what was read since the last time. Sorted first: a map takes ascending ids in constant time
 * each and others in linear time, which a hostile file would make a hang.
 */
static OTF2_ErrorCode publish_contexts(OTF2_GlobalDefReader *d)
{
    OTF2_Reader *r = d->reader;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (!d->n_contexts)
        return error;
    if (!is_sorted(d))
        qsort(d->contexts, d->n_contexts, sizeof *d->contexts, by_self);
    otf2_reader_lock(r);
    if (!r->calling_contexts) {
        r->calling_contexts = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, d->n_contexts);
        if (!r->calling_contexts)
            error = OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    for (size_t i = 0; i < d->n_contexts && !error; i++)
        error =
            OTF2_IdMap_AddIdPair(r->calling_contexts, d->contexts[i].self, d->contexts[i].region);
    otf2_reader_unlock(r);
    d->n_contexts = 0;
    return error;
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/global_evt_reader.h"

#include <stdlib.h>

#include "format/error.h"
#include "format/mem.h"
#include "reader/evt_reader.h"

static const char no_reader[] = "no global event reader or no place to store";

static int by_location(const void *a, const void *b)
{
    const struct otf2_global_evt_source *x = a;
    const struct otf2_global_evt_source *y = b;
    return x->evt->id < y->evt->id ? -1 : x->evt->id > y->evt->id;
}

/* Takes the locations that are open. False without memory. */
static bool add_sources(OTF2_GlobalEvtReader *g, const struct otf2_locations *locations)
{
    g->sources = otf2_mem_new((size_t)locations->n * sizeof *g->sources);
    if (!g->sources)
        return false;
    for (uint64_t i = 0; i < locations->n; i++)
        if (locations->all[i]->evt)
            g->sources[g->n++].evt = locations->all[i]->evt;
    qsort(g->sources, (size_t)g->n, sizeof *g->sources, by_location);
    if (!otf2_merge_init(&g->merge, g->n))
        return false;
    for (uint64_t i = 0; i < g->n; i++) {
        g->sources[i].evt->global = g;
        g->sources[i].evt->source = i;
    }
    return true;
}

OTF2_GlobalEvtReader *otf2_global_evt_reader_open(OTF2_Reader *r)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < r->locations.n; i++)
        n += r->locations.all[i]->evt != NULL;
    if (!n) {
        OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no event reader is open");
        return NULL;
    }
    OTF2_GlobalEvtReader *g = otf2_mem_new(sizeof *g);
    if (g && add_sources(g, &r->locations))
        return g;
    OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for %llu locations", (unsigned long long)n);
    if (g)
        otf2_mem_free(g->sources);
    otf2_mem_free(g);
    return NULL;
}

void otf2_global_evt_reader_close(OTF2_GlobalEvtReader *g)
{
    for (uint64_t i = 0; i < g->n; i++) {
        OTF2_EvtReader *e = g->sources[i].evt;
        if (!e)
            continue;
        e->global = NULL;
        e->location->evt = NULL;
        otf2_evt_reader_close(e);
    }
    otf2_merge_fini(&g->merge);
    otf2_mem_free(g->sources);
    otf2_mem_free(g);
}

void otf2_global_evt_reader_forget(OTF2_GlobalEvtReader *g, OTF2_EvtReader *e)
{
    g->sources[e->source] = (struct otf2_global_evt_source){0};
    g->is_stale = true;
}

OTF2_ErrorCode OTF2_GlobalEvtReader_SetCallbacks(OTF2_GlobalEvtReader *reader,
                                                 const OTF2_GlobalEvtReaderCallbacks *callbacks,
                                                 void *userData)
{
    if (!reader || !callbacks)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    reader->callbacks = *callbacks;
    reader->user_data = userData;
    return OTF2_SUCCESS;
}

/* A source has nothing more. Its file's memory is for the others. */
static struct otf2_merge_key end_source(OTF2_GlobalEvtReader *g, uint64_t i, enum otf2_evt_step why)
{
    OTF2_EvtReader *e = g->sources[i].evt;
    g->sources[i].is_live = false;
    if (why == OTF2_EVT_FAILED) {
        g->has_failed = true;
        g->error = e->stream.error;
    }
    otf2_timed_close(&e->stream);
    return otf2_merge_ended(i);
}

/* All but the common case of `look`. */
static __attribute__((noinline)) struct otf2_merge_key look_closer(OTF2_GlobalEvtReader *g,
                                                                   uint64_t i)
{
    OTF2_EvtReader *e = g->sources[i].evt;
    enum otf2_evt_step step = otf2_evt_find(e);
    if (step != OTF2_EVT_DELIVERED)
        return end_source(g, i, step);
    e->position++;
    return (struct otf2_merge_key){e->time, i};
}

/* What a source has next. */
static inline struct otf2_merge_key look(OTF2_GlobalEvtReader *g, OTF2_EvtReader *e, uint64_t i)
{
    const uint8_t *p = e->stream.at;
    if (__builtin_expect(p >= e->stream.fast_end, 0))
        return look_closer(g, i);
    if (*p == OTF2_TIMED_TIME) {
        OTF2_TimeStamp time;
        memcpy(&time, p + 1, sizeof time);
        otf2_evt_set_time(e, time);
        e->stream.at = p += OTF2_TIMED_TIME_BYTES;
    }
    if (__builtin_expect(*p < OTF2_TIMED_FIRST, 0))
        return look_closer(g, i);
    e->position++;
    return (struct otf2_merge_key){e->time, i};
}

/* What a source has when the merge begins, or when it begins anew. */
static struct otf2_merge_key first(OTF2_GlobalEvtReader *g, uint64_t i)
{
    struct otf2_global_evt_source *source = &g->sources[i];
    if (source->is_live)
        return (struct otf2_merge_key){source->evt->time, i};
    if (g->is_begun || !source->evt)
        return otf2_merge_ended(i);
    otf2_evt_refresh(source->evt);
    otf2_evt_set_time(source->evt, source->evt->stream.time);
    source->is_live = true;
    return look_closer(g, i);
}

static void begin(OTF2_GlobalEvtReader *g)
{
    for (uint64_t i = 0; i < g->n; i++)
        otf2_merge_set(&g->merge, first(g, i));
    otf2_merge_build(&g->merge);
    g->is_begun = true;
    g->is_stale = false;
}

/* Delivers the event that a source is at. */
static inline enum otf2_evt_step deliver(OTF2_GlobalEvtReader *g, OTF2_EvtReader *e)
{
    const uint8_t *p = e->stream.at;
    otf2_evt_deliver *usual = otf2_evt_deliver_global[*p];
    bool is_fast = p < e->stream.fast_end && usual;
    return __builtin_expect(is_fast, 1) ? usual(e, p, g) : otf2_evt_deliver_checked(e, p, g);
}

/* Delivers events of the source that is first while it stays so. How many were delivered. */
static uint64_t drain(OTF2_GlobalEvtReader *g, uint64_t limit, enum otf2_evt_step *end)
{
    uint64_t i = g->merge.winner.source;
    OTF2_EvtReader *e = g->sources[i].evt;
    struct otf2_merge_key second = otf2_merge_second(&g->merge);
    struct otf2_merge_key next;
    uint64_t n = 0;
    do {
        *end = deliver(g, e);
        if (__builtin_expect(*end == OTF2_EVT_FAILED, 0)) {
            next = end_source(g, i, *end);
            break;
        }
        n++;
        next = look(g, e, i);
    } while (otf2_merge_is_less(next, second) && n < limit && *end == OTF2_EVT_DELIVERED);
    otf2_merge_replace(&g->merge, next);
    return n;
}

OTF2_ErrorCode OTF2_GlobalEvtReader_ReadEvents(OTF2_GlobalEvtReader *reader, uint64_t recordsToRead,
                                               uint64_t *recordsRead)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, no_reader);
    if (!recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    if (!reader->is_begun || reader->is_stale)
        begin(reader);
    enum otf2_evt_step end = OTF2_EVT_DELIVERED;
    uint64_t n = 0;
    while (n < recordsToRead && end == OTF2_EVT_DELIVERED && !reader->has_failed &&
           !otf2_merge_is_ended(reader->merge.winner))
        n += drain(reader, recordsToRead - n, &end);
    *recordsRead = n;
    if (reader->has_failed && recordsToRead) {
        reader->has_failed = false;
        return reader->error;
    }
    return end == OTF2_EVT_INTERRUPTED ? OTF2_ERROR_INTERRUPTED_BY_CALLBACK : OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_GlobalEvtReader_ReadEvent(OTF2_GlobalEvtReader *reader)
{
    uint64_t n;
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    return OTF2_GlobalEvtReader_ReadEvents(reader, 1, &n);
}

OTF2_ErrorCode OTF2_GlobalEvtReader_HasEvent(OTF2_GlobalEvtReader *reader, int *flag)
{
    if (!reader || !flag)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    if (!reader->is_begun || reader->is_stale)
        begin(reader);
    *flag = reader->has_failed || !otf2_merge_is_ended(reader->merge.winner);
    return OTF2_SUCCESS;
}

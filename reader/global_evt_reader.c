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
    g->merge.is_stale = true;
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
static uint64_t end_source(OTF2_GlobalEvtReader *g, uint64_t i, enum otf2_evt_step why)
{
    OTF2_EvtReader *e = g->sources[i].evt;
    g->sources[i].is_live = false;
    if (why == OTF2_EVT_FAILED) {
        g->has_failed = true;
        g->error = e->stream.error;
    }
    otf2_timed_close(&e->stream);
    return otf2_merge_ended;
}

/* All but the common case of `look`. */
static __attribute__((noinline)) uint64_t look_closer(OTF2_GlobalEvtReader *g, uint64_t i)
{
    OTF2_EvtReader *e = g->sources[i].evt;
    enum otf2_evt_step step = otf2_evt_find(e);
    if (step != OTF2_EVT_DELIVERED)
        return end_source(g, i, step);
    e->position++;
    return otf2_merge_key(&g->merge, e->time, i);
}

/* The key of what a source has next. */
static inline uint64_t look(OTF2_GlobalEvtReader *g, OTF2_EvtReader *e, uint64_t i)
{
    enum { CACHE_LINE = 64 };
    const uint8_t *p = e->stream.at;
    if (__builtin_expect(p >= e->stream.fast_end, 0))
        return look_closer(g, i);
    /* No hardware foresees where hundreds of files are read on. */
    __builtin_prefetch(p + CACHE_LINE);
    if (*p == OTF2_TIMED_TIME) {
        OTF2_TimeStamp time;
        memcpy(&time, p + 1, sizeof time);
        otf2_evt_set_time(e, time);
        e->stream.at = p += OTF2_TIMED_TIME_BYTES;
    }
    if (*p < OTF2_TIMED_FIRST && (*p != OTF2_ATTRIBUTES_ID || !otf2_evt_take_list(e, p)))
        return look_closer(g, i);
    e->position++;
    return otf2_merge_key(&g->merge, e->time, i);
}

static void begin(OTF2_GlobalEvtReader *g)
{
    for (uint64_t i = 0; i < g->n; i++) {
        OTF2_EvtReader *e = g->sources[i].evt;
        if (!e)
            continue;
        otf2_evt_refresh(e);
        otf2_evt_set_time(e, e->stream.time);
        g->sources[i].is_live = true;
        look_closer(g, i);
    }
    g->is_begun = true;
}

/* Builds the tree by a base that suits where the sources are now. */
static void rebuild(OTF2_GlobalEvtReader *g)
{
    struct otf2_merge *m = &g->merge;
    m->base = UINT64_MAX;
    for (uint64_t i = 0; i < g->n; i++)
        if (g->sources[i].is_live && g->sources[i].evt->time < m->base)
            m->base = g->sources[i].evt->time;
    for (uint64_t i = 0; i < g->n; i++)
        m->nodes[m->leaves + i] = g->sources[i].is_live
                                      ? otf2_merge_key(m, g->sources[i].evt->time, i)
                                      : otf2_merge_ended;
    otf2_merge_build(m, g->n);
}

/* Sees to it that the winner is an event; false: there is none. */
static inline bool settle(OTF2_GlobalEvtReader *g)
{
    if (__builtin_expect(otf2_merge_is_settled(&g->merge), 1))
        return true;
    if (!g->is_begun)
        begin(g);
    if (g->merge.is_stale || g->merge.winner != otf2_merge_ended)
        rebuild(g);
    return g->merge.winner != otf2_merge_ended;
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
    uint64_t i = otf2_merge_source(&g->merge, g->merge.winner);
    OTF2_EvtReader *e = g->sources[i].evt;
    uint64_t second = otf2_merge_second(&g->merge, i);
    uint64_t next;
    uint64_t n = 0;
    /* Whose turn it is then is known already; with no other source, ours. */
    __builtin_prefetch(g->sources[otf2_merge_source(&g->merge, second)].evt);
    do {
        *end = deliver(g, e);
        if (__builtin_expect(*end == OTF2_EVT_FAILED, 0)) {
            next = end_source(g, i, *end);
            break;
        }
        n++;
        next = look(g, e, i);
    } while (next < second && n < limit && *end == OTF2_EVT_DELIVERED);
    otf2_merge_replace(&g->merge, i, next);
    return n;
}

OTF2_ErrorCode OTF2_GlobalEvtReader_ReadEvents(OTF2_GlobalEvtReader *reader, uint64_t recordsToRead,
                                               uint64_t *recordsRead)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, no_reader);
    if (!recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    enum otf2_evt_step end = OTF2_EVT_DELIVERED;
    uint64_t n = 0;
    while (n < recordsToRead && end == OTF2_EVT_DELIVERED && settle(reader) && !reader->has_failed)
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
    *flag = settle(reader) || reader->has_failed;
    return OTF2_SUCCESS;
}

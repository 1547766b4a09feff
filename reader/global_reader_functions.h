/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The common part of both global readers, as functions of the type that the includer names. The
 * file has no guard: each global reader includes the file once.
 *
 *   READER_KIND, READER_FIELD   Evt, evt or Snap, snap
 *   TIME_OF(reader)    the time of the current record of a location's reader
 *   IS_REFUSED(location)   whether there is no global reader because of the location
 *
 * The includer defines begin(), which moves all sources to their first records.
 */
#include <stdlib.h>

#include "format/error.h"
#include "format/memory.h"
#include "reader/global_reader.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define GLOBAL_READER JOIN(OTF2_Global, READER_KIND, Reader)
#define LOCAL_READER JOIN(OTF2_, READER_KIND, Reader)
#define SOURCE struct JOIN(otf2_global_, READER_FIELD, _source)
#define CLOSE_LOCAL JOIN(otf2_, READER_FIELD, _reader_close)
#define GLOBAL_(verb) JOIN(otf2_global_, READER_FIELD, _reader_##verb)
#define SET_CALLBACKS JOIN(OTF2_Global, READER_KIND, Reader_SetCallbacks)
#define CALLBACKS JOIN(OTF2_Global, READER_KIND, ReaderCallbacks)

static const char no_reader[] = "no global reader or no place to store";

static int by_location(const void *a, const void *b)
{
    const SOURCE *x = a;
    const SOURCE *y = b;
    return x->reader->id < y->reader->id ? -1 : x->reader->id > y->reader->id;
}

/* Takes the open locations. False without memory. */
static bool add_sources(GLOBAL_READER *g, const struct otf2_locations *locations)
{
    g->sources = otf2_mem_new((size_t)locations->n * sizeof *g->sources);
    if (!g->sources)
        return false;
    for (uint64_t i = 0; i < locations->n; i++)
        if (locations->all[i]->READER_FIELD)
            g->sources[g->n++].reader = locations->all[i]->READER_FIELD;
    qsort(g->sources, (size_t)g->n, sizeof *g->sources, by_location);
    if (!otf2_merge_init(&g->merge, g->n))
        return false;
    for (uint64_t i = 0; i < g->n; i++) {
        g->sources[i].reader->global = g;
        g->sources[i].reader->source = i;
    }
    return true;
}

GLOBAL_READER *GLOBAL_(open)(OTF2_Reader *r)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < r->locations.n; i++) {
        n += r->locations.all[i]->READER_FIELD != NULL;
        if (IS_REFUSED(r->locations.all[i])) {
            OTF2_ERROR(OTF2_ERROR_MEM_FAULT, "%s: the file of location %llu could not be opened",
                       r->path, (unsigned long long)r->locations.all[i]->id);
            return NULL;
        }
    }
    if (!n) {
        OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no reader of a location is open");
        return NULL;
    }
    GLOBAL_READER *g = otf2_mem_new(sizeof *g);
    if (g && add_sources(g, &r->locations))
        return g;
    OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for %llu locations", (unsigned long long)n);
    if (g)
        otf2_mem_free(g->sources);
    otf2_mem_free(g);
    return NULL;
}

void GLOBAL_(close)(GLOBAL_READER *g)
{
    for (uint64_t i = 0; i < g->n; i++) {
        LOCAL_READER *local = g->sources[i].reader;
        if (!local)
            continue;
        local->global = NULL;
        local->location->READER_FIELD = NULL;
        CLOSE_LOCAL(local);
    }
    otf2_merge_fini(&g->merge);
    otf2_mem_free(g->sources);
    otf2_mem_free(g);
}

void GLOBAL_(forget)(GLOBAL_READER *g, LOCAL_READER *local)
{
    g->sources[local->source] = (SOURCE){0};
    g->merge.is_stale = true;
}

OTF2_ErrorCode SET_CALLBACKS(GLOBAL_READER *reader, const CALLBACKS *callbacks, void *userData)
{
    if (!reader || !callbacks)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    reader->callbacks = *callbacks;
    reader->user_data = userData;
    return OTF2_SUCCESS;
}

/*
 * A source ends: the source `has_failed`, or has no more records. Its memory is free for the
 * remaining sources.
 */
static uint64_t end_source(GLOBAL_READER *g, uint64_t i, bool has_failed)
{
    LOCAL_READER *local = g->sources[i].reader;
    g->sources[i].is_live = false;
    if (has_failed) {
        g->has_failed = true;
        g->error = local->stream.error;
    }
    otf2_timed_close(&local->stream);
    return otf2_merge_ended;
}

static void begin(GLOBAL_READER *g);

/* Builds the tree with a base that suits the present times of the sources. */
static void rebuild(GLOBAL_READER *g)
{
    struct otf2_merge *m = &g->merge;
    m->base = UINT64_MAX;
    for (uint64_t i = 0; i < g->n; i++)
        if (g->sources[i].is_live && TIME_OF(g->sources[i].reader) < m->base)
            m->base = TIME_OF(g->sources[i].reader);
    for (uint64_t i = 0; i < g->n; i++)
        m->nodes[m->leaves + i] = g->sources[i].is_live
                                      ? otf2_merge_key(m, TIME_OF(g->sources[i].reader), i)
                                      : otf2_merge_ended;
    otf2_merge_build(m, g->n);
}

/* Makes the winner a record; false: no source has a record left. */
static inline bool settle(GLOBAL_READER *g)
{
    if (__builtin_expect(otf2_merge_is_settled(&g->merge), 1))
        return true;
    if (!g->is_begun)
        begin(g);
    if (g->merge.is_stale || g->merge.winner != otf2_merge_ended)
        rebuild(g);
    return g->merge.winner != otf2_merge_ended;
}

/* The result of reading: the error of a source, returned once, or the stop by a callback. */
static OTF2_ErrorCode result_of(GLOBAL_READER *g, bool has_read, bool is_interrupted)
{
    if (g->has_failed && has_read) {
        g->has_failed = false;
        return g->error;
    }
    return is_interrupted ? OTF2_ERROR_INTERRUPTED_BY_CALLBACK : OTF2_SUCCESS;
}

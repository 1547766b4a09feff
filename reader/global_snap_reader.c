/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/global_snap_reader.h"

#include <stdlib.h>

#include "format/error.h"
#include "format/mem.h"
#include "reader/snap_reader.h"

static const char no_reader[] = "no global snapshot reader or no place to store";

static int by_location(const void *a, const void *b)
{
    const struct otf2_global_snap_source *x = a;
    const struct otf2_global_snap_source *y = b;
    return x->snap->id < y->snap->id ? -1 : x->snap->id > y->snap->id;
}

/* Takes the locations that are open. False without memory. */
static bool add_sources(OTF2_GlobalSnapReader *g, const struct otf2_locations *locations)
{
    g->sources = otf2_mem_new((size_t)locations->n * sizeof *g->sources);
    if (!g->sources)
        return false;
    for (uint64_t i = 0; i < locations->n; i++)
        if (locations->all[i]->snap)
            g->sources[g->n++].snap = locations->all[i]->snap;
    qsort(g->sources, (size_t)g->n, sizeof *g->sources, by_location);
    if (!otf2_merge_init(&g->merge, g->n))
        return false;
    for (uint64_t i = 0; i < g->n; i++) {
        g->sources[i].snap->global = g;
        g->sources[i].snap->source = i;
    }
    return true;
}

OTF2_GlobalSnapReader *otf2_global_snap_reader_open(OTF2_Reader *r)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < r->locations.n; i++)
        n += r->locations.all[i]->snap != NULL;
    if (!n) {
        OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no snapshot reader is open");
        return NULL;
    }
    OTF2_GlobalSnapReader *g = otf2_mem_new(sizeof *g);
    if (g && add_sources(g, &r->locations))
        return g;
    OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for %llu locations", (unsigned long long)n);
    if (g)
        otf2_mem_free(g->sources);
    otf2_mem_free(g);
    return NULL;
}

void otf2_global_snap_reader_close(OTF2_GlobalSnapReader *g)
{
    for (uint64_t i = 0; i < g->n; i++) {
        OTF2_SnapReader *s = g->sources[i].snap;
        if (!s)
            continue;
        s->global = NULL;
        s->location->snap = NULL;
        otf2_snap_reader_close(s);
    }
    otf2_merge_fini(&g->merge);
    otf2_mem_free(g->sources);
    otf2_mem_free(g);
}

void otf2_global_snap_reader_forget(OTF2_GlobalSnapReader *g, OTF2_SnapReader *s)
{
    g->sources[s->source] = (struct otf2_global_snap_source){0};
    g->merge.is_stale = true;
}

OTF2_ErrorCode OTF2_GlobalSnapReader_SetCallbacks(OTF2_GlobalSnapReader *reader,
                                                  const OTF2_GlobalSnapReaderCallbacks *callbacks,
                                                  void *userData)
{
    if (!reader || !callbacks)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    reader->callbacks = *callbacks;
    reader->user_data = userData;
    return OTF2_SUCCESS;
}

/* The key of what a source has next, after a step of it. */
static uint64_t look(OTF2_GlobalSnapReader *g, uint64_t i, enum otf2_snap_step step)
{
    OTF2_SnapReader *s = g->sources[i].snap;
    if (step <= OTF2_SNAP_INTERRUPTED)
        step = otf2_snap_find(s);
    if (step == OTF2_SNAP_DELIVERED)
        return otf2_merge_key(&g->merge, s->stream.time, i);
    g->sources[i].is_live = false;
    if (step == OTF2_SNAP_FAILED) {
        g->has_failed = true;
        g->error = s->stream.error;
    }
    otf2_timed_close(&s->stream);
    return otf2_merge_ended;
}

static void begin(OTF2_GlobalSnapReader *g)
{
    for (uint64_t i = 0; i < g->n; i++) {
        if (!g->sources[i].snap)
            continue;
        g->sources[i].is_live = true;
        look(g, i, OTF2_SNAP_DELIVERED);
    }
    g->is_begun = true;
}

/* Builds the tree by a base that suits where the sources are now. */
static void rebuild(OTF2_GlobalSnapReader *g)
{
    struct otf2_merge *m = &g->merge;
    m->base = UINT64_MAX;
    for (uint64_t i = 0; i < g->n; i++)
        if (g->sources[i].is_live && g->sources[i].snap->stream.time < m->base)
            m->base = g->sources[i].snap->stream.time;
    for (uint64_t i = 0; i < g->n; i++)
        m->nodes[m->leaves + i] = g->sources[i].is_live
                                      ? otf2_merge_key(m, g->sources[i].snap->stream.time, i)
                                      : otf2_merge_ended;
    otf2_merge_build(m, g->n);
}

/* Sees to it that the winner is a record; false: there is none. */
static bool settle(OTF2_GlobalSnapReader *g)
{
    if (otf2_merge_is_settled(&g->merge))
        return true;
    if (!g->is_begun)
        begin(g);
    if (g->merge.is_stale || g->merge.winner != otf2_merge_ended)
        rebuild(g);
    return g->merge.winner != otf2_merge_ended;
}

OTF2_ErrorCode OTF2_GlobalSnapReader_ReadSnapshots(OTF2_GlobalSnapReader *reader,
                                                   uint64_t recordsToRead, uint64_t *recordsRead)
{
    if (!reader || !recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    enum otf2_snap_step end = OTF2_SNAP_DELIVERED;
    uint64_t n = 0;
    while (n < recordsToRead && end == OTF2_SNAP_DELIVERED && settle(reader) &&
           !reader->has_failed) {
        uint64_t i = otf2_merge_source(&reader->merge, reader->merge.winner);
        end = otf2_snap_step(reader->sources[i].snap, reader);
        n += end <= OTF2_SNAP_INTERRUPTED;
        otf2_merge_replace(&reader->merge, i, look(reader, i, end));
    }
    *recordsRead = n;
    if (reader->has_failed && recordsToRead) {
        reader->has_failed = false;
        return reader->error;
    }
    return end == OTF2_SNAP_INTERRUPTED ? OTF2_ERROR_INTERRUPTED_BY_CALLBACK : OTF2_SUCCESS;
}

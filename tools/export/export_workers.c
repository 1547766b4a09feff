/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_workers.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/progress.h"
#include "tools/export/export_output.h"
#include "tools/export/export_pass.h"

enum {
    SLICE = 8192,          /* events */
    SLICES_EACH = 4,       /* a worker makes the text of so many slices between two meetings */
    EVENTS_EACH = 1 << 17, /* fewer are written faster than a worker begins */
    LOCATIONS_MOST = 4096, /* each worker opens all locations; above it, workers only on request */
    OVER = 0xffff,         /* kind of a worker's last note; else the kind is the number of bytes */
    NOTE_BYTES = 255 * sizeof(uint64_t)
};

/* The state visible to all workers of the present process. */
struct plan {
    struct export *whole; /* has the output, on the first worker */
    OTF2_GlobalEvtReaderCallbacks *callbacks;
    uint32_t *part_of; /* by location: the reading worker; NULL: all workers read all */
    bool is_open;      /* the output */
    bool is_odd;       /* parts do not tell enough: somebody has to read all */
};

/* A worker. */
struct share {
    struct plan *plan;
    struct engine *engine;
    struct export *x;
    bool reads;
    bool is_over;
    unsigned reader, n_readers;
    uint64_t slice;            /* the next slice to read */
    struct engine_bytes text;  /* of a slice */
    struct engine_bytes taken; /* on the first worker: to be written */
    unsigned n_over;           /* likewise: how many have read all */
    uint64_t n_events;         /* of the first reading worker */
    bool is_odd;               /* of the joined parts */
};

/* ---- a worker's beginning ---- */

static const struct format no_format;

/* The worker gets definitions of its own, since undefined ids are added to the definitions. */
static void open_archive(struct share *s)
{
    struct export *x = s->x;
    struct export *whole = s->plan->whole;
    if (s->plan->part_of) {
        x->defs = defs_borrow(&whole->defs);
        archive_open_part(&x->archive, &whole->archive, &x->defs, s->plan->part_of,
                          s->engine->rank);
    } else if (!s->engine->thread) { /* the process has opened the archive */
        x->defs = whole->defs;
        x->archive = whole->archive;
        x->archive.defs = &x->defs;
        whole->archive.reader = NULL;
    } else {
        archive_open(&x->archive, whole->wish.path, &x->defs);
        if (x->defs.locations.n != whole->defs.locations.n)
            fail("%s: has changed: is it being written?", x->archive.path);
    }
}

static void make_share(struct share *s)
{
    const struct export *whole = s->plan->whole;
    const struct format *format = whole->wish.format;
    s->x = take_memory(sizeof *s->x);
    s->x->wish = whole->wish;
    s->x->from = whole->from;
    s->x->to = whole->to;
    s->x->min_duration = whole->min_duration;
    s->x->is_share = true;
    s->n_readers = s->engine->size - format->is_slow_to_write;
    s->reader = s->engine->rank - format->is_slow_to_write;
    s->reads = s->engine->rank || !format->is_slow_to_write;
    open_archive(s);
    pass_init(s->x);
    for (size_t i = 0; i < whole->defs.locations.n; i++)
        s->x->lanes[i].is_chosen = whole->lanes[i].is_chosen;
    if (format->open)
        format->open(s->x);
    output_take(s->x, NULL);
    if (s->reads)
        archive_begin(&s->x->archive, s->plan->callbacks, s->x);
}

static void *begin(void *context, struct engine *engine)
{
    struct plan *p = context;
    struct share *s = take_memory(sizeof *s);
    const struct format *format = p->whole->wish.format;
    s->plan = p;
    s->engine = engine;
    s->x = p->whole;
    if (!engine->rank && format->open && !p->is_open)
        format->open(p->whole);
    if (!engine->rank)
        p->is_open = true;
    if (engine->size == 1)
        archive_begin(&s->x->archive, p->callbacks, s->x);
    else
        make_share(s);
    return s;
}

static void end_reading(struct share *s)
{
    archive_end(&s->x->archive);
    archive_close(&s->x->archive);
}

/* ---- in order: a single worker, or slices of several workers ---- */

static void tell(struct share *s, const struct engine_note *about, const char *bytes, size_t n)
{
    uint64_t words[NOTE_BYTES / sizeof(uint64_t)];
    struct engine_note note = *about;
    note.stage = 1;
    note.words = (uint8_t)((n + sizeof *words - 1) / sizeof *words);
    memcpy(words, bytes, n);
    engine_queue(s->engine, 0, &note, words);
}

static void tell_text(struct share *s)
{
    struct engine_note note = {.time = s->slice, .location = s->engine->rank};
    for (size_t at = 0; at < s->text.n; at += NOTE_BYTES, note.sequence++) {
        size_t n = s->text.n - at < NOTE_BYTES ? s->text.n - at : NOTE_BYTES;
        note.kind = (uint16_t)n;
        tell(s, &note, s->text.at + at, n);
    }
    s->text.n = 0;
}

/* Tells the number of events, and the fault of the archive. */
static void tell_over(struct share *s)
{
    struct engine_note note = {.time = s->slice, .location = s->engine->rank, .kind = OVER};
    const char *trouble = s->x->archive.trouble ? s->x->archive.trouble : "";
    char data[NOTE_BYTES];
    memcpy(data, &s->x->archive.n_events, sizeof(uint64_t));
    (void)snprintf(data + sizeof(uint64_t), sizeof data - sizeof(uint64_t), "%s", trouble);
    tell(s, &note, data, sizeof data);
}

static void read_slice(struct share *s, uint64_t *n)
{
    struct export *x = s->x;
    const struct format *format = x->wish.format;
    bool is_own = s->slice % s->n_readers == s->reader;
    x->told = is_own ? format : format->elsewhere ? format->elsewhere : &no_format;
    uint64_t n_read = archive_step(&x->archive, SLICE);
    s->is_over = n_read < SLICE;
    if (is_own) {
        *n += n_read;
        if (s->is_over)
            pass_finish(x);
        output_take(x, &s->text);
        tell_text(s);
    }
    if (s->is_over)
        tell_over(s);
    s->slice++;
}

static void write_taken(struct share *s)
{
    output_put(s->plan->whole, s->taken.at, s->taken.n);
    s->taken.n = 0;
}

static bool read_on(void *state, uint64_t most, uint64_t *n)
{
    struct share *s = state;
    if (s->engine->size == 1) {
        *n = archive_step(&s->x->archive, most);
        return *n;
    }
    write_taken(s);
    for (unsigned i = 0; s->reads && !s->is_over && i < SLICES_EACH * s->n_readers; i++)
        read_slice(s, n);
    /* The first worker stays until the whole output is written. */
    return s->engine->rank ? !s->is_over : s->n_over < s->n_readers || s->taken.n;
}

static uint64_t reached(const void *state)
{
    const struct share *s = state;
    return s->reads && !s->is_over ? s->slice : UINT64_MAX;
}

static void take(void *state, const struct engine_note *note, const void *data)
{
    struct share *s = state;
    struct archive *archive = &s->plan->whole->archive;
    uint64_t n_events;
    if (note->kind != OVER) {
        engine_add(&s->taken, data, note->kind);
        return;
    }
    memcpy(&n_events, data, sizeof n_events);
    const char *trouble = (const char *)data + sizeof n_events;
    if (s->n_over && n_events != s->n_events)
        fail("%s: the workers have read different events: is it being written? try --threads 1",
             archive->path);
    if (!s->n_over && *trouble)
        archive->trouble = copy_text(trouble);
    s->n_events = n_events;
    s->n_over++;
}

static void end(void *state, unsigned stage)
{
    struct share *s = state;
    if (stage == 0 && s->engine->size == 1)
        pass_finish(s->x);
    if (stage == 0)
        end_reading(s);
}

static void forget(void *state)
{
    struct share *s = state;
    free(s->text.at);
    free(s->taken.at);
    free(s);
}

/* ---- by location ---- */

static bool read_part(void *state, uint64_t most, uint64_t *n)
{
    struct share *s = state;
    *n = archive_step(&s->x->archive, most);
    return *n == most && !s->x->archive.trouble && !s->x->defs.has_unknown;
}

static uint64_t reached_all(const void *state)
{
    (void)state;
    return UINT64_MAX;
}

static void end_part(void *state, unsigned stage)
{
    struct share *s = state;
    (void)stage;
    pass_finish(s->x);
    end_reading(s);
}

static void give_part(void *state, struct engine_bytes *bytes)
{
    struct share *s = state;
    s->is_odd = s->is_odd || s->x->archive.trouble || s->x->defs.has_unknown;
    engine_add(bytes, &s->is_odd, sizeof s->is_odd);
    if (!s->is_odd)
        s->x->wish.format->give(s->x, bytes);
}

static void join_part(void *state, const void *bytes, size_t n)
{
    struct share *s = state;
    bool is_odd;
    memcpy(&is_odd, bytes, sizeof is_odd);
    s->is_odd = s->is_odd || is_odd;
    if (!is_odd)
        s->x->wish.format->join(s->x, (const char *)bytes + sizeof is_odd, n - sizeof is_odd);
}

static void finish_part(void *state)
{
    struct share *s = state;
    struct export *whole = s->plan->whole;
    if (!s->engine->rank) {
        struct engine_bytes all = {0};
        give_part(s, &all);
        s->plan->is_odd = s->is_odd;
        if (!s->is_odd)
            whole->wish.format->join(whole, all.at + sizeof s->is_odd, all.n - sizeof s->is_odd);
        free(all.at);
    }
    defs_give_back(&s->x->defs);
    forget(s);
}

/* ---- everything ---- */

static const struct engine_analysis in_slices = {.n_stages = 1,
                                                 .begin = begin,
                                                 .read = read_on,
                                                 .reached = reached,
                                                 .take = take,
                                                 .end = end,
                                                 .finish = forget};

static const struct engine_analysis in_parts = {.begin = begin,
                                                .read = read_part,
                                                .reached = reached_all,
                                                .end = end_part,
                                                .give = give_part,
                                                .join = join_part,
                                                .finish = finish_part};

static unsigned workers_of_use(const struct export *x)
{
    const struct format *format = x->wish.format;
    uint64_t most = engine_processors();
    uint64_t worth = archive_events(&x->archive) / EVENTS_EACH + 1;
    if (!format->join && x->defs.locations.n > LOCATIONS_MOST)
        worth = 1;
    if (!format->join && most > format->workers)
        most = format->workers;
    return (unsigned)(worth < most ? worth : most);
}

static void deal(struct plan *p, unsigned workers)
{
    const struct defs *d = &p->whole->defs;
    uint64_t *sizes = take_memory(d->locations.n * sizeof *sizes);
    p->part_of = take_memory(d->locations.n * sizeof *p->part_of);
    for (size_t i = 0; i < d->locations.n; i++)
        sizes[i] = d->locations.at[i].n_events;
    engine_deal(sizes, d->locations.n, workers, p->part_of);
    free(sizes);
}

void workers_export(struct export *x)
{
    struct plan p = {.whole = x, .callbacks = pass_callbacks()};
    struct engine_how how = {.workers = x->wish.threads ? x->wish.threads : workers_of_use(x)};
    unsigned n = engine_workers(&how);
    x->n_helpers = engine_has_ranks() ? 0 : n - 1;
    progress_begin(archive_events(&x->archive));
    if (n > 1 && x->wish.format->join) {
        deal(&p, n);
        defs_share(&x->defs);
        engine_run(&in_parts, &p, &how);
        defs_unshare(&x->defs);
        free(p.part_of);
        p.part_of = NULL;
        how.workers = 1;
        if (p.is_odd)
            engine_run(&in_slices, &p, &how);
        else
            archive_close(&x->archive);
    } else {
        engine_run(&in_slices, &p, &how);
    }
    progress_end();
    OTF2_GlobalEvtReaderCallbacks_Delete(p.callbacks);
}

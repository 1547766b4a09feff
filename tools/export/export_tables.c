/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/names.h"
#include "tools/export/export_found.h"
#include "tools/export/export_pass.h"
#include "tools/export/export_source.h"
#include "tools/export/export_text.h"

const char *const table_names[TABLES] = {
#define TABLE(name, doc) #name,
#define COLUMN(name, type, doc)
#include "tools/export/export_tables.def"
#undef TABLE
#undef COLUMN
};

/* A row without a name stands before the columns of a table. */
static const struct column columns[] = {
#define TABLE(name, doc) {TABLE_##name, NULL, NULL, doc},
#define COLUMN(name, type, doc) {TABLES, #name, type, doc},
#include "tools/export/export_tables.def"
#undef TABLE
#undef COLUMN
};

enum { ROWS = sizeof columns / sizeof columns[0] };

const struct column *table_columns(enum table table, size_t *n)
{
    size_t first = 0;
    while (columns[first].name || columns[first].table != table)
        first++;
    first++;
    *n = 0;
    while (first + *n < ROWS && columns[first + *n].name)
        ++*n;
    return &columns[first];
}

bool tables_has(const char *name)
{
    for (size_t i = 0; i < TABLES; i++)
        if (!strcmp(table_names[i], name))
            return true;
    return false;
}

void tables_describe(FILE *out)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!columns[i].name)
            fprintf(out, "%s### %s\n\n%s\n\n| column | type | meaning |\n|---|---|---|\n",
                    i ? "\n" : "", table_names[columns[i].table], columns[i].doc);
        else
            fprintf(out, "| `%s` | %s | %s |\n", columns[i].name, columns[i].type, columns[i].doc);
    fputs("\n### Views\n\n| view | shows |\n|---|---|\n", out);
#define VIEW(name, doc, sql) fprintf(out, "| `%s` | %s |\n", #name, doc);
#include "tools/export/export_views.def"
#undef VIEW
}

/* ---- cells ---- */

static struct cell time_of(const struct export *x, uint64_t ticks)
{
    return cell((uint64_t)export_ns(x, ticks));
}

static struct cell location_of(const struct export *x, const struct lane *lane)
{
    return lane ? cell(x->defs.locations.at[lane->location].id) : nothing;
}

static struct cell process_of(const struct export *x, uint32_t process)
{
    return process == NIL ? nothing : cell(x->defs.processes.at[process].id);
}

/* An empty text stands for nothing. */
static void put_row(struct export *x, enum table table, const struct cell *from)
{
    const struct tables *tables = x->state;
    struct cell cells[COLUMNS_MAX];
    size_t n = 0;
    for (; from[n].kind != CELLS_END; n++)
        cells[n] = from[n].kind == TEXT && !*from[n].text ? nothing : from[n];
    tables->row(x, table, cells, n);
}

#define ROW(x, name, ...) put_row((x), TABLE_##name, CELLS(__VA_ARGS__))

/* ---- what happens ---- */

void tables_end(struct export *x, const struct lane *lane, const struct call *call,
                const struct call *caller)
{
    uint64_t duration = export_duration(x, call);
    ROW(x, call, call->id, caller ? cell(caller->id) : nothing, location_of(x, lane),
        x->defs.regions.at[call->region].id, cell_unless(call->context, NIL),
        cell_unless(call->site, NIL), time_of(x, call->enter), time_of(x, call->leave), duration,
        duration - call->below, call->is_cut, call->is_nested, call->calls);
}

void tables_message(struct export *x, const struct message *m)
{
    const struct half *send = &m->send;
    const struct half *receive = &m->receive;
    ROW(x, message, m->id, x->defs.comms.at[m->comm].id, m->tag,
        send->lane ? cell(m->bytes) : nothing, process_of(x, m->sender), process_of(x, m->receiver),
        location_of(x, send->lane), cell_unless(send->call, 0),
        send->lane ? time_of(x, send->time) : nothing, location_of(x, receive->lane),
        cell_unless(receive->call, 0), receive->lane ? time_of(x, receive->posted) : nothing,
        receive->lane ? time_of(x, receive->time) : nothing);
}

void tables_collective(struct export *x, const struct lane *lane, const struct collective *c)
{
    ROW(x, collective, location_of(x, lane), cell_unless(c->call, 0), text_collective(c->op),
        x->defs.comms.at[c->comm].id, cell_unless(c->root, UINT32_MAX), c->sent, c->received,
        time_of(x, c->begin), time_of(x, c->end));
}

/*
 * What a sample counts for: the innermost function; but a call of a library has all that runs
 * inside of it, and a stack without the calls that are open tells nothing.
 */
static uint32_t sample_region(struct export *x, const struct lane *lane, uint32_t context)
{
    const struct call *open = lane->stack.n ? &lane->stack.at[lane->stack.n - 1] : NULL;
    const struct defs *d = &x->defs;
    uint32_t innermost = context == NIL ? NIL : d->contexts.at[context].region;
    size_t n = 0;
    if (!open)
        return innermost;
    if (d->regions.at[open->region].is_call)
        return open->region;
    x->chain.n = 0;
    for (; context != NIL && x->chain.n < d->contexts.n; context = d->contexts.at[context].parent)
        *LIST_ADD(&x->chain) = d->contexts.at[context].region;
    for (size_t i = x->chain.n; i-- > 0 && n < lane->stack.n;)
        n += x->chain.at[i] == lane->stack.at[n].region;
    return n < lane->stack.n ? open->region : innermost;
}

void tables_sample(struct export *x, const struct lane *lane, const struct sample *s)
{
    double period = s->generator == NIL ? 0.0 : x->defs.generators.at[s->generator].period;
    uint32_t region = sample_region(x, lane, s->context);
    ROW(x, sample, location_of(x, lane), cell_unless(s->call, 0), cell_unless(s->context, NIL),
        region == NIL ? nothing : cell(x->defs.regions.at[region].id), time_of(x, s->time),
        period > 0.0 ? cell(period) : nothing);
}

static struct cell value_of(const struct metric *m)
{
    if (m->type == OTF2_TYPE_INT64)
        return cell((uint64_t)m->value.signed_int);
    if (m->type != OTF2_TYPE_UINT64)
        return cell(m->value.floating_point);
    return m->value.unsigned_int > INT64_MAX ? cell((double)m->value.unsigned_int)
                                             : cell(m->value.unsigned_int);
}

void tables_metric(struct export *x, const struct lane *lane, const struct metric *m)
{
    ROW(x, value, location_of(x, lane), cell_unless(m->call, 0), m->member, time_of(x, m->time),
        value_of(m));
}

void tables_point(struct export *x, const struct lane *lane, uint64_t time, const char *name)
{
    ROW(x, event, location_of(x, lane), cell_unless(pass_call(lane), 0), time_of(x, time), name);
}

/* ---- definitions ---- */

static void put_archive(struct export *x)
{
    const struct {
        const char *key;
        uint64_t value;
    } known[] = {
        {"version", TABLES_VERSION},     {"ticks_per_second", x->defs.clock.ticks_per_second},
        {"start", x->defs.clock.start},  {"realtime", x->defs.clock.realtime_ns},
        {"events", x->archive.n_events},
    };
    char *source = source_text(x->archive.path, x->wish.window);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char *number = make_text("%llu", (unsigned long long)known[i].value);
        ROW(x, archive, known[i].key, number);
        free(number);
    }
    ROW(x, archive, "source", source);
    if (x->archive.trouble)
        ROW(x, archive, "trouble", x->archive.trouble);
    free(source);
}

static void put_processes(struct export *x)
{
    const struct defs *d = &x->defs;
    for (size_t i = 0; i < d->processes.n; i++) {
        const struct process *p = &d->processes.at[i];
        ROW(x, process, p->id, defs_text(d, p->name), cell_unless(p->rank, NIL),
            defs_text(d, p->node), defs_text(d, p->command), defs_text(d, p->stopped),
            p->stopped_at == UINT64_MAX ? nothing : time_of(x, p->stopped_at));
    }
    for (size_t i = 0; i < d->locations.n; i++) {
        const struct location *l = &d->locations.at[i];
        ROW(x, location, l->id, process_of(x, l->process), defs_text(d, l->name), l->n_events);
    }
}

static void put_lock_counts(struct export *x)
{
    for (size_t i = 0; i < x->defs.counted.n; i++) {
        const struct counted_lock *c = &x->defs.counted.at[i];
        ROW(x, lock_count, process_of(x, c->process), c->id,
            defs_lock_name(&x->defs, c->process, c->id), c->kind, c->acquisitions, c->signals,
            c->threads);
    }
}

/* Files are whole here, and only their names in the name of a site. */
static void put_sites(struct export *x)
{
    const struct defs *d = &x->defs;
    for (uint32_t i = 0; i < d->sites.n; i++) {
        const struct site *s = &d->sites.at[i];
        char *name = defs_site_name(d, i);
        ROW(x, site, i, name, defs_text(d, s->file), cell_unless(s->line, 0),
            d->regions.at[s->region].id);
        free(name);
    }
}

static void put_regions(struct export *x)
{
    const struct defs *d = &x->defs;
    bool has_shorts = false;
    for (size_t i = 0; i < d->classes.n; i++)
        has_shorts |= d->classes.at[i].is_of_shorts;
    for (uint32_t i = has_shorts ? REGION_SHORT : REGIONS_OWN; i < d->regions.n; i++) {
        const struct region *r = &d->regions.at[i];
        ROW(x, region, r->id, defs_region_name(d, i), text_paradigm(r->paradigm),
            text_region_role(r->role), defs_text(d, r->file), cell_unless(r->line, 0));
    }
    for (uint32_t i = 0; i < d->comms.n; i++)
        ROW(x, communicator, d->comms.at[i].id, defs_comm_name(d, i), defs_comm_size(&x->defs, i));
    for (size_t i = 0; i < d->handles.n; i++) {
        uint64_t id = d->handles.at[i].id;
        ROW(x, handle, id, defs_handle_file(d, id), defs_handle_layer(d, id));
    }
    for (uint32_t i = 0; i < d->contexts.n; i++) {
        struct place_of_code place = defs_place(d, i);
        ROW(x, context, i, cell_unless(d->contexts.at[i].parent, NIL),
            d->regions.at[d->contexts.at[i].region].id, defs_text(d, place.file),
            cell_unless(place.line, 0));
    }
}

void tables_definitions(struct export *x)
{
    put_archive(x);
    put_processes(x);
    put_lock_counts(x);
    put_regions(x);
    put_sites(x);
    for (uint32_t i = 0; i < x->defs.members.n; i++) {
        const struct metric_member *m = &x->defs.members.at[i];
        const char *mode = otf2_enum_name(OTF2_ENUM_MetricMode, m->mode);
        ROW(x, metric, i, defs_text(&x->defs, m->name), defs_text(&x->defs, m->unit), mode,
            pow(m->base == OTF2_BASE_BINARY ? 2.0 : 10.0, (double)m->exponent));
    }
}

/* ---- what spur report finds ---- */

static void put_wait(void *user, const struct found_wait *w)
{
    struct export *x = user;
    ROW(x, wait, w->location, cell_unless(w->region, FOUND_NONE), w->why, w->process,
        time_of(x, w->begin), time_of(x, w->end));
}

static void put_access(void *user, const struct found_access *a)
{
    struct export *x = user;
    ROW(x, operation, a->location, cell_unless(a->call, 0), a->handle, a->kind, a->is_below,
        cell_unless(a->asked, FOUND_NONE), cell_unless(a->bytes, FOUND_NONE),
        cell_unless(a->place, FOUND_NONE), time_of(x, a->begin), time_of(x, a->end));
}

static void put_thread_wait(void *user, const struct found_thread_wait *w)
{
    struct export *x = user;
    if (w->lock != FOUND_NONE)
        ROW(x, lock_wait, w->location, cell_unless(w->call, 0), w->lock, w->name,
            text_paradigm(w->paradigm), cell_unless(w->holder, FOUND_NONE), time_of(x, w->begin),
            time_of(x, w->end));
    else
        ROW(x, barrier_wait, w->location, cell_unless(w->call, 0), cell_unless(w->team, FOUND_NONE),
            time_of(x, w->begin), time_of(x, w->end),
            (uint64_t)(export_ns(x, w->begin + w->ticks) - export_ns(x, w->begin)));
}

static void put_memory(void *user, const struct found_memory *m)
{
    struct export *x = user;
    ROW(x, memory, m->location, time_of(x, m->time), m->change,
        *m->change ? cell(m->bytes) : nothing, cell_unless(m->site, NIL), m->held,
        m->held_peak > m->held ? m->held_peak : m->held, m->mapped,
        m->mapped_peak > m->mapped ? m->mapped_peak : m->mapped);
}

void tables_found(struct export *x)
{
    bool *is_chosen = take_memory((x->defs.locations.n + 1) * sizeof *is_chosen);
    for (size_t i = 0; i < x->defs.locations.n; i++)
        is_chosen[i] = x->lanes[i].is_chosen;
    found_read(&(struct found_wish){.path = x->archive.path,
                                    .is_chosen = is_chosen,
                                    .from = x->wish.from,
                                    .to = isfinite(x->wish.to) ? x->wish.to : 0.0,
                                    .user = x,
                                    .wait = put_wait,
                                    .access = put_access,
                                    .thread_wait = put_thread_wait,
                                    .memory = put_memory});
    free(is_chosen);
}

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

static struct cell nothing(void)
{
    return (struct cell){.kind = NOTHING};
}

static struct cell whole(uint64_t value)
{
    return (struct cell){.kind = WHOLE, .whole = (int64_t)value};
}

static struct cell unless(uint64_t value, uint64_t none)
{
    return value == none ? nothing() : whole(value);
}

static struct cell real(double value)
{
    return isfinite(value) ? (struct cell){.kind = REAL, .real = value} : nothing();
}

static struct cell text(const char *value)
{
    return *value ? (struct cell){.kind = TEXT, .text = value} : nothing();
}

static struct cell time_of(const struct export *x, uint64_t ticks)
{
    return (struct cell){.kind = WHOLE, .whole = export_ns(x, ticks)};
}

static struct cell location_of(const struct export *x, const struct lane *lane)
{
    return lane ? whole(x->defs.locations.at[lane->location].id) : nothing();
}

static struct cell process_of(const struct export *x, uint32_t process)
{
    return process == NIL ? nothing() : whole(x->defs.processes.at[process].id);
}

#define ROW(x, name, ...)                                                                          \
    do {                                                                                           \
        const struct cell cells_[] = {__VA_ARGS__};                                                \
        const struct tables *tables_ = (x)->state;                                                 \
        tables_->row((x), TABLE_##name, cells_, sizeof cells_ / sizeof cells_[0]);                 \
    } while (0)

/* ---- what happens ---- */

void tables_end(struct export *x, const struct lane *lane, const struct call *call,
                const struct call *caller)
{
    uint64_t duration = export_duration(x, call);
    ROW(x, call, whole(call->id), caller ? whole(caller->id) : nothing(), location_of(x, lane),
        whole(x->defs.regions.at[call->region].id), unless(call->context, NIL),
        unless(call->site, NIL), time_of(x, call->enter), time_of(x, call->leave), whole(duration),
        whole(duration - call->below), whole(call->is_cut), whole(call->is_nested),
        whole(call->calls));
}

void tables_message(struct export *x, const struct message *m)
{
    const struct half *send = &m->send;
    const struct half *receive = &m->receive;
    ROW(x, message, whole(m->id), whole(x->defs.comms.at[m->comm].id), whole(m->tag),
        send->lane ? whole(m->bytes) : nothing(), process_of(x, m->sender),
        process_of(x, m->receiver), location_of(x, send->lane), unless(send->call, 0),
        send->lane ? time_of(x, send->time) : nothing(), location_of(x, receive->lane),
        unless(receive->call, 0), receive->lane ? time_of(x, receive->posted) : nothing(),
        receive->lane ? time_of(x, receive->time) : nothing());
}

void tables_collective(struct export *x, const struct lane *lane, const struct collective *c)
{
    ROW(x, collective, location_of(x, lane), unless(c->call, 0), text(text_collective(c->op)),
        whole(x->defs.comms.at[c->comm].id), unless(c->root, UINT32_MAX), whole(c->sent),
        whole(c->received), time_of(x, c->begin), time_of(x, c->end));
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
    ROW(x, sample, location_of(x, lane), unless(s->call, 0), unless(s->context, NIL),
        region == NIL ? nothing() : whole(x->defs.regions.at[region].id), time_of(x, s->time),
        period > 0.0 ? real(period) : nothing());
}

static struct cell value_of(const struct metric *m)
{
    if (m->type == OTF2_TYPE_INT64)
        return whole((uint64_t)m->value.signed_int);
    if (m->type != OTF2_TYPE_UINT64)
        return real(m->value.floating_point);
    return m->value.unsigned_int > INT64_MAX ? real((double)m->value.unsigned_int)
                                             : whole(m->value.unsigned_int);
}

void tables_metric(struct export *x, const struct lane *lane, const struct metric *m)
{
    ROW(x, value, location_of(x, lane), unless(m->call, 0), whole(m->member), time_of(x, m->time),
        value_of(m));
}

void tables_point(struct export *x, const struct lane *lane, uint64_t time, const char *name)
{
    ROW(x, event, location_of(x, lane), unless(pass_call(lane), 0), time_of(x, time), text(name));
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
        ROW(x, archive, text(known[i].key), text(number));
        free(number);
    }
    ROW(x, archive, text("source"), text(source));
    if (x->archive.trouble)
        ROW(x, archive, text("trouble"), text(x->archive.trouble));
    free(source);
}

static void put_processes(struct export *x)
{
    const struct defs *d = &x->defs;
    for (size_t i = 0; i < d->processes.n; i++) {
        const struct process *p = &d->processes.at[i];
        ROW(x, process, whole(p->id), text(defs_text(d, p->name)), unless(p->rank, NIL),
            text(defs_text(d, p->node)), text(defs_text(d, p->command)),
            text(defs_text(d, p->stopped)),
            p->stopped_at == UINT64_MAX ? nothing() : time_of(x, p->stopped_at));
    }
    for (size_t i = 0; i < d->locations.n; i++) {
        const struct location *l = &d->locations.at[i];
        ROW(x, location, whole(l->id), process_of(x, l->process), text(defs_text(d, l->name)),
            whole(l->n_events));
    }
}

static void put_lock_counts(struct export *x)
{
    for (size_t i = 0; i < x->defs.counted.n; i++) {
        const struct counted_lock *c = &x->defs.counted.at[i];
        ROW(x, lock_count, process_of(x, c->process), whole(c->id),
            text(defs_lock_name(&x->defs, c->process, c->id)), text(c->kind),
            whole(c->acquisitions), whole(c->signals), whole(c->threads));
    }
}

/* Files are whole here, and only their names in the name of a site. */
static void put_sites(struct export *x)
{
    const struct defs *d = &x->defs;
    for (uint32_t i = 0; i < d->sites.n; i++) {
        const struct site *s = &d->sites.at[i];
        char *name = defs_site_name(d, i);
        ROW(x, site, whole(i), text(name), text(defs_text(d, s->file)), unless(s->line, 0),
            whole(d->regions.at[s->region].id));
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
        ROW(x, region, whole(r->id), text(defs_region_name(d, i)), text(text_paradigm(r->paradigm)),
            text(text_region_role(r->role)), text(defs_text(d, r->file)), unless(r->line, 0));
    }
    for (uint32_t i = 0; i < d->comms.n; i++)
        ROW(x, communicator, whole(d->comms.at[i].id), text(defs_comm_name(d, i)),
            whole(defs_comm_size(&x->defs, i)));
    for (size_t i = 0; i < d->handles.n; i++) {
        uint64_t id = d->handles.at[i].id;
        ROW(x, handle, whole(id), text(defs_handle_file(d, id)), text(defs_handle_layer(d, id)));
    }
    for (uint32_t i = 0; i < d->contexts.n; i++) {
        struct place_of_code place = defs_place(d, i);
        ROW(x, context, whole(i), unless(d->contexts.at[i].parent, NIL),
            whole(d->regions.at[d->contexts.at[i].region].id), text(defs_text(d, place.file)),
            unless(place.line, 0));
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
        ROW(x, metric, whole(i), text(defs_text(&x->defs, m->name)),
            text(defs_text(&x->defs, m->unit)), text(mode ? mode : ""),
            real(pow(m->base == OTF2_BASE_BINARY ? 2.0 : 10.0, (double)m->exponent)));
    }
}

/* ---- what spur report finds ---- */

static void put_wait(void *user, const struct found_wait *w)
{
    struct export *x = user;
    ROW(x, wait, whole(w->location), unless(w->region, FOUND_NONE), text(w->why), whole(w->process),
        time_of(x, w->begin), time_of(x, w->end));
}

static void put_access(void *user, const struct found_access *a)
{
    struct export *x = user;
    ROW(x, operation, whole(a->location), unless(a->call, 0), whole(a->handle),
        text(a->kind ? a->kind : ""), whole(a->is_below), unless(a->asked, FOUND_NONE),
        unless(a->bytes, FOUND_NONE), unless(a->place, FOUND_NONE), time_of(x, a->begin),
        time_of(x, a->end));
}

static void put_thread_wait(void *user, const struct found_thread_wait *w)
{
    struct export *x = user;
    if (w->lock != FOUND_NONE)
        ROW(x, lock_wait, whole(w->location), unless(w->call, 0), whole(w->lock), text(w->name),
            text(text_paradigm(w->paradigm)), unless(w->holder, FOUND_NONE), time_of(x, w->begin),
            time_of(x, w->end));
    else
        ROW(x, barrier_wait, whole(w->location), unless(w->call, 0), unless(w->team, FOUND_NONE),
            time_of(x, w->begin), time_of(x, w->end),
            whole((uint64_t)(export_ns(x, w->begin + w->ticks) - export_ns(x, w->begin))));
}

static void put_memory(void *user, const struct found_memory *m)
{
    struct export *x = user;
    ROW(x, memory, whole(m->location), time_of(x, m->time), text(m->change),
        *m->change ? whole(m->bytes) : nothing(), unless(m->site, NIL), whole(m->held),
        whole(m->held_peak > m->held ? m->held_peak : m->held), whole(m->mapped),
        whole(m->mapped_peak > m->mapped ? m->mapped_peak : m->mapped));
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

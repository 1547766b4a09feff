/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_meta.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/view/view_data.h"
#include "tools/view/view_findings.h"
#include "tools/view/view_marks.h"
#include "tools/view/view_regions.h"
#include "tools/view/view_utf8.h"

enum { NAME_MAX_ = 400, TEXT_MAX = 4000, NAMES_BYTES = 4 << 20, SHORT_NAME = 64 };

/* ---- text ---- */

static void put_utf8(uint32_t c, FILE *out)
{
    if (c < 0x80) {
        fputc((int)c, out);
    } else if (c < 0x800) {
        fprintf(out, "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        fprintf(out, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3f)),
                (int)(0x80 | (c & 0x3f)));
    } else {
        fprintf(out, "%c%c%c%c", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 0x3f)),
                (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
    }
}

void view_meta_text(const char *text, size_t most, FILE *out)
{
    size_t n = 0;
    fputc('"', out);
    for (; *text && n < most; n++) {
        uint32_t c = utf8_next(&text);
        if (c < 0x20 || c == 0x7f || c == 0x2028 || c == 0x2029 ||
            (c < 0x80 && strchr("\"\\<>&", (int)c)))
            fprintf(out, "\\u%04" PRIx32, c);
        else
            put_utf8(c, out);
    }
    if (*text)
        put_utf8(0x2026, out); /* there is more */
    fputc('"', out);
}

void view_meta_html(const char *text, FILE *out)
{
    while (*text) {
        uint32_t c = utf8_next(&text);
        if (c < 0x80 && strchr("\"'<>&", (int)c))
            fprintf(out, "&#%" PRIu32 ";", c);
        else
            put_utf8(c < 0x20 ? ' ' : c, out);
    }
}

static void put_key(const char *key, FILE *out)
{
    fprintf(out, ",\"%s\":", key);
}

static void put_text(const char *key, const char *text, FILE *out)
{
    put_key(key, out);
    view_meta_text(text, NAME_MAX_, out);
}

static void put_number(const char *key, uint64_t number, FILE *out)
{
    fprintf(out, ",\"%s\":%" PRIu64, key, number);
}

/* An index, or -1. */
static void put_index(const char *key, uint32_t index, FILE *out)
{
    fprintf(out, ",\"%s\":%" PRId64, key, index == NIL ? INT64_C(-1) : (int64_t)index);
}

static void put_bool(const char *key, bool is, FILE *out)
{
    fprintf(out, ",\"%s\":%s", key, is ? "true" : "false");
}

/* ---- the trace ---- */

static void put_begin(const struct view *v, FILE *out)
{
    char text[64];
    struct tm tm;
    uint64_t ns = v->defs.clock.realtime_ns;
    time_t seconds = (time_t)(ns / 1000000000);
    if (!ns || ns == OTF2_UNDEFINED_TIMESTAMP || !gmtime_r(&seconds, &tm) ||
        !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm)) {
        fputs(",\"begin\":null", out);
        return;
    }
    put_text("begin", text, out);
}

static void put_view(const struct view *v, FILE *out)
{
    if (!v->wish.has_window && !v->wish.finding)
        return;
    double end = (double)v->duration;
    double from = fmin(v->wish.from * 1e9, end);
    double to = fmin(v->wish.to * 1e9, end);
    if (v->wish.has_window)
        fprintf(out, ",\"view\":{\"from\":%.0f,\"to\":%.0f,\"rows\":[]}", from, to);
    else
        fprintf(out, ",\"view\":{\"finding\":%u}", v->wish.finding);
}

static const char *name_of(const struct view *v)
{
    const char *end = strrchr(v->path, '/');
    if (!end || end == v->path)
        return v->path;
    const char *begin = end;
    while (begin > v->path && begin[-1] != '/')
        begin--;
    return make_text("%.*s", (int)(end - begin), begin);
}

static void put_trace(const struct view *v, const struct view_part *p, const struct view_form *form,
                      FILE *out)
{
    fputs("{\"version\":1", out);
    put_text("name", name_of(v), out);
    put_text("archive", v->wish.path, out);
    put_text("creator", v->creator, out);
    put_text("machine", v->machine, out);
    put_number("events", p->n_events, out);
    put_number("duration", v->duration, out);
    put_begin(v, out);
    put_bool("served", form->is_served, out);
    if (v->trouble)
        put_text("trouble", v->trouble, out);
    put_view(v, out);
    fputs(",\"remarks\":[", out);
    for (size_t i = 0; i < v->remarks.n; i++) {
        fputs(i ? "," : "", out);
        view_meta_text(v->remarks.at[i], TEXT_MAX, out);
    }
    fputc(']', out);
}

/* ---- regions ---- */

/* Names of C++ can be long; very many of them are cut. */
static size_t name_bytes(const struct view *v, const struct view_numbers *n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n->regions.n; i++)
        if (n->regions.at[i] != NIL)
            bytes += strlen(defs_text(&v->defs, v->defs.regions.at[n->regions.at[i]].name));
    return bytes > NAMES_BYTES ? SHORT_NAME : NAME_MAX_;
}

static void put_region(const struct view *v, uint32_t region, size_t most, FILE *out)
{
    if (region == NIL) {
        fputs("{\"name\":\"(other)\",\"group\":\"other\",\"waits\":false}", out);
        return;
    }
    const struct region *r = &v->defs.regions.at[region];
    const char *file = defs_text(&v->defs, r->file);
    fputs("{\"name\":", out);
    view_meta_text(defs_region_name(&v->defs, region), most, out);
    put_text("group", view_region_group(&v->defs, region), out);
    put_bool("waits", view_waits(v, region), out);
    if (*file && most == NAME_MAX_) {
        put_text("file", file, out);
        put_number("line", r->line, out);
    }
    fputc('}', out);
}

static void put_regions(const struct view *v, const struct view_numbers *n, FILE *out)
{
    size_t most = name_bytes(v, n);
    fputs(",\"regions\":[", out);
    for (size_t i = 0; i < n->regions.n; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_region(v, n->regions.at[i], most, out);
    }
    fputc(']', out);
}

/* ---- the tree ---- */

/* Numbers of different texts, in the order in which they come. */
struct texts {
    struct map number_of;
    LIST(OTF2_StringRef) all;
};

static uint32_t number_of(struct texts *t, const struct view *v, OTF2_StringRef text)
{
    if (!*defs_text(&v->defs, text))
        return NIL;
    uint32_t number = map_index(&t->number_of, text, 0, t->all.n);
    if (number == t->all.n)
        *LIST_ADD(&t->all) = text;
    return number;
}

struct life {
    uint64_t begin;
    uint64_t end;
};

static struct life *lives_of(const struct view *v)
{
    size_t room = 0;
    struct life *lives = list_grow(NULL, &room, v->defs.processes.n + 1, sizeof *lives);
    for (size_t i = 0; i < v->defs.processes.n; i++)
        lives[i].begin = NO_TIME;
    for (size_t i = 0; i < v->rows.n; i++) {
        const struct view_row *row = &v->rows.at[i];
        struct life *life = &lives[v->defs.locations.at[row->location].process];
        if (!row->has_events)
            continue;
        life->begin = row->first < life->begin ? row->first : life->begin;
        life->end = row->last > life->end ? row->last : life->end;
    }
    return lives;
}

static void put_process(const struct view *v, uint32_t process, const struct life *life,
                        uint32_t command, FILE *out)
{
    const struct process *p = &v->defs.processes.at[process];
    fputs("{\"name\":", out);
    view_meta_text(defs_process_name(&v->defs, process), NAME_MAX_, out);
    put_index("host", v->host_of[process], out);
    put_index("parent", p->creator == process ? NIL : p->creator, out);
    if (p->rank == NIL)
        fputs(",\"rank\":null", out);
    else
        put_number("rank", p->rank, out);
    put_index("command", command, out);
    put_number("begin", life->begin == NO_TIME ? 0 : life->begin, out);
    put_number("end", life->end, out);
    put_text("state", view_marks_state(v, process), out);
    put_text("note", defs_text(&v->defs, p->end), out);
    fputc('}', out);
}

static void put_processes(const struct view *v, FILE *out)
{
    struct texts commands = {0};
    struct life *lives = lives_of(v);
    fputs(",\"processes\":[", out);
    for (uint32_t i = 0; i < v->defs.processes.n; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_process(v, i, &lives[i], number_of(&commands, v, v->defs.processes.at[i].command), out);
    }
    fputs("],\"commands\":[", out);
    for (size_t i = 0; i < commands.all.n; i++) {
        fputs(i ? "," : "", out);
        view_meta_text(defs_text(&v->defs, commands.all.at[i]), NAME_MAX_, out);
    }
    fputc(']', out);
    free(lives);
    free(commands.all.at);
    free(commands.number_of.slots);
}

static const char *kind_of(OTF2_LocationType type)
{
    switch (type) {
    case OTF2_LOCATION_TYPE_CPU_THREAD:
    case OTF2_LOCATION_TYPE_UNKNOWN:
        return "thread";
    case OTF2_LOCATION_TYPE_METRIC:
        return "metric";
    default:
        return "gpu";
    }
}

static void put_rows(const struct view *v, FILE *out)
{
    fputs(",\"rows\":[", out);
    for (size_t i = 0; i < v->rows.n; i++) {
        const struct view_row *row = &v->rows.at[i];
        const struct location *l = &v->defs.locations.at[row->location];
        const char *name = defs_text(&v->defs, l->name);
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        view_meta_text(*name ? name : make_text("location %" PRIu64, l->id), NAME_MAX_, out);
        fprintf(out, ",\"id\":\"%" PRIu64 "\"", l->id);
        put_number("process", l->process, out);
        put_text("kind", kind_of(l->type), out);
        put_number("begin", row->first, out);
        put_number("end", row->last, out);
        put_number("events", row->n_events, out);
        put_number("group", row->group, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_groups(const struct view *v, FILE *out)
{
    fputs(",\"groups\":[", out);
    for (size_t i = 0; i < v->groups.n; i++) {
        const struct view_group *g = &v->groups.at[i];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        view_meta_text(g->name, NAME_MAX_, out);
        put_text("kind", g->is_host ? "host" : "process", out);
        put_number("of", g->of, out);
        put_index("parent", g->parent, out);
        fprintf(out, ",\"rows\":[%u,%u]", g->first, g->n);
        put_index("cells", g->cells_at, out);
        fputc('}', out);
    }
    fputc(']', out);
    put_number("groupCells", v->n_group_cells, out);
    fputs(",\"hosts\":[", out);
    for (size_t i = 0; i < v->hosts.n; i++) {
        fputs(i ? "," : "", out);
        view_meta_text(v->hosts.at[i], NAME_MAX_, out);
    }
    fputc(']', out);
}

/* ---- numbers ---- */

static void put_levels(const struct view *v, const struct view_form *form, FILE *out)
{
    fputs(",\"levels\":[", out);
    for (unsigned k = v->shape.levels; k-- > form->levels_left_out;)
        fprintf(out, "%s{\"bucket\":%" PRIu64 ",\"n\":%u,\"rows\":true,\"groups\":true}",
                k + 1 < v->shape.levels ? "," : "", v->shape.bucket << k, v->shape.n >> k);
    fputc(']', out);
}

static void put_tally(const char *key, const struct view *v, const struct view_tally *t,
                      bool is_cut, FILE *out)
{
    uint32_t buckets = (v->shape.n + v->shape.stride - 1) / v->shape.stride;
    uint32_t n = (buckets + (UINT32_C(1) << t->shift) - 1) >> t->shift;
    fprintf(out, ",\"%s\":{\"bucket\":%" PRIu64 ",\"n\":%u", key,
            (v->shape.bucket * v->shape.stride) << t->shift, n);
    put_number("records", t->all.n, out);
    put_bool("cut", is_cut, out);
    fputc('}', out);
}

static const char *mode_of(OTF2_MetricMode mode)
{
    static const char *const values[] = {"accumulated", "absolute", "relative"};
    unsigned which = (unsigned)mode & OTF2_METRIC_VALUE_MASK;
    return which < 3 ? values[which] : "absolute";
}

static void put_metrics(const struct view *v, const struct view_counters *c, FILE *out)
{
    size_t first = 0;
    fputs(",\"metrics\":[", out);
    for (size_t i = 0; i < c->curves.n; i++) {
        const struct view_curve *curve = &c->curves.at[i];
        const struct metric_member *m = &v->defs.members.at[curve->member];
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        view_meta_text(defs_text(&v->defs, m->name), NAME_MAX_, out);
        put_text("unit", defs_text(&v->defs, m->unit), out);
        fprintf(out, ",\"base\":%d,\"exponent\":%" PRId64, m->base == OTF2_BASE_BINARY ? 2 : 10,
                m->exponent);
        put_number("row", curve->row, out);
        put_text("mode", mode_of(m->mode), out);
        put_number("first", first, out);
        put_number("count", view_data_points(curve), out);
        put_bool("decimated", curve->each > 1, out);
        fputc('}', out);
        first += view_data_points(curve);
    }
    fputc(']', out);
}

static size_t points(const struct view_counters *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->curves.n; i++)
        n += view_data_points(&c->curves.at[i]);
    return n;
}

static void put_counts(const struct view_part *p, const struct view_numbers *n, FILE *out)
{
    fprintf(out, ",\"counts\":{\"paths\":%zu", n->paths.n);
    put_number("calls", p->exact.calls.n, out);
    put_number("messages", p->exact.messages.n, out);
    put_number("collectives", p->exact.collectives.n, out);
    put_number("samples", p->exact.samples.n, out);
    put_number("idle", p->exact.idle.n, out);
    put_number("counters", points(&p->counters), out);
    put_number("sums", p->sums.all.n, out);
    put_number("pairs", p->pairs.all.n, out);
    fputc('}', out);
}

/* ---- what is known of places ---- */

static void put_marks(const struct view *v, FILE *out)
{
    fputs(",\"marks\":[", out);
    for (size_t i = 0; i < v->marks.n; i++) {
        const struct view_mark *m = &v->marks.at[i];
        fprintf(out, "%s{\"row\":%" PRId64, i ? ",\n" : "\n",
                m->row == NIL ? INT64_C(-1) : (int64_t)m->row);
        put_number("from", m->from, out);
        put_number("to", m->to, out);
        put_text("kind", m->kind, out);
        put_text("text", m->text, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_exact(const struct view *v, const struct view_part *p, FILE *out)
{
    fputs(",\"exact\":[", out);
    if (v->is_whole && !p->exact.is_over)
        fprintf(out, "{\"row\":-1,\"from\":0,\"to\":%" PRIu64 "}", v->duration);
    for (size_t i = 0; !v->is_whole && !p->exact.is_over && i < p->exact.n_windows; i++) {
        const struct view_window *w = &v->windows.at[i];
        fprintf(out, "%s{\"row\":%" PRId64 ",\"from\":%" PRIu64 ",\"to\":%" PRIu64 "}",
                i ? "," : "", w->row == NIL ? INT64_C(-1) : (int64_t)w->row, w->from, w->to);
    }
    fputc(']', out);
}

static void put_comms(const struct view *v, const struct view_numbers *n, FILE *out)
{
    fputs(",\"comms\":[", out);
    for (size_t i = 0; i < n->comms.n; i++) {
        fputs(i ? "," : "", out);
        view_meta_text(defs_comm_name(&v->defs, n->comms.at[i]), NAME_MAX_, out);
    }
    fputs("],\"ops\":[", out);
    for (uint32_t i = 0; i < UINT8_MAX; i++) {
        const char *name = view_op_name(i);
        if (!name)
            break;
        fputs(i ? "," : "", out);
        view_meta_text(name, NAME_MAX_, out);
    }
    fputc(']', out);
}

void view_meta_write(const struct view *v, const struct view_part *p, const struct view_numbers *n,
                     const struct view_form *form, FILE *out)
{
    put_trace(v, p, form, out);
    put_regions(v, n, out);
    put_processes(v, out);
    put_rows(v, out);
    put_groups(v, out);
    put_levels(v, form, out);
    put_tally("sums", v, &p->sums, p->is_cut, out);
    put_tally("pairs", v, &p->pairs, p->are_pairs_cut, out);
    put_metrics(v, &p->counters, out);
    view_findings_write(v, out);
    put_marks(v, out);
    put_comms(v, n, out);
    put_exact(v, p, out);
    put_counts(p, n, out);
    fputs("}\n", out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of regions and of call paths. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/names.h"
#include "tools/report/show/report_sections.h"
#include "tools/report/topics/report_shares.h"

/* ---- regions ---- */

static const struct column columns_regions[] = {
    {"region", "region", UNIT_TEXT, EVERYWHERE,
     "name of the region, or (program), (idle), (blocked), (not recorded), (short calls)"},
    {"file", "", UNIT_TEXT, DATA_ONLY, "source file, as recorded"},
    {"line", "", UNIT_ID, DATA_ONLY, "first line in the file; null: unknown"},
    {"paradigm", "", UNIT_TEXT, DATA_ONLY, "MPI, PTHREAD, OPENMP, USER, ..."},
    {"self_percent", "self %", UNIT_PERCENT, EVERYWHERE,
     "`self` in percent of the time of all threads; null: it is time of devices"},
    {"self", "self", UNIT_SECONDS, EVERYWHERE,
     "seconds in the region alone, sum of all threads; null: unknown"},
    {"error", "+-", UNIT_SECONDS, UNLESS_SAME,
     "possible error in seconds of a `self` from samples; null: `self` is exact"},
    {"total", "total", UNIT_SECONDS, EVERYWHERE,
     "seconds in the region and in the regions that it calls"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "number of calls; null: only seen on call stacks"},
    {"min", "min", UNIT_SECONDS, EVERYWHERE, "seconds of the shortest call, inner calls included"},
    {"avg", "avg", UNIT_SECONDS, EVERYWHERE, "mean of all calls"},
    {"max", "max", UNIT_SECONDS, EVERYWHERE, "longest call"},
    {"waiting", "", UNIT_SECONDS, DATA_ONLY,
     "seconds of `self` spent waiting for other ranks or threads, or for a lock"},
    {"samples", "samples", UNIT_COUNT, UNLESS_SAME,
     "samples that found a thread in the region itself"},
};

static const char *paradigm_name(const struct region *region)
{
    const char *name = otf2_enum_name(OTF2_ENUM_Paradigm, region->paradigm);
    return name ? name : "";
}

/* The columns of calls; all empty for a function seen only on stacks. */
static void put_calls(struct report *r, struct table *t, const struct region_sum *sum)
{
    if (!sum->calls) {
        for (unsigned k = 0; k < 5; k++)
            ROW(t, nothing);
        return;
    }
    uint64_t waited = 0;
    for (unsigned why = 0; why < WAITS; why++)
        waited += sum->waits[why];
    ROW(t, sum->calls, sum->min, defs_seconds(&r->defs, sum->durations) / (double)sum->calls,
        sum->max, waited);
}

/* The region's own time. Nothing is known of a function without calls and without time. */
static void put_self(struct report *r, struct table *t, uint32_t region)
{
    const struct region_sum *sum = &r->sums.regions.at[region];
    bool is_known = sum->self || sum->calls;
    const uint64_t ticks = sum->self - sum->on_streams;
    const bool is_timed = is_known && region != REGION_OFF && (ticks || !sum->on_streams);
    ROW(t, is_timed ? percent_of(ticks, r->sums.total) : NAN,
        is_known ? defs_seconds(&r->defs, sum->self) : NAN,
        sum->sampled
            ? shares_error(sum->sampled, sum->n_sampled) / (double)r->defs.clock.ticks_per_second
            : NAN);
}

static void put_region(struct report *r, struct table *t, uint32_t index)
{
    const struct region_sum *sum = &r->sums.regions.at[index];
    const struct region *region = &r->defs.regions.at[index];
    bool is_own = index < REGIONS_OWN;
    ROW(t, defs_region_name(&r->defs, index), defs_text(&r->defs, region->file),
        region->line ? cell(region->line) : nothing, is_own ? "" : paradigm_name(region));
    put_self(r, t, index);
    if (is_own) {
        for (unsigned k = 0; k < 6; k++)
            ROW(t, nothing);
    } else {
        ROW(t, sum->total || sum->calls ? defs_seconds(&r->defs, sum->total) : NAN);
        put_calls(r, t, sum);
    }
    ROW(t, r->has_samples && (!is_own || sum->samples) ? cell(sum->samples) : nothing);
}

static void fill_regions(struct report *r, struct table *t)
{
    for (uint32_t i = 0; i < r->sums.regions.n; i++) {
        const struct region_sum *sum = &r->sums.regions.at[i];
        bool is_own = i < REGIONS_OWN;
        if (!sum->is_seen || (is_own && !sum->self) ||
            percent_of(sum->self, r->sums.total) < t->wish->min_percent)
            continue;
        put_region(r, t, i);
    }
}

SECTION(regions, "region", "Regions", "time by region", .sort = "self")

/* ---- call paths ---- */

static const struct column columns_callpaths[] = {
    {"tree", "call path", UNIT_TEXT, TEXT_ONLY,
     "the regions, callees indented under their callers"},
    {"callpath", "", UNIT_TEXT, DATA_ONLY, "the regions from the outermost on, separated by `>`"},
    {"region", "", UNIT_TEXT, DATA_ONLY, "the innermost region"},
    {"depth", "", UNIT_ID, DATA_ONLY, "number of regions around it"},
    {"total_percent", "total %", UNIT_PERCENT, EVERYWHERE, "`total` in percent of all"},
    {"total", "total", UNIT_SECONDS, EVERYWHERE,
     "seconds in the path and in the regions called from there"},
    {"self", "self", UNIT_SECONDS, EVERYWHERE, "seconds in the path alone"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "number of calls; null: only seen on call stacks"},
    {"samples", "samples", UNIT_COUNT, UNLESS_SAME,
     "samples that found a thread in the path or below"},
};

/* A call path of all selected locations together. */
struct path {
    uint32_t parent;
    uint32_t region;
    uint32_t index;
    uint32_t first; /* of the sorted paths: the first child */
    uint32_t n;
    uint64_t calls;
    uint64_t self;
    uint64_t total;
    uint64_t samples; /* including the samples of all paths below */
    bool is_kept;
};

struct paths {
    LIST(struct path) all;
    struct path *sorted; /* by parent, then as is asked for */
    const char *sort;
};

static void merge(const struct report *r, struct paths *paths)
{
    struct map index_of = {0};
    size_t room = 0;
    uint32_t *merged = list_grow(NULL, &room, r->profile.nodes.n + 1, sizeof *merged);
    for (uint32_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (!r->is_selected[node->location] ||
            r->profile.streams[node->location].watch.what == WATCH_STREAM)
            continue;
        uint32_t parent = node->parent == NIL ? NIL : merged[node->parent];
        uint32_t index = map_index(&index_of, parent, node->region, paths->all.n);
        if (index == paths->all.n)
            *LIST_ADD(&paths->all) =
                (struct path){.parent = parent, .region = node->region, .index = index};
        merged[i] = index;
        if (!paths->all.at)
            continue;
        struct path *path = &paths->all.at[index];
        path->calls += node->calls;
        path->self += node->self;
        path->total += node->region == REGION_OFF ? 0 : node->total;
        path->samples += node->samples;
    }
    for (size_t i = paths->all.n; i-- > 1;)
        if (paths->all.at[i].parent != NIL)
            paths->all.at[paths->all.at[i].parent].samples += paths->all.at[i].samples;
    free(index_of.slots);
    free(merged);
}

static int by_total(const void *a, const void *b)
{
    const struct path *x = a;
    const struct path *y = b;
    ORDER(y->total, x->total);
    return (x->index > y->index) - (x->index < y->index);
}

static uint64_t key_of(const struct path *path, const char *sort)
{
    if (sort && !strcmp(sort, "self"))
        return path->self;
    return sort && !strcmp(sort, "calls") ? path->calls : path->total;
}

static int by_parent(const void *a, const void *b, void *user)
{
    const struct path *x = a;
    const struct path *y = b;
    const struct paths *paths = user;
    if (x->parent != y->parent)
        return x->parent + 1 > y->parent + 1 ? 1 : -1; /* NIL + 1 is 0: roots first */
    uint64_t p = key_of(x, paths->sort);
    uint64_t q = key_of(y, paths->sort);
    return p != q ? (p < q ? 1 : -1) : by_total(a, b);
}

/*
 * Keeps the most expensive paths. A caller costs at least as much as the callee, and stands before
 * the callee.
 */
static size_t keep(struct paths *paths, const struct wish *wish, uint64_t total)
{
    size_t n = 0;
    qsort(paths->sorted, paths->all.n, sizeof *paths->sorted, by_total);
    for (size_t i = 0; i < paths->all.n; i++) {
        const struct path *path = &paths->sorted[i];
        if (n < wish->top && !(percent_of(path->total, total) < wish->min_percent)) {
            paths->all.at[path->index].is_kept = true;
            n++;
        }
    }
    return n;
}

/* A deeper path is written with its first regions and its last region. */
enum { SHOWN_DEPTH = 256 };

/* Returns the text of the path, as a prefix for the paths below. */
static const char *put_path(struct report *r, struct table *t, const struct path *path,
                            unsigned depth, const char *callers)
{
    const char *name = defs_region_name(&r->defs, path->region);
    const char *between = depth > SHOWN_DEPTH ? " > ... > " : " > ";
    const char *all = *callers ? make_text("%s%s%s", callers, between, name) : name;
    ROW(t, make_text("%*s%s", 2 * (int)(depth < SHOWN_DEPTH ? depth : SHOWN_DEPTH), "", name), all,
        name, depth);
    bool is_own = path->region < REGIONS_OWN;
    bool is_timed = path->region != REGION_OFF && (path->total || path->calls);
    ROW(t, is_timed ? percent_of(path->total, r->sums.total) : NAN,
        is_timed ? defs_seconds(&r->defs, path->total) : NAN,
        path->self || path->calls ? defs_seconds(&r->defs, path->self) : NAN);
    ROW(t, is_own ? nothing : cell_unless(path->calls, 0),
        r->has_samples && (!is_own || path->samples) ? cell(path->samples) : nothing);
    return depth < SHOWN_DEPTH ? all : callers;
}

/* A path shown in the table, and the number of child paths handled so far. */
struct shown_path {
    const struct path *path;
    const char *text;
    uint32_t n;
};

static void put_paths(struct report *r, struct table *t, const struct paths *paths,
                      const struct path *root)
{
    LIST(struct shown_path) open = {0};
    *LIST_ADD(&open) = (struct shown_path){root, put_path(r, t, root, 0, ""), 0};
    while (open.n) {
        struct shown_path *last = &open.at[open.n - 1];
        if (last->n == last->path->n) {
            open.n--;
            continue;
        }
        const struct path *child =
            &paths->all.at[paths->sorted[last->path->first + last->n++].index];
        if (!child->is_kept)
            continue;
        const char *text = put_path(r, t, child, (unsigned)open.n, last->text);
        *LIST_ADD(&open) = (struct shown_path){child, text, 0};
    }
    free(open.at);
}

static void fill_callpaths(struct report *r, struct table *t)
{
    struct paths paths = {.sort = t->wish->sort};
    size_t room = 0;
    merge(r, &paths);
    size_t n = paths.all.n;
    if (!n)
        return;
    paths.sorted = list_grow(NULL, &room, n, sizeof *paths.sorted);
    memcpy(paths.sorted, paths.all.at, n * sizeof *paths.sorted);
    t->left_out = n - keep(&paths, t->wish, r->sums.total);
    qsort_r(paths.sorted, n, sizeof *paths.sorted, by_parent, &paths);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = paths.sorted[i].parent;
        if (parent != NIL && !paths.all.at[parent].n++)
            paths.all.at[parent].first = i;
    }
    for (uint32_t i = 0; i < n && paths.sorted[i].parent == NIL; i++)
        if (paths.all.at[paths.sorted[i].index].is_kept)
            put_paths(r, t, &paths, &paths.all.at[paths.sorted[i].index]);
    free(paths.all.at);
    free(paths.sorted);
}

/* Who makes a call is known by stacks of calls. */
static void paths_missing(struct report *r, const struct look *look, FILE *out)
{
    (void)look;
    if (r->has_samples && !r->has_stacks)
        fputs("  Recorded calls have no call stacks here, only samples have them: "
              "--unwind 20\n"
              "  records the functions that make calls.\n",
              out);
}

static bool has_depth(const struct report *r)
{
    return r->sums.depth > 1;
}

SECTION(callpaths, "callpath", "Call paths",
        "time by call path; rows are sorted among those of one caller", .also = paths_missing,
        .is_of_interest = has_depth)

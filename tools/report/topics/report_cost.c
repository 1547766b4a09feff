/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_cost.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/paths.h"
#include "reader/containers.h"
#include "tools/base/quantity.h"
#include "tools/report/topics/report.h"

enum {
    MANY = 100,  /* a region with a smaller share of the events (1 in MANY) is not worth a rule */
    LITTLE = 100 /* a call is short if its time is below LITTLE times the cost of recording */
};

/* ---- measured costs ---- */

static const struct {
    OTF2_Paradigm paradigm;
    uint32_t picoseconds;
} measured[] = {
#define COST(paradigm, picoseconds, source) {OTF2_PARADIGM_##paradigm, picoseconds},
#define COST_BYTE(picoseconds, source)
#include "tools/report/topics/report_cost.def"
#undef COST
#undef COST_BYTE
};

#define COST(paradigm, picoseconds, source)
#define COST_BYTE(picoseconds, source) static const uint32_t picoseconds_of_byte = picoseconds;
#include "tools/report/topics/report_cost.def"
#undef COST
#undef COST_BYTE

static double seconds_of(OTF2_Paradigm paradigm, uint64_t events, uint64_t bytes)
{
    size_t i = 0;
    while (i + 1 < sizeof measured / sizeof measured[0] && measured[i].paradigm != paradigm)
        i++;
    return ((double)events * measured[i].picoseconds + (double)bytes * picoseconds_of_byte) * 1e-12;
}

/* ---- events and bytes ---- */

/* Where the event files of the archive are. */
struct event_files {
    char *folder;
    char *name;
    struct otf2_containers *containers; /* NULL: each is a file */
};

static struct event_files find_files(const struct report *r)
{
    const char *slash = strrchr(r->path, '/');
    const char *name = slash ? slash + 1 : r->path;
    const char *dot = strrchr(name, '.');
    struct otf2_fault fault;
    struct event_files files = {
        .folder = slash ? make_text("%.*s", (int)(slash + 1 - r->path), r->path) : copy_text("."),
        .name = make_text("%.*s", dot ? (int)(dot - name) : (int)strlen(name), name)};
    if (r->substrate == OTF2_SUBSTRATE_SION)
        files.containers = otf2_containers_new(files.folder, files.name, &fault);
    return files;
}

/* The size of the event file of a location; 0: no file. */
static uint64_t size_of(const struct event_files *files, uint64_t id)
{
    char path[OTF2_PATH_BYTES];
    struct stat info;
    struct otf2_fault fault;
    if (files->containers) {
        const struct otf2_pieces *pieces =
            otf2_containers_find(files->containers, OTF2_FILETYPE_EVENTS, id, &fault);
        return pieces ? pieces->bytes : 0;
    }
    bool is_there =
        otf2_path_make(files->folder, files->name, OTF2_FILETYPE_EVENTS, id, path, sizeof path) &&
        stat(path, &info) == 0 && S_ISREG(info.st_mode);
    return is_there ? (uint64_t)info.st_size : 0;
}

static uint64_t share(uint64_t whole, uint64_t part, uint64_t of)
{
    return of ? quantity_whole((double)whole * (double)part / (double)of) : 0;
}

static void add_nodes(struct report *r)
{
    struct costs *c = &r->costs;
    struct event_files files = find_files(r);
    size_t room = 0;
    uint64_t *events = list_grow(NULL, &room, r->defs.locations.n + 1, sizeof *events);
    uint64_t *bytes;
    room = 0;
    bytes = list_grow(NULL, &room, r->defs.locations.n + 1, sizeof *bytes);
    for (size_t i = 0; i < r->profile.nodes.n; i++)
        events[r->profile.nodes.at[i].location] += r->profile.nodes.at[i].events;
    for (size_t i = 0; i < r->defs.locations.n; i++)
        if (r->is_selected[i] && events[i])
            bytes[i] = size_of(&files, r->defs.locations.at[i].id);
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (!r->is_selected[node->location])
            continue;
        struct cost *cost = &c->regions.at[node->region];
        cost->events += node->events;
        cost->calls += node->calls - node->folded;
        cost->bytes += share(bytes[node->location], node->events, events[node->location]);
    }
    otf2_containers_free(files.containers);
    free(files.folder);
    free(files.name);
    free(events);
    free(bytes);
}

/* ---- advice ---- */

/*
 * A filter that leaves the region out removes only calls. Records within the program's own regions
 * stay. Library calls take their records with them (messages, locks), so library calls with more
 * records than Enter and Leave are needed. Filters know neither single compiler functions nor
 * constructs of OpenMP without their places.
 */
static bool is_free(const struct report *r, uint32_t region, const struct cost *cost)
{
    OTF2_Paradigm paradigm = r->defs.regions.at[region].paradigm;
    if (paradigm == OTF2_PARADIGM_USER)
        return true;
    if (paradigm == OTF2_PARADIGM_COMPILER || paradigm == OTF2_PARADIGM_OPENMP ||
        paradigm == OTF2_PARADIGM_SAMPLING || paradigm == OTF2_PARADIGM_UNKNOWN)
        return false;
    return cost->events <= 2 * cost->calls + cost->calls / MANY;
}

static bool is_plain(const char *name)
{
    if (!*name)
        return false;
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            return false;
    return true;
}

static void advise(struct report *r, uint32_t region)
{
    struct cost *cost = &r->costs.regions.at[region];
    const struct region_sum *sum = &r->sums.regions.at[region];
    uint64_t goes = 2 * cost->calls < cost->events ? 2 * cost->calls : cost->events;
    uint64_t bytes = share(cost->bytes, goes, cost->events);
    double paid = seconds_of(r->defs.regions.at[region].paradigm, goes, bytes);
    bool is_short = defs_seconds(&r->defs, sum->durations) < LITTLE * paid;
    if (!sum->calls || !is_short || goes < r->costs.all.events / MANY + 1 ||
        !is_free(r, region, cost) || !is_plain(defs_region_name(&r->defs, region)))
        return;
    cost->is_advised = true;
    cost->goes = goes;
    cost->goes_bytes = bytes;
}

/*
 * A rule is about all regions of a name: a region that must stay keeps all regions of the same
 * name.
 */
static void keep_namesakes(struct report *r)
{
    struct costs *c = &r->costs;
    for (uint32_t i = REGIONS_OWN; i < c->regions.n; i++)
        for (uint32_t k = REGIONS_OWN; c->regions.at[i].is_advised && k < c->regions.n; k++)
            if (!c->regions.at[k].is_advised && r->sums.regions.at[k].calls &&
                !strcmp(defs_region_name(&r->defs, i), defs_region_name(&r->defs, k)))
                c->regions.at[i].is_advised = false;
}

const struct costs *costs_make(struct report *r)
{
    struct costs *c = &r->costs;
    if (c->regions.n)
        return c;
    for (size_t i = 0; i < r->defs.regions.n; i++)
        (void)LIST_ADD(&c->regions);
    add_nodes(r);
    for (uint32_t i = 0; i < c->regions.n; i++) {
        struct cost *cost = &c->regions.at[i];
        OTF2_Paradigm paradigm =
            i < REGIONS_OWN ? OTF2_PARADIGM_UNKNOWN : r->defs.regions.at[i].paradigm;
        cost->seconds = seconds_of(paradigm, cost->events, cost->bytes);
        c->all.events += cost->events;
        c->all.bytes += cost->bytes;
        c->all.seconds += cost->seconds;
    }
    for (uint32_t i = REGIONS_OWN; i < c->regions.n; i++)
        advise(r, i);
    keep_namesakes(r);
    for (uint32_t i = REGIONS_OWN; i < c->regions.n; i++) {
        c->all.goes += c->regions.at[i].is_advised ? c->regions.at[i].goes : 0;
        c->all.goes_bytes += c->regions.at[i].is_advised ? c->regions.at[i].goes_bytes : 0;
    }
    return c;
}

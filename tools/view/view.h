/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur view: an archive as a picture, a separate page or lines of a terminal. The size follows the
 * amount that can be seen, not the amount recorded.
 *
 *     view_tree        rows: locations in the order of hosts and processes, and groups of rows
 *     view_lane        events of a location to the time in calls
 *     view_events      the meaning of each event
 *     view_paths       call paths
 *     view_pyramid     the activity of a row, in buckets of time of several lengths
 *     view_tally       sums by row, bucket and call path; by pairs of processes and bucket
 *     view_exact       calls, messages, samples in full, where few enough
 *     view_counters    values of metrics
 *     view_part        the pass over a share of the locations, and joining several parts
 *     view_wire        a part as bytes, for the ranks of an MPI job
 *     view_findings    the findings of spur report
 *     view_marks       the parts missing in the archive, and the reasons
 *     view_meta, view_data, view_pack, view_page     the page
 *     view_text        the terminal
 *     view_places, view_cache     results of the pass for the server (tools/view/serve)
 *
 * Times are ns since the beginning of the trace. Each location has a state of its own, and parts
 * share only the definitions, so locations are dealt to workers.
 */
#ifndef TOOLS_VIEW_VIEW_H
#define TOOLS_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <otf2/otf2.h>

#include "tools/base/archive.h"
#include "tools/base/defs.h"
#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/base/quantity.h"

enum {
    LEVELS_MAX = 17,
    CELLS_MAX = 6 << 20, /* of all levels */
    FINEST_MAX = 1 << 16,
    COARSEST = 64,
    SUMS_BUCKETS = 256, /* at most; fewer where there is much to sum up */
};

#define NO_TIME UINT64_MAX

struct view_findings;
struct view_places;
struct view_part;

/* The request of the user. */
struct view_wish {
    const char *path;
    const char *output;    /* NULL: a name like the archive's */
    const char *locations; /* NULL: all */
    double from;           /* seconds from the beginning */
    double to;
    bool has_window;
    bool is_text;
    bool has_terminal; /* standard output is a terminal */
    bool has_no_findings;
    unsigned finding; /* from 1; 0: no finding */
    unsigned width;   /* columns, 0: as the terminal */
    unsigned threads; /* that share the locations; 0: as many as useful */
    bool is_served;
    const char *address; /* NULL: chosen by the system */
    double idle;         /* seconds without a request until the end; 0: no limit */
};

/* Of buckets: n of the finest level; each further level has half as many. */
struct view_shape {
    uint64_t from;
    uint64_t bucket;
    uint32_t n;
    unsigned levels;
    uint32_t stride; /* buckets of the finest level in a bucket of the sums */
};

/* The activity of a row, or of a group of rows, in a bucket. Shares are parts of 255. */
struct view_cell {
    uint32_t region; /* with most exclusive time; NIL: nothing was recorded */
    uint16_t bytes;  /* sent and received: 1024 times the binary logarithm of 1 + bytes */
    uint8_t share;
    uint8_t waiting;
    uint8_t off;
    uint8_t depth;
};

struct view_mark {
    uint32_t row; /* NIL: all */
    uint64_t from;
    uint64_t to;
    const char *kind;
    const char *text;
};

typedef LIST(struct view_mark) view_marks;

/* A location. */
struct view_row {
    uint32_t location;
    uint32_t group;
    bool has_events;
    uint64_t first;
    uint64_t last;
    uint64_t n_events;
    struct view_cell *cells; /* of all levels, the finest first */
    view_marks marks;
};

struct view_group {
    const char *name;
    bool is_host;
    uint32_t of;     /* host or process */
    uint32_t parent; /* NIL: no parent */
    uint32_t first;  /* rows */
    uint32_t n;
    uint32_t cells_at; /* number among the groups with cells; NIL: uses the cells of the only row */
    struct view_cell *cells; /* as for a row */
};

/* A window in which everything is shown in full; for one row, or (NIL) for all rows. */
struct view_window {
    uint32_t row;
    uint64_t from;
    uint64_t to;
};

typedef LIST(struct view_window) view_windows;

struct view {
    struct view_wish wish;
    const char *path; /* of the anchor file */
    char *creator;
    char *machine;
    struct archive archive; /* for the next pass; without a reader the pass opens the archive */
    struct defs defs;
    uint32_t *region_of; /* by id, as far as ids are small; NIL: search for the region */
    uint32_t n_region_of;
    bool *waits;    /* by region: a call waiting for other locations; see view_waits */
    size_t n_waits; /* regions with definitions */
    size_t n_comms; /* communicators with definitions */
    bool has_gaps;  /* records of messages are missing, see report_gaps.h */
    const char *trouble;

    bool *is_chosen; /* by location */
    uint64_t start;  /* ticks: time 0, and the duration */
    uint64_t length;
    uint64_t duration; /* ns */
    struct view_shape shape;
    bool is_whole;        /* everything is shown in full */
    view_windows windows; /* otherwise only windows are, the most wanted first */

    LIST(struct view_row) rows;
    uint32_t *row_of; /* by location */
    LIST(struct view_group) groups;
    uint32_t n_group_cells;
    LIST(const char *) hosts;
    uint32_t *host_of; /* by process */
    view_marks marks;
    LIST(char *) remarks;
    uint64_t n_events;
    _Atomic uint64_t n_done; /* events done in this pass */
    struct view_findings *findings;
    struct view_part *part;     /* the result of the pass */
    struct view_places *places; /* written down for a server; NULL: no server */
    uint64_t margin;            /* ns around windows: ends of messages there count */
};

static inline bool view_waits(const struct view *v, uint32_t region)
{
    return region < v->n_waits && v->waits[region]; /* others are not defined */
}

/* Nanoseconds since the beginning; 0 for earlier times. */
static inline uint64_t view_ns(const struct view *v, uint64_t ticks)
{
    enum { NS = 1000000000 };
    if (ticks < v->start)
        return 0;
    ticks -= v->start;
    uint64_t second = v->defs.clock.ticks_per_second;
    if (second == NS)
        return ticks;
    if (second < UINT64_MAX / NS)
        return ticks / second * NS + ticks % second * NS / second;
    return quantity_share(NS, ticks, second);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that processes hold (--memory): its course, its peak, and where it was taken. */
#ifndef TOOLS_REPORT_MEMORY_H
#define TOOLS_REPORT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <otf2/OTF2_AttributeList.h>

#include "tools/base/list.h"
#include "tools/base/map.h"

struct report;
struct stream;

/*
 * Parts of the run, equally long. Growth is measured by fortieths, both of sites and of processes.
 */
enum { MEMORY_TENTHS = 10, MEMORY_SLICES = 20, MEMORY_PARTS = 40, MEMORY_FLOORS = 200 };

/* A process, by the location with the process's values. */
struct holding {
    uint32_t location;
    uint32_t process;
    uint64_t begin;      /* time of the first value */
    uint64_t time;       /* time of the last value */
    uint64_t bytes;      /* of the heap, and mapped past the heap */
    uint64_t most_bytes; /* of all values */
    uint64_t heap;
    uint64_t peak;    /* of the heap */
    uint64_t peak_at; /* time at which the peak is known: first record behind the peak */
    uint64_t mapped;
    uint64_t mapped_peak;
    uint64_t records;
    uint64_t peaks; /* values greater than all values before; see struct memory_site */
    uint64_t most[MEMORY_SLICES];  /* in each slice, up to `time` */
    uint64_t least[MEMORY_FLOORS]; /* least in each part, up to `time`; UINT64_MAX: not known */
    uint64_t sites[MEMORY_PARTS];  /* of all call sites: what is held in each part and lasts */
};

struct memory {
    LIST(struct holding) all;
};

/*
 * Memory by call site (--memory=SIZE). Each value that belongs to a recorded block has the number
 * of bytes and the call site of the block. A sample stands for more than its own bytes.
 */
/* A call site in a process, or a path of calls to the site. */
struct memory_site {
    uint64_t begin; /* time of its first block */
    uint64_t time;  /* end of the time for which `least` is known */
    uint32_t location;
    uint32_t site;    /* NIL: not known */
    uint32_t path;    /* only blocks taken at the site by this path of calls; NIL: all blocks */
    uint32_t holding; /* of the process, in the list of the worker that has read the process */
    uint64_t blocks;  /* recorded blocks that were taken */
    uint64_t samples; /* blocks that are samples */
    uint64_t taken;   /* bytes that the blocks stand for, like the members below */
    uint64_t held;
    uint64_t most;                /* at once */
    uint64_t at_peak;             /* held while the process held most */
    uint64_t peaks;               /* number of the process's peaks that `at_peak` has seen */
    uint64_t growth;              /* as in struct memory_growth, when all events are read */
    uint64_t least[MEMORY_PARTS]; /* held in each part, up to `time`; then UINT64_MAX */
};

struct memory_sites {
    LIST(struct memory_site) all;
    struct map index_of; /* (location, site) */
    struct map path_of;  /* (location, path) */
};

/*
 * A record at the time of the stream's last event: values by enum memory_value. The attributes may
 * tell the block.
 */
void memory_take(struct report *r, struct stream *s, const uint64_t *values,
                 const OTF2_AttributeList *attributes);

/* No more values come: memory that is still held was held at all peaks since it was taken. */
void memory_sites_finish(struct report *r);

/*
 * The site with the greatest growth in a process, by the process's location; NULL: no site has
 * grown.
 */
const struct memory_site *memory_sites_most(const struct report *r, uint32_t location);
/* The path to the given site with the greatest growth; NULL: the callers are not known. */
const struct memory_site *memory_paths_most(const struct report *r, const struct memory_site *site);

/* The slice of a time; and the begin of a slice. */
uint32_t memory_slice(const struct report *r, uint64_t time);
uint64_t memory_slice_begin(const struct report *r, uint32_t slice);

/*
 * Growth in the second half of the run. `end` is the level in the last tenth of the run: the
 * greatest number of bytes that are held all through a fortieth of the run. (At its very end a
 * process may give all back.) `bytes` is `end` minus what the process holds in the middle of the
 * run and keeps. So a block that is given back before the end is no growth; if call sites are
 * recorded, the block hides no growth. `bytes` is 0 unless the memory grows steadily: at most two
 * fifths of the growth in a fortieth of the run, the middle half of the growth in no less than a
 * tenth of the run, and a tenth of the growth in the last quarter of the run.
 */
struct memory_growth {
    uint64_t end;
    uint64_t bytes;
};
struct memory_growth memory_growth(const struct holding *held);

/*
 * Bytes by which the process grows with each of `n` iterations, by the ends of the iterations. For
 * each tenth of the iterations the least held memory is taken. From the second tenth on the least
 * must be greater than in the tenth before, each time. Else the result is 0, also if the iterations
 * are too few or too short to tell.
 */
double memory_growth_each(const struct report *r, const struct holding *held, const uint64_t *ends,
                          size_t n);

#endif

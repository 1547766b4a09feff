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

/* Parts of the run, equally long. Growth is measured by fortieths, of sites and of processes. */
enum { MEMORY_TENTHS = 10, MEMORY_SLICES = 20, MEMORY_PARTS = 40, MEMORY_FLOORS = 200 };

/* One process, by the location that has its values. */
struct holding {
    uint32_t location;
    uint32_t process;
    uint64_t begin;      /* of the first value */
    uint64_t time;       /* of the last one */
    uint64_t bytes;      /* of the heap, and mapped past it */
    uint64_t most_bytes; /* of all values */
    uint64_t heap;
    uint64_t peak;    /* of the heap */
    uint64_t peak_at; /* when it is known: at the first record behind it */
    uint64_t mapped;
    uint64_t mapped_peak;
    uint64_t records;
    uint64_t peaks; /* values that were more than all before; see struct memory_site */
    uint64_t most[MEMORY_SLICES];  /* in each slice, up to `time` */
    uint64_t least[MEMORY_FLOORS]; /* the same; UINT64_MAX: not known */
};

struct memory {
    LIST(struct holding) all;
};

/*
 * By call site (--memory=SIZE): each value that belongs to a recorded block says how many bytes,
 * and where the program has taken it. A sample stands for more than its own bytes.
 */
/* One call site in one process, or one path of calls to it. */
struct memory_site {
    uint64_t begin; /* of its first block */
    uint64_t time;  /* up to which `least` is known */
    uint32_t location;
    uint32_t site;    /* NIL: not known */
    uint32_t path;    /* only what was taken at the site by this path of calls; NIL: all of it */
    uint32_t holding; /* of the process, in the list of the worker that has read it */
    uint64_t blocks;  /* recorded ones that were taken, */
    uint64_t samples; /* and how many of them are samples */
    uint64_t taken;   /* bytes, of all that they stand for, as the rest */
    uint64_t held;
    uint64_t most;                /* at once */
    uint64_t at_peak;             /* while the process held most */
    uint64_t peaks;               /* how many peaks of the process `at_peak` has seen */
    uint64_t growth;              /* as in struct memory_growth, once all is read */
    uint64_t least[MEMORY_PARTS]; /* held in each part, up to `time`; then UINT64_MAX */
};

struct memory_sites {
    LIST(struct memory_site) all;
    struct map index_of; /* (location, site) */
    struct map path_of;  /* (location, path) */
};

/* A record at the time of the stream's last event: enum memory_value; the attributes may say why.
 */
void memory_take(struct report *r, struct stream *s, const uint64_t *values,
                 const OTF2_AttributeList *attributes);

/* No more values come: all that is held was held at the peaks since it was taken. */
void memory_sites_finish(struct report *r);

/* The site that has grown most in a process, by its location; NULL: none has. */
const struct memory_site *memory_sites_most(const struct report *r, uint32_t location);
/* The path to that site that has grown most; NULL: the callers are not known. */
const struct memory_site *memory_paths_most(const struct report *r, const struct memory_site *site);

/* The slice that a time is in; and the first time of one. */
uint32_t memory_slice(const struct report *r, uint64_t time);
uint64_t memory_slice_begin(const struct report *r, uint32_t slice);

/*
 * Growth in the second half of the run. `end` is the most that is held all through a fortieth of
 * the run, in its last tenth: a process may give all back at its very end. `bytes` is `end` minus
 * the least that is held from the fifth tenth on. So a block that is given back before the end is
 * no growth, and hides none. `bytes` is 0 unless the process grows in three of the last five
 * tenths.
 */
struct memory_growth {
    uint64_t end;
    uint64_t bytes;
};
struct memory_growth memory_growth(const struct holding *held);

/*
 * Bytes by which the process grows with each of `n` iterations, whose ends are given: what is left
 * between them is least in a tenth of them, and from the second tenth on that is more than in the
 * tenth before, each time. Else 0, also if the iterations are too few or too short to tell.
 */
double memory_growth_each(const struct report *r, const struct holding *held, const uint64_t *ends,
                          size_t n);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites: the call paths of the selected locations, added up by who makes which call where. */
#ifndef TOOLS_REPORT_SITES_H
#define TOOLS_REPORT_SITES_H

#include "tools/report/topics/report_profile.h"

struct report;

struct site_sum {
    uint32_t site; /* NIL: not known, while others are */
    uint32_t region;
    uint64_t calls;
    uint64_t self;
    uint64_t durations; /* of all calls, for the mean */
    uint64_t min;
    uint64_t max;
    uint64_t waits[WAITS];
};

/* A line of the program that samples found, outside of recorded calls. */
struct line_sum {
    uint32_t site;
    uint64_t samples;
    uint64_t self; /* what these stand for, as the report shares time out */
    bool is_time;  /* they do stand for time */
};

struct sites {
    LIST(struct site_sum) all;
    LIST(struct line_sum) lines;
};

void sites_make(struct report *r);

/*
 * The site with most of the region's own time, but for waits that others are the reason for; NIL:
 * not known.
 */
uint32_t sites_most(const struct report *r, uint32_t region);

/* The line of the region with most samples; NULL: none is known. */
const struct line_sum *lines_most(const struct report *r, uint32_t region);

#endif

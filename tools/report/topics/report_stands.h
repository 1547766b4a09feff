/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where everything stands: the regions that locations were in when they were seen last, by a
 * snapshot or at the death of their processes, and what they wait for there. From that follows who
 * waits for whom, and which of them can only wait for each other.
 */
#ifndef TOOLS_REPORT_STANDS_H
#define TOOLS_REPORT_STANDS_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

struct report;

/* As agent/spur_waits.h has it. */
enum stand_kind {
    STAND_NOTHING,
    STAND_SEND,
    STAND_RECV,
    STAND_REQUEST,
    STAND_ALL,
    STAND_ANY,
    STAND_COLLECTIVE,
    STAND_LOCK,
    STAND_THREAD
};

/* A message, or an operation, that a location waits for. */
struct awaited {
    uint64_t request;
    bool is_request, sends, has_comm;
    uint32_t comm;     /* index */
    int64_t peer, tag; /* negative: any */
};

struct standing {
    uint32_t location;
    uint64_t time;    /* when it was seen last */
    uint64_t since;   /* the innermost call was entered */
    uint32_t region;  /* of it */
    uint32_t site;    /* of it, see defs.h; NIL: not known */
    const char *path; /* all open regions, the outermost first */
    enum stand_kind kind;
    LIST(struct awaited) awaited;
    LIST(uint32_t) for_whom; /* locations, all of which it needs */
    bool needs_any;          /* one of several will do: nobody can be named */
    bool is_lower_bound;     /* nobody saw when its process ended */
    uint32_t circle;         /* of locations that wait for each other, from 1 on; 0: none */
    const char *what;        /* it waits for, in words; NULL: nothing is known of that */
};

struct stands {
    LIST(struct standing) all;
    LIST(char *) circles; /* sentences */
};

void stands_register(OTF2_GlobalEvtReaderCallbacks *c);

/* When the events here are read, before anything is given away; then when all others are joined. */
void stands_close(struct report *r);
void stands_finish(struct report *r);

/* Where the location stands; NULL: nothing is known of it. */
struct standing *stands_of(const struct report *r, uint32_t location);
/* "rank 1", "rank 1, worker"; seen from a location of the same process: "thread worker" */
const char *stands_name(const struct report *r, uint32_t location, uint32_t from);

/* report_deadlock.c: find the circles. */
void stands_find_circles(struct report *r);

#endif

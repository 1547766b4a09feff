/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last known state of locations: the open regions when a snapshot, or the death of the process,
 * saw the location last, and the awaited operations there. The report derives the locations that
 * wait for each other, and the circles in which locations can only wait for each other.
 */
#ifndef TOOLS_REPORT_STANDS_H
#define TOOLS_REPORT_STANDS_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

struct report;

/* The same kinds as in agent/spur_waits.h. */
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

/* A message, or an operation, awaited by a location. */
struct awaited {
    uint64_t request;
    bool is_request, sends, has_comm;
    uint32_t comm;     /* index */
    int64_t peer, tag; /* negative: any */
};

struct standing {
    uint32_t location;
    uint64_t time;    /* when the location was seen last */
    uint64_t since;   /* when the innermost call was entered */
    uint32_t region;  /* region of the innermost call */
    uint32_t site;    /* call site of the innermost call, see defs.h; NIL: not known */
    const char *path; /* all open regions, the outermost first */
    enum stand_kind kind;
    LIST(struct awaited) awaited;
    LIST(uint32_t) for_whom; /* locations that are all needed */
    bool needs_any;          /* any of several locations suffices: nobody can be named */
    bool is_lower_bound;     /* nobody saw the end of the process */
    uint32_t circle;  /* circle of locations that wait for each other, from 1 on; 0: no circle */
    const char *what; /* the awaited operations, in words; NULL: not known */
};

struct stands {
    LIST(struct standing) all;
    LIST(char *) circles; /* sentences */
};

void stands_register(OTF2_GlobalEvtReaderCallbacks *c);

/*
 * stands_close(): when the worker has read its events, before it gives its results away.
 * stands_finish(): when the results of all other workers are joined.
 */
void stands_close(struct report *r);
void stands_finish(struct report *r);

/* The last state of the location; NULL: not known. */
struct standing *stands_of(const struct report *r, uint32_t location);
/* "rank 1", "rank 1, worker"; seen from a location of the same process: "thread worker" */
const char *stands_name(const struct report *r, uint32_t location, uint32_t from);

/* report_deadlock.c: finds the circles. */
void stands_find_circles(struct report *r);

#endif

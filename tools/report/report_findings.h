/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Findings: the most expensive things of a run, a sentence each. A finding costs time of threads.
 * Time in which a call waits for another thread counts for the wait, and not for the call.
 */
#ifndef TOOLS_REPORT_FINDINGS_H
#define TOOLS_REPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/causes/causes.h"
#include "tools/report/topics/report_place.h"

struct report;
struct lock;

struct finding {
    const char *kind; /* region, late_sender, ... */
    double ticks;
    const char *text;
    struct place place; /* where the finding is seen best */
    uint32_t site;      /* where in the program, see defs.h; NIL: not known */
    bool is_last;       /* behind all other findings, whatever the cost */
    struct because because;
};

/* Time and calls of threads that mostly wait, in a region. */
struct idle {
    uint64_t ticks, calls;
};

struct findings {
    LIST(struct finding) all;
    const bool *is_idle; /* by location: mostly waits (report_findings_idle.c) */
    struct idle *idle;   /* by region */
    double all_idle;     /* ticks */
};

enum { FINDINGS_MOST = 10 }; /* unless the user says otherwise */

/* Whether so much time is worth a sentence. */
bool findings_is_worth_it(const struct report *r, double ticks);

/* At most `most` findings, each worth a sentence, in the order of the report. */
struct findings findings_of(struct report *r, size_t most);

/* All of a location's life, for a finding about the location. Empty: the location has no events. */
struct place findings_life(const struct report *r, uint32_t location);

/* Adds a finding. `text` is kept. `site` NIL: not known. */
void findings_add(struct findings *found, const char *kind, double ticks, struct place place,
                  uint32_t site, const char *text);

/* Adds a finding before the finding with this index. */
void findings_insert(struct findings *found, size_t at, struct finding one);

/* Threads that mostly wait; called before all other kinds (report_findings_idle.c). */
void findings_of_idle(struct report *r, struct findings *found);

/* Causes of waiting ranks (report_findings_ranks.c). */
void findings_of_ranks(struct report *r, struct findings *found);

/* Iterations that get slower, and single slow iterations (report_findings_iterations.c). */
void findings_add_iterations(struct report *r, struct findings *found);

/* A lock by its name, or by its number and its first acquisition (report_findings_locks.c). */
const char *findings_lock_name(const struct report *r, const struct lock *lock);
/* "3 of its 7 acquisitions. A thread ..." */
const char *findings_lock_taken(const struct report *r, const struct lock *lock);
/* The thread that holds the lock while other threads wait, its line and its reason: a sentence with
 * a blank before; or "". */
const char *findings_lock_holder(const struct report *r, const struct lock *lock);

/* Files that take time, and calls that open files or ask for metadata (report_findings_files.c). */
void findings_of_files(struct report *r, struct findings *found);

/* Devices without work, and the work of devices (report_findings_devices.c). */
void findings_of_devices(struct report *r, struct findings *found);

/* Puts deadlocks in front of all findings (report_findings_stands.c). */
void findings_add_deadlocks(const struct report *r, struct findings *found);

/*
 * Puts the end of the run in front of all findings, if the run ended badly (report_findings_end.c).
 */
void findings_add_end(struct report *r, struct findings *found);

/* Puts processes without a processor in front of all findings (report_findings_starved.c). */
void findings_add_starved(struct report *r, struct findings *found);

/* Puts the process whose memory grows most in front of all findings (report_findings_memory.c). */
void findings_add_memory(struct report *r, struct findings *found);

#endif

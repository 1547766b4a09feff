/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a process ran and what it used, as properties of its location group tell (session/usage.h).
 */
#ifndef TOOLS_BASE_PLACEMENT_H
#define TOOLS_BASE_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "session/usage.h"
#include "tools/base/defs.h"

#define PLACEMENT_UNKNOWN UINT64_MAX

struct placement {
    char *cores;    /* "0-3,8": where its threads could run; "": not known. As the next ones. */
    char *at_start; /* where it could run before that; "": the same */
    char *seen;     /* where it was seen, */
    char *nodes;    /* and on which NUMA nodes */
    uint64_t n_cores;
    uint64_t count[SPUR_USAGE_COUNTED]; /* PLACEMENT_UNKNOWN: as it says */
    uint64_t peak_kib;
    uint64_t migrations;
};

/* The texts are the caller's, who gives them back by placement_free(). */
struct placement placement_of(const struct defs *d, uint32_t process);
void placement_free(struct placement *p);

/* A count of microseconds, in ticks; 0: not known. */
double placement_ticks(const struct defs *d, uint64_t us);
/* CPU time of all threads, in ticks; 0: not known. */
double placement_cpu(const struct defs *d, const struct placement *p);

/* Whether the archive says anything of the process. */
bool placement_is_known(const struct defs *d, uint32_t process);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank of a replay (compare_replay.h): what its events do, until it has to wait for others. */
#ifndef TOOLS_REPORT_COMPARE_RANK_H
#define TOOLS_REPORT_COMPARE_RANK_H

#include <otf2/otf2.h>

#include "tools/base/archive.h"
#include "tools/report/compare/compare_counters.h"
#include "tools/report/compare/compare_deps.h"

struct rank {
    struct pass *pass;
    OTF2_EvtReader *events;
    uint32_t index;
    uint32_t location;
    uint32_t process;
    uint64_t begin; /* of what counts, and its end */
    uint64_t end;
    uint64_t last;
    uint64_t ideal;       /* when it is here on the ideal network */
    LIST(bool) is_in_mpi; /* by open region */
    bool is_framed;       /* by MPI_Init and MPI_Finalize */
    bool has_begun;
    bool has_ended;
    bool is_waiting; /* for others */
    struct counting counting;
};

struct pass {
    struct report *r;
    struct archive archive;
    struct counters counters;
    struct deps deps;
    LIST(struct rank) ranks;
    LIST(uint32_t) ready;
    LIST(uint32_t) next; /* ready, when all of the first are through */
    const char *why_not;
};

/* Of struct rank. */
OTF2_EvtReaderCallbacks *rank_callbacks(void);

/* Whether the time at which the rank is counts as work. */
bool rank_counts(const struct rank *k);

/* The rank's time goes on up to here. */
void rank_advance(struct rank *k, uint64_t time);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations, as their members tell of them; report_instances.h joins these. The n-th
 * one of each member of a communicator is the same instance; when all members are through it, those
 * who came early have waited: for the last of all, for the root, the root for the others, or for
 * lower ranks, as the operation has it. Non-blocking ones are an order of their own, and waiting
 * for them begins in the call that completes them.
 */
#ifndef TOOLS_REPORT_COLLECTIVES_H
#define TOOLS_REPORT_COLLECTIVES_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/event_callbacks.h"
#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report_instances.h"
#include "tools/report/topics/report_place.h"

struct report;
struct stream;

/* All calls of one function on one communicator; but for `instances` those of selected locations.
 */
struct collective {
    uint32_t comm;
    OTF2_CollectiveOp op;
    uint32_t region; /* NIL: non-blocking, which are completed in any region */
    uint64_t calls;
    uint64_t instances; /* that were complete */
    uint64_t sent;
    uint64_t received;
    uint64_t ticks;
    uint64_t waited;
    struct place longest; /* wait, and who was waited for */
    uint32_t culprit;     /* the share for which was waited most, NIL: nobody waited */
    struct birth born;
};

/* Who was waited for, or who waited, in a struct collective. */
struct share {
    uint32_t collective;
    uint32_t process;
    uint64_t caused;
    uint64_t waited;
};

struct collectives {
    LIST(struct collective) all;
    struct map index_of; /* (communicator, operation and region) */
    struct map count_of; /* (communicator and kind, process) to how many so far */
    LIST(struct share) shares;
    struct map share_of; /* (index in all, process) */
    struct instances instances;
    uint64_t incomplete; /* at the end */
    uint64_t unknown;    /* parts of which nobody knows what they belong to */
};

/* Operations of different kinds have orders of their own. */
enum collective_kind { COLLECTIVE_BLOCKING, COLLECTIVE_NON_BLOCKING, COLLECTIVE_RMA };

struct collective_end {
    OTF2_CollectiveOp op;
    uint32_t comm; /* index */
    uint32_t root;
    uint64_t sent;
    uint64_t received;
    enum collective_kind kind;
};

/* The stream is through a blocking operation that began at its collective_begin. */
void collectives_ended(struct report *r, struct stream *s, const struct collective_end *end);

void collectives_register(OTF2_GlobalEvtReaderCallbacks *c);

/* A blocking operation begins; those of a window read the same. */
OTF2_CallbackCode collectives_on_begin(MERGED_EVENT);

/* The calls of a function on a communicator, which may be new. */
uint32_t collectives_of(struct collectives *c, uint32_t comm, OTF2_CollectiveOp op, uint32_t region,
                        struct birth born);

/* When all events are read; then when what all workers have is joined. */
void collectives_close(struct report *r);
void collectives_finish(struct report *r);
const char *collective_name(const struct report *r, const struct collective *c);

#endif

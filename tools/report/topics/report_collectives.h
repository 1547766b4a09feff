/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations, as the events of their members tell; report_instances.h joins the members.
 * The n-th operations of all members of a communicator are the same instance. When all members have
 * left the operation, the waiting of the early members is known: depending on the operation, they
 * waited for the last of all members, for the root, for lower ranks, or (as root) for all members.
 * Non-blocking operations are counted in an order of their own, and waiting for a non-blocking
 * operation begins in the call that completes the operation.
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

/*
 * All calls of a function on a communicator. Only `instances` counts the calls of unselected
 * locations too.
 */
struct collective {
    uint32_t comm;
    OTF2_CollectiveOp op;
    uint32_t region; /* NIL: non-blocking operations, completed in any region */
    uint64_t calls;
    uint64_t instances; /* complete instances */
    uint64_t sent;
    uint64_t received;
    uint64_t ticks;
    uint64_t waited;
    struct place longest; /* longest wait, and the location that was waited for */
    uint32_t culprit;     /* share with the most waiting of others for it, NIL: nobody waited */
    struct birth born;
};

/* A process that was waited for, or that waited, in a struct collective. */
struct share {
    uint32_t collective;
    uint32_t process;
    uint64_t caused;
    uint64_t waited;
};

struct collectives {
    LIST(struct collective) all;
    struct map index_of; /* (communicator, operation and region) */
    struct map count_of; /* (communicator and kind, process) to the number so far */
    LIST(struct share) shares;
    struct map share_of; /* (index in all, process) */
    struct instances instances;
    uint64_t incomplete; /* instances that were incomplete at the end */
    uint64_t unknown;    /* parts whose operation is not known */
};

/* Operations of different kinds are counted in separate orders. */
enum collective_kind { COLLECTIVE_BLOCKING, COLLECTIVE_NON_BLOCKING, COLLECTIVE_RMA };

struct collective_end {
    OTF2_CollectiveOp op;
    uint32_t comm; /* index */
    uint32_t root;
    uint64_t sent;
    uint64_t received;
    enum collective_kind kind;
};

/* The stream has left a blocking operation, begun at the stream's collective_begin. */
void collectives_ended(struct report *r, struct stream *s, const struct collective_end *end);

void collectives_register(OTF2_GlobalEvtReaderCallbacks *c);

/* A blocking operation begins. The begin of an operation on a window has the same callback. */
OTF2_CallbackCode collectives_on_begin(MERGED_EVENT);

/* The index of the calls of a function on a communicator; new calls are added. */
uint32_t collectives_of(struct collectives *c, uint32_t comm, OTF2_CollectiveOp op, uint32_t region,
                        struct birth born);

/*
 * collectives_close(): when all events are read. collectives_finish(): when the results of all
 * workers are joined.
 */
void collectives_close(struct report *r);
void collectives_finish(struct report *r);
const char *collective_name(const struct report *r, const struct collective *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between two ranks, as the events at both ends tell; report_matching.h joins the ends. A
 * send and a receive belong together when communicator, tag, sender and receiver are the same, in
 * the order of events. A pair gives the waiting location. Late sender: the receiver was in its call
 * before the message was sent. Late receiver: the sender was in its call before the receive was
 * posted, and stayed there until then. If several messages explain a location's waiting, the
 * waiting counts once.
 *
 * Memory follows the messages that are under way.
 */
#ifndef TOOLS_REPORT_MESSAGES_H
#define TOOLS_REPORT_MESSAGES_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/event_callbacks.h"
#include "tools/base/fail.h"
#include "tools/base/match.h"
#include "tools/report/topics/report_matching.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_place.h"

struct report;
struct frame;
struct stream;

/* All messages of a sender to a receiver, both processes. */
struct pair {
    uint32_t sender;
    uint32_t receiver;
    uint64_t n;
    uint64_t bytes;
    uint64_t late_sender; /* waiting of selected locations */
    uint64_t late_receiver;
    struct place longest_sender; /* longest waits of both kinds, with the location waited for */
    struct place longest_receiver;
    uint64_t rma; /* one-sided operations of the sender on the receiver's memory */
    uint64_t rma_bytes;
    struct birth born;
};

struct messages {
    LIST(struct pair) pairs;
    struct map pair_of; /* (sender, receiver) */
    struct matching matching;
    struct map request_of; /* (process, request) to the handle of the message sent so */
    struct posts posts;
    LIST(struct sent) sent; /* by handle, where there are several workers; see matching_send */
    LIST(uint32_t) free;
    uint64_t n_sends;
    uint64_t n_receives;
    uint64_t nowhere; /* to or from a rank that does not exist */
    uint64_t unknown; /* halves whose messages are not known */
};

/* The index of the pair of two processes; a new pair is added. */
uint32_t messages_pair(struct messages *m, uint32_t sender, uint32_t receiver, struct birth born);

/* A request is posted: of a receive, or of a collective operation. */
OTF2_CallbackCode messages_on_posted(MERGED_EVENT, uint64_t request);

void messages_register(OTF2_GlobalEvtReaderCallbacks *c);
/* One-sided communication: operations and bytes by pair of processes, collective operations. */
void rma_register(OTF2_GlobalEvtReaderCallbacks *c);

/*
 * The call in which the stream has sent messages returns, at the time of the stream's last event.
 */
void messages_returned(struct report *r, struct stream *s);

/*
 * A call of MPI that stands for several polls (MPI_Iprobe) has ended: the message received next may
 * have been awaited there.
 */
void messages_polled(const struct report *r, struct stream *s, const struct frame *frame);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages between two ranks. A send and a receive belong together when communicator, tag, sender
 * and receiver are the same, in their order. From a pair follows who waited: the receiver when it
 * was in its call before the message was sent (late sender), the sender when it was in its call
 * before the receive was posted, and stayed there until then (late receiver). Waiting of a location
 * that several messages explain is accounted for once.
 *
 * Memory follows the messages that are under way.
 */
#ifndef TOOLS_REPORT_MESSAGES_H
#define TOOLS_REPORT_MESSAGES_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/fail.h"
#include "tools/base/match.h"
#include "tools/report/topics/report_place.h"

struct report;
struct stream;

/* Of one sender to one receiver, both processes. */
struct pair {
    uint32_t sender;
    uint32_t receiver;
    uint64_t n;
    uint64_t bytes;
    uint64_t late_sender; /* waiting of selected locations */
    uint64_t late_receiver;
    struct place longest_sender; /* waits of both kinds, and for whom */
    struct place longest_receiver;
    uint64_t rma; /* one-sided operations of the sender on the receiver's memory */
    uint64_t rma_bytes;
};

/* A message that was sent, received, or both, and of which something is not known yet. */
struct message {
    uint64_t sent;        /* of a receive that came first: 0 */
    uint64_t posted;      /* the receive */
    uint64_t block_begin; /* the sender's call that lasted until the message was on its way */
    uint64_t block_end;

    uint32_t node;   /* of that call */
    uint32_t stream; /* of the sender */
    uint32_t pair;
    uint64_t number;  /* in its channel, see report_gaps.h */
    bool is_matched;  /* or will not be */
    bool is_returned; /* block_* are known */
};

struct messages {
    LIST(struct pair) pairs;
    struct map pair_of; /* (sender, receiver) */
    LIST(struct message) pool;
    struct match match;
    struct map request_of; /* (process, request) to a message that is sent under it */
    struct posts posts;
    uint64_t n_sends;
    uint64_t n_receives;
    uint64_t reversed;   /* received before they were sent */
    uint64_t nowhere;    /* to or from a rank that does not exist */
    uint64_t unreceived; /* at the end, or where records are missing */
    uint64_t unsent;
    uint64_t unknown; /* halves of which nobody knows what they belong to */
    bool has_clocks;  /* some were received before they were sent, between hosts */
};

/* The pair of two processes, which may be new. */
uint32_t messages_pair(struct messages *m, uint32_t sender, uint32_t receiver);

void messages_register(OTF2_GlobalEvtReaderCallbacks *c);
void messages_finish(struct report *r);

/* The call in which the stream has sent something returns, at the time of its last event. */
void messages_returned(struct report *r, struct stream *s);

#endif

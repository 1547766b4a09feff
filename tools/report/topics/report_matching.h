/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matches sends and receives, and finds the waiting locations: the shared part of messages. All
 * messages from a sender to a receiver are matched by the same worker. The worker that reads a
 * location adds up all waiting of the location (report_notes.h).
 *
 * Memory is proportional to the messages that are under way.
 */
#ifndef TOOLS_REPORT_MATCHING_H
#define TOOLS_REPORT_MATCHING_H

#include <stdbool.h>

#include "tools/base/match.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_place.h"

/* A message that was sent, received, or both, but is not fully known yet. */
struct message {
    uint64_t sent;        /* time of the send; of a receive without its send: of the receive */
    uint64_t posted;      /* time at which the receive was posted */
    uint64_t block_begin; /* the sender's call that lasted until the message was on its way */
    uint64_t block_end;
    uint64_t number; /* number in its channel, see report_gaps.h */
    uint64_t who;    /* sender and receiver, see struct envelope */

    uint32_t node;    /* node of the sender's call */
    uint32_t stream;  /* stream of the sender */
    bool is_matched;  /* or will never be matched */
    bool is_returned; /* block_* are known */
};

/* A message whose send has not returned, as the worker of the sender knows the message. */
struct sent {
    uint32_t receiver; /* process */
    uint32_t message;  /* index in the pool; NIL: the worker of the receiver has the message */
};

/* Messages by handle. */
struct held {
    LIST(uint32_t) messages;
};

struct matching {
    LIST(struct message) pool;
    struct match match;
    LIST(struct held) held; /* by worker: messages whose send has not returned */
    uint64_t reversed;      /* messages received before their send */
    uint64_t unreceived;    /* without a receive, at the end or where records are missing */
    uint64_t unsent;
    bool has_clocks; /* messages between hosts were received before their send */
};

/* When the sender goes on: when its call returns, at once, or when the request is complete. */
enum send_mode { SEND_IN_CALL, SEND_AT_ONCE, SEND_BY_REQUEST };

/* The facts of a message when the message is sent, */
struct half_sent {
    struct envelope e;
    uint64_t number;
    uint32_t location;
    uint32_t node;
    uint32_t handle;
    enum send_mode mode;
};

/* when its sender goes on, */
struct half_returned {
    uint64_t begin; /* begin of the call that waited; MATCHING_IN_CALL: the send itself waited */
    uint64_t end;
    uint32_t location;
    uint32_t node;
    uint32_t handle;
    uint32_t unused;
};

#define MATCHING_IN_CALL UINT64_MAX
#define MATCHING_NO_CALL UINT64_MAX

/* and when the message is received. */
struct half_received {
    struct envelope e;
    uint64_t number;
    uint64_t posted;
    uint64_t enter; /* begin of the call; MATCHING_NO_CALL: no call */
    uint32_t location;
    uint32_t node;
    struct probed probed; /* probed before the call */
};

/*
 * Tell the facts above. A message has a handle until its send has returned. A message whose sender
 * does not wait has no handle.
 */
uint32_t matching_send(struct report *r, struct stream *s, struct half_sent *half);
void matching_return(struct report *r, struct stream *s, struct half_returned *half);
void matching_receive(struct report *r, struct stream *s, const struct half_received *half);

void matching_finish(struct report *r);

/* Adds up the remaining waits, when all waits are known. */
void matching_account(struct report *r);

/* Take the notes of other workers (report_notes.c). */
void matching_take_send(struct report *r, const struct engine_note *note, const void *data);
void matching_take_return(struct report *r, const struct engine_note *note, const void *data);
void matching_take_receive(struct report *r, const struct engine_note *note, const void *data);
void matching_take_wait(struct report *r, const void *data);

#endif

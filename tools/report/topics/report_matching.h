/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matches sends and receives, and finds who waited: the shared part of messages. One worker matches
 * all messages of a sender and a receiver. The worker that reads a location adds up all waiting of
 * the location (report_notes.h).
 *
 * Memory is proportional to the messages that are under way.
 */
#ifndef TOOLS_REPORT_MATCHING_H
#define TOOLS_REPORT_MATCHING_H

#include <stdbool.h>

#include "tools/base/match.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_place.h"

/* A message that was sent, received, or both, and of which something is not known yet. */
struct message {
    uint64_t sent;        /* of a receive that came first: when it was received */
    uint64_t posted;      /* the receive */
    uint64_t block_begin; /* the sender's call that lasted until the message was on its way */
    uint64_t block_end;
    uint64_t number; /* in its channel, see report_gaps.h */
    uint64_t who;    /* sender and receiver, see struct envelope */

    uint32_t node;    /* of that call */
    uint32_t stream;  /* of the sender */
    bool is_matched;  /* or will not be */
    bool is_returned; /* block_* are known */
};

/* What the worker of the sender knows of a message that has not returned. */
struct sent {
    uint32_t receiver; /* process */
    uint32_t message;  /* in the pool; NIL: the worker of the receiver has it */
};

/* By handle. */
struct held {
    LIST(uint32_t) messages;
};

struct matching {
    LIST(struct message) pool;
    struct match match;
    LIST(struct held) held; /* by worker: messages that have not returned */
    uint64_t reversed;      /* received before they were sent */
    uint64_t unreceived;    /* at the end, or where records are missing */
    uint64_t unsent;
    bool has_clocks; /* some were received before they were sent, between hosts */
};

/* When the sender goes on: when its call returns, at once, or when the request is complete. */
enum send_mode { SEND_IN_CALL, SEND_AT_ONCE, SEND_BY_REQUEST };

/* What is told of a message that is sent, */
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
    uint64_t begin; /* of the call in which it waited; MATCHING_IN_CALL: in that of the send */
    uint64_t end;
    uint32_t location;
    uint32_t node;
    uint32_t handle;
    uint32_t unused;
};

#define MATCHING_IN_CALL UINT64_MAX
#define MATCHING_NO_CALL UINT64_MAX

/* and when it is received. */
struct half_received {
    struct envelope e;
    uint64_t number;
    uint64_t posted;
    uint64_t enter; /* the call; MATCHING_NO_CALL: there is none */
    uint32_t location;
    uint32_t node;
    struct probed probed; /* before the call */
};

/* Tell that. A message has a handle, but one whose sender does not wait, until it has returned. */
uint32_t matching_send(struct report *r, struct stream *s, struct half_sent *half);
void matching_return(struct report *r, struct stream *s, struct half_returned *half);
void matching_receive(struct report *r, struct stream *s, const struct half_received *half);

void matching_finish(struct report *r);

/* Counts the waits that are left, when all are known. */
void matching_account(struct report *r);

/* What comes as notes (report_notes.c). */
void matching_take_send(struct report *r, const struct engine_note *note, const void *data);
void matching_take_return(struct report *r, const struct engine_note *note, const void *data);
void matching_take_receive(struct report *r, const struct engine_note *note, const void *data);
void matching_take_wait(struct report *r, const void *data);

#endif

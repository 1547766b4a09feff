/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues of messages whose other half is not known yet. Halves of the same envelope wait in a
 * queue, in the order of their events. A message is an index into an array of the user. Freed
 * indices are used again, so that memory follows the messages under way. An empty queue stays for
 * the next message of its envelope, unless many queues are empty. Besides: the times at which open
 * requests were made.
 */
#ifndef TOOLS_BASE_MATCH_H
#define TOOLS_BASE_MATCH_H

#include <stdbool.h>

#include "tools/base/list.h"
#include "tools/base/map.h"

/* The four numbers that have to be equal, as a key. */
struct envelope {
    uint64_t what;
    uint64_t who;
};

static inline struct envelope envelope(uint32_t comm, uint32_t tag, uint32_t sender,
                                       uint32_t receiver)
{
    return (struct envelope){(uint64_t)comm << 32 | tag, (uint64_t)sender << 32 | receiver};
}

struct match_queue {
    struct envelope e;
    uint32_t head; /* NIL: the queue is empty, or free */
    uint32_t tail;
    uint32_t next_free;
    bool of_receives;
    bool is_free;
};

struct match {
    LIST(uint32_t) next; /* by message: next of its queue; if free: next free index + 1 */
    uint32_t free;       /* index + 1 of a free message, 0: no message is free */
    LIST(struct match_queue) queues;
    uint32_t free_queue; /* index + 1 of a free queue, likewise */
    struct map queue_of; /* envelopes to queues */
    size_t n_empty;      /* queues without messages */
    struct envelope last;
    uint32_t last_queue; /* queue of `last`, if known: look-ups often repeat an envelope */
    bool is_last_known;
};

/* A new message. Its index is at most the number of all indices so far. */
uint32_t match_new(struct match *m);
void match_free(struct match *m, uint32_t message);

/* A half, a receive or a send, waits behind the halves of the same envelope and kind. */
void match_wait(struct match *m, struct envelope e, uint32_t message, bool is_receive);

/*
 * The oldest waiting half of the envelope, if its kind (receive or send) is the wanted kind; else
 * NIL.
 */
uint32_t match_oldest(struct match *m, struct envelope e, bool is_receive);

/* Takes the oldest half out of its queue, and returns the message. */
uint32_t match_take(struct match *m, struct envelope e);

/* Times at which requests were made, by process. */
struct posts {
    struct map index_of;
    LIST(uint64_t) times;
    LIST(uint32_t) free;
};

void posts_add(struct posts *p, uint32_t process, uint64_t request, uint64_t time);

/*
 * Returns the time of a request and forgets the request. `otherwise`: the result for an unknown
 * request.
 */
uint64_t posts_take(struct posts *p, uint32_t process, uint64_t request, uint64_t otherwise);

#endif

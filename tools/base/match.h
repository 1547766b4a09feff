/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages whose other half is not known yet: halves of one envelope wait in a queue, in their
 * order. A message is an index into an array of the user's; those that are freed are used again, so
 * memory follows what is under way. A queue that gets empty stays for the next message, unless
 * those are many. And when the requests were made that are open.
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
    uint32_t head; /* NIL: it is empty, or free */
    uint32_t tail;
    uint32_t next_free;
    bool of_receives;
    bool is_free;
};

struct match {
    LIST(uint32_t) next; /* by message: in its queue, or of the free ones plus 1 */
    uint32_t free;       /* index + 1 of a free message, 0: none */
    LIST(struct match_queue) queues;
    uint32_t free_queue; /* likewise */
    struct map queue_of; /* envelopes to queues */
    size_t n_empty;      /* of these */
    struct envelope last;
    uint32_t last_queue; /* of that envelope, if it is known: one is asked for several times */
    bool is_last_known;
};

/* A message; its index is at most one behind those that there were. */
uint32_t match_new(struct match *m);
void match_free(struct match *m, uint32_t message);

/* A half that is a receive, or a send, waits behind those of the same envelope and kind. */
void match_wait(struct match *m, struct envelope e, uint32_t message, bool is_receive);

/* The oldest that waits, if it is a receive, or a send, as asked for. NIL: none. */
uint32_t match_oldest(struct match *m, struct envelope e, bool is_receive);

/* It waits no more. */
uint32_t match_take(struct match *m, struct envelope e);

/* When requests were made, by process. */
struct posts {
    struct map index_of;
    LIST(uint64_t) times;
    LIST(uint32_t) free;
};

void posts_add(struct posts *p, uint32_t process, uint64_t request, uint64_t time);

/* Tells and forgets it. */
uint64_t posts_take(struct posts *p, uint32_t process, uint64_t request, uint64_t otherwise);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependencies between the ranks of a replay: messages, and parts of collective operations. */
#ifndef TOOLS_REPORT_COMPARE_DEPS_H
#define TOOLS_REPORT_COMPARE_DEPS_H

#include <stdbool.h>

#include "tools/base/match.h"
#include "tools/report/topics/report.h"

/* The begin of a send that is not received yet; or a receive that waits for its send. */
struct deps_message {
    uint64_t ideal;
    uint32_t rank;
};

/* An operation not yet reached, or not yet left, by all members. */
struct deps_meeting {
    uint64_t *begins; /* by rank in the communicator */
    bool *is_there;
    uint32_t size;
    uint32_t n;     /* arrived members */
    uint32_t first; /* all lower ranks have arrived; the latest of the lower ranks began at: */
    uint64_t first_begin;
    uint64_t last_begin; /* of all arrived members */
    uint32_t root;
    enum instance_rule rule;
    LIST(uint32_t) waiting; /* ranks of the replay, and the same ranks in the communicator */
    LIST(uint32_t) as;
};

struct deps {
    struct match match;
    LIST(struct deps_message) messages;
    LIST(struct deps_meeting) meetings;
    struct map meeting_of; /* (communicator and kind, number) */
    struct map count_of;   /* (communicator and kind, process) to the number so far */
    LIST(uint32_t) free;
    struct posts posts; /* begins of non-blocking operations, by process and request */
};

/* A rank may go on: its call ends no sooner than `ideal`. */
typedef void deps_go_on(void *user, uint32_t rank, uint64_t ideal);

/* A member's part in an operation. */
struct deps_part {
    uint64_t order; /* communicator and kind */
    uint64_t begin;
    uint32_t rank; /* of the replay */
    uint32_t process;
    uint32_t member; /* rank in the communicator */
    uint32_t size;   /* size of the communicator */
    uint32_t root;
    enum instance_rule rule;
};

/* A send begins at `begin`. A receive of a rank: false means that the rank has to wait. */
void deps_send(struct deps *d, struct envelope e, uint64_t begin, deps_go_on *go_on, void *user);
bool deps_receive(struct deps *d, struct envelope e, uint32_t rank, uint64_t *until);

/* False: the rank has to wait for other members. */
bool deps_meet(struct deps *d, const struct deps_part *part, uint64_t *until, deps_go_on *go_on,
               void *user);

void deps_free(struct deps *d);

#endif

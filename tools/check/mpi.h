/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the rules about MPI: communicators, their members, and requests. */
#ifndef CHECK_MPI_H
#define CHECK_MPI_H

#include "tools/check/check_tell.h"

/*
 * A collective operation, reached by one member after the other; dropped when all members have
 * reached the operation.
 */
struct instance;

struct comm {
    struct node node; /* a: id, b: series + 1 */
    uint32_t id;
    uint64_t series; /* 0: the communicator; n + 1: its persistent collective operation n */
    uint32_t name;
    bool is_self;
    bool is_inter;
    bool is_global;             /* events give ranks of the world */
    bool has_life;              /* flags: creation and destruction are recorded */
    const uint64_t *members[2]; /* world ranks; NULL: 0, 1, 2, ... */
    uint64_t n[2];
    uint64_t *by_rank[2]; /* places of the members by rank; NULL: the ranks ascend */
    bool is_indexed[2];   /* by_rank is known */
    uint64_t n_created;
    struct instance *instances; /* operations not yet reached by all members */
    size_t first_instance, n_instances, instances_room;
    uint64_t n_complete; /* operations before `instances` */
    bool is_out_of_step; /* members disagree: reported already */
};

/* A process as a member of a communicator. */
struct membership {
    struct node node; /* a: communicator, b: rank in the world, c: series + 1, or 0 */
    struct comm *comm;
    uint64_t rank; /* in the world */
    uint8_t side;  /* 1: in the second group of an inter-communicator */
    uint64_t index;
    bool is_member;
    bool is_created, is_destroyed, is_used;
    uint64_t created, destroyed, first_use, last_use;
    uint64_t n_operations; /* collective operations */
};

/* The owner's key of all notes about a communicator. */
static inline struct key comm_key(uint32_t comm)
{
    return (struct key){.a = comm};
}

/* For the owner of a communicator: the member that the note is about; NULL: no note yet. */
struct membership *membership_taken(struct check *c, const struct engine_note *n, uint32_t comm,
                                    uint64_t rank);

/* NULL: no MPI communicator has this number; reported already. */
struct membership *membership_of(struct check *c, struct location *at, uint32_t number);

/*
 * The same process in a persistent collective operation: `series` as marked. The starts belong
 * together with the starts of the other members' operation from the same initialisation, whatever
 * operations come between.
 */
struct membership *membership_in_series(struct check *c, const struct membership *m,
                                        uint64_t series);

/* The rank in the world of a peer; NO_RANK: the rank is no peer, reported already. */
uint64_t peer_of(struct check *c, struct location *at, const struct membership *m, uint32_t rank);

/* An operation was started in the communicator. */
void membership_use(struct location *at, struct membership *m);

/* The number of ranks possible for a peer or root. */
uint64_t comm_peers(const struct membership *m);

static inline uint64_t comm_member(const struct comm *comm, unsigned side, uint64_t i)
{
    return comm->members[side] ? comm->members[side][i] : i;
}

/* NULL: no note of that rank in the communicator. */
const struct membership *membership_find(const struct check *c, const struct comm *comm,
                                         uint64_t rank);
void comms_each(struct check *c, enum phase phase, void (*visit)(void *comm, void *context));

const char *comm_text(const struct check *c, const struct comm *comm);

/* ---- requests: of stage 1 ---- */

enum request_kind { REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE };

/* The channel of a message: the messages that must stay in order. */
struct channel_id {
    uint32_t comm;
    uint32_t is_known; /* 0: no channel, reported already */
    uint64_t pair;     /* sender and receiver, as ranks in the world */
    uint64_t tag;      /* and PARTITIONED */
};

#define PARTITIONED (UINT64_C(1) << 32)

/* A note about the opening of a request. */
struct opening {
    uint64_t time, id;
    uint64_t size;   /* of a send */
    uint64_t series; /* + 1, of a persistent collective operation */
    struct channel_id channel;
    uint8_t kind; /* enum request_kind */
    bool is_partitioned, is_unordered;
    uint8_t unused[5];
};

struct request {
    struct node node; /* a: process, b: id */
    enum request_kind kind;
    struct location *at; /* location that started the request */
    uint64_t event, time;
    struct moment moment;
    struct request *before, *after; /* open requests of the same kind */
    struct channel_id channel;      /* of a send */
    uint64_t size;
    uint64_t series; /* + 1, of a persistent collective operation */
    bool is_partitioned;
    bool is_unordered; /* the receive of a matched probe */
};

/* The owner's key of all notes about the requests of a process. */
static inline struct key requests_key(const struct process *process)
{
    return (struct key){.a = process->node.key.a};
}

/*
 * The open request that an event of the given kind completes; NULL: no such request, reported
 * already.
 */
struct request *request_done(struct check *c, const struct engine_note *n, struct place where,
                             uint64_t id, enum request_kind kind);
void request_close(struct check *c, const struct engine_note *n, struct place where,
                   struct request *r);

/* check_messages.c: a send under a request did not take place. */
void message_cancel(struct check *c, const struct engine_note *n, const struct request *r);

/* check_collectives.c: collective operations held back by an open request may go on. */
void collectives_release(struct check *c, const struct engine_note *n, struct process *process);

#endif

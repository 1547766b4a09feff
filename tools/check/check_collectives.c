/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about collective operations: the n-th operation of a communicator is the same for all its
 * members. The order is the order of begin. The kind of a non-blocking operation is known only at
 * the end: until then the later operations are held back.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check/mpi.h"

enum { COLLECTIVE_OPS = OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE + 1 };

#define BIT(OP) (1u << OTF2_COLLECTIVE_OP_##OP)

static const uint32_t rooted =
    BIT(BCAST) | BIT(GATHER) | BIT(GATHERV) | BIT(SCATTER) | BIT(SCATTERV) | BIT(REDUCE);
/* In a synchronising operation nobody leaves before the last member has entered. */
static const uint32_t synchronising = BIT(BARRIER) | BIT(ALLREDUCE);

/* The operation of a member, as told by a note. */
struct done {
    uint64_t end; /* the time of the event */
    uint64_t begin, sent, received;
    uint64_t rank;   /* in the world */
    uint64_t series; /* series + 1 of a persistent operation */
    uint32_t comm, op, root;
    bool is_blocking, has_failed;
    bool is_known; /* the member is known; else a fault was reported */
    uint8_t unused;
};

/* A note to the process, which knows the process's earlier operations. */
struct operation_note {
    struct done done;
    struct moment begin; /* of a blocking operation */
    uint64_t request;    /* of a non-blocking operation */
};

/* Held back, by the order of their begin. */
struct operation {
    struct operation *next;
    struct moment begin;
    struct done done;
};

/* The roots named by the members of a group. */
struct roots {
    uint64_t selves, self; /* how many, and the last one's index */
    uint64_t others;       /* neither SELF nor THIS_GROUP */
    uint32_t named;        /* the first root named */
    bool is_mixed;
    uint64_t n;
};

struct instance {
    uint64_t n, sent, received, first_end, last_begin;
    uint32_t op, root;
    bool is_blocking, has_failed;
    bool has_two_roots;
    struct roots sides[2];
};

static const char *op_name(uint32_t op)
{
    const char *name = otf2_enum_name(OTF2_ENUM_CollectiveOp, op);
    return name ? name : "?";
}

/* ---- all members together ---- */

#define COMM_FORMAT "communicator %" PRIu32 " \"%.80s\" operation %" PRIu64 " %s%s: "
#define COMM_VALUES(c, comm, i)                                                                    \
    (comm)->id, comm_text(c, comm), (comm)->n_complete, (i)->is_blocking ? "" : "I",               \
        op_name((i)->op)

/*
 * One group has a single SELF and otherwise THIS_GROUP; the opposite group names the index of the
 * root.
 */
static void check_inter_roots(struct check *c, const struct comm *comm, const struct instance *i)
{
    const struct roots *s = i->sides;
    unsigned own = s[0].selves ? 0 : 1;
    if (i->root == OTF2_COLLECTIVE_ROOT_NONE && !i->has_two_roots)
        return;
    if (s[own].selves == 1 && !s[own].others && !s[!own].selves && !s[!own].is_mixed &&
        s[!own].named == s[own].self)
        return;
    found(c->verdict, RULE_COLLECTIVE_ROOT, (struct place){0},
          COMM_FORMAT "the groups do not agree on one root, there are %" PRIu64,
          COMM_VALUES(c, comm, i), s[0].selves + s[1].selves);
}

static void check_complete(struct check *c, const struct comm *comm, const struct instance *i)
{
    if (comm->is_inter)
        check_inter_roots(c, comm, i);
    else if (i->has_two_roots)
        found(c->verdict, RULE_COLLECTIVE_ROOT, (struct place){0},
              COMM_FORMAT "the members name different roots", COMM_VALUES(c, comm, i));
    if (i->has_failed)
        return;
    if (i->sent != i->received)
        found(c->verdict, RULE_COLLECTIVE_SIZE, (struct place){0},
              COMM_FORMAT "%" PRIu64 " bytes sent, %" PRIu64 " received", COMM_VALUES(c, comm, i),
              i->sent, i->received);
    if (i->op < COLLECTIVE_OPS && (synchronising >> i->op & 1) && i->is_blocking &&
        !comm->is_inter && (i->sent || i->op == OTF2_COLLECTIVE_OP_BARRIER) &&
        i->first_end < i->last_begin)
        found(c->verdict, RULE_COLLECTIVE_TIME, (struct place){0},
              COMM_FORMAT "the first leaves at %" PRIu64 ", the last enters at %" PRIu64,
              COMM_VALUES(c, comm, i), i->first_end, i->last_begin);
}

static void add_root(struct roots *roots, const struct done *o, uint64_t index)
{
    if (o->root == OTF2_COLLECTIVE_ROOT_SELF) {
        roots->selves++;
        roots->self = index;
    } else if (o->root != OTF2_COLLECTIVE_ROOT_THIS_GROUP) {
        roots->others++;
    }
    if (!roots->n++)
        roots->named = o->root;
    else
        roots->is_mixed = roots->is_mixed || roots->named != o->root;
}

static struct instance *instance_of(struct comm *comm, uint64_t number)
{
    while (comm->n_instances <= number - comm->n_complete) {
        if (comm->first_instance &&
            comm->first_instance + comm->n_instances == comm->instances_room) {
            memmove(comm->instances, comm->instances + comm->first_instance,
                    comm->n_instances * sizeof *comm->instances);
            comm->first_instance = 0;
        }
        comm->instances =
            list_grow(comm->instances, &comm->instances_room,
                      comm->first_instance + comm->n_instances + 1, sizeof *comm->instances);
        comm->instances[comm->first_instance + comm->n_instances++] = (struct instance){0};
    }
    return &comm->instances[comm->first_instance + (size_t)(number - comm->n_complete)];
}

static void out_of_step(struct check *c, struct comm *comm, const struct instance *i,
                        const struct done *o, uint64_t number)
{
    comm->is_out_of_step = true;
    found(c->verdict, RULE_COLLECTIVE_ORDER, (struct place){0},
          "communicator %" PRIu32 " \"%.80s\" operation %" PRIu64 " is %s%s for rank %" PRIu64
          ", %s%s for others",
          comm->id, comm_text(c, comm), number, o->is_blocking ? "" : "I", op_name(o->op), o->rank,
          i->is_blocking ? "" : "I", op_name(i->op));
}

/* The next operation of a member in the member's communicator. */
void take_arrival(struct check *c, const struct engine_note *n, const void *data)
{
    const struct done *o = data;
    struct membership *member = membership_taken(c, n, o->comm, o->rank);
    if (o->series)
        member = membership_in_series(c, member, o->series - 1);
    struct comm *comm = member->comm;
    uint64_t number = member->n_operations++;
    comm->is_out_of_step |= c->has_gaps; /* with gaps, the n-th operations of two members differ */
    if (comm->is_self || comm->is_out_of_step)
        return;
    struct instance *i = instance_of(comm, number);
    if (!i->n++) {
        i->op = o->op;
        i->root = o->root;
        i->is_blocking = o->is_blocking;
        i->first_end = UINT64_MAX;
    } else if (i->op != o->op || i->is_blocking != o->is_blocking) {
        out_of_step(c, comm, i, o, number);
        return;
    }
    i->has_two_roots = i->has_two_roots || i->root != o->root;
    add_root(&i->sides[member->side], o, member->index);
    i->has_failed = i->has_failed || o->has_failed;
    i->sent += o->sent;
    i->received += o->received;
    i->first_end = o->end < i->first_end ? o->end : i->first_end;
    i->last_begin = o->begin > i->last_begin ? o->begin : i->last_begin;
    while (comm->n_instances &&
           comm->instances[comm->first_instance].n >= comm->n[0] + comm->n[1]) {
        check_complete(c, comm, &comm->instances[comm->first_instance]);
        comm->n_complete++;
        comm->first_instance = --comm->n_instances ? comm->first_instance + 1 : 0;
    }
}

/* ---- a single member ---- */

static void arrive(struct check *c, const struct engine_note *n, const struct done *o)
{
    TELL_ON(c, n, ARRIVAL, comm_key(o->comm), *o);
}

void collectives_release(struct check *c, const struct engine_note *n, struct process *process)
{
    const struct request *open = process->first_collective;
    while (process->held && (!open || is_earlier(&process->held->begin, &open->moment))) {
        struct operation *o = process->held;
        process->held = o->next;
        arrive(c, n, &o->done);
        free(o);
    }
}

static void hold(struct process *process, const struct moment *begin, const struct done *o)
{
    struct operation **link = &process->held;
    struct operation *kept = take_memory(sizeof *kept);
    while (*link && is_earlier(&(*link)->begin, begin))
        link = &(*link)->next;
    *kept = (struct operation){*link, *begin, *o};
    *link = kept;
}

static void check_root(struct check *c, struct location *at, const struct membership *m,
                       const struct done *o)
{
    const struct comm *comm = m->comm;
    bool is_rooted = o->op < COLLECTIVE_OPS && rooted >> o->op & 1;
    if (o->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP && o->root >= comm_peers(m)) {
        found(c->verdict, RULE_RANK, event_place(at),
              "root %" PRIu32 " of %" PRIu64 " ranks in communicator %" PRIu32 " \"%.80s\"",
              o->root, comm_peers(m), comm->id, comm_text(c, comm));
        return;
    }
    if (is_rooted != (o->root != OTF2_COLLECTIVE_ROOT_NONE))
        found(c->verdict, RULE_COLLECTIVE_ROOT, event_place(at), "%s with root %" PRIu32,
              op_name(o->op), o->root);
}

static void add(struct check *c, struct location *at, struct operation_note *note, bool is_use)
{
    struct membership *m = membership_of(c, at, note->done.comm);
    if (!m)
        c->has_lost_parts = true;
    if (m && is_use)
        membership_use(at, m);
    if (m)
        check_root(c, at, m, &note->done);
    note->done.rank = at->rank;
    note->done.is_known = m && !m->comm->is_self; /* the latter has nobody to agree with */
    if (note->done.is_known || !note->done.is_blocking)
        TELL(c, at, OPERATION, requests_key(at->process), *note);
}

void take_operation(struct check *c, const struct engine_note *n, const void *data)
{
    struct operation_note note = *(const struct operation_note *)data;
    struct process *process = note_location(c, n)->process;
    if (!note.done.is_blocking) {
        struct place where = note_place(c, n, data);
        struct request *r = request_done(c, n, where, note.request, REQUEST_COLLECTIVE);
        if (!r)
            return;
        note.begin = r->moment;
        note.done.begin = r->time;
        note.done.series = r->series;
        request_close(c, n, where, r);
    }
    if (note.done.is_known && !process->held && !process->first_collective) {
        arrive(c, n, &note.done);
        return;
    }
    if (note.done.is_known)
        hold(process, &note.begin, &note.done);
    collectives_release(c, n, process);
}

static uint64_t frame_of(const struct location *at)
{
    return at->depth ? at->frames[at->depth - 1].event : UINT64_MAX;
}

void mpi_collective_begin(struct check *c, struct location *at, event_data e)
{
    (void)e;
    if (at->is_in_collective)
        found(c->verdict, RULE_COLLECTIVE_NESTING, event_place(at),
              "MpiCollectiveBegin behind MpiCollectiveBegin");
    at->is_in_collective = true;
    at->begin_time = at->time;
    at->begin = moment_of(at);
    at->begin_frame = frame_of(at);
    at->begin_depth = at->depth;
}

void mpi_collective_end(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_MpiCollectiveEnd *end = &e->evt_MpiCollectiveEnd;
    uint32_t op = end->collectiveOp;
    bool is_of_handle = op >= OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    if (!at->is_in_collective) {
        found(c->verdict, RULE_COLLECTIVE_NESTING, event_place(at),
              "MpiCollectiveEnd without MpiCollectiveBegin");
        at->begin_time = 0;
        at->begin = moment_of(at);
    } else if (at->begin_depth != at->depth || at->begin_frame != frame_of(at)) {
        found(c->verdict, RULE_COLLECTIVE_NESTING, event_place(at),
              "MpiCollectiveBegin and MpiCollectiveEnd in different regions");
    }
    at->is_in_collective = false;
    struct operation_note note = {.done = {.begin = at->begin_time,
                                           .end = at->time,
                                           .sent = end->sizeSent,
                                           .received = end->sizeReceived,
                                           .comm = end->communicator,
                                           .op = op,
                                           .root = end->root,
                                           .is_blocking = true,
                                           .has_failed = is_marked(at, MPI_MARK_ERROR, NULL)},
                                  .begin = at->begin};
    add(c, at, &note, !is_of_handle);
}

void mpi_collective_complete(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_NonBlockingCollectiveComplete *done =
        &e->evt_NonBlockingCollectiveComplete;
    struct operation_note note = {.done = {.end = at->time,
                                           .sent = done->sizeSent,
                                           .received = done->sizeReceived,
                                           .comm = done->communicator,
                                           .op = done->collectiveOp,
                                           .root = done->root,
                                           .has_failed = is_marked(at, MPI_MARK_ERROR, NULL)},
                                  .request = done->requestID};
    add(c, at, &note, false);
}

/* ---- the end ---- */

void collectives_release_all(struct check *c)
{
    c->phase = PHASE_RELEASE;
    for (size_t i = 0; i < c->processes.n; i++) {
        struct process *process = c->by_index[i];
        if (!owns_process(c, process))
            continue;
        process->first_collective = NULL;
        while (process->held) {
            struct operation *o = process->held;
            process->held = o->next;
            if (is_alone(c))
                take_arrival(c, NULL, &o->done);
            else
                tell_at_end(c, (uint32_t)i, 0, NOTE_ARRIVAL, owner_of(c, comm_key(o->done.comm)),
                            &o->done, sizeof o->done);
            free(o);
        }
    }
}

static void check_counts(void *node, void *context)
{
    struct check *c = context;
    const struct comm *comm = node;
    uint64_t counts[2] = {UINT64_MAX, 0};
    uint64_t ranks[2] = {0, 0};
    if (!comm->n_instances || comm->is_out_of_step || !owns(c, comm_key(comm->id)))
        return;
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t i = 0; i < comm->n[side]; i++) {
            uint64_t rank = comm_member(comm, side, i);
            const struct membership *m = membership_find(c, comm, rank);
            uint64_t n = m ? m->n_operations : 0;
            if (n < counts[0]) {
                counts[0] = n;
                ranks[0] = rank;
            }
            if (n > counts[1]) {
                counts[1] = n;
                ranks[1] = rank;
            }
        }
    found(c->verdict, RULE_COLLECTIVE_COUNT, (struct place){0},
          "communicator %" PRIu32 " \"%.80s\": rank %" PRIu64 " takes part in %" PRIu64
          " operations, rank %" PRIu64 " in %" PRIu64,
          comm->id, comm_text(c, comm), ranks[1], counts[1], ranks[0], counts[0]);
}

/* With gaps, recording may have ended inside a collective operation. */
static void check_begun(struct check *c)
{
    const struct location *at = NULL;
    while (!c->has_gaps && (at = next_in_phase(c, PHASE_BEGUN, at)))
        if (at->is_in_collective && !at->is_broken)
            found(c->verdict, RULE_COLLECTIVE_NESTING,
                  (struct place){.location = at->id, .has_location = true},
                  "ends inside of a collective operation, begun at %" PRIu64, at->begin_time);
}

void collectives_finish(struct check *c)
{
    if (c->allows_unfinished || c->is_cut)
        return;
    check_begun(c);
    if (!c->has_lost_parts && !c->has_gaps)
        comms_each(c, PHASE_COUNTS, check_counts);
}

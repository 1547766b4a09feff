/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about communicators: who is in them, and their life. A worker knows those that its own
 * locations use; what several members do together is known to the communicator's owner only.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/mpi.h"

struct comms {
    struct table comms;       /* struct comm */
    struct table memberships; /* struct membership */
    uint64_t world;           /* its size */
};

const char *comm_text(const struct check *c, const struct comm *comm)
{
    return text_of(c, comm->name);
}

/* ---- definitions ---- */

static bool set_side(struct check *c, struct comm *comm, unsigned side, uint32_t number)
{
    const struct otf2_def_Group *group = defined_as(c, OTF2_REF_Group, number, OTF2_DEF_Group);
    if (!group || group->paradigm != OTF2_PARADIGM_MPI)
        return false;
    comm->is_self = group->groupType == OTF2_GROUP_TYPE_COMM_SELF;
    if (comm->is_self)
        return true;
    if (group->groupType != OTF2_GROUP_TYPE_COMM_GROUP)
        return false;
    comm->is_global = group->groupFlags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS;
    bool is_all = comm->is_global && !group->numberOfMembers;
    comm->members[side] = is_all ? NULL : group->members;
    comm->n[side] = is_all ? c->comms->world : group->numberOfMembers;
    return true;
}

/* NULL: it is no communicator of MPI. */
static struct comm *comm_of(struct check *c, uint32_t id)
{
    struct comm *kept = table_find(&c->comms->comms, comm_key(id));
    struct definition d = kept ? (struct definition){0} : space_find(c, OTF2_REF_Comm, id);
    struct comm comm = {.id = id};
    bool is_mpi = false;
    if (d.data && d.record == OTF2_DEF_Comm) {
        const struct otf2_def_Comm *def = d.data;
        comm.name = def->name;
        comm.has_life = def->flags & OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;
        is_mpi = set_side(c, &comm, 0, def->group);
    } else if (d.data) {
        const struct otf2_def_InterComm *def = d.data;
        comm.name = def->name;
        comm.is_inter = true;
        comm.has_life = def->flags & OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;
        is_mpi = set_side(c, &comm, 0, def->groupA) && set_side(c, &comm, 1, def->groupB);
    }
    if (!is_mpi)
        return kept;
    kept = table_intern(&c->comms->comms, comm_key(id));
    comm.node = kept->node;
    *kept = comm;
    return kept;
}

void comms_begin(struct check *c)
{
    c->comms = take_memory(sizeof *c->comms);
    c->comms->comms.node_bytes = sizeof(struct comm);
    c->comms->memberships.node_bytes = sizeof(struct membership);
    c->taken = take_memory(c->n_locations * sizeof(struct membership *));
    for (size_t i = 0; i < c->n_all && !c->comms->world; i++) {
        const struct otf2_def_Group *group = c->all[i].data;
        if (c->all[i].record == OTF2_DEF_Group && group->paradigm == OTF2_PARADIGM_MPI &&
            gives_ranks(group))
            c->comms->world = group->numberOfMembers;
    }
}

/* ---- members ---- */

static int by_rank(const void *x, const void *y, void *members)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    const uint64_t *rank = *(const uint64_t **)members;
    return rank[a] != rank[b] ? (rank[a] > rank[b]) - (rank[a] < rank[b]) : (a > b) - (a < b);
}

/* Most groups ascend, and are their own index. */
static void make_index(struct comm *comm, unsigned side)
{
    const uint64_t *const members = comm->members[side];
    uint64_t i = 1;
    comm->is_indexed[side] = true;
    while (i < comm->n[side] && members[i] > members[i - 1])
        i++;
    if (i >= comm->n[side])
        return;
    comm->by_rank[side] = take_memory((size_t)comm->n[side] * sizeof *members);
    for (i = 0; i < comm->n[side]; i++)
        comm->by_rank[side][i] = i;
    qsort_r(comm->by_rank[side], (size_t)comm->n[side], sizeof *members, by_rank,
            &comm->members[side]);
}

static bool find_index(struct comm *comm, unsigned side, uint64_t rank, uint64_t *index)
{
    *index = rank;
    if (rank < comm->n[side] && comm_member(comm, side, rank) == rank)
        return true;
    if (!comm->members[side])
        return false;
    if (!comm->is_indexed[side])
        make_index(comm, side);
    const uint64_t *by = comm->by_rank[side];
    uint64_t low = 0, high = comm->n[side];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (comm->members[side][by ? by[middle] : middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < comm->n[side])
        *index = by ? by[low] : low;
    return low < comm->n[side] && comm->members[side][*index] == rank;
}

static void join(struct membership *m, struct comm *comm, uint64_t rank)
{
    m->comm = comm;
    m->rank = rank;
    if (rank == NO_RANK)
        return;
    if (comm->is_self) {
        m->is_member = true;
        return;
    }
    m->is_member = find_index(comm, 0, rank, &m->index);
    if (!m->is_member && comm->is_inter) {
        m->side = 1;
        m->is_member = find_index(comm, 1, rank, &m->index);
    }
}

static struct membership *find_member(struct check *c, uint32_t number, uint64_t rank)
{
    struct key key = {number, rank, 0};
    struct membership *m = table_find(&c->comms->memberships, key);
    if (!m) {
        struct comm *comm = comm_of(c, number);
        if (!comm)
            return NULL;
        m = table_intern(&c->comms->memberships, key);
        join(m, comm, rank);
    }
    return m;
}

static struct membership *find_membership(struct check *c, struct location *at, uint32_t number)
{
    if (at->membership && at->membership->node.key.a == number)
        return at->membership;
    struct membership *m = find_member(c, number, at->rank);
    at->membership = m ? m : at->membership;
    return m;
}

struct membership *membership_taken(struct check *c, const struct engine_note *n, uint32_t comm,
                                    uint64_t rank)
{
    struct membership **last = !n || n->time == UINT64_MAX ? NULL : &c->taken[n->location];
    if (last && *last && (*last)->node.key.a == comm && (*last)->rank == rank)
        return *last;
    struct membership *m = find_member(c, comm, rank);
    if (last)
        *last = m;
    return m;
}

struct membership *membership_of(struct check *c, struct location *at, uint32_t number)
{
    struct membership *m = find_membership(c, at, number);
    if (m && m->is_member)
        return m;
    if (m || is_defined(c, OTF2_REF_Comm, number))
        found(c->verdict, RULE_COMM_MEMBER, event_place(at),
              "the process is no member of MPI communicator %" PRIu32 " \"%.80s\"", number,
              m ? comm_text(c, m->comm) : "");
    return NULL;
}

struct membership *membership_in_series(struct check *c, const struct membership *m,
                                        uint64_t series)
{
    struct key key = {m->node.key.a, m->rank, series + 1};
    struct membership *own = table_find(&c->comms->memberships, key);
    if (own)
        return own;
    struct comm *comm = table_find(&c->comms->comms, (struct key){.a = key.a, .b = series + 1});
    if (!comm) {
        const struct comm *of = m->comm;
        comm = table_intern(&c->comms->comms, (struct key){.a = key.a, .b = series + 1});
        const struct node node = comm->node;
        *comm = (struct comm){.node = node,
                              .id = of->id,
                              .series = series + 1,
                              .name = of->name,
                              .is_self = of->is_self,
                              .is_inter = of->is_inter,
                              .is_global = of->is_global,
                              .members = {of->members[0], of->members[1]},
                              .n = {of->n[0], of->n[1]}};
    }
    own = table_intern(&c->comms->memberships, key);
    join(own, comm, m->rank);
    return own;
}

uint64_t comm_peers(const struct membership *m)
{
    const struct comm *comm = m->comm;
    return comm->is_self ? 1 : comm->n[comm->is_inter ? !m->side : 0];
}

uint64_t peer_of(struct check *c, struct location *at, const struct membership *m, uint32_t rank)
{
    struct comm *comm = m->comm;
    unsigned side = comm->is_inter ? !m->side : 0;
    uint64_t index;
    bool is_rank = comm->is_global ? find_index(comm, side, rank, &index) : rank < comm_peers(m);
    if (!is_rank) {
        found(c->verdict, RULE_RANK, event_place(at),
              "rank %" PRIu32 " of %" PRIu64 " in communicator %" PRIu32 " \"%.80s\"", rank,
              comm_peers(m), comm->id, comm_text(c, comm));
        return NO_RANK;
    }
    return comm->is_self ? m->rank : comm->is_global ? rank : comm_member(comm, side, rank);
}

/* ---- life ---- */

void membership_use(struct location *at, struct membership *m)
{
    if (!m->is_used || at->time < m->first_use)
        m->first_use = at->time;
    if (!m->is_used || at->time > m->last_use)
        m->last_use = at->time;
    m->is_used = true;
}

static struct membership *life_event(struct check *c, struct location *at, uint32_t number,
                                     const char *what)
{
    struct membership *m = membership_of(c, at, number);
    if (m && !m->comm->has_life)
        found(c->verdict, RULE_COMM_CREATE, event_place(at),
              "%s of communicator %" PRIu32 " \"%.80s\", whose flags say that there is none", what,
              number, comm_text(c, m->comm));
    return m;
}

struct life_note {
    uint64_t time, rank;
    uint32_t comm;
    bool is_end;
    uint8_t unused[3];
};

void comm_create(struct check *c, struct location *at, event_data e)
{
    uint32_t number = e->evt_CommCreate.communicator;
    struct life_note note = {.time = at->time, .rank = at->rank, .comm = number};
    if (life_event(c, at, number, "CommCreate"))
        TELL(c, at, COMM_LIFE, comm_key(number), note);
}

void comm_destroy(struct check *c, struct location *at, event_data e)
{
    uint32_t number = e->evt_CommDestroy.communicator;
    struct life_note note = {.time = at->time, .rank = at->rank, .comm = number, .is_end = true};
    if (life_event(c, at, number, "CommDestroy"))
        TELL(c, at, COMM_LIFE, comm_key(number), note);
}

static void take_creation(struct check *c, struct membership *m, struct place where)
{
    if (m->is_created)
        found(c->verdict, RULE_COMM_CREATE, where,
              "communicator %" PRIu32 " \"%.80s\" is created a second time", m->comm->id,
              comm_text(c, m->comm));
    else
        m->comm->n_created++;
    m->created = m->is_created ? m->created : where.time;
    m->is_created = true;
}

void take_comm_life(struct check *c, const struct engine_note *n, const void *data)
{
    const struct life_note *note = data;
    struct place where = note_place(c, n, data);
    struct membership *m = membership_taken(c, n, note->comm, note->rank);
    if (!note->is_end) {
        take_creation(c, m, where);
        return;
    }
    if (m->is_destroyed || (!m->is_created && m->comm->has_life))
        found(c->verdict, RULE_COMM_CREATE, where,
              "communicator %" PRIu32 " \"%.80s\" is destroyed and %s", note->comm,
              comm_text(c, m->comm), m->is_destroyed ? "was already" : "was not created");
    m->is_destroyed = true;
    m->destroyed = note->time;
}

/* Its use, which the owner has to know in the end. */
struct use_note {
    uint64_t rank, first, last, comm;
};

static void tell_use(void *node, void *context)
{
    struct check *c = context;
    const struct membership *m = node;
    struct use_note note = {m->rank, m->first_use, m->last_use, m->comm->id};
    if (m->is_used && m->comm->has_life && !owns(c, comm_key(m->comm->id)))
        tell_at_end(c, 0, 0, NOTE_COMM_USE, owner_of(c, comm_key(m->comm->id)), &note, sizeof note);
}

void comms_tell_use(struct check *c)
{
    if (!is_alone(c))
        table_each(&c->comms->memberships, tell_use, c);
}

void take_comm_use(struct check *c, const struct engine_note *n, const void *data)
{
    const struct use_note *note = data;
    struct membership *m = find_member(c, (uint32_t)note->comm, note->rank);
    (void)n;
    m->first_use = !m->is_used || note->first < m->first_use ? note->first : m->first_use;
    m->last_use = !m->is_used || note->last > m->last_use ? note->last : m->last_use;
    m->is_used = true;
}

/* ---- the end ---- */

static void check_use(void *node, void *context)
{
    struct check *c = context;
    const struct membership *m = node;
    if (!m->comm->has_life || !m->is_used || !m->is_created || !owns(c, comm_key(m->comm->id)))
        return;
    if (m->first_use < m->created)
        found(c->verdict, RULE_COMM_USE, (struct place){0},
              "rank %" PRIu64 " uses communicator %" PRIu32 " \"%.80s\" at %" PRIu64
              " and creates it at %" PRIu64,
              m->rank, m->comm->id, comm_text(c, m->comm), m->first_use, m->created);
    if (m->is_destroyed && m->last_use > m->destroyed)
        found(c->verdict, RULE_COMM_USE, (struct place){0},
              "rank %" PRIu64 " uses communicator %" PRIu32 " \"%.80s\" at %" PRIu64
              " and has destroyed it at %" PRIu64,
              m->rank, m->comm->id, comm_text(c, m->comm), m->last_use, m->destroyed);
}

/* Who uses it has created it, unless that is reported for its members together. */
static void check_uncreated(void *node, void *context)
{
    struct check *c = context;
    const struct membership *m = node;
    if (m->is_member && m->comm->has_life && m->is_used && !m->is_created &&
        (!m->comm->n_created || m->comm->is_self) && owns(c, comm_key(m->comm->id)))
        found(c->verdict, RULE_COMM_CREATE, (struct place){0},
              "rank %" PRIu64 " uses communicator %" PRIu32 " \"%.80s\" without CommCreate",
              m->rank, m->comm->id, comm_text(c, m->comm));
}

/* What one member creates, all create. */
static void check_all_create(void *node, void *context)
{
    struct check *c = context;
    const struct comm *comm = node;
    if (!comm->n_created || !comm->has_life || comm->is_self)
        return;
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t i = 0; i < comm->n[side]; i++) {
            struct key key = {comm->id, comm_member(comm, side, i), 0};
            const struct membership *m = table_find(&c->comms->memberships, key);
            if ((m && m->is_created) || (c->allows_unfinished && !(m && m->is_used)))
                continue;
            found(c->verdict, RULE_COMM_CREATE, (struct place){0},
                  "rank %" PRIu64 " has no CommCreate of communicator %" PRIu32
                  " \"%.80s\", others have",
                  key.b, comm->id, comm_text(c, comm));
        }
}

static void free_comm(void *node, void *context)
{
    struct comm *comm = node;
    (void)context;
    free(comm->instances);
    free(comm->by_rank[0]);
    free(comm->by_rank[1]);
}

void comms_finish(struct check *c)
{
    struct comms *comms = c->comms;
    each_in_phase(c, PHASE_USE, &comms->memberships, check_use);
    if (!c->is_cut && !c->has_gaps) {
        each_in_phase(c, PHASE_UNCREATED, &comms->memberships, check_uncreated);
        each_in_phase(c, PHASE_ALL_CREATE, &comms->comms, check_all_create);
    }
    table_each(&comms->comms, free_comm, NULL);
    table_fini(&comms->comms);
    table_fini(&comms->memberships);
    free(c->taken);
    free(comms);
}

/* For the rules about collective operations. */
void comms_each(struct check *c, enum phase phase, void (*visit)(void *comm, void *context))
{
    each_in_phase(c, phase, &c->comms->comms, visit);
}

const struct membership *membership_find(const struct check *c, const struct comm *comm,
                                         uint64_t rank)
{
    return table_find(&c->comms->memberships, (struct key){comm->id, rank, comm->series});
}

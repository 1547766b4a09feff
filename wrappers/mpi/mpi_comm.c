/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_comm.h"

#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/mpi/mpi_groups.h"
#include "wrappers/mpi/mpi_topology.h"
#include "wrappers/mpi/mpi_world.h"

_Atomic(struct mpi_comm_entry *) mpi_comm_buckets[MPI_COMM_BUCKETS];

/*
 * Held while a communicator is defined: all processes define their shared communicators in the same
 * order.
 */
static struct wrapper_lock define_lock;
static struct mpi_comm *free_comms; /* under define_lock */
static _Atomic(bool) world_is_defined;

static struct mpi_comm_entry *find_entry(mpi_word handle)
{
    struct mpi_comm_entry *entry =
        atomic_load_explicit(mpi_comm_bucket(handle), memory_order_acquire);
    while (entry && entry->handle != handle)
        entry = entry->next;
    return entry;
}

static struct mpi_comm *find_comm(mpi_word handle)
{
    struct mpi_comm_entry *entry = find_entry(handle);
    return entry ? atomic_load_explicit(&entry->comm, memory_order_acquire) : NULL;
}

/* Under define_lock. */
static void bind_locked(struct mpi_comm *comm, mpi_word handle)
{
    struct mpi_comm_entry *entry = find_entry(handle);
    comm->handle = handle;
    if (entry) {
        atomic_store_explicit(&entry->comm, comm, memory_order_release);
        return;
    }
    entry = spur_mem_new(sizeof *entry);
    if (!entry)
        return;
    _Atomic(struct mpi_comm_entry *) *bucket = mpi_comm_bucket(handle);
    entry->handle = handle;
    entry->next = atomic_load(bucket);
    atomic_init(&entry->comm, comm);
    atomic_store_explicit(bucket, entry, memory_order_release);
}

/* Under define_lock. */
static struct mpi_comm *comm_new(void)
{
    struct mpi_comm *comm = free_comms;
    if (!comm)
        return spur_mem_new(sizeof *comm);
    free_comms = comm->next_free;
    memset(comm, 0, sizeof *comm);
    return comm;
}

/* ---- groups ---- */

/* Defines a group of n processes and tells the smallest world rank of the group. */
static OTF2_GroupRef define_members(const struct mpi_library *lib, const char *name, mpi_word group,
                                    int n, uint64_t *smallest)
{
    OTF2_GroupRef ref = OTF2_UNDEFINED_GROUP;
    size_t bytes = (size_t)n * (2 * sizeof(int) + sizeof(uint64_t));
    uint64_t *members = spur_mem_new(bytes);
    *smallest = UINT64_MAX;
    if (members) {
        if (mpi_world_members(lib, group, n, (int *)(members + n), members)) {
            for (int i = 0; i < n; i++)
                *smallest = members[i] < *smallest ? members[i] : *smallest;
            ref = spur_def_group(name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                 OTF2_GROUP_FLAG_NONE, (uint32_t)n, members);
        }
        spur_mem_free(members, bytes);
    }
    return ref;
}

/* The same; frees `group`. */
static OTF2_GroupRef define_group(const struct mpi_library *lib, const char *name, mpi_word group,
                                  int n, uint64_t *smallest)
{
    OTF2_GroupRef ref = define_members(lib, name, group, n, smallest);
    lib->Group_free(&group);
    return ref;
}

OTF2_GroupRef mpi_comm_group(mpi_word group)
{
    const struct mpi_library *lib = mpi_library();
    uint64_t smallest;
    int n = 0;
    group = mpi_handle(lib, group);
    return lib->Group_size(group, &n) == 0 && n > 0 ? define_members(lib, "", group, n, &smallest)
                                                    : OTF2_UNDEFINED_GROUP;
}

/* Sizes, rank and groups of a handle. */
static bool describe(const struct mpi_library *lib, struct mpi_comm *comm, mpi_word handle,
                     const char *how)
{
    int is_inter = 0;
    mpi_word group = 0;
    uint64_t smallest;
    comm->other_group = OTF2_UNDEFINED_GROUP;
    if (lib->Comm_test_inter(handle, &is_inter) != 0 || lib->Comm_size(handle, &comm->size) != 0 ||
        lib->Comm_rank(handle, &comm->rank) != 0 || lib->Comm_group(handle, &group) != 0)
        return false;
    comm->group = define_group(lib, how, group, comm->size, &smallest);
    if (!is_inter)
        return comm->group != OTF2_UNDEFINED_GROUP;

    uint64_t remote_smallest;
    if (lib->Comm_remote_size(handle, &comm->remote_size) != 0 ||
        lib->Comm_remote_group(handle, &group) != 0)
        return false;
    comm->other_group = define_group(lib, how, group, comm->remote_size, &remote_smallest);
    if (remote_smallest < smallest) {
        OTF2_GroupRef first = comm->other_group;
        comm->other_group = comm->group;
        comm->group = first;
    }
    return comm->group != OTF2_UNDEFINED_GROUP && comm->other_group != OTF2_UNDEFINED_GROUP;
}

/* The birth of the world was not seen: recording was paused, or the agent came later. */
static _Atomic(bool) is_born_unseen = true;

bool mpi_comm_is_out_of_step(void)
{
    return is_born_unseen && spur_is_attached();
}

static OTF2_CommFlag flags_of(bool has_events)
{
    return has_events ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
}

static void define(struct mpi_comm *comm, const struct mpi_comm *parent, OTF2_CommFlag flags)
{
    if (mpi_comm_is_out_of_step()) {
        parent = NULL;
        flags = OTF2_COMM_FLAG_NONE;
    }
    OTF2_CommRef from = parent ? parent->id : OTF2_UNDEFINED_COMM;
    comm->has_events = flags == OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS;
    comm->id = mpi_comm_is_inter(comm)
                   ? spur_def_intercomm(NULL, comm->group, comm->other_group, from, flags)
                   : spur_def_comm(NULL, comm->group, from, flags);
}

/* Under define_lock. */
static struct mpi_comm *define_handle(mpi_word handle, const struct mpi_comm *parent,
                                      OTF2_CommFlag flags, const char *how)
{
    const struct mpi_library *lib = mpi_library();
    struct mpi_comm *comm = comm_new();
    if (!comm)
        return NULL;
    comm->id = OTF2_UNDEFINED_COMM;
    comm->is_tagged = how[0] != '\0';
    if (describe(lib, comm, handle, how)) {
        define(comm, parent, flags);
        mpi_topology_define(lib, comm, handle);
    }
    bind_locked(comm, handle); /* also without a description: not to be tried again */
    return comm;
}

/* ---- the world ---- */

/*
 * Under define_lock. The name is given at once: nobody shall see a predefined communicator unnamed.
 */
static struct mpi_comm *define_predefined(mpi_word handle, const char *name, OTF2_GroupRef group,
                                          int size, int rank)
{
    struct mpi_comm *comm = comm_new();
    if (!comm)
        return NULL;
    comm->group = group;
    comm->other_group = OTF2_UNDEFINED_GROUP;
    comm->size = size;
    comm->rank = rank;
    comm->has_events = !mpi_group_is_off[MPI_GROUP_env] && !is_born_unseen;
    comm->id = spur_def_comm(name, group, OTF2_UNDEFINED_COMM, flags_of(comm->has_events));
    bind_locked(comm, handle);
    return comm;
}

static OTF2_GroupRef define_world_group(int size)
{
    OTF2_GroupRef ref = OTF2_UNDEFINED_GROUP;
    size_t bytes = (size_t)size * sizeof(uint64_t);
    uint64_t *members = spur_mem_new(bytes);
    if (members) {
        for (int i = 0; i < size; i++)
            members[i] = (uint64_t)i;
        ref = spur_def_group("", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                             OTF2_GROUP_FLAG_NONE, (uint32_t)size, members);
        spur_mem_free(members, bytes);
    }
    return ref;
}

/* Under define_lock. False without a world: before MPI_Init, after MPI_Finalize, in a session. */
static bool define_world(void)
{
    const struct mpi_library *lib = mpi_library();
    int size = 0;
    int rank = 0;
    int is_initialised = 0;
    int is_finalised = 0;
    if (atomic_load(&world_is_defined))
        return true;
    if (lib->Initialized(&is_initialised) != 0 || !is_initialised ||
        lib->Finalized(&is_finalised) != 0 || is_finalised ||
        lib->Comm_size(lib->layout.comm_world, &size) != 0 ||
        lib->Comm_rank(lib->layout.comm_world, &rank) != 0)
        return false;
    (void)mpi_world_is_known(lib);
    define_predefined(lib->layout.comm_world, "MPI_COMM_WORLD", define_world_group(size), size,
                      rank);
    OTF2_GroupRef self = spur_def_group("", OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                        OTF2_GROUP_FLAG_NONE, 0, NULL);
    define_predefined(lib->layout.comm_self, "MPI_COMM_SELF", self, 1, 0);
    atomic_store(&world_is_defined, true);
    return true;
}

/*
 * Under define_lock. Can communicators be defined? Not while an attached process waits for the
 * other processes of the command. Otherwise the process attached to first would have met more
 * communicators than the process attached to last, when both begin.
 */
static bool has_world(void)
{
    if (mpi_comm_is_out_of_step() && spur_attached_waits())
        return false;
    return define_world() || mpi_world_is_known(mpi_library());
}

void mpi_comm_world_created(struct mpi_comm **world, struct mpi_comm **self, bool is_recorded)
{
    const struct mpi_library *lib = mpi_library();
    wrapper_lock_take(&define_lock);
    is_born_unseen = !is_recorded;
    define_world();
    wrapper_lock_give(&define_lock);
    *world = find_comm(lib->layout.comm_world);
    *self = find_comm(lib->layout.comm_self);
}

const struct mpi_comm *mpi_comm_self(void)
{
    return atomic_load(&world_is_defined) ? find_comm(mpi_library()->layout.comm_self) : NULL;
}

/* ---- lookup, birth and death ---- */

/* The result for callers: NULL for a communicator that cannot be described. */
static struct mpi_comm *if_described(struct mpi_comm *comm)
{
    return comm && comm->id != OTF2_UNDEFINED_COMM ? comm : NULL;
}

static struct mpi_comm *define_on_first_sight(mpi_word handle)
{
    struct mpi_comm *comm = NULL;
    wrapper_lock_take(&define_lock);
    if (has_world()) {
        comm = find_comm(handle);
        if (!comm)
            comm = define_handle(handle, NULL, OTF2_COMM_FLAG_NONE, "");
    }
    wrapper_lock_give(&define_lock);
    return comm;
}

struct mpi_comm *mpi_comm_of_slowly(mpi_word handle)
{
    if (handle == mpi_library()->layout.comm_null || handle == 0)
        return NULL;
    struct mpi_comm *comm = find_comm(handle);
    return if_described(comm ? comm : define_on_first_sight(handle));
}

struct mpi_comm *mpi_comm_created(mpi_word handle, const struct mpi_comm *parent, bool is_recorded,
                                  const char *how)
{
    const struct mpi_library *lib = mpi_library();
    struct mpi_comm *comm = NULL;
    handle = mpi_handle(lib, handle);
    if (handle == lib->layout.comm_null || handle == 0)
        return NULL;
    wrapper_lock_take(&define_lock);
    if (has_world())
        comm = define_handle(handle, parent, flags_of(is_recorded),
                             mpi_comm_is_out_of_step() ? "" : how);
    wrapper_lock_give(&define_lock);
    return if_described(comm);
}

struct mpi_comm *mpi_comm_copied(const struct mpi_comm *parent, bool is_recorded)
{
    wrapper_lock_take(&define_lock);
    struct mpi_comm *comm = comm_new();
    if (comm) {
        comm->group = parent->group;
        comm->other_group = parent->other_group;
        comm->size = parent->size;
        comm->rank = parent->rank;
        comm->remote_size = parent->remote_size;
        /*
         * Not described like the parent: else the copy would be among the communicators made by the
         * parent's tag.
         */
        if (parent->is_tagged)
            (void)describe(mpi_library(), comm, parent->handle, "");
        define(comm, parent, flags_of(is_recorded));
        mpi_topology_define(mpi_library(), comm, parent->handle);
    }
    wrapper_lock_give(&define_lock);
    return comm;
}

/* Under define_lock. Kept for ever: a window may come back at any time. */
static struct mpi_comm *stand_in(OTF2_GroupRef group, int size, int rank)
{
    static struct mpi_comm *all;
    struct mpi_comm *comm = all;
    while (comm && comm->group != group)
        comm = comm->next_free;
    if (comm || group == OTF2_UNDEFINED_GROUP || !(comm = comm_new()))
        return comm;
    comm->group = group;
    comm->other_group = OTF2_UNDEFINED_GROUP;
    comm->size = size;
    comm->rank = rank;
    define(comm, NULL, OTF2_COMM_FLAG_NONE);
    comm->next_free = all;
    return all = comm;
}

/*
 * Not in the way of communicators that have handles: the name of the group tells both kinds apart.
 */
const struct mpi_comm *mpi_comm_of_members(mpi_word group)
{
    const struct mpi_library *lib = mpi_library();
    struct mpi_comm *comm = NULL;
    uint64_t smallest;
    int size = 0;
    int rank = 0;
    wrapper_lock_take(&define_lock);
    if (has_world() && lib->Group_size(group, &size) == 0 && lib->Group_rank(group, &rank) == 0) {
        struct mpi_comm *world = find_comm(lib->layout.comm_world);
        if (world && size == world->size &&
            define_members(lib, "", group, size, &smallest) == world->group)
            comm = world;
        else
            comm = stand_in(define_members(lib, "windows", group, size, &smallest), size, rank);
    }
    wrapper_lock_give(&define_lock);
    return if_described(comm);
}

void mpi_comm_bind(struct mpi_comm *comm, mpi_word handle)
{
    wrapper_lock_take(&define_lock);
    bind_locked(comm, mpi_handle(mpi_library(), handle));
    wrapper_lock_give(&define_lock);
}

static size_t flags_bytes(int neighbours)
{
    return (size_t)neighbours * sizeof(bool) + 1; /* a Cartesian grid may have no dimension */
}

static void neighbours_free(struct mpi_neighbours *neighbours)
{
    if (!neighbours)
        return;
    if (neighbours->source_is_there)
        spur_mem_free(neighbours->source_is_there, flags_bytes(neighbours->sources));
    spur_mem_free(neighbours, sizeof *neighbours);
}

/* Under define_lock. */
static void free_comm(struct mpi_comm *comm)
{
    neighbours_free(atomic_load(&comm->neighbours));
    comm->next_free = free_comms;
    free_comms = comm;
}

void mpi_comm_forget(mpi_word handle, struct mpi_comm *comm)
{
    wrapper_lock_take(&define_lock);
    struct mpi_comm_entry *entry = find_entry(mpi_handle(mpi_library(), handle));
    struct mpi_comm *bound = entry ? atomic_load(&entry->comm) : NULL;
    /*
     * Another thread may have been given the same handle already: then the entry is the other
     * thread's.
     */
    if (bound && (bound == comm || bound->id == OTF2_UNDEFINED_COMM))
        atomic_store(&entry->comm, NULL);
    if (!comm && bound && bound->id == OTF2_UNDEFINED_COMM)
        comm = bound;
    if (comm)
        free_comm(comm);
    wrapper_lock_give(&define_lock);
}

/* ---- neighbours ---- */

/* Per dimension the neighbour below and the neighbour above, each both source and destination. */
static bool cart_neighbours(const struct mpi_library *lib, const struct mpi_comm *comm,
                            struct mpi_neighbours *n)
{
    int dimensions = 0;
    if (lib->Cartdim_get(comm->handle, &dimensions) != 0)
        return false;
    n->sources = n->dests = 2 * dimensions;
    n->source_is_there = spur_mem_new(flags_bytes(n->sources));
    n->dest_is_there = n->source_is_there;
    for (int d = 0; n->source_is_there && d < dimensions; d++) {
        int below = lib->layout.proc_null;
        int above = lib->layout.proc_null;
        lib->Cart_shift(comm->handle, d, 1, &below, &above);
        n->source_is_there[(size_t)d * 2] = below != lib->layout.proc_null;
        n->source_is_there[(size_t)d * 2 + 1] = above != lib->layout.proc_null;
    }
    return n->source_is_there != NULL;
}

static bool find_neighbours(const struct mpi_comm *comm, struct mpi_neighbours *n)
{
    const struct mpi_library *lib = mpi_library();
    int topology = 0;
    int weighted = 0;
    if (!lib->Topo_test || lib->Topo_test(comm->handle, &topology) != 0)
        return false;
    if (topology == lib->layout.cart)
        return cart_neighbours(lib, comm, n);
    if (topology == lib->layout.dist_graph)
        return lib->Dist_graph_neighbors_count(comm->handle, &n->sources, &n->dests, &weighted) ==
               0;
    if (topology != lib->layout.graph ||
        lib->Graph_neighbors_count(comm->handle, comm->rank, &n->sources) != 0)
        return false;
    n->dests = n->sources;
    return true;
}

const struct mpi_neighbours *mpi_comm_neighbours(struct mpi_comm *comm)
{
    struct mpi_neighbours *found = atomic_load_explicit(&comm->neighbours, memory_order_acquire);
    if (found)
        return found;
    struct mpi_neighbours *mine = spur_mem_new(sizeof *mine);
    if (!mine)
        return NULL;
    if (!find_neighbours(comm, mine) ||
        !atomic_compare_exchange_strong(&comm->neighbours, &found, mine)) {
        neighbours_free(mine);
        return found;
    }
    return mine;
}

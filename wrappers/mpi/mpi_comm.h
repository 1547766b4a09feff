/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: the trace's knowledge of a handle. A lookup takes no lock. A handle not seen
 * before (created before us, or by a function without a wrapper) is defined on first sight. All
 * functions are thread-safe, and call local MPI functions only.
 */
#ifndef MPI_COMM_H
#define MPI_COMM_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

/* Existing neighbours in a virtual topology (not MPI_PROC_NULL), in MPI's order. */
struct mpi_neighbours {
    int sources; /* length of source_is_there */
    int dests;
    bool *source_is_there; /* NULL: all exist */
    bool *dest_is_there;
};

struct mpi_comm {
    OTF2_CommRef id;
    OTF2_GroupRef group;       /* of an intercommunicator: the group with the smallest world rank */
    OTF2_GroupRef other_group; /* undefined unless an intercommunicator */
    int size;                  /* of the own group */
    int rank;                  /* in the own group */
    int remote_size;           /* 0 unless an intercommunicator */
    bool has_events;           /* the birth is recorded, so the death will be */
    bool is_tagged;            /* the groups have a name: the way of making */
    _Atomic(uint32_t) series;  /* persistent collective operations made so far */
    mpi_word handle;
    _Atomic(struct mpi_neighbours *) neighbours; /* found when first needed */
    struct mpi_comm *next_free;
};

static inline bool mpi_comm_is_inter(const struct mpi_comm *comm)
{
    return comm->remote_size > 0;
}

/* The number of possible partners: the remote group's size in an intercommunicator. */
static inline int mpi_comm_partners(const struct mpi_comm *comm)
{
    return comm->remote_size > 0 ? comm->remote_size : comm->size;
}

/*
 * Handles hash to chains of entries. Entries are only ever added, so readers need no lock; freed
 * handles come back soon, so the number of entries is bounded.
 */
struct mpi_comm_entry {
    mpi_word handle;
    _Atomic(struct mpi_comm *) comm;
    struct mpi_comm_entry *next;
};

enum { MPI_COMM_BUCKETS = 4096 };
extern _Atomic(struct mpi_comm_entry *) mpi_comm_buckets[MPI_COMM_BUCKETS];

static inline _Atomic(struct mpi_comm_entry *) *mpi_comm_bucket(mpi_word handle)
{
    uint64_t mixed = (uint64_t)handle * 0x9e3779b97f4a7c15u;
    return &mpi_comm_buckets[mixed >> 52]; /* 12 bits: MPI_COMM_BUCKETS */
}

struct mpi_comm *mpi_comm_of_slowly(mpi_word handle);

/*
 * The communicator of a handle, given as an argument word. NULL for MPI_COMM_NULL, and for a
 * communicator that cannot be described: a member is a stranger (mpi_world.h). Borrowed until the
 * communicator is freed.
 */
MPI_HOT struct mpi_comm *mpi_comm_of(mpi_word handle)
{
    handle = mpi_handle(mpi_library(), handle);
    struct mpi_comm_entry *entry =
        atomic_load_explicit(mpi_comm_bucket(handle), memory_order_acquire);
    if (__builtin_expect(entry && entry->handle == handle, 1)) {
        struct mpi_comm *comm = atomic_load_explicit(&entry->comm, memory_order_acquire);
        if (__builtin_expect(comm && comm->id != OTF2_UNDEFINED_COMM, 1))
            return comm;
    }
    return mpi_comm_of_slowly(handle);
}

/* The communicator's id for a record, OTF2_UNDEFINED_COMM when mpi_comm_of() is NULL. */
MPI_HOT OTF2_CommRef mpi_comm_id(mpi_word handle)
{
    const struct mpi_comm *comm = mpi_comm_of(handle);
    return comm ? comm->id : OTF2_UNDEFINED_COMM;
}

/*
 * A communicator was created from `parent` (may be NULL). NULL as in mpi_comm_of(). `is_recorded`:
 * the birth is, so the death will be. `how` becomes the name of the groups, to distinguish
 * communicators of the same members and parent. Members number such communicators in the order of
 * calls, and only communicators made in the same way have the same number in all members. "": in
 * the order of calls.
 */
struct mpi_comm *mpi_comm_created(mpi_word handle, const struct mpi_comm *parent, bool is_recorded,
                                  const char *how);

/*
 * The same in two steps, for a communicator created in the background: the communicator has the
 * groups of `parent` and is defined now, in the order that all its members see. The handle is bound
 * later.
 */
struct mpi_comm *mpi_comm_copied(const struct mpi_comm *parent, bool is_recorded);
void mpi_comm_bind(struct mpi_comm *comm, mpi_word handle);

/*
 * The handle is freed and may come back as another communicator's. `comm`, the earlier result of
 * mpi_comm_of() (may be NULL), becomes invalid.
 */
void mpi_comm_forget(mpi_word handle, struct mpi_comm *comm);

/*
 * Did `spur attach` attach to ranks? If so, a rank may have seen the creation of a communicator
 * that another rank first meets in a call. So all ranks define shared objects alike: in the order
 * in which a rank meets the objects, without birth and death.
 */
bool mpi_comm_is_out_of_step(void);

/*
 * A communicator with the members of a group handle: MPI_COMM_WORLD, or a substitute for a
 * communicator with an unknown handle. NULL as in mpi_comm_of().
 */
const struct mpi_comm *mpi_comm_of_members(mpi_word group);

/* The definition of a group handle, undefined when a member is no process of MPI_COMM_WORLD. */
OTF2_GroupRef mpi_comm_group(mpi_word group);

/*
 * MPI_COMM_WORLD and MPI_COMM_SELF of an initialised library; names this process as well.
 * `is_recorded` as above.
 */
void mpi_comm_world_created(struct mpi_comm **world, struct mpi_comm **self, bool is_recorded);

/* MPI_COMM_SELF, if it is defined already. */
const struct mpi_comm *mpi_comm_self(void);

/* The neighbours of the calling process, NULL when the communicator has no topology. */
const struct mpi_neighbours *mpi_comm_neighbours(struct mpi_comm *comm);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: what the trace knows about a handle. A lookup takes no lock. A handle that was
 * never seen (created before us, or by a function that is not wrapped) is defined on first sight.
 * All functions are thread-safe; they call local MPI functions only.
 */
#ifndef MPI_COMM_H
#define MPI_COMM_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

/* Neighbours in a virtual topology that are there (not MPI_PROC_NULL), in MPI's order. */
struct mpi_neighbours {
    int sources; /* length of source_is_there */
    int dests;
    bool *source_is_there; /* NULL: all are */
    bool *dest_is_there;
};

struct mpi_comm {
    OTF2_CommRef id;
    OTF2_GroupRef group;       /* of an intercommunicator: the one with the smallest world rank */
    OTF2_GroupRef other_group; /* undefined unless it is an intercommunicator */
    int size;                  /* of the own group */
    int rank;                  /* in the own group */
    int remote_size;           /* 0 unless it is an intercommunicator */
    bool has_events;           /* its birth is recorded, so its death will be */
    bool is_tagged;            /* its groups have a name: they say how it was made */
    _Atomic(uint32_t) series;  /* persistent collective operations that were made */
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
 * Handles hash to chains of entries. Entries are only ever added, so that readers need no lock;
 * freed handles come back soon, which bounds their number.
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
 * The communicator of a handle, given as an argument word. NULL for MPI_COMM_NULL and for one that
 * cannot be described: a member is a stranger (mpi_world.h). Borrowed until it is freed.
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

/* Its id for a record, OTF2_UNDEFINED_COMM when mpi_comm_of() is NULL. */
MPI_HOT OTF2_CommRef mpi_comm_id(mpi_word handle)
{
    const struct mpi_comm *comm = mpi_comm_of(handle);
    return comm ? comm->id : OTF2_UNDEFINED_COMM;
}

/*
 * A communicator was created from `parent` (may be NULL). NULL as in mpi_comm_of(). `is_recorded`:
 * its birth is, so its death will be. `how` becomes the name of its groups, by which it is told
 * from others of the same members and parent: that they are the n-th of these for all of their
 * members is true only of those that are made in one way. "": in the order of calls.
 */
struct mpi_comm *mpi_comm_created(mpi_word handle, const struct mpi_comm *parent, bool is_recorded,
                                  const char *how);

/*
 * The same in two steps, for one that is created in the background: it has the groups of `parent`
 * and is defined now, in the order that all its members see, and is given its handle later.
 */
struct mpi_comm *mpi_comm_copied(const struct mpi_comm *parent, bool is_recorded);
void mpi_comm_bind(struct mpi_comm *comm, mpi_word handle);

/*
 * The handle is freed and may come back as another communicator's. `comm`, what mpi_comm_of() said
 * before (may be NULL), becomes invalid.
 */
void mpi_comm_forget(mpi_word handle, struct mpi_comm *comm);

/*
 * Were ranks attached to? Then what one of them has seen being made, another one meets: all that
 * they share is defined alike, in the order in which a rank meets it, and has no birth and death.
 */
bool mpi_comm_is_out_of_step(void);

/*
 * A communicator with the members of a group handle: MPI_COMM_WORLD, or one that stands for those
 * whose handle is not known. NULL as in mpi_comm_of().
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

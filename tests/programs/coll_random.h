/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives of coll_random.c: their arguments, and the calls themselves. */
#ifndef TESTS_COLL_RANDOM_H
#define TESTS_COLL_RANDOM_H

#include <mpi.h>
#include <stddef.h>

enum { PARTNERS = 8, BUFFER = 1 << 16 };
enum form { BLOCKING, STARTED, PERSISTENT, FORMS };

/* A communicator, as seen by the calling process. */
struct place {
    char name[64];
    MPI_Comm comm; /* MPI_COMM_NULL in processes outside of the communicator */
    int size, me;
    int is_inter;
    int group;    /* 0, or the number (0, 1) of the own group of an intercommunicator */
    int partners; /* size, or the size of the remote group */
    int has_topology, sources, destinations;
    int source[PARTNERS], destination[PARTNERS]; /* may be MPI_PROC_NULL */
};

/* A send or a receive argument. Counts and displacements in all forms of MPI's arguments. */
struct side {
    int n; /* blocks; 0: insignificant to MPI */
    int base, shape[PARTNERS];
    int counts[PARTNERS], displs[PARTNERS], byte_displs[PARTNERS];
    MPI_Count large_counts[PARTNERS];
    MPI_Aint large_displs[PARTNERS], large_byte_displs[PARTNERS];
    MPI_Datatype types[PARTNERS];
};

struct call {
    const struct op *op;
    const struct place *place;
    enum form form;
    int is_large, in_place, starts;
    int root;
    MPI_Op reduction;
    struct side s, r;
    const void *send; /* the arguments: a buffer, MPI_IN_PLACE or NULL */
    void *receive;
    unsigned char send_buffer[BUFFER], receive_buffer[BUFFER];
};

/* The amount that flows from a sender to a receiver depends on: */
enum by { NOTHING, ALL, GROUP, SENDER, RECEIVER, PAIR };

enum trait {
    TO_ROOT = 1,
    FROM_ROOT = 2,
    REDUCTION = 4, /* one count for both sides */
    IN_PLACE = 8,
    INTER = 16,
    NEIGHBOURS = 32,
    SEND_MANY = 64, /* an array of counts */
    RECEIVE_MANY = 128,
    MIXED = 256, /* an array of types as well */
    NOT_LARGE = 512,
    SCATTERED = 1024, /* Reduce_scatter and _block: the count of the received blocks */
    ONE_BUFFER = 2048,
};

struct op {
    const char *name;
    enum by by;
    int traits;
    int (*run)(struct call *c, MPI_Request *request);
};

/* MPI_x, MPI_Ix and, if the library has MPI 4, MPI_x_init and all three with large counts. */
#if MPI_VERSION >= 4
#define HAS_MPI_4 1
#define PERSISTENT_FORM(Name, ...)                                                                 \
    case PERSISTENT:                                                                               \
        return MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, request);
#define LARGE_FORMS(Name, name, ...)                                                               \
    case FORMS + BLOCKING:                                                                         \
        return MPI_##Name##_c(__VA_ARGS__);                                                        \
    case FORMS + STARTED:                                                                          \
        return MPI_I##name##_c(__VA_ARGS__, request);                                              \
    case FORMS + PERSISTENT:                                                                       \
        return MPI_##Name##_init_c(__VA_ARGS__, MPI_INFO_NULL, request);
#else
#define HAS_MPI_4 0
#define PERSISTENT_FORM(Name, ...)
#define LARGE_FORMS(Name, name, ...)
#endif

#define RUN(Name, name, LARGE, ...)                                                                \
    static int run_##Name(struct call *c, MPI_Request *request)                                    \
    {                                                                                              \
        const MPI_Comm comm = c->place->comm;                                                      \
        switch ((int)c->form + FORMS * c->is_large) {                                              \
        case BLOCKING:                                                                             \
            return MPI_##Name(__VA_ARGS__);                                                        \
        case STARTED:                                                                              \
            return MPI_I##name(__VA_ARGS__, request);                                              \
            PERSISTENT_FORM(Name, __VA_ARGS__)                                                     \
            LARGE(Name, name, __VA_ARGS__)                                                         \
        default:                                                                                   \
            return MPI_ERR_OTHER;                                                                  \
        }                                                                                          \
    }
#define NO_LARGE(...)

/* An array of no neighbours is an array still. */
#define IGNORED(side) (c->side.n == 0 && !(c->op->traits & NEIGHBOURS))

/* An array argument in the form of the function; void * fits every form. */
#define ARRAY(side, x)                                                                             \
    (IGNORED(side) ? NULL : c->is_large ? (void *)c->side.large_##x : (void *)c->side.x)
#define AINTS(side) (IGNORED(side) ? NULL : c->side.large_byte_displs)
#define TYPES(side) (IGNORED(side) ? NULL : c->side.types)
#define ONE_S c->send, c->s.counts[0], c->s.types[0]
#define ONE_R c->receive, c->r.counts[0], c->r.types[0]
#define MANY_S c->send, ARRAY(s, counts), ARRAY(s, displs), c->s.types[0]
#define MANY_R c->receive, ARRAY(r, counts), ARRAY(r, displs), c->r.types[0]
#define MIXED_S c->send, ARRAY(s, counts), ARRAY(s, byte_displs), TYPES(s)
#define MIXED_R c->receive, ARRAY(r, counts), ARRAY(r, byte_displs), TYPES(r)
#define NEIGHBOURS_S c->send, ARRAY(s, counts), AINTS(s), TYPES(s)
#define NEIGHBOURS_R c->receive, ARRAY(r, counts), AINTS(r), TYPES(r)
#define REDUCED c->send, c->receive, c->r.counts[0], c->r.types[0], c->reduction
#define SCATTERED_R c->send, c->receive, ARRAY(r, counts), c->r.types[0], c->reduction

/* One row per collective: name, name in I-form, how much flows, traits, large form, arguments. */
#define COLLECTIVES(X)                                                                             \
    X(Barrier, barrier, NOTHING, INTER | NOT_LARGE, NO_LARGE, comm)                                \
    X(Bcast, bcast, ALL, FROM_ROOT | INTER | ONE_BUFFER, LARGE_FORMS, ONE_R, c->root, comm)        \
    X(Gather, gather, ALL, TO_ROOT | INTER | IN_PLACE, LARGE_FORMS, ONE_S, ONE_R, c->root, comm)   \
    X(Gatherv, gatherv, SENDER, TO_ROOT | INTER | IN_PLACE | RECEIVE_MANY, LARGE_FORMS, ONE_S,     \
      MANY_R, c->root, comm)                                                                       \
    X(Scatter, scatter, ALL, FROM_ROOT | INTER | IN_PLACE, LARGE_FORMS, ONE_S, ONE_R, c->root,     \
      comm)                                                                                        \
    X(Scatterv, scatterv, RECEIVER, FROM_ROOT | INTER | IN_PLACE | SEND_MANY, LARGE_FORMS, MANY_S, \
      ONE_R, c->root, comm)                                                                        \
    X(Reduce, reduce, ALL, TO_ROOT | INTER | IN_PLACE | REDUCTION, LARGE_FORMS, REDUCED, c->root,  \
      comm)                                                                                        \
    X(Allgather, allgather, GROUP, INTER | IN_PLACE, LARGE_FORMS, ONE_S, ONE_R, comm)              \
    X(Allgatherv, allgatherv, SENDER, INTER | IN_PLACE | RECEIVE_MANY, LARGE_FORMS, ONE_S, MANY_R, \
      comm)                                                                                        \
    X(Alltoall, alltoall, GROUP, INTER | IN_PLACE, LARGE_FORMS, ONE_S, ONE_R, comm)                \
    X(Alltoallv, alltoallv, PAIR, INTER | IN_PLACE | SEND_MANY | RECEIVE_MANY, LARGE_FORMS,        \
      MANY_S, MANY_R, comm)                                                                        \
    X(Alltoallw, alltoallw, PAIR, INTER | IN_PLACE | SEND_MANY | RECEIVE_MANY | MIXED,             \
      LARGE_FORMS, MIXED_S, MIXED_R, comm)                                                         \
    X(Allreduce, allreduce, ALL, INTER | IN_PLACE | REDUCTION, LARGE_FORMS, REDUCED, comm)         \
    X(Reduce_scatter_block, reduce_scatter_block, ALL, INTER | IN_PLACE | REDUCTION | SCATTERED,   \
      LARGE_FORMS, REDUCED, comm)                                                                  \
    X(Reduce_scatter, reduce_scatter, RECEIVER,                                                    \
      INTER | IN_PLACE | REDUCTION | SCATTERED | RECEIVE_MANY, LARGE_FORMS, SCATTERED_R, comm)     \
    X(Scan, scan, ALL, IN_PLACE | REDUCTION, LARGE_FORMS, REDUCED, comm)                           \
    X(Exscan, exscan, ALL, IN_PLACE | REDUCTION, LARGE_FORMS, REDUCED, comm)                       \
    X(Neighbor_allgather, neighbor_allgather, ALL, NEIGHBOURS, LARGE_FORMS, ONE_S, ONE_R, comm)    \
    X(Neighbor_allgatherv, neighbor_allgatherv, SENDER, NEIGHBOURS | RECEIVE_MANY, LARGE_FORMS,    \
      ONE_S, MANY_R, comm)                                                                         \
    X(Neighbor_alltoall, neighbor_alltoall, ALL, NEIGHBOURS, LARGE_FORMS, ONE_S, ONE_R, comm)      \
    X(Neighbor_alltoallv, neighbor_alltoallv, PAIR, NEIGHBOURS | SEND_MANY | RECEIVE_MANY,         \
      LARGE_FORMS, MANY_S, MANY_R, comm)                                                           \
    X(Neighbor_alltoallw, neighbor_alltoallw, PAIR, NEIGHBOURS | SEND_MANY | RECEIVE_MANY | MIXED, \
      LARGE_FORMS, NEIGHBOURS_S, NEIGHBOURS_R, comm)

#define DEFINE(Name, name, by, traits, LARGE, ...) RUN(Name, name, LARGE, __VA_ARGS__)
COLLECTIVES(DEFINE)

#define ROW(Name, name, by, traits, ...) {#Name, by, traits, run_##Name},
static const struct op ops[] = {COLLECTIVES(ROW)};
enum { OPS = sizeof ops / sizeof ops[0] };

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that MPI's library makes for one of a file, see agent/spur_layer.h; ends also by
 * unwinding. */
#ifndef MPI_LAYER_H
#define MPI_LAYER_H

#include <stdbool.h>

#include "agent/spur_agent.h"
#include "wrappers/mpi/mpi_file.h"

struct mpi_layer {
    struct spur_layer_file file;
    bool is_open;
    OTF2_CommRef comm; /* of a file that is being opened, with its name */
    mpi_word name;
    struct mpi_file_op op; /* that the call begins */
};

#define MPI_LAYER(name) struct mpi_layer name __attribute__((cleanup(mpi_layer_end), unused))

/* Calls that work on a file that is open, or on none. */
static inline struct mpi_layer mpi_layer_of(OTF2_IoHandleRef file)
{
    return (struct mpi_layer){.file = {.handle = file, .define = NULL}};
}

static inline void mpi_layer_operates(struct spur_layer_file *file, struct spur_loc *loc)
{
    mpi_file_began(loc, &((struct mpi_layer *)file)->op); /* whose first member it is */
}

/* A call that begins an operation. */
static inline struct mpi_layer mpi_layer_operating(const struct mpi_file_op op)
{
    return (struct mpi_layer){.file = {.handle = op.file, .begin = mpi_layer_operates}, .op = op};
}

/* A call that opens one. */
static inline struct mpi_layer mpi_layer_opening(OTF2_CommRef comm, mpi_word name)
{
    return (
        struct mpi_layer){.file = {.handle = OTF2_UNDEFINED_IO_HANDLE, .define = mpi_file_opening},
                          .comm = comm,
                          .name = name};
}

static inline void mpi_layer_begin(struct mpi_layer *layer, struct spur_loc *loc,
                                   struct spur_call *call)
{
    spur_layer_begin(loc, call, &layer->file);
    layer->is_open = true;
}

/* The real call has returned. */
static inline void mpi_layer_returned(struct mpi_layer *layer)
{
    (void)spur_layer_end();
    layer->is_open = false;
}

/* Left by unwinding, the operation is over as well. */
static inline void mpi_layer_end(struct mpi_layer *layer)
{
    struct spur_loc *loc = layer->is_open ? spur_layer_end() : NULL;
    layer->is_open = false;
    if (loc && layer->op.is_recorded) {
        spur_tick(loc);
        mpi_file_failed(loc, &layer->op);
    }
}

#endif
